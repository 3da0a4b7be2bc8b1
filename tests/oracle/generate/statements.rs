//! Random statements: terms that are set, and terms left out because they repeat.

use super::super::proto::v1::{RdfQuad, RdfTriple};
use super::any::Any;
use super::rng::Rng;
use super::terms::{Entry, Place, Slot, Terms};

pub struct Statements {
    pub terms: Terms,
    last: [Option<Last>; 4],
}

struct Last {
    slots: Vec<Slot>,
    is_stale: bool,
}

impl Statements {
    pub fn new(terms: Terms) -> Self {
        Statements { terms, last: [None, None, None, None] }
    }

    pub fn entry(&mut self, rng: &mut Rng) -> Entry {
        let entry = self.terms.entry(rng);
        if let Some(slot) = entry.overwrites {
            self.terms.features.count("entry overwritten");
            for last in self.last.iter_mut().flatten() {
                last.is_stale |= last.slots.contains(&slot);
            }
        }
        entry
    }

    /// `None` where the term repeats.
    pub fn place(&mut self, rng: &mut Rng, place: Place) -> Option<Any> {
        if let Some(last) = &self.last[place as usize]
            && rng.percent(35)
        {
            self.terms.features.count("repeated term");
            if last.is_stale {
                self.terms.features.count("repeated term whose slot was overwritten");
            }
            return None;
        }
        let (any, slots) = self.terms.top(rng, place);
        self.last[place as usize] = Some(Last { slots, is_stale: false });
        Some(any)
    }

    pub fn triple(&mut self, rng: &mut Rng) -> RdfTriple {
        let triple = RdfTriple {
            subject: self.place(rng, Place::Subject).map(Any::into),
            predicate: self.place(rng, Place::Predicate).map(Any::into),
            object: self.place(rng, Place::Object).map(Any::into),
        };
        if triple == RdfTriple::default() {
            self.terms.features.count("statement of repeated terms only");
        }
        triple
    }

    pub fn quad(&mut self, rng: &mut Rng) -> RdfQuad {
        let quad = RdfQuad { graph: None, ..self.quad_without_graph(rng) };
        RdfQuad { graph: self.place(rng, Place::Graph).map(Any::into), ..quad }
    }

    pub fn quad_without_graph(&mut self, rng: &mut Rng) -> RdfQuad {
        RdfQuad {
            subject: self.place(rng, Place::Subject).map(Any::into),
            predicate: self.place(rng, Place::Predicate).map(Any::into),
            object: self.place(rng, Place::Object).map(Any::into),
            graph: None,
        }
    }
}
