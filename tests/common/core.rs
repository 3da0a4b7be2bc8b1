//! The crate's own decoder, as one more [`Decoder`]: its input in one piece, or in many.

use jelly_patch::With;
use jelly_patch::decode::{self, DecodeOptions, PatchDecoder, RdfDecoder};
use jelly_patch::options::{Features, PatchOptions, RdfOptions, TableSizes};
use jelly_patch::push::Push;
use jelly_patch::sink::{self, PatchEnd, PatchOp, PatchSink, RdfSink, Sink};
use jelly_patch::term::{Iri, Term};
use jelly_patch::{ErrorClass, ErrorKind};

use super::rows::{Class, Decoded, Decoder, Fault, Framing, How, PatchRow, RdfRow};

/// Bytes a call; the sink takes so many rows before it asks for a pause.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    pub chunk: usize,
    pub rows: usize,
}

impl Default for Core {
    fn default() -> Self {
        Core { chunk: usize::MAX, rows: usize::MAX }
    }
}

impl Decoder for Core {
    fn rdf(&self, bytes: &[u8], how: How) -> Decoded<RdfRow> {
        let mut sink = Collect::new(self.rows);
        sink.run(RdfDecoder::new(config(how)), bytes, self.chunk);
        sink.decoded
    }

    fn patch(&self, bytes: &[u8], how: How) -> Decoded<PatchRow> {
        let mut sink = Collect::new(self.rows);
        sink.run(PatchDecoder::new(config(how)), bytes, self.chunk);
        sink.decoded
    }
}

pub fn config(how: How) -> DecodeOptions {
    DecodeOptions::default().with(|options| {
        options.framing = match how.framing {
            Framing::Delimited => decode::Framing::Delimited,
            Framing::Single => decode::Framing::Single,
            Framing::Auto => decode::Framing::Auto,
        };
        options.lenient_flags = how.lenient_flags;
        options.strict_graphs = how.strict_graphs;
    })
}

/// Collects rows as text.
pub struct Collect<R> {
    pub decoded: Decoded<R>,
    frames: i64,
    pause_after: usize,
    since_pause: usize,
}

impl<R> Collect<R> {
    pub fn new(pause_after: usize) -> Self {
        Collect { decoded: Decoded::default(), frames: 0, pause_after, since_pause: 0 }
    }

    /// Pushes all bytes and the end.
    pub fn run(&mut self, mut decoder: impl Push<Self>, bytes: &[u8], chunk: usize)
    where
        Self: Sink,
    {
        for mut piece in bytes.chunks(chunk.min(bytes.len().max(1))) {
            while !piece.is_empty() {
                self.resume();
                match decoder.decode(piece, self) {
                    Ok(taken) => piece = &piece[taken..],
                    Err(error) => return self.fail(&error),
                }
            }
        }
        loop {
            self.resume();
            match decoder.finish(self) {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => return self.fail(&error),
            }
        }
    }

    /// After a pause.
    pub fn resume(&mut self) {
        self.since_pause = 0;
    }

    fn fail(&mut self, error: &jelly_patch::Error) {
        let class = match (error.kind(), error.kind().class()) {
            (ErrorKind::WireRow | ErrorKind::WireUnset | ErrorKind::WireGraph, _) => Class::Other,
            (_, ErrorClass::Truncated) => Class::Truncated,
            (_, ErrorClass::Wire) => Class::Wire,
            (_, ErrorClass::Table) => Class::Table,
            (_, ErrorClass::Options) => Class::Options,
            (_, ErrorClass::Limit) => Class::Limit,
            _ => Class::Other,
        };
        self.decoded.error = Some(Fault { class, what: error.to_string() });
    }

    fn push(&mut self, row: R) {
        self.decoded.rows.push(row);
        self.since_pause += 1;
    }
}

impl<R> Sink for Collect<R> {
    fn is_full(&self) -> bool {
        self.since_pause >= self.pause_after
    }

    fn frame_end(&mut self, metadata: &[(String, Vec<u8>)]) -> jelly_patch::Result<()> {
        let mut metadata = metadata.to_vec();
        metadata.sort();
        let frame = self.frames;
        self.decoded.metadata.extend(metadata.into_iter().map(|(key, value)| (frame, key, value)));
        self.frames += 1;
        Ok(())
    }
}

fn common_options(features: Features, tables: TableSizes, version: u32) -> String {
    let Features { generalized_statements, rdf_star } = features;
    let TableSizes { names, prefixes, datatypes } = tables;
    format!(
        "generalized={generalized_statements} rdf_star={rdf_star} names={names} prefixes={prefixes} \
         datatypes={datatypes} version={version}"
    )
}

impl RdfSink for Collect<RdfRow> {
    fn options(&mut self, options: &RdfOptions) -> jelly_patch::Result<()> {
        self.decoded.options = Some(format!(
            "name={:?} physical={} logical={} {}",
            options.stream_name,
            options.physical_type.name(),
            options.logical_type.name().unwrap_or("UNKNOWN"),
            common_options(options.features, options.tables, options.version)
        ));
        Ok(())
    }

    fn statement(&mut self, row: &sink::RdfRow<'_>) -> jelly_patch::Result<()> {
        let [subject, predicate, object, graph] = checked_terms(
            &row.statement,
            self.decoded.rows.last().map(|last| [&last.subject, &last.predicate, &last.object, &last.graph]),
        );
        let (frame, seq) = (row.frame as i64, row.seq as i64);
        self.push(RdfRow { frame, seq, subject, predicate, object, graph });
        Ok(())
    }

    fn namespace(&mut self, name: &str, iri: Iri<'_>) -> jelly_patch::Result<()> {
        self.decoded.namespaces.push((name.to_owned(), Term::Iri(iri).to_string()));
        Ok(())
    }
}

/// The terms as text; a term that is said to repeat must be the one of the statement before.
fn checked_terms(statement: &sink::Statement<'_>, last: Option<[&String; 4]>) -> [String; 4] {
    let terms = statement.terms.map(|term| term.to_string());
    for (place, term) in terms.iter().enumerate() {
        if statement.same.at(place) {
            assert_eq!(Some(term), last.map(|last| last[place]), "the hint is wrong at {place}");
        }
    }
    terms
}

impl PatchSink for Collect<PatchRow> {
    fn options(&mut self, options: &PatchOptions) -> jelly_patch::Result<()> {
        self.decoded.options = Some(format!(
            "statement={} stream={} {}",
            options.statement_type.name(),
            options.stream_type.name(),
            common_options(options.features, options.tables, options.version)
        ));
        Ok(())
    }

    fn row(&mut self, row: &sink::PatchRow<'_>) -> jelly_patch::Result<()> {
        let mut out = PatchRow {
            patch: row.patch as i64,
            txn: row.txn.map(|txn| txn as i64),
            seq: row.seq as i64,
            ..PatchRow::default()
        };
        let text = |term: Term<'_>| Some(term.to_string());
        let op = match row.op {
            PatchOp::Header { key, value } => {
                (out.name, out.value) = (Some(key.to_owned()), text(value));
                "H"
            }
            PatchOp::AddPrefix { name, iri, graph } => {
                (out.name, out.value) = (Some(name.to_owned()), text(Term::Iri(iri)));
                out.graph = text(graph);
                "PA"
            }
            PatchOp::DeletePrefix { name, iri, graph } => {
                (out.name, out.value) = (Some(name.to_owned()), iri.and_then(|iri| text(Term::Iri(iri))));
                out.graph = text(graph);
                "PD"
            }
            PatchOp::Add(statement) | PatchOp::Delete(statement) => {
                let last = self.decoded.rows.iter().rev().find(|row| row.subject.is_some());
                let last = last.map(|last| {
                    [&last.subject, &last.predicate, &last.object, &last.graph]
                        .map(|term| term.as_ref().expect("a statement has all terms"))
                });
                let [subject, predicate, object, graph] = checked_terms(&statement, last).map(Some);
                (out.subject, out.predicate, out.object, out.graph) = (subject, predicate, object, graph);
                if matches!(row.op, PatchOp::Add(_)) { "A" } else { "D" }
            }
            PatchOp::Begin => "TX",
            PatchOp::Commit => "TC",
            PatchOp::Abort => "TA",
            PatchOp::End(end) => {
                out.name = match end {
                    PatchEnd::Mark => None,
                    PatchEnd::Header => Some("header".into()),
                    PatchEnd::Frame => Some("frame".to_owned()),
                    PatchEnd::Eof => Some("eof".to_owned()),
                };
                "Z"
            }
        };
        op.clone_into(&mut out.op);
        self.push(out);
        Ok(())
    }
}
