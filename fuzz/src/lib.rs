//! What the fuzz targets share: how an input says how it is read, and what must hold whatever it is.
//!
//! The first bytes of an input are its [`Plan`], the rest is the stream. The plain rows, the collecting sink and
//! the independent decoder are those of the tests.

#[path = "../../tests/common/mod.rs"]
pub mod common;
#[path = "../../tests/oracle/mod.rs"]
pub mod oracle;

use std::fmt::Debug;

use common::core::Collect;
use common::rows::{Decoded, Framing, How, PatchRow, RdfRow};
use jelly_patch::Limits;
use jelly_patch::push::Push;
use jelly_patch::rows::{RowDecoder, RowFormat};
use jelly_patch::sink::Sink;
use jelly_patch::text::{LinesOptions, PatchDialect, TextRows};
use jelly_patch::thrift::ThriftPatch;

/// Bytes of a [`Plan`].
pub const PLAN: usize = 4;

/// How an input is read.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// What a target makes of it.
    pub flags: u8,
    /// Bytes that are pushed at once, in the reading that is compared.
    pub chunk: usize,
    /// Rows after which the sink asks for a pause.
    pub pause: usize,
    pub how: How,
}

impl Plan {
    /// The plan and the stream behind it.
    pub fn of(input: &[u8]) -> Option<(Plan, &[u8])> {
        let ([flags, chunk, pause, how], stream) = input.split_first_chunk::<PLAN>()?;
        let framing = [Framing::Auto, Framing::Delimited, Framing::Single][usize::from(how % 3)];
        let how = How { framing, lenient_flags: how & 0x80 != 0, strict_graphs: how & 0x40 == 0 };
        let at_least_one = |n: &u8| usize::from(*n).max(1);
        let plan = Plan { flags: *flags, chunk: at_least_one(chunk), pause: at_least_one(pause), how };
        Some((plan, stream))
    }

    /// An input that says so.
    pub fn input(self, stream: &[u8]) -> Vec<u8> {
        let framing = [Framing::Auto, Framing::Delimited, Framing::Single];
        let framing = framing.iter().position(|one| *one == self.how.framing).unwrap_or(0) as u8;
        // 192 and 129 are multiples of three, so that the framing stays what it is
        let flags = [(self.how.lenient_flags, 0x80_u8), (!self.how.strict_graphs, 0x40)];
        let bits: u8 = flags.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum();
        let how = (bits..=bits | 0x3f).find(|how| how % 3 == framing).unwrap_or(bits);
        [&[self.flags, self.chunk as u8, self.pause as u8, how], stream].concat()
    }

    pub fn flag(self, bit: u8) -> bool {
        self.flags & (1 << bit) != 0
    }
}

/// Rows of a decoder, in pieces and with pauses.
pub fn collect<R>(decoder: impl Push<Collect<R>>, bytes: &[u8], chunk: usize, pause: usize) -> Decoded<R>
where
    Collect<R>: Sink,
{
    let mut sink = Collect::new(pause);
    sink.run(decoder, bytes, chunk);
    sink.decoded
}

/// However the bytes come, the rows and the error are the same; gives them.
pub fn whole_and_in_pieces<R: PartialEq + Debug, D: Push<Collect<R>>>(
    plan: Plan,
    bytes: &[u8],
    decoder: impl Fn() -> D,
) -> Decoded<R>
where
    Collect<R>: Sink,
{
    let whole = collect(decoder(), bytes, usize::MAX, usize::MAX);
    let pieces = collect(decoder(), bytes, plan.chunk, plan.pause);
    assert_eq!(whole, pieces, "in pieces of {} with a pause after {}", plan.chunk, plan.pause);
    whole
}

pub fn lines(options: LinesOptions) -> RowDecoder<impl RowFormat<Collect<RdfRow>>> {
    let limits = Limits::default();
    RowDecoder::new(TextRows::lines(options, &limits), &limits, None)
}

pub fn rdf_patch(dialect: PatchDialect) -> RowDecoder<impl RowFormat<Collect<PatchRow>>> {
    let limits = Limits::default();
    RowDecoder::new(TextRows::patch(dialect, false, &limits), &limits, None)
}

pub fn thrift() -> RowDecoder<ThriftPatch> {
    let limits = Limits::default();
    RowDecoder::new(ThriftPatch::new(&limits, false), &limits, None)
}

/// Pushes all of a stream into a sink that is never full.
pub fn push<S: Sink>(mut decoder: impl Push<S>, bytes: &[u8], sink: &mut S) -> jelly_patch::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        rest = &rest[decoder.decode(rest, sink)?..];
    }
    while !decoder.finish(sink)? {}
    Ok(())
}

/// The same rows, and an error at the same row or none.
pub fn same_as_oracle<R: PartialEq + Debug>(ours: &Decoded<R>, theirs: &Decoded<R>) {
    assert_eq!(ours.rows, theirs.rows, "{:?} {:?}", ours.error, theirs.error);
    assert_eq!(ours.error.is_some(), theirs.error.is_some(), "{:?} {:?}", ours.error, theirs.error);
}

/// The rows without the marks that only the format implies, and without places in the stream.
pub fn content(rows: &[PatchRow]) -> Vec<PatchRow> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        (row.patch, row.seq) = (0, 0);
        if row.op == "Z" {
            row.name = None;
        }
    }
    rows
}
