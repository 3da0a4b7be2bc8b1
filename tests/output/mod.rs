//! Outputs: files that appear whole or not at all, compression, zstd frames that can be entered.

mod compression;
#[cfg(unix)]
mod killed;
mod seek;
mod whole;

use std::path::Path;

use jelly_patch::With;
use jelly_patch::io::{Compression, Output, OutputOptions, Target};

use crate::common::memory::Sink;

/// Bytes that compress, but not to nothing.
pub fn sample(length: usize) -> Vec<u8> {
    let mut rng = crate::oracle::generate::rng::Rng::new(length as u64);
    let mut bytes = Vec::with_capacity(length + 64);
    while bytes.len() < length {
        bytes.extend(format!("<http://ex.org/{}> ", rng.below(100_000)).bytes());
    }
    bytes.truncate(length);
    bytes
}

pub fn create(path: &Path) -> Output {
    Output::create(Target::Path(path.to_owned()), &OutputOptions::default()).expect("a folder")
}

pub fn given(compression: Compression) -> OutputOptions {
    OutputOptions::default().with(|options| {
        options.compression = Some(compression);
        options.level = None;
    })
}

/// Writes in pieces, with cuts between some of them.
pub fn in_memory(compression: Compression, pieces: &[&[u8]]) -> Vec<u8> {
    let sink = Sink::default();
    let mut output = Output::create(sink.target(), &given(compression)).expect("memory");
    for piece in pieces {
        output.write(piece).expect("memory");
        output.cut().expect("memory");
    }
    output.finish().expect("memory");
    sink.bytes()
}

/// The names in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.sort();
    names
}
