//! Random streams. Valid ones use all that the formats allow; the same seed gives the same bytes.

mod any;
pub mod mutate;
mod patch;
mod rdf;
pub mod rng;
mod scramble;
mod statements;
mod strings;
mod terms;

use std::collections::BTreeMap;

use prost::Message;

use crate::common::rows::{Framing, How};

use super::wire::{self, Kind};
use rng::Rng;
use terms::Terms;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Rdf,
    Patch,
}

/// A stream, in parts that can be damaged one by one.
#[derive(Clone, Debug)]
pub struct Stream {
    pub format: Format,
    /// How it is to be read: some need `lenient_flags` or loose graphs, and are errors without.
    pub how: How,
    pub frames: Vec<Frame>,
    /// The metadata it carries, as a decoder should give it.
    pub metadata: Vec<(i64, String, Vec<u8>)>,
    pub features: Features,
}

/// The fields of a frame, encoded; a row is one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub fields: Vec<Vec<u8>>,
    /// Needless bytes of its length.
    pub padding: usize,
}

/// How often a stream has what.
#[derive(Clone, Debug, Default)]
pub struct Features {
    pub counts: BTreeMap<&'static str, usize>,
}

impl Features {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }
}

impl Stream {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for frame in &self.frames {
            let body = frame.fields.concat();
            if self.how.framing == Framing::Delimited {
                wire::write_varint(body.len() as u64, frame.padding, &mut bytes);
            }
            bytes.extend(body);
        }
        bytes
    }
}

/// A valid stream of Jelly-RDF or Jelly-Patch.
pub fn stream(seed: u64) -> Stream {
    let mut rng = Rng::new(seed);
    if rng.percent(50) { rdf::stream(&mut rng) } else { patch::stream(&mut rng) }
}

/// What both formats choose first.
struct Shape {
    sizes: [u32; 3],
    /// What the options say.
    declared: [bool; 2],
    how: How,
    empty_frames_before: usize,
    frames: usize,
    rows: usize,
    /// Whether rows are written in unusual, equivalent bytes.
    is_scrambled: bool,
}

impl Shape {
    fn new(rng: &mut Rng) -> Self {
        let framing = if rng.percent(25) { Framing::Single } else { Framing::Delimited };
        let is_undeclared = rng.percent(5);
        let declared = if is_undeclared { [false; 2] } else { [rng.percent(60), rng.percent(60)] };
        let (frames, empty_frames_before) = match framing {
            Framing::Single => (1, 0),
            _ => (1 + rng.below(6), if rng.percent(20) { 1 + rng.below(3) } else { 0 }),
        };
        Shape {
            sizes: [
                *rng.pick(&[8, 8, 9, 12, 16, 64, 4096]),
                *rng.pick(&[0, 1, 2, 3, 8, 1024]),
                *rng.pick(&[0, 1, 2, 4, 256]),
            ],
            declared,
            how: How { lenient_flags: is_undeclared, ..How::new(framing) },
            empty_frames_before,
            frames,
            rows: rng.below(40),
            is_scrambled: rng.percent(40),
        }
    }

    fn terms(&self) -> Terms {
        let [names, prefixes, datatypes] = self.sizes;
        let [star, generalized] = self.declared.map(|flag| flag || self.how.lenient_flags);
        Terms::new(names, prefixes, datatypes, star, generalized)
    }

    fn stream(self, format: Format, frames: Vec<Frame>, mut features: Features) -> Stream {
        let facts = [
            ("frame before the options", self.empty_frames_before > 0),
            ("single frame", self.how.framing == Framing::Single),
            ("scrambled", self.is_scrambled),
        ];
        facts.into_iter().filter(|fact| fact.1).for_each(|fact| features.count(fact.0));
        Stream { format, how: self.how, frames, metadata: Vec::new(), features }
    }

    /// A row as a field of its frame.
    fn row(&self, rng: &mut Rng, kind: Kind, row: &impl Message) -> Vec<u8> {
        let bytes = row.encode_to_vec();
        if self.is_scrambled { scramble::row(rng, kind, &bytes) } else { wire::field(1, &bytes) }
    }

    /// Fields that are no rows, between those that are; a length longer than it need be.
    fn scramble_frame(&self, rng: &mut Rng, kind: Kind, frame: &mut Frame) {
        if self.is_scrambled && rng.percent(10) {
            frame.padding = rng.below(9);
        }
        while self.is_scrambled && rng.percent(20) {
            let at = rng.below(frame.fields.len() + 1);
            frame.fields.insert(at, scramble::unknown(rng, kind));
        }
    }
}
