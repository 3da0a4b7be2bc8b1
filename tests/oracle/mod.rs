//! An independent, slow decoder of Jelly, and streams to try decoders on.
//!
//! - [`Oracle`] is a [`Decoder`]: bytes to plain rows, on message types that prost-build made from
//!   `proto/`. It shares no code with the crate.
//! - [`generate::stream`] makes a valid stream from a seed, [`generate::mutate::damage`] a damaged one,
//!   which may still be valid. The same seed gives the same bytes.
//!
//! ```ignore
//! mod common; // rows, the trait Decoder, readers of expected rows, the checks on shared files
//! mod oracle;
//!
//! let stream = oracle::generate::stream(seed);
//! let expected = Oracle.patch(&stream.bytes(), stream.how); // .rows, .options, .error ...
//! ```
//!
//! Where the design leaves a choice, it is made here so: `txn` counts from 0; a Z is in no transaction;
//! rows of a frame that is cut short are delivered as far as they are whole; labels follow N-Triples
//! 1.2, which has no colon; a namespace of Jelly-RDF must have its IRI; a graph in a TRIPLES patch stream
//! is checked like any term before it is dropped; a table above its limit is a fault of class Limit, a
//! name table below 8 of class Options.
//!
//! What prost cannot see, and how it is treated here:
//! - A frame is walked by hand ([`frames`]), a row at a time, so that rows before a fault are delivered
//!   and the end of the input is told from a fault. prost sees whole rows only.
//! - An empty row, and one with only unknown fields, are both a row without a member: an error.
//! - A member that a later one of its oneof replaces is parsed (UTF-8, wire types) and forgotten: its
//!   ids do not count, its terms are not checked. A member given twice in a row is merged.
//! - A known field with another wire type, wire types 6 and 7, tag 0, a tag over 32 bits, a group that
//!   does not end or ends another one, an 11-byte varint: errors of prost.
//! - Bits beyond 64 in a varint of ten bytes: protobuf drops them, prost refuses them, so they are
//!   cleared before ([`bits`]).
//! - prost counts messages and groups together and stops at 100. Quoted triples beyond 64 are refused
//!   here; a row with 65 to 97 *groups* of unknown fields inside is accepted. The generator writes none.

#![allow(dead_code, reason = "each test is a crate of its own and uses only a part")]

mod bits;
mod frames;
pub mod generate;
mod members;
mod patch;
pub mod proto;
mod rdf;
mod terms;
pub mod wire;

use crate::common::rows::{Class, Decoded, Decoder, Fault, How, PatchRow, RdfRow};
use wire::Kind;

pub struct Oracle;

impl Decoder for Oracle {
    fn rdf(&self, bytes: &[u8], how: How) -> Decoded<RdfRow> {
        rdf::decode(bytes, how)
    }

    fn patch(&self, bytes: &[u8], how: How) -> Decoded<PatchRow> {
        patch::decode(bytes, how)
    }
}

fn parse<M: prost::Message + Default>(kind: Kind, bytes: &[u8]) -> Result<M, Fault> {
    let mut bytes = bytes.to_vec();
    bits::clear_beyond_64(kind, &mut bytes);
    M::decode(&bytes[..]).or_else(|error| {
        let is_limit = error.to_string().contains("recursion limit");
        fault(if is_limit { Class::Limit } else { Class::Wire }, error.to_string())
    })
}

fn fault<T>(class: Class, what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { class, what: what.into() })
}
