//! Templates: statements with a mark in place of each blank node.
//!
//! The template of a statement is its canonical N-Quads text, language tags folded, with every blank node replaced by one
//! mark. Together with the nodes in their order it is the statement, so blank graph names and triple terms need no rules
//! of their own.

use std::collections::HashMap;
use std::sync::Arc;

use super::hash::{Mix, Use};
use crate::buffer::TextBuffer;
use crate::sink::Statement;
use crate::term::{LiteralKind, Term};
use crate::text::fold_tags;
use crate::text::write::TermWriter;

/// Stands for a blank node; in no UTF-8.
const MARK: u8 = 0xfe;
/// Stands behind each term; in no UTF-8.
const END: u8 = 0xff;

const FIRST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first";
const REST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest";

/// What all statements of a template have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) hash: u128,
    /// Places of blank nodes.
    pub(crate) nodes: u32,
    /// The subject is a blank node: it is the first of the nodes.
    pub(crate) has_subject: bool,
    /// The object is a blank node: it comes next.
    pub(crate) has_object: bool,
    /// A cell of a list says what its item is.
    pub(crate) is_first: bool,
    /// A cell of a list says what the next one is.
    pub(crate) is_rest: bool,
}

impl Template {
    /// The place of the object among the nodes.
    pub(crate) fn object(&self) -> Option<usize> {
        self.has_object.then_some(usize::from(self.has_subject))
    }
}

/// Templates of both sides of a comparison, by number.
pub(crate) struct Templates {
    numbers: HashMap<u128, u32>,
    all: Vec<Template>,
    text: TextBuffer,
    mix: Mix,
}

impl Templates {
    pub(crate) fn new() -> Self {
        let (text, mix) = (TextBuffer::default(), Mix::new());
        Templates { numbers: HashMap::new(), all: Vec::new(), text, mix }
    }

    /// The number of a statement's template, if it has blank nodes; `node` is called with their labels in order.
    pub(crate) fn of(&mut self, statement: &Statement<'_>, mut node: impl FnMut(&str)) -> Option<u32> {
        if !has_nodes(statement) {
            return None;
        }
        self.text.clear();
        let mut nodes = 0;
        let mut count = |label: &str| {
            nodes += 1;
            node(label);
        };
        for term in &statement.terms {
            write(term, &mut self.text, &mut count);
            self.text.push_byte(END);
        }
        let hash = self.mix.start(Use::Template).bytes(self.text.as_bytes()).done();
        if let Some(&number) = self.numbers.get(&hash) {
            return Some(number);
        }
        let [subject, predicate, object, _] = &statement.terms;
        let has_subject = matches!(subject, Term::BlankNode(_));
        let is = |name: &str| match predicate {
            Term::Iri(iri) => has_subject && format!("{iri}") == name,
            _ => false,
        };
        let template = Template {
            hash,
            nodes,
            has_subject,
            has_object: matches!(object, Term::BlankNode(_)) && !matches!(predicate, Term::BlankNode(_)),
            is_first: is(FIRST),
            is_rest: is(REST),
        };
        let number = self.all.len() as u32;
        self.all.push(template);
        self.numbers.insert(hash, number);
        Some(number)
    }

    /// The templates in the order of their hashes, and the new number of each: an order that no file decides.
    pub(crate) fn ranked(&self) -> (Arc<[Template]>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.all.len() as u32).collect();
        order.sort_unstable_by_key(|&number| self.all[number as usize].hash);
        let mut ranks = vec![0; order.len()];
        for (rank, &number) in order.iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        (order.iter().map(|&number| self.all[number as usize]).collect(), ranks)
    }
}

/// Whether a blank node is in a statement.
#[inline]
pub(crate) fn has_nodes(statement: &Statement<'_>) -> bool {
    statement.terms.iter().any(|term| match term {
        Term::BlankNode(_) => true,
        Term::Triple(_) => has_node(term),
        _ => false,
    })
}

fn has_node(term: &Term<'_>) -> bool {
    match term {
        Term::BlankNode(_) => true,
        Term::Triple(triple) => triple.terms.iter().any(|term| has_node(&term.as_term())),
        _ => false,
    }
}

/// Writes a term, a mark for each node.
fn write(term: &Term<'_>, text: &mut TextBuffer, node: &mut impl FnMut(&str)) {
    match term {
        Term::BlankNode(label) => {
            text.push_byte(MARK);
            node(label);
        }
        Term::Triple(triple) => {
            text.push("<<( ");
            for term in &triple.terms {
                write(&term.as_term(), text, node);
                text.push(" ");
            }
            text.push(")>>");
        }
        leaf => {
            let start = text.len();
            TermWriter::new(text).term(leaf);
            if let Term::Literal(literal) = leaf
                && let LiteralKind::Language(_) = literal.kind
            {
                fold_tags(text.tail_mut(start));
            }
        }
    }
}
