//! The rows of Jelly-RDF: TRIPLES, QUADS and GRAPHS.

use super::dialect::{Context, Dialect, DialectState, Halt, options_changed, options_missing};
use super::literal::utf8;
use super::lookup::TableKind;
use super::marks::OptionsRow;
use super::merge::Message;
use super::options::read_rdf_options;
use super::quick::Quick;
use super::row::{GRAPH, Member, Place, RawTerm, RawTermKind, member, short_member};
use crate::error::{ErrorKind, Result};
use crate::limits::Limits;
use crate::options::{Features, PhysicalType, RdfOptions, StreamOptions, TableSizes};
use crate::restart::Counters;
use crate::sink::{RdfRow, RdfSink, Statement, TermSink};
use crate::wire::{Cursor, Fault};

/// The state of a Jelly-RDF stream.
#[derive(Debug, Default)]
pub struct Rdf {
    /// The options and their bytes.
    options: Option<(RdfOptions, Vec<u8>)>,
    seq: u64,
    in_graph: bool,
    /// Places whose term the sink cannot copy from the previous statement.
    fresh: u8,
    started: bool,
}

impl Rdf {
    /// The options, once they are read.
    pub fn options(&self) -> Option<&RdfOptions> {
        self.options.as_ref().map(|(options, _)| options)
    }

    fn take_options<S: RdfSink>(
        &mut self,
        bytes: &[u8],
        context: &mut Context<'_, '_>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        let options = read_rdf_options(bytes, &context.config.limits).map_err(|f| f.within("options"))?;
        let row = context.options_row(self.options.is_none(), bytes)?;
        if let (OptionsRow::Again | OptionsRow::Restarts, Some((first, _))) = (row, &self.options) {
            if *first != options {
                return Err(options_changed(bytes).into());
            }
            if row == OptionsRow::Restarts {
                context.mark_restart(self.place(context.frame), bytes)?;
                context.restart_stream::<Self>(options.tables, options.features);
                (self.in_graph, self.started) = (false, false);
            }
            return Ok(());
        }
        if row == OptionsRow::Enters {
            let expected = context.marks.expected_options().unwrap_or_default();
            if read_rdf_options(expected, &context.config.limits).ok().as_ref() != Some(&options) {
                return Err(options_changed(bytes).into());
            }
            if context.marks.entered() {
                context.restart_stream::<Self>(options.tables, options.features);
            } else {
                context.begin_stream::<Self>(options.tables, options.features);
            }
        } else {
            context.mark_begin(self.place(context.frame), bytes)?;
            context.begin_stream::<Self>(options.tables, options.features);
        }
        (self.in_graph, self.started) = (false, false);
        sink.options(&options)?;
        self.options = Some((options, bytes.to_vec()));
        Ok(())
    }

    /// Decodes a row if it is a statement in the usual form; returns false otherwise.
    #[inline(always)]
    fn quick_row<'a, S: RdfSink>(
        &mut self,
        row: &'a [u8],
        context: &mut Context<'_, 'a>,
        sink: &mut S,
    ) -> Result<bool, Halt> {
        let (Some((field, bytes)), Some((options, _))) = (short_member(row), &self.options) else {
            return Ok(false);
        };
        let quads = match (field, options.physical_type) {
            (3, PhysicalType::Quads) => true,
            (2, physical) if physical == PhysicalType::Triples || self.in_graph => false,
            _ => return Ok(false),
        };
        let Some(terms) = context.terms.as_mut() else {
            return Ok(false);
        };
        let (limits, frame, seq) = (&context.config.limits, context.frame, self.seq);
        let (state, fresh) = ((&terms.lookups, &terms.held, terms.ids, terms.stream), self.fresh());
        if let Some(out) = sink.terms(frame) {
            let ids = Quick::statement(quads, state, bytes, context.slots, limits, fresh, out);
            let Some(ids) = ids else {
                out.cut();
                return Ok(false);
            };
            terms.ids = ids;
            self.pass_statement();
            sink.end_statement(frame, seq)?;
            return Ok(true);
        }
        let mut row = RdfRow { frame, seq, statement: Statement::empty() };
        let out = &mut row.statement;
        let Some(ids) = Quick::statement(quads, state, bytes, context.slots, limits, fresh, out) else {
            return Ok(false);
        };
        terms.ids = ids;
        self.pass_statement();
        sink.statement(&row)?;
        Ok(true)
    }

    /// Places whose term the sink cannot copy from the previous statement.
    #[inline(always)]
    fn fresh(&self) -> u8 {
        if self.started { self.fresh } else { 0b1111 }
    }

    /// Updates the state after a statement was delivered.
    #[inline(always)]
    fn pass_statement(&mut self) {
        (self.fresh, self.started) = (0, true);
        self.seq += 1;
    }

    #[inline(never)]
    fn statement<'a, S: RdfSink, const PLACES: usize>(
        &mut self,
        member: &Member<'a>,
        context: &mut Context<'_, 'a>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        let name = if PLACES == 4 { "quad" } else { "triple" };
        let Some(terms) = context.terms.as_mut() else {
            return Err(options_missing(member.at).into());
        };
        let mut same = terms
            .statement::<PLACES>(member.bytes, context.slots, &context.config.limits)
            .map_err(|fault| fault.within(name))?;
        if PLACES == 3 {
            same.set(3);
        }
        same.0 &= !self.fresh();
        let statement = terms.resolved(context.slots, same);
        let row = RdfRow { frame: context.frame, seq: self.seq, statement };
        self.pass_statement();
        Ok(sink.statement(&row)?)
    }

    fn graph_start<'a, S: RdfSink>(
        &mut self,
        member: &Member<'a>,
        context: &mut Context<'_, 'a>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        let limits = &context.config.limits;
        if self.in_graph && context.config.strict_graphs {
            let message = "a graph starts inside a graph";
            return Err(Fault::new(ErrorKind::WireGraph, member.at, message).within("graph_start").into());
        }
        let graph = read_graph(member.bytes, limits.nesting).map_err(|f| f.within("graph_start"))?;
        if graph.kind == RawTermKind::Unset {
            let message = "a graph starts, but has no name";
            return Err(Fault::new(ErrorKind::WireUnset, member.at, message).within("graph_start").into());
        }
        let terms = context.terms.as_mut().ok_or_else(|| options_missing(member.at))?;
        let slot = terms.slot(&graph, Place::Graph, limits).map_err(|f| f.within("graph_start"))?;
        context.slots[3] = slot;
        self.in_graph = true;
        self.fresh |= 0b1000;
        sink.graph_start(terms.held.term(context.slots, 3, &terms.lookups))?;
        Ok(())
    }

    fn namespace<S: RdfSink>(bytes: &[u8], context: &mut Context<'_, '_>, sink: &mut S) -> Result<(), Halt> {
        let limits = &context.config.limits;
        let within = |fault: Fault| fault.within("namespace");
        let (mut name, mut value) = ("", RawTerm::UNSET);
        let mut cursor = Cursor::new(bytes);
        while let Some((key, at)) = cursor.next_key().map_err(within)? {
            match key.field {
                1 => {
                    name = cursor
                        .bytes_of(key, at)
                        .and_then(|bytes| utf8(bytes, at))
                        .map_err(|f| within(f.within("name")))?;
                }
                2 => {
                    let bytes = cursor.bytes_of(key, at).map_err(|f| within(f.within("value")))?;
                    value.set(RawTermKind::Iri, bytes, at)?;
                }
                _ => cursor.skip(key, at, limits.nesting).map_err(within)?,
            }
        }
        if value.kind == RawTermKind::Unset {
            let message = "a namespace has no IRI";
            return Err(within(Fault::new(ErrorKind::WireUnset, bytes, message).within("value")).into());
        }
        let terms = context.terms.as_mut().ok_or_else(|| options_missing(bytes))?;
        let ids = terms
            .ids
            .resolve(value.bytes, &terms.lookups, limits)
            .map_err(|fault| within(fault.within("value")))?;
        sink.namespace(name, terms.lookups.iri(ids.prefix, ids.name))?;
        Ok(context.check_kept(sink)?)
    }
}

/// Reads a graph oneof; other fields are ignored.
fn read_graph(bytes: &[u8], nesting: usize) -> Result<RawTerm<'_>, Fault> {
    let mut graph = RawTerm::UNSET;
    let mut cursor = Cursor::new(bytes);
    while let Some((key, at)) = cursor.next_key()? {
        match GRAPH.get(key.field as usize - 1) {
            Some(&kind) => {
                let within = |fault: Fault| fault.within(Place::Graph.field(kind));
                let bytes = cursor.bytes_of(key, at).map_err(within)?;
                graph.set(kind, bytes, at)?;
            }
            None => cursor.skip(key, at, nesting)?,
        }
    }
    Ok(graph)
}

impl DialectState for Rdf {
    const NUMBERS_POSITIONS: bool = true;
    const KNOWS_METADATA: bool = true;
    const ROW: Message = Message::RdfRow;

    fn new(_strict: bool) -> Self {
        Rdf::default()
    }

    fn stream_options(&self) -> Option<StreamOptions> {
        self.options().cloned().map(StreamOptions::Rdf)
    }

    fn rows(&self) -> u64 {
        self.seq
    }

    fn options_bytes(&self) -> Option<&[u8]> {
        self.options.as_ref().map(|(_, bytes)| bytes.as_slice())
    }

    fn restore_options(&mut self, bytes: &[u8], limits: &Limits) -> Result<(TableSizes, Features), Fault> {
        let options = read_rdf_options(bytes, limits)?;
        let kept = (options.tables, options.features);
        self.options = Some((options, bytes.to_vec()));
        Ok(kept)
    }

    fn counters(&self) -> Vec<u64> {
        vec![self.seq, self.in_graph.into()]
    }

    fn place(&self, frame: u64) -> Counters {
        Counters { seq: self.seq, frame, ..Counters::default() }
    }

    fn begin_at(&mut self, place: Counters) {
        self.seq = place.seq;
    }

    fn restore_counters(&mut self, counters: &[u64]) -> bool {
        let &[seq, in_graph] = counters else {
            return false;
        };
        (self.seq, self.in_graph) = (seq, in_graph != 0);
        true
    }
}

impl<S: RdfSink> Dialect<S> for Rdf {
    #[inline(always)]
    fn row<'a>(&mut self, row: &'a [u8], mut context: Context<'_, 'a>, sink: &mut S) -> Result<(), Halt> {
        if self.quick_row(row, &mut context, sink)? {
            return Ok(());
        }
        let member = member(row, |field| matches!(field, 1..=6 | 9..=11), context.config.limits.nesting)?;
        if member.field == 1 {
            return self.take_options(member.bytes, &mut context, sink);
        }
        let Some((options, _)) = &self.options else {
            return Err(options_missing(member.at).into());
        };
        match (member.field, options.physical_type) {
            (2, PhysicalType::Triples) => self.statement::<S, 3>(&member, &mut context, sink),
            (2, PhysicalType::Graphs) if self.in_graph => self.statement::<S, 3>(&member, &mut context, sink),
            (3, PhysicalType::Quads) => self.statement::<S, 4>(&member, &mut context, sink),
            (9, _) => Ok(context.entry(TableKind::Name, member.bytes)?),
            (10, _) => Ok(context.entry(TableKind::Prefix, member.bytes)?),
            (11, _) => Ok(context.entry(TableKind::Datatype, member.bytes)?),
            (6, _) => Self::namespace(member.bytes, &mut context, sink),
            (4, PhysicalType::Graphs) => self.graph_start(&member, &mut context, sink),
            (5, PhysicalType::Graphs) if self.in_graph => {
                Cursor::new(member.bytes).skip_message(context.config.limits.nesting)?;
                self.in_graph = false;
                Ok(sink.graph_end()?)
            }
            (field, physical) => Err(misplaced(field, physical, member.at).into()),
        }
    }

    fn stream_end(&mut self, _sink: &mut S) -> Result<()> {
        Ok(()) // a graph may be open at the end
    }
}

#[cold]
fn misplaced(field: u32, physical: PhysicalType, at: &[u8]) -> Fault {
    let (name, what) = match field {
        2 => ("triple", "a triple"),
        3 => ("quad", "a quad"),
        4 => ("graph_start", "a graph start"),
        _ => ("graph_end", "a graph end"),
    };
    let (kind, place) = match (field, physical) {
        (2 | 5, PhysicalType::Graphs) => (ErrorKind::WireGraph, "outside a graph".to_owned()),
        _ => (ErrorKind::WireRow, format!("in a stream of {}", physical.name())),
    };
    Fault::new(kind, at, format!("{what} {place}")).within(name)
}
