//! What a reader puts up with before it gives up on its input.

/// Bounds on memory, depth and growth; every [`Limit`](crate::ErrorClass::Limit) error names the field that raises it.
///
/// Nothing is allocated because the input says so: a declared length is checked against the limit,
/// then against the bytes that really came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest row, and longest metadata of a frame, in bytes; rows of up to 127 bytes are always taken.
    pub row_bytes: usize,
    /// Longest frame in bytes; its rows stream, so this costs no memory.
    pub frame_bytes: u64,
    /// Largest name table that options may ask for, in entries.
    pub name_table: u32,
    /// Largest prefix table, in entries.
    pub prefix_table: u32,
    /// Largest datatype table, in entries.
    pub datatype_table: u32,
    /// Bytes of all live entries of the three tables; also of these, namespaces, metadata and the terms that
    /// may repeat together, if it is more than four terms and two rows may have.
    pub lookup_bytes: usize,
    /// Longest term, as it is and as it is written, in bytes.
    pub term_bytes: usize,
    /// Deepest nesting of quoted triples and of unknown groups; 256 at most. Lists, property lists and graphs of
    /// Turtle and elements of RDF/XML may be nested 32 times as deep, arrays and objects of JSON-LD twice.
    pub nesting: usize,
    /// Most rows in a batch.
    pub batch_rows: usize,
    /// Bytes of text at which a batch is closed.
    pub batch_bytes: usize,
    /// Most bytes out for a byte in, once 64 MiB are out; 0 switches the check off.
    pub expansion: u64,
    /// Largest zstd window in bytes; zstd takes the power of two that is not above it. The
    /// dictionary of xz may have twice as many.
    pub zstd_window: u64,
    /// Bytes of a patch that may wait on disk for the outcome of its transactions.
    pub transaction_bytes: u64,
}

/// Growth is not judged before this much text is out.
pub(crate) const EXPANSION_GRACE: u64 = 64 << 20;

/// Owned terms are written and dropped level by level, on the stack.
pub(crate) const MAX_NESTING: usize = 256;

impl Limits {
    /// Bytes that a decoder and what takes its rows may keep from row to row, the tables included.
    pub(crate) fn kept_bytes(&self) -> usize {
        let rows = self.row_bytes.saturating_mul(2);
        self.lookup_bytes.max(self.term_bytes.saturating_mul(4)).max(rows)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            row_bytes: 32 << 20,
            frame_bytes: (1 << 31) - 1,
            name_table: 4096,
            prefix_table: 1024,
            datatype_table: 256,
            lookup_bytes: 64 << 20,
            term_bytes: 16 << 20,
            nesting: 64,
            batch_rows: 10_000,
            batch_bytes: 32 << 20,
            expansion: 1000,
            zstd_window: 32 << 20,
            transaction_bytes: 1 << 30,
        }
    }
}
