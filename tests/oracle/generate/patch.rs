//! Random streams of Jelly-Patch.

use super::super::proto::v1::patch::rdf_patch_row::Row;
use super::super::proto::v1::patch::{
    PatchStatementType, PatchStreamType, RdfPatchHeader, RdfPatchNamespace, RdfPatchOptions,
    RdfPatchPunctuation, RdfPatchRow, RdfPatchTransactionAbort, RdfPatchTransactionCommit,
    RdfPatchTransactionStart,
};
use super::super::proto::v1::{RdfDatatypeEntry, RdfNameEntry, RdfPrefixEntry, RdfQuad};
use super::super::wire::Kind;
use super::any::Any;
use super::rng::Rng;
use super::statements::Statements;
use super::terms::{Place, Which};
use super::{Format, Frame, Shape, Stream, strings};

pub fn stream(rng: &mut Rng) -> Stream {
    let shape = Shape::new(rng);
    let mut rows = Rows::new(rng, &shape);
    let mut frames = vec![Frame::default(); shape.empty_frames_before];
    for frame in 0..shape.frames {
        let mut fields = Vec::new();
        if frame == 0 {
            let options = RdfPatchRow { row: Some(Row::Options(rows.options)) };
            fields.push(shape.row(rng, Kind::PatchRow, &options));
        }
        let count = if rng.percent(10) { 0 } else { shape.rows };
        for _ in 0..count {
            let row = rows.next(rng);
            fields.push(shape.row(rng, Kind::PatchRow, &RdfPatchRow { row: Some(row) }));
        }
        if fields.is_empty() {
            rows.statements.terms.features.count("empty frame");
        }
        let mut frame = Frame { fields, padding: 0 };
        shape.scramble_frame(rng, Kind::PatchFrame, &mut frame);
        frames.push(frame);
    }
    shape.stream(Format::Patch, frames, rows.statements.terms.features)
}

struct Rows {
    options: RdfPatchOptions,
    statements: Statements,
    /// Whether transactions keep to the rules, and whether one is open.
    is_orderly: bool,
    in_txn: bool,
}

impl Rows {
    fn new(rng: &mut Rng, shape: &Shape) -> Self {
        let options = RdfPatchOptions {
            statement_type: rng.between(1, 2).cast_signed(),
            stream_type: rng.between(1, 3).cast_signed(),
            generalized_statements: shape.declared[1],
            rdf_star: shape.declared[0],
            max_name_table_size: shape.sizes[0],
            max_prefix_table_size: shape.sizes[1],
            max_datatype_table_size: shape.sizes[2],
            version: 1,
        };
        let is_orderly = rng.percent(50);
        Rows { options, statements: Statements::new(shape.terms()), is_orderly, in_txn: false }
    }

    fn next(&mut self, rng: &mut Rng) -> Row {
        let is_punctuated = self.options.stream_type() == PatchStreamType::Punctuated;
        let row = match rng.below(100) {
            0..30 => self.entry(rng),
            _ if !self.statements.terms.has_names() => self.entry(rng),
            30..33 => Row::Options(self.options),
            33..39 => Row::Header(RdfPatchHeader {
                key: strings::label(rng),
                // Any term that an object may be, but never a repeated one.
                value: Some(self.statements.terms.top(rng, Place::Object).0.into()),
            }),
            39..44 => Row::NamespaceAdd(self.namespace(rng, true)),
            44..49 => {
                let has_value = rng.percent(50);
                Row::NamespaceDelete(self.namespace(rng, has_value))
            }
            49..58 => self.transaction(rng),
            58..63 if is_punctuated && !(self.is_orderly && self.in_txn) => {
                Row::Punctuation(RdfPatchPunctuation {})
            }
            63..82 => Row::StatementDelete(self.statement(rng)),
            _ => Row::StatementAdd(self.statement(rng)),
        };
        self.statements.terms.features.count(match &row {
            Row::Options(_) => "options again",
            Row::StatementAdd(_) => "statement_add",
            Row::StatementDelete(_) => "statement_delete",
            Row::NamespaceAdd(_) => "namespace_add",
            Row::NamespaceDelete(namespace) if namespace.value.is_none() => "namespace_delete",
            Row::NamespaceDelete(_) => "namespace_delete with value",
            Row::TransactionStart(_) => "transaction_start",
            Row::TransactionCommit(_) => "transaction_commit",
            Row::TransactionAbort(_) => "transaction_abort",
            Row::Name(_) => "name",
            Row::Prefix(_) => "prefix",
            Row::Datatype(_) => "datatype",
            Row::Header(_) => "header",
            Row::Punctuation(_) => "punctuation",
        });
        row
    }

    fn statement(&mut self, rng: &mut Rng) -> RdfQuad {
        let quad = self.statements.quad_without_graph(rng);
        RdfQuad { graph: self.graph(rng).map(Any::into), ..quad }
    }

    fn namespace(&mut self, rng: &mut Rng, has_value: bool) -> RdfPatchNamespace {
        RdfPatchNamespace {
            name: strings::label(rng),
            value: has_value.then(|| self.statements.terms.iri(rng)),
            graph: self.graph(rng).map(Any::into),
        }
    }

    /// In a TRIPLES stream it says nothing, but its ids count.
    fn graph(&mut self, rng: &mut Rng) -> Option<Any> {
        if self.options.statement_type() == PatchStatementType::Quads {
            return self.statements.place(rng, Place::Graph);
        }
        rng.percent(5).then(|| {
            self.statements.terms.features.count("graph in TRIPLES");
            self.statements.terms.top(rng, Place::Graph).0
        })
    }

    fn transaction(&mut self, rng: &mut Rng) -> Row {
        let starts = if self.is_orderly { !self.in_txn } else { rng.percent(40) };
        self.in_txn = starts;
        if starts {
            Row::TransactionStart(RdfPatchTransactionStart {})
        } else if rng.percent(70) {
            Row::TransactionCommit(RdfPatchTransactionCommit {})
        } else {
            Row::TransactionAbort(RdfPatchTransactionAbort {})
        }
    }

    fn entry(&mut self, rng: &mut Rng) -> Row {
        let entry = self.statements.entry(rng);
        let (id, value) = (entry.id, entry.value);
        match entry.which {
            Which::Name => Row::Name(RdfNameEntry { id, value }),
            Which::Prefix => Row::Prefix(RdfPrefixEntry { id, value }),
            Which::Datatype => Row::Datatype(RdfDatatypeEntry { id, value }),
        }
    }
}
