//! The options row of a stream, as data (`RdfStreamOptions`, `RdfPatchOptions`).

pub mod doors;
mod fields;
pub mod formats;
pub mod shape;
pub mod table;
pub mod values;

use crate::error::{Error, ErrorKind, Result};
use crate::term::{Term, TermBuf};

macro_rules! wire_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant = $number,)* }

        impl $name {
            /// All values.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Finds the value with this number on the wire.
            pub fn from_number(number: u32) -> Option<Self> {
                match number { $($number => Some($name::$variant),)* _ => None }
            }

            /// The number on the wire.
            pub fn number(self) -> u32 {
                self as u32
            }

            /// The name in the specification.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

wire_enum! {
    /// How statements are laid out in a Jelly-RDF stream (`PhysicalStreamType`).
    PhysicalType {
        /// Triples.
        Triples = 1 "TRIPLES",
        /// Quads.
        Quads = 2 "QUADS",
        /// Triples between graph starts and ends.
        Graphs = 3 "GRAPHS",
    }
}

wire_enum! {
    /// How a Jelly-Patch stream is divided into patches (`PatchStreamType`).
    PatchStreamType {
        /// Each frame is a patch.
        Frame = 1 "FRAME",
        /// The stream is one patch.
        Flat = 2 "FLAT",
        /// Punctuation rows end the patches.
        Punctuated = 3 "PUNCTUATED",
    }
}

wire_enum! {
    /// What A and D rows hold (`PatchStatementType`).
    StatementType {
        /// Triples; graphs are not used.
        Triples = 1 "TRIPLES",
        /// Quads.
        Quads = 2 "QUADS",
    }
}

impl PhysicalType {
    /// The logical type of a stream of single statements.
    pub fn flat_type(self) -> LogicalType {
        LogicalType(if self == PhysicalType::Triples { 1 } else { 2 })
    }
}

/// The RDF-STaX type of a stream (`LogicalStreamType`), kept as its number because the list grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LogicalType(pub u32);

impl LogicalType {
    /// The name in the specification; `None` for a number it does not define.
    pub fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "UNSPECIFIED",
            1 => "FLAT_TRIPLES",
            2 => "FLAT_QUADS",
            3 => "GRAPHS",
            4 => "DATASETS",
            13 => "SUBJECT_GRAPHS",
            14 => "NAMED_GRAPHS",
            114 => "TIMESTAMPED_NAMED_GRAPHS",
            _ => return None,
        })
    }

    /// Finds the type with this name or number.
    ///
    /// # Errors
    /// `argument`: no type has this name.
    pub fn from_name(name: &str) -> Result<Self> {
        let known = (0..=u32::from(u8::MAX)).map(LogicalType).find(|known| known.name() == Some(name));
        known.or_else(|| name.parse().ok().map(LogicalType)).ok_or_else(|| {
            let message = format!("logical_type is {name:?}, but this type does not exist");
            Error::new(ErrorKind::Argument, message)
        })
    }

    /// Whether this type is `other` or one of its subtypes, whose numbers end with the number of `other`.
    pub fn is_a(self, other: LogicalType) -> bool {
        let above = std::iter::successors(Some(10u32), |power| power.checked_mul(10));
        let modulus = above.into_iter().find(|&power| power > other.0);
        self == other || other.0 != 0 && modulus.is_some_and(|modulus| self.0 % modulus == other.0)
    }

    /// Whether streams of a physical type can have this type (the support matrix of the specification).
    pub(crate) fn fits(self, physical: PhysicalType) -> bool {
        match self.0 {
            1 | 3 | 13 => physical == PhysicalType::Triples,
            2 | 4 | 14 | 114 => physical != PhysicalType::Triples,
            _ => true,
        }
    }

    /// This type if it fits a physical type, otherwise the closest base type that does.
    pub(crate) fn fitted(self, physical: PhysicalType) -> Self {
        match self {
            _ if self.fits(physical) => self,
            _ if self.is_grouped() => LogicalType(if physical == PhysicalType::Triples { 3 } else { 4 }),
            _ => physical.flat_type(),
        }
    }

    /// Whether each frame is a separate element (base types 3 and 4).
    pub fn is_grouped(self) -> bool {
        matches!(self.0 % 10, 3 | 4)
    }
}

impl std::fmt::Display for LogicalType {
    /// Writes the name, or the number if the type has no name.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "logical type {}", self.0),
        }
    }
}

/// Sizes of the three lookup tables, in entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableSizes {
    /// Size of the name table, at least 8.
    pub names: u32,
    /// Size of the prefix table; 0 disables it.
    pub prefixes: u32,
    /// Size of the datatype table; 0 disables it.
    pub datatypes: u32,
}

/// The smallest name table that the specification allows.
pub const MIN_NAME_TABLE: u32 = 8;

impl Default for TableSizes {
    /// The "big" preset of Jelly-JVM.
    fn default() -> Self {
        TableSizes { names: 4000, prefixes: 150, datatypes: 32 }
    }
}

/// The statements beyond RDF 1.1 that a stream may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features {
    /// Literals as subject, predicate or graph, and blank nodes as predicate.
    pub generalized_statements: bool,
    /// Quoted triples.
    pub rdf_star: bool,
}

impl Features {
    /// All features.
    pub(crate) const ALL: Features = Features { generalized_statements: true, rdf_star: true };

    /// The union of both.
    pub(crate) fn and(self, other: Features) -> Features {
        Features {
            generalized_statements: self.generalized_statements || other.generalized_statements,
            rdf_star: self.rdf_star || other.rdf_star,
        }
    }

    /// The features that a statement with these terms needs.
    #[inline]
    pub(crate) fn of(terms: &[Term<'_>; 4]) -> Features {
        let [subject, predicate, object, graph] = terms;
        let mut needs = Features::default();
        if let (Term::Iri(_) | Term::BlankNode(_), Term::Iri(_), Term::Iri(_) | Term::Literal(_)) =
            (subject, predicate, object)
            && !matches!(graph, Term::Literal(_))
        {
            return needs; // the result for nearly all statements
        }
        needs.of_triple([subject, predicate, object]);
        needs.generalized_statements |= matches!(graph, Term::Literal(_));
        needs
    }

    fn of_triple(&mut self, [subject, predicate, object]: [&Term<'_>; 3]) {
        self.generalized_statements |=
            matches!(subject, Term::Literal(_)) || !matches!(predicate, Term::Iri(_));
        for term in [subject, predicate, object] {
            if let Term::Triple(triple) = term {
                self.rdf_star = true;
                let [subject, predicate, object] = triple.terms.each_ref().map(TermBuf::as_term);
                self.of_triple([&subject, &predicate, &object]);
            }
        }
    }
}

/// Options of a Jelly-RDF stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RdfOptions {
    /// Name of the stream, often empty.
    pub stream_name: String,
    /// How statements are laid out.
    pub physical_type: PhysicalType,
    /// What the stream means (RDF-STaX).
    pub logical_type: LogicalType,
    /// What the statements may hold.
    pub features: Features,
    /// Sizes of the lookup tables.
    pub tables: TableSizes,
    /// 1 for Jelly-RDF 1.0, 2 for 1.1.
    pub version: u32,
}

impl RdfOptions {
    /// Widens the options: to quads if `graphs` is set, and to these features as well.
    pub(crate) fn widened(mut self, graphs: bool, features: Features) -> Self {
        if graphs && self.physical_type == PhysicalType::Triples {
            self.physical_type = PhysicalType::Quads;
            self.logical_type = self.logical_type.fitted(PhysicalType::Quads);
        }
        self.features = self.features.and(features);
        self
    }
}

/// Options of either format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamOptions {
    /// For Jelly-RDF.
    Rdf(RdfOptions),
    /// For Jelly-Patch.
    Patch(PatchOptions),
}

/// Options of a Jelly-Patch stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatchOptions {
    /// What A and D rows hold.
    pub statement_type: StatementType,
    /// How the stream is divided into patches.
    pub stream_type: PatchStreamType,
    /// What the statements may hold.
    pub features: Features,
    /// Sizes of the lookup tables.
    pub tables: TableSizes,
    /// 1 for Jelly-Patch 1.0.
    pub version: u32,
}

impl PatchOptions {
    /// Widens the options to hold the rows of another stream as well; `None`: the other stream may hold
    /// anything.
    pub(crate) fn widened(mut self, other: Option<&PatchOptions>) -> Self {
        let (kind, features) = other
            .map_or((StatementType::Quads, Features::ALL), |other| (other.statement_type, other.features));
        if kind == StatementType::Quads {
            self.statement_type = kind;
        }
        self.features = self.features.and(features);
        self
    }
}
