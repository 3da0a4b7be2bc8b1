//! Statements as nearly all of them are: short keys, members once and in order, ids that are set.
//!
//! Knows only what is right. Whatever else comes, good or bad, it leaves to the careful way in `term.rs`,
//! which begins the statement anew, knows every rule, and says what is wrong and where.

use super::iri::{IriIds, read_short_iri};
use super::literal::{RawKind, RawLiteral, read_short_literal, short_text};
use super::lookup::Lookups;
use super::repeat::{Held, Slot, Slots, literal_kind};
use crate::limits::Limits;
use crate::sink::{Same, Statement};
use crate::term::{Literal, Term};

/// Reads one statement.
pub(super) struct Quick<'s, 'a> {
    /// What is left of it.
    rest: &'a [u8],
    ids: IriIds,
    same: Same,
    lookups: &'s Lookups,
    held: &'s Held,
    limits: &'s Limits,
}

impl<'s, 'a: 's> Quick<'s, 'a> {
    /// Takes the members of a statement into the slots, as [`Terms::statement`] does, and into `statement`;
    /// gives the ids after it. `None`: it is not that simple.
    ///
    /// Slots that it changed before it gave up are those of members that are there: the careful way sets
    /// them again.
    ///
    /// [`Terms::statement`]: super::term::Terms::statement
    #[inline(always)]
    pub(super) fn statement<const PLACES: usize>(
        terms: (&'s Lookups, &'s Held, IriIds),
        bytes: &'a [u8],
        slots: &mut Slots<'a>,
        limits: &'s Limits,
        statement: &mut Statement<'s>,
    ) -> Option<IriIds> {
        let (lookups, held, ids) = terms;
        let mut quick = Quick { rest: bytes, ids, same: Same::NONE, lookups, held, limits };
        let [subject, predicate, object, graph] = &mut statement.terms;
        let done = quick.place::<0>(slots, subject)
            && quick.place::<1>(slots, predicate)
            && quick.place::<2>(slots, object)
            && (PLACES == 3 || quick.place::<3>(slots, graph));
        if PLACES == 3 {
            quick.same.set(3);
            if !matches!(slots[3], Slot::Unset | Slot::DefaultGraph) {
                quick.repeat(slots, 3, graph);
            }
        }
        statement.same = quick.same;
        (done && quick.rest.is_empty()).then_some(quick.ids)
    }

    /// A place of the statement; a function of its own for each, which keeps its values in registers.
    #[inline(never)]
    fn place<const PLACE: usize>(&mut self, slots: &mut Slots<'a>, term: &mut Term<'s>) -> bool {
        self.member::<PLACE>(slots, term).is_some()
    }

    #[inline(always)]
    fn member<const PLACE: usize>(&mut self, slots: &mut Slots<'a>, term: &mut Term<'s>) -> Option<()> {
        // field numbers 4 * place + 1, 2 and 3, with lengths
        let key = |member: u8| (PLACE as u8 * 4 + member) << 3 | 2;
        match *self.rest {
            [first, len, ref rest @ ..] if first == key(1) => {
                let (bytes, rest) = rest.split_at_checked(usize::from(len))?;
                self.rest = rest;
                self.iri(bytes, &mut slots[PLACE], term)
            }
            [first, ref rest @ ..] if first == key(2) && PLACE != 1 => {
                let (bytes, rest) = short_bytes(rest)?;
                self.rest = rest;
                let label = short_text(bytes, self.limits)?;
                slots[PLACE] = Slot::BlankNode(label);
                *term = Term::BlankNode(label);
                Some(())
            }
            [first, ref rest @ ..] if first == key(3) && PLACE == 2 => {
                let (bytes, rest) = short_bytes(rest)?;
                self.rest = rest;
                self.literal(bytes, &mut slots[PLACE], term)
            }
            [first, 0, ref rest @ ..] if first == key(3) && PLACE == 3 => {
                self.rest = rest;
                slots[PLACE] = Slot::DefaultGraph;
                *term = Term::DefaultGraph;
                Some(())
            }
            _ => {
                self.same.set(PLACE);
                match slots[PLACE] {
                    Slot::Iri { prefix, name } => *term = Term::Iri(self.lookups.iri(prefix, name)),
                    Slot::Unset => return None,
                    _ => self.repeat(slots, PLACE, term),
                }
                Some(())
            }
        }
    }

    #[inline(never)]
    fn repeat(&self, slots: &Slots<'a>, place: usize, term: &mut Term<'s>) {
        *term = self.held.term(slots, place, self.lookups);
    }

    #[inline(always)]
    fn iri(&mut self, bytes: &[u8], slot: &mut Slot<'a>, term: &mut Term<'s>) -> Option<()> {
        let (prefix, name) = read_short_iri(bytes)?;
        let prefix = if prefix == 0 { self.ids.prefix } else { prefix };
        let name = if name == 0 { self.ids.name.checked_add(1)? } else { name };
        let iri = self.lookups.known_iri(prefix, name)?;
        if iri.open.len() + iri.close.len() > self.limits.term_bytes {
            return None;
        }
        self.ids = IriIds { prefix, name };
        *slot = Slot::Iri { prefix, name };
        *term = Term::Iri(iri);
        Some(())
    }

    #[inline(always)]
    fn literal(&mut self, bytes: &'a [u8], slot: &mut Slot<'a>, term: &mut Term<'s>) -> Option<()> {
        let RawLiteral { lex, plain, kind } = read_short_literal(bytes, self.limits)?;
        if let RawKind::Datatype(id) = kind
            && (id == 0 || !self.lookups.datatypes.is_set(id))
        {
            return None;
        }
        *slot = Slot::Literal { lex, plain, kind };
        *term = Term::Literal(Literal { lex, plain, kind: literal_kind(kind, self.lookups) });
        Some(())
    }
}

/// A length of one or two bytes and that many bytes; what is left.
#[inline(always)]
pub(super) fn short_bytes(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    match *bytes {
        [len @ 0..0x80, ref rest @ ..] => rest.split_at_checked(usize::from(len)),
        [low, high @ 1..0x80, ref rest @ ..] => {
            rest.split_at_checked(usize::from(low & 0x7f) | usize::from(high) << 7)
        }
        _ => None,
    }
}
