//! The common part of all text readers: UTF-8, lines and columns, and the places where rows may be cut.

use std::str;

use super::lex::{Lex, Lexer, Rules, Stop};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::rows::{RowFormat, RowState, Step};
use crate::sink::Sink;

/// The result of reading the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// A row was read and delivered.
    Read,
    /// A row that the next row implies was delivered; nothing was read.
    Implied,
}

/// The rows of a format.
pub(crate) trait Grammar<S: Sink> {
    /// Reads and delivers the row that begins at the lexer's place, which is not white space.
    ///
    /// `Err` leaves the state unchanged, so that the same row can be read again.
    fn row(&mut self, lexer: &mut Lexer<'_>, sink: &mut S) -> Result<Row, Halt>;

    /// Called when all rows are read. Delivers a row that the end implies; returns whether there was one.
    fn end(&mut self, sink: &mut S) -> Result<bool> {
        let _ = sink;
        Ok(false)
    }
}

/// The part of a grammar that does not depend on the sink.
pub(crate) trait GrammarState {
    /// The rules for terms.
    fn rules(&self) -> Rules;

    /// Rows delivered.
    fn rows(&self) -> u64;

    /// Begins a new text, after which places in the last text are invalid.
    fn begin(&mut self);
}

/// The reason why there is no row.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The text is incomplete or invalid.
    Text(Stop),
    /// The row cannot be delivered.
    Row(Error),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Halt::Text(stop)
    }
}

/// Size of the first window of text, and maximum size while rows come.
const WINDOW: (usize, usize) = (4 << 10, 64 << 10);
/// The byte order mark, which is allowed at the start of a text.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads rows of text, with the grammar `G`.
#[derive(Debug)]
pub struct TextRows<G> {
    grammar: G,
    window: usize,
    line: u64,
    /// Characters of the line that were read.
    column: u64,
    /// Whether the text ends inside a comment.
    in_comment: bool,
}

/// How the text in a window ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// More text may follow.
    Open,
    /// The input ends.
    Input,
    /// Bytes follow that are not UTF-8.
    Wrong,
}

#[expect(private_bounds, reason = "the grammars are ours alone")]
impl<G: GrammarState> TextRows<G> {
    pub(crate) fn new(grammar: G) -> Self {
        TextRows::at(grammar, 1)
    }

    /// Continues at the start of a line.
    pub(crate) fn at(grammar: G, line: u64) -> Self {
        TextRows { grammar, window: WINDOW.0, line, column: 0, in_comment: false }
    }

    pub(crate) fn grammar(&self) -> &G {
        &self.grammar
    }

    /// Returns the grammar and counts a line, for callers that skip a line.
    pub(crate) fn pass_line(&mut self) -> &mut G {
        self.line += 1;
        &mut self.grammar
    }

    pub(crate) fn into_grammar(self) -> G {
        self.grammar
    }

    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Moves the position after text that was read.
    fn advance(&mut self, text: &str) {
        (self.line, self.column) = self.place(text);
    }

    /// The line and the column after a text that follows the current position.
    fn place(&self, text: &str) -> (u64, u64) {
        let bytes = text.as_bytes();
        let Some(last) = memchr::memrchr(b'\n', bytes) else {
            return (self.line, self.column + text.chars().count() as u64);
        };
        let lines = memchr::memchr_iter(b'\n', bytes).count();
        (self.line + lines as u64, text[last + 1..].chars().count() as u64)
    }

    /// Adds the position in the stream to an error; `at` is used if the error has no place.
    #[cold]
    fn located(&self, error: Error, text: &str, offset: u64, at: usize) -> Error {
        let at = error.position().offset.map_or(at, |at| at as usize).min(text.len());
        let (line, column) = self.place(&text[..at]);
        let position = Position { line: Some(line), column: Some(column + 1), ..Position::default() };
        error.moved_to(offset + at as u64).located(&position)
    }

    /// Records that the text ends inside a comment, if the skipped text before a row did not end.
    fn skipped(&mut self, skipped: Lex<()>, lexer: &mut Lexer<'_>, text: &str) {
        self.in_comment = skipped.is_err();
        if self.in_comment {
            lexer.at = text.len();
        }
    }

    /// Reads rows from `text` until the sink is full. `Ok(None)`: not a single row.
    fn read<S: Sink>(&mut self, text: &str, offset: u64, end: End, sink: &mut S) -> Result<Option<usize>>
    where
        G: Grammar<S>,
    {
        let mut lexer = Lexer::new(text, 0, self.grammar.rules());
        self.grammar.begin();
        let (mut done, mut implied) = (0, false);
        if self.in_comment {
            let skipped = lexer.skip_comment();
            self.skipped(skipped, &mut lexer, text);
        }
        let stop = loop {
            if let [b'\n', ..] = lexer.rest() {
                lexer.at += 1;
            }
            if let [b' ' | b'\t' | b'\r' | b'\n' | b'#', ..] = lexer.rest() {
                let skipped = lexer.skip_lines();
                self.skipped(skipped, &mut lexer, text);
            }
            done = lexer.at.max(done);
            if done == text.len() {
                break Stop::End;
            }
            match self.grammar.row(&mut lexer, sink) {
                Ok(row) => {
                    if row == Row::Read {
                        done = lexer.at;
                    } else {
                        implied = true;
                        lexer.at = done;
                    }
                    if sink.is_full() {
                        self.window = WINDOW.0;
                        return Ok(Some(done));
                    }
                }
                Err(Halt::Text(stop)) => break stop,
                Err(Halt::Row(error)) => return Err(self.located(error, text, offset, done)),
            }
        };
        if done > 0 || implied {
            return Ok(Some(done));
        }
        let error = match (stop, end) {
            (Stop::End, End::Open) => return Ok(None),
            (Stop::End, End::Wrong) => Error::new(ErrorKind::TextUtf8, "the text is not UTF-8 here"),
            (Stop::Bad(error), _) if end != End::Input || !is_at_end(&error, text) => {
                return Err(self.located(error, text, offset, 0));
            }
            (_, End::Input) => {
                let error = Error::new(ErrorKind::TruncatedRow, "the input ends inside a row");
                return Err(self.located(error, text, offset, text.len() - 1));
            }
            (Stop::Bad(error), _) => error,
        };
        Err(self.located(error, text, offset, text.len()))
    }
}

impl<G: GrammarState> RowState for TextRows<G> {
    fn rows(&self) -> u64 {
        self.grammar.rows()
    }

    fn place(&self) -> Position {
        Position { line: Some(self.line), column: Some(self.column + 1), ..Position::default() }
    }
}

impl<S: Sink, G: GrammarState + Grammar<S>> RowFormat<S> for TextRows<G> {
    fn row(&mut self, input: &[u8], offset: u64, at_end: bool, sink: &mut S) -> Result<Step> {
        if offset == 0 && input.starts_with(MARK) {
            return Ok(Step::Taken(MARK.len()));
        }
        loop {
            let window = &input[..input.len().min(self.window)];
            let is_all = window.len() == input.len();
            let (text, end) = text_of(window, is_all && at_end);
            // bytes after the window can decide what its text cannot
            let end = if is_all || end == End::Wrong { end } else { End::Open };
            let taken = match end {
                End::Input => {
                    // rows may end at the end of a line, and also at the end of the input
                    let text = [text, "\n"].concat();
                    self.read(&text, offset, end, sink)?.map(|taken| taken.min(text.len() - 1))
                }
                _ => self.read(text, offset, end, sink)?,
            };
            if let Some(taken) = taken {
                self.advance(&text[..taken]);
                if taken == text.len() || !sink.is_full() {
                    self.window = (self.window * 2).min(WINDOW.1.max(self.window));
                }
                return Ok(Step::Taken(taken));
            }
            if is_all {
                return Ok(Step::Short);
            }
            self.window = (self.window * 4).min(input.len());
        }
    }

    fn end(&mut self, sink: &mut S) -> Result<bool> {
        self.grammar.end(sink).map_err(|error| self.located(error, "", 0, 0))
    }
}

/// Whether an error is at the line end that was added to the input, so that something is missing.
fn is_at_end(error: &Error, text: &str) -> bool {
    error.position().offset.is_some_and(|at| at as usize + 1 >= text.len())
}

/// Returns the valid text at the start of `bytes`, and how it ends.
fn text_of(bytes: &[u8], is_all: bool) -> (&str, End) {
    let whole = if is_all { bytes.len() } else { whole_characters(bytes) };
    match simdutf8::compat::from_utf8(&bytes[..whole]) {
        Ok(text) => (text, if is_all { End::Input } else { End::Open }),
        Err(error) => {
            let valid = str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            (valid, End::Wrong)
        }
    }
}

/// The number of bytes without an incomplete character at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let at = bytes.len() - back;
        let length = match bytes[at] {
            0x80..0xc0 => continue,
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            _ => 1,
        };
        return if length > back { at } else { bytes.len() };
    }
    bytes.len()
}

/// Returns an error of a row at its start, if there is no better place.
pub(crate) fn refuse<T>(kind: ErrorKind, at: usize, message: impl Into<String>) -> Result<T, Halt> {
    let stop: Lex<T> = super::lex::bad(kind, at, message);
    stop.map_err(Halt::Text)
}
