//! What an encoder is requested, and the options row that says so.

use super::Framing;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::{Features, MIN_NAME_TABLE, PatchOptions, RdfOptions, TableSizes};
use crate::wire::Buffer;
use crate::with::With;

/// How to write a stream of either format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncodeOptions {
    /// Rows, lookup entries among them, at which a frame ends; not where a frame has a meaning
    /// (FRAME patches, grouped RDF streams) and not in single frames. It ends too when its rows have an eighth of
    /// the bytes that a frame may have (`limits.frame_bytes`), which leaves room for one more row.
    pub frame_rows: usize,
    /// How frames lie in the bytes.
    pub framing: Framing,
    /// Whether namespace declarations of Jelly-RDF are written, which makes it version 2, or dropped; `None`: the
    /// stream becomes version 2 if one comes before the first frame is complete, and a later one is an error.
    pub namespaces: Option<bool>,
    /// Bytes of Jelly between sync points of a seekable file, or an eighth of the bytes of its rows as text, whichever
    /// is more; it has a footer too. `None`: a stream with lengths has
    /// the mark of its start alone, by which readers find it among files put end to end.
    pub restart_bytes: Option<u64>,
    /// Bounds that a reader of the stream has: what it would refuse is not written.
    pub limits: Limits,
}

impl With for EncodeOptions {}

impl EncodeOptions {
    /// What Jelly-JVM does for Jelly-RDF: frames of 256 rows, delimited.
    pub fn rdf() -> Self {
        EncodeOptions {
            frame_rows: 256,
            framing: Framing::Delimited,
            namespaces: Some(false),
            restart_bytes: None,
            limits: Limits::default(),
        }
    }

    /// What Jelly-JVM does for Jelly-Patch: frames of 512 rows, delimited.
    pub fn patch() -> Self {
        EncodeOptions { frame_rows: 512, ..EncodeOptions::rdf() }
    }
}

/// The row that holds the options, of either format.
pub(crate) const OPTIONS_FIELD: u32 = 1;

/// `RdfStreamOptions`.
pub(crate) fn write_rdf_options(options: &RdfOptions) -> Buffer {
    let mut out = Buffer::default();
    if !options.stream_name.is_empty() {
        out.bytes(1, options.stream_name.as_bytes());
    }
    out.number(2, options.physical_type.number().into());
    write_common(&mut out, options.features, options.tables);
    out.number_unless_zero(14, options.logical_type.0.into());
    out.number(15, options.version.into());
    out
}

/// `RdfPatchOptions`.
pub(crate) fn write_patch_options(options: &PatchOptions) -> Buffer {
    let mut out = Buffer::default();
    out.number(1, options.statement_type.number().into());
    out.number(2, options.stream_type.number().into());
    write_common(&mut out, options.features, options.tables);
    out.number(15, options.version.into());
    out
}

fn write_common(out: &mut Buffer, features: Features, tables: TableSizes) {
    out.number_unless_zero(3, features.generalized_statements.into());
    out.number_unless_zero(4, features.rdf_star.into());
    out.number_unless_zero(9, tables.names.into());
    out.number_unless_zero(10, tables.prefixes.into());
    out.number_unless_zero(11, tables.datatypes.into());
}

/// Rejects tables that no reader takes, and combinations that cannot be.
pub(crate) fn check(tables: TableSizes, encode: &EncodeOptions) -> Result<()> {
    if tables.names < MIN_NAME_TABLE {
        let message = format!("a name table of {} entries; the minimum is {MIN_NAME_TABLE}", tables.names);
        return Err(Error::new(ErrorKind::EncodeTable, message));
    }
    let limits = &encode.limits;
    for (size, most, limit) in [
        (tables.names, limits.name_table, "name_table"),
        (tables.prefixes, limits.prefix_table, "prefix_table"),
        (tables.datatypes, limits.datatype_table, "datatype_table"),
    ] {
        if size > most {
            let message = format!("a table of {size} entries; {most} are allowed");
            return Err(Error::limit(ErrorKind::LimitTable, limit, message));
        }
    }
    if encode.framing == Framing::Single && encode.restart_bytes.is_some() {
        let message = "sync points need delimited frames";
        return Err(Error::new(ErrorKind::Argument, message));
    }
    Ok(())
}
