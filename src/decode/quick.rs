//! The fast path for usual statements: short keys, every member once and in order, ids that are set.
//!
//! The fast path accepts only valid statements. For all others, valid or not, the careful path in `term.rs`
//! begins the statement again, checks every rule, and reports what is wrong and where.

use super::iri::{IriIds, read_short_iri};
use super::literal::{RawKind, RawLiteral, read_short_literal, short_text};
use super::lookup::Lookups;
use super::repeat::{Held, Slot, Slots, literal_kind};
use crate::blank::StreamNumber;
use crate::limits::Limits;
use crate::sink::TermSink;
use crate::term::Literal;

/// Reads one statement for a sink that takes single terms.
pub(super) struct Quick<'s, 'a, 'o, T> {
    /// The remaining bytes.
    rest: &'a [u8],
    ids: IriIds,
    lookups: &'s Lookups,
    held: &'s Held,
    limits: &'s Limits,
    stream: Option<StreamNumber>,
    /// Places whose term cannot be copied from the previous statement.
    fresh: u8,
    out: &'o mut T,
}

impl<'s, 'a: 's, 'o, T: TermSink<'s>> Quick<'s, 'a, 'o, T> {
    /// Reads the members of a triple or, with `quads`, a quad into the slots, as [`Terms::statement`] does,
    /// and into `out`. Returns the ids after it; `None`: the statement is not simple enough.
    ///
    /// If it returns `None`, it may have changed slots, but only those of members that are present: the
    /// careful path sets them again.
    ///
    /// [`Terms::statement`]: super::term::Terms::statement
    #[inline(always)]
    pub(super) fn statement(
        quads: bool,
        terms: (&'s Lookups, &'s Held, IriIds, Option<StreamNumber>),
        bytes: &'a [u8],
        slots: &mut Slots<'a>,
        limits: &'s Limits,
        fresh: u8,
        out: &'o mut T,
    ) -> Option<IriIds> {
        let (lookups, held, ids, stream) = terms;
        let mut quick = Quick { rest: bytes, ids, lookups, held, limits, stream, fresh, out };
        let done = quick.place::<0>(slots)
            && quick.place::<1>(slots)
            && quick.place::<2>(slots)
            && if quads { quick.place::<3>(slots) } else { quick.repeat_graph(slots) };
        (done && quick.rest.is_empty()).then_some(quick.ids)
    }

    /// Reads the term at one place; one function for each place, so that values stay in registers.
    #[inline(never)]
    fn place<const PLACE: usize>(&mut self, slots: &mut Slots<'a>) -> bool {
        self.member::<PLACE>(slots) == Some(true)
    }

    #[inline(always)]
    fn member<const PLACE: usize>(&mut self, slots: &mut Slots<'a>) -> Option<bool> {
        // field numbers 4 * place + 1, 2 and 3, with lengths
        let key = |member: u8| (PLACE as u8 * 4 + member) << 3 | 2;
        Some(match *self.rest {
            [first, len, ref rest @ ..] if first == key(1) => {
                let (bytes, rest) = rest.split_at_checked(usize::from(len))?;
                self.rest = rest;
                self.iri(PLACE, bytes, &mut slots[PLACE])?
            }
            [first, ref rest @ ..] if first == key(2) && PLACE != 1 => {
                let (bytes, rest) = short_bytes(rest)?;
                self.rest = rest;
                let label = short_text(bytes, self.limits)?;
                if self.stream.is_some_and(|stream| stream.is_for(label)) {
                    return None;
                }
                slots[PLACE] = Slot::BlankNode(label);
                self.out.blank_node(PLACE, label)
            }
            [first, ref rest @ ..] if first == key(3) && PLACE == 2 => {
                let (bytes, rest) = short_bytes(rest)?;
                self.rest = rest;
                self.literal(PLACE, bytes, &mut slots[PLACE])?
            }
            [first, 0, ref rest @ ..] if first == key(3) && PLACE == 3 => {
                self.rest = rest;
                slots[PLACE] = Slot::DefaultGraph;
                self.out.default_graph(PLACE)
            }
            _ => match slots[PLACE] {
                Slot::Unset => false,
                _ if self.repeats(PLACE) => true,
                Slot::Iri { prefix, name } => self.out.iri(PLACE, self.lookups.iri(prefix, name)),
                _ => self.repeat(slots, PLACE),
            },
        })
    }

    /// Whether the sink accepts the information that a term repeats.
    #[inline(always)]
    fn repeats(&mut self, place: usize) -> bool {
        self.fresh >> place & 1 == 0 && self.out.repeat(place)
    }

    /// The graph of a triple: the graph of the stream, or the default graph.
    #[inline(always)]
    fn repeat_graph(&mut self, slots: &Slots<'a>) -> bool {
        match slots[3] {
            _ if self.repeats(3) => true,
            Slot::Unset | Slot::DefaultGraph => self.out.default_graph(3),
            _ => self.repeat(slots, 3),
        }
    }

    #[inline(never)]
    fn repeat(&mut self, slots: &Slots<'a>, place: usize) -> bool {
        self.out.term(place, self.held.term(slots, place, self.lookups))
    }

    #[inline(always)]
    fn iri(&mut self, place: usize, bytes: &[u8], slot: &mut Slot<'a>) -> Option<bool> {
        let (prefix, name) = read_short_iri(bytes)?;
        let prefix = if prefix == 0 { self.ids.prefix } else { prefix };
        let name = if name == 0 { self.ids.name.checked_add(1)? } else { name };
        let iri = self.lookups.known_iri(prefix, name)?;
        if iri.bracketed_len() > self.limits.term_bytes {
            return None;
        }
        self.ids = IriIds { prefix, name };
        *slot = Slot::Iri { prefix, name };
        Some(self.out.iri(place, iri))
    }

    #[inline(always)]
    fn literal(&mut self, place: usize, bytes: &'a [u8], slot: &mut Slot<'a>) -> Option<bool> {
        let RawLiteral { lex, plain, kind } = read_short_literal(bytes, self.limits)?;
        if let RawKind::Datatype(id) = kind
            && (id == 0 || !self.lookups.datatypes.is_set(id))
        {
            return None;
        }
        *slot = Slot::Literal { lex, plain, kind };
        Some(self.out.literal(place, Literal { lex, plain, kind: literal_kind(kind, self.lookups) }))
    }
}

/// Reads a length of one or two bytes and that many bytes; also returns the remaining bytes.
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
