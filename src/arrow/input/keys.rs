//! The keys of quads, of record batches.

use std::str::FromStr;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{BinaryArray, RecordBatch};

use super::terms::{GRAPH, Statements};
use crate::blank::{refuse_positions, refuse_scopes};
use crate::error::{Error, ErrorKind, Position, Result, excerpt};
use crate::patch::Keys;
use crate::term::Term;

const COLUMNS: [&str; 4] = ["subject", "predicate", "object", "graph"];

/// Bytes of a key.
pub(super) const KEY: usize = 16;

/// More do not fit into the offsets of a column.
const MOST: u64 = i32::MAX as u64 / KEY as u64;

/// Which labels of blank nodes rows may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// Any.
    #[default]
    Any,
    /// None behind the scope of a source, for a log names nodes of these rows; positions, which no log names, may be there.
    Unscoped,
    /// None behind a scope, and no positions: the rows are compared by their labels.
    Named,
}

impl FromStr for Labels {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "any" => Ok(Labels::Any),
            "unscoped" => Ok(Labels::Unscoped),
            "named" => Ok(Labels::Named),
            _ => {
                let message = format!("labels is {word:?}; it can be \"any\", \"unscoped\", \"named\"");
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }
}

/// What rows must be, beside what any key needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Required {
    /// Texts are the canonical ones of their terms.
    pub canonical: bool,
    /// Each row is a quad.
    pub quads: bool,
    /// Labels of blank nodes.
    pub labels: Labels,
}

/// A column of keys that grows with every batch.
pub struct KeyColumn {
    keys: Keys,
    column: BinaryBuilder,
    rows: u64,
    required: Required,
}

impl KeyColumn {
    /// Of keys under this secret, of rows that are what is required.
    pub fn new(secret: [u8; KEY], required: Required) -> Self {
        let (keys, column) = (Keys::new(secret), BinaryBuilder::new());
        KeyColumn { keys, column, rows: 0, required }
    }

    /// Adds the keys of a batch with the columns `subject`, `predicate`, `object` and `graph`, 16 bytes each, the
    /// high ones first. A null graph is the default graph; a row without any other term has no key.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        for name in COLUMNS {
            if batch.column_by_name(name).is_none() {
                return Err(Error::new(ErrorKind::Argument, format!("there is no column {name:?}")));
            }
        }
        if self.rows + batch.num_rows() as u64 > MOST {
            let message = format!("one column holds the keys of at most {MOST} rows");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let mut statements = Statements::of(batch)?;
        for row in 0..batch.num_rows() {
            let is_quad = self.required.quads || !statements.is_none(row);
            let key = self
                .key(&mut statements, row, is_quad)
                .map_err(|error| error.located(&Position { row: Some(self.rows), ..Position::default() }))?;
            self.column.append_option(key.map(u128::to_be_bytes));
            self.rows += 1;
        }
        Ok(())
    }

    #[inline]
    fn key(&mut self, statements: &mut Statements<'_>, row: usize, is_quad: bool) -> Result<Option<u128>> {
        let Required { canonical, labels, .. } = self.required;
        match is_quad {
            true => statements.read(row)?,
            // a prefix may have a graph
            false if canonical || labels != Labels::Any => statements.read_graph(row)?,
            false => return Ok(None),
        }
        let mut statement = statements.statement();
        if !is_quad {
            statement.terms[..GRAPH].fill(Term::DefaultGraph);
        }
        match labels {
            Labels::Any => {}
            Labels::Unscoped => refuse_scopes(&statement)?,
            Labels::Named => refuse_positions(&statement).and_then(|()| refuse_scopes(&statement))?,
        }
        if !canonical {
            return Ok(is_quad.then_some(self.keys.of(&statement).key));
        }
        let (texts, mut refused) = (statements.texts(), None);
        let see = |place: usize, canonical: &[u8]| {
            let text = texts[place].filter(|_| is_quad || place == GRAPH);
            if let Some(text) = text.filter(|text| *text != canonical) {
                refused.get_or_insert_with(|| not_canonical(place, text, canonical));
            }
        };
        let key = self.keys.of_seen(&statement, see).key;
        refused.map_or(Ok(is_quad.then_some(key)), Err)
    }

    /// The column.
    pub fn finish(mut self) -> BinaryArray {
        self.column.finish()
    }
}

#[cold]
fn not_canonical(place: usize, text: &[u8], canonical: &[u8]) -> Error {
    let [text, canonical] = [text, canonical].map(String::from_utf8_lossy);
    let message = format!(
        "{} is not the canonical text of this term; expected {}",
        excerpt(&text),
        excerpt(&canonical)
    );
    Error::new(ErrorKind::TextTerm, message)
        .with_field(COLUMNS[place].to_owned())
        .with_hint("write the rows with this library, which accepts any spelling, and read them back")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Array, ArrayRef, StringArray};

    use super::*;
    use crate::sink::Statement;
    use crate::term::{TermBuf, Triple};

    const CANONICAL: Required = Required { canonical: true, quads: false, labels: Labels::Any };

    fn batch(rows: &[[Option<String>; 4]]) -> RecordBatch {
        let column = |place: usize| -> ArrayRef {
            Arc::new(rows.iter().map(|row| row[place].clone()).collect::<StringArray>())
        };
        let names = ["subject", "predicate", "object", "graph"];
        RecordBatch::try_from_iter(names.iter().enumerate().map(|(n, name)| (*name, column(n)))).unwrap()
    }

    /// Terms with every kind of odd character, and quoted triples of them.
    fn terms() -> Vec<TermBuf> {
        let strings = [
            "",
            "a",
            "_:a",
            "a b",
            "\"@EN",
            "\\",
            "\n\t\u{0}",
            "<>\"{}|^`\\",
            "ä\u{1f600}",
            "en",
            "EN",
            "1_odd@tag",
            "http://www.w3.org/2001/XMLSchema#string",
        ];
        let mut all = vec![TermBuf::DefaultGraph];
        for text in strings {
            all.extend([TermBuf::iri(text), TermBuf::blank_node(text), TermBuf::simple_literal(text)]);
            for other in strings {
                all.push(TermBuf::language_literal(text, other));
                all.push(TermBuf::typed_literal(text, other));
            }
        }
        for place in 0..all.len() {
            let inner = all[place].clone();
            if inner != TermBuf::DefaultGraph {
                let terms = [TermBuf::iri("a:s"), TermBuf::iri("a:p"), inner];
                all.push(TermBuf::Triple(Box::new(Triple { terms })));
            }
        }
        all
    }

    #[test]
    fn columns_have_the_keys_of_their_terms() {
        let terms = terms();
        let quads: Vec<[&TermBuf; 4]> = (0..terms.len())
            .map(|n| [1, 7, 31].map(|step| &terms[1 + n * step % (terms.len() - 1)]))
            .zip(terms.iter().cycle().skip(11))
            .map(|([s, p, o], graph)| [s, p, o, graph])
            .collect();
        let rows: Vec<_> =
            quads.iter().map(|quad| quad.map(|term| Some(term.as_term().to_string()))).collect();
        let mut column = KeyColumn::new([5; 16], CANONICAL);
        column.push(&batch(&rows[..100])).unwrap();
        column.push(&batch(&rows[100..])).unwrap();
        let (column, mut keys, mut texts) = (column.finish(), Keys::new([5; 16]), Keys::new([5; 16]));
        for (row, quad) in quads.iter().enumerate() {
            let expected = keys.of(&Statement::of(quad.map(TermBuf::as_term)));
            assert_eq!(column.value(row), expected.key.to_be_bytes(), "{:?}", rows[row]);
            let of_texts = texts.of_texts(std::array::from_fn(|place| rows[row][place].as_deref().unwrap()));
            assert_eq!(of_texts, expected, "{:?}", rows[row]);
        }
        assert!(column.len() == quads.len() && quads.len() > 500);
    }

    #[test]
    fn what_means_the_same_has_the_same_key() {
        let row = |object: &str| ["<a:s>", "<a:p>", object, ""].map(|text| Some(text.to_owned()));
        let mut column = KeyColumn::new([1; 16], Required::default());
        let mut null_graph = row("\"x\"@en");
        null_graph[3] = None;
        let xsd = format!("\"x\"^^<{}>", crate::term::XSD_STRING);
        let rows = [row("\"x\"@en"), row("\"\\u0078\"@EN"), null_graph, row("\"x\""), row(&xsd)];
        column.push(&batch(&rows)).unwrap();
        let keys = column.finish();
        assert!(keys.value(0) == keys.value(1) && keys.value(0) == keys.value(2));
        assert!(keys.value(3) == keys.value(4) && keys.value(3) != keys.value(0));
    }

    #[test]
    fn texts_that_are_not_canonical_are_refused_where_that_is_asked_for() {
        let canonical = ["<a:s>", "<a:p>", "\"x\"@EN", "<a:g>"];
        let xsd = format!("\"x\"^^<{}>", crate::term::XSD_STRING);
        let nested = format!("<<( <a:s> <a:p> {xsd} )>>");
        let others = [
            (2, xsd.as_str(), "\"x\""),
            (2, "\"\\u0078\"@en", "\"x\"@en"),
            (2, "\"a\nb\"", "\"a\\nb\""),
            (2, &nested, "<<( <a:s> <a:p> \"x\" )>>"),
            (0, "<a:\\u0073>", "<a:s>"),
            (3, "<a:\\u0067>", "<a:g>"),
        ];
        for (place, text, expected) in others {
            let mut row = canonical.map(|text| Some(text.to_owned()));
            row[place] = Some(text.to_owned());
            let rows = batch(&[canonical.map(|text| Some(text.to_owned())), row]);
            KeyColumn::new([0; 16], Required::default()).push(&rows).unwrap();
            let error = KeyColumn::new([0; 16], CANONICAL).push(&rows).unwrap_err();
            assert_eq!((error.kind(), error.position().row), (ErrorKind::TextTerm, Some(1)), "{text}");
            assert_eq!(error.field(), Some(COLUMNS[place]));
            assert!(error.message().contains(&format!("expected {};", excerpt(expected))), "{error}");
        }
    }

    #[test]
    fn rows_without_terms_have_no_key_and_half_a_quad_is_refused() {
        let quad = ["<a:s>", "<a:p>", "<a:o>", "<a:g>"].map(|text| Some(text.to_owned()));
        let mut prefix = quad.clone();
        prefix[..3].fill(None);
        let mut column = KeyColumn::new([0; 16], Required::default());
        column.push(&batch(&[quad.clone(), prefix, [const { None }; 4]])).unwrap();
        let mut half = quad.clone();
        half[1] = None;
        let error = column.push(&batch(&[quad.clone(), half])).unwrap_err();
        assert_eq!((error.kind(), error.position().row), (ErrorKind::EncodeRow, Some(4)));
        let mut bad = quad;
        bad[2] = Some("o".into());
        assert_eq!(
            KeyColumn::new([0; 16], Required::default()).push(&batch(&[bad])).unwrap_err().kind(),
            ErrorKind::TextTerm
        );
        let without = batch(&[]).project(&[0, 1, 3]).unwrap();
        let error = KeyColumn::new([0; 16], Required::default()).push(&without).unwrap_err();
        assert_eq!(error.message(), "there is no column \"object\"");
        let keys = column.finish();
        assert_eq!((keys.is_null(0), keys.is_null(1), keys.is_null(2)), (false, true, true));
    }

    #[test]
    fn labels_that_mean_nothing_elsewhere_are_refused_where_that_is_asked_for() {
        let quad =
            |object: &str, graph: &str| ["<a:s>", "<a:p>", object, graph].map(|text| Some(text.to_owned()));
        let prefix = |graph: &str| [None, None, None, Some(graph.to_owned())];
        let position = "_:s0123456789abcdef_anon-7";
        let scoped = "_:s0123456789abcdef_pump";
        let nested = "<<( <a:s> <a:p> _:s0123456789abcdeff3_pump )>>";
        // whether rows are rejected that hold names of one source; and that are compared by labels
        let rows = [
            (quad("_:b", "_:g"), false, false),
            (quad(&format!("\"{scoped}\""), ""), false, false),
            (quad(position, ""), false, true),
            (quad(scoped, ""), true, true),
            (quad(nested, ""), true, true),
            (quad("<a:o>", scoped), true, true),
            (prefix("_:g"), false, false),
            (prefix(position), false, true),
            (prefix(scoped), true, true),
        ];
        for (row, unscoped, named) in rows {
            for (labels, refused) in
                [(Labels::Any, false), (Labels::Unscoped, unscoped), (Labels::Named, named)]
            {
                let mut column = KeyColumn::new([0; 16], Required { labels, ..Required::default() });
                // the terms of the row before are not those of a prefix
                column.push(&batch(&[quad("<a:o>", "")])).unwrap();
                let outcome = column.push(&batch(std::slice::from_ref(&row))).map_err(|error| error.kind());
                assert_eq!(
                    outcome,
                    if refused { Err(ErrorKind::PatchLabels) } else { Ok(()) },
                    "{row:?} {labels:?}"
                );
            }
        }
    }

    #[test]
    fn rows_that_are_no_quads_are_refused_where_quads_are_required() {
        let required = Required { quads: true, ..CANONICAL };
        let error = KeyColumn::new([0; 16], required).push(&batch(&[[const { None }; 4]])).unwrap_err();
        assert_eq!((error.kind(), error.position().row), (ErrorKind::EncodeRow, Some(0)));
    }
}
