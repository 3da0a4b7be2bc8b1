//! Memory grows by a bounded amount, whatever the input says, is, or expands to.
#![cfg(feature = "arrow")]

#[path = "../common/mod.rs"]
mod common;

mod allocator;
mod bombs;
mod floods;
mod kept;
mod rows;

use std::io::{BufWriter, Seek, Write};

use jelly_patch::arrow::{ReadBatches, ReadOptions, read_patch, read_rdf};
use jelly_patch::decode::Framing;
use jelly_patch::io::Source;
use jelly_patch::{Error, Limits, PatchFormat, RdfFormat};

/// What the design promises for default limits.
const BOUND: usize = 288 << 20;

/// How a source was read.
#[derive(Debug)]
struct Reading {
    rows: u64,
    /// Bytes of Arrow buffers.
    bytes: u64,
    /// The most memory that was allocated at a time, beyond what was before.
    peak: usize,
    error: Option<Error>,
}

impl Reading {
    fn slug(&self) -> &'static str {
        self.error.as_ref().map_or("", |error| error.kind().slug())
    }

    /// Memory stayed within the bound.
    #[track_caller]
    fn bounded(self) -> Self {
        let (peak, most) = (self.peak >> 20, BOUND >> 20);
        println!(
            "{peak} MiB at most, {} rows, {} MiB of batches, {}",
            self.rows,
            self.bytes >> 20,
            self.slug()
        );
        assert!(self.peak <= BOUND, "{peak} MiB, more than {most}: {self:?}");
        self
    }
}

fn options(framing: Framing) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.open.rdf_format = Some(RdfFormat::Jelly);
    options.open.patch_format = Some(PatchFormat::Jelly);
    options.open.decode.framing = framing;
    options
}

fn limited(change: impl FnOnce(&mut Limits)) -> ReadOptions {
    let mut options = options(Framing::Delimited);
    change(&mut options.open.decode.limits);
    options
}

/// Puts the input into a file first, where it takes no memory.
fn file(pieces: impl Iterator<Item = Vec<u8>>) -> Source {
    let mut file = BufWriter::new(tempfile::tempfile().expect("a temporary file"));
    for piece in pieces {
        file.write_all(&piece).expect("room");
    }
    let mut file = file.into_inner().expect("room");
    file.rewind().expect("a file");
    Source::Reader(Box::new(file))
}

fn rdf(pieces: impl Iterator<Item = Vec<u8>>, options: &ReadOptions) -> Reading {
    let source = file(pieces);
    measure(|| {
        let reader = read_rdf(source, options);
        reader.and_then(|mut reader| drain(&mut reader))
    })
}

fn patch(pieces: impl Iterator<Item = Vec<u8>>, options: &ReadOptions) -> Reading {
    let source = file(pieces);
    measure(|| {
        let reader = read_patch(source, options);
        reader.and_then(|mut reader| drain(&mut reader))
    })
}

/// Rows, bytes, and the error after them.
type Drained = (u64, u64, Option<Error>);

fn measure(read: impl FnOnce() -> Result<Drained, Error>) -> Reading {
    let (done, peak) = allocator::peak_of(read);
    let (rows, bytes, error) = done.unwrap_or_else(|error| (0, 0, Some(error)));
    Reading { rows, bytes, peak, error }
}

/// Reads as a consumer does who looks at one batch while the next is made.
fn drain(reader: &mut dyn ReadBatches) -> Result<Drained, Error> {
    let (mut rows, mut bytes, mut held) = (0, 0, None);
    loop {
        match reader.next_batch(&mut || Ok(())) {
            Ok(Some(batch)) => {
                rows += batch.num_rows() as u64;
                bytes += batch.get_array_memory_size() as u64;
                drop(held.replace(batch));
            }
            Ok(None) => return Ok((rows, bytes, None)),
            Err(error) => return Ok((rows, bytes, Some(error))),
        }
    }
}
