//! The changes to show, independent of the output format: one block for each subject.

use super::gathered::{Counts, Mark};
use super::names::Names;
use crate::term::TermBuf;

/// A subject and its changes.
pub(super) struct Block {
    pub(super) mark: Mark,
    pub(super) subject: TermBuf,
    /// The values that identify it, if it is a blank node.
    pub(super) head: Vec<(TermBuf, TermBuf)>,
    pub(super) label: Option<TermBuf>,
    pub(super) classes: Vec<TermBuf>,
    /// The named graph of all its rows, if there is only one.
    pub(super) graph: Option<TermBuf>,
    pub(super) counts: Counts,
    pub(super) entries: Vec<Entry>,
    /// Number of rows that are not among the entries.
    pub(super) more: u64,
}

/// A change at one place.
pub(super) enum Entry {
    /// A change of a value.
    Change {
        op: Op,
        /// The predicate; `None` for an item of a list.
        path: Option<TermBuf>,
        /// The graph, if it differs from the graph of the block.
        graph: Option<TermBuf>,
        old: Option<Value>,
        new: Option<Value>,
    },
    /// Changes inside a blank node or list that is on both sides.
    Inside { path: Option<TermBuf>, head: Head, entries: Vec<Entry> },
    /// This many items of a list moved.
    Moved(usize),
    /// Changes inside a blank node that is shown below another subject.
    See { path: Option<TermBuf>, subject: TermBuf },
}

/// The operation on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Add,
    Delete,
    Replace,
    Move,
}

impl Op {
    pub(super) fn sign(self) -> char {
        match self {
            Op::Add => '+',
            Op::Delete => '-',
            Op::Replace => '~',
            Op::Move => '↕',
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Op::Add => "add",
            Op::Delete => "delete",
            Op::Replace => "replace",
            Op::Move => "move",
        }
    }
}

/// The values that identify a blank node.
pub(super) enum Head {
    Node(Vec<(TermBuf, TermBuf)>),
    List { were: usize, now: usize },
}

/// A value; blank nodes with their properties.
#[derive(Clone)]
pub(super) enum Value {
    Term(TermBuf),
    Node(Vec<(TermBuf, Vec<Value>)>),
    List(Vec<Value>),
    /// A value that is too large to show.
    Cut,
    /// A blank node whose properties are only in the dataset, which is not available.
    Unknown,
}

impl Mark {
    pub(super) fn sign(self) -> char {
        match self {
            Mark::Changed => '~',
            Mark::New => '+',
            Mark::Gone => '-',
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Mark::Changed => "changed",
            Mark::New => "new",
            Mark::Gone => "gone",
        }
    }
}

impl Value {
    /// Whether a part of the value is not shown.
    pub(super) fn is_cut(&self) -> bool {
        match self {
            Value::Term(_) => false,
            Value::Unknown | Value::Cut => true,
            Value::List(items) => items.iter().any(Value::is_cut),
            Value::Node(said) => said.iter().flat_map(|(_, values)| values).any(Value::is_cut),
        }
    }

    /// Formats the value as Turtle on one line.
    pub(super) fn text(&self, names: &Names) -> String {
        match self {
            Value::Term(term) => names.term(term),
            Value::Cut => "…".to_owned(),
            Value::Unknown => "[ … ]".to_owned(),
            Value::List(items) if items.is_empty() => "( )".to_owned(),
            Value::List(items) => {
                let items: Vec<_> = items.iter().map(|item| item.text(names)).collect();
                format!("( {} )", items.join(" "))
            }
            Value::Node(said) if said.is_empty() => "[ ]".to_owned(),
            Value::Node(said) => {
                let each: Vec<_> = said
                    .iter()
                    .map(|(predicate, values)| {
                        let values: Vec<_> = values.iter().map(|value| value.text(names)).collect();
                        format!("{} {}", names.predicate(predicate), values.join(", "))
                    })
                    .collect();
                format!("[ {} ]", each.join(" ; "))
            }
        }
    }
}

impl Head {
    /// Formats the head on one line, as `[ sh:path ex:p … ]` or `( … 3 items, were 2 )`.
    pub(super) fn text(&self, names: &Names) -> String {
        match self {
            Head::List { were, now } if were == now => format!("( … {} )", counted(*now, "item")),
            Head::List { were, now } => format!("( … {}, were {were} )", counted(*now, "item")),
            Head::Node(said) => head_text(said, names),
        }
    }
}

pub(super) fn head_text(said: &[(TermBuf, TermBuf)], names: &Names) -> String {
    let each: Vec<_> = said
        .iter()
        .map(|(predicate, object)| format!("{} {}", names.predicate(predicate), names.term(object)))
        .collect();
    let space = if each.is_empty() { "" } else { " " };
    format!("[ {}{space}… ]", each.join(" ; "))
}

fn counted(number: usize, name: &str) -> String {
    format!("{} {name}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

/// Formats a number with commas between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Block {
    /// Whether nothing of the block can be shown: only labels of equal blank nodes differ.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.more == 0
    }

    /// The name of the subject.
    pub(super) fn name(&self, names: &Names) -> String {
        match &self.subject {
            TermBuf::BlankNode(_) => head_text(&self.head, names),
            term => names.term(term),
        }
    }
}
