//! N-Triples and N-Quads.

use super::canonical;
use super::lex::{Kind, Lexed, Lexer, Rules, Scratch, Stop};
use super::places::Place;
use super::rows::{Grammar, GrammarState, Halt, Row, TextRows, refuse};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::sink::{RdfRow, RdfSink, Statement, TermSink};
use crate::term::{Term, TermBuf, Triple};

/// What N-Triples and N-Quads may contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinesOptions {
    /// Allow only three terms per statement.
    pub triples: bool,
    /// Allow literals as subject, predicate and graph, and blank nodes as predicate.
    pub generalized: bool,
    /// Allow only what the specification allows: IRIs with a scheme, no `<_:label>`.
    pub strict: bool,
}

/// The rows of N-Triples or N-Quads.
#[derive(Debug)]
pub struct Lines {
    options: LinesOptions,
    rules: Rules,
    statements: StatementReader,
    seq: u64,
}

impl Lines {
    /// Reads a line of canonical terms.
    #[inline(always)]
    fn canonical<'t>(&self, lexer: &mut Lexer<'t>, start: usize, out: &mut impl TermSink<'t>) -> bool {
        let graphs: Option<fn(&str) -> bool> = if self.options.triples { None } else { Some(|_| false) };
        canonical::statement(lexer, out, self.statements.term_bytes, graphs)
            && matches!(lexer.rest(), [b'\n' | b'\r', ..])
            && lexer.is_short_row(start)
    }
}

impl TextRows<Lines> {
    /// Creates a reader of N-Quads or N-Triples.
    pub fn lines(options: LinesOptions, limits: &Limits) -> Self {
        let rules = Rules {
            absolute_iris: options.strict,
            no_angle_labels: options.strict,
            old_triples: !options.strict,
            spaced_tails: true,
            nesting: limits.nesting,
            row_bytes: limits.row_bytes,
            ..Rules::default()
        };
        let statements = StatementReader::new(limits.term_bytes);
        TextRows::new(Lines { options, rules, statements, seq: 0 })
    }

    /// Continues at a place.
    pub(crate) fn enter_lines(options: LinesOptions, place: &Place, limits: &Limits) -> Self {
        let lines = Lines { seq: place.counters.seq, ..TextRows::lines(options, limits).into_grammar() };
        TextRows::at(lines, place.line)
    }
}

impl GrammarState for Lines {
    fn rules(&self) -> Rules {
        self.rules
    }

    fn rows(&self) -> u64 {
        self.seq
    }

    fn begin(&mut self) {
        self.statements.begin();
    }
}

impl<S: RdfSink> Grammar<S> for Lines {
    #[inline]
    fn row(&mut self, lexer: &mut Lexer<'_>, sink: &mut S) -> Result<Row, Halt> {
        let start = lexer.at;
        if let [b'V', ..] = lexer.rest() {
            return self.version(lexer);
        }
        if !self.options.strict
            && let Some(out) = sink.terms(0)
        {
            if self.canonical(lexer, start, out) {
                sink.end_statement(0, self.seq).map_err(|error| at(error, start))?;
                self.statements.last = None;
                self.seq += 1;
                return Ok(Row::Read);
            }
            out.cut();
        }
        self.statement(lexer, start, sink)
    }
}

impl Lines {
    /// Reads a line with terms of any kind and in any form.
    #[inline(never)]
    fn statement<S: RdfSink>(
        &mut self,
        lexer: &mut Lexer<'_>,
        start: usize,
        sink: &mut S,
    ) -> Result<Row, Halt> {
        lexer.at = start;
        let statements = &mut self.statements;
        for place in 0..3 {
            statements.lex(place, lexer)?;
            lexer.skip_blanks();
        }
        if lexer.peek()? == b'.' {
            statements.no_graph();
        } else if self.options.triples {
            return refuse(
                ErrorKind::TextRow,
                lexer.at,
                "expected three terms and a dot in a statement of N-Triples",
            );
        } else {
            statements.lex(3, lexer)?;
            lexer.skip_blanks();
        }
        if lexer.peek()? != b'.' {
            return refuse(ErrorKind::TextRow, lexer.at, "expected a dot at the end of the statement");
        }
        lexer.at += 1;
        lexer.check_row(start)?;
        lexer.skip_blanks();
        if !matches!(lexer.peek()?, b'\n' | b'\r' | b'#') {
            return refuse(ErrorKind::TextRow, lexer.at, "expected one statement on a line");
        }
        if !self.options.generalized {
            statements.refuse_generalized()?;
        }
        let statement = statements.statement(lexer.text);
        sink.statement(&RdfRow { frame: 0, seq: self.seq, statement }).map_err(|error| at(error, start))?;
        statements.read();
        self.seq += 1;
        Ok(Row::Read)
    }

    /// Reads `VERSION "1.2"` (N-Triples 1.2, section 2.5), a line that is not a statement. The version is
    /// ignored, because the lines themselves show which RDF they use.
    #[cold]
    fn version(&mut self, lexer: &mut Lexer<'_>) -> Result<Row, Halt> {
        let start = lexer.at;
        let end = lexer.word_end();
        if end == lexer.text.len() {
            return Err(Stop::End.into());
        }
        if &lexer.text[start..end] != "VERSION" {
            return Err(lexer.no_term::<()>().err().unwrap_or(Stop::End).into());
        }
        lexer.at = end;
        lexer.skip_blanks();
        if lexer.peek()? != b'"' {
            return refuse(ErrorKind::TextRow, lexer.at, "expected a string such as \"1.2\" after VERSION");
        }
        lexer.string(self.statements.scratch(0))?;
        lexer.check_row(start)?;
        lexer.skip_blanks();
        if !matches!(lexer.peek()?, b'\n' | b'\r' | b'#') {
            return refuse(ErrorKind::TextRow, lexer.at, "expected one statement or one VERSION on a line");
        }
        Ok(Row::Read)
    }
}

/// Puts an error of a sink at the start of the row.
#[cold]
pub(super) fn at(error: Error, start: usize) -> Halt {
    Halt::Row(match error.position().offset {
        Some(_) => error,
        None => error.moved_to(start as u64),
    })
}

/// Reads the terms of statements and detects repetitions.
#[derive(Debug)]
pub(super) struct StatementReader {
    lexed: [Lexed; 4],
    scratch: [Scratch; 4],
    /// The terms of the previous statement, in the same text.
    pub(super) last: Option<[Lexed; 4]>,
    pub(super) term_bytes: usize,
}

impl StatementReader {
    pub(super) fn new(term_bytes: usize) -> Self {
        let scratch = Default::default();
        StatementReader { lexed: [Lexed::NONE; 4], scratch, last: None, term_bytes }
    }

    pub(super) fn begin(&mut self) {
        self.last = None;
        self.scratch.iter_mut().for_each(Scratch::shrink);
    }

    /// Reads the term at `place`.
    #[inline(always)]
    pub(super) fn lex(&mut self, place: usize, lexer: &mut Lexer<'_>) -> Result<(), Stop> {
        if let Some(last) = &self.last
            && last[place].repeats_at(lexer.at, lexer.text.as_bytes())
        {
            self.lexed[place] = last[place].moved_to(lexer.at);
            lexer.at = self.lexed[place].end;
            return Ok(());
        }
        let lexed = lexer.term(&mut self.scratch[place])?;
        self.put(place, lexed)
    }

    /// Stores a term that was read in another way.
    #[inline(always)]
    pub(super) fn put(&mut self, place: usize, lexed: Lexed) -> Result<(), Stop> {
        self.check_length(lexed.end - lexed.start, lexed.start)?;
        self.lexed[place] = lexed;
        Ok(())
    }

    /// Rejects a term that is too long and begins at `start`.
    #[inline(always)]
    pub(super) fn check_length(&self, length: usize, start: usize) -> Result<(), Stop> {
        if length <= self.term_bytes { Ok(()) } else { Err(self.too_long(start)) }
    }

    #[cold]
    fn too_long(&self, start: usize) -> Stop {
        let message = format!("a term of more than {} bytes", self.term_bytes);
        let error = Error::limit(ErrorKind::LimitTerm, "term_bytes", message);
        Stop::Bad(error.moved_to(start as u64))
    }

    pub(super) fn scratch(&mut self, place: usize) -> &mut Scratch {
        &mut self.scratch[place]
    }

    pub(super) fn lexed(&self, place: usize) -> (&Lexed, &Scratch) {
        (&self.lexed[place], &self.scratch[place])
    }

    #[inline(always)]
    pub(super) fn no_graph(&mut self) {
        self.lexed[3] = Lexed::NONE;
    }

    /// The statement, with its known repetitions.
    #[inline(always)]
    pub(super) fn statement<'a>(&'a mut self, text: &'a str) -> Statement<'a> {
        let mut statement = Statement::empty();
        if let Some(last) = &self.last {
            for (place, (lexed, last)) in self.lexed.iter().zip(last).enumerate() {
                if lexed.is_same(last, text) {
                    statement.same.set(place);
                }
            }
        }
        for (place, scratch) in self.scratch.iter_mut().enumerate() {
            statement.terms[place] = self.lexed[place].term(text, scratch);
        }
        statement
    }

    /// Updates the state after a statement was delivered.
    #[inline(always)]
    pub(super) fn read(&mut self) {
        self.last = Some(self.lexed);
    }

    /// The graph alone.
    pub(super) fn graph<'a>(&'a mut self, text: &'a str) -> Term<'a> {
        self.lexed[3].term(text, &mut self.scratch[3])
    }

    #[inline(always)]
    pub(super) fn refuse_generalized(&self) -> Result<(), Stop> {
        let [subject, predicate, object, graph] = &self.lexed;
        let is_plain = !subject.is_literal()
            & (predicate.kind == Kind::Iri)
            & !graph.is_literal()
            & (graph.kind != Kind::Triple);
        if is_plain && subject.kind != Kind::Triple && object.kind != Kind::Triple {
            return Ok(());
        }
        self.refuse_odd()
    }

    #[cold]
    fn refuse_odd(&self) -> Result<(), Stop> {
        let [subject, predicate, object, graph] = &self.lexed;
        let wrong = if subject.is_literal() {
            (subject, "a literal cannot be the subject")
        } else if predicate.kind != Kind::Iri {
            (predicate, "the predicate must be an IRI")
        } else if graph.is_literal() || graph.kind == Kind::Triple {
            (graph, "the graph must be an IRI or a blank node")
        } else {
            for (lexed, scratch) in [(subject, &self.scratch[0]), (object, &self.scratch[2])] {
                if lexed.kind == Kind::Triple && scratch.triple().is_some_and(is_generalized) {
                    let message = "the quoted triple is generalized RDF, which this format does not have";
                    return super::lex::bad(ErrorKind::TextGeneralized, lexed.start, message);
                }
            }
            return Ok(());
        };
        let message = format!("{}: this is generalized RDF", wrong.1);
        super::lex::bad(ErrorKind::TextGeneralized, wrong.0.start, message)
    }
}

/// Whether a quoted triple contains generalized terms; the reader has limited its depth.
pub(crate) fn is_generalized(triple: &Triple) -> bool {
    let [subject, predicate, object] = &triple.terms;
    let inside = |term: &TermBuf| matches!(term, TermBuf::Triple(triple) if is_generalized(triple));
    matches!(subject, TermBuf::Literal(_))
        || !matches!(predicate, TermBuf::Iri(_))
        || inside(subject)
        || inside(object)
}

/// Whether a statement is generalized RDF.
pub(crate) fn is_generalized_statement(terms: &[Term<'_>; 4]) -> bool {
    let [subject, predicate, object, graph] = terms;
    let inside = |term: &Term<'_>| matches!(term, Term::Triple(triple) if is_generalized(triple));
    matches!(subject, Term::Literal(_) | Term::DefaultGraph)
        || !matches!(predicate, Term::Iri(_))
        || matches!(object, Term::DefaultGraph)
        || matches!(graph, Term::Literal(_) | Term::Triple(_))
        || inside(subject)
        || inside(object)
}
