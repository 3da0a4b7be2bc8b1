//! Changes as Markdown for a comment on a pull request: tables, then details by class.

#![expect(clippy::format_push_string, reason = "a page is small beside the data that it is made of")]

use super::block::{Block, grouped};
use super::html;
use super::names::{Names, visible};
use super::pages::{Chosen, classes};
use super::summary::Summary;
use super::text::{FEW, Text, cut, plural, summary_line};

/// Number of characters around the blocks of a class, and of its name.
pub(super) const AROUND: usize = 130;
const CLASS: usize = 50;
const RENAMED: usize = 20;

/// Escapes a text for a line of Markdown or a cell of a table.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // no text is a link, a mention or a reference by itself
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            ':' => out.push_str("&#58;"),
            '\n' | '\r' => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Formats a name or a term as code.
fn code(text: &str) -> String {
    if text.contains(['`', '|', '\n', '\r']) || text.trim() != text {
        escaped(text)
    } else {
        format!("`{text}`")
    }
}

/// Formats the summary, with the tables.
pub(super) fn summary(summary: &Summary, names: &Names) -> String {
    let mut out = format!("**{}**\n\n", escaped(&summary_line(summary)));
    if !summary.classes.is_empty() {
        out += "| class | new | gone | changed |\n| --- | ---: | ---: | ---: |\n";
        for (class, [changed, gone, new]) in summary.classes.iter().take(FEW) {
            let class = class.as_ref().map_or("(no class)".to_owned(), |class| names.term(class));
            out += &format!(
                "| {} | {} | {} | {} |\n",
                code(&class),
                grouped(*new),
                grouped(*gone),
                grouped(*changed)
            );
        }
        out += &more("| | | |", summary.classes.len());
    }
    if !summary.predicates.is_empty() {
        out += "| predicate | + | − |\n| --- | ---: | ---: |\n";
        for (predicate, counts) in summary.predicates.iter().take(FEW) {
            let predicate = names.predicate(predicate);
            out += &format!(
                "| {} | {} | {} |\n",
                code(&predicate),
                grouped(counts.added),
                grouped(counts.deleted)
            );
        }
        out += &more("| | |", summary.predicates.len());
    }
    match &summary.renamed {
        None => out += "Renamed? Too many subjects are new or gone to look for renames.\n\n",
        Some(renamed) if !renamed.is_empty() => {
            out += &format!("Renamed? ({})\n\n", grouped(renamed.len() as u64));
            for (from, to, percent) in renamed.iter().take(RENAMED) {
                let [from, to] = [from, to].map(|term| code(&names.term(term)));
                out += &format!("- {from} → {to}, {percent}% the same\n");
            }
            if renamed.len() > RENAMED {
                out += &format!("- … {} more\n", grouped((renamed.len() - RENAMED) as u64));
            }
            out.push('\n');
        }
        Some(_) => {}
    }
    for (name, old, new) in &summary.prefixes {
        let iri = |iri: &Option<String>| iri.as_ref().map_or("nothing".to_owned(), |iri| code(&visible(iri)));
        out += &format!("Prefix {}: from {} to {}\n\n", code(&visible(name)), iri(old), iri(new));
    }
    out
}

fn more(cells: &str, rows: usize) -> String {
    if rows > FEW {
        format!("| … {} more {cells}\n\n", grouped((rows - FEW) as u64))
    } else {
        "\n".to_owned()
    }
}

/// Formats a subject in a diff fence.
pub(super) fn block(block: &Block, names: &Names, folded: bool) -> String {
    let text = Text::new(names, Some(if folded { 200 } else { 2000 }), false);
    // the first character decides the colour of a line in a diff fence
    let body: String = text
        .block(block, folded)
        .lines()
        .map(|line| {
            let spaces = line.len() - line.trim_start().len();
            let rest = &line[spaces..];
            match rest.chars().next() {
                Some(sign @ ('+' | '-')) => format!("{sign}{}{}\n", " ".repeat(spaces), &rest[1..]),
                Some('~') => format!("!{}{}\n", " ".repeat(spaces), &rest[1..]),
                _ => format!(" {line}\n"),
            }
        })
        .collect();
    let ticks = "`".repeat(longest_ticks(&body).max(2) + 1);
    format!("{ticks}diff\n{body}{ticks}\n")
}

fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Groups blocks by class, in `details` elements.
pub(super) fn by_class(blocks: &[Chosen]) -> String {
    let mut out = String::new();
    for ((_, class), blocks) in classes(blocks) {
        let count = blocks.len() as u64;
        // inside HTML, where a backslash escapes nothing
        let class = html::escaped(&cut(class, CLASS)).replace('@', "&#64;");
        out +=
            &format!("<details><summary>{class}: {} subject{}</summary>\n\n", grouped(count), plural(count));
        out += &blocks.concat();
        out += "\n</details>\n\n";
    }
    out
}
