//! Writes Jelly-Patch: FRAME, FLAT and PUNCTUATED, with TRIPLES and QUADS.

use super::EncodeOptions;
use super::options::write_patch_options;
use super::stream::{Format, Stream};
use super::term::refuse_graph;
use crate::decode::PATCH_VERSION;
use crate::error::{Error, ErrorKind, Result};
use crate::options::{PatchOptions, PatchStreamType, StatementType};
use crate::restart::Counters;
use crate::sink::{PatchEnd, PatchOp, PatchRow, PatchSink, RowNumbers, Sink, Statement, TermSink};
use crate::term::{Iri, Term};

/// Members of `RdfPatchRow`.
const ADD: u32 = 2;
const DELETE: u32 = 3;
const ADD_PREFIX: u32 = 4;
const DELETE_PREFIX: u32 = 5;
const BEGIN: u32 = 6;
const COMMIT: u32 = 7;
const ABORT: u32 = 8;
const NAME: u32 = 11;
const HEADER: u32 = 14;
const MARK: u32 = 15;

/// Encodes Jelly-Patch.
#[derive(Debug)]
pub struct PatchEncoder {
    stream: Stream,
    stream_type: PatchStreamType,
    options: PatchOptions,
}

impl PatchEncoder {
    /// Creates an encoder at the start of a stream. The version in `options` is ignored: it is 1.
    pub fn new(mut options: PatchOptions, encode: EncodeOptions) -> Result<Self> {
        options.version = PATCH_VERSION;
        let format = Format {
            name_field: NAME,
            options: write_patch_options(&options),
            features: options.features,
            tables: options.tables,
            has_graphs: options.statement_type == StatementType::Quads,
            splits: options.stream_type != PatchStreamType::Frame,
        };
        Ok(PatchEncoder { stream: Stream::new(format, &encode)?, stream_type: options.stream_type, options })
    }

    /// Whether each patch is a frame.
    pub fn keeps_frames(&self) -> bool {
        self.stream_type == PatchStreamType::Frame
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, op: &PatchOp<'_>) -> Result<()> {
        self.stream.check_open()?;
        let done = self.add(op);
        self.stream.settle(done)
    }

    /// Ends the patch, which may be empty.
    pub fn end_patch(&mut self) -> Result<()> {
        self.push(&PatchOp::End(PatchEnd::Mark))
    }

    /// Ends the frame if it has rows; in FRAME streams it ends a patch, which may be empty.
    pub fn end_frame(&mut self) -> Result<()> {
        if self.keeps_frames() {
            return self.end_patch();
        }
        self.stream.check_open()?;
        let done = if self.stream.has_begun() { self.stream.end_frame(&[]) } else { Ok(()) };
        self.stream.settle(done)
    }

    /// Ends the stream: an open patch, the last frame, and the footer if there is one. A stream without
    /// patches becomes PUNCTUATED, because a stream of another type always has a patch.
    pub fn finish(&mut self) -> Result<()> {
        self.stream.check_open()?;
        let done = self.finish_stream();
        self.stream.settle(done)
    }

    /// Returns the sink for the terms of a row.
    #[inline(always)]
    pub(crate) fn row_terms(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The complete frames that the caller has not taken yet.
    pub fn output(&mut self) -> &mut Vec<u8> {
        self.stream.output()
    }

    /// Ends the message that was taken from the output: another frame without a length may follow.
    pub fn end_message(&mut self) {
        self.stream.end_message();
    }

    /// Offsets of the frames so far at which decoding can begin.
    pub fn restart_offsets(&self) -> impl Iterator<Item = u64> {
        self.stream.restart_offsets()
    }

    #[inline(always)]
    fn add(&mut self, op: &PatchOp<'_>) -> Result<()> {
        if self.stream_type == PatchStreamType::Flat && self.stream.counters.patch > 0 {
            let message = "a second patch, but a FLAT stream has only one";
            return Err(Error::new(ErrorKind::EncodePatch, message));
        }
        self.stream.begin();
        match op {
            PatchOp::Add(statement) => self.statement(ADD, statement)?,
            PatchOp::Delete(statement) => self.statement(DELETE, statement)?,
            PatchOp::End(_) => return self.end(),
            other => self.other(other)?,
        }
        self.end_row()
    }

    #[inline(always)]
    fn end_row(&mut self) -> Result<()> {
        self.stream.counters.count_row();
        self.split()
    }

    #[inline(always)]
    fn statement(&mut self, field: u32, statement: &Statement<'_>) -> Result<()> {
        let Statement { terms, same } = statement;
        let stream = &mut self.stream;
        if stream.has_graphs {
            stream.terms.statement::<4>(terms, *same, &mut stream.rows)?;
        } else {
            refuse_graph(&terms[3])?;
            stream.terms.statement::<3>(terms, *same, &mut stream.rows)?;
        }
        stream.push_row(field)
    }

    #[inline(never)]
    fn other(&mut self, op: &PatchOp<'_>) -> Result<()> {
        self.stream.begin_row();
        let counters = &mut self.stream.counters;
        match *op {
            PatchOp::Header { key, value } => {
                let Stream { terms, rows, .. } = &mut self.stream;
                terms.label(key, rows)?;
                terms.header(&value, 2, rows)?;
                self.stream.push_row(HEADER)
            }
            PatchOp::AddPrefix { name, iri, graph } => self.prefix(ADD_PREFIX, name, Some(iri), &graph),
            PatchOp::DeletePrefix { name, iri, graph } => self.prefix(DELETE_PREFIX, name, iri, &graph),
            PatchOp::Begin => {
                let _ = counters.begin(); // an unfinished transaction is written as it is
                self.stream.push_row(BEGIN)
            }
            PatchOp::Commit | PatchOp::Abort => {
                let _ = counters.close();
                self.stream.push_row(if matches!(op, PatchOp::Commit) { COMMIT } else { ABORT })
            }
            // handled where rows are received
            PatchOp::Add(..) | PatchOp::Delete(..) | PatchOp::End(_) => Ok(()),
        }
    }

    fn prefix(&mut self, field: u32, name: &str, iri: Option<Iri<'_>>, graph: &Term<'_>) -> Result<()> {
        let Stream { terms, rows, has_graphs, .. } = &mut self.stream;
        terms.label(name, rows)?;
        if let Some(iri) = iri {
            terms.namespace(iri, rows)?;
        }
        if *has_graphs {
            terms.repeating_graph(graph, 3, rows)?;
        } else {
            refuse_graph(graph)?;
        }
        self.stream.push_row(field)
    }

    fn end(&mut self) -> Result<()> {
        self.stream.begin();
        let _ = self.stream.counters.end_patch();
        match self.stream_type {
            PatchStreamType::Frame => self.stream.end_frame(&[]),
            PatchStreamType::Flat => Ok(()),
            PatchStreamType::Punctuated => {
                self.stream.rows.push_empty(MARK);
                self.split()
            }
        }
    }

    /// Ends the frame if it has enough rows.
    #[inline(always)]
    fn split(&mut self) -> Result<()> {
        if self.stream.is_full() { self.stream.end_frame(&[]) } else { Ok(()) }
    }

    fn finish_stream(&mut self) -> Result<()> {
        if self.stream.counters.has_rows && self.stream_type != PatchStreamType::Flat {
            self.end()?;
        }
        let Counters { frame, patch, has_rows, .. } = self.stream.counters;
        if frame == 0 && patch == 0 && !has_rows {
            // options alone would be a patch in FRAME and FLAT, and an output of zero bytes is not a stream
            let options = PatchOptions { stream_type: PatchStreamType::Punctuated, ..self.options };
            self.stream.change_options(&write_patch_options(&options));
            return self.stream.finish(true, 0);
        }
        let is_open = self.stream_type == PatchStreamType::Flat && patch == 0;
        self.stream.finish(false, is_open.into())
    }
}

impl Sink for PatchEncoder {
    fn asks_what_repeats(&self) -> bool {
        true
    }
}

impl PatchSink for PatchEncoder {
    #[inline]
    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.push(&row.op)
    }

    #[inline(always)]
    fn terms(&mut self, _: RowNumbers) -> Option<&mut impl for<'t> TermSink<'t>> {
        // a whole row preceded it, so a second patch of a FLAT stream does not get here
        self.stream.cells()
    }

    #[inline(always)]
    fn end_change(&mut self, adds: bool, _: RowNumbers) -> Result<()> {
        let done = self.stream.end_cells(if adds { ADD } else { DELETE }).and_then(|()| self.end_row());
        self.stream.settle(done)
    }
}
