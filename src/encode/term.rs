//! Encodes terms as the members of a row, in the order in which ids are assigned.

use super::iri::IriState;
use super::literal::{self, Recent, Tail};
use super::lookup::Lookups;
use super::misplaced::{describe, misplaced, name};
use super::repeat::{Repeats, text_len};
use super::row::Rows;
use crate::decode::Place;
use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::limits::{Limits, MAX_NESTING};
use crate::options::{Features, TableSizes};
use crate::sink::Same;
use crate::term::{Iri, Literal, LiteralKind, Term, Triple, XSD_STRING};

/// The state shared by the terms of a stream.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(super) lookups: Lookups,
    pub(super) ids: IriState,
    pub(super) datatypes: Recent,
    pub(super) repeats: Repeats,
    features: Features,
    nesting: usize,
    pub(super) term_bytes: usize,
    /// Places whose last term is not the one in the caller's last statement.
    pub(super) fresh: u8,
    /// Places for which the caller announced that the next statement states whether they repeat.
    pub(super) exact: u8,
    /// Approximate size of all statements so far as lines of text; counted if sync points depend on it.
    text_bytes: u64,
    counts_text: bool,
    /// The part of each term of the last statement in this size.
    pub(super) text_lens: [usize; 4],
    /// The text of an IRI that came in two pieces.
    joined: String,
}

/// All four places.
pub(super) const ALL: u8 = 0b1111;

impl Terms {
    pub(crate) fn new(tables: TableSizes, features: Features, limits: &Limits, counts_text: bool) -> Self {
        Terms {
            lookups: Lookups::new(tables, limits.lookup_bytes),
            ids: IriState::new(),
            datatypes: Recent::default(),
            repeats: Repeats::default(),
            features,
            nesting: limits.nesting.min(MAX_NESTING),
            term_bytes: limits.term_bytes,
            fresh: ALL,
            exact: 0,
            text_bytes: 0,
            counts_text,
            text_lens: [0; 4],
            joined: String::new(),
        }
    }

    /// Starts a sync point: nothing after it may refer to anything before.
    pub(crate) fn restart(&mut self) {
        self.lookups.restart();
        self.ids.restart();
        self.datatypes = Recent::default();
        self.repeats.restart();
        self.fresh = ALL;
    }

    /// Begins a row.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self, rows: &mut Rows) {
        self.lookups.begin_row();
        self.ids.begin_row();
        rows.begin();
    }

    /// The repetitions stated by the caller that are reliable.
    #[inline(always)]
    pub(crate) fn usable(&self, same: Same) -> Same {
        Same(same.0 & !self.fresh)
    }

    /// Encodes the terms of a statement that do not repeat.
    #[inline(always)]
    pub(crate) fn statement<const PLACES: usize>(
        &mut self,
        terms: &[Term<'_>; 4],
        same: Same,
        rows: &mut Rows,
    ) -> Result<()> {
        let next = same.exact_next();
        let same = self.usable(same);
        // the others certainly differ
        let compared = !(std::mem::replace(&mut self.exact, next) & !self.fresh);
        self.begin_row(rows);
        // not a loop: each place has its own code and branches
        let [subject, predicate, object, graph] = terms;
        if !same.at(0) {
            self.unless_repeated(subject, 0, 1, compared, rows)?;
        }
        if !same.at(1) {
            self.unless_repeated(predicate, 1, 5, compared, rows)?;
        }
        if !same.at(2) {
            self.unless_repeated(object, 2, 9, compared, rows)?;
        }
        if PLACES == 4 && !same.at(3) {
            self.unless_repeated(graph, 3, 13, compared, rows)?;
        }
        let uncopied = self.repeats.passed() & !next & (ALL >> (4 - PLACES));
        if uncopied != 0 {
            self.copy(terms, uncopied);
        }
        self.fresh = 0; // a graph that is not written here is tracked separately, or does not exist
        if self.counts_text {
            self.text_lens = terms.each_ref().map(text_len);
        }
        self.count_text();
        Ok(())
    }

    /// Counts the text of a complete statement.
    #[inline(always)]
    pub(super) fn count_text(&mut self) {
        if self.counts_text {
            self.text_bytes += self.text_lens.iter().sum::<usize>() as u64;
        }
    }

    /// Approximate size of all statements so far as lines of text.
    pub(crate) fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// Copies the terms for which the caller will not state whether they repeat in the next statement.
    #[cold]
    fn copy(&mut self, terms: &[Term<'_>; 4], places: u8) {
        for place in (0..4).filter(|place| places >> place & 1 != 0) {
            self.joined(&terms[place], |all, term| all.repeats.set(place, term));
        }
    }

    /// Encodes a term at a place that can repeat, with fields from `field` on; `compared`: the places that
    /// may repeat.
    #[inline(always)]
    fn unless_repeated(
        &mut self,
        term: &Term<'_>,
        place: usize,
        field: u32,
        compared: u8,
        rows: &mut Rows,
    ) -> Result<()> {
        self.joined(term, |terms, term| {
            if compared >> place & 1 != 0 && terms.repeats.is(place, term) {
                return Ok(());
            }
            terms.term(term, Place::STATEMENT[place], field, rows)?;
            if terms.exact >> place & 1 != 0 {
                terms.repeats.pass(place);
            } else {
                terms.repeats.set(place, term);
            }
            Ok(())
        })
    }

    /// Calls `work` with a term whose IRI is in one piece, as tables and comparisons need it.
    #[inline(always)]
    fn joined<R>(&mut self, term: &Term<'_>, work: impl FnOnce(&mut Self, &Term<'_>) -> R) -> R {
        match term {
            Term::Iri(iri) if !iri.prefix().is_empty() => {
                let mut text = std::mem::take(&mut self.joined);
                text.clear();
                text.push_str(iri.prefix());
                text.push_str(iri.name());
                let done = work(self, &Term::iri(&text));
                self.joined = text;
                done
            }
            whole => work(self, whole),
        }
    }

    /// Encodes the graph of a prefix, which can repeat the graph of a statement.
    pub(crate) fn repeating_graph(&mut self, graph: &Term<'_>, field: u32, rows: &mut Rows) -> Result<()> {
        self.forget_graph();
        self.exact &= !0b1000;
        self.unless_repeated(graph, 3, field, ALL, rows)
    }

    /// Encodes a graph that is always written; later graphs are compared with it.
    pub(crate) fn graph(&mut self, graph: &Term<'_>, field: u32, rows: &mut Rows) -> Result<()> {
        self.forget_graph();
        self.joined(graph, |terms, graph| {
            terms.term(graph, Place::Graph, field, rows)?;
            terms.repeats.set(3, graph);
            Ok(())
        })
    }

    /// Whether the last graph is equal to this one.
    #[inline(always)]
    pub(crate) fn is_last_graph(&mut self, graph: &Term<'_>) -> bool {
        self.joined(graph, |terms, graph| terms.repeats.is(3, graph))
    }

    /// Whether the graph of the caller's last statement is still the last one.
    #[inline(always)]
    pub(crate) fn graph_repeats(&self, same: Same) -> bool {
        self.usable(same).at(3)
    }

    /// Records that the last graph is not the one in the caller's last statement.
    pub(crate) fn forget_graph(&mut self) {
        self.fresh |= 0b1000;
    }

    /// Records that the caller knows the graph again.
    #[inline(always)]
    pub(crate) fn graph_is_known(&mut self) {
        self.fresh &= !0b1000;
    }

    /// Encodes the value of a header, which never repeats.
    pub(crate) fn header(&mut self, value: &Term<'_>, field: u32, rows: &mut Rows) -> Result<()> {
        self.joined(value, |terms, value| terms.term(value, Place::Header, field, rows))
    }

    /// Encodes the IRI of a prefix, which never repeats.
    pub(crate) fn namespace(&mut self, iri: Iri<'_>, rows: &mut Rows) -> Result<()> {
        self.header(&Term::Iri(iri), 2, rows)
    }

    /// Encodes the label or key at the start of a row.
    pub(crate) fn label(&self, label: &str, rows: &mut Rows) -> Result<()> {
        self.check_length(label)?;
        if !label.is_empty() {
            rows.message().bytes(1, label.as_bytes());
        }
        Ok(())
    }

    /// Encodes an IRI in one piece.
    #[inline(always)]
    fn iri(&mut self, iri: &str, place: Place, field: u32, rows: &mut Rows) -> Result<()> {
        self.check_length(iri)?;
        let ids = self.ids.ids(iri.as_bytes(), place as usize, &mut self.lookups, rows)?;
        rows.message().pair(field, ids.prefix, ids.name);
        Ok(())
    }

    /// Encodes a term; `field` is the field of an IRI at this place, and the fields of other terms follow it.
    #[inline(always)]
    pub(super) fn term(&mut self, term: &Term<'_>, place: Place, field: u32, rows: &mut Rows) -> Result<()> {
        match *term {
            Term::Iri(iri) => self.iri(iri.name(), place, field, rows),
            Term::BlankNode(label) => {
                self.check_length(label)?;
                if place == Place::Predicate {
                    self.generalized(term, place)?;
                }
                rows.message().bytes(field + 1, label.as_bytes());
                Ok(())
            }
            Term::Literal(literal) => {
                if !matches!(place, Place::Object | Place::Header) {
                    self.generalized(term, place)?;
                }
                // for a graph, the field of the default graph precedes literals
                let field = field + 2 + u32::from(place == Place::Graph);
                self.literal(&literal, field, rows)
            }
            Term::Triple(triple) => self.triple(triple, term, place, field + 3, rows),
            Term::DefaultGraph if place == Place::Graph => {
                rows.message().header(field + 2, 0);
                Ok(())
            }
            Term::DefaultGraph => Err(misplaced(term, place)),
        }
    }

    #[inline(always)]
    fn literal(&mut self, literal: &Literal<'_>, field: u32, rows: &mut Rows) -> Result<()> {
        self.check_length(literal.lex)?;
        let tail = match literal.kind {
            LiteralKind::Datatype(datatype) if datatype.iri() != XSD_STRING => {
                Tail::Datatype(self.lookups.datatypes.id(datatype.iri().as_bytes(), rows)?)
            }
            LiteralKind::Simple | LiteralKind::Datatype(_) => Tail::None,
            LiteralKind::Language(tag) => Tail::Tag(tag.as_bytes()),
        };
        literal::write(rows.message(), field, literal.lex.as_bytes(), tail);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn triple(
        &mut self,
        triple: &Triple,
        term: &Term<'_>,
        place: Place,
        field: u32,
        rows: &mut Rows,
    ) -> Result<()> {
        if place == Place::Graph {
            return Err(misplaced(term, place));
        }
        if !self.features.rdf_star {
            let message = "a quoted triple, but the options do not declare rdf_star";
            return Err(Error::new(ErrorKind::EncodeUndeclared, message));
        }
        if place == Place::Predicate {
            self.generalized(term, place)?;
        }
        if self.nesting == 0 {
            let message = "quoted triples are nested deeper than the limit";
            return Err(Error::limit(ErrorKind::LimitNesting, "nesting", message));
        }
        self.nesting -= 1;
        let within = rows.open(field);
        for (place, term) in triple.terms.iter().enumerate() {
            let place_field = 4 * place as u32 + 1;
            self.term(&term.as_term(), Place::STATEMENT[place], place_field, rows)?;
        }
        rows.close(within);
        self.nesting += 1;
        Ok(())
    }

    #[inline(always)]
    fn check_length(&self, text: &str) -> Result<()> {
        if text.len() <= self.term_bytes { Ok(()) } else { Err(too_long(text)) }
    }

    /// Rejects a generalized term if the options do not declare it.
    #[cold]
    fn generalized(&self, term: &Term<'_>, place: Place) -> Result<()> {
        if self.features.generalized_statements {
            return Ok(());
        }
        let message = format!(
            "{} as {}, but the options do not declare generalized_statements",
            describe(term),
            name(place)
        );
        Err(Error::new(ErrorKind::EncodeUndeclared, message))
    }
}

/// Rejects graphs, for streams of triples.
#[inline(always)]
pub(crate) fn refuse_graph(graph: &Term<'_>) -> Result<()> {
    match graph {
        Term::DefaultGraph => Ok(()),
        _ => Err(graph_in_triples()),
    }
}

#[cold]
fn graph_in_triples() -> Error {
    Error::new(ErrorKind::EncodeGraph, "a graph in a stream of TRIPLES")
}

#[cold]
fn too_long(text: &str) -> Error {
    let message = format!("a term of {} bytes: {}", text.len(), excerpt(text));
    Error::limit(ErrorKind::LimitTerm, "term_bytes", message)
}
