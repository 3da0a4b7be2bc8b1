//! The options of an encoder, and the options row.

use super::Framing;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::{Features, MIN_NAME_TABLE, PatchOptions, RdfOptions, TableSizes};
use crate::wire::Buffer;
use crate::with::With;

/// The options for writing a stream of either format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncodeOptions {
    /// Number of rows, including lookup entries, after which a frame ends. Ignored if frames have a meaning
    /// (FRAME patches, grouped RDF streams) and for single frames. A frame also ends when its rows have an
    /// eighth of the bytes allowed for a frame (`limits.frame_bytes`), which leaves room for one more row.
    pub frame_rows: usize,
    /// How frames are delimited.
    pub framing: Framing,
    /// Whether namespace declarations of Jelly-RDF are written, which makes the stream version 2, or dropped.
    /// `None`: the stream becomes version 2 if a declaration comes before the first frame is complete; a
    /// later declaration is an error.
    pub namespaces: Option<bool>,
    /// Bytes of Jelly between sync points of a seekable file, or an eighth of the bytes of its rows as text,
    /// whichever is more. The file also gets a footer. `None`: a delimited stream has only the mark at its
    /// start, by which readers find it in concatenated files.
    pub restart_bytes: Option<u64>,
    /// The limits of readers of the stream: data that a reader would reject is not written.
    pub limits: Limits,
}

impl With for EncodeOptions {}

impl EncodeOptions {
    /// The defaults of Jelly-JVM for Jelly-RDF: delimited frames of 256 rows.
    pub fn rdf() -> Self {
        EncodeOptions {
            frame_rows: 256,
            framing: Framing::Delimited,
            namespaces: Some(false),
            restart_bytes: None,
            limits: Limits::default(),
        }
    }

    /// The defaults of Jelly-JVM for Jelly-Patch: delimited frames of 512 rows.
    pub fn patch() -> Self {
        EncodeOptions { frame_rows: 512, ..EncodeOptions::rdf() }
    }
}

/// The field of the options row, in both formats.
pub(crate) const OPTIONS_FIELD: u32 = 1;

/// Encodes `RdfStreamOptions`.
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

/// Encodes `RdfPatchOptions`.
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

/// Rejects tables that no reader accepts, and impossible combinations.
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
