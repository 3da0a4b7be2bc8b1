//! Limits on what a reader accepts from its input.

use crate::with::With;

/// A limit: its name, default, range and meaning.
#[derive(Clone, Copy, Debug)]
pub struct LimitRow {
    /// The field of [`Limits`].
    pub name: &'static str,
    /// The default.
    pub default: i64,
    /// The smallest value.
    pub least: i64,
    /// The largest value.
    pub most: i64,
    /// What the limit bounds; the first sentence is complete in itself.
    pub doc: &'static str,
}

impl LimitRow {
    /// Whether the limit counts bytes.
    pub fn is_bytes(&self) -> bool {
        self.name.ends_with("_bytes")
    }
}

macro_rules! limits {
    ($($name:ident: $type:ty = $default:expr, $range:expr, $doc:literal;)*) => {
        /// Limits on memory, depth and growth. Every [`Limit`](crate::ErrorClass::Limit) error names the
        /// field to raise.
        ///
        /// The input cannot cause an allocation by declaring a size: a declared length is checked against the
        /// limit, and then against the bytes that arrive. Numbers are bytes unless the field says otherwise.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits {
            $(#[doc = $doc] pub $name: $type,)*
        }

        impl With for Limits {}

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($name: $default,)* }
            }
        }

        /// All limits.
        pub const LIMITS: &[LimitRow] = &[$(LimitRow {
            name: stringify!($name),
            default: $default,
            least: *$range.start(),
            most: *$range.end(),
            doc: $doc,
        },)*];

        impl Limits {
            /// Changes a limit by its name. Returns false if no limit has this name, or if the number is out
            /// of range.
            pub fn set(&mut self, name: &str, value: i64) -> bool {
                if !LIMITS.iter().any(|row| row.name == name && (row.least..=row.most).contains(&value)) {
                    return false;
                }
                match name {
                    $(stringify!($name) => <$type>::try_from(value).map(|value| self.$name = value).is_ok(),)*
                    _ => false,
                }
            }
        }
    };
}

const TABLE: i64 = u32::MAX as i64;

limits! {
    row_bytes: usize = 32 << 20, 128..=i64::MAX, "Longest row, and longest metadata of a frame. Rows of up to 127 bytes are always accepted.";
    frame_bytes: u64 = (1 << 31) - 1, 1..=i64::MAX, "Longest frame; rows are read one by one, so a long frame costs no memory.";
    name_table: u32 = 4096, 0..=TABLE, "Largest name table that stream options may ask for, in entries.";
    prefix_table: u32 = 1024, 0..=TABLE, "Largest prefix table, in entries.";
    datatype_table: u32 = 256, 0..=TABLE, "Largest datatype table, in entries.";
    lookup_bytes: usize = 64 << 20, 1..=i64::MAX, "Total size of the current entries of the three tables. Entries, namespaces, metadata and the terms that may repeat are together limited to this size, or to four terms or two rows of the maximum length if that is more.";
    term_bytes: usize = 16 << 20, 1..=i64::MAX, "Longest term, both as a value and as written text.";
    nesting: usize = 64, 0..=256, "Deepest nesting of quoted triples and unknown groups, in levels. Lists, property lists and graphs of Turtle and elements of RDF/XML may be nested 32 times as deep, arrays and objects of JSON-LD twice as deep; a thread needs 5 KiB of stack per level for JSON-LD.";
    batch_rows: usize = 10_000, 1..=i64::MAX, "Maximum number of rows in a batch.";
    batch_bytes: usize = 32 << 20, 1..=Limits::MOST_BATCH_BYTES, "Bytes of text at which a batch ends.";
    expansion: u64 = 1000, 0..=i64::MAX, "Maximum bytes of output for each byte of input, checked after 64 MiB of output; 0 switches the check off.";
    decompressed_bytes: u64 = 0, 0..=i64::MAX, "Maximum bytes of a source after decompression; 0 switches the check off.";
    zstd_window: u64 = 32 << 20, 1..=i64::MAX, "Largest zstd window; zstd rounds it down to a power of two. An xz dictionary may be twice as large.";
    transaction_bytes: u64 = 1 << 30, 1..=i64::MAX, "Bytes of a patch that may be kept on disk until its transactions end.";
    blank_work: u64 = 2_000_000, 0..=i64::MAX, "Maximum number of hashes and steps to match blank nodes or give them content labels, in addition to 50 for each statement with blank nodes.";
    blank_bytes: usize = 256 << 20, 1..=i64::MAX, "Memory for statements with blank nodes while blank nodes are matched or get content labels. If the statements need more, they are divided into parts of whole components, in temporary files. The differences between two datasets, and a single component, may take four times as much.";
}

/// Output up to this size is not checked for excessive growth.
pub(crate) const EXPANSION_GRACE: u64 = 64 << 20;

/// Maximum nesting of owned terms, which are written and dropped level by level, on the stack.
pub(crate) const MAX_NESTING: usize = 256;

impl Limits {
    /// Maximum of `batch_bytes`: Arrow offsets have 32 bits.
    pub(crate) const MOST_BATCH_BYTES: i64 = 1 << 30;

    /// Bytes that a decoder and its sink may keep from row to row, including the lookup tables.
    pub(crate) fn kept_bytes(&self) -> usize {
        let rows = self.row_bytes.saturating_mul(2);
        self.lookup_bytes.max(self.term_bytes.saturating_mul(4)).max(rows)
    }
}
