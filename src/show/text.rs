//! Changes as lines for a terminal.

#![expect(clippy::format_push_string, reason = "a page is small beside the data that it is made of")]

use super::block::{Block, Entry, Op, Value, grouped};
use super::gathered::Mark;
use super::names::{Names, visible};
use super::summary::Summary;

/// Maximum number of rows of a table, and of lines of a block if not all fit.
pub(super) const FEW: usize = 5;
const FOLDED: usize = 8;
const WIDTH: usize = 116;
/// Maximum length of old and new value together on one line.
const PAIR: usize = 80;
const RENAMED: usize = 20;

/// A line: its depth, its sign, and its text; for a replaced value, also the place of the values.
pub(super) struct Line {
    pub(super) depth: usize,
    pub(super) sign: char,
    pub(super) text: String,
    /// Old and new value, if both are on the line.
    pub(super) pair: Option<(String, String)>,
}

/// Formats lines.
pub(super) struct Text<'n> {
    pub(super) names: &'n Names,
    pub(super) width: usize,
    pub(super) colour: bool,
}

impl<'n> Text<'n> {
    pub(super) fn new(names: &'n Names, width: Option<usize>, colour: bool) -> Self {
        Text { names, width: width.unwrap_or(WIDTH).max(40), colour }
    }

    /// The lines of a block below its head.
    pub(super) fn lines(&self, block: &Block) -> Vec<Line> {
        let mut lines = Vec::new();
        self.add(&block.entries, 1, &mut lines);
        lines
    }

    fn add(&self, entries: &[Entry], depth: usize, lines: &mut Vec<Line>) {
        for entry in entries {
            match entry {
                Entry::Change { op, path, graph, old, new } => {
                    let path =
                        path.as_ref().map(|path| self.names.predicate(path) + "  ").unwrap_or_default();
                    let place = graph
                        .as_ref()
                        .map(|graph| format!("  in {}", self.names.term(graph)))
                        .unwrap_or_default();
                    let text = |value: &Option<Value>| value.as_ref().map(|value| value.text(self.names));
                    match (op, text(old), text(new)) {
                        (Op::Replace, Some(old), Some(new)) => {
                            if old.chars().count() + new.chars().count() < PAIR {
                                let text = format!("{path}{old}  →  {new}{place}");
                                lines.push(Line { depth, sign: '~', text, pair: Some((old, new)) });
                            } else {
                                for (sign, value) in [('-', old), ('+', new)] {
                                    let text = format!("{path}{value}{place}");
                                    lines.push(Line { depth, sign, text, pair: None });
                                }
                            }
                        }
                        (op, old, new) => {
                            let value = new.or(old).unwrap_or_default();
                            let text = format!("{path}{value}{place}");
                            lines.push(Line { depth, sign: op.sign(), text, pair: None });
                        }
                    }
                }
                Entry::Moved(count) => {
                    let text = format!("{} items moved", grouped(*count as u64));
                    lines.push(Line { depth, sign: '↕', text, pair: None });
                }
                Entry::Inside { path, head, entries } => {
                    let path =
                        path.as_ref().map(|path| self.names.predicate(path) + "  ").unwrap_or_default();
                    let text = format!("{path}{}", head.text(self.names));
                    lines.push(Line { depth, sign: ' ', text, pair: None });
                    self.add(entries, depth + 1, lines);
                }
                Entry::See { path, subject } => {
                    let path =
                        path.as_ref().map(|path| self.names.predicate(path) + "  ").unwrap_or_default();
                    let text = format!("{path}see {}", self.names.term(subject));
                    lines.push(Line { depth, sign: ' ', text, pair: None });
                }
            }
        }
    }

    /// Formats a block; `folded`: only the head of a new or gone subject, and the first lines of a changed
    /// one.
    pub(super) fn block(&self, block: &Block, folded: bool) -> String {
        let sign = block.mark.sign();
        let mut text = self.line(0, sign, &self.head(block, folded), None);
        if folded && block.mark != Mark::Changed {
            return text;
        }
        let mut lines = self.lines(block);
        let mut more = block.more + lines.len() as u64;
        if folded && lines.len() > FOLDED + 1 {
            lines.truncate(FOLDED);
        }
        more -= lines.len() as u64;
        for Line { depth, sign, text: line, pair } in &lines {
            text += &self.line(*depth, *sign, line, pair.as_ref());
        }
        if more > 0 {
            text += &self.line(1, '…', &format!("{} more line{}", grouped(more), plural(more)), None);
        }
        text
    }

    /// The head of a block: name, label, classes.
    pub(super) fn head(&self, block: &Block, folded: bool) -> String {
        let mut head = block.name(self.names);
        if let Some(label) = &block.label {
            head += &format!("  {}", self.names.term(label));
        }
        if !block.classes.is_empty() {
            let most = if self.width == usize::MAX { usize::MAX } else { 2 };
            let classes: Vec<_> =
                block.classes.iter().take(most).map(|class| self.names.term(class)).collect();
            head += &format!("  ({})", classes.join(", "));
        }
        if let Some(graph) = &block.graph {
            head += &format!("  in {}", self.names.term(graph));
        }
        if folded && block.mark != Mark::Changed {
            let rows = block.counts.added + block.counts.deleted;
            head += &format!(", {} statement{}", grouped(rows), plural(rows));
        }
        head
    }

    fn line(&self, depth: usize, sign: char, text: &str, pair: Option<&(String, String)>) -> String {
        let indent = "  ".repeat(depth);
        let room = self.width.saturating_sub(2 * depth).max(20);
        if !self.colour {
            return format!("{indent}{sign} {}", cut(text, room)).trim_end().to_owned() + "\n";
        }
        let colour = match sign {
            '+' => "32",
            '-' => "31",
            '~' | '↕' => "33",
            _ => "2",
        };
        let shown = match pair {
            Some((old, new)) if text.chars().count() <= room => {
                let (old_marked, new_marked) = marked(old, new);
                text.replacen(&format!("{old}  →  {new}"), &format!("{old_marked}  →  {new_marked}"), 1)
            }
            _ => cut(text, room),
        };
        let bold = if depth == 0 { "1;" } else { "" };
        format!("{indent}\u{1b}[{bold}{colour}m{sign}\u{1b}[0m {shown}\n")
    }

    /// Formats the summary, with the tables.
    pub(super) fn summary(&self, summary: &Summary) -> String {
        let mut text = summary_line(summary) + "\n";
        if !summary.classes.is_empty() {
            text += &format!("{:<30} {:>5} {:>5} {:>7}\n", "class", "new", "gone", "changed");
            for (class, [changed, gone, new]) in summary.classes.iter().take(FEW) {
                let name = class.as_ref().map_or("(no class)".to_owned(), |class| self.names.term(class));
                text += &format!(
                    "  {:<28} {:>5} {:>5} {:>7}\n",
                    cut(&name, 60),
                    grouped(*new),
                    grouped(*gone),
                    grouped(*changed)
                );
            }
            text += &more_rows(summary.classes.len());
        }
        if !summary.predicates.is_empty() {
            text += &format!("{:<30} {:>5} {:>5}\n", "predicate", "+", "−");
            for (predicate, counts) in summary.predicates.iter().take(FEW) {
                let name = self.names.predicate(predicate);
                text += &format!(
                    "  {:<28} {:>5} {:>5}\n",
                    cut(&name, 60),
                    grouped(counts.added),
                    grouped(counts.deleted)
                );
            }
            text += &more_rows(summary.predicates.len());
        }
        text.push('\n');
        text += &self.renamed(summary);
        for (name, old, new) in &summary.prefixes {
            text += &self.prefix(name, old.as_deref(), new.as_deref());
        }
        if !summary.prefixes.is_empty() {
            text.push('\n');
        }
        text
    }

    fn renamed(&self, summary: &Summary) -> String {
        let Some(renamed) = &summary.renamed else {
            return "renamed? (too many subjects are new or gone to look for renames)\n\n".to_owned();
        };
        if renamed.is_empty() {
            return String::new();
        }
        let mut text = format!("renamed? ({})\n", grouped(renamed.len() as u64));
        for (from, to, percent) in renamed.iter().take(RENAMED) {
            let line =
                format!("  {}  →  {}   {percent}% the same", self.names.term(from), self.names.term(to));
            text += &(cut(&line, self.width) + "\n");
        }
        if renamed.len() > RENAMED {
            text += &format!("  … {} more\n", grouped((renamed.len() - RENAMED) as u64));
        }
        text + "\n"
    }

    fn prefix(&self, name: &str, old: Option<&str>, new: Option<&str>) -> String {
        let iri = |iri: &str| format!("<{}>", visible(iri));
        let name = visible(name);
        match (old, new) {
            (Some(old), Some(new)) => {
                let (old, new) = (iri(old), iri(new));
                self.line(0, '~', &format!("prefix {name}:  {old}  →  {new}"), Some(&(old, new)))
            }
            (_, Some(new)) => self.line(0, '+', &format!("prefix {name}:  {}", iri(new)), None),
            (Some(old), None) => self.line(0, '-', &format!("prefix {name}:  {}", iri(old)), None),
            (None, None) => self.line(0, '-', &format!("prefix {name}:"), None),
        }
    }
}

/// Summarizes everything on one line.
pub(super) fn summary_line(summary: &Summary) -> String {
    let [old, new] = summary.names.each_ref().map(|name| visible(name));
    let title = match (old.is_empty(), new.is_empty()) {
        (false, false) => format!("{old} -> {new}   "),
        (true, false) => format!("{new}   "),
        (false, true) => format!("{old}   "),
        (true, true) => String::new(),
    };
    let [changed, gone, added] = summary.subjects;
    let mut text = format!(
        "{title}−{} +{} statements; {} subject{} new, {} gone, {} changed",
        grouped(summary.totals.deleted),
        grouped(summary.totals.added),
        grouped(added),
        plural(added),
        grouped(gone),
        grouped(changed)
    );
    if let Some(nodes) = summary.nodes.filter(|nodes| nodes.kept + nodes.new + nodes.gone > 0) {
        text += &format!(
            "; {} blank node{} kept, {} gone, {} new",
            grouped(nodes.kept),
            plural(nodes.kept),
            grouped(nodes.gone),
            grouped(nodes.new)
        );
        if nodes.unsettled > 0 {
            text += &format!(", {} not settled", grouped(nodes.unsettled));
        }
    }
    text
}

/// The note about what was left out, if anything.
pub(super) fn left_out(left: [u64; 3]) -> Option<String> {
    let all: u64 = left.iter().sum();
    let [changed, gone, new] = left.map(grouped);
    let subjects = format!("{} more subject{}", grouped(all), plural(all));
    (all > 0).then(|| format!("… {subjects}: {changed} changed, {gone} gone, {new} new"))
}

fn more_rows(rows: usize) -> String {
    if rows > FEW { format!("  … {} more\n", grouped((rows - FEW) as u64)) } else { String::new() }
}

pub(super) fn plural(number: u64) -> &'static str {
    if number == 1 { "" } else { "s" }
}

/// Cuts a text to a number of columns.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(2)).collect::<String>() + " …"
}

/// Both values, with the words that differ marked.
fn marked(old: &str, new: &str) -> (String, String) {
    let (a, b): (Vec<_>, Vec<_>) = (old.split(' ').collect(), new.split(' ').collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(x, y)| x == y).count();
    let mark = |words: &[&str]| {
        let (head, rest) = words.split_at(start);
        let (middle, tail) = rest.split_at(rest.len() - end);
        let middle = if middle.is_empty() {
            String::new()
        } else {
            format!("\u{1b}[1m{}\u{1b}[22m", middle.join(" "))
        };
        let parts = [head.join(" "), middle, tail.join(" ")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    (mark(&a), mark(&b))
}
