//! The lookup tables of an encoder, which map text to ids. The least recently used entry is replaced first.

mod entry;

use super::bytes::{hash, may_split, same};
use super::row::Rows;
use crate::decode::TableKind;
use crate::error::{Error, ErrorKind, Result};
use crate::options::TableSizes;
use crate::scan::starts_plainly;
use entry::Entry;

/// The neighbours of an entry in order of use. They form a ring, in which 0 is between the oldest and the
/// newest.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    newer: u32,
    older: u32,
}

/// No id follows this value.
const NO_ID: u32 = u32::MAX;

/// A lookup table, which grows with its entries.
#[derive(Debug)]
pub(crate) struct Lookup {
    kind: TableKind,
    size: u32,
    last_set: u32,
    /// Entries by id; entry 0 is unused.
    entries: Vec<Entry>,
    links: Vec<Link>,
    /// The first entries of the hash chains. Their number is a power of two, at least twice the number of
    /// entries.
    chains: Vec<u32>,
    /// The newest entry that the row under construction does not use; the entries that it uses are newer.
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
            entries: vec![Entry::none()],
            links: vec![Link::default()],
            chains: vec![0; 2],
            unused: 0,
            bytes: 0,
            most_bytes,
        }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.size == 0
    }

    /// The text of an id; empty for 0.
    #[inline(always)]
    pub(crate) fn text(&self, id: u32) -> &[u8] {
        self.entries[id as usize].text()
    }

    /// The text of an id other than 0, if it needs no escapes in an IRI between `<` and `>`.
    #[inline(always)]
    pub(super) fn plain_text(&self, id: u32) -> Option<&[u8]> {
        let entry = &self.entries[id as usize];
        (id != 0 && entry.plain).then(|| entry.text())
    }

    /// Begins a row, which uses no entry yet.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self) {
        self.unused = self.links[0].older;
    }

    /// The id of a text. If its entry must be set first, the entry is added to `rows`.
    #[inline(always)]
    pub(crate) fn id(&mut self, text: &[u8], rows: &mut Rows) -> Result<u32> {
        let hash = hash(text);
        let mut id = self.chains[self.chain(hash)];
        while id != 0 {
            let entry = &self.entries[id as usize];
            if entry.hash == hash && same(entry.text(), text) {
                self.touch(id);
                return Ok(id);
            }
            id = entry.next;
        }
        self.add(text, hash, rows)
    }

    /// The index of the chain for a hash.
    #[inline(always)]
    fn chain(&self, hash: u32) -> usize {
        hash as usize & (self.chains.len() - 1)
    }

    /// Adds an entry to the chain of its hash.
    fn put_in_chain(&mut self, id: u32) {
        let chain = self.chain(self.entries[id as usize].hash);
        self.entries[id as usize].next = std::mem::replace(&mut self.chains[chain], id);
    }

    /// Removes an entry from the chain of its hash.
    fn take_out_of_chain(&mut self, id: u32) {
        let Entry { hash, next, .. } = self.entries[id as usize];
        let chain = self.chain(hash);
        let mut before = self.chains[chain];
        if before == id {
            self.chains[chain] = next;
            return;
        }
        while self.entries[before as usize].next != id {
            before = self.entries[before as usize].next;
        }
        self.entries[before as usize].next = next;
    }

    /// Marks an entry as the newest and as used by the row.
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
        let id = if self.entries.len() <= self.size as usize { self.grow() } else { self.evict()? };
        let entry = &mut self.entries[id as usize];
        let held = entry.held();
        entry.set_text(text);
        (entry.hash, entry.may_split, entry.plain) = (hash, may_split(text), starts_plainly(text));
        self.bytes = self.bytes - held + entry.held();
        if self.bytes > self.most_bytes {
            let message =
                format!("the {} table holds more than {} bytes", self.kind.label(), self.most_bytes);
            return Err(Error::limit(ErrorKind::LimitLookup, "lookup_bytes", message));
        }
        self.link(id);
        self.put_in_chain(id);
        let wire_id = if id == self.last_set.wrapping_add(1) { 0 } else { id };
        self.last_set = id;
        rows.entry(self.kind, wire_id, text);
        Ok(id)
    }

    /// Adds an entry.
    fn grow(&mut self) -> u32 {
        let id = self.entries.len() as u32;
        if id as usize * 2 > self.chains.len() {
            self.chains = vec![0; self.chains.len() * 2];
            (1..id).for_each(|id| self.put_in_chain(id));
        }
        self.entries.push(Entry::default());
        self.links.push(Link::default());
        id
    }

    /// Frees the oldest entry. All entries of a row are set before the row, so none of them may replace
    /// another one.
    fn evict(&mut self) -> Result<u32> {
        let (id, label) = (self.links[0].newer, self.kind.label());
        if id == 0 {
            let message = format!("the options switch off the {label} table, but it is needed");
            return Err(Error::new(ErrorKind::EncodeTable, message));
        }
        if self.unused == 0 {
            let message = format!("one row needs more than the {} entries of the {label} table", self.size);
            return Err(Error::new(ErrorKind::EncodeTable, message));
        }
        if self.unused == id {
            self.unused = 0;
        }
        self.take_out_of_chain(id);
        self.unlink(id);
        Ok(id)
    }

    /// Removes all entries; the next entry has an explicit id.
    pub(crate) fn restart(&mut self) {
        self.entries.truncate(1);
        self.links.clear();
        self.links.push(Link::default());
        self.chains.fill(0);
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
    /// Creates empty tables. Each may hold a quarter of the bytes, because readers pad their entries.
    pub(crate) fn new(sizes: TableSizes, lookup_bytes: usize) -> Self {
        let most_bytes = lookup_bytes / 4;
        Lookups {
            names: Lookup::new(TableKind::Name, sizes.names, most_bytes),
            prefixes: Lookup::new(TableKind::Prefix, sizes.prefixes, most_bytes),
            datatypes: Lookup::new(TableKind::Datatype, sizes.datatypes, most_bytes),
        }
    }

    /// Whether these entries are the pieces of an IRI as it is split; the row then uses them. `plain`: only
    /// if the IRI needs no escapes between `<` and `>`.
    #[inline(always)]
    pub(crate) fn have(&mut self, prefix: u32, name: u32, iri: &[u8], plain: bool) -> bool {
        let (prefixes, names) = (&mut self.prefixes, &mut self.names);
        let (start, end) = (&prefixes.entries[prefix as usize], &names.entries[name as usize]);
        let is_plain = !plain || start.plain & end.plain;
        let (start, text) = (start.text(), end.text());
        let have = name != 0
            && is_plain
            && start.len() + text.len() == iri.len()
            && same(&iri[start.len()..], text)
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

    /// Begins a row.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self) {
        self.names.begin_row();
        self.prefixes.begin_row();
        self.datatypes.begin_row();
    }

    /// Removes all entries.
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

    /// The id of a text, in a row of its own, and the id on the wire if the entry is set.
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

    /// Short and long texts, more and fewer than entries; compared with a list of texts in order of use.
    #[test]
    fn ids_are_those_of_a_list_by_use() {
        let (mut seed, mut sets) = (7usize, 0);
        for size in [1, 2, 7, 40, 100] {
            let (mut table, mut list, mut last) = (table(size as u32), Vec::new(), 0);
            for _ in 0..20_000 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if seed >> 52 == 0 {
                    table.restart();
                    (list, last) = (Vec::new(), NO_ID);
                }
                let number = seed >> 33 & 63;
                let text = format!("{}{number}", "long ".repeat(number % 16));
                let known = list.iter().position(|(other, _)| *other == text);
                let (expected, set) = match known.map(|at| list.remove(at).1) {
                    Some(id) => (id, None),
                    None => {
                        let free = list.len() < size;
                        let id = if free { list.len() as u32 + 1 } else { list.remove(0).1 };
                        sets += 1;
                        let follows = id == std::mem::replace(&mut last, id).wrapping_add(1);
                        (id, Some(if follows { 0 } else { id }))
                    }
                };
                assert_eq!(id(&mut table, &text), (expected, set), "{text}");
                list.push((text, expected));
            }
        }
        assert!((10_000..99_000).contains(&sets), "{sets}");
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
