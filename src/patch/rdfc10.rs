//! The labels of RDFC-1.0, the W3C canonicalization, computed by the library `oxrdf` for datasets for which
//! it certainly terminates.

use std::collections::HashMap;
use std::thread;

use oxrdf::dataset::{CanonicalizationAlgorithm, CanonicalizationHashAlgorithm};
use oxrdf::{BlankNode, Dataset};
use oxttl::NQuadsParser;

use super::again::Again;
use super::dataset::each_statement;
use super::work::Work;
use crate::buffer::TextBuffer;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::matching::{Gathered, Renamed, Templates, has_nodes, rdfc10_work};
use crate::sink::Statement;
use crate::term::{Term, TermBuf};
use crate::text::write::TermWriter;

/// Memory that the library needs per statement.
const ROW_BYTES: usize = 1000;
/// Stack size of the thread that runs the library, which is recursive for each node of a path.
const STACK: usize = 128 << 20;

/// The RDFC-1.0 label for each label of a dataset.
pub(super) fn rdfc10_labels(source: &Again, work: &mut Work<'_>) -> Result<HashMap<Box<str>, String>> {
    let limits = &source.options.decode.limits;
    let (mut gathered, mut templates) = (Gathered::new(limits), Templates::new());
    let mut rows = 0;
    work.phase("reading the blank nodes")?;
    each_statement(source.source(), &source.options, work, |statement| {
        let is_kept = gathered.add(statement, &mut templates)?;
        rows += usize::from(is_kept);
        if is_kept { check(statement, rows, limits) } else { Ok(()) }
    })?;
    let (templates, ranks) = templates.ranked();
    let nodes = gathered.finish(&templates, &ranks);
    if rdfc10_work(&nodes).is_none_or(|work| work > limits.blank_work) {
        let message = format!(
            "blank nodes are so similar that RDFC-1.0 could take more than limits.blank_work ({}) steps; use \
             content labels, which also depend only on the graph and do not need these steps",
            limits.blank_work
        );
        return Err(Error::limit(ErrorKind::LimitBlankWork, "blank_work", message));
    }
    let numbers: HashMap<&str, u32> = nodes.labels.iter().zip(0..).collect();
    let (mut dataset, mut renamed, mut line) = (Dataset::new(), Renamed::new(), TextBuffer::default());
    work.phase("reading the blank nodes again")?;
    each_statement(source.source(), &source.options, work, |statement| {
        if !has_nodes(statement) {
            return Ok(());
        }
        let number = |label: &str| numbers.get(label).copied().ok_or_else(changed);
        let named =
            renamed.statement(statement, |label| Ok(TermBuf::blank_node(&numbered(number(label)?))))?;
        line.clear();
        for term in &named.terms {
            TermWriter::new(&mut line).term(term);
            line.push(" ");
        }
        line.push(".\n");
        for quad in NQuadsParser::new().for_slice(line.as_bytes()) {
            dataset.insert(&quad.map_err(|error| refused(statement, &error.to_string()))?);
        }
        Ok(())
    })?;
    work.phase("making RDFC-1.0 labels")?;
    let labels = canonical(dataset)?;
    let label = |node: u32| labels.get(&numbered(node)).cloned().ok_or_else(changed);
    let named = |(label_before, node): (&str, u32)| Ok((label_before.into(), label(node)?));
    drop(numbers);
    nodes.labels.iter().zip(0..).map(named).collect()
}

fn check(statement: &Statement<'_>, rows: usize, limits: &Limits) -> Result<()> {
    if statement.terms.iter().any(|term| matches!(term, Term::Triple(_))) {
        return Err(refused(statement, "RDFC-1.0 has no quoted triples"));
    }
    let most = limits.blank_bytes.saturating_mul(4);
    if rows * ROW_BYTES > most {
        let message = format!(
            "RDFC-1.0 needs more than {most} bytes for statements with blank nodes, four times limits.blank_bytes"
        );
        return Err(Error::limit(ErrorKind::LimitBlankBytes, "blank_bytes", message));
    }
    Ok(())
}

#[cold]
fn refused(statement: &Statement<'_>, why: &str) -> Error {
    let message = format!("{statement} cannot be canonicalized: {why}");
    Error::new(ErrorKind::EncodeGeneralized, message)
}

#[cold]
fn changed() -> Error {
    Error::new(ErrorKind::PatchChanged, "the source was changed while it was read")
}

fn numbered(node: u32) -> String {
    format!("n{node}")
}

fn canonical(dataset: Dataset) -> Result<HashMap<String, String>> {
    let text = |node: BlankNode| node.into_string();
    let algorithm =
        CanonicalizationAlgorithm::Rdfc10 { hash_algorithm: CanonicalizationHashAlgorithm::Sha256 };
    let run = move || {
        let found = dataset.canonicalize_blank_nodes(algorithm);
        found.into_iter().map(|(node, label)| (text(node.into_owned()), text(label))).collect()
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(run)?;
    thread.join().map_err(|_| Error::new(ErrorKind::Internal, "the library for RDFC-1.0 panicked"))
}
