//! What encoders get wrong in silence, each by name.

mod streams;
mod terms;

use jelly_patch::Error;
use jelly_patch::encode::{EncodeOptions, PatchEncoder, RdfEncoder};
use jelly_patch::options::{
    Features, LogicalType, PatchOptions, PatchStreamType, PhysicalType, RdfOptions, StatementType, TableSizes,
};
use jelly_patch::sink::Statement;
use jelly_patch::term::Term;

use crate::common::core::Core;
use crate::common::rows::{self, Decoded, Decoder, How, PatchRow, RdfRow};
use crate::oracle::Oracle;

pub(super) const A: Term<'_> = Term::iri("http://a/1");
pub(super) const B: Term<'_> = Term::iri("http://b/2");
pub(super) const C: Term<'_> = Term::iri("http://c/3");
pub(super) const ALL: Features = Features { generalized_statements: true, rdf_star: true };
pub(super) const HOW: fn() -> How = || How::new(rows::Framing::Delimited);

pub(super) fn tables(names: u32, prefixes: u32, datatypes: u32) -> TableSizes {
    TableSizes { names, prefixes, datatypes }
}

pub(super) fn rdf_options(physical_type: PhysicalType) -> RdfOptions {
    RdfOptions {
        stream_name: String::new(),
        physical_type,
        logical_type: LogicalType(0),
        features: ALL,
        tables: TableSizes::default(),
        version: 1,
    }
}

pub(super) fn patch_options(statement_type: StatementType, stream_type: PatchStreamType) -> PatchOptions {
    PatchOptions { statement_type, stream_type, features: ALL, tables: TableSizes::default(), version: 1 }
}

pub(super) fn rdf(physical_type: PhysicalType) -> RdfEncoder {
    RdfEncoder::new(rdf_options(physical_type), EncodeOptions::rdf()).expect("right options")
}

pub(super) fn small(tables: TableSizes) -> RdfEncoder {
    let options = RdfOptions { tables, ..rdf_options(PhysicalType::Triples) };
    RdfEncoder::new(options, EncodeOptions::rdf()).expect("right options")
}

pub(super) fn patch(statement_type: StatementType, stream_type: PatchStreamType) -> PatchEncoder {
    PatchEncoder::new(patch_options(statement_type, stream_type), EncodeOptions::patch())
        .expect("right options")
}

pub(super) fn add(encoder: &mut RdfEncoder, terms: [Term<'_>; 4]) -> Result<(), Error> {
    encoder.push(&Statement::of(terms))
}

/// The rows that both decoders read.
pub(super) fn read_rdf(encoder: &mut RdfEncoder) -> Decoded<RdfRow> {
    encoder.finish().expect("a whole stream");
    let decoded = Oracle.rdf(encoder.output(), HOW());
    assert_eq!(decoded.error, None);
    assert_eq!(Core::default().rdf(encoder.output(), HOW()).rows, decoded.rows);
    decoded
}

pub(super) fn read_patch(encoder: &mut PatchEncoder) -> Vec<PatchRow> {
    encoder.finish().expect("a whole stream");
    let decoded = Oracle.patch(encoder.output(), HOW());
    assert_eq!(decoded.error, None);
    assert_eq!(Core::default().patch(encoder.output(), HOW()).rows, decoded.rows);
    decoded.rows
}
