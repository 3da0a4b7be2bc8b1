//! Writes SPARQL Update (SPARQL 1.1 Update, section 3.1.3): operations that change a store only while it is
//! at a certain version of a log.
//!
//! The version of a store is in a separate graph. Each operation checks it in its `WHERE`, so an operation
//! that arrives late, or a second time, changes nothing. Rows of patches in this graph are rejected.

use super::nquads::is_generalized_statement;
use super::out::check;
use super::write::TermWriter;
use crate::buffer::TextBuffer;
use crate::default_graph::refuse_graph_of_stores;
use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::scan::{has_scheme, is_plain_iri};
use crate::sink::Statement;
use crate::term::{LiteralKind, Term};

/// Maximum number of rows in one operation: some stores build a tree of them that is as deep.
const ROWS: usize = 1000;
/// Maximum size of one operation in bytes, plus one row.
const BYTES: usize = 256 << 10;
/// The graph of what a store says.
const LOGS: &str = "urn:jelly:logs";

/// The version of a log that a store has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreVersion {
    /// The number of the version.
    pub version: u64,
    /// The identity of the id of its patch; empty: the patch has no id.
    pub patch: String,
}

/// How a store records the version of a log.
#[derive(Clone, Debug)]
pub struct StoreLog {
    log: String,
    /// The start of the IRIs that replace blank nodes; empty: the store gets no blank nodes.
    start: String,
    /// What the place of the log is compared by.
    place: String,
}

impl StoreLog {
    /// Creates the record of the log with this IRI at a place. Its blank nodes become IRIs that begin with `start`,
    /// if it is not empty.
    ///
    /// # Errors
    /// `encode.term`: a store would read the IRI as another one.
    pub fn new(log: &str, start: &str, place: &str) -> Result<Self> {
        check_iri(log)?;
        Ok(StoreLog { log: log.to_owned(), start: start.to_owned(), place: place.to_owned() })
    }

    /// The query for what a store records: `version`, `patch` and `start`, at most one row; whether it records this
    /// place (`here`), and whether its default graph has the rows of all graphs (`union`).
    pub fn query(&self) -> String {
        format!(
            "SELECT ?version ?patch ?start (EXISTS {{ {here} }} AS ?here) (EXISTS {{ <{log}> <urn:jelly:version> ?any \
             }} AS ?union) WHERE {{ GRAPH <{LOGS}> {{ <{log}> <urn:jelly:version> ?version ; <urn:jelly:patch> ?patch ; \
             <urn:jelly:skolemize> ?start }} }}",
            here = self.stands(&format!("<{}>", self.log)),
            log = self.log,
        )
    }

    /// The query for the logs that a store records for this place and has data of, as `log`.
    pub fn logs_here(&self) -> String {
        let version = "<urn:jelly:version> ?version";
        let here = self.stands("?log");
        format!("SELECT ?log WHERE {{ {here} GRAPH <{LOGS}> {{ ?log {version} }} FILTER (?version > 0) }}")
    }

    /// The update that records the first version and the place in a store, if it records nothing of the log.
    pub fn begin(&self, at: &StoreVersion) -> String {
        format!(
            "INSERT {{ {} GRAPH <{LOGS}> {{ <{log}> <urn:jelly:skolemize> {} ; <urn:jelly:place> {} }} }} WHERE {{ FILTER \
             NOT EXISTS {{ GRAPH <{LOGS}> {{ <{log}> ?p ?o }} }} }}",
            self.says(at),
            string(&self.start),
            string(&self.place),
            log = self.log,
        )
    }

    /// The update that records this place too, in a store that records a version.
    pub fn here(&self, at: &StoreVersion) -> String {
        let here = self.stands(&format!("<{}>", self.log));
        format!("INSERT {{ {here} }} WHERE {{ {} }}", self.says(at))
    }

    /// The operation that records the next version in a store.
    pub fn step(&self, from: &StoreVersion, to: &StoreVersion) -> String {
        let from = self.says(from);
        format!("DELETE {{ {from} }} INSERT {{ {} }} WHERE {{ {from} }}", self.says(to))
    }

    fn says(&self, at: &StoreVersion) -> String {
        let StoreVersion { version, patch } = at;
        let patch = string(patch);
        format!(
            "GRAPH <{LOGS}> {{ <{}> <urn:jelly:version> {version} ; <urn:jelly:patch> {patch} }}",
            self.log
        )
    }

    fn stands(&self, log: &str) -> String {
        format!("GRAPH <{LOGS}> {{ {log} <urn:jelly:place> {} }}", string(&self.place))
    }
}

/// Writes rows as operations for a store at one version.
#[derive(Debug)]
pub struct UpdateWriter {
    at: String,
    deletes: Quads,
    inserts: Quads,
    rows: usize,
}

impl UpdateWriter {
    /// Creates a writer for stores at the version `at`; deletes name the default graph `default`, if it needs a name.
    pub fn new(log: &StoreLog, at: &StoreVersion, default: Option<&str>) -> Self {
        let default = default.map(|iri| format!("<{iri}>"));
        let deletes = Quads { default, ..Quads::default() };
        UpdateWriter { at: log.says(at), deletes, inserts: Quads::default(), rows: 0 }
    }

    /// Rejects a row that cannot be written in SPARQL.
    ///
    /// # Errors
    /// The errors of [`UpdateWriter::row`].
    pub fn check(statement: &Statement<'_>) -> Result<()> {
        if is_generalized_statement(&statement.terms) {
            return Err(Error::new(
                ErrorKind::EncodeGeneralized,
                "SPARQL Update cannot hold generalized RDF",
            ));
        }
        if let Term::Iri(graph) = &statement.terms[3]
            && graph.to_string() == LOGS
        {
            let message = format!("a row in the graph <{LOGS}> would change what a store says of its logs");
            return Err(Error::new(ErrorKind::EncodeTerm, message).with_hint(
                "leave this graph out of patches, such as those of a dump of a store that follows a log",
            ));
        }
        refuse_graph_of_stores(&statement.terms[3])?;
        statement.terms.iter().try_for_each(check_term)
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The row cannot be written in SPARQL: `patch.blank`, `encode.generalized`, `encode.language`,
    /// `encode.term`.
    pub fn row(&mut self, statement: &Statement<'_>, adds: bool) -> Result<()> {
        Self::check(statement)?;
        self.rows += 1;
        (if adds { &mut self.inserts } else { &mut self.deletes }).push(statement);
        Ok(())
    }

    /// Whether the operation is large enough.
    pub fn is_full(&self) -> bool {
        self.rows >= ROWS || self.deletes.text.len() + self.inserts.text.len() >= BYTES
    }

    /// The operation with the rows so far; `None` without rows.
    pub fn take(&mut self) -> Option<String> {
        if self.rows == 0 {
            return None;
        }
        self.rows = 0;
        let mut operation = String::new();
        for (word, quads) in [("DELETE", &mut self.deletes), ("INSERT", &mut self.inserts)] {
            if quads.text.len() > 0 {
                operation += &[word, " {\n", &quads.take(), "}\n"].concat();
            }
        }
        Some(format!("{operation}WHERE {{ {} }}", self.at))
    }
}

/// Quads between braces.
#[derive(Debug, Default)]
struct Quads {
    text: TextBuffer,
    /// The graph whose braces are open.
    graph: Option<String>,
    /// What the default graph is called, if it needs a name.
    default: Option<String>,
}

impl Quads {
    fn push(&mut self, statement: &Statement<'_>) {
        let [terms @ .., graph] = &statement.terms;
        let graph = match graph {
            Term::DefaultGraph => self.default.clone(),
            graph => Some(graph.to_string()),
        };
        if graph != self.graph {
            self.close();
            if let Some(graph) = &graph {
                self.text.push(&format!("GRAPH {graph} {{\n"));
            }
            self.graph = graph;
        }
        let start = self.text.len();
        for term in terms {
            TermWriter::new(&mut self.text).term(term);
            self.text.push_byte(b' ');
        }
        self.text.push(".\n");
        if self.text.as_bytes()[start..].contains(&b'\\') {
            let row = escaped_once(&String::from_utf8_lossy(&self.text.as_bytes()[start..]));
            self.text.truncate(start);
            self.text.push(&row);
        }
    }

    fn close(&mut self) {
        if self.graph.take().is_some() {
            self.text.push("}\n");
        }
    }

    fn take(&mut self) -> String {
        self.close();
        let text = String::from_utf8_lossy(self.text.as_bytes()).into_owned();
        self.text.clear();
        text
    }
}

/// A string in quotes.
fn string(text: &str) -> String {
    let mut out = TextBuffer::default();
    TermWriter::new(&mut out).string(&[text]);
    escaped_once(&String::from_utf8_lossy(out.as_bytes()))
}

/// Escapes text so that no literal backslash is followed by `u`: SPARQL reads `\u0022` before its grammar
/// applies (SPARQL 1.1 Query, section 19.2), and not every store counts the backslashes before it.
fn escaped_once(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('\\') {
        let end = at + 2; // the character after a backslash is ASCII
        out += &rest[..end];
        rest = &rest[end..];
        if out.ends_with("\\\\")
            && let Some(c @ ('u' | 'U')) = rest.chars().next()
        {
            out += if c == 'u' { "\\u0075" } else { "\\u0055" };
            rest = &rest[1..];
        }
    }
    out + rest
}

/// Rejects terms that SPARQL cannot hold, or that a store would read as other terms.
fn check_term(term: &Term<'_>) -> Result<()> {
    match term {
        Term::BlankNode(label) => {
            let message = format!("SPARQL Update cannot name the blank node {} of a store", excerpt(label));
            Err(Error::new(ErrorKind::PatchBlank, message).with_hint(
                "write blank nodes as IRIs from the first patch on (skolemize=, --skolemize START)",
            ))
        }
        Term::Iri(iri) => check_iri(&iri.to_string()),
        Term::Literal(literal) => {
            if let LiteralKind::Datatype(datatype) = literal.kind {
                check_iri(datatype.iri())?;
            }
            check(term, false)
        }
        Term::Triple(triple) => triple.terms.iter().try_for_each(|term| check_term(&term.as_term())),
        Term::DefaultGraph => Ok(()),
    }
}

/// Rejects IRIs that SPARQL would change. It resolves IRIs like links of a page (RFC 3986, section 5.2): a
/// relative IRI becomes an IRI of the server, and dot segments are removed.
fn check_iri(iri: &str) -> Result<()> {
    let (what, hint) = if !is_plain_iri(iri) {
        ("has a character that is not allowed in IRIs", "correct the IRI in the data")
    } else if !has_scheme(iri.as_bytes()) {
        (
            "is not absolute, and the server would resolve it to another IRI",
            "make the IRI absolute in the data",
        )
    } else if has_dots(iri) {
        ("has a segment of dots, which SPARQL would remove", "correct the IRI in the data")
    } else {
        return Ok(());
    };
    let message = format!("SPARQL Update cannot hold the IRI <{}>: it {what}", excerpt(iri));
    Err(Error::new(ErrorKind::EncodeTerm, message).with_hint(hint))
}

/// Whether the path of an absolute IRI has a segment `.` or `..`.
fn has_dots(iri: &str) -> bool {
    let path = iri.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once(':').map_or(path, |(_, path)| path);
    path.split('/').any(|segment| matches!(segment, "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::TermBuf;

    fn operation(terms: [&str; 4]) -> Result<String> {
        let terms = terms.map(|text| TermBuf::from_text(text).unwrap());
        let log = StoreLog::new("urn:uuid:1", "", "").unwrap();
        let mut writer =
            UpdateWriter::new(&log, &StoreVersion { version: 4, patch: "a\\u0022\"".to_owned() }, None);
        let quad = Statement::of(terms.each_ref().map(TermBuf::as_term));
        writer.row(&quad, true)?;
        writer.row(&quad, false)?;
        Ok(writer.take().unwrap())
    }

    #[test]
    fn no_text_of_the_data_ends_its_string() {
        let made = operation(["<a:s>", "<a:p>", r#""\\u0022 . \\\\U0000007D \"\\u""#, ""]).unwrap();
        let object = r#""\\\u00750022 . \\\\\u00550000007D \"\\\u0075""#;
        let says = r#"GRAPH <urn:jelly:logs> { <urn:uuid:1> <urn:jelly:version> 4 ; <urn:jelly:patch> "a\\\u00750022\"" }"#;
        assert_eq!(
            made,
            format!(
                "DELETE {{\n<a:s> <a:p> {object} .\n}}\nINSERT {{\n<a:s> <a:p> {object} .\n}}\nWHERE {{ {says} }}"
            )
        );
    }

    #[test]
    fn what_a_store_would_read_otherwise_is_refused() {
        for (object, graph, kind) in [
            ("<b>", "", "encode.term"),
            ("<>", "", "encode.term"),
            ("<http://a/../b>", "", "encode.term"),
            ("<http://a/b/.>", "", "encode.term"),
            ("<urn:./b>", "", "encode.term"),
            (r"<http://a/\u003E>", "", "encode.term"),
            (r#""1"^^<b>"#, "", "encode.term"),
            ("_:b", "", "patch.blank"),
            ("<a:o>", "_:g", "patch.blank"),
            ("<<( <a:s> <a:p> _:b )>>", "", "patch.blank"),
            ("<a:o>", "<urn:jelly:logs>", "encode.term"),
            ("<a:o>", "<urn:x-arq:DefaultGraph>", "encode.term"),
            ("<a:o>", "<urn:x-arq:DefaultGraphNode>", "encode.term"),
            ("<a:o>", "<urn:x-arq:UnionGraph>", "encode.term"),
            ("<a:o>", "<http://www.openrdf.org/schema/sesame#nil>", "encode.term"),
            ("<a:o>", "<http://rdf4j.org/schema/rdf4j#nil>", "encode.term"),
        ] {
            let error = operation(["<a:s>", "<a:p>", object, graph]).unwrap_err();
            assert_eq!(error.kind().slug(), kind, "{object}");
        }
        for fine in ["<http://a/..b?x=/../y#/./z>", "<http://a/b...>", "<x:.y>", r#""a"@en--ltr"#] {
            operation(["<a:s>", "<a:p>", fine, "<a:g>"]).unwrap();
        }
        // only as a graph do these names mean another one
        operation(["<a:s>", "<a:p>", "<urn:x-arq:DefaultGraph>", "<urn:x-arq:Default>"]).unwrap();
    }

    #[test]
    fn neighbours_in_a_graph_share_its_braces() {
        let log = StoreLog::new("urn:uuid:1", "", "").unwrap();
        let mut writer = UpdateWriter::new(&log, &StoreVersion::default(), None);
        for (name, graph) in
            [("a", ""), ("b", "<a:g>"), ("c", "<a:g>"), ("d", "<a:h>"), ("e", ""), ("f", "<a:g>")]
        {
            let terms = [&format!("<a:{name}>"), "<a:p>", "<a:o>", graph]
                .map(|text| TermBuf::from_text(text).unwrap());
            writer.row(&Statement::of(terms.each_ref().map(TermBuf::as_term)), true).unwrap();
        }
        let made = writer.take().unwrap();
        let rows = made.split("WHERE").next().unwrap().replace(" <a:p> <a:o> .", "").replace('\n', " ");
        assert_eq!(
            rows,
            "INSERT { <a:a> GRAPH <a:g> { <a:b> <a:c> } GRAPH <a:h> { <a:d> } <a:e> GRAPH <a:g> { <a:f> } } "
        );
        assert!(writer.take().is_none());
    }

    #[test]
    fn only_deletes_name_the_default_graph() {
        let log = StoreLog::new("urn:uuid:1", "", "").unwrap();
        let mut writer = UpdateWriter::new(&log, &StoreVersion::default(), Some("a:nil"));
        let terms = ["<a:s>", "<a:p>", "<a:o>", ""].map(|text| TermBuf::from_text(text).unwrap());
        for adds in [false, true] {
            writer.row(&Statement::of(terms.each_ref().map(TermBuf::as_term)), adds).unwrap();
        }
        let made = writer.take().unwrap().replace('\n', " ");
        let row = "<a:s> <a:p> <a:o> .";
        assert!(
            made.starts_with(&format!("DELETE {{ GRAPH <a:nil> {{ {row} }} }} INSERT {{ {row} }} WHERE"))
        );
    }
}
