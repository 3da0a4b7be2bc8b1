//! The functions of the crate, on text in memory.

use std::sync::Arc;

use jelly_patch::Error;
use jelly_patch::With;
use jelly_patch::convert::{PatchTarget, RdfTarget, convert};
use jelly_patch::create::{CreateOptions, Writer};
use jelly_patch::io::{Output, OutputOptions, Source};
use jelly_patch::open::{OpenOptions, open_patch};
use jelly_patch::patch::{self, *};
use jelly_patch::{PatchFormat, RdfFormat};

pub use crate::common::memory::Sink;

impl Sink {
    pub fn writer(&self) -> Writer {
        Writer::new(Output::create(self.target(), &OutputOptions::default()).unwrap())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    pub fn patch(&self, format: PatchFormat) -> PatchOut {
        let make = move |source: Option<&_>| CreateOptions::default().patch(format, None, source);
        PatchOut { target: PatchTarget::new(Box::new(make)), writer: self.writer() }
    }
}

pub type Outcome<T> = Result<(T, String), Error>;

pub fn source(bytes: impl Into<Vec<u8>>) -> Source {
    let bytes: Vec<u8> = bytes.into();
    Source::Bytes(Arc::new(bytes))
}

/// A source that can be read only once.
pub fn pipe(bytes: impl Into<Vec<u8>>) -> Source {
    Source::Reader(Box::new(std::io::Cursor::new(bytes.into())))
}

pub fn nquads() -> OpenOptions {
    OpenOptions::default().with(|options| options.rdf_format = Some(RdfFormat::NQuads))
}

/// As a log; every other source is a pipe.
pub fn log(sources: &[Vec<u8>]) -> Vec<Again> {
    let make = |(at, bytes): (usize, &Vec<u8>)| {
        let source = if at % 2 == 0 { source(bytes.clone()) } else { pipe(bytes.clone()) };
        let options = OpenOptions::default().with(|options| options.patch_format = Some(format_of(bytes)));
        Again::new(source, options).unwrap()
    };
    sources.iter().enumerate().map(make).collect()
}

fn format_of(bytes: &[u8]) -> PatchFormat {
    let is_text = bytes.iter().all(|&byte| byte >= b' ' || byte == b'\n');
    if is_text { PatchFormat::RdfPatch } else { PatchFormat::Jelly }
}

/// A text as Jelly-Patch.
pub fn jelly(text: &str) -> Vec<u8> {
    let options = OpenOptions::default().with(|options| options.patch_format = Some(PatchFormat::RdfPatch));
    let mut reader = open_patch(source(text), &options).unwrap();
    let out = Sink::default();
    let PatchOut { mut target, mut writer } = out.patch(PatchFormat::Jelly);
    convert(&mut *reader, &mut target, &mut writer, &mut |_| Ok(())).unwrap();
    writer.finish().unwrap();
    out.bytes()
}

#[derive(Clone, Default)]
pub struct How {
    pub log: LogOptions,
    pub version: Option<u64>,
    pub distinct: bool,
}

pub fn apply(base: &str, patches: &[Vec<u8>], how: How) -> Outcome<Applied> {
    let out = Sink::default();
    let options = ApplyOptions::default().with(|options| {
        options.labels = BaseLabels::Keep;
        options.base = nquads();
        options.log = how.log;
        options.version = how.version.map(Version::Number);
        options.distinct = how.distinct;
    });
    let make = |needs: &Needs| {
        assert!(needs.graphs && needs.format == RdfFormat::NQuads);
        let make =
            move |source: Option<&_>| CreateOptions::default().rdf(RdfFormat::NQuads, None, source, true);
        Ok(ApplyTarget { target: RdfTarget::new(Box::new(make)), declares: None })
    };
    let done = patch::apply(source(base), log(patches), options, make, out.writer(), &mut |_| Ok(()))?;
    Ok((done, out.text()))
}

pub fn diff(old: &str, new: &str) -> Outcome<Compared> {
    diff_by(BlankNodes::Auto, old, new)
}

pub fn diff_by(blank_nodes: BlankNodes, old: &str, new: &str) -> Outcome<Compared> {
    let out = Sink::default();
    let options = DiffOptions::default().with(|options| {
        options.old = nquads();
        options.prefixes = true;
        options.blank_nodes = blank_nodes;
    });
    let new = Again::new(pipe(new), nquads()).unwrap();
    let done = patch::diff(pipe(old), &new, options, out.patch(PatchFormat::RdfPatch), &mut |_| Ok(()))?;
    Ok((done, out.text()))
}

pub fn invert(patches: &[Vec<u8>], base: Option<&str>) -> Outcome<Patched> {
    let out = Sink::default();
    let base = base.map(|base| (source(base), nquads()));
    let to = out.patch(PatchFormat::RdfPatch);
    let done = patch::invert(log(patches), base, InvertOptions::default(), to, &mut |_| Ok(()))?;
    Ok((done, out.text()))
}

pub fn squash(patches: &[Vec<u8>], options: SquashOptions) -> Outcome<Patched> {
    let out = Sink::default();
    let done = patch::squash(log(patches), options, out.patch(PatchFormat::RdfPatch), &mut |_| Ok(()))?;
    Ok((done, out.text()))
}

pub fn canonicalize(patches: &[Vec<u8>], base: &str) -> Result<(Patched, Vec<u8>), Error> {
    let out = Sink::default();
    // a PD in text does not contain the namespace of the prefix
    let to = out.patch(PatchFormat::Jelly);
    let options = LogOptions::default();
    let base = Again::new(source(base), nquads())?;
    let done = patch::canonicalize(log(patches), &base, options, to, &mut |_| Ok(()))?;
    Ok((done, out.bytes()))
}

pub fn verify(patches: &[Vec<u8>], base: Option<&str>, options: LogOptions) -> LogReport {
    let base = base.map(|base| Again::new(source(base), nquads()).unwrap());
    patch::verify_log(log(patches), base.as_ref(), options, &mut |_| Ok(())).unwrap()
}

pub fn history(patches: &[Vec<u8>], base: Option<&str>, pattern: &Pattern) -> Vec<Period> {
    let base = base.map(|base| (source(base), nquads()));
    let found = patch::history(log(patches), base, pattern, LogOptions::default(), &mut |_| Ok(()));
    let mut found = found.unwrap();
    std::iter::from_fn(|| found.next_period().unwrap()).collect()
}
