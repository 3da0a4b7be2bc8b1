//! Checks RDF/XML before the parser reads it: counts what the parser would allocate, and keeps the case of
//! language tags.

use memchr::{memchr, memchr_iter, memchr3_iter};

use super::entities::Entities;
use super::guarded::{Guard, token_too_long};
use super::labels::{ENTRY, too_deep, too_many};
use super::line_ends::{one_line, push_lines};
use super::literals::{check_attribute, check_characters, refuse_comment};
use super::markup::markup_length;
use super::tags::Tags;
use super::turtle::DEEPER;
use super::work::Work;
use super::written::{Edit, Written, looks_made};
use super::xml_names::{RdfPrefixes, check_name};
use super::xml_text::Between;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// Memory that the parser needs for an element, an attribute or a member of a collection, except the terms.
const ELEMENT: usize = 512;
/// Bytes that each namespace counts for: each name is compared with all namespaces, which takes time.
const NAMESPACE: usize = 32 << 10;

/// How the parser handles the content of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Returns the statements at once.
    Statements,
    /// Keeps the members of a collection until its end.
    Members,
    /// Keeps text until its end.
    Literal,
    /// Keeps statements until its end.
    Kept,
}

impl Content {
    /// Whether the content is kept as a unit.
    fn is_kept(self) -> bool {
        matches!(self, Content::Literal | Content::Kept)
    }
}

/// An open element.
#[derive(Debug)]
struct Element {
    bytes: usize,
    /// Longest text directly in it.
    text: usize,
    namespaces: usize,
    namespace_bytes: usize,
}

/// The effect of a start tag.
struct Start {
    bytes: usize,
    content: Content,
    namespaces: usize,
    namespace_bytes: usize,
    /// The replacements for the language tag and the label, in their order.
    edits: Vec<Edit>,
}

/// Checks RDF/XML before the parser reads it.
pub(super) struct XmlGuard {
    entities: Entities,
    open: Vec<Element>,
    /// Whether the root element has begun.
    rooted: bool,
    /// Bytes of the open elements.
    held: usize,
    namespaces: usize,
    namespace_bytes: usize,
    longest_namespace: usize,
    longest_base: usize,
    /// Bytes of the values of `rdf:ID`, which must be unique.
    ids: usize,
    /// Elements whose content is kept, except those in literals: their depth, the kind of content, and its size.
    kept: Vec<(usize, Content, usize)>,
    /// Bytes of the members that collections keep.
    members: usize,
    /// Bytes of the text since the last tag, and what interrupts it.
    run: usize,
    between: Between,
    rdf_prefixes: RdfPrefixes,
    work: Work,
    nesting: usize,
    most: usize,
    longest: usize,
    tags: Tags,
    written: Written,
}

impl XmlGuard {
    pub(super) fn new(limits: &Limits, tags: Tags, written: Written) -> Self {
        XmlGuard {
            entities: Entities::new(limits.term_bytes, limits.lookup_bytes),
            open: Vec::new(),
            rooted: false,
            held: 0,
            namespaces: 0,
            namespace_bytes: 0,
            longest_namespace: 0,
            longest_base: 0,
            ids: 0,
            kept: Vec::new(),
            members: 0,
            run: 0,
            between: Between::default(),
            rdf_prefixes: RdfPrefixes::default(),
            work: Work::new(limits),
            nesting: limits.nesting,
            most: limits.lookup_bytes,
            longest: limits.term_bytes,
            tags,
            written,
        }
    }

    fn check(&self, bytes: usize, what: &str) -> Result<()> {
        if bytes > self.most { Err(too_many(what, self.most)) } else { Ok(()) }
    }

    /// Processes text between tags.
    fn plain(&mut self, text: &[u8]) -> Result<()> {
        check_characters(text, true)?;
        self.text(text)
    }

    /// Counts text between tags; a reference may be much longer than it looks.
    fn text(&mut self, text: &[u8]) -> Result<()> {
        let length = self.entities.length(text)?;
        self.work.add(length, text.len())?;
        self.run += length;
        if self.run > self.longest.saturating_add(1 << 10) {
            return Err(token_too_long(self.longest));
        }
        if let Some(element) = self.open.last_mut() {
            let more = self.run.saturating_sub(element.text);
            element.text += more;
            self.held += more;
            self.check(self.held, "elements that are open")?;
        }
        // the parser escapes kept text again, with six bytes for one
        let escaped = memchr3_iter(b'"', b'\'', b'&', text).count() + memchr_iter(b'>', text).count();
        self.keep(length + 5 * escaped.max(usize::from(length > text.len()) * length), Content::Kept)
    }

    /// Adds to the content that the parser keeps until the end of an element.
    fn keep(&mut self, bytes: usize, what: Content) -> Result<()> {
        let longest = self.longest.saturating_mul(2);
        match self.kept.last_mut() {
            Some((_, Content::Members, kept)) if what == Content::Members => {
                *kept += bytes;
                self.members += bytes;
                self.check(self.members, "members of a collection")
            }
            Some((_, content, kept)) if content.is_kept() => {
                *kept += bytes;
                if *kept > longest { Err(token_too_long(longest)) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, tag: &[u8]) -> Result<Vec<Edit>> {
        self.run = 0;
        let empty = tag.ends_with(b"/");
        let start = self.tag(tag.strip_suffix(b"/").unwrap_or(tag))?;
        if self.open.is_empty() && std::mem::replace(&mut self.rooted, true) {
            let message = "a second root element; an XML document has only one";
            return Err(Error::new(ErrorKind::TextSyntax, message));
        }
        self.check(start.bytes, "attributes of an element")?;
        self.work.add(start.bytes, tag.len())?;
        let depth = self.open.len();
        // kept content has the subject of the enclosing element; a literal has its tags and all namespaces
        let kept_bytes = match self.kept.last() {
            Some((at, Content::Literal, _)) => {
                2 * tag.len() + if *at == depth { self.namespace_bytes } else { 0 }
            }
            Some((_, Content::Kept, _)) => start.bytes + self.open.last().map_or(0, |element| element.bytes),
            _ => start.bytes,
        };
        self.keep(kept_bytes, Content::Members)?;
        if depth >= self.nesting.saturating_mul(DEEPER) {
            return Err(too_deep("elements", self.nesting, DEEPER));
        }
        self.namespaces += start.namespaces;
        self.namespace_bytes += start.namespace_bytes;
        self.check(self.namespaces * NAMESPACE, "namespaces, of which each counts as 32 KiB,")?;
        self.check(self.namespace_bytes, "namespaces")?;
        self.held += start.bytes;
        self.check(self.held, "elements that are open")?;
        let is_kept = self.kept.last().is_some_and(|(_, content, _)| content.is_kept());
        self.open.push(Element {
            bytes: start.bytes,
            text: 0,
            namespaces: start.namespaces,
            namespace_bytes: start.namespace_bytes,
        });
        if start.content != Content::Statements && !is_kept {
            self.kept.push((self.open.len(), start.content, 0));
        }
        if empty {
            self.end();
        }
        // in a literal a tag keeps its case, and labels then lose their marks
        Ok(start.edits.into_iter().filter(|edit| !is_kept || edit.from == edit.to).collect())
    }

    fn end(&mut self) {
        self.run = 0;
        let depth = self.open.len();
        if let Some(element) = self.open.pop() {
            self.held -= element.bytes + element.text;
            self.namespaces -= element.namespaces;
            self.namespace_bytes -= element.namespace_bytes;
        }
        if self.kept.last().is_some_and(|(at, ..)| *at == depth)
            && let Some((_, Content::Members, bytes)) = self.kept.pop()
        {
            self.members -= bytes;
        }
    }

    /// Whether the following content belongs to an XML literal.
    fn is_literal(&self) -> bool {
        matches!(self.kept.last(), Some((_, Content::Literal, _)))
    }

    /// Counts the effect of a start tag: each name and IRI may begin with the longest namespace or base.
    fn tag(&mut self, tag: &[u8]) -> Result<Start> {
        let space = |b: &u8| b.is_ascii_whitespace();
        let mut start = Start {
            bytes: ELEMENT + tag.len(),
            content: Content::Statements,
            namespaces: 0,
            namespace_bytes: 0,
            edits: Vec::new(),
        };
        let (mut attributes, mut ids, mut subject) = (0_usize, 0, 0);
        let mut other_type = None;
        let is_literal = self.is_literal();
        let mut at = tag.iter().position(space).unwrap_or(tag.len());
        check_name(&tag[..at])?;
        loop {
            at += tag[at..].iter().take_while(|b| space(b)).count();
            let Some(equals) = memchr(b'=', &tag[at..]) else { break };
            let key = tag[at..at + equals].trim_ascii_end();
            at += equals + 1;
            at += tag[at..].iter().take_while(|b| space(b)).count();
            let Some(quote) = tag.get(at).copied().filter(|b| matches!(b, b'"' | b'\'')) else { break };
            let Some(length) = memchr(quote, &tag[at + 1..]) else { break };
            let (from, to) = (at + 1, at + 1 + length);
            let value = &tag[from..to];
            at = to + 1;
            check_name(key)?;
            attributes += 1;
            check_characters(value, true)?;
            if is_literal {
                check_attribute(value, quote)?;
            }
            let length = self.entities.length(value)?;
            start.bytes += length + ELEMENT;
            let local = key.iter().rposition(|b| *b == b':').map_or(key, |colon| &key[colon + 1..]);
            if key == b"xmlns" || key.starts_with(b"xmlns:") {
                self.rdf_prefixes.declare(key, value, &self.entities)?;
                start.namespaces += 1;
                start.namespace_bytes += key.len() + value.len() + ENTRY;
                self.longest_namespace = self.longest_namespace.max(length);
                continue;
            }
            match (key, local) {
                (b"xml:base", _) => self.longest_base = self.longest_base.max(length),
                (b"xml:lang", _) => {
                    let tag = self.tags.stand_in_or_none(value)?;
                    start.edits.extend(tag.map(|text| Edit { from, to, text }));
                }
                (_, b"parseType") => {
                    let content = match value {
                        b"Resource" => Content::Statements,
                        b"Collection" => Content::Members,
                        b"Triple" => Content::Kept,
                        // a reference may produce any of them
                        value if value.contains(&b'&') => Content::Kept,
                        b"Literal" => Content::Literal,
                        _ => {
                            other_type = Some((key, Edit { from, to, text: "Literal".to_owned() }));
                            Content::Literal
                        }
                    };
                    // in case there are two of them
                    start.content = match start.content {
                        Content::Statements => content,
                        _ => Content::Kept,
                    };
                }
                (_, b"ID" | b"about" | b"resource" | b"nodeID") => {
                    subject = length.max(subject);
                    ids += if local == b"ID" { length + 2 * ENTRY } else { 0 };
                    if local == b"nodeID" && self.is_ambiguous(value) {
                        start.edits.push(self.written.edit(from));
                    }
                }
                _ => start.edits.extend(one_line(value).map(|text| Edit { from, to, text })),
            }
        }
        // all other types are as `Literal` (RDF/XML, section 7.2.20); the parser would drop their statements
        if let Some((_, edit)) = other_type.filter(|(key, _)| self.rdf_prefixes.has(key)) {
            start.edits.push(edit);
            start.edits.sort_by_key(|edit| edit.from);
        }
        if ids > 0 {
            self.ids += ids + self.longest_base;
            self.check(self.ids, "values of rdf:ID")?;
        }
        // one statement per attribute, whose subject its children have as well; each is compared with all
        // others
        let term = self.longest_namespace + 2 * self.longest_base + subject;
        let squared = attributes.saturating_mul(attributes);
        start.bytes += (attributes + 2).saturating_mul(term).saturating_add(squared);
        Ok(start)
    }

    /// Whether a label could be one that the library generated: these begin with a letter, like XML names.
    fn is_ambiguous(&self, label: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(label) else { return false };
        let made = if text.contains('&') { self.entities.expand(text) } else { text.to_owned() };
        looks_made(made.as_bytes()) && !made.as_bytes()[0].is_ascii_digit()
    }

    fn markup(&mut self, markup: &[u8]) -> Result<Vec<Edit>> {
        let inner = &markup[1..markup.len() - 1];
        match inner.first() {
            Some(b'!') if inner[1..].starts_with(b"[") => {
                check_characters(inner, false)?;
                self.text(inner)?;
            }
            Some(b'!') if matches!(inner.get(1), Some(b'D' | b'd')) => self.entities.declare(inner)?,
            Some(b'!' | b'?') if self.is_literal() => refuse_comment()?,
            Some(b'!' | b'?') | None => {}
            Some(b'/') => {
                self.keep(inner.len(), Content::Kept)?;
                self.end();
            }
            Some(_) => return self.start(inner),
        }
        Ok(Vec::new())
    }
}

impl Guard for XmlGuard {
    fn pass(&mut self, input: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize> {
        let mut at = 0;
        while at < input.len() {
            let rest = &input[at..];
            let is_markup = rest[0] == b'<';
            let length = if is_markup { markup_length(rest) } else { memchr(b'<', rest) };
            let token = match length {
                Some(length) => &rest[..length],
                None if !last => break,
                None => {
                    push_lines(out, rest);
                    self.between.end(out);
                    return Ok(input.len());
                }
            };
            if token.len() > self.longest.saturating_add(1 << 10) {
                return Err(token_too_long(self.longest));
            }
            let is_text = !self.open.is_empty() && !self.is_literal();
            let edits =
                if is_markup { self.markup(token)? } else { self.plain(token).map(|()| Vec::new())? };
            if is_markup {
                if is_text && self.between.take(token, self.longest, out)? {
                    at += token.len();
                    continue;
                }
                self.between.end(out);
            }
            let mut copied = 0;
            for Edit { from, to, text } in edits {
                // the offsets are relative to the text after the `<`
                push_lines(out, &token[copied..=from]);
                out.extend_from_slice(text.as_bytes());
                copied = 1 + to;
            }
            push_lines(out, &token[copied..]);
            at += token.len();
        }
        if last && !self.open.is_empty() {
            let message = format!("the document ends inside {} elements: it was cut off", self.open.len());
            return Err(Error::new(ErrorKind::TextSyntax, message));
        }
        Ok(at)
    }
}
