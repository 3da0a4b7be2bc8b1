//! Streams by hand, byte for byte, and where their errors are.

pub mod patch;
pub mod rdf;

use jelly_patch::Error;
use jelly_patch::With;
use jelly_patch::decode::{DecodeOptions, Decoder, Dialect, DialectState, Patch, Rdf};
use jelly_patch::push::Push;
use jelly_patch::sink::Sink;

use super::core::Collect;
use super::rows::{Decoded, PatchRow, RdfRow};

pub fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// A tag, whatever the wire type.
pub fn tag(field: u32, wire: u32) -> Vec<u8> {
    varint(u64::from(field << 3 | wire))
}

/// A varint field.
pub fn number(field: u32, value: u64) -> Vec<u8> {
    [tag(field, 0), varint(value)].concat()
}

/// A field of bytes.
pub fn bytes(field: u32, payload: impl AsRef<[u8]>) -> Vec<u8> {
    let payload = payload.as_ref();
    [tag(field, 2), varint(payload.len() as u64), payload.to_vec()].concat()
}

/// A term: which member of its oneof, and its content.
#[derive(Clone, Debug)]
pub struct Term(u32, Vec<u8>);

/// A varint field, left out where it is 0.
fn unless_zero(field: u32, value: u64) -> Vec<u8> {
    match value {
        0 => Vec::new(),
        value => number(field, value),
    }
}

/// The content of an IRI; 0 is left out.
pub fn ids(prefix: u64, name: u64) -> Vec<u8> {
    [unless_zero(1, prefix), unless_zero(2, name)].concat()
}

pub fn iri(prefix: u64, name: u64) -> Term {
    Term(0, ids(prefix, name))
}

pub fn blank(label: impl AsRef<[u8]>) -> Term {
    Term(1, label.as_ref().to_vec())
}

pub fn literal(content: impl AsRef<[u8]>) -> Term {
    Term(2, content.as_ref().to_vec())
}

pub fn text(lexical: &str) -> Term {
    literal(bytes(1, lexical))
}

pub fn quoted(terms: [Term; 3]) -> Term {
    Term(3, spo(terms))
}

/// The default graph, and a literal, are members 3 and 4 of a graph.
pub fn default_graph() -> Term {
    Term(2, Vec::new())
}

pub fn literal_graph(content: impl AsRef<[u8]>) -> Term {
    Term(3, content.as_ref().to_vec())
}

/// A member of a oneof that begins with field `first`.
pub fn member(first: u32, Term(kind, content): &Term) -> Vec<u8> {
    bytes(first + kind, content)
}

/// Subject, predicate and object.
pub fn spo(terms: [Term; 3]) -> Vec<u8> {
    let [s, p, o] = &terms;
    [member(1, s), member(5, p), member(9, o)].concat()
}

/// An entry of a lookup; id 0 is left out.
pub fn entry(field: u32, id: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    bytes(field, [unless_zero(1, id), bytes(2, value)].concat())
}

fn changed(fields: &[(u32, u64)], changes: &[(u32, Option<u64>)]) -> Vec<u8> {
    let change = |field: u32| changes.iter().find(|change| change.0 == field);
    let kept = fields.iter().map(|&(field, value)| (field, change(field).map_or(Some(value), |c| c.1)));
    kept.filter_map(|(field, value)| Some(number(field, value?))).collect::<Vec<_>>().concat()
}

/// Rows in frames, delimited.
#[derive(Clone, Debug)]
pub struct Frames(pub Vec<Vec<Vec<u8>>>);

impl Frames {
    /// One frame.
    pub fn one(rows: &[Vec<u8>]) -> Self {
        Frames(vec![rows.to_vec()])
    }

    fn frame(&self, frame: usize) -> Vec<u8> {
        self.0[frame].iter().map(|row| bytes(1, row)).collect::<Vec<_>>().concat()
    }

    pub fn bytes(&self) -> Vec<u8> {
        let delimited = |frame| {
            let frame = self.frame(frame);
            [varint(frame.len() as u64), frame].concat()
        };
        (0..self.0.len()).map(delimited).collect::<Vec<_>>().concat()
    }

    /// Without lengths.
    pub fn single(&self) -> Vec<u8> {
        assert_eq!(self.0.len(), 1);
        self.frame(0)
    }

    /// Offset of the content of a row.
    pub fn offset(&self, frame: usize, row: usize) -> u64 {
        let before: usize = (0..frame)
            .map(|frame| {
                let length = self.frame(frame).len();
                varint(length as u64).len() + length
            })
            .sum();
        let length = varint(self.frame(frame).len() as u64).len();
        let rows = &self.0[frame];
        let rows_before: usize = rows[..row].iter().map(|row| bytes(1, row).len()).sum();
        let header = bytes(1, &rows[row]).len() - rows[row].len();
        (before + length + rows_before + header) as u64
    }

    pub fn rdf(&self) -> Outcome<RdfRow> {
        rdf_with(&self.bytes(), delimited())
    }

    pub fn patch(&self) -> Outcome<PatchRow> {
        patch_with(&self.bytes(), delimited())
    }
}

/// What came of decoding.
#[derive(Debug)]
pub struct Outcome<R> {
    pub decoded: Decoded<R>,
    pub error: Option<Error>,
}

/// Options for delimited streams.
pub fn delimited() -> DecodeOptions {
    DecodeOptions::default().with(|options| {
        options.framing = jelly_patch::decode::Framing::Delimited;
        options.source = Some("a.jelly".into());
    })
}

pub fn rdf_with(bytes: &[u8], config: DecodeOptions) -> Outcome<RdfRow> {
    run::<Rdf, RdfRow>(bytes, config)
}

pub fn patch_with(bytes: &[u8], config: DecodeOptions) -> Outcome<PatchRow> {
    run::<Patch, PatchRow>(bytes, config)
}

pub fn run<D, R>(bytes: &[u8], config: DecodeOptions) -> Outcome<R>
where
    D: Dialect<Collect<R>> + DialectState,
    Collect<R>: Sink,
{
    let mut sink = Collect::new(usize::MAX);
    let mut decoder = Decoder::<D>::new(config);
    let done = decoder.decode(bytes, &mut sink).and_then(|_| decoder.finish(&mut sink));
    Outcome { decoded: sink.decoded, error: done.err() }
}

impl<R: std::fmt::Debug> Outcome<R> {
    /// The rows of a stream without errors.
    #[track_caller]
    pub fn rows(self) -> Vec<R> {
        assert!(self.error.is_none(), "{:?}", self.error);
        self.decoded.rows
    }

    /// Slug, frame, row, byte and field of the error; all but the field are always there.
    #[track_caller]
    pub fn fault(&self) -> (&'static str, u64, u64, u64, Option<&str>) {
        let error = self.error.as_ref().expect("an error");
        let at = error.position();
        assert_eq!(at.source.as_deref(), Some("a.jelly"), "{error}");
        let all = (|| Some((at.frame?, at.row?, at.offset?)))();
        let (frame, row, offset) = all.unwrap_or_else(|| panic!("no position: {error}"));
        (error.kind().slug(), frame, row, offset, error.field())
    }
}

/// Subject, predicate, object and graph of each row.
pub fn quads(rows: Vec<RdfRow>) -> Vec<String> {
    let quad = |row: RdfRow| [row.subject, row.predicate, row.object, row.graph].join(" ");
    rows.into_iter().map(quad).collect()
}

/// Op, terms, name and value of each row that has them.
pub fn ops(rows: Vec<PatchRow>) -> Vec<String> {
    let op = |row: PatchRow| {
        let parts = [row.subject, row.predicate, row.object, row.graph, row.name, row.value];
        let parts = parts.into_iter().flatten();
        [row.op].into_iter().chain(parts).collect::<Vec<_>>().join(" ")
    };
    rows.into_iter().map(op).collect()
}
