//! The terms of a row: from raw members to slots, in the order in which ids are assigned.

use std::borrow::Cow;

use super::iri::IriIds;
use super::literal::{read_literal, term_text};
use super::lookup::{Lookups, TableKind};
use super::repeat::{Held, Slot, Slots, literal_kind};
use super::row::{Place, RawTerm, RawTermKind, read_statement};
use crate::blank::StreamNumber;
use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::options::Features;
use crate::sink::{Same, Statement};
use crate::term::{Literal, Term, TermBuf, Triple};
use crate::wire::{Cursor, Fault};

/// The state shared by the terms of a stream: tables, current ids, copied terms.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) lookups: Lookups,
    pub(crate) ids: IriIds,
    pub(crate) held: Held,
    /// The features that the options allow; all with `lenient_flags`.
    pub(crate) features: Features,
    /// The stream of positional blank nodes; `None`: labels are names.
    pub(crate) stream: Option<StreamNumber>,
}

impl Terms {
    pub(crate) fn new(tables: crate::options::TableSizes, features: Features, copies: u64) -> Self {
        Terms {
            lookups: Lookups::new(tables),
            ids: IriIds::default(),
            held: Held::allowing(copies),
            features,
            stream: None,
        }
    }

    /// Requires that the next id of each table is explicit.
    pub(crate) fn forget_ids(&mut self) {
        for kind in TableKind::ALL {
            self.lookups.table_mut(kind).set_last(u32::MAX);
        }
        self.ids = IriIds::forgotten(self.lookups.prefixes.size() > 0);
    }

    /// Reads the members of a statement into the slots; returns which terms repeat.
    #[inline(never)]
    pub(crate) fn statement<'a, const PLACES: usize>(
        &mut self,
        bytes: &'a [u8],
        slots: &mut Slots<'a>,
        limits: &Limits,
    ) -> Result<Same, Fault> {
        let raw = read_statement::<PLACES>(bytes, limits.nesting)?;
        let mut same = Same::NONE;
        for (place, raw) in raw.iter().enumerate() {
            if raw.kind == RawTermKind::Unset {
                if matches!(slots[place], Slot::Unset) {
                    return Err(nothing_to_repeat(bytes, place));
                }
                same.set(place);
            } else {
                slots[place] = self.slot(raw, Place::STATEMENT[place], limits)?;
            }
        }
        Ok(same)
    }

    /// Resolves a member of a statement that is set. Quoted triples are copied at once.
    pub(crate) fn slot<'a>(
        &mut self,
        raw: &RawTerm<'a>,
        place: Place,
        limits: &Limits,
    ) -> Result<Slot<'a>, Fault> {
        let slot = match raw.kind {
            RawTermKind::Iri => self
                .ids
                .resolve(raw.bytes, &self.lookups, limits)
                .map(|ids| Slot::Iri { prefix: ids.prefix, name: ids.name }),
            RawTermKind::BlankNode => {
                self.label_fits(raw, place)?;
                self.label(raw, limits).map(|label| match label {
                    Cow::Borrowed(label) => Slot::BlankNode(label),
                    Cow::Owned(label) => {
                        self.held.put(place as usize, TermBuf::blank_node(&label));
                        Slot::Held
                    }
                })
            }
            RawTermKind::Literal => {
                if !matches!(place, Place::Object | Place::Header) {
                    self.generalized(raw, place)?;
                }
                read_literal(raw.bytes, &self.lookups, limits).map(|literal| Slot::Literal {
                    lex: literal.lex,
                    plain: literal.plain,
                    kind: literal.kind,
                })
            }
            RawTermKind::Triple => {
                if place == Place::Predicate {
                    self.generalized(raw, place)?;
                }
                self.triple(raw, limits).map(|triple| {
                    self.held.put(place as usize, TermBuf::Triple(Box::new(triple)));
                    Slot::Held
                })
            }
            RawTermKind::DefaultGraph => {
                let fields = Cursor::new(raw.bytes).skip_message(limits.nesting);
                fields.map(|()| Slot::DefaultGraph)
            }
            RawTermKind::Unset => Err(Fault::new(ErrorKind::WireUnset, raw.at, "no term is set")),
        };
        slot.map_err(|fault| fault.within(place.field(raw.kind)))
    }

    /// Rejects a blank node as predicate if the options do not declare it; the fault names its field.
    fn label_fits(&self, raw: &RawTerm<'_>, place: Place) -> Result<(), Fault> {
        if place == Place::Predicate { self.generalized(raw, place) } else { Ok(()) }
    }

    /// The label of a blank node, with the number of the stream if needed.
    fn label<'a>(&self, raw: &RawTerm<'a>, limits: &Limits) -> Result<Cow<'a, str>, Fault> {
        let label = term_text(raw.bytes, raw.at, limits)?;
        Ok(match self.stream.filter(|stream| stream.is_for(label)) {
            None => Cow::Borrowed(label),
            Some(stream) => Cow::Owned(stream.before(label)),
        })
    }

    /// The terms in the slots, as a statement.
    #[inline(always)]
    pub(crate) fn resolved<'s>(&'s self, slots: &Slots<'s>, same: Same) -> Statement<'s> {
        let term = |place| self.held.term(slots, place, &self.lookups);
        Statement { terms: [term(0), term(1), term(2), term(3)], same }
    }

    /// Reads a quoted triple, depth first and without recursion.
    #[cold]
    #[inline(never)]
    pub(crate) fn triple(&mut self, raw: &RawTerm<'_>, limits: &Limits) -> Result<Triple, Fault> {
        struct Open<'a> {
            raw: [RawTerm<'a>; 3],
            bytes: &'a [u8],
            terms: Vec<TermBuf>,
        }
        if !self.features.rdf_star {
            let message = "a quoted triple, but the options do not declare rdf_star";
            return Err(Fault::new(ErrorKind::OptionsUndeclared, raw.at, message));
        }
        let open = |bytes| {
            read_statement::<3>(bytes, limits.nesting).map(|raw| Open {
                raw,
                bytes,
                terms: Vec::with_capacity(3),
            })
        };
        let too_deep = |raw: &RawTerm<'_>| {
            let message = format!("quoted triples are nested more than {} deep", limits.nesting);
            Fault::limit(ErrorKind::LimitNesting, "nesting", raw.at, message)
        };
        if limits.nesting == 0 {
            return Err(too_deep(raw));
        }
        let mut size = 0;
        let mut stack = vec![open(raw.bytes)?];
        while let Some(top) = stack.last_mut() {
            let index = top.terms.len();
            if index < 3 {
                let (raw, place) = (top.raw[index], Place::STATEMENT[index]);
                match raw.kind {
                    RawTermKind::Unset => {
                        let message = "a term of a quoted triple is not set";
                        return Err(Fault::new(ErrorKind::WireUnset, top.bytes, message)
                            .within(place.field(raw.kind)));
                    }
                    RawTermKind::Triple => {
                        if stack.len() >= limits.nesting {
                            return Err(too_deep(&raw));
                        }
                        if place == Place::Predicate {
                            self.generalized(&raw, place)?;
                        }
                        stack.push(open(raw.bytes)?);
                    }
                    _ => {
                        let term = match raw.kind {
                            // not through a slot: a copied term belongs to the statement
                            RawTermKind::BlankNode => {
                                self.label_fits(&raw, place)?;
                                let label = self.label(&raw, limits);
                                TermBuf::blank_node(
                                    &label.map_err(|fault| fault.within(place.field(raw.kind)))?,
                                )
                            }
                            _ => {
                                let slot = self.slot(&raw, place, limits)?;
                                self.leaf(&slot)
                            }
                        };
                        size += size_of::<TermBuf>() + term.text_bytes();
                        if size > limits.term_bytes {
                            let message = format!("a quoted triple of more than {} bytes", limits.term_bytes);
                            return Err(Fault::limit(ErrorKind::LimitTerm, "term_bytes", raw.at, message));
                        }
                        if let Some(top) = stack.last_mut() {
                            top.terms.push(term);
                        }
                    }
                }
            } else if let Some(done) = stack.pop() {
                size += size_of::<TermBuf>();
                let triple = triple_of(done.terms);
                let Some(parent) = stack.last_mut() else {
                    self.held.charge(size, raw.at)?;
                    return Ok(triple);
                };
                parent.terms.push(TermBuf::Triple(Box::new(triple)));
            }
        }
        Err(Fault::new(ErrorKind::Internal, raw.at, "a quoted triple has no terms"))
    }

    /// Returns an IRI or a literal as an owned term.
    fn leaf(&self, slot: &Slot<'_>) -> TermBuf {
        match *slot {
            Slot::Iri { prefix, name } => Term::Iri(self.lookups.iri(prefix, name)).into(),
            Slot::Literal { lex, plain, kind } => {
                Term::Literal(Literal { lex, plain, kind: literal_kind(kind, &self.lookups) }).into()
            }
            Slot::Unset | Slot::BlankNode(_) | Slot::Held | Slot::DefaultGraph => TermBuf::DefaultGraph,
        }
    }

    /// Rejects a generalized term if the options do not declare it.
    #[cold]
    fn generalized(&self, raw: &RawTerm<'_>, place: Place) -> Result<(), Fault> {
        if self.features.generalized_statements {
            return Ok(());
        }
        let message = "a generalized term, but the options do not declare generalized_statements";
        Err(Fault::new(ErrorKind::OptionsUndeclared, raw.at, message).within(place.field(raw.kind)))
    }
}

fn triple_of(terms: Vec<TermBuf>) -> Triple {
    let mut terms = terms.into_iter();
    Triple { terms: std::array::from_fn(|_| terms.next().unwrap_or(TermBuf::DefaultGraph)) }
}

#[cold]
#[inline(never)]
fn nothing_to_repeat(at: &[u8], place: usize) -> Fault {
    let field = Place::STATEMENT[place].field(RawTermKind::Unset);
    let message = format!("the {field} is repeated, but no term comes before it");
    Fault::new(ErrorKind::TableRepeated, at, message).within(field)
}
