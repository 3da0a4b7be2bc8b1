//! Counts of the rows of a source, in any format, in one pass and in bounded memory.

use std::fmt::Write as _;

use super::frequencies::Frequencies;
use crate::error::Result;
use crate::format::AnyFormat;
use crate::io::Source;
use crate::limits::Limits;
use crate::namespaces::Namespaces;
use crate::open::{Input, OpenOptions};
use crate::reader::RowSource;
use crate::sink::{PatchOp, PatchRow, PatchSink, RdfRow, RdfSink, Sink, Statement};
use crate::term::{Iri, IriText, LiteralKind, Term, XSD_STRING};

/// Rows between two looks at whoever waits.
const ROWS: u64 = 1 << 16;

/// Operations of patches, in the order in which they are counted.
const OPS: [&str; 9] = ["H", "PA", "PD", "A", "D", "TX", "TC", "TA", "Z"];
/// Kinds of terms.
const KINDS: [&str; 4] = ["iri", "bnode", "literal", "triple"];

/// Counts of the rows of a source; the most frequent values come first.
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
    /// Literals without a language by the IRI of their datatype.
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

/// Counts the rows of a source, and names the `top` most frequent values; `poll` gets the rows and bytes so
/// far, and can stop the count.
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
        datatypes: values(&datatypes, top),
        languages: values(&languages, top),
        predicates: values(&predicates, top),
        graphs: values(&graphs, top),
        namespaces: namespaces.owned(),
    })
}

fn values(counts: &Frequencies<1>, top: usize) -> ValueCounts {
    let top = counts.top(top).into_iter().map(|(text, [count])| (text.to_owned(), count)).collect();
    ValueCounts { top, different: counts.different() }
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
    datatypes: Frequencies<1>,
    languages: Frequencies<1>,
    predicates: Frequencies<1>,
    graphs: Frequencies<1>,
    namespaces: Namespaces,
}

impl Counter {
    fn count(&mut self, statement: &Statement<'_>) {
        let Statement { terms: [subject, predicate, object, graph], same } = statement;
        self.subjects[kind(subject)] += 1;
        self.objects[kind(object)] += 1;
        self.predicates.add(0, same.at(1), |text| write_term(predicate, text));
        self.graphs.add(0, same.at(3), |text| write_term(graph, text));
        if let Term::Literal(literal) = object {
            match literal.kind {
                LiteralKind::Simple => self.datatypes.add(0, false, |text| text.push_str(XSD_STRING)),
                LiteralKind::Datatype(datatype) => {
                    self.datatypes.add(0, false, |text| text.push_str(datatype.iri()));
                }
                LiteralKind::Language(tag) => {
                    self.languages
                        .add(0, false, |text| text.extend(tag.chars().map(|c| c.to_ascii_lowercase())));
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
