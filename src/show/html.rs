//! Changes as HTML: a page that needs no network, or a fragment of a page.
//!
//! All text is escaped. Only IRIs that begin with `http://` or `https://` are links, with `rel="noopener
//! noreferrer nofollow"`. No attribute has other text of the data. A page has a single script, the filter
//! box, which its `Content-Security-Policy` allows by its hash; everything can be read without it. A fragment
//! has no script and no style. Its classes begin with `jelly-`, and a page with fragments can use [`STYLE`].

#![expect(clippy::format_push_string, reason = "a page is small beside the data that it is made of")]

use std::fmt::Write;

use super::block::{Block, Entry, Value, grouped};
use super::gathered::iri_of;
use super::names::{Names, visible};
use super::pages::{Chosen, classes};
use super::summary::Summary;
use super::text::{plural, summary_line};
use crate::term::TermBuf;

/// The style of pages and fragments.
pub const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("filter.js");
/// Maximum number of rows of a table.
const MANY: usize = 15;
/// Maximum number of characters of a value that are shown.
const LONG: usize = 2000;

/// Escapes a text between tags.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Formats a term as a link to its IRI.
fn link(term: &TermBuf, shown: &str) -> String {
    match iri_of(term).filter(|iri| iri.starts_with("http://") || iri.starts_with("https://")) {
        Some(iri) => {
            format!(
                "<a href=\"{}\" rel=\"noopener noreferrer nofollow\">{}</a>",
                escaped(iri),
                escaped(shown)
            )
        }
        None => escaped(shown),
    }
}

fn long(text: &str) -> String {
    if text.chars().count() <= LONG {
        return escaped(text);
    }
    escaped(&(text.chars().take(LONG).collect::<String>() + " …"))
}

fn value(one: &Value, names: &Names) -> String {
    match one {
        Value::Term(term) if iri_of(term).is_some() => link(term, &names.term(term)),
        other => long(&other.text(names)),
    }
}

/// Formats a subject, with its old and new values side by side.
pub(super) fn block(block: &Block, names: &Names) -> String {
    let name = block.name(names);
    let subject = if block.head.is_empty() { link(&block.subject, &name) } else { escaped(&name) };
    let label = block.label.as_ref().map(|label| names.term(label)).unwrap_or_default();
    let classes: Vec<_> = block.classes.iter().map(|class| names.term(class)).collect();
    let graph = block.graph.as_ref().map(|graph| format!(" in {}", names.term(graph))).unwrap_or_default();
    let mut out = format!(
        "<section class=\"jelly-subject jelly-{}\">\n<h3><span class=\"jelly-sign\">{}</span> {subject} \
         <span class=\"jelly-label\">{}</span> <span class=\"jelly-classes\">{}{}</span></h3>\n<table>\n",
        block.mark.name(),
        block.mark.sign(),
        escaped(&label),
        escaped(&classes.join(", ")),
        escaped(&graph),
    );
    rows(&block.entries, 0, names, &mut out);
    if block.more > 0 {
        let (count, s) = (grouped(block.more), plural(block.more));
        // writing to a string cannot fail
        let _ = writeln!(out, "<tr><td colspan=\"4\" class=\"jelly-more\">… {count} more row{s}</td></tr>");
    }
    out += "</table>\n</section>\n";
    out
}

fn rows(entries: &[Entry], depth: usize, names: &Names, out: &mut String) {
    let depth_class = format!("jelly-depth-{}", depth.min(8));
    let path_of = |path: &Option<TermBuf>| {
        path.as_ref().map_or("item".to_owned(), |path| link(path, &names.predicate(path)))
    };
    for entry in entries {
        // writing to a string cannot fail
        let _ = match entry {
            Entry::Change { op, path, graph, old, new } => {
                let [old, new] =
                    [old, new].map(|one| one.as_ref().map(|one| value(one, names)).unwrap_or_default());
                let graph =
                    graph.as_ref().map(|graph| format!(" in {}", names.term(graph))).unwrap_or_default();
                writeln!(
                    out,
                    "<tr class=\"jelly-{}\"><td class=\"jelly-sign\">{}</td><td class=\"jelly-path {depth_class}\">{}{}</td>\
                     <td class=\"jelly-old\">{old}</td><td class=\"jelly-new\">{new}</td></tr>",
                    op.name(),
                    op.sign(),
                    path_of(path),
                    escaped(&graph),
                )
            }
            Entry::Moved(count) => writeln!(
                out,
                "<tr class=\"jelly-inside\"><td class=\"jelly-sign\">↕</td><td class=\"jelly-path {depth_class}\">item</td>\
                 <td colspan=\"2\">{} items moved</td></tr>",
                grouped(*count as u64),
            ),
            Entry::Inside { path, head, entries } => {
                let _ = writeln!(
                    out,
                    "<tr class=\"jelly-inside\"><td class=\"jelly-sign\"></td><td class=\"jelly-path {depth_class}\">{}</td>\
                     <td colspan=\"2\">{}</td></tr>",
                    path_of(path),
                    long(&head.text(names)),
                );
                rows(entries, depth + 1, names, out);
                Ok(())
            }
            Entry::See { path, subject } => writeln!(
                out,
                "<tr class=\"jelly-inside\"><td class=\"jelly-sign\"></td><td class=\"jelly-path {depth_class}\">{}</td>\
                 <td colspan=\"2\">see {}</td></tr>",
                path_of(path),
                link(subject, &names.term(subject)),
            ),
        };
    }
}

/// Groups blocks by class, in sections that can be folded.
pub(super) fn by_class(blocks: &[Chosen]) -> Vec<String> {
    let mut pieces = Vec::new();
    for ((_, class), blocks) in classes(blocks) {
        let count = blocks.len() as u64;
        pieces.push(format!(
            "<details class=\"jelly-class\" open>\n<summary>{}: {} subject{}</summary>\n",
            escaped(class),
            grouped(count),
            plural(count)
        ));
        pieces.extend(blocks.into_iter().map(str::to_owned));
        pieces.push("</details>\n".to_owned());
    }
    pieces
}

/// Writes the page around the blocks.
pub(super) struct Html<'a> {
    pub(super) names: &'a Names,
    pub(super) summary: &'a Summary,
    pub(super) fragment: bool,
}

impl Html<'_> {
    pub(super) fn begin(&self) -> String {
        let line = escaped(&summary_line(self.summary));
        let mut out = String::new();
        if !self.fragment {
            let hash = base64(&sha256(SCRIPT.as_bytes()));
            out = format!(
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                 <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
                 script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
                 <title>{line}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
            );
        }
        out += &format!("<div class=\"jelly-diff\">\n<p class=\"jelly-summary\">{line}</p>\n");
        out += "<div class=\"jelly-counts\">\n";
        out += &self.classes();
        out += &self.predicates();
        out += "</div>\n";
        out += &self.renamed();
        out += &self.prefixes();
        if !self.fragment {
            out += "<p><input id=\"jelly-filter\" type=\"search\" placeholder=\"filter\" aria-label=\"filter\" hidden></p>\n";
        }
        out
    }

    pub(super) fn end(&self) -> String {
        if self.fragment {
            return "</div>\n".to_owned();
        }
        format!("</div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")
    }

    fn classes(&self) -> String {
        let each = self.summary.classes.iter().take(MANY).map(|(class, [changed, gone, new])| {
            let class =
                class.as_ref().map_or("(no class)".to_owned(), |one| link(one, &self.names.term(one)));
            let [new, gone, changed] = [new, gone, changed].map(|count| grouped(*count));
            format!("<tr><td>{class}</td><td>{new}</td><td>{gone}</td><td>{changed}</td></tr>\n")
        });
        let head = "<tr><th>class</th><th>new</th><th>gone</th><th>changed</th></tr>\n";
        table(head, each.collect(), self.summary.classes.len())
    }

    fn predicates(&self) -> String {
        let each = self.summary.predicates.iter().take(MANY).map(|(predicate, counts)| {
            let [added, deleted] = [counts.added, counts.deleted].map(grouped);
            let predicate = link(predicate, &self.names.predicate(predicate));
            format!("<tr><td>{predicate}</td><td>{added}</td><td>{deleted}</td></tr>\n")
        });
        let head = "<tr><th>predicate</th><th>+</th><th>−</th></tr>\n";
        table(head, each.collect(), self.summary.predicates.len())
    }

    fn renamed(&self) -> String {
        let Some(renamed) = &self.summary.renamed else {
            return "<p>renamed? Too many subjects are new or gone to look for renames.</p>\n".to_owned();
        };
        let each = renamed.iter().take(MANY).map(|(from, to, percent)| {
            let [from, to] = [from, to].map(|term| link(term, &self.names.term(term)));
            format!("<tr><td>{from}</td><td>{to}</td><td>{percent}%</td></tr>\n")
        });
        table("<tr><th>renamed?</th><th>to</th><th>the same</th></tr>\n", each.collect(), renamed.len())
    }

    fn prefixes(&self) -> String {
        let prefixes = &self.summary.prefixes;
        let each = prefixes.iter().take(MANY).map(|(name, old, new)| {
            let [old, new] = [old, new].map(|iri| escaped(iri.as_deref().unwrap_or_default()));
            format!(
                "<tr><td>{}:</td><td class=\"jelly-old\">{old}</td><td class=\"jelly-new\">{new}</td></tr>\n",
                escaped(name)
            )
        });
        table("<tr><th>prefix</th><th>old</th><th>new</th></tr>\n", each.collect(), prefixes.len())
    }
}

fn table(head: &str, rows: Vec<String>, all: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let more = if all > rows.len() {
        format!("<tr><td>… {} more</td></tr>\n", grouped((all - rows.len()) as u64))
    } else {
        String::new()
    };
    format!("<table>\n{head}{}{more}</table>\n", rows.concat())
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).to_vec()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}
