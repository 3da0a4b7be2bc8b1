//! Which formats an option can name.

use crate::format::{PatchFormat, RdfFormat};

/// Formats that an option takes, beside `auto`.
#[derive(Debug)]
pub struct Formats {
    /// Formats of statements.
    pub rdf: &'static [RdfFormat],
    /// Formats of patches.
    pub patch: &'static [PatchFormat],
    /// Words beside `auto` that stand for no single format.
    pub also: &'static [&'static str],
    /// Whether media types and the names of other programs are known too.
    pub by_any_name: bool,
}

/// A word that names a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatWord {
    /// The data or the name says.
    Auto,
    /// Text of any kind.
    Text,
    /// A format of statements.
    Rdf(RdfFormat),
    /// A format of patches.
    Patch(PatchFormat),
}

const NO_PATCH: &[PatchFormat] = &[];
const NO_RDF: &[RdfFormat] = &[];
const WRITTEN_RDF: &[RdfFormat] =
    &[RdfFormat::Jelly, RdfFormat::NTriples, RdfFormat::NQuads, RdfFormat::Turtle, RdfFormat::TriG];
const WRITTEN_PATCH: &[PatchFormat] = &[PatchFormat::Jelly, PatchFormat::RdfPatch, PatchFormat::Thrift];

const fn formats(
    rdf: &'static [RdfFormat],
    patch: &'static [PatchFormat],
    also: &'static [&'static str],
    by_any_name: bool,
) -> Formats {
    Formats { rdf, patch, also, by_any_name }
}

/// A reader of statements.
pub const RDF: Formats = formats(RdfFormat::ALL, NO_PATCH, &[], false);
/// A reader of patches.
pub const PATCH: Formats = formats(NO_RDF, PatchFormat::ALL, &[], false);
/// A reader of either.
pub const ANY: Formats = formats(RdfFormat::ALL, PatchFormat::ALL, &[], true);
/// A dataset.
pub const RDF_BASE: Formats = formats(RdfFormat::ALL, NO_PATCH, &[], true);
/// A log.
pub const LOG: Formats = formats(NO_RDF, PatchFormat::ALL, &[], true);
/// A writer of statements.
pub const RDF_WRITTEN: Formats = formats(WRITTEN_RDF, NO_PATCH, &[], true);
/// A writer of patches.
pub const PATCH_WRITTEN: Formats = formats(NO_RDF, WRITTEN_PATCH, &[], true);
/// A result of either kind.
pub const ANY_WRITTEN: Formats = formats(WRITTEN_RDF, WRITTEN_PATCH, &["text"], true);

impl Formats {
    /// The words that can be given.
    pub fn words(&self) -> Vec<&'static str> {
        let rdf = self.rdf.iter().map(|format| format.name());
        let patch = self.patch.iter().map(|format| format.name());
        ["auto"].into_iter().chain(self.also.iter().copied()).chain(rdf).chain(patch).collect()
    }

    /// What a word means, if it is one of these.
    pub fn find(&self, word: &str) -> Option<FormatWord> {
        if word == "auto" {
            return Some(FormatWord::Auto);
        }
        if self.also.contains(&word) {
            return Some(FormatWord::Text);
        }
        let rdf = RdfFormat::from_name(word).filter(|found| self.rdf.contains(found));
        let patch = PatchFormat::from_name(word).filter(|found| self.patch.contains(found));
        let is_known = |name: &str| self.by_any_name || name == word;
        match (rdf, patch) {
            (Some(rdf), _) if is_known(rdf.name()) => Some(FormatWord::Rdf(rdf)),
            (_, Some(patch)) if is_known(patch.name()) => Some(FormatWord::Patch(patch)),
            _ => None,
        }
    }
}
