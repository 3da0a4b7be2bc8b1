//! Rows counted by kind, lookup entries included, which sinks never see.

use crate::decode::{Event, FrameReader, Framing, metadata_entry};
use crate::limits::Limits;
use crate::wire::{Cursor, LEN};

/// Most metadata keys that are remembered.
const METADATA_KEYS: usize = 1000;
/// Bytes that they may have together.
const METADATA_KEY_BYTES: usize = 1 << 20;

/// Names of the members of `RdfStreamRow`, by field number.
pub(super) const RDF_ROWS: [&str; 16] = [
    "",
    "options",
    "triple",
    "quad",
    "graph_start",
    "graph_end",
    "namespace",
    "",
    "",
    "name",
    "prefix",
    "datatype",
    "",
    "",
    "",
    "",
];
/// Names of the members of `RdfPatchRow`, by field number.
pub(super) const PATCH_ROWS: [&str; 16] = [
    "",
    "options",
    "statement_add",
    "statement_delete",
    "namespace_add",
    "namespace_delete",
    "transaction_start",
    "transaction_commit",
    "transaction_abort",
    "",
    "",
    "name",
    "prefix",
    "datatype",
    "header",
    "punctuation",
];

/// Counts what goes by in a stream that a decoder has found to be right.
pub(super) struct RowCounter {
    frames: FrameReader,
    names: &'static [&'static str; 16],
    counts: [u64; 16],
    /// Where the current frame begins.
    frame_start: u64,
    pub(super) largest_frame: u64,
    pub(super) largest_row: u64,
    pub(super) metadata_keys: Vec<String>,
    metadata_key_bytes: usize,
    /// Rows of patches that hold a graph, and the frame of the first.
    pub(super) graphs: u64,
    pub(super) first_graph: Option<u64>,
}

impl RowCounter {
    pub(super) fn new(framing: Framing, knows_metadata: bool, names: &'static [&'static str; 16]) -> Self {
        RowCounter {
            frames: FrameReader::new(framing, knows_metadata),
            names,
            counts: [0; 16],
            frame_start: 0,
            largest_frame: 0,
            largest_row: 0,
            metadata_keys: Vec::new(),
            metadata_key_bytes: 0,
            graphs: 0,
            first_graph: None,
        }
    }

    /// Frames that began.
    pub(super) fn frames(&self) -> u64 {
        self.frames.frames()
    }

    /// Rows of each kind that occurs.
    pub(super) fn kinds(&self) -> Vec<(&'static str, u64)> {
        let counted = self.names.iter().copied().zip(self.counts);
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// Rows of one kind.
    pub(super) fn of(&self, kind: &str) -> u64 {
        let place = self.names.iter().position(|name| *name == kind);
        place.map_or(0, |place| self.counts[place])
    }

    /// Looks at bytes that the decoder has taken; errors are the decoder's to tell.
    pub(super) fn push(&mut self, mut bytes: &[u8], limits: &Limits) {
        loop {
            if let Some(row) = self.frames.next_row(&mut bytes) {
                self.row(row.bytes);
                continue;
            }
            let Ok(event) = self.frames.next(&mut bytes, limits) else {
                return;
            };
            match event {
                Event::NeedInput => return,
                Event::FrameStart => self.frame_start = self.frames.offset(),
                Event::FrameEnd => self.end_frame(),
                Event::Row(row) => self.row(row.bytes),
                Event::CarriedRow => {
                    let (carry, header) = self.frames.lend_carry();
                    self.row(&carry[header..]);
                    self.frames.return_carry(carry);
                }
                Event::Metadata => self.metadata(limits),
            }
        }
    }

    /// The stream ends.
    pub(super) fn finish(&mut self) {
        self.end_frame();
    }

    fn end_frame(&mut self) {
        let length = self.frames.offset() - self.frame_start;
        self.largest_frame = self.largest_frame.max(length);
        self.frame_start = self.frames.offset();
    }

    fn row(&mut self, row: &[u8]) {
        self.largest_row = self.largest_row.max(row.len() as u64);
        let known = |field: u32| self.names.get(field as usize).is_some_and(|name| !name.is_empty());
        // the last member stands
        let Some((field, bytes)) = members(row).filter(|(field, _)| known(*field)).last() else {
            return;
        };
        self.counts[field as usize] += 1;
        let graph_fields = match self.names[field as usize] {
            "statement_add" | "statement_delete" => 13..=16,
            "namespace_add" | "namespace_delete" => 3..=6,
            _ => return,
        };
        if members(bytes).any(|(field, _)| graph_fields.contains(&field)) {
            self.graphs += 1;
            let frame = self.frames.row_position().frame;
            self.first_graph = self.first_graph.or(frame);
        }
    }

    fn metadata(&mut self, limits: &Limits) {
        let entry = self.frames.carried();
        if let Ok((key, _)) = metadata_entry(entry.bytes, limits.nesting)
            && self.metadata_keys.len() < METADATA_KEYS
            && self.metadata_key_bytes + key.len() <= METADATA_KEY_BYTES
            && !self.metadata_keys.iter().any(|known| known == key)
        {
            self.metadata_key_bytes += key.len();
            self.metadata_keys.push(key.to_owned());
        }
    }
}

/// Fields of a message that hold bytes, up to the first that is damaged.
fn members(message: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut cursor = Cursor::new(message);
    std::iter::from_fn(move || {
        loop {
            let at = cursor.rest;
            let key = cursor.key().ok()?;
            if key.wire == LEN {
                return Some((key.field, cursor.bytes().ok()?));
            }
            cursor.skip(key, at, usize::MAX).ok()?;
        }
    })
}
