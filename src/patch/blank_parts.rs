//! The statements with blank nodes of one dataset: in memory, or on disk in parts of whole components.
//!
//! All statements go to a temporary file. If they fit in memory they are one part. Otherwise only the numbers
//! of the nodes and the connections between nodes stay in memory. Once all statements are read, each
//! component goes to one of several files. There are enough files that each fits in `limits.blank_bytes`.

use std::collections::HashMap;

use siphasher::sip128::SipHasher24;

use super::stored::{Store, Stored};
use crate::blank::is_position;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::matching::{Gathered, Nodes, Part, Parts, Side, Templates, find, has_nodes};
use crate::sink::Statement;
use crate::term::Term;

/// Memory of a statement, and of a node, while it is processed.
const ROW_BYTES: usize = 120;
const NODE_BYTES: usize = 200;
/// Maximum number of files.
const MOST_PARTS: usize = 256;

/// The statements while they are read.
pub(crate) struct BlankReading {
    limits: Limits,
    store: Store,
    rows: u32,
    has_position: bool,
    kept: Kept,
}

enum Kept {
    Whole(Gathered, Templates),
    Links(Links),
}

impl BlankReading {
    pub(crate) fn new(limits: &Limits) -> Self {
        let kept = Kept::Whole(Gathered::new(limits), Templates::new());
        BlankReading { limits: limits.clone(), store: Store::new(), rows: 0, has_position: false, kept }
    }

    /// Keeps a statement if it has blank nodes; returns whether it has any.
    pub(crate) fn take(&mut self, statement: &Statement<'_>) -> Result<bool> {
        match &mut self.kept {
            Kept::Whole(gathered, templates) => {
                if !gathered.add(statement, templates)? {
                    return Ok(false);
                }
                // half of the memory for each dataset of a comparison
                if gathered.bytes() > self.limits.blank_bytes / 2 {
                    self.has_position = gathered.labels().iter().any(is_position);
                    self.kept = Kept::Links(Links::of(gathered)?);
                }
            }
            Kept::Links(links) => {
                if !has_nodes(statement) {
                    return Ok(false);
                }
                self.has_position |= links.add(statement);
            }
        }
        self.store.push(statement)?;
        self.rows = self.rows.checked_add(1).ok_or_else(too_many)?;
        Ok(true)
    }

    /// Ends the input, after all statements were read.
    pub(crate) fn finish(self) -> Result<BlankParts> {
        let BlankReading { limits, store, rows, mut has_position, kept } = self;
        let mut all = store.read()?;
        let (nodes, divided) = match kept {
            Kept::Whole(gathered, templates) => {
                has_position = gathered.labels().iter().any(is_position);
                let nodes = gathered.labels().len();
                (nodes, Divided::One(Box::new(part(gathered, &templates, (0..rows).collect()))))
            }
            Kept::Links(mut links) => {
                let bytes = rows as usize * ROW_BYTES + links.nodes() * NODE_BYTES;
                let count = (bytes / limits.blank_bytes + 1).min(MOST_PARTS);
                let nodes = links.nodes();
                let (of, stores) = links.divide(&mut all, rows, count)?;
                let stores = stores.into_iter().map(Store::read).collect::<Result<_>>()?;
                (nodes, Divided::Several(of, stores))
            }
        };
        Ok(BlankParts { limits, all, rows, nodes, has_position, divided })
    }
}

/// The connections between nodes in the same statement, by the hashes of labels.
struct Links {
    hasher: SipHasher24,
    numbers: HashMap<[u64; 2], u32>,
    above: Vec<u32>,
}

impl Links {
    fn of(gathered: &Gathered) -> Result<Self> {
        let hasher = SipHasher24::new_with_key(&crate::secret::random_secret()?);
        let mut links = Links { hasher, numbers: HashMap::new(), above: Vec::new() };
        for label in gathered.labels().iter() {
            links.number(label);
        }
        gathered.each_row(|nodes| links.connect(nodes));
        Ok(links)
    }

    fn nodes(&self) -> usize {
        self.above.len()
    }

    fn number(&mut self, label: &str) -> u32 {
        let hash = self.hasher.hash(label.as_bytes());
        let next = self.above.len() as u32;
        let number = *self.numbers.entry([hash.h1, hash.h2]).or_insert(next);
        if number == next {
            self.above.push(next);
        }
        number
    }

    fn connect(&mut self, nodes: &[u32]) {
        for two in nodes.windows(2) {
            let (one, other) = (find(&mut self.above, two[0]), find(&mut self.above, two[1]));
            self.above[one as usize] = other;
        }
    }

    /// Adds a statement; returns whether the label of a node is a position.
    fn add(&mut self, statement: &Statement<'_>) -> bool {
        let (mut nodes, mut has_position) = (Vec::new(), false);
        each_label(statement, &mut |label| {
            has_position |= is_position(label);
            nodes.push(self.number(label));
        });
        self.connect(&nodes);
        has_position
    }

    /// Divides the statements; returns the part of each statement, and the files.
    fn divide(&mut self, all: &mut Stored, rows: u32, count: usize) -> Result<(Vec<u8>, Vec<Store>)> {
        let mut of = Vec::with_capacity(rows as usize);
        let mut stores: Vec<Store> = (0..count).map(|_| Store::with_memory(0)).collect();
        let mut place = 0;
        while let Some(statement) = all.next(&mut place)? {
            let mut node = None;
            each_label(&statement, &mut |label| {
                if node.is_none() {
                    node = Some(self.number(label));
                }
            });
            let root = find(&mut self.above, node.unwrap_or_default());
            // spread, because equal components often come at equal distances
            let spread = u64::from(root).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            let part = ((spread * count as u64) >> 32) as usize;
            stores[part].push(&statement)?;
            of.push(part as u8);
        }
        Ok((of, stores))
    }
}

/// Passes the label of each blank node of a statement to `take`.
fn each_label(statement: &Statement<'_>, take: &mut impl FnMut(&str)) {
    fn of(term: &Term<'_>, take: &mut impl FnMut(&str)) {
        match term {
            Term::BlankNode(label) => take(label),
            Term::Triple(triple) => triple.terms.iter().for_each(|term| of(&term.as_term(), take)),
            _ => {}
        }
    }
    statement.terms.iter().for_each(|term| of(term, take));
}

#[cold]
fn too_many() -> Error {
    Error::limit(
        ErrorKind::LimitBlankBytes,
        "blank_bytes",
        format!("more than {} statements with blank nodes", u32::MAX),
    )
}

/// The statements that were read.
pub(crate) struct BlankParts {
    limits: Limits,
    all: Stored,
    rows: u32,
    nodes: usize,
    has_position: bool,
    divided: Divided,
}

enum Divided {
    One(Box<Part>),
    /// The part of each statement, and their files.
    Several(Vec<u8>, Vec<Stored>),
}

fn part(gathered: Gathered, templates: &Templates, numbers: Vec<u32>) -> Part {
    let (templates, ranks) = templates.ranked();
    numbered(gathered.finish(&templates, &ranks), &numbers)
}

fn numbered(nodes: Nodes, numbers: &[u32]) -> Part {
    let read = nodes.read.iter().map(|&row| numbers[row as usize]).collect();
    Part { side: Side::new(nodes), read }
}

/// Selected statements of a dataset, before those of the other dataset are known.
pub(crate) struct Picked {
    pub(crate) gathered: Gathered,
    numbers: Vec<u32>,
    /// The place of each statement.
    pub(crate) places: Vec<u64>,
}

impl BlankParts {
    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether the label of a node is a position.
    pub(crate) fn has_position(&self) -> bool {
        self.has_position
    }

    /// Selects statements by their numbers.
    pub(crate) fn pick(&mut self, wanted: &[bool], templates: &mut Templates) -> Result<Picked> {
        let (mut gathered, mut numbers, mut places) = (Gathered::new(&self.limits), Vec::new(), Vec::new());
        let mut next = 0;
        for (&is_wanted, number) in wanted.iter().zip(0..) {
            let place = next;
            let Some(statement) = self.all.next(&mut next)? else { break };
            if is_wanted {
                gathered.add(&statement, templates)?;
                numbers.push(number);
                places.push(place);
            }
        }
        Ok(Picked { gathered, numbers, places })
    }

    /// Passes each label to `take`, as often as it occurs.
    pub(crate) fn each_label(&mut self, take: &mut impl FnMut(&str)) -> Result<()> {
        let mut place = 0;
        while let Some(statement) = self.all.next(&mut place)? {
            each_label(&statement, take);
        }
        Ok(())
    }

    /// Returns all statements, to be read again.
    pub(crate) fn stored(self) -> Stored {
        self.all
    }
}

impl Parts for BlankParts {
    fn rows(&self) -> u32 {
        self.rows
    }

    fn is_one(&self) -> bool {
        matches!(self.divided, Divided::One(_))
    }

    fn each(&mut self, take: &mut dyn FnMut(&Part) -> Result<()>) -> Result<()> {
        let (of, stores) = match &mut self.divided {
            Divided::One(part) => return take(part),
            Divided::Several(of, stores) => (of, stores),
        };
        for (stored, at) in stores.iter_mut().zip(0..=u8::MAX) {
            let (mut gathered, mut templates) = (Gathered::new(&self.limits), Templates::new());
            let mut place = 0;
            while let Some(statement) = stored.next(&mut place)? {
                gathered.add(&statement, &mut templates)?;
            }
            let numbers = of.iter().zip(0..).filter(|&(&part, _)| part == at).map(|(_, row)| row).collect();
            take(&part(gathered, &templates, numbers))?;
        }
        Ok(())
    }

    fn only(&mut self, wanted: &[bool]) -> Result<Part> {
        let mut templates = Templates::new();
        let Picked { gathered, numbers, .. } = self.pick(wanted, &mut templates)?;
        Ok(part(gathered, &templates, numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::unequal;
    use crate::sink::Same;

    /// Counts how often parts are created again.
    struct Counted(BlankParts, usize);

    impl Parts for Counted {
        fn rows(&self) -> u32 {
            self.0.rows()
        }

        fn is_one(&self) -> bool {
            self.0.is_one()
        }

        fn each(&mut self, take: &mut dyn FnMut(&Part) -> Result<()>) -> Result<()> {
            self.0.each(take)
        }

        fn only(&mut self, wanted: &[bool]) -> Result<Part> {
            self.1 += 1;
            self.0.only(wanted)
        }
    }

    fn complete(nodes: usize, limits: &Limits) -> Counted {
        let mut reading = BlankReading::new(limits);
        for (one, other) in (0..nodes).flat_map(|one| (0..nodes).map(move |other| (one, other))) {
            let labels = [format!("n{one}"), format!("n{other}")];
            let [subject, object] = labels.each_ref().map(|label| Term::BlankNode(label));
            let terms = [subject, Term::iri("urn:e"), object, Term::DefaultGraph];
            reading.take(&Statement { terms, same: Same::default() }).unwrap();
        }
        Counted(reading.finish().unwrap(), 0)
    }

    #[test]
    fn what_needs_the_common_budget_is_searched_once_in_one_part_and_again_in_several() {
        for (bytes, budget, again) in [(1 << 28, 1 << 30, 0), (1 << 28, 0, 0), (400_000, 1 << 30, 1)] {
            let limits = Limits { blank_bytes: bytes, ..Limits::default() };
            let [mut old, mut new] = [complete(60, &limits), complete(60, &limits)];
            let left = unequal([&mut old, &mut new], budget, false).unwrap();
            assert_eq!([old.1, new.1], [again; 2]);
            assert_eq!(left.unsettled, if budget == 0 { 120 } else { 0 });
        }
    }
}
