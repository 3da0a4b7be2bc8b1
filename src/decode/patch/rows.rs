//! Headers and prefixes: H, PA and PD.

use super::{Patch, graph_in_triples};
use crate::decode::dialect::{Context, Halt, options_missing};
use crate::decode::iri::IriIds;
use crate::decode::literal::utf8;
use crate::decode::repeat::{Held, Slot};
use crate::decode::row::{GRAPH, Member, Place, RawTerm, RawTermKind, TERM};
use crate::error::ErrorKind;
use crate::options::{PatchOptions, StatementType};
use crate::scan::check_prefix_name;
use crate::sink::{PatchOp, PatchSink};
use crate::term::{Iri, Term};
use crate::wire::{Cursor, Fault};

impl Patch {
    pub(super) fn header<S: PatchSink>(
        &mut self,
        bytes: &[u8],
        context: &mut Context<'_, '_>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        let limits = &context.config.limits;
        let within = |fault: Fault| fault.within("header");
        let (mut key_text, mut value) = ("", RawTerm::UNSET);
        let mut cursor = Cursor::new(bytes);
        while let Some((key, at)) = cursor.next_key().map_err(within)? {
            match key.field {
                1 => {
                    key_text = cursor
                        .bytes_of(key, at)
                        .and_then(|bytes| utf8(bytes, at))
                        .map_err(|f| within(f.within("key")))?;
                }
                2..=5 => {
                    let kind = TERM[key.field as usize - 2];
                    let bytes =
                        cursor.bytes_of(key, at).map_err(|f| within(f.within(Place::Header.field(kind))))?;
                    value.set(kind, bytes, at)?;
                }
                _ => cursor.skip(key, at, limits.nesting).map_err(within)?,
            }
        }
        let terms = context.terms.as_mut().ok_or_else(|| options_missing(bytes))?;
        match value.kind {
            RawTermKind::Unset => {
                let message = "a header has no value";
                Err(within(Fault::new(ErrorKind::WireUnset, bytes, message).within("value")).into())
            }
            RawTermKind::Triple => {
                let triple = terms
                    .triple(&value, limits)
                    .map_err(|fault| within(fault.within(Place::Header.field(value.kind))))?;
                let op = PatchOp::Header { key: key_text, value: Term::Triple(&triple) };
                Ok(self.at.row(op, sink)?)
            }
            _ => {
                let slot = terms.slot(&value, Place::Header, limits).map_err(within)?;
                let slots = [slot, Slot::Unset, Slot::Unset, Slot::Unset];
                let value = Held::default();
                let value = value.term(&slots, 0, &terms.lookups);
                Ok(self.at.row(PatchOp::Header { key: key_text, value }, sink)?)
            }
        }
    }

    pub(super) fn namespace<'a, S: PatchSink>(
        &mut self,
        member: &Member<'a>,
        options: PatchOptions,
        context: &mut Context<'_, 'a>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        let adds = member.field == 4;
        let row = if adds { "namespace_add" } else { "namespace_delete" };
        let within = |fault: Fault| fault.within(row);
        let quads = options.statement_type == StatementType::Quads;
        let limits = &context.config.limits;
        let (name, value, graph) = read_namespace(member.bytes, limits.nesting).map_err(within)?;
        if context.config.strict {
            check_prefix_name(name).map_err(|error| {
                within(Fault::new(error.kind(), name.as_bytes(), error.message()).within("name"))
            })?;
        }
        let terms = context.terms.as_mut().ok_or_else(|| options_missing(member.at))?;
        // the ids of the value come before those of the graph, in any order on the wire
        let value = match value.kind {
            RawTermKind::Unset if adds => {
                let message = "an added prefix has no IRI";
                let fault = Fault::new(ErrorKind::WireUnset, member.at, message);
                return Err(within(fault.within("value")).into());
            }
            RawTermKind::Unset => None,
            _ => Some(
                terms
                    .ids
                    .resolve(value.bytes, &terms.lookups, limits)
                    .map_err(|fault| within(fault.within("value")))?,
            ),
        };
        if graph.kind != RawTermKind::Unset {
            if !quads && context.config.strict {
                return Err(graph_in_triples(graph.at).within(row).into());
            }
            let slot = terms.slot(&graph, Place::Graph, limits).map_err(within)?;
            if quads {
                context.slots[3] = slot;
                self.fresh |= 0b1000;
            }
        } else if quads && matches!(context.slots[3], Slot::Unset) {
            let message = "the graph is repeated, but no graph comes before it";
            let fault = Fault::new(ErrorKind::TableRepeated, member.at, message);
            return Err(within(fault.within("graph")).into());
        }
        let iri = |ids: IriIds| terms.lookups.iri(ids.prefix, ids.name);
        let value: Option<Iri<'_>> = value.map(iri);
        let graph =
            if quads { terms.held.term(context.slots, 3, &terms.lookups) } else { Term::DefaultGraph };
        let op = match value {
            Some(iri) if adds => PatchOp::AddPrefix { name, iri, graph },
            iri => PatchOp::DeletePrefix { name, iri, graph },
        };
        self.at.row(op, sink)?;
        Ok(context.check_kept(sink)?)
    }
}

/// Reads label, value and graph of an `RdfPatchNamespace`.
fn read_namespace(bytes: &[u8], nesting: usize) -> Result<(&str, RawTerm<'_>, RawTerm<'_>), Fault> {
    let (mut name, mut value, mut graph) = ("", RawTerm::UNSET, RawTerm::UNSET);
    let mut cursor = Cursor::new(bytes);
    while let Some((key, at)) = cursor.next_key()? {
        match key.field {
            1 => {
                let bytes = cursor.bytes_of(key, at).and_then(|bytes| utf8(bytes, at));
                name = bytes.map_err(|fault| fault.within("name"))?;
            }
            2 => {
                let bytes = cursor.bytes_of(key, at).map_err(|fault| fault.within("value"))?;
                value.set(RawTermKind::Iri, bytes, at)?;
            }
            3..=6 => {
                let kind = GRAPH[key.field as usize - 3];
                let within = |fault: Fault| fault.within(Place::Graph.field(kind));
                let bytes = cursor.bytes_of(key, at).map_err(within)?;
                graph.set(kind, bytes, at)?;
            }
            _ => cursor.skip(key, at, nesting)?,
        }
    }
    Ok((name, value, graph))
}
