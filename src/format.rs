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

fn extension(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let name = [".gz", ".zst", ".zstd"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| extension.to_owned())
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
        assert_eq!(PatchFormat::from_name("rdfp-v1"), Some(PatchFormat::RdfPatchV1));
    }
}
