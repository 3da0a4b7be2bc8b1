//! Seeded streams to measure on: no files, no network, the same bytes every time.

#![allow(dead_code, reason = "each benchmark uses a part")]

mod writer;

use writer::{Object, Writer};

/// What a stream is like.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Few prefixes, subjects with several statements, short literals and types.
    Typical,
    /// Quads in runs of one graph.
    Quads,
    /// Long texts with language tags, some of them not ASCII.
    Literals,
    /// More prefixes and names than the tables hold.
    Thrash,
}

impl Shape {
    pub const ALL: [Shape; 4] = [Shape::Typical, Shape::Quads, Shape::Literals, Shape::Thrash];

    pub fn name(self) -> &'static str {
        match self {
            Shape::Typical => "typical",
            Shape::Quads => "quads",
            Shape::Literals => "literals",
            Shape::Thrash => "thrash",
        }
    }
}

/// A stream, and what decoding it must give.
pub struct Sample {
    pub bytes: Vec<u8>,
    pub statements: u64,
    /// Bytes of the terms as canonical text, subject to graph.
    pub text_bytes: u64,
}

/// A Jelly-RDF stream: QUADS for [`Shape::Quads`], else TRIPLES.
pub fn rdf(shape: Shape, statements: u64) -> Sample {
    generate(Writer::rdf(matches!(shape, Shape::Quads)), shape, statements)
}

/// The same statements as one Jelly-Patch, added in quads.
pub fn patch(shape: Shape, statements: u64) -> Sample {
    generate(Writer::patch(), shape, statements)
}

fn generate(mut writer: Writer, shape: Shape, statements: u64) -> Sample {
    let mut random = Random(0x6a65_6c6c_7921);
    let mut text_bytes = 0;
    for n in 0..statements {
        let (prefixes, names) = match shape {
            Shape::Thrash => (400, 20_000),
            _ => (12, 3_000),
        };
        let subject = match shape {
            Shape::Thrash => random.iri(prefixes, names),
            _ => format!("http://example.org/set{}/item/{}", n % 3, n / 6),
        };
        let predicate = format!("http://example.org/vocabulary#property{}", n % 6);
        let object = match (shape, n % 3) {
            (Shape::Literals, 0) => {
                Object::Language("Ein längerer Text über das Wetter am Meer. ".repeat(3), "de")
            }
            (Shape::Literals, _) => Object::Language("A longer text about rain at sea. ".repeat(4), "en"),
            (_, 0) => Object::Typed(random.below(100_000).to_string()),
            (_, 1) => Object::Iri(random.iri(prefixes, names)),
            _ => Object::Plain(format!("value {}", random.below(5_000))),
        };
        let graph = match shape {
            Shape::Quads => format!("http://example.org/graph/{}", n / 50),
            _ => String::new(),
        };
        text_bytes += writer.statement(subject, predicate, object, graph);
    }
    Sample { bytes: writer.finish(), statements, text_bytes }
}

/// A linear congruential generator, high bits out.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn iri(&mut self, prefixes: u64, names: u64) -> String {
        format!("http://example.org/space{}/n{}", self.below(prefixes), self.below(names))
    }
}
