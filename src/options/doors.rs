//! The functions that take options, in groups that take the same ones.

/// A set of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doors(u32);

macro_rules! doors {
    ($($(#[$doc:meta])* $name:ident = $bit:literal $word:literal,)*) => {
        impl Doors {
            $($(#[$doc])* pub const $name: Doors = Doors(1 << $bit);)*

            /// Every group, by the name that it has in Python.
            pub const ALL: &'static [(&'static str, Doors)] = &[$(($word, Doors::$name),)*];
        }
    };
}

doors! {
    /// Readers and decoders of statements.
    DECODE_RDF = 0 "decode_rdf",
    /// Readers and decoders of patches.
    DECODE_PATCH = 1 "decode_patch",
    /// Readers of either, beside what decoders take.
    READ = 2 "read",
    /// `convert`, of its source.
    CONVERT = 3 "convert",
    /// `stats`.
    STATS = 4 "stats",
    /// `splits`.
    SPLITS = 5 "splits",
    /// `index`.
    INDEX = 6 "index",
    /// `inspect` and `validate`.
    INSPECT = 7 "inspect",
    /// Functions over datasets and logs, of all sources.
    DATASET = 8 "dataset",
    /// Functions over logs.
    LOG = 9 "log",
    /// Functions over logs that can have a base.
    BASE = 10 "base",
    /// `diff`.
    COMPARE = 11 "compare",
    /// Functions that show changes.
    SHOW = 27 "show",
    /// `same`.
    SAME = 26 "same",
    /// Writers of statements.
    WRITE_RDF = 12 "write_rdf",
    /// Writers of patches.
    WRITE_PATCH = 13 "write_patch",
    /// `convert`, of its output.
    CONVERTED = 14 "converted",
    /// Functions that write a dataset.
    RESULT_RDF = 15 "result_rdf",
    /// Functions that write a patch.
    RESULT_PATCH = 16 "result_patch",
    /// Encoders of columns, of statements.
    ENCODE_RDF = 17 "encode_rdf",
    /// Encoders of columns, of patches.
    ENCODE_PATCH = 18 "encode_patch",
    /// Single options of Jelly streams of either kind.
    SINGLE = 19 "single",
    /// Single options of Jelly-RDF streams.
    SINGLE_RDF = 20 "single_rdf",
    /// Single options of Jelly-Patch streams.
    SINGLE_PATCH = 21 "single_patch",
    /// Fields of `Limits`.
    LIMITS = 22 "limits",
    /// `Replica.create`.
    CREATE = 24 "create",
    /// `Replica.follow`.
    FOLLOW = 25 "follow",
    /// Arguments of single functions, which travel with their options.
    CALL = 23 "call",
}

impl Doors {
    /// Both.
    #[must_use]
    pub const fn and(self, other: Doors) -> Doors {
        Doors(self.0 | other.0)
    }

    /// Whether a group is in both.
    pub const fn meets(self, other: Doors) -> bool {
        self.0 & other.0 != 0
    }
}
