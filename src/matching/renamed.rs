//! Statements with other names for their blank nodes.

use crate::error::Result;
use crate::sink::Statement;
use crate::term::{Term, TermBuf, Triple};

/// Keeps the terms that are named again.
pub(crate) struct Renamed {
    terms: [TermBuf; 4],
}

impl Renamed {
    pub(crate) fn new() -> Self {
        Renamed { terms: std::array::from_fn(|_| TermBuf::DefaultGraph) }
    }

    /// The statement with what `name` gives for each label.
    pub(crate) fn statement<'s>(
        &'s mut self,
        statement: &Statement<'s>,
        mut name: impl FnMut(&str) -> Result<TermBuf>,
    ) -> Result<Statement<'s>> {
        self.replace(statement, |term| named(term, &mut name))
    }

    /// The statement with what `other` gives for each term that is no triple; `None`: the term stays.
    pub(crate) fn replace<'s>(
        &'s mut self,
        statement: &Statement<'s>,
        mut other: impl FnMut(&Term<'_>) -> Result<Option<TermBuf>>,
    ) -> Result<Statement<'s>> {
        let mut changed = [false; 4];
        for (place, term) in statement.terms.iter().enumerate() {
            if let Some(named) = replaced(term, &mut other)? {
                self.terms[place] = named;
                changed[place] = true;
            }
        }
        let own = &self.terms;
        let terms =
            std::array::from_fn(|at| if changed[at] { own[at].as_term() } else { statement.terms[at] });
        Ok(Statement { terms, same: statement.same })
    }
}

/// The term with what `name` gives for each label, if it has some; the depth of triples was bounded as they were read.
pub(crate) fn renamed(
    term: &Term<'_>,
    name: &mut impl FnMut(&str) -> Result<TermBuf>,
) -> Result<Option<TermBuf>> {
    replaced(term, &mut |term: &Term<'_>| named(term, name))
}

#[inline]
fn named(term: &Term<'_>, name: &mut impl FnMut(&str) -> Result<TermBuf>) -> Result<Option<TermBuf>> {
    match term {
        Term::BlankNode(label) => name(label).map(Some),
        _ => Ok(None),
    }
}

/// The term with what `other` gives for each term in it that is no triple, if it gives something.
pub(crate) fn replaced(
    term: &Term<'_>,
    other: &mut impl FnMut(&Term<'_>) -> Result<Option<TermBuf>>,
) -> Result<Option<TermBuf>> {
    Ok(match term {
        Term::Triple(triple) => {
            let mut named = None;
            for (place, term) in triple.terms.iter().enumerate() {
                if let Some(term) = replaced(&term.as_term(), other)? {
                    named.get_or_insert_with(|| triple.terms.clone())[place] = term;
                }
            }
            named.map(|terms| TermBuf::Triple(Box::new(Triple { terms })))
        }
        term => other(term)?,
    })
}
