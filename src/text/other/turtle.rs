//! Checks Turtle and `TriG` before the parser reads them: counts what the parser would hold, and keeps the
//! case of language tags.

use std::collections::HashMap;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter};

use super::guarded::Guard;
use super::iris::{check_escape, check_iri, check_line};
use super::labels::{ENTRY, too_deep, too_many};
use super::pieces::Place;
use super::tags::{Shifts, Tags};
use super::work::Work;
use super::written::{Edit, Written, looks_made};
use crate::error::{Position, Result};
use crate::limits::Limits;
use crate::scan::has_scheme;

/// Lists, property lists and graphs may be nested this much deeper than quoted triples, because lists of
/// lists are common.
pub(super) const DEEPER: usize = 32;
/// Memory that the parser needs for a level, except the terms.
const LEVEL: usize = 1 << 10;
/// Maximum size of a tag that is checked.
const TAG: usize = 4 << 10;

/// The kind of the current place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outside,
    Iri,
    Comment,
    String { quote: u8, long: bool },
}

/// Checks Turtle or `TriG` before the parser reads it.
pub(super) struct TurtleGuard {
    state: State,
    /// Number of bytes of the string that the state is in.
    bytes: usize,
    /// Bytes of the object that an annotation would hold, except its IRIs.
    object: usize,
    /// The text before the IRI: a directive, or a prefix and its colon.
    word: Vec<u8>,
    /// Whether a string just ended, so that `@` begins a language tag.
    after_string: bool,
    /// Open quoted triples, and open brackets of other kinds.
    quoted: usize,
    brackets: usize,
    /// Sizes of literals that are held for open annotations.
    annotated: Vec<usize>,
    annotated_bytes: usize,
    /// Maximum size of the base, and of the longest IRI that the parser creates.
    base: usize,
    longest_iri: usize,
    longest_name: usize,
    prefixes: HashMap<Vec<u8>, usize>,
    prefix_bytes: usize,
    work: Work,
    nesting: usize,
    most: usize,
    tags: Tags,
    written: Written,
    shifts: Shifts,
    /// The place up to which the document was read.
    place: Place,
    /// Number of bytes passed on, and of line ends in them; whether the last byte was a carriage return.
    handed: u64,
    lines: u64,
    carriage: bool,
}

/// Whether a byte ends a name or number.
fn ends_word(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'<' | b'>' | b'[' | b']' | b'(' | b')' | b'{' | b'}')
        || matches!(b, b'"' | b'\'' | b'#' | b'@' | b'^' | b',' | b';' | b'|' | b'~')
}

/// The label in a word, and where it begins; a number and the end of a statement may precede it.
fn label_in(word: &[u8]) -> Option<(usize, &[u8])> {
    let number = |b: &u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    let at = word.windows(2).position(|two| two == b"_:")?;
    let before = &word[..at];
    let alone = before.is_empty()
        || before.ends_with(b".") && before.iter().all(number) && !before[0].is_ascii_alphabetic();
    let label = &word[at + 2..];
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.') || *b >= 0x80;
    let end = label.iter().position(|b| !is_part(b)).unwrap_or(label.len());
    let end = label[..end].iter().rposition(|b| *b != b'.').map_or(0, |last| last + 1);
    alone.then_some((at + 2, &label[..end]))
}

impl TurtleGuard {
    pub(super) fn new(limits: &Limits, tags: Tags, written: Written, shifts: Shifts) -> Self {
        TurtleGuard {
            state: State::Outside,
            bytes: 0,
            object: 0,
            word: Vec::new(),
            after_string: false,
            quoted: 0,
            brackets: 0,
            annotated: Vec::new(),
            annotated_bytes: 0,
            base: 0,
            longest_iri: 0,
            longest_name: 0,
            prefixes: HashMap::new(),
            prefix_bytes: 0,
            work: Work::new(limits),
            nesting: limits.nesting,
            most: limits.lookup_bytes,
            tags,
            written,
            shifts,
            place: Place::default(),
            handed: 0,
            lines: 0,
            carriage: false,
        }
    }

    /// Size of three names of the longest kind.
    fn terms(&self) -> usize {
        3 * (self.longest_iri + self.longest_name)
    }

    /// Checks the memory of the parser at this depth: subject, predicate and object of each level.
    fn check_depth(&self) -> Result<()> {
        if self.quoted > self.nesting {
            return Err(too_deep("quoted triples", self.nesting, 1));
        }
        if self.brackets > self.nesting.saturating_mul(DEEPER) {
            return Err(too_deep("lists, property lists and graphs", self.nesting, DEEPER));
        }
        let level = LEVEL + self.terms();
        if (self.quoted + self.brackets) * level + self.annotated_bytes > self.most.max(level) {
            return Err(too_many("terms of statements that are nested", self.most));
        }
        Ok(())
    }

    fn end_iri(&mut self, iri: &[u8]) -> Result<()> {
        check_iri(iri, self.base > 0)?;
        let bound = iri.len() + if has_scheme(iri) { 0 } else { self.base };
        self.work.add(bound, iri.len())?;
        self.longest_iri = self.longest_iri.max(bound);
        if self.word.eq_ignore_ascii_case(b"base") {
            self.base = bound;
        } else if let Some(name) = self.word.strip_suffix(b":")
            && self.prefixes.get(name).is_none_or(|known| *known < bound)
        {
            let new = name.len() + bound + ENTRY;
            let old = self.prefixes.insert(name.to_vec(), bound);
            self.prefix_bytes += new - old.map_or(0, |old| name.len() + old + ENTRY);
            if self.prefix_bytes > self.most {
                return Err(too_many("prefixes", self.most));
            }
        }
        self.word.clear();
        Ok(())
    }

    /// Continues in a token that began before; returns the number of bytes read, and whether the token ends
    /// in `input`.
    fn inside(&mut self, input: &[u8]) -> Result<(usize, bool)> {
        let all = input.len();
        Ok(match self.state {
            State::Iri => match memchr(b'>', input) {
                Some(end) => {
                    self.end_iri(&input[..end])?;
                    (end + 1, true)
                }
                // an IRI is read as a whole
                None => (0, false),
            },
            State::Comment => match memchr2(b'\n', b'\r', input) {
                Some(end) => (end, true),
                None => (all, false),
            },
            State::String { quote, long } => {
                let mut at = 0;
                let end = loop {
                    let Some(found) = memchr2(quote, b'\\', &input[at..]) else { break (all, false) };
                    at += found;
                    let ahead = match (input[at], long) {
                        (b'\\', _) => 2,
                        (_, false) => break (at + 1, true),
                        (_, true) => 3,
                    };
                    if at + ahead > all {
                        break (at, false);
                    }
                    if ahead == 3 && input[at + 1] == quote && input[at + 2] == quote {
                        break (at + 3, true);
                    }
                    at += if ahead == 2 { 2 } else { 1 };
                };
                if !long {
                    check_line(&input[..end.0])?;
                }
                self.bytes += end.0;
                if end.1 {
                    self.after_string = true;
                    self.object = self.bytes + if self.quoted > 0 { self.object } else { 0 };
                }
                end
            }
            State::Outside => (0, true),
        })
    }

    /// Reads a token that begins here, or the certain part of it; 0 requests more bytes.
    fn outside(&mut self, input: &[u8], last: bool, edit: &mut Option<Edit>) -> Result<usize> {
        let next = |i: usize| input.get(i).copied();
        let b = input[0];
        let after_string = self.after_string && matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'#' | b'@');
        self.after_string = after_string && b != b'@';
        match b {
            b' ' | b'\t' | b'\r' | b'\n' => return Ok(1),
            b'#' => self.state = State::Comment,
            b'<' | b'"' | b'\'' if next(1).is_none() && !last => return Ok(0),
            b'<' if next(1) == Some(b'<') => {
                if self.quoted == 0 {
                    self.object = 0;
                }
                self.quoted += 1;
                self.check_depth()?;
                return Ok(2);
            }
            b'<' => self.state = State::Iri,
            b'>' if next(1).is_none() && !last => return Ok(0),
            b'>' if next(1) == Some(b'>') => {
                self.quoted = self.quoted.saturating_sub(1);
                self.object += self.terms();
                return Ok(2);
            }
            b'"' | b'\'' if next(1) == Some(b) => {
                if next(2).is_none() && !last {
                    return Ok(0);
                }
                if next(2) != Some(b) {
                    self.after_string = true;
                    return Ok(2);
                }
                self.state = State::String { quote: b, long: true };
                self.bytes = 0;
                return Ok(3);
            }
            b'"' | b'\'' => {
                self.state = State::String { quote: b, long: false };
                self.bytes = 0;
            }
            b'[' | b'(' | b'{' => {
                if b == b'{' && next(1).is_none() && !last {
                    return Ok(0);
                }
                if b == b'{' && next(1) == Some(b'|') {
                    self.annotated.push(self.object);
                    self.annotated_bytes += self.object;
                }
                self.brackets += 1;
                self.check_depth()?;
            }
            b']' | b')' | b'}' => self.brackets = self.brackets.saturating_sub(1),
            b'|' if next(1).is_none() && !last => return Ok(0),
            b'|' if next(1) == Some(b'}') => {
                self.object = self.annotated.pop().unwrap_or(0);
                self.annotated_bytes -= self.object;
            }
            b'@' if after_string => return self.tag(input, last, edit),
            b'>' | b'@' | b'^' | b',' | b';' | b'|' | b'~' => {}
            _ => return self.word(input, last, edit),
        }
        Ok(1)
    }

    fn word(&mut self, input: &[u8], last: bool, edit: &mut Option<Edit>) -> Result<usize> {
        let mut end = 0;
        while let Some(b) = input.get(end) {
            match b {
                // an escaped character does not end a name
                b'\\' => {
                    end += 1;
                    check_escape(input.get(end))?;
                }
                b if ends_word(*b) => break,
                _ => {}
            }
            end += 1;
        }
        if end >= input.len() && !last {
            return Ok(0);
        }
        let end = end.min(input.len());
        self.longest_name = self.longest_name.max(end);
        self.word.clear();
        if end <= 4 || input[end - 1] == b':' {
            self.word.extend_from_slice(&input[..end]);
        } else if let Some((at, label)) = label_in(&input[..end])
            && looks_made(label)
        {
            *edit = Some(self.written.edit(at));
        }
        Ok(end)
    }

    /// Reads a language tag after a string.
    fn tag(&mut self, input: &[u8], last: bool, edit: &mut Option<Edit>) -> Result<usize> {
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'-';
        let end = 1 + input[1..].iter().take(TAG).take_while(|b| is_part(b)).count();
        if end == input.len() && !last {
            self.after_string = true;
            return Ok(0);
        }
        // a direction is not part of it
        let language = &input[1..end];
        let language =
            &language[..language.windows(2).position(|two| two == b"--").unwrap_or(language.len())];
        let to = 1 + language.len();
        *edit = self.tags.stand_in(language)?.map(|text| Edit { from: 1, to, text });
        Ok(1 + language.len())
    }

    /// Counts lines as the parser does.
    fn count(&mut self, handed: &[u8]) {
        let feeds = memchr2_iter(b'\n', b'\r', handed).count();
        let pairs = memchr_iter(b'\r', handed).filter(|at| handed.get(at + 1) == Some(&b'\n')).count();
        let split = usize::from(self.carriage && handed.first() == Some(&b'\n'));
        self.lines += (feeds - pairs - split) as u64;
        self.carriage = handed.last().map_or(self.carriage, |b| *b == b'\r');
        self.handed += handed.len() as u64;
    }

    fn walk(&mut self, input: &[u8], last: bool, out: &mut Vec<u8>) -> (usize, Result<()>) {
        let (mut at, mut copied) = (0, 0);
        let mut result = Ok(());
        while at < input.len() {
            if self.state != State::Outside {
                match self.inside(&input[at..]) {
                    Ok((n, ended)) => {
                        at += n;
                        if !ended {
                            break;
                        }
                        self.state = State::Outside;
                    }
                    Err(error) => {
                        result = Err(error);
                        break;
                    }
                }
                continue;
            }
            let mut edit = None;
            match self.outside(&input[at..], last, &mut edit) {
                Ok(0) => break,
                Ok(n) => {
                    if let Some(Edit { from, to, text }) = edit {
                        self.count(&input[copied..at + from]);
                        out.extend_from_slice(&input[copied..at + from]);
                        out.extend_from_slice(text.as_bytes());
                        self.handed += text.len() as u64;
                        let longer = text.len() as i64 - (to - from) as i64;
                        self.shifts.add(self.handed, self.lines, longer);
                        copied = at + to;
                    }
                    at += n;
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.count(&input[copied..at]);
        out.extend_from_slice(&input[copied..at]);
        (at, result)
    }
}

impl Guard for TurtleGuard {
    fn pass(&mut self, input: &[u8], last: bool, out: &mut Vec<u8>) -> Result<usize> {
        let (taken, result) = self.walk(input, last, out);
        self.place.step(&input[..taken]);
        // for an IRI, the bracket was consumed
        let bracket = u64::from(self.state == State::Iri);
        let Place { offset, line, column } = self.place;
        let position = Position {
            offset: Some(offset - bracket),
            line: Some(line + 1),
            column: Some(column + 1 - bracket),
            ..Position::default()
        };
        result.map(|()| taken).map_err(|error| error.located(&position))
    }
}
