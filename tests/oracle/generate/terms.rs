//! Random terms that a decoder can resolve: the generator follows the tables and the ids.

use super::super::proto::v1::rdf_literal::LiteralKind;
use super::super::proto::v1::{RdfIri, RdfLiteral, RdfTriple, rdf_triple};
use super::Features;
use super::any::Any;
use super::rng::Rng;
use super::strings;

/// How deep quoted triples are, but for a few.
const DEPTH: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Name,
    Prefix,
    Datatype,
}

pub struct Entry {
    pub which: Which,
    pub id: u32,
    pub value: String,
    pub overwrites: Option<Slot>,
}

pub type Slot = (Which, u32);

struct Slots {
    defined: Vec<bool>,
    last_set: u32,
}

impl Slots {
    fn new(size: u32) -> Self {
        Slots { defined: vec![false; size as usize + 1], last_set: 0 }
    }

    fn size(&self) -> u32 {
        self.defined.len() as u32 - 1
    }

    fn is_defined(&self, id: u32) -> bool {
        self.defined.get(id as usize).is_some_and(|defined| *defined)
    }

    fn random(&self, rng: &mut Rng) -> Option<u32> {
        let ids: Vec<u32> = (1..=self.size()).filter(|id| self.is_defined(*id)).collect();
        (!ids.is_empty()).then(|| *rng.pick(&ids))
    }

    /// An id for the next entry, as it is written and as it is meant.
    fn next_entry(&mut self, rng: &mut Rng) -> (u32, u32) {
        let next = self.last_set + 1;
        let size = self.size();
        let written = match rng.below(10) {
            0..=5 if next <= size => 0,
            6 => size,
            7 => rng.between(1, size),
            _ => rng.between(1, size.min(12)),
        };
        let id = if written == 0 { next } else { written };
        self.last_set = id;
        (written, id)
    }
}

pub struct Terms {
    names: Slots,
    prefixes: Slots,
    datatypes: Slots,
    last_name: u32,
    last_prefix: u32,
    pub star: bool,
    pub generalized: bool,
    /// The slots that the term being made uses.
    used: Vec<Slot>,
    pub features: Features,
}

impl Terms {
    pub fn new(names: u32, prefixes: u32, datatypes: u32, star: bool, generalized: bool) -> Self {
        Terms {
            names: Slots::new(names),
            prefixes: Slots::new(prefixes),
            datatypes: Slots::new(datatypes),
            last_name: 0,
            last_prefix: 0,
            star,
            generalized,
            used: Vec::new(),
            features: Features::default(),
        }
    }

    /// An entry of one of the tables that are there.
    pub fn entry(&mut self, rng: &mut Rng) -> Entry {
        let which = match rng.below(10) {
            0..=1 if self.datatypes.size() > 0 => Which::Datatype,
            2..=4 if self.prefixes.size() > 0 => Which::Prefix,
            _ => Which::Name,
        };
        let (slots, value) = match which {
            Which::Name => (&mut self.names, strings::name(rng)),
            Which::Prefix => (&mut self.prefixes, strings::prefix(rng)),
            Which::Datatype => (&mut self.datatypes, strings::datatype(rng)),
        };
        let (written, id) = slots.next_entry(rng);
        let was_defined = std::mem::replace(&mut slots.defined[id as usize], true);
        self.features.count(if written == 0 { "entry id 0" } else { "entry id explicit" });
        let overwrites = was_defined.then_some((which, id));
        Entry { which, id: written, value, overwrites }
    }

    /// Whether there can be an IRI.
    pub fn has_names(&self) -> bool {
        self.names.last_set > 0
    }

    pub fn iri(&mut self, rng: &mut Rng) -> RdfIri {
        let prefix_id = match self.prefixes.random(rng) {
            Some(id) if rng.percent(50) => id,
            _ => 0,
        };
        if prefix_id != 0 {
            self.last_prefix = prefix_id;
        }
        let next = self.last_name + 1;
        let name_id = if self.names.is_defined(next) && rng.percent(60) {
            0
        } else {
            self.names.random(rng).expect("a name is there before an IRI is asked for")
        };
        self.last_name = if name_id == 0 { next } else { name_id };
        self.used.extend([(Which::Prefix, self.last_prefix), (Which::Name, self.last_name)]);
        if prefix_id == 0 && name_id == 0 {
            self.features.count("iri of two zeros");
        }
        RdfIri { prefix_id, name_id }
    }

    pub fn literal(&mut self, rng: &mut Rng) -> RdfLiteral {
        let literal_kind = match rng.below(3) {
            0 => {
                let tag = strings::tag(rng);
                if tag.is_empty() {
                    self.features.count("empty language tag");
                }
                Some(LiteralKind::Langtag(tag))
            }
            1 => self.datatypes.random(rng).map(|id| {
                self.used.push((Which::Datatype, id));
                LiteralKind::Datatype(id)
            }),
            _ => None,
        };
        RdfLiteral { lex: strings::text(rng), literal_kind }
    }

    /// A term, and the slots it uses.
    pub fn top(&mut self, rng: &mut Rng, place: Place) -> (Any, Vec<Slot>) {
        self.used.clear();
        let any = if self.star && place.takes_triple(self.generalized) && rng.below(800) == 0 {
            self.features.count("64 quoted triples deep");
            Any::Triple(self.chain(rng, 64))
        } else {
            self.any(rng, place, DEPTH)
        };
        (any, std::mem::take(&mut self.used))
    }

    fn any(&mut self, rng: &mut Rng, place: Place, depth: usize) -> Any {
        loop {
            match rng.below(12) {
                0..=4 => return Any::Iri(self.iri(rng)),
                5..=6 if place != Place::Predicate => return Any::Blank(self.blank(rng)),
                7..=8 if place == Place::Object => return Any::Literal(self.literal(rng)),
                9 if self.star && depth > 0 && place.takes_triple(self.generalized) => {
                    self.features.count("quoted triple");
                    if depth < DEPTH {
                        self.features.count("quoted triple in another");
                    }
                    return Any::Triple(self.triple(rng, depth - 1));
                }
                10 if place == Place::Graph => {
                    self.features.count("default graph");
                    return Any::DefaultGraph;
                }
                11 if self.generalized && place == Place::Predicate && rng.percent(50) => {
                    self.features.count("generalized");
                    return Any::Blank(self.blank(rng));
                }
                11 if self.generalized && place != Place::Object => {
                    self.features.count("generalized");
                    return Any::Literal(self.literal(rng));
                }
                _ => {}
            }
        }
    }

    fn blank(&mut self, rng: &mut Rng) -> String {
        let label = strings::label(rng);
        if label.is_empty() {
            self.features.count("empty label");
        }
        label
    }

    fn triple(&mut self, rng: &mut Rng, depth: usize) -> RdfTriple {
        RdfTriple {
            subject: Some(self.any(rng, Place::Subject, depth).into()),
            predicate: Some(self.any(rng, Place::Predicate, depth).into()),
            object: Some(self.any(rng, Place::Object, depth).into()),
        }
    }

    fn chain(&mut self, rng: &mut Rng, depth: usize) -> RdfTriple {
        if depth == 1 {
            return self.triple(rng, 0);
        }
        let subject = self.any(rng, Place::Subject, 0).into();
        let predicate = self.any(rng, Place::Predicate, 0).into();
        let object = rdf_triple::Object::OTripleTerm(Box::new(self.chain(rng, depth - 1)));
        RdfTriple { subject: Some(subject), predicate: Some(predicate), object: Some(object) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Subject,
    Predicate,
    Object,
    Graph,
}

impl Place {
    fn takes_triple(self, generalized: bool) -> bool {
        matches!(self, Place::Subject | Place::Object) || (self == Place::Predicate && generalized)
    }
}
