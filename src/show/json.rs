//! Changes as one JSON object.

use std::fmt::Write;

use super::block::{Block, Entry, Value};
use super::summary::Summary;
use crate::term::TermBuf;

/// Formats a text in quotes.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // writing to a string cannot fail
            c if c.is_control() => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Formats a term as canonical N-Triples; blank nodes have no name.
fn term(term: &TermBuf) -> String {
    match term {
        TermBuf::BlankNode(_) => "{}".to_owned(),
        term => quoted(&term.as_term().to_string()),
    }
}

fn optional(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".to_owned())
}

fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}

/// The text before the subjects.
pub(super) fn begin(summary: &Summary) -> String {
    let [old, new] = summary.names.each_ref().map(|name| quoted(name));
    let [changed, gone, added] = summary.subjects;
    let nodes = summary.nodes.map(|nodes| {
        format!(
            "{{\"kept\": {}, \"new\": {}, \"gone\": {}, \"unsettled\": {}}}",
            nodes.kept, nodes.new, nodes.gone, nodes.unsettled
        )
    });
    let classes = list(summary.classes.iter().map(|(class, [changed, gone, new])| {
        let class = optional(class.as_ref().map(term));
        format!("{{\"class\": {class}, \"new\": {new}, \"gone\": {gone}, \"changed\": {changed}}}")
    }));
    let predicates = list(summary.predicates.iter().map(|(predicate, counts)| {
        let predicate = term(predicate);
        format!(
            "{{\"predicate\": {predicate}, \"added\": {}, \"deleted\": {}}}",
            counts.added, counts.deleted
        )
    }));
    let prefixes = list(summary.prefixes.iter().map(|(name, old, new)| {
        let [old, new] = [old, new].map(|iri| optional(iri.as_deref().map(quoted)));
        format!("{{\"prefix\": {}, \"old\": {old}, \"new\": {new}}}", quoted(name))
    }));
    let renamed = summary.renamed.as_ref().map(|renamed| {
        list(renamed.iter().map(|(old, new, percent)| {
            format!("{{\"old\": {}, \"new\": {}, \"percent\": {percent}}}", term(old), term(new))
        }))
    });
    format!(
        "{{\"schema\": 1,\n\"summary\": {{\"old\": {old}, \"new\": {new}, \"added\": {}, \"deleted\": {}, \
         \"subjects\": {{\"new\": {added}, \"gone\": {gone}, \"changed\": {changed}}}, \"blank_nodes\": {},\n\
         \"classes\": {classes},\n\"predicates\": {predicates},\n\"prefixes\": {prefixes}}},\n\
         \"renamed\": {},\n\"subjects\": [",
        summary.totals.added,
        summary.totals.deleted,
        optional(nodes),
        optional(renamed),
    )
}

/// Formats one subject.
pub(super) fn block(block: &Block) -> String {
    let mut changes = Vec::new();
    add(&block.entries, &mut Vec::new(), &mut changes);
    let iri = match &block.subject {
        TermBuf::BlankNode(_) => "null".to_owned(),
        subject => term(subject),
    };
    let head = if block.head.is_empty() {
        String::new()
    } else {
        let each =
            block.head.iter().map(|(predicate, object)| format!("{}: {}", term(predicate), term(object)));
        format!(", \"node\": {{{}}}", each.collect::<Vec<_>>().join(", "))
    };
    let graph = block.graph.as_ref().map(|graph| format!(", \"graph\": {}", term(graph))).unwrap_or_default();
    let more = if block.more > 0 { format!(", \"more\": {}", block.more) } else { String::new() };
    format!(
        "{{\"iri\": {iri}{head}, \"label\": {}, \"classes\": {}, \"change\": {}{graph}, \"changes\": [{}]{more}}}",
        optional(block.label.as_ref().map(term)),
        list(block.classes.iter().map(term)),
        quoted(block.mark.name()),
        changes.join(", "),
    )
}

fn add(entries: &[Entry], path: &mut Vec<String>, changes: &mut Vec<String>) {
    for entry in entries {
        let own = match entry {
            Entry::Moved(_) => &None,
            Entry::Change { path, .. } | Entry::Inside { path, .. } | Entry::See { path, .. } => path,
        };
        path.extend(own.as_ref().map(term));
        let here = format!("[{}]", path.join(", "));
        match entry {
            Entry::Change { op, graph, old, new, .. } => {
                let graph =
                    graph.as_ref().map(|graph| format!(", \"graph\": {}", term(graph))).unwrap_or_default();
                let [old, new] = [old, new].map(|one| optional(one.as_ref().map(value)));
                changes.push(format!(
                    "{{\"path\": {here}, \"op\": {}, \"old\": {old}, \"new\": {new}{graph}}}",
                    quoted(op.name())
                ));
            }
            Entry::Moved(count) => {
                changes.push(format!("{{\"path\": {here}, \"op\": \"move\", \"items\": {count}}}"));
            }
            Entry::Inside { entries, .. } => add(entries, path, changes),
            Entry::See { subject, .. } => {
                changes
                    .push(format!("{{\"path\": {here}, \"op\": \"see\", \"subject\": {}}}", term(subject)));
            }
        }
        if own.is_some() {
            path.pop();
        }
    }
}

/// Formats a term, an object with the properties of a blank node, or a list.
fn value(one: &Value) -> String {
    match one {
        Value::Term(one) => term(one),
        Value::List(items) => list(items.iter().map(value)),
        Value::Cut | Value::Unknown => "{\"cut\": true}".to_owned(),
        Value::Node(said) => {
            let each = said.iter().map(|(predicate, values)| {
                format!("{}: {}", term(predicate), list(values.iter().map(value)))
            });
            format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
        }
    }
}

/// The text after the subjects.
pub(super) fn end([changed, gone, new]: [u64; 3]) -> String {
    format!("],\n\"left_out\": {{\"new\": {new}, \"gone\": {gone}, \"changed\": {changed}}}}}\n")
}
