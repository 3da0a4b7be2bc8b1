//! The requested subjects, classes and predicates: names as users write them, resolved to terms.

use super::gathered::RDF;
use super::names::{Names, visible};
use super::options::ShowOptions;
use crate::error::Result;
use crate::open::argument;
use crate::term::TermBuf;

/// Maximum number of prefixes that an error lists.
const NAMED: usize = 10;

/// The requested terms of one option; if empty, all terms are selected.
pub(super) struct Wanted(Vec<String>);

impl Wanted {
    fn of(what: &str, given: &[String], names: &Names) -> Result<Self> {
        let mut terms = Vec::new();
        for name in given {
            let found = terms_of(name, names);
            if found.is_empty() {
                return Err(argument(unknown(what, name, names)));
            }
            terms.extend(found);
        }
        Ok(Wanted(terms))
    }

    pub(super) fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, term: &TermBuf) -> bool {
        let text = term.as_term().to_string();
        self.0.contains(&text)
    }
}

/// The requested terms of all options.
pub(super) struct Asked {
    pub(super) subjects: Wanted,
    pub(super) classes: Wanted,
    pub(super) predicates: Wanted,
}

impl Asked {
    /// # Errors
    /// `argument`: a name is neither an IRI nor a prefixed name with a known prefix, so it would select
    /// nothing.
    pub(super) fn of(options: &ShowOptions, names: &Names) -> Result<Self> {
        Ok(Asked {
            subjects: Wanted::of("subject", &options.subjects, names)?,
            classes: Wanted::of("class", &options.classes, names)?,
            predicates: Wanted::of("predicate", &options.predicates, names)?,
        })
    }
}

/// The terms that a name may stand for: an IRI, with or without brackets, a label, `a`, or a prefixed name on
/// either side.
fn terms_of(name: &str, names: &Names) -> Vec<String> {
    if name.starts_with('<') || name.starts_with("_:") {
        return vec![name.to_owned()];
    }
    if name == "a" {
        return vec![format!("<{RDF}type>")];
    }
    let Some((label, rest)) = name.split_once(':') else { return Vec::new() };
    let mut terms: Vec<_> = names.spaces_of(label).map(|space| format!("<{space}{rest}>")).collect();
    if rest.starts_with("//") || label == "urn" || !terms.is_empty() {
        terms.push(format!("<{name}>"));
    }
    terms
}

#[cold]
fn unknown(what: &str, name: &str, names: &Names) -> String {
    let shown = visible(name);
    let Some((label, rest)) = name.split_once(':') else {
        return format!(
            "the {what} {shown} is neither an IRI nor a prefixed name: write it as \
             <https://example.org/{shown}> or ex:{shown}"
        );
    };
    let declared = names.declared();
    let few: Vec<_> = declared.iter().take(NAMED).map(|label| format!("{label}:")).collect();
    let more = if declared.len() > NAMED { ", …" } else { "" };
    let known =
        if few.is_empty() { "none is".to_owned() } else { format!("declared: {}{more}", few.join(", ")) };
    let (label, rest) = (visible(label), visible(rest));
    format!(
        "the {what} {shown} has a prefix that is not declared ({known}): write the whole IRI, such as \
         <https://example.org/{rest}>, or <{label}:{rest}> if that is the IRI"
    )
}
