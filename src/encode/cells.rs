//! Encodes the text of terms in columns, which is unchecked, as members of a row.
//!
//! This fast path takes only the canonical text of usual terms, and only while the caller states which terms
//! repeat. Any other row is removed and comes as a whole, so that its terms are checked and rejected in one
//! place.

use super::literal::{self, Tail};
use super::repeat::text_len;
use super::row::Rows;
use super::stream::Stream;
use super::term::{ALL, Terms};
use crate::decode::Place;
use crate::error::Result;
use crate::scan::is_plain_ascii_label;
use crate::sink::TermSink;
use crate::term::Term;

const PREDICATE: usize = Place::Predicate as usize;
const OBJECT: usize = Place::Object as usize;
const GRAPH: usize = Place::Graph as usize;

/// The field of an IRI at this place of a statement; the fields of other terms follow it.
#[inline(always)]
fn field(place: usize) -> u32 {
    4 * place as u32 + 1
}

impl Terms {
    /// Whether the caller states for each place whether its term repeats, and the statement is reliable.
    #[inline(always)]
    fn know_repeats(&self) -> bool {
        self.exact & !self.fresh == ALL
    }

    /// Encodes the text of a term at a place; `false`: it cannot be taken in this form.
    #[inline(always)]
    fn cell(&mut self, place: usize, text: &[u8], rows: &mut Rows) -> bool {
        let field = field(place);
        if text.len() > self.term_bytes {
            return false; // the term itself may be shorter
        }
        self.repeats.pass(place);
        self.text_lens[place] = text.len() + 1;
        match text {
            [b'<', iri @ .., b'>'] => {
                let Some(ids) = self.ids.ids_of_text(iri, place, &mut self.lookups, rows) else {
                    return false;
                };
                rows.message().pair(field, ids.prefix, ids.name);
            }
            [b'_', b':', label @ ..] if place != PREDICATE => {
                if !is_plain_ascii_label(label) {
                    return false;
                }
                rows.message().bytes(field + 1, label);
            }
            [b'"', .., last] if place == OBJECT => {
                let cut = self.datatypes.cut(text, *last, &mut self.lookups.datatypes, rows);
                let Some((lex, tail)) = cut else {
                    return false;
                };
                // its marks are counted like those of a literal without tag and datatype
                self.text_lens[place] -= match tail {
                    Tail::None => 0,
                    Tail::Tag(_) => 1,
                    Tail::Datatype(_) => 4,
                };
                literal::write(rows.message(), field + 2, lex, tail);
            }
            _ => return false,
        }
        true
    }
}

impl Stream {
    /// Returns the sink for the terms of the next row as text.
    #[inline(always)]
    pub(super) fn cells(&mut self) -> Option<&mut Self> {
        // the row at the start of a frame may be written again, or rejected
        if !(self.has_begun() && self.check_open().is_ok() && self.terms.know_repeats()) {
            return None;
        }
        self.begin_row();
        Some(self)
    }

    /// Completes the row whose terms came as text.
    #[inline(always)]
    pub(super) fn end_cells(&mut self, field: u32) -> Result<()> {
        self.terms.count_text();
        self.push_row(field)
    }
}

impl<'t> TermSink<'t> for Stream {
    /// Rejects quoted triples, which come with their rows.
    fn term(&mut self, place: usize, term: Term<'t>) -> bool {
        let Stream { terms, rows, has_graphs, .. } = self;
        if matches!(term, Term::Triple(_)) || place == GRAPH && !*has_graphs {
            return false;
        }
        terms.repeats.pass(place);
        terms.text_lens[place] = text_len(&term);
        terms.term(&term, Place::STATEMENT[place], field(place), rows).is_ok()
    }

    #[inline(always)]
    fn repeat(&mut self, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn cell(&mut self, place: usize, text: &'t [u8]) -> bool {
        (place != GRAPH || self.has_graphs) && self.terms.cell(place, text, &mut self.rows)
    }

    fn cut(&mut self) {
        self.terms.ids.cut();
    }
}
