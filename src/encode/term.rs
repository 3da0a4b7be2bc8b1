//! Terms to the members of a row, in the order in which ids count.

use super::iri::IriState;
use super::lookup::Lookups;
use super::repeat::Repeats;
use super::row::Rows;
use crate::decode::Place;
use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::limits::{Limits, MAX_NESTING};
use crate::options::{Features, TableSizes};
use crate::sink::Same;
use crate::term::{PlainKind, PlainTerm, Triple, XSD_STRING};
use crate::wire::{Buffer, varint_len};

/// What the terms of a stream share, and the message under construction.
#[derive(Debug)]
pub(crate) struct Terms {
    lookups: Lookups,
    ids: IriState,
    repeats: Repeats,
    features: Features,
    nesting: usize,
    term_bytes: usize,
    /// Places whose last term is not that of the last statement of the caller.
    fresh: u8,
    /// About how many bytes all statements so far have as lines of text.
    text_bytes: u64,
    /// The message of the row.
    pub(crate) body: Buffer,
}

/// All four places.
const ALL: u8 = 0b1111;

impl Terms {
    pub(crate) fn new(tables: TableSizes, features: Features, limits: &Limits) -> Self {
        Terms {
            lookups: Lookups::new(tables, limits.lookup_bytes),
            ids: IriState::new(),
            repeats: Repeats::default(),
            features,
            nesting: limits.nesting.min(MAX_NESTING),
            term_bytes: limits.term_bytes,
            fresh: ALL,
            text_bytes: 0,
            body: Buffer::default(),
        }
    }

    /// A restart point: nothing after it may refer to what is before.
    pub(crate) fn restart(&mut self) {
        self.lookups.restart();
        self.ids.restart();
        self.repeats.restart();
        self.fresh = ALL;
    }

    /// A row begins.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self) {
        self.lookups.begin_row();
        self.body.clear();
    }

    /// What can be relied on of what the caller knows to repeat.
    #[inline(always)]
    pub(crate) fn usable(&self, same: Same) -> Same {
        Same(same.0 & !self.fresh)
    }

    /// The terms of a statement that do not repeat.
    #[inline(always)]
    pub(crate) fn statement<const PLACES: usize>(
        &mut self,
        terms: &[PlainTerm<'_>; 4],
        same: Same,
        rows: &mut Rows,
    ) -> Result<()> {
        let same = self.usable(same);
        self.begin_row();
        // not a loop: each place has code, and branches, of its own
        let [subject, predicate, object, graph] = terms;
        if !same.at(0) {
            self.unless_repeated(subject, 0, 1, rows)?;
        }
        if !same.at(1) {
            self.unless_repeated(predicate, 1, 5, rows)?;
        }
        if !same.at(2) {
            self.unless_repeated(object, 2, 9, rows)?;
        }
        if PLACES == 4 && !same.at(3) {
            self.unless_repeated(graph, 3, 13, rows)?;
        }
        // what is not written keeps its last term, which may be another
        self.fresh &= ALL << PLACES;
        self.text_bytes += self.repeats.line_len();
        Ok(())
    }

    /// About how many bytes all statements so far have as lines of text.
    pub(crate) fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// A term of a place that can repeat, from `field` on.
    #[inline(always)]
    fn unless_repeated(
        &mut self,
        term: &PlainTerm<'_>,
        place: usize,
        field: u32,
        rows: &mut Rows,
    ) -> Result<()> {
        if self.repeats.is(place, term) {
            return Ok(());
        }
        self.term(term, Place::STATEMENT[place], field, rows)?;
        self.repeats.set(place, term);
        Ok(())
    }

    /// The graph of a prefix, which can repeat that of a statement.
    pub(crate) fn repeating_graph(
        &mut self,
        graph: &PlainTerm<'_>,
        field: u32,
        rows: &mut Rows,
    ) -> Result<()> {
        self.forget_graph();
        self.unless_repeated(graph, 3, field, rows)
    }

    /// A graph that is always written; later ones are compared with it.
    pub(crate) fn graph(&mut self, graph: &PlainTerm<'_>, field: u32, rows: &mut Rows) -> Result<()> {
        self.forget_graph();
        self.term(graph, Place::Graph, field, rows)?;
        self.repeats.set(3, graph);
        Ok(())
    }

    /// Whether the last graph is this one.
    #[inline(always)]
    pub(crate) fn is_last_graph(&self, graph: &PlainTerm<'_>) -> bool {
        self.repeats.is(3, graph)
    }

    /// Whether the graph of the caller's last statement is still the last one.
    #[inline(always)]
    pub(crate) fn graph_repeats(&self, same: Same) -> bool {
        self.usable(same).at(3)
    }

    /// The last graph is not that of the caller's last statement.
    pub(crate) fn forget_graph(&mut self) {
        self.fresh |= 0b1000;
    }

    /// The graph is known to the caller again.
    #[inline(always)]
    pub(crate) fn graph_is_known(&mut self) {
        self.fresh &= !0b1000;
    }

    /// The value of a header: never a repetition.
    pub(crate) fn header(&mut self, value: &PlainTerm<'_>, field: u32, rows: &mut Rows) -> Result<()> {
        self.term(value, Place::Header, field, rows)
    }

    /// The label or key that a row begins with.
    pub(crate) fn label(&mut self, label: &str) -> Result<()> {
        self.check_length(label)?;
        if !label.is_empty() {
            self.body.bytes(1, label.as_bytes());
        }
        Ok(())
    }

    /// A bare IRI.
    #[inline(always)]
    pub(crate) fn iri(&mut self, iri: &str, place: Place, field: u32, rows: &mut Rows) -> Result<()> {
        self.check_length(iri)?;
        let ids = self.ids.ids(iri.as_bytes(), place as usize, &mut self.lookups, rows)?;
        self.body.pair(field, ids.prefix, ids.name);
        Ok(())
    }

    /// A term; `field` is that of an IRI in this place, those of other terms follow it.
    #[inline(always)]
    fn term(&mut self, term: &PlainTerm<'_>, place: Place, field: u32, rows: &mut Rows) -> Result<()> {
        match *term {
            PlainTerm::Iri(iri) => self.iri(iri, place, field, rows),
            PlainTerm::BlankNode(label) => {
                self.check_length(label)?;
                if place == Place::Predicate {
                    self.generalized(term, place)?;
                }
                self.body.bytes(field + 1, label.as_bytes());
                Ok(())
            }
            PlainTerm::Literal(lex, kind) => {
                if !matches!(place, Place::Object | Place::Header) {
                    self.generalized(term, place)?;
                }
                // in a graph, the default graph comes before literals
                let field = field + 2 + u32::from(place == Place::Graph);
                self.literal(lex, kind, field, rows)
            }
            PlainTerm::Triple(triple) => self.triple(triple, term, place, field + 3, rows),
            PlainTerm::DefaultGraph if place == Place::Graph => {
                self.body.header(field + 2, 0);
                Ok(())
            }
            PlainTerm::DefaultGraph => Err(misplaced(term, place)),
        }
    }

    #[inline(always)]
    fn literal(&mut self, lex: &str, kind: PlainKind<'_>, field: u32, rows: &mut Rows) -> Result<()> {
        self.check_length(lex)?;
        let lex_size = if lex.is_empty() { 0 } else { size_of_bytes(lex) };
        let body = &mut self.body;
        match kind {
            PlainKind::Simple | PlainKind::Datatype(XSD_STRING) => {
                body.header(field, lex_size);
                literal_lex(body, lex);
            }
            PlainKind::Language(tag) => {
                body.header(field, lex_size + size_of_bytes(tag));
                literal_lex(body, lex);
                body.bytes(2, tag.as_bytes());
            }
            PlainKind::Datatype(iri) => {
                let id = self.lookups.datatypes.id(iri.as_bytes(), rows)?.into();
                body.header(field, lex_size + 1 + varint_len(id));
                literal_lex(body, lex);
                body.number(3, id);
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn triple(
        &mut self,
        triple: &Triple,
        term: &PlainTerm<'_>,
        place: Place,
        field: u32,
        rows: &mut Rows,
    ) -> Result<()> {
        if place == Place::Graph {
            return Err(misplaced(term, place));
        }
        if !self.features.rdf_star {
            let message = "a quoted triple, but the options do not say rdf_star";
            return Err(Error::new(ErrorKind::EncodeUndeclared, message));
        }
        if place == Place::Predicate {
            self.generalized(term, place)?;
        }
        if self.nesting == 0 {
            let message = "quoted triples nest deeper than the limit";
            return Err(Error::limit(ErrorKind::LimitNesting, "nesting", message));
        }
        self.nesting -= 1;
        let open = self.body.open(field);
        for (place, term) in triple.terms.iter().enumerate() {
            let place_field = 4 * place as u32 + 1;
            self.term(&term.as_plain(), Place::STATEMENT[place], place_field, rows)?;
        }
        self.body.close(open);
        self.nesting += 1;
        Ok(())
    }

    #[inline(always)]
    fn check_length(&self, text: &str) -> Result<()> {
        if text.len() <= self.term_bytes { Ok(()) } else { Err(too_long(text)) }
    }

    /// Refuses a generalized term that the options do not declare.
    #[cold]
    fn generalized(&self, term: &PlainTerm<'_>, place: Place) -> Result<()> {
        if self.features.generalized_statements {
            return Ok(());
        }
        let message = format!(
            "{} as {}, but the options do not say generalized_statements",
            describe(term),
            name(place)
        );
        Err(Error::new(ErrorKind::EncodeUndeclared, message))
    }
}

/// For streams of triples.
#[inline(always)]
pub(crate) fn refuse_graph(graph: &PlainTerm<'_>) -> Result<()> {
    match graph {
        PlainTerm::DefaultGraph => Ok(()),
        _ => Err(graph_in_triples()),
    }
}

#[cold]
fn graph_in_triples() -> Error {
    Error::new(ErrorKind::EncodeGraph, "a graph in a stream of TRIPLES")
}

fn size_of_bytes(text: &str) -> usize {
    1 + varint_len(text.len() as u64) + text.len()
}

#[inline(always)]
fn literal_lex(body: &mut Buffer, lex: &str) {
    if !lex.is_empty() {
        body.bytes(1, lex.as_bytes());
    }
}

#[cold]
fn too_long(text: &str) -> Error {
    let message = format!("a term of {} bytes: {}", text.len(), excerpt(text));
    Error::limit(ErrorKind::LimitTerm, "term_bytes", message)
}

#[cold]
fn misplaced(term: &PlainTerm<'_>, place: Place) -> Error {
    Error::new(ErrorKind::EncodeTerm, format!("{} cannot be {}", describe(term), name(place)))
}

fn describe(term: &PlainTerm<'_>) -> String {
    match term {
        PlainTerm::Iri(iri) => format!("the IRI {}", excerpt(iri)),
        PlainTerm::BlankNode(label) => format!("the blank node {}", excerpt(label)),
        PlainTerm::Literal(lex, _) => format!("the literal {}", excerpt(lex)),
        PlainTerm::Triple(_) => "a quoted triple".to_owned(),
        PlainTerm::DefaultGraph => "the default graph".to_owned(),
    }
}

fn name(place: Place) -> &'static str {
    match place {
        Place::Subject => "a subject",
        Place::Predicate => "a predicate",
        Place::Object => "an object",
        Place::Graph => "a graph",
        Place::Header => "the value of a header",
    }
}
