//! The lookup tables of an encoder: text to id, the entry unused for longest goes first.

mod slots;

use super::bytes::{hash, may_split, same};
use super::row::Rows;
use crate::decode::TableKind;
use crate::error::{Error, ErrorKind, Result};
use crate::options::TableSizes;
use crate::scan::starts_plainly;
use slots::Slots;

#[derive(Debug, Default)]
struct Entry {
    text: Vec<u8>,
    hash: u32,
    /// An IRI that ends so may split in it.
    may_split: bool,
    /// An IRI that begins, ends or is so may stand between `<` and `>` as it is.
    plain: bool,
}

/// Neighbours by use. They form a ring, in which 0 stands between the oldest and the newest.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    newer: u32,
    older: u32,
}

/// No id follows this one.
const NO_ID: u32 = u32::MAX;

/// One table. Grows with the entries that come.
#[derive(Debug)]
pub(crate) struct Lookup {
    kind: TableKind,
    size: u32,
    last_set: u32,
    /// By id; 0 is none.
    entries: Vec<Entry>,
    links: Vec<Link>,
    slots: Slots,
    /// The newest entry that the row under construction does not use; those that it uses are newer.
    unused: u32,
    bytes: usize,
    most_bytes: usize,
}

impl Lookup {
    pub(crate) fn new(kind: TableKind, size: u32, most_bytes: usize) -> Self {
        Lookup {
            kind,
            size,
            last_set: 0,
            entries: vec![Entry { plain: true, ..Entry::default() }],
            links: vec![Link::default()],
            slots: Slots::default(),
            unused: 0,
            bytes: 0,
            most_bytes,
        }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.size == 0
    }

    /// The text of an id; nothing for 0.
    #[inline(always)]
    pub(crate) fn text(&self, id: u32) -> &[u8] {
        &self.entries[id as usize].text
    }

    /// The text of an id that is not 0, if an IRI may stand so between `<` and `>`.
    #[inline(always)]
    pub(super) fn plain_text(&self, id: u32) -> Option<&[u8]> {
        let entry = &self.entries[id as usize];
        (id != 0 && entry.plain).then_some(&entry.text)
    }

    /// A row begins: it uses no entry yet.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self) {
        self.unused = self.links[0].older;
    }

    /// The id of a text; its entry, if it must be set first, goes to `rows`.
    #[inline(always)]
    pub(crate) fn id(&mut self, text: &[u8], rows: &mut Rows) -> Result<u32> {
        let hash = hash(text);
        let entries = &self.entries;
        match self.slots.find(hash, |id| same(&entries[id as usize].text, text)) {
            Some(id) => {
                self.touch(id);
                Ok(id)
            }
            None => self.add(text, hash, rows),
        }
    }

    /// Marks an entry as the newest, and as used by the row.
    #[inline(always)]
    pub(crate) fn touch(&mut self, id: u32) {
        if self.unused == id {
            self.unused = self.links[id as usize].older;
        }
        if self.links[0].older != id {
            self.unlink(id);
            self.link(id);
        }
    }

    #[inline(always)]
    fn unlink(&mut self, id: u32) {
        let Link { newer, older } = self.links[id as usize];
        self.links[newer as usize].older = older;
        self.links[older as usize].newer = newer;
    }

    #[inline(always)]
    fn link(&mut self, id: u32) {
        let newest = self.links[0].older;
        self.links[0].older = id;
        self.links[newest as usize].newer = id;
        self.links[id as usize] = Link { newer: 0, older: newest };
    }

    #[inline(never)]
    fn add(&mut self, text: &[u8], hash: u32, rows: &mut Rows) -> Result<u32> {
        let id = if self.entries.len() <= self.size as usize {
            self.entries.push(Entry::default());
            self.links.push(Link::default());
            self.entries.len() as u32 - 1
        } else {
            self.evict()?
        };
        let entry = &mut self.entries[id as usize];
        let held = entry.text.capacity();
        if held / 4 > text.len() + 64 {
            entry.text = Vec::new();
        }
        entry.text.clear();
        entry.text.extend_from_slice(text);
        (entry.hash, entry.may_split) = (hash, may_split(text));
        entry.plain = starts_plainly(text);
        self.bytes = self.bytes - held + entry.text.capacity();
        if self.bytes > self.most_bytes {
            let message =
                format!("the {} table holds more than {} bytes", self.kind.label(), self.most_bytes);
            return Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message));
        }
        self.link(id);
        self.slots.insert(hash, id);
        let wire_id = if id == self.last_set.wrapping_add(1) { 0 } else { id };
        self.last_set = id;
        rows.entry(self.kind, wire_id, text);
        Ok(id)
    }

    /// Frees the oldest entry. All entries of a row are set before it, so none of them may go for another.
    fn evict(&mut self) -> Result<u32> {
        let (id, label) = (self.links[0].newer, self.kind.label());
        if id == 0 {
            let message = format!("the options switch the {label} table off, but it is needed");
            return Err(Error::new(ErrorKind::EncodeTable, message));
        }
        if self.unused == 0 {
            let message = format!("one row needs more than the {} entries of the {label} table", self.size);
            return Err(Error::new(ErrorKind::EncodeTable, message));
        }
        if self.unused == id {
            self.unused = 0;
        }
        self.slots.remove(self.entries[id as usize].hash, id);
        self.unlink(id);
        Ok(id)
    }

    /// Forgets all entries; the next one has an explicit id.
    pub(crate) fn restart(&mut self) {
        self.entries.truncate(1);
        self.links.clear();
        self.links.push(Link::default());
        self.slots.clear();
        (self.bytes, self.unused, self.last_set) = (0, 0, NO_ID);
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

    /// Whether these entries are the pieces of an IRI, as it is split; then the row uses them. `plain`: if it may stand
    /// between `<` and `>` as it is.
    #[inline(always)]
    pub(crate) fn have(&mut self, prefix: u32, name: u32, iri: &[u8], plain: bool) -> bool {
        let (prefixes, names) = (&mut self.prefixes, &mut self.names);
        let (start, end) = (&prefixes.entries[prefix as usize], &names.entries[name as usize]);
        let is_plain = !plain || start.plain & end.plain;
        let start = &start.text;
        let have = name != 0
            && is_plain
            && start.len() + end.text.len() == iri.len()
            && same(&iri[start.len()..], &end.text)
            && same(&iri[..start.len()], start)
            && (prefix == 0 || !end.may_split || start.last() == Some(&b'#'));
        if have {
            if prefix != 0 {
                prefixes.touch(prefix);
            }
            names.touch(name);
        }
        have
    }

    /// A row begins.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self) {
        self.names.begin_row();
        self.prefixes.begin_row();
        self.datatypes.begin_row();
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

    /// The id in a row of its own, and the id on the wire if the entry is set.
    fn id(table: &mut Lookup, text: &str) -> (u32, Option<u32>) {
        table.begin_row();
        id_in_row(table, text)
    }

    fn id_in_row(table: &mut Lookup, text: &str) -> (u32, Option<u32>) {
        let mut rows = Rows::new(9);
        let id = table.id(text.as_bytes(), &mut rows).unwrap();
        assert_eq!(table.text(id), text.as_bytes());
        let set = match *rows.as_bytes() {
            [] => None,
            [0x0a, _, 0x4a, _, 0x08, id, 0x12, ..] => Some(id.into()),
            _ => Some(0),
        };
        (id, set)
    }

    fn error(table: &mut Lookup, text: &[u8]) -> Error {
        table.id(text, &mut Rows::new(9)).unwrap_err()
    }

    #[test]
    fn the_entry_unused_for_longest_goes() {
        let mut table = table(3);
        for (text, expected) in [
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
        ] {
            assert_eq!(id(&mut table, text), expected, "{text}");
        }
    }

    #[test]
    fn entries_of_one_row_stay() {
        let mut table = table(3);
        for text in ["a", "b", "c", "a"] {
            id(&mut table, text);
        }
        assert_eq!(id(&mut table, "b"), (2, None));
        assert_eq!(id_in_row(&mut table, "d"), (3, Some(3)));
        assert_eq!(id_in_row(&mut table, "b"), (2, None));
        assert_eq!(id_in_row(&mut table, "e"), (1, Some(1)));
        assert_eq!(error(&mut table, b"f").kind(), ErrorKind::EncodeTable);
        table.begin_row();
        assert_eq!(id_in_row(&mut table, "f"), (3, Some(3)), "of the row before, d was used first");
    }

    #[test]
    fn a_table_that_is_off_has_no_entries() {
        assert!(table(0).is_off());
        assert_eq!(error(&mut table(0), b"a").kind(), ErrorKind::EncodeTable);
    }

    #[test]
    fn text_is_bounded() {
        let mut table = Lookup::new(TableKind::Prefix, 100, 1000);
        let long = [b'x'; 300];
        let error = (1..).find_map(|n| table.id(&long[..300 - n], &mut Rows::new(9)).err());
        assert_eq!(error.unwrap().limit_name(), Some("lookup_bytes"));
    }

    #[test]
    fn after_a_restart_ids_are_explicit() {
        let mut table = table(3);
        for text in ["a", "b", "a"] {
            id(&mut table, text);
        }
        table.restart();
        assert_eq!(id(&mut table, "b"), (1, Some(1)));
        assert_eq!(id(&mut table, "a"), (2, Some(0)));
        assert_eq!(id(&mut table, "b"), (1, None));
    }
}
