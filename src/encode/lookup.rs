//! The lookup tables of an encoder: text to id, the entry unused for longest goes first.

mod slots;

use super::bytes::{hash, same};
use crate::decode::TableKind;
use crate::error::{Error, ErrorKind, Result};
use crate::options::TableSizes;
use slots::Slots;

/// An entry; they form a ring by use, with entry 0 between the oldest and the newest.
#[derive(Debug, Default)]
struct Entry {
    text: Vec<u8>,
    /// The row that used it last.
    row: u64,
    hash: u32,
    newer: u32,
    older: u32,
}

/// An id, and the id for the wire if the entry is to be set first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interned {
    pub(crate) id: u32,
    pub(crate) set: Option<u32>,
}

/// No id follows this one.
const NO_ID: u32 = u32::MAX;

/// One table. Grows with the entries that come.
#[derive(Debug)]
pub(crate) struct Lookup {
    kind: TableKind,
    size: u32,
    last_set: u32,
    entries: Vec<Entry>,
    slots: Slots,
    bytes: usize,
    most_bytes: usize,
}

impl Lookup {
    pub(crate) fn new(kind: TableKind, size: u32, most_bytes: usize) -> Self {
        let (entries, slots) = (vec![Entry::default()], Slots::default());
        Lookup { kind, size, last_set: 0, entries, slots, bytes: 0, most_bytes }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.size == 0
    }

    /// The text of an id; nothing for 0.
    #[inline(always)]
    pub(crate) fn text(&self, id: u32) -> &[u8] {
        &self.entries[id as usize].text
    }

    /// The id of a text, for use in `row`.
    #[inline(always)]
    pub(crate) fn intern(&mut self, text: &[u8], row: u64) -> Result<Interned> {
        let hash = hash(text);
        let entries = &self.entries;
        match self.slots.find(hash, |id| same(&entries[id as usize].text, text)) {
            Some(id) => {
                self.touch(id, row);
                Ok(Interned { id, set: None })
            }
            None => self.add(text, hash, row),
        }
    }

    /// Marks an entry as the newest.
    #[inline(always)]
    pub(crate) fn touch(&mut self, id: u32, row: u64) {
        self.entries[id as usize].row = row;
        if self.entries[0].older != id {
            self.unlink(id);
            self.link(id);
        }
    }

    #[inline(always)]
    fn unlink(&mut self, id: u32) {
        let Entry { newer, older, .. } = self.entries[id as usize];
        self.entries[newer as usize].older = older;
        self.entries[older as usize].newer = newer;
    }

    #[inline(always)]
    fn link(&mut self, id: u32) {
        let newest = self.entries[0].older;
        self.entries[0].older = id;
        self.entries[newest as usize].newer = id;
        let entry = &mut self.entries[id as usize];
        (entry.newer, entry.older) = (0, newest);
    }

    #[inline(never)]
    fn add(&mut self, text: &[u8], hash: u32, row: u64) -> Result<Interned> {
        let id = if self.entries.len() <= self.size as usize {
            self.entries.push(Entry::default());
            self.entries.len() as u32 - 1
        } else {
            self.evict(row)?
        };
        let entry = &mut self.entries[id as usize];
        let held = entry.text.capacity();
        if held / 4 > text.len() + 64 {
            entry.text = Vec::new();
        }
        entry.text.clear();
        entry.text.extend_from_slice(text);
        (entry.hash, entry.row) = (hash, row);
        self.bytes = self.bytes - held + entry.text.capacity();
        if self.bytes > self.most_bytes {
            let message =
                format!("the {} table holds more than {} bytes", self.kind.label(), self.most_bytes);
            return Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message));
        }
        self.link(id);
        self.slots.insert(hash, id);
        let set = if id == self.last_set.wrapping_add(1) { 0 } else { id };
        self.last_set = id;
        Ok(Interned { id, set: Some(set) })
    }

    /// Frees the oldest entry. All entries of a row are set before it, so none of them may go for another.
    fn evict(&mut self, row: u64) -> Result<u32> {
        let id = self.entries[0].newer;
        if id == 0 {
            let message = format!("the options switch the {} table off, but it is needed", self.kind.label());
            return Err(Error::new(ErrorKind::EncodeTable, message));
        }
        let Entry { row: used, hash, .. } = self.entries[id as usize];
        if used == row {
            let message = format!(
                "one row needs more than the {} entries of the {} table",
                self.size,
                self.kind.label()
            );
            return Err(Error::new(ErrorKind::EncodeTable, message));
        }
        self.slots.remove(hash, id);
        self.unlink(id);
        Ok(id)
    }

    /// Forgets all entries; the next one has an explicit id.
    pub(crate) fn restart(&mut self) {
        self.entries.truncate(1);
        self.entries[0] = Entry::default();
        self.slots.clear();
        (self.bytes, self.last_set) = (0, NO_ID);
    }
}

/// The three tables of a stream.
#[derive(Debug)]
pub(crate) struct Lookups {
    pub(crate) names: Lookup,
    pub(crate) prefixes: Lookup,
    pub(crate) datatypes: Lookup,
}

impl Lookups {
    /// Empty tables. Each may hold a quarter of the bytes, for readers pad what they hold.
    pub(crate) fn new(sizes: TableSizes, lookup_bytes: usize) -> Self {
        let most_bytes = lookup_bytes / 4;
        Lookups {
            names: Lookup::new(TableKind::Name, sizes.names, most_bytes),
            prefixes: Lookup::new(TableKind::Prefix, sizes.prefixes, most_bytes),
            datatypes: Lookup::new(TableKind::Datatype, sizes.datatypes, most_bytes),
        }
    }

    /// Forgets all entries.
    pub(crate) fn restart(&mut self) {
        self.names.restart();
        self.prefixes.restart();
        self.datatypes.restart();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(size: u32) -> Lookup {
        Lookup::new(TableKind::Name, size, 1 << 20)
    }

    fn intern(table: &mut Lookup, text: &str, row: u64) -> (u32, Option<u32>) {
        let Interned { id, set } = table.intern(text.as_bytes(), row).unwrap();
        assert_eq!(table.text(id), text.as_bytes());
        (id, set)
    }

    #[test]
    fn the_entry_unused_for_longest_goes() {
        let mut table = table(3);
        for (row, (text, expected)) in (0..).zip([
            ("a", (1, Some(0))),
            ("b", (2, Some(0))),
            ("c", (3, Some(0))),
            ("a", (1, None)),
            ("d", (2, Some(2))),
            ("a", (1, None)),
            ("e", (3, Some(0))),
            ("d", (2, None)),
            ("b", (1, Some(1))),
            ("a", (3, Some(3))),
        ]) {
            assert_eq!(intern(&mut table, text, row), expected, "row {row}: {text}");
        }
    }

    #[test]
    fn entries_of_one_row_stay() {
        let mut table = table(2);
        intern(&mut table, "a", 1);
        intern(&mut table, "b", 2);
        intern(&mut table, "a", 3);
        intern(&mut table, "c", 3);
        let error = table.intern(b"d", 3).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::EncodeTable);
    }

    #[test]
    fn a_table_that_is_off_has_no_entries() {
        assert!(table(0).is_off());
        assert_eq!(table(0).intern(b"a", 1).unwrap_err().kind(), ErrorKind::EncodeTable);
    }

    #[test]
    fn text_is_bounded() {
        let mut table = Lookup::new(TableKind::Prefix, 100, 1000);
        let long = [b'x'; 300];
        let error = (1..).find_map(|n| table.intern(&long[..300 - n], n as u64).err());
        assert_eq!(error.unwrap().limit_name(), Some("lookup_bytes"));
    }

    #[test]
    fn after_a_restart_ids_are_explicit() {
        let mut table = table(3);
        for (row, text) in (0..).zip(["a", "b", "a"]) {
            intern(&mut table, text, row);
        }
        table.restart();
        assert_eq!(intern(&mut table, "b", 7), (1, Some(1)));
        assert_eq!(intern(&mut table, "a", 7), (2, Some(0)));
        assert_eq!(intern(&mut table, "b", 8), (1, None));
    }
}
