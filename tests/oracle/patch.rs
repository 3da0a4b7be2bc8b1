//! Jelly-Patch: rows to the rows of a patch, with the Z rows that the stream only implies.

use crate::common::rows::{Class, Decoded, Fault, How, PatchRow};

use super::frames::{self, Events};
use super::members::{Member, Position};
use super::proto::v1::RdfQuad;
use super::proto::v1::patch::rdf_patch_row::Row;
use super::proto::v1::patch::{
    PatchStatementType, PatchStreamType, RdfPatchNamespace, RdfPatchOptions, RdfPatchRow,
};
use super::terms::{Repeat, Sizes, Terms};
use super::wire::Kind;
use super::{fault, parse};

pub fn decode(bytes: &[u8], how: How) -> Decoded<PatchRow> {
    let mut stream = Stream { how, ..Stream::default() };
    let end = frames::walk(bytes, how.framing, &mut stream).and_then(|()| stream.end());
    Decoded { error: end.err(), ..stream.out }
}

#[derive(Default)]
struct Stream {
    how: How,
    options: Option<(RdfPatchOptions, Terms)>,
    repeat: Repeat,
    /// Frames that ended before the options: patches, if the options say FRAME.
    early_frames: usize,
    patch: i64,
    patch_has_rows: bool,
    /// How many TX there were.
    txns: i64,
    open_txn: Option<i64>,
    out: Decoded<PatchRow>,
}

impl Events for Stream {
    // A frame of a patch has none: field 15 is unknown.
    const METADATA: bool = false;

    fn row(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match parse::<RdfPatchRow>(Kind::PatchRow, bytes)?.row {
            None => fault(Class::Other, "a row without a known member"),
            Some(Row::Options(options)) => self.set_options(options),
            Some(row) => self.data(row),
        }
    }

    fn metadata(&mut self, _: &[u8]) -> Result<(), Fault> {
        unreachable!("field 15 is unknown")
    }

    fn end_frame(&mut self) -> Result<(), Fault> {
        match &self.options {
            None => self.early_frames += 1,
            Some((options, _)) if options.stream_type() == PatchStreamType::Frame => {
                self.end_patch(Some("frame"));
            }
            Some(_) => {}
        }
        Ok(())
    }
}

impl Stream {
    fn set_options(&mut self, options: RdfPatchOptions) -> Result<(), Fault> {
        if let Some((first, _)) = &self.options {
            if *first == options {
                return Ok(());
            }
            return fault(Class::Options, "options differ from those before");
        }
        if options.version != 1 {
            return fault(Class::Options, format!("version {}", options.version));
        }
        if !(1..=3).contains(&options.stream_type) {
            return fault(Class::Options, format!("stream type {}", options.stream_type));
        }
        if !(1..=2).contains(&options.statement_type) {
            return fault(Class::Options, format!("statement type {}", options.statement_type));
        }
        let sizes = Sizes {
            names: options.max_name_table_size,
            prefixes: options.max_prefix_table_size,
            datatypes: options.max_datatype_table_size,
        };
        let star = options.rdf_star || self.how.lenient_flags;
        let generalized = options.generalized_statements || self.how.lenient_flags;
        let terms = Terms::new(sizes, star, generalized)?;
        if options.stream_type() == PatchStreamType::Frame {
            (0..self.early_frames).for_each(|_| self.end_patch(Some("frame")));
        }
        self.out.options = Some(describe(&options));
        self.options = Some((options, terms));
        Ok(())
    }

    fn data(&mut self, row: Row) -> Result<(), Fault> {
        let Some((options, terms)) = &mut self.options else {
            return fault(Class::Options, "a row before the options");
        };
        match row {
            Row::Options(_) => unreachable!("options are set elsewhere"),
            Row::Name(entry) => terms.names.set(entry.id, &entry.value)?,
            Row::Prefix(entry) => terms.prefixes.set(entry.id, &entry.value)?,
            Row::Datatype(entry) => terms.datatypes.set(entry.id, &entry.value)?,
            Row::StatementAdd(quad) => self.statement("A", &quad)?,
            Row::StatementDelete(quad) => self.statement("D", &quad)?,
            Row::NamespaceAdd(namespace) if namespace.value.is_none() => {
                return fault(Class::Other, "a PA without its IRI");
            }
            Row::NamespaceAdd(namespace) => self.namespace("PA", namespace)?,
            Row::NamespaceDelete(namespace) => self.namespace("PD", namespace)?,
            Row::TransactionStart(_) => {
                self.open_txn = Some(self.txns);
                self.txns += 1;
                self.emit("TX", PatchRow::default());
            }
            Row::TransactionCommit(_) => {
                self.emit("TC", PatchRow::default());
                self.open_txn = None;
            }
            Row::TransactionAbort(_) => {
                self.emit("TA", PatchRow::default());
                self.open_txn = None;
            }
            Row::Header(header) => {
                let Some(value) = header.value() else {
                    return fault(Class::Other, "a header without its value");
                };
                // Its ids count, but it is no statement: nothing repeats it, and it repeats nothing.
                let value = terms.term(value, Position::Object)?.to_string();
                self.emit(
                    "H",
                    PatchRow { name: Some(header.key), value: Some(value), ..PatchRow::default() },
                );
            }
            Row::Punctuation(_) => {
                if options.stream_type() != PatchStreamType::Punctuated {
                    return fault(Class::Other, "punctuation in a stream of another type");
                }
                self.end_patch(None);
            }
        }
        Ok(())
    }

    fn statement(&mut self, op: &str, quad: &RdfQuad) -> Result<(), Fault> {
        let (_, terms) = self.options.as_mut().expect("options came first");
        let [subject, predicate, object] = self.repeat.statement(terms, quad.places())?;
        let row = PatchRow {
            subject: Some(subject),
            predicate: Some(predicate),
            object: Some(object),
            graph: Some(self.graph(quad.graph())?),
            ..PatchRow::default()
        };
        self.emit(op, row);
        Ok(())
    }

    /// The value comes before the graph.
    fn namespace(&mut self, op: &str, namespace: RdfPatchNamespace) -> Result<(), Fault> {
        let (_, terms) = self.options.as_mut().expect("options came first");
        let value = match namespace.value {
            Some(iri) => Some(terms.iri(iri)?.to_string()),
            None => None,
        };
        let graph = Some(self.graph(namespace.graph())?);
        self.emit(op, PatchRow { name: Some(namespace.name), value, graph, ..PatchRow::default() });
        Ok(())
    }

    fn graph(&mut self, member: Option<Member<'_>>) -> Result<String, Fault> {
        let (options, terms) = self.options.as_mut().expect("options came first");
        if options.statement_type() == PatchStatementType::Quads {
            return self.repeat.resolve(terms, (member, Position::Graph));
        }
        // A graph in a TRIPLES stream says nothing, but its ids count.
        if let Some(member) = member {
            terms.term(member, Position::Graph)?;
        }
        Ok(String::new())
    }

    fn emit(&mut self, op: &str, row: PatchRow) {
        let seq = i64::try_from(self.out.rows.len()).expect("few rows");
        let (patch, txn) = (self.patch, self.open_txn);
        self.out.rows.push(PatchRow { patch, txn, seq, op: op.to_owned(), ..row });
        self.patch_has_rows = true;
    }

    /// `implied`: by what, where there is no row for it. The Z belongs to no transaction, open or not.
    fn end_patch(&mut self, implied: Option<&str>) {
        self.open_txn = None;
        self.emit("Z", PatchRow { name: implied.map(str::to_owned), ..PatchRow::default() });
        self.patch += 1;
        self.patch_has_rows = false;
    }

    fn end(&mut self) -> Result<(), Fault> {
        match self.options.as_ref().map(|(options, _)| options.stream_type()) {
            None if self.early_frames > 0 => {
                return fault(Class::Options, "frames without options");
            }
            Some(PatchStreamType::Flat) => self.end_patch(Some("eof")),
            Some(PatchStreamType::Punctuated) if self.patch_has_rows => self.end_patch(Some("eof")),
            _ => {}
        }
        Ok(())
    }
}

fn describe(options: &RdfPatchOptions) -> String {
    format!(
        "statement={} stream={} generalized={} rdf_star={} names={} prefixes={} datatypes={} version={}",
        options.statement_type().as_str_name().trim_start_matches("PATCH_STATEMENT_TYPE_"),
        options.stream_type().as_str_name().trim_start_matches("PATCH_STREAM_TYPE_"),
        options.generalized_statements,
        options.rdf_star,
        options.max_name_table_size,
        options.max_prefix_table_size,
        options.max_datatype_table_size,
        options.version,
    )
}
