//! The formats, their names and their file name extensions.

use crate::compression::{ending_of, unpacked};
use crate::error::{Error, ErrorKind, Result};

macro_rules! formats {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal $others:tt $title:literal $extensions:tt,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// All formats.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The name in options.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The name for readers of messages.
            pub fn title(self) -> &'static str {
                match self { $($name::$variant => $title,)* }
            }

            /// Finds the format with this name. The name can be the one in options, a media type, or a name
            /// that other programs use.
            pub fn from_name(name: &str) -> Option<Self> {
                let name = name.to_ascii_lowercase();
                $(if name == $text || (&$others as &[&str]).contains(&name.as_str()) {
                    return Some($name::$variant);
                })*
                None
            }

            /// Finds the format by the extension of a file name, also before `.gz` and `.zst`.
            pub fn of_file(name: &str) -> Option<Self> {
                let extension = extension(name)?;
                $(if (&$extensions as &[&str]).contains(&extension.as_str()) {
                    return Some($name::$variant);
                })*
                None
            }
        }
    };
}

formats! {
    /// The formats of statements.
    RdfFormat {
        /// Jelly-RDF.
        Jelly = "jelly" ["jelly-rdf", "application/x-jelly-rdf"] "Jelly-RDF" ["jelly"],
        /// N-Triples.
        NTriples = "nt" ["n-triples", "ntriples", "application/n-triples"] "N-Triples" ["nt"],
        /// N-Quads.
        NQuads = "nq" ["n-quads", "nquads", "application/n-quads"] "N-Quads" ["nq"],
        /// Turtle.
        Turtle = "ttl" ["turtle", "text/turtle"] "Turtle" ["ttl"],
        /// `TriG`.
        TriG = "trig" ["application/trig"] "TriG" ["trig"],
        /// RDF/XML.
        RdfXml = "rdfxml" ["rdf/xml", "rdf-xml", "application/rdf+xml"] "RDF/XML" ["rdf", "owl"],
        /// JSON-LD.
        JsonLd = "jsonld" ["json-ld", "application/ld+json"] "JSON-LD" ["jsonld"],
    }
}

formats! {
    /// The formats of patches.
    PatchFormat {
        /// Jelly-Patch.
        Jelly = "jelly-patch" ["application/x-jelly-rdf-patch"] "Jelly-Patch" ["jellyp"],
        /// RDF Patch text.
        RdfPatch = "rdfp" ["rdf-patch", "application/rdf-patch"] "RDF Patch text" ["rdfp"],
        /// The older RDF Patch v1 (RDF Tuples); never detected from content or extension.
        RdfPatchV1 = "rdfp-v1" [] "RDF Patch v1" [],
        /// RDF Patch Thrift.
        Thrift = "trp" ["application/rdf-patch+thrift"] "RDF Patch Thrift" ["trp"],
    }
}

impl RdfFormat {
    /// Whether the format can declare prefixes.
    pub fn holds_prefixes(self) -> bool {
        !matches!(self, RdfFormat::NTriples | RdfFormat::NQuads)
    }

    /// Whether most blank nodes have no label in this format. Readers then create labels, which mean other
    /// nodes in other files.
    pub fn has_unlabelled_nodes(self) -> bool {
        matches!(self, RdfFormat::Turtle | RdfFormat::TriG | RdfFormat::RdfXml | RdfFormat::JsonLd)
    }
}

fn extension(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let (stem, extension) = unpacked(&name).rsplit_once('.')?;
    (!stem.is_empty()).then(|| extension.to_owned())
}

/// The reason why an empty file with this name is damaged. `None` if an empty file is an empty document, or
/// if the name does not show the content (`/dev/null`).
pub(crate) fn why_not_empty(name: &str, is_compressed: bool) -> Option<String> {
    let ending = ending_of(&name.to_ascii_lowercase());
    if let Some(ending) = ending.filter(|_| !is_compressed) {
        return Some(format!("a file named *{ending} has at least the header of its compression"));
    }
    match (RdfFormat::of_file(name), PatchFormat::of_file(name), extension(name)?.as_str()) {
        (Some(RdfFormat::Jelly), ..) | (_, Some(PatchFormat::Jelly), _) => Some(OPTIONS_FIRST.to_owned()),
        (Some(format @ (RdfFormat::RdfXml | RdfFormat::JsonLd)), ..) => {
            Some(format!("a document in {} is never empty", format.title()))
        }
        (.., "parquet" | "arrow") => Some("a table has at least its schema".to_owned()),
        _ => None,
    }
}

/// The error for an empty source that cannot be empty.
pub(crate) fn empty_source(why: &str) -> Error {
    let hint = "a failed upload may have left it empty; leave it out";
    Error::new(ErrorKind::TruncatedStream, format!("the source is empty, but {why}")).with_hint(hint)
}

/// The reason why a Jelly stream cannot be empty.
pub(crate) const OPTIONS_FIRST: &str = "a stream begins with its options";

/// Checks whether a file name is possible for a new file of patches or statements, if no format is given.
///
/// A name can have no extension, or end in a number as the names of log files do.
///
/// # Errors
/// `argument.extension`: the extension belongs to other data, or to no format that can be written.
pub fn check_name(name: &str, is_patch: bool) -> Result<()> {
    let last = name.rsplit_once('.').map(|(_, last)| last.to_ascii_lowercase()).unwrap_or_default();
    if matches!(&*last, "bz2" | "xz" | "zip") {
        let message = format!("{name}: .{last} files cannot be written; use .gz (gzip) or .zst (zstd)");
        return Err(Error::new(ErrorKind::ArgumentExtension, message));
    }
    let Some(extension) = extension(name).filter(|text| !text.bytes().all(|byte| byte.is_ascii_digit()))
    else {
        return Ok(());
    };
    let known = if is_patch {
        "files of patches end in .jellyp, .rdfp or .trp"
    } else {
        "files of datasets end in .jelly, .nt, .nq, .ttl or .trig"
    };
    let why = match (RdfFormat::of_file(name), PatchFormat::of_file(name), extension.as_str()) {
        (Some(rdf), ..) if is_patch => format!("{} has no patches; {known}", rdf.title()),
        (_, Some(patch), _) if !is_patch => format!("{} has no datasets; {known}", patch.title()),
        (Some(_), ..) | (_, Some(_), _) => return Ok(()),
        (.., "parquet" | "arrow") => "only jelly.convert writes tables".to_owned(),
        _ => format!(
            ".{extension} is not the extension of a format that can be written; {known}, optionally followed by .gz or .zst"
        ),
    };
    let message = format!("{name}: {why}; or set the format");
    Err(Error::new(ErrorKind::ArgumentExtension, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions() {
        for format in RdfFormat::ALL {
            assert_eq!(RdfFormat::from_name(format.name()), Some(*format));
        }
        for (name, format) in [
            ("a.nq", Some(RdfFormat::NQuads)),
            ("/x.y/A.NT.GZ", Some(RdfFormat::NTriples)),
            ("a.b.ttl.zst", Some(RdfFormat::Turtle)),
            ("a.jelly", Some(RdfFormat::Jelly)),
            ("nq", None),
            (".nq", None),
            ("a.gz", None),
            ("a.nq/b", None),
        ] {
            assert_eq!(RdfFormat::of_file(name), format, "{name}");
        }
        assert_eq!(PatchFormat::of_file("log.rdfp.gz"), Some(PatchFormat::RdfPatch));
        assert_eq!(PatchFormat::of_file("log.trp"), Some(PatchFormat::Thrift));
        for (name, of_patches, of_statements) in [
            ("a.nq.gz", false, true),
            ("a.owl", false, true),
            ("a.jellyp", true, false),
            ("a.parquet", false, false),
            ("a.nq.bz2", false, false),
            ("a.XZ", false, false),
            ("a.txt", false, false),
            ("o.json", false, false),
            ("o.JSON.gz", false, false),
            ("o.nt.csv.zst", false, false),
            ("a.gz", true, true),
            ("patch-0001", true, true),
            ("log.0001", true, true),
            ("a.b/log", true, true),
            ("/dev/stdout", true, true),
        ] {
            let found = (check_name(name, true).is_ok(), check_name(name, false).is_ok());
            assert_eq!(found, (of_patches, of_statements), "{name}");
        }
        assert_eq!(RdfFormat::from_name("text/Turtle"), Some(RdfFormat::Turtle));
        assert_eq!(PatchFormat::from_name("application/rdf-patch"), Some(PatchFormat::RdfPatch));
        assert_eq!(PatchFormat::from_name("rdfp-v1"), Some(PatchFormat::RdfPatchV1));
    }
}

/// A format of statements or of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyFormat {
    /// A format of statements.
    Rdf(RdfFormat),
    /// A format of patches.
    Patch(PatchFormat),
}

impl AnyFormat {
    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            AnyFormat::Rdf(format) => format.name(),
            AnyFormat::Patch(format) => format.name(),
        }
    }

    /// Whether the format is Jelly.
    pub(crate) fn is_jelly(self) -> bool {
        matches!(self, AnyFormat::Rdf(RdfFormat::Jelly) | AnyFormat::Patch(PatchFormat::Jelly))
    }

    pub(crate) fn all() -> impl Iterator<Item = AnyFormat> {
        let rdf = RdfFormat::ALL.iter().copied().map(AnyFormat::Rdf);
        rdf.chain(PatchFormat::ALL.iter().copied().map(AnyFormat::Patch))
    }
}
