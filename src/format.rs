//! The formats there are, their names and extensions.

macro_rules! formats {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal $title:literal $extensions:tt,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every format there is.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The name in options.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The name for people.
            pub fn title(self) -> &'static str {
                match self { $($name::$variant => $title,)* }
            }

            /// The format with this name in options.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|format| format.name() == name)
            }

            /// By the extension of a file name, also under `.gz` and `.zst`.
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
        Jelly = "jelly" "Jelly-RDF" ["jelly"],
        /// N-Triples.
        NTriples = "nt" "N-Triples" ["nt"],
        /// N-Quads.
        NQuads = "nq" "N-Quads" ["nq"],
        /// Turtle.
        Turtle = "ttl" "Turtle" ["ttl"],
        /// `TriG`.
        TriG = "trig" "TriG" ["trig"],
        /// RDF/XML.
        RdfXml = "rdfxml" "RDF/XML" ["rdf", "owl"],
        /// JSON-LD.
        JsonLd = "jsonld" "JSON-LD" ["jsonld"],
    }
}

formats! {
    /// The formats of patches.
    PatchFormat {
        /// Jelly-Patch.
        Jelly = "jelly-patch" "Jelly-Patch" ["jellyp"],
        /// RDF Patch text.
        RdfPatch = "rdfp" "RDF Patch text" ["rdfp"],
        /// The older RDF Patch v1 (RDF Tuples); never told by content or extension.
        RdfPatchV1 = "rdfp-v1" "RDF Patch v1" [],
        /// RDF Patch Thrift.
        Thrift = "trp" "RDF Patch Thrift" ["trp"],
    }
}

impl RdfFormat {
    /// Whether most blank nodes have no label in this format, so that readers make one, which is another node in
    /// another file.
    pub fn has_unlabelled_nodes(self) -> bool {
        matches!(self, RdfFormat::Turtle | RdfFormat::TriG | RdfFormat::RdfXml | RdfFormat::JsonLd)
    }
}

fn extension(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let name = [".gz", ".zst", ".zstd"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| extension.to_owned())
}

/// Why a new file of this name would be taken for something else than patches, or statements.
pub fn misnamed(name: &str, is_patch: bool) -> Option<String> {
    let (rdf, patch) = (RdfFormat::of_file(name), PatchFormat::of_file(name));
    let why = match (rdf, patch, extension(name)?.as_str()) {
        (Some(rdf), _, _) if is_patch => {
            format!("{} has no patches; files of patches end in .jellyp, .rdfp or .trp", rdf.title())
        }
        (_, Some(patch), _) if !is_patch => {
            format!("{} has no datasets; their files end in .jelly, .nt, .nq, .ttl or .trig", patch.title())
        }
        (_, _, "parquet" | "arrow") => "only a conversion writes tables".to_owned(),
        (_, _, ending @ ("bz2" | "xz" | "zip")) => {
            format!("{ending} is not written; .gz is gzip, .zst is zstd")
        }
        _ => return None,
    };
    Some(format!("{name}: {why}"))
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
            ("a.nq.gz", true, false),
            ("a.owl", true, false),
            ("a.jellyp", false, true),
            ("a.parquet", true, true),
            ("a.nq.bz2", true, true),
            ("a.txt", false, false),
            ("patch-0001", false, false),
        ] {
            let found = (misnamed(name, true).is_some(), misnamed(name, false).is_some());
            assert_eq!(found, (of_patches, of_statements), "{name}");
        }
        assert_eq!(PatchFormat::from_name("rdfp-v1"), Some(PatchFormat::RdfPatchV1));
    }
}
