//! Names and file extensions of the formats.

macro_rules! formats {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal [$($extension:literal)*],)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every format there is.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word for it in options.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// The format that a file name tells, below the extension of its compression.
            pub fn of_name(name: &str) -> Option<Self> {
                let extension = extension(name)?;
                $(if [$($extension,)*].contains(&extension.as_str()) {
                    return Some($name::$variant);
                })*
                None
            }
        }
    };
}

formats! {
    /// Formats of statements.
    RdfFormat {
        /// Jelly-RDF.
        Jelly = "jelly" ["jelly"],
        /// N-Triples.
        NTriples = "nt" ["nt"],
        /// N-Quads.
        NQuads = "nq" ["nq"],
        /// Turtle.
        Turtle = "ttl" ["ttl"],
        /// `TriG`.
        TriG = "trig" ["trig"],
        /// RDF/XML.
        RdfXml = "rdfxml" ["rdf" "owl"],
        /// JSON-LD.
        JsonLd = "jsonld" ["jsonld"],
    }
}

formats! {
    /// Formats of patches.
    PatchFormat {
        /// Jelly-Patch.
        Jelly = "jelly-patch" ["jellyp"],
        /// RDF Patch text.
        Text = "rdfp" ["rdfp"],
        /// RDF Patch v1, which is read only.
        TextV1 = "rdfp-v1" [],
        /// RDF Patch Thrift.
        Thrift = "trp" ["trp"],
    }
}

/// The extension in lower case, without that of a compression.
fn extension(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    name.rsplit_once('.').map(|(_, extension)| extension.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        assert_eq!(RdfFormat::of_name("a.b/C.NQ.gz"), Some(RdfFormat::NQuads));
        assert_eq!(RdfFormat::of_name("x.owl"), Some(RdfFormat::RdfXml));
        assert_eq!(RdfFormat::of_name("nt"), None);
        assert_eq!(PatchFormat::of_name("log.rdfp.zst"), Some(PatchFormat::Text));
        assert_eq!(PatchFormat::of_name("log.jelly"), None);
        let words: Vec<_> = RdfFormat::ALL.iter().map(|format| format.name()).collect();
        assert_eq!(words, ["jelly", "nt", "nq", "ttl", "trig", "rdfxml", "jsonld"]);
    }
}
