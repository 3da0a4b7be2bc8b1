//! Checks JSON-LD before the parser reads it: counts what the parser would allocate, and keeps the case of
//! language tags.

use memchr::memchr2;

use super::contexts::Contexts;
use super::guarded::token_too_long;
use super::labels::too_deep;
use super::tags::{Tags, is_tag};
use super::written::{Written, check_json_id, strip};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// Memory that the parser needs for a value and its statement, except the terms; needed again for each
/// enclosing level.
const EVENT: usize = 640;
const LEVEL: usize = 64;
/// The parser reads objects by recursion.
const DEEPER: usize = 2;

/// The kind of a token, and the depth of arrays and objects after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Space,
    Key,
    Comma,
    Open,
    Close,
    Other,
}

/// An open array or object.
#[derive(Debug, Default)]
struct Open {
    object: bool,
    /// Whether the next string is a key.
    key_next: bool,
    key: Vec<u8>,
    /// The term of a context that this object defines.
    term: Vec<u8>,
    /// Whether this is in the value of `@context`, and whether it is that value itself.
    context: bool,
    outermost: bool,
    /// Whether the keys are language tags.
    languages: bool,
}

impl Open {
    /// Whether the next value is the base of a context. Without a base, the parser would drop statements with
    /// relative IRIs.
    fn is_base(&self) -> bool {
        self.context && self.object && strip(&self.key, b"@", b"\\u0040") == Some(b"base")
    }
}

/// What the statements of the current nodes may have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    pub(super) bytes: usize,
    longest_id: usize,
    longest_key: usize,
    contexts: Contexts,
}

/// The tokens of a document.
pub(super) struct JsonScan {
    open: Vec<Open>,
    pub(super) cost: Cost,
    nesting: usize,
    longest: usize,
    tags: Tags,
    written: Written,
}

/// A token: its kind, its length, and the replacement for the part between its quotes, or for the whole
/// token.
pub(super) struct Found {
    pub(super) token: Token,
    pub(super) length: usize,
    pub(super) stand_in: Option<String>,
}

impl JsonScan {
    pub(super) fn new(limits: &Limits, tags: Tags, written: Written) -> Self {
        JsonScan {
            open: Vec::new(),
            cost: Cost::default(),
            nesting: limits.nesting,
            longest: limits.term_bytes,
            tags,
            written,
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The key of the next value, in the enclosing object.
    pub(super) fn key(&self) -> &[u8] {
        self.open.last().map_or(b"", |open| &open.key)
    }

    /// Reads the token at the start of `input`; `None` if more bytes are needed to find its end.
    pub(super) fn token(&mut self, input: &[u8], last: bool) -> Result<Option<Found>> {
        let mut stand_in = None;
        let (token, length) = match input[0] {
            b' ' | b'\t' | b'\r' | b'\n' => {
                let space = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
                (Token::Space, input.iter().take_while(space).count())
            }
            b'{' | b'[' => {
                self.begin(input[0] == b'{')?;
                (Token::Open, 1)
            }
            b'}' | b']' => {
                self.end()?;
                (Token::Close, 1)
            }
            b',' => {
                if let Some(open) = self.open.last_mut() {
                    open.key_next = open.object;
                }
                (Token::Comma, 1)
            }
            b':' => (Token::Other, 1),
            b'"' => {
                let Some(length) = string_length(input) else {
                    if input.len() > self.longest.saturating_add(2) {
                        return Err(token_too_long(self.longest));
                    }
                    return Ok(last.then_some(Found { token: Token::Other, length: input.len(), stand_in }));
                };
                if length > self.longest.saturating_add(2) {
                    return Err(token_too_long(self.longest));
                }
                (self.string(&input[1..length - 1], &mut stand_in)?, length)
            }
            _ => {
                let ends = |b: &u8| {
                    matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b'"' | b'{' | b'}' | b'[' | b']')
                };
                let length = 1 + input[1..].iter().take_while(|b| !ends(b)).count();
                if length > self.longest {
                    return Err(token_too_long(self.longest));
                }
                if length == input.len() && !last {
                    return Ok(None);
                }
                self.add(length);
                check_number(&input[..length])?;
                if &input[..length] == b"null" && self.open.last().is_some_and(Open::is_base) {
                    stand_in = Some(self.written.base());
                }
                (Token::Other, length)
            }
        };
        Ok(Some(Found { token, length, stand_in }))
    }

    /// Counts a value: its statement has a subject, a predicate and a graph.
    fn add(&mut self, length: usize) {
        let name = self.cost.contexts.longest();
        let terms = 3 * (name + self.cost.longest_key) + 2 * self.cost.longest_id;
        let bytes = EVENT + LEVEL * self.open.len() + 2 * length + terms;
        self.cost.bytes = self.cost.bytes.saturating_add(bytes);
    }

    fn begin(&mut self, object: bool) -> Result<()> {
        if self.open.len() >= self.nesting.saturating_mul(DEEPER) {
            return Err(too_deep("arrays and objects", self.nesting, DEEPER));
        }
        self.add(0);
        let mut new = Open { object, key_next: object, ..Open::default() };
        if let Some(around) = self.open.last() {
            // a key with an escape may be any key
            let is_context = around.object && (around.key == b"@context" || around.key.contains(&b'\\'));
            new.context = around.context || is_context;
            new.outermost = is_context && !around.context;
            self.cost.contexts.scoped |= around.context && is_context;
            if around.context && !is_context {
                new.term = if around.key.starts_with(b"@") || !around.object {
                    around.term.clone()
                } else {
                    around.key.clone()
                };
            }
            new.languages = object && !new.context && self.cost.contexts.language_maps.contains(&around.key);
            // an array has the key of the enclosing object
            if !object {
                new.key.clone_from(&around.key);
            }
        }
        if object && !new.context && self.cost.contexts.scoped {
            self.cost.bytes = self.cost.bytes.saturating_add(self.cost.contexts.copied());
        }
        self.open.push(new);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if self.open.pop().is_some_and(|open| open.outermost) {
            self.cost.bytes = self.cost.bytes.saturating_add(self.cost.contexts.end()?);
        }
        Ok(())
    }

    fn string(&mut self, text: &[u8], stand_in: &mut Option<String>) -> Result<Token> {
        *stand_in = self.written.marked_json(text);
        let Some(open) = self.open.last_mut() else {
            self.add(text.len());
            return Ok(Token::Other);
        };
        if open.key_next {
            open.key_next = false;
            open.key.clear();
            open.key.extend_from_slice(text);
            if open.languages && stand_in.is_none() {
                *stand_in = self.tags.stand_in(text)?;
            }
            if open.context {
                self.cost.contexts.key(text);
            }
            self.cost.longest_key = self.cost.longest_key.max(text.len());
            let bytes = 2 * text.len() + self.cost.contexts.longest() + LEVEL * self.open.len();
            self.cost.bytes = self.cost.bytes.saturating_add(bytes);
            return Ok(Token::Key);
        }
        let contexts = &mut self.cost.contexts;
        if open.key == b"@language" && !is_tag(text) {
            let tag: String = String::from_utf8_lossy(text).chars().take(64).collect();
            return Err(Error::new(ErrorKind::TextLanguage, format!("{tag:?} is not a language tag")));
        }
        if stand_in.is_none() && (open.key == b"@language" || contexts.languages.contains(&open.key)) {
            *stand_in = self.tags.stand_in(text)?;
        }
        if open.context || open.object && open.key.contains(&b'\\') {
            let term = if open.key.starts_with(b"@") || !open.object { &open.term } else { &open.key };
            contexts.value(&open.key, term, text);
        } else if open.key == b"@id" || open.key.contains(&b'\\') || contexts.ids.contains(&open.key) {
            self.cost.longest_id = self.cost.longest_id.max(text.len());
            if open.key == b"@id" {
                check_json_id(text)?;
            }
        }
        self.add(text.len());
        Ok(Token::Other)
    }
}

/// Rejects a whole number from 1e20 on and below 1e21, which the library reads as a double: it is an integer (JSON-LD 1.1 API,
/// Object to RDF Conversion).
fn check_number(token: &[u8]) -> Result<()> {
    if token.len() < 4 || !matches!(token[0], b'-' | b'0'..=b'9') {
        return Ok(());
    }
    let number: Option<f64> = std::str::from_utf8(token).ok().and_then(|text| text.parse().ok());
    if number.is_some_and(|number| (1e20..1e21).contains(&number.abs())) {
        let text = String::from_utf8_lossy(&token[..token.len().min(64)]);
        let message = format!(
            "the number {text} is an integer, but would be read as a double; write it as a string, with its datatype"
        );
        return Err(Error::new(ErrorKind::TextSyntax, message));
    }
    Ok(())
}

/// Size of the string that begins here, including its quotes.
fn string_length(input: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', input.get(at..)?)?;
        if input[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}
