//! What rows of a source hold, in any format: counted in one pass and in bounded memory.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::error::Result;
use crate::format::AnyFormat;
use crate::io::Source;
use crate::limits::Limits;
use crate::namespaces::Namespaces;
use crate::open::{Input, OpenOptions};
use crate::reader::RowSource;
use crate::sink::{PatchOp, PatchRow, PatchSink, RdfRow, RdfSink, Sink, Statement};
use crate::term::{Iri, IriText, LiteralKind, Term, XSD_STRING};

/// Different values that are counted, and bytes of their texts: beyond either the rare ones are forgotten.
const MOST: usize = 1 << 20;
const MOST_BYTES: usize = 64 << 20;
/// Rows between two looks at whoever waits.
const ROWS: u64 = 1 << 16;

/// Operations of patches, in the order in which they are counted.
const OPS: [&str; 9] = ["H", "PA", "PD", "A", "D", "TX", "TC", "TA", "Z"];
/// Kinds of terms.
const KINDS: [&str; 4] = ["iri", "bnode", "literal", "triple"];

/// What rows of a source hold; the most frequent values come first.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// What the source is.
    pub format: AnyFormat,
    /// Statements, or rows of patches.
    pub rows: u64,
    /// Bytes of the source, without compression.
    pub bytes: u64,
    /// Rows of patches by operation.
    pub ops: Vec<(&'static str, u64)>,
    /// Subjects by kind; each row counts.
    pub subjects: Vec<(&'static str, u64)>,
    /// Objects by kind.
    pub objects: Vec<(&'static str, u64)>,
    /// Literals by the IRI of their datatype, but for those with a language.
    pub datatypes: ValueCounts,
    /// Literals by their language tag, in lower case.
    pub languages: ValueCounts,
    /// Predicates, as canonical N-Triples.
    pub predicates: ValueCounts,
    /// Graphs, as canonical N-Triples; the default graph is empty.
    pub graphs: ValueCounts,
    /// Prefixes that are declared at the end, and their IRIs.
    pub namespaces: Vec<(String, String)>,
}

/// How often values are there.
#[derive(Clone, Debug)]
pub struct ValueCounts {
    /// The most frequent ones.
    pub top: Vec<(String, u64)>,
    /// How many there are; `None`: more than a million, or too long to keep.
    pub different: Option<usize>,
}

/// Counts the rows of a source, and names the `top` most frequent values; `poll` gets rows and bytes so far, and may
/// stop it.
///
/// # Errors
/// What is wrong with the source.
pub fn statistics(
    source: Source,
    options: &OpenOptions,
    top: usize,
    poll: &mut dyn FnMut(u64, u64) -> Result<()>,
) -> Result<Statistics> {
    let input = Input::open(source, options)?;
    let format = input.format()?;
    let mut counter = Counter { limits: options.decode.limits.clone(), ..Counter::default() };
    let mut rows: Box<dyn RowSource<Counter>> = match format {
        AnyFormat::Rdf(format) => input.statements(format)?.into_rows(),
        AnyFormat::Patch(format) => input.patches(format)?.into_rows(),
    };
    let bytes = loop {
        let now = counter.rows;
        counter.full_at = now + ROWS;
        let at = rows.decoder().progress().offset;
        let ended = rows.advance(&mut counter, &mut || poll(now, at))?;
        let at = rows.decoder().progress().offset;
        poll(counter.rows, at)?;
        if ended {
            break at;
        }
    };
    let Counter {
        rows, ops, subjects, objects, datatypes, languages, predicates, graphs, namespaces, ..
    } = counter;
    Ok(Statistics {
        format,
        rows,
        bytes,
        ops: named(&OPS, &ops),
        subjects: named(&KINDS, &subjects),
        objects: named(&KINDS, &objects),
        datatypes: datatypes.values(top),
        languages: languages.values(top),
        predicates: predicates.values(top),
        graphs: graphs.values(top),
        namespaces: namespaces.owned(),
    })
}

/// Those that are there, the most frequent first.
fn named(names: &[&'static str], counts: &[u64]) -> Vec<(&'static str, u64)> {
    let mut found: Vec<_> =
        names.iter().copied().zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
    found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    found
}

#[derive(Default)]
struct Counter {
    limits: Limits,
    rows: u64,
    full_at: u64,
    ops: [u64; OPS.len()],
    subjects: [u64; KINDS.len()],
    objects: [u64; KINDS.len()],
    datatypes: Counts,
    languages: Counts,
    predicates: Counts,
    graphs: Counts,
    namespaces: Namespaces,
}

impl Counter {
    fn count(&mut self, statement: &Statement<'_>) {
        let Statement { terms: [subject, predicate, object, graph], same } = statement;
        self.subjects[kind(subject)] += 1;
        self.objects[kind(object)] += 1;
        self.predicates.add(same.at(1), |text| write_term(predicate, text));
        self.graphs.add(same.at(3), |text| write_term(graph, text));
        if let Term::Literal(literal) = object {
            match literal.kind {
                LiteralKind::Simple => self.datatypes.add(false, |text| text.push_str(XSD_STRING)),
                LiteralKind::Datatype(datatype) => {
                    self.datatypes.add(false, |text| text.push_str(datatype.iri()));
                }
                LiteralKind::Language(tag) => {
                    self.languages
                        .add(false, |text| text.extend(tag.chars().map(|c| c.to_ascii_lowercase())));
                }
            }
        }
    }
}

/// Its place in [`KINDS`].
fn kind(term: &Term<'_>) -> usize {
    match term {
        Term::Iri(_) | Term::DefaultGraph => 0,
        Term::BlankNode(_) => 1,
        Term::Literal(_) => 2,
        Term::Triple(_) => 3,
    }
}

fn write_term(term: &Term<'_>, text: &mut String) {
    match term {
        Term::DefaultGraph => {}
        Term::Iri(Iri(IriText::Pieces { open, close, plain: true })) => {
            text.push_str(open.text());
            text.push_str(close.text());
        }
        // a String takes all
        term => drop(write!(text, "{term}")),
    }
}

impl Sink for Counter {
    fn is_full(&self) -> bool {
        self.rows >= self.full_at
    }

    fn kept_bytes(&self) -> usize {
        self.namespaces.bytes()
    }
}

impl RdfSink for Counter {
    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.rows += 1;
        self.count(&row.statement);
        Ok(())
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> Result<()> {
        self.namespaces.declare(name, &iri, self.limits.lookup_bytes)
    }
}

impl PatchSink for Counter {
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.rows += 1;
        let op = match &row.op {
            PatchOp::Header { .. } => 0,
            PatchOp::AddPrefix { name, iri, .. } => {
                self.namespaces.declare(name, iri, self.limits.lookup_bytes)?;
                1
            }
            PatchOp::DeletePrefix { name, .. } => {
                self.namespaces.remove(name);
                2
            }
            PatchOp::Add(statement) => {
                self.count(statement);
                3
            }
            PatchOp::Delete(statement) => {
                self.count(statement);
                4
            }
            PatchOp::Begin => 5,
            PatchOp::Commit => 6,
            PatchOp::Abort => 7,
            PatchOp::End(_) => 8,
        };
        self.ops[op] += 1;
        Ok(())
    }
}

/// Counts of values.
#[derive(Default)]
struct Counts {
    /// Where the count of a value is: behind those of the values that came before it.
    places: HashMap<Box<str>, usize>,
    times: Vec<u64>,
    /// The value that was counted last.
    last: Option<usize>,
    /// The value that is counted.
    text: String,
    bytes: usize,
    forgot: bool,
}

impl Counts {
    /// Counts a value, which may be known to be that of the call before.
    fn add(&mut self, is_same: bool, write: impl FnOnce(&mut String)) {
        if let (true, Some(last)) = (is_same, self.last) {
            self.times[last] += 1;
            return;
        }
        self.text.clear();
        write(&mut self.text);
        let place = match self.places.get(self.text.as_str()) {
            Some(&place) => place,
            None => self.insert(),
        };
        self.times[place] += 1;
        self.last = Some(place);
    }

    fn insert(&mut self) -> usize {
        if self.times.len() >= MOST || self.bytes + self.text.len() > MOST_BYTES {
            self.forget();
        }
        let place = self.times.len();
        self.bytes += self.text.len();
        self.places.insert(self.text.as_str().into(), place);
        self.times.push(0);
        place
    }

    /// Keeps the most frequent half.
    fn forget(&mut self) {
        let mut all = self.sorted();
        all.truncate(all.len() / 2);
        self.times = all.iter().map(|(_, count)| *count).collect();
        self.bytes = all.iter().map(|(text, _)| text.len()).sum();
        self.places = all.into_iter().enumerate().map(|(place, (text, _))| (text, place)).collect();
        (self.last, self.forgot) = (None, true);
    }

    /// The most frequent first, and of those with one count the one that came first.
    fn sorted(&mut self) -> Vec<(Box<str>, u64)> {
        let mut all: Vec<_> = self.places.drain().collect();
        all.sort_by_key(|(_, place)| (std::cmp::Reverse(self.times[*place]), *place));
        all.into_iter().map(|(text, place)| (text, self.times[place])).collect()
    }

    fn values(mut self, top: usize) -> ValueCounts {
        let different = (!self.forgot).then_some(self.times.len());
        let top = self.sorted().into_iter().take(top).map(|(text, count)| (text.into(), count)).collect();
        ValueCounts { top, different }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_values_are_forgotten_and_the_frequent_ones_stay() {
        let mut counts = Counts::default();
        for n in 0..1000 {
            counts.add(false, |text| write!(text, "{n}").unwrap());
            counts.add(false, |text| text.push_str("often"));
            counts.add(true, |_| unreachable!());
        }
        counts.forget();
        assert_eq!((counts.places.len(), counts.times.len()), (500, 500));
        counts.add(true, |text| text.push_str("often"));
        let values = counts.values(2);
        assert_eq!(values.top, [("often".to_owned(), 2001), ("0".to_owned(), 1)]);
        assert_eq!(values.different, None);
    }

    #[test]
    fn long_values_are_bounded_by_their_bytes() {
        let mut counts = Counts::default();
        let long = "x".repeat(MOST_BYTES / 8);
        for n in 0..20 {
            counts.add(false, |text| write!(text, "{n}{long}").unwrap());
        }
        assert!(counts.bytes <= MOST_BYTES);
        assert_eq!(counts.values(9).different, None);
    }
}
