//! Repeated terms: the last subject, predicate, object and graph.
//!
//! A repeated term is the same *term*, not the same ids. So a term in a lookup entry is copied when the entry
//! is overwritten, and a term in the input is copied when the input is dropped.

use super::literal::RawKind;
use super::lookup::{Lookups, TableKind};
use crate::error::ErrorKind;
use crate::term::{Literal, LiteralKind, Term, TermBuf};
use crate::wire::Fault;

/// Where the last term of a place is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot<'a> {
    /// There was no term yet.
    Unset,
    /// In the lookup tables.
    Iri { prefix: u32, name: u32 },
    /// In the input.
    BlankNode(&'a str),
    /// In the input and possibly in the datatype table.
    Literal { lex: &'a str, plain: bool, kind: RawKind<'a> },
    /// In a copy: see [`Held`].
    Held,
    /// Not stored.
    DefaultGraph,
}

/// The four slots while their input is available.
pub(crate) type Slots<'a> = [Slot<'a>; 4];

/// Terms that were copied.
#[derive(Debug, Default)]
pub(crate) struct Held {
    terms: [Option<TermBuf>; 4],
    /// Size of each in bytes.
    sizes: [usize; 4],
    /// Bytes copied for terms of which the input has only ids.
    copied: u64,
    /// Limit of `copied`: a few bytes of input must not be expensive, even if they deliver no text.
    pub(crate) allowed: u64,
}

impl Held {
    /// Creates an empty state that allows this many copied bytes.
    pub(crate) fn allowing(allowed: u64) -> Self {
        Held { allowed, ..Held::default() }
    }

    /// Stores an owned term at a place.
    pub(crate) fn put(&mut self, place: usize, term: TermBuf) {
        self.sizes[place] = term.size();
        self.terms[place] = Some(term);
    }

    /// Bytes of all copies.
    pub(crate) fn bytes(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// The term at a place.
    #[inline(always)]
    pub(crate) fn term<'s>(&'s self, slots: &Slots<'s>, place: usize, lookups: &'s Lookups) -> Term<'s> {
        match slots[place] {
            Slot::Iri { prefix, name } => Term::Iri(lookups.iri(prefix, name)),
            Slot::BlankNode(label) => Term::BlankNode(label),
            Slot::Literal { lex, plain, kind } => {
                Term::Literal(Literal { lex, plain, kind: literal_kind(kind, lookups) })
            }
            Slot::Held => match &self.terms[place] {
                Some(term) => term.as_term(),
                None => Term::DefaultGraph,
            },
            Slot::Unset | Slot::DefaultGraph => Term::DefaultGraph,
        }
    }

    /// Copies the terms that use an entry about to be overwritten; copies and tables together may have `most`
    /// bytes.
    #[inline(always)]
    pub(crate) fn before_overwrite(
        &mut self,
        slots: &mut Slots<'_>,
        lookups: &Lookups,
        table: TableKind,
        id: u32,
        most: usize,
        at: &[u8],
    ) -> Result<(), Fault> {
        for place in 0..4 {
            let used = match (table, slots[place]) {
                (TableKind::Name, Slot::Iri { name, .. }) => name == id,
                (TableKind::Prefix, Slot::Iri { prefix, .. }) => prefix == id,
                (TableKind::Datatype, Slot::Literal { kind: RawKind::Datatype(datatype), .. }) => {
                    datatype == id
                }
                _ => false,
            };
            if used {
                self.hold(slots, lookups, place, at)?;
                lookups.check_bytes(self.copies(slots), most, at)?;
            }
        }
        Ok(())
    }

    /// Bytes of the copies in use.
    fn copies(&self, slots: &Slots<'_>) -> usize {
        let used = self.terms.iter().zip(slots);
        used.filter(|(_, slot)| matches!(slot, Slot::Held))
            .filter_map(|(term, _)| term.as_ref().map(TermBuf::text_bytes))
            .sum()
    }

    /// Copies the terms that are in the input, so that the result outlives the input. Drops unused copies.
    pub(crate) fn detach(&mut self, slots: &Slots<'_>, lookups: &Lookups) -> Slots<'static> {
        std::array::from_fn(|place| {
            let (copy, slot) = match slots[place] {
                Slot::Held => return Slot::Held,
                Slot::BlankNode(_) | Slot::Literal { .. } => {
                    (Some(self.term(slots, place, lookups).into()), Slot::Held)
                }
                Slot::Iri { prefix, name } => (None, Slot::Iri { prefix, name }),
                Slot::DefaultGraph => (None, Slot::DefaultGraph),
                Slot::Unset => (None, Slot::Unset),
            };
            self.sizes[place] = copy.as_ref().map_or(0, TermBuf::size);
            self.terms[place] = copy;
            slot
        })
    }

    #[cold]
    fn hold(
        &mut self,
        slots: &mut Slots<'_>,
        lookups: &Lookups,
        place: usize,
        at: &[u8],
    ) -> Result<(), Fault> {
        let term = TermBuf::from(self.term(slots, place, lookups));
        self.charge(term.text_bytes(), at)?;
        self.put(place, term);
        slots[place] = Slot::Held;
        Ok(())
    }

    /// Counts the bytes copied for a row.
    pub(crate) fn charge(&mut self, bytes: usize, at: &[u8]) -> Result<(), Fault> {
        self.copied += bytes as u64;
        if self.copied <= self.allowed {
            return Ok(());
        }
        let message = format!("{} bytes of terms from few bytes of input", self.copied);
        Err(Fault::limit(ErrorKind::LimitExpansion, "expansion", at, message))
    }
}

/// Resolves the datatype of a literal.
#[inline(always)]
pub(crate) fn literal_kind<'s>(kind: RawKind<'s>, lookups: &'s Lookups) -> LiteralKind<'s> {
    match kind {
        RawKind::Simple => LiteralKind::Simple,
        RawKind::Language(tag) => LiteralKind::Language(tag),
        RawKind::Datatype(id) => lookups.datatype(id).map_or(LiteralKind::Simple, LiteralKind::Datatype),
    }
}
