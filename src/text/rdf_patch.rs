//! RDF Patch text, whose rows consist of tokens, not of lines.

use super::canonical;
use super::lex::{Lexer, Rules, Scratch, Stop, bad};
use super::nquads::{StatementReader, at};
use super::patch_words::{end_row, hint, keyword_end, name, namespace, no_keyword};
use super::places::Place;
use super::rows::{Grammar, GrammarState, Halt, Row, TextRows};
use super::v1::Tuples;
use crate::default_graph::{begins_default_graph, is_default_graph};
use crate::error::{ErrorKind, Result};
use crate::limits::Limits;
use crate::rows::check_kept;
use crate::sink::{PatchEnd, PatchOp, PatchSink, Statement, TermSink};
use crate::term::Term;
use crate::transaction::Numbering;

/// The dialect of RDF Patch to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PatchDialect {
    /// Everything that the specification allows or Jena reads.
    #[default]
    Any,
    /// Only what the specification allows: terms of N-Triples, no generalized RDF, headers before
    /// transactions, prefix names that Turtle allows, no `TB` and no `Z`.
    Strict,
    /// Also RDF Patch v1 (RDF Tuples): `R`, `@prefix`, prefixed names.
    V1,
}

/// The rows of RDF Patch text.
#[derive(Debug)]
pub struct RdfPatch {
    dialect: PatchDialect,
    rules: Rules,
    numbering: Numbering,
    statements: StatementReader,
    /// The state of v1.
    tuples: Tuples,
    /// Bytes that may be kept from row to row.
    most_kept: usize,
    name: Scratch,
    value: Scratch,
}

impl TextRows<RdfPatch> {
    /// Creates a reader of RDF Patch; `strict` rejects unfinished and stray transactions.
    pub fn patch(dialect: PatchDialect, strict: bool, limits: &Limits) -> Self {
        let is_strict = dialect == PatchDialect::Strict;
        let rules = Rules {
            odd_iris: !is_strict,
            absolute_iris: is_strict,
            no_angle_labels: false,
            quotes: !is_strict,
            bare: !is_strict,
            old_triples: !is_strict,
            free_lines: true,
            spaced_tails: true,
            raw_lines: false,
            odd_tags: false,
            nesting: limits.nesting,
            row_bytes: limits.row_bytes,
        };
        TextRows::new(RdfPatch {
            dialect,
            rules,
            numbering: Numbering::new(strict || is_strict),
            statements: StatementReader::new(limits.term_bytes),
            tuples: Tuples::new(limits.lookup_bytes),
            most_kept: limits.kept_bytes(),
            name: Scratch::default(),
            value: Scratch::default(),
        })
    }
}

impl TextRows<RdfPatch> {
    /// Continues at a place.
    pub(crate) fn enter_patch(dialect: PatchDialect, strict: bool, place: &Place, limits: &Limits) -> Self {
        let start = TextRows::patch(dialect, strict, limits).into_grammar();
        let strict = strict || dialect == PatchDialect::Strict;
        let mut numbering = Numbering::new(strict);
        numbering.go_on(place.counters, place.has_changes);
        TextRows::at(RdfPatch { numbering, ..start }, place.line)
    }
}

impl RdfPatch {
    pub(super) fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    pub(super) fn pass_change(&mut self) {
        self.numbering.pass_change();
    }
}

impl GrammarState for RdfPatch {
    fn rules(&self) -> Rules {
        self.rules
    }

    fn rows(&self) -> u64 {
        self.numbering.rows()
    }

    fn begin(&mut self) {
        self.statements.begin();
        self.name.shrink();
        self.value.shrink();
    }
}

impl<S: PatchSink> Grammar<S> for RdfPatch {
    #[inline]
    fn row(&mut self, lexer: &mut Lexer<'_>, sink: &mut S) -> Result<Row, Halt> {
        let start = lexer.at;
        match *lexer.rest() {
            [word @ (b'A' | b'D'), b' ' | b'<', ..] => self.change(lexer, start, word == b'A', sink),
            [_, _, ..] => self.other(lexer, start, sink),
            _ => Err(Stop::End.into()),
        }
    }

    fn end(&mut self, sink: &mut S) -> Result<bool> {
        self.numbering.end_of_input(sink)
    }
}

impl RdfPatch {
    /// Reads `A` or `D`, three terms and an optional graph.
    #[inline(always)]
    fn change<S: PatchSink>(
        &mut self,
        lexer: &mut Lexer<'_>,
        start: usize,
        adds: bool,
        sink: &mut S,
    ) -> Result<Row, Halt> {
        lexer.at = start + 1;
        if self.dialect == PatchDialect::V1 {
            return self.tuple(lexer, start, adds, sink);
        }
        let row = self.numbering.numbers();
        if self.dialect == PatchDialect::Any
            && let Some(out) = sink.terms(row)
        {
            if self.canonical(lexer, start, out) {
                self.numbering.pass_change();
                sink.end_change(adds, row).map_err(|error| at(error, start))?;
                self.statements.last = None;
                return Ok(Row::Read);
            }
            out.cut();
        }
        self.statement(lexer, start, adds, sink)
    }

    /// Like [`Self::change`], for terms of any kind and in any form.
    #[inline(never)]
    fn statement<S: PatchSink>(
        &mut self,
        lexer: &mut Lexer<'_>,
        start: usize,
        adds: bool,
        sink: &mut S,
    ) -> Result<Row, Halt> {
        lexer.at = start + 1;
        for place in 0..3 {
            lexer.skip_lines()?;
            self.statements.lex(place, lexer).map_err(|stop| hint(stop, lexer))?;
        }
        self.graph(lexer)?;
        end_row(lexer, start)?;
        if self.dialect == PatchDialect::Strict {
            self.statements.refuse_generalized()?;
        }
        let statement = self.statements.statement(lexer.text);
        self.numbering.row(change(adds, statement), sink).map_err(|error| at(error, start))?;
        self.statements.read();
        Ok(Row::Read)
    }

    /// Reads the statement of a row from canonical terms.
    #[inline(always)]
    fn canonical<'t>(&self, lexer: &mut Lexer<'t>, start: usize, out: &mut impl TermSink<'t>) -> bool {
        lexer.at = start + 2;
        lexer.text.as_bytes()[start + 1] == b' '
            && canonical::statement(lexer, out, self.statements.term_bytes, Some(begins_default_graph))
            && lexer.is_short_row(start)
    }

    /// Reads a statement whose terms may be repetitions and prefixed names.
    #[inline(never)]
    fn tuple<S: PatchSink>(
        &mut self,
        lexer: &mut Lexer<'_>,
        start: usize,
        adds: bool,
        sink: &mut S,
    ) -> Result<Row, Halt> {
        let mut repeats = [false; 4];
        for (place, repeats) in repeats.iter_mut().enumerate() {
            lexer.skip_lines()?;
            if place == 3 && lexer.peek()? == b'.' {
                self.statements.no_graph();
                break;
            }
            *repeats =
                self.tuples.lex(place, lexer, &mut self.statements).map_err(|stop| hint(stop, lexer))?;
        }
        if !repeats[3] {
            self.check_graph(lexer)?;
        }
        end_row(lexer, start)?;
        self.tuples.remember(lexer.text, &self.statements, repeats);
        // the terms are copied now and may be long
        self.statements.begin();
        let read = self.kept(start, sink)?;
        let statement = self.tuples.statement();
        self.numbering.row(change(adds, statement), sink).map_err(|error| at(error, start))?;
        Ok(read)
    }

    /// Ends a row; returns an error if too much would be kept for the next rows.
    fn kept<S: PatchSink>(&self, start: usize, sink: &S) -> Result<Row, Halt> {
        // in other dialects the limits are checked where data is kept
        if self.dialect == PatchDialect::V1 {
            check_kept(self.tuples.kept_bytes() + sink.kept_bytes(), self.most_kept)
                .map_err(|error| at(error, start))?;
        }
        Ok(Row::Read)
    }

    /// Reads the graph of a row, if there is one before its dot.
    #[inline(always)]
    fn graph(&mut self, lexer: &mut Lexer<'_>) -> Result<(), Stop> {
        lexer.skip_lines()?;
        if lexer.peek()? == b'.' {
            self.statements.no_graph();
            return Ok(());
        }
        self.statements.lex(3, lexer).map_err(|stop| hint(stop, lexer))?;
        self.check_graph(lexer)
    }

    #[inline(always)]
    fn check_graph(&mut self, lexer: &Lexer<'_>) -> Result<(), Stop> {
        let (lexed, scratch) = self.statements.lexed(3);
        match lexed.whole(lexer.text, scratch) {
            Term::Triple(_) => bad(ErrorKind::TextTerm, lexed.start, "a quoted triple cannot be the graph"),
            Term::Iri(iri) if is_default_graph(&iri) => {
                self.statements.no_graph();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reads a row that begins with another word.
    #[inline(never)]
    fn other<S: PatchSink>(
        &mut self,
        lexer: &mut Lexer<'_>,
        start: usize,
        sink: &mut S,
    ) -> Result<Row, Halt> {
        if self.dialect == PatchDialect::V1 && lexer.peek()? == b'@' {
            self.tuples.declare(lexer, &mut self.value)?;
            lexer.check_row(start)?;
            return self.kept(start, sink);
        }
        let end = keyword_end(lexer)?;
        let word = &lexer.text[start..end];
        lexer.at = end;
        let op = match word {
            "A" | "D" => return self.change(lexer, start, word == "A", sink),
            "H" => return self.header(lexer, start, sink),
            "PA" => return self.prefix(lexer, start, true, sink),
            "PD" => return self.prefix(lexer, start, false, sink),
            "TX" => PatchOp::Begin,
            "TC" => PatchOp::Commit,
            "TA" => PatchOp::Abort,
            "TB" | "Z" if self.dialect == PatchDialect::Strict => {
                let message = format!(
                    "{word} is a keyword of Jena, but not of the specification: read the file without strict"
                );
                return Ok(bad(ErrorKind::TextKeyword, start, message)?);
            }
            "TB" => PatchOp::Begin,
            "Z" => PatchOp::End(PatchEnd::Mark),
            _ => return no_keyword(lexer, start, word),
        };
        end_row(lexer, start)?;
        self.numbering.row(op, sink).map_err(|error| at(error, start))?;
        Ok(Row::Read)
    }

    /// Reads `H key value .`
    fn header<S: PatchSink>(
        &mut self,
        lexer: &mut Lexer<'_>,
        start: usize,
        sink: &mut S,
    ) -> Result<Row, Halt> {
        lexer.skip_lines()?;
        let key = name(lexer, &mut self.name, "the key of a header must be a word or a string")?;
        lexer.skip_lines()?;
        let value = lexer.term(&mut self.value).map_err(|stop| hint(stop, lexer))?;
        let behind = lexer.at;
        lexer.skip_lines()?;
        let goes_on = !lexer.text.as_bytes()[behind..lexer.at].contains(&b'\n');
        if goes_on || lexer.peek()? == b'.' || self.dialect == PatchDialect::Strict {
            end_row(lexer, start)?;
        } // otherwise it is from rdflib, which omits the dot
        if self.dialect == PatchDialect::Strict && self.numbering.in_transaction() {
            bad(ErrorKind::TextRow, start, "a header must come before the transactions of its patch")?;
        }
        if self.numbering.end_before_header(sink).map_err(|error| at(error, start))? {
            return Ok(Row::Implied);
        }
        let key = key.string(lexer.text, &self.name);
        let value = value.term(lexer.text, &mut self.value);
        self.numbering.row(PatchOp::Header { key, value }, sink).map_err(|error| at(error, start))?;
        Ok(Row::Read)
    }

    /// Reads `PA name iri graph? .` or `PD name graph? .`; a string in a `PD` is the namespace, except in
    /// strict mode.
    fn prefix<S: PatchSink>(
        &mut self,
        lexer: &mut Lexer<'_>,
        start: usize,
        adds: bool,
        sink: &mut S,
    ) -> Result<Row, Halt> {
        lexer.skip_lines()?;
        let label = name(lexer, &mut self.name, "a prefix must be a string, or a word without a colon")?;
        lexer.skip_lines()?;
        let is_strict = self.dialect == PatchDialect::Strict;
        let iri = if adds || matches!(lexer.peek()?, b'"' | b'\'') {
            if is_strict && !adds {
                bad(ErrorKind::TextRow, lexer.at, "PD must have only a name, without a namespace")?;
            }
            Some(namespace(lexer, &mut self.value)?)
        } else {
            None
        };
        self.graph(lexer)?;
        let graph = self.statements.lexed(3).0;
        if graph.is_literal() {
            bad(ErrorKind::TextTerm, graph.start, "a literal cannot be the graph of a prefix")?;
        }
        end_row(lexer, start)?;
        let name = label.string(lexer.text, &self.name);
        let iri = match iri.map(|iri| iri.term(lexer.text, &mut self.value)) {
            Some(Term::Iri(iri)) => Some(iri),
            _ => None,
        };
        let graph = self.statements.graph(lexer.text);
        let op = match iri {
            Some(iri) if adds => PatchOp::AddPrefix { name, iri, graph },
            iri => PatchOp::DeletePrefix { name, iri, graph },
        };
        self.numbering.row(op, sink).map_err(|error| at(error, start))?;
        self.kept(start, sink)
    }
}

#[inline(always)]
fn change(adds: bool, statement: Statement<'_>) -> PatchOp<'_> {
    if adds { PatchOp::Add(statement) } else { PatchOp::Delete(statement) }
}
