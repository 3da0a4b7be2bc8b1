//! The lookup tables of a decoder: names, prefixes, datatypes.

use super::quick::short_bytes;
use crate::buffer::{Padded, PaddedSlot};
use crate::error::{ErrorKind, excerpt};
use crate::limits::Limits;
use crate::scan::{ascii, is_plain_iri};
use crate::term::{DATATYPE_OPEN, Datatype, DatatypeText, Iri, XSD_STRING};
use crate::wire::{Cursor, Fault};

/// One of the three tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableKind {
    Name,
    Prefix,
    Datatype,
}

impl TableKind {
    pub(crate) const ALL: [TableKind; 3] = [TableKind::Name, TableKind::Prefix, TableKind::Datatype];

    pub(crate) fn label(self) -> &'static str {
        match self {
            TableKind::Name => "name",
            TableKind::Prefix => "prefix",
            TableKind::Datatype => "datatype",
        }
    }

    /// The text before and after the value, so that text writers can copy an entry as it is.
    fn wrapping(self) -> (&'static str, &'static str) {
        match self {
            TableKind::Name => ("", ">"),
            TableKind::Prefix => ("<", ""),
            TableKind::Datatype => (DATATYPE_OPEN, ">"),
        }
    }
}

/// An entry with its wrapping.
pub(crate) type Entry = PaddedSlot<About>;

/// Properties of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    /// Whether the entry needs no escapes.
    plain: bool,
    xsd_string: bool,
}

/// Memory that a table without text may use in addition to the limit on lookup bytes.
const SLOTS: usize = 1 << 20;

/// A lookup table. It grows with its entries, never with the declared size.
#[derive(Debug)]
pub(crate) struct Lookup {
    kind: TableKind,
    size: u32,
    last_set: u32,
    entries: Vec<Entry>,
    bytes: usize,
}

impl Lookup {
    pub(crate) fn new(kind: TableKind, size: u32) -> Self {
        Lookup { kind, size, last_set: 0, entries: Vec::new(), bytes: 0 }
    }

    /// The number of entries that the options allow.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    /// Resolves the id of an entry on the wire: 0 means the id after the entry that was set last.
    pub(crate) fn entry_id(&self, wire_id: u32, at: &[u8]) -> Result<u32, Fault> {
        let label = self.kind.label();
        if self.size == 0 {
            let message = format!("a {label} entry, but the options switch off the {label} table");
            return Err(Fault::new(ErrorKind::TableDisabled, at, message));
        }
        let id = if wire_id == 0 { self.last_set.checked_add(1) } else { Some(wire_id) };
        match id {
            Some(id) if id <= self.size => Ok(id),
            _ => {
                let id = id.map_or_else(|| "2^32".to_owned(), |id| id.to_string());
                let message = format!("{label} entry {id} is beyond the table of {}", self.size);
                Err(Fault::new(ErrorKind::TableRange, at, message))
            }
        }
    }

    /// Sets an entry with an id in range; returns the change of the table's size in bytes.
    pub(crate) fn set(&mut self, id: u32, value: &str) -> isize {
        let index = id as usize;
        if self.entries.len() <= index {
            self.entries.resize_with(index + 1, Entry::default);
        }
        let entry = &mut self.entries[index];
        let held = entry.held();
        // a prefix that could begin a blank node label takes the careful path
        let plain = is_plain_iri(value) && !(self.kind != TableKind::Name && value.starts_with("_:"));
        let about = About { plain, xsd_string: self.kind == TableKind::Datatype && value == XSD_STRING };
        // three calls, so that the constant parts are copied without a call
        match self.kind {
            TableKind::Name => entry.set("", value, ">", about),
            TableKind::Prefix => entry.set("<", value, "", about),
            TableKind::Datatype => entry.set(DATATYPE_OPEN, value, ">", about),
        }
        self.last_set = id;
        let grown = entry.held() as isize - held as isize;
        self.bytes = self.bytes.saturating_add_signed(grown);
        grown
    }

    /// Whether an entry is set.
    pub(crate) fn is_set(&self, id: u32) -> bool {
        self.get(id).is_some()
    }

    /// An entry, if it is set.
    #[inline(always)]
    fn get(&self, id: u32) -> Option<(Padded<'_>, About)> {
        self.entries.get(id as usize)?.get()
    }

    /// Checks a reference to an entry.
    #[inline(always)]
    pub(crate) fn check(&self, id: u32, at: &[u8]) -> Result<usize, Fault> {
        match self.get(id) {
            Some((text, _)) => Ok(text.len()),
            None => Err(self.undefined(id, at)),
        }
    }

    #[cold]
    #[inline(never)]
    fn undefined(&self, id: u32, at: &[u8]) -> Fault {
        let label = self.kind.label();
        let (kind, message) = if self.size == 0 {
            let message = format!("{label} id {id}, but the options switch off the {label} table");
            (ErrorKind::TableDisabled, message)
        } else if id > self.size {
            let message = format!("{label} id {id} is beyond the table of {}", self.size);
            (ErrorKind::TableRange, message)
        } else {
            (ErrorKind::TableUndefined, format!("{label} id {id} was never set"))
        };
        Fault::new(kind, at, message)
    }

    /// An entry whose reference was checked.
    #[inline(always)]
    fn entry(&self, id: u32) -> (Padded<'_>, About) {
        self.entries[id as usize].get().unwrap_or((Padded::ANGLE, About { plain: false, xsd_string: false }))
    }

    /// Ids and values of all entries.
    pub(crate) fn live(&self) -> impl Iterator<Item = (u32, &str)> {
        let (before, after) = self.kind.wrapping();
        self.entries.iter().zip(0..).filter_map(move |(entry, id)| {
            let text = entry.get()?.0.text();
            Some((id, &text[before.len()..text.len() - after.len()]))
        })
    }

    pub(crate) fn last_set(&self) -> u32 {
        self.last_set
    }

    pub(crate) fn set_last(&mut self, id: u32) {
        self.last_set = id;
    }
}

/// The three tables of a stream, and the bytes they hold.
#[derive(Debug)]
pub(crate) struct Lookups {
    pub(crate) names: Lookup,
    pub(crate) prefixes: Lookup,
    pub(crate) datatypes: Lookup,
    bytes: usize,
}

impl Lookups {
    pub(crate) fn new(sizes: crate::options::TableSizes) -> Self {
        Lookups {
            names: Lookup::new(TableKind::Name, sizes.names),
            prefixes: Lookup::new(TableKind::Prefix, sizes.prefixes),
            datatypes: Lookup::new(TableKind::Datatype, sizes.datatypes),
            bytes: 0,
        }
    }

    pub(crate) fn table(&self, kind: TableKind) -> &Lookup {
        match kind {
            TableKind::Name => &self.names,
            TableKind::Prefix => &self.prefixes,
            TableKind::Datatype => &self.datatypes,
        }
    }

    pub(crate) fn table_mut(&mut self, kind: TableKind) -> &mut Lookup {
        match kind {
            TableKind::Name => &mut self.names,
            TableKind::Prefix => &mut self.prefixes,
            TableKind::Datatype => &mut self.datatypes,
        }
    }

    /// Sets an entry within the limits.
    pub(crate) fn set(
        &mut self,
        kind: TableKind,
        id: u32,
        value: &str,
        at: &[u8],
        limits: &Limits,
    ) -> Result<(), Fault> {
        if value.len() > limits.term_bytes {
            let message = format!("a {} entry of {} bytes: {}", kind.label(), value.len(), excerpt(value));
            return Err(Fault::limit(ErrorKind::LimitTerm, "term_bytes", at, message));
        }
        let slots = (id as usize + 1) * size_of::<Entry>();
        if slots > limits.lookup_bytes.max(SLOTS) {
            let message = format!("{slots} bytes for a table of {id} entries");
            let kind = ErrorKind::LimitLookup;
            return Err(Fault::limit(kind, "lookup_bytes", at, message));
        }
        let grown = self.table_mut(kind).set(id, value);
        self.bytes = self.bytes.saturating_add_signed(grown);
        self.check_bytes(0, limits.lookup_bytes, at)
    }

    /// Bytes of all entries.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns an error if the tables, with the copies of their entries, exceed `most` bytes.
    pub(crate) fn check_bytes(&self, copies: usize, most: usize, at: &[u8]) -> Result<(), Fault> {
        if self.bytes + copies <= most {
            return Ok(());
        }
        let message = format!("the lookup tables hold more than {most} bytes");
        Err(Fault::limit(ErrorKind::LimitLookup, "lookup_bytes", at, message))
    }

    /// An IRI whose ids were checked; prefix 0 is the empty prefix.
    #[inline(always)]
    pub(crate) fn iri(&self, prefix: u32, name: u32) -> Iri<'_> {
        let prefix = (prefix != 0).then(|| self.prefixes.entry(prefix));
        join(prefix, self.names.entry(name))
    }

    /// An IRI, if its ids are set.
    #[inline(always)]
    pub(crate) fn known_iri(&self, prefix: u32, name: u32) -> Option<Iri<'_>> {
        let prefix = match prefix {
            0 => None,
            _ => Some(self.prefixes.get(prefix)?),
        };
        Some(join(prefix, self.names.get(name)?))
    }

    /// A datatype whose id was checked; `None` for `xsd:string`.
    #[inline(always)]
    pub(crate) fn datatype(&self, id: u32) -> Option<Datatype<'_>> {
        let (suffix, About { plain, xsd_string }) = self.datatypes.entry(id);
        (!xsd_string).then_some(Datatype(DatatypeText::Suffix { suffix, plain }))
    }
}

#[inline(always)]
fn join<'a>(prefix: Option<(Padded<'a>, About)>, (close, name): (Padded<'a>, About)) -> Iri<'a> {
    match prefix {
        Some((open, prefix)) if open.len() >= 3 => Iri::in_pieces(open, close, prefix.plain & name.plain),
        short => {
            let (open, plain) = short.map_or((Padded::ANGLE, true), |(open, prefix)| (open, prefix.plain));
            join_short(open, close, plain & name.plain)
        }
    }
}

/// Joins an IRI with a prefix of at most one character: it may begin with `_:`, like a blank node.
#[inline(never)]
fn join_short<'a>(open: Padded<'a>, close: Padded<'a>, plain: bool) -> Iri<'a> {
    let begins = open.bytes().iter().chain(close.bytes()).take(3);
    Iri::in_pieces(open, close, plain && !begins.eq(b"<_:"))
}

/// Reads an entry row: the id on the wire, and the value.
#[inline(always)]
pub(crate) fn read_entry(bytes: &[u8], nesting: usize) -> Result<(u32, &str), Fault> {
    match read_short_entry(bytes) {
        Some(entry) => Ok(entry),
        None => read_any_entry(bytes, nesting),
    }
}

/// Reads an entry row in the usual form: an optional id, then the value.
#[inline(always)]
fn read_short_entry(bytes: &[u8]) -> Option<(u32, &str)> {
    let (id, rest) = match *bytes {
        [0x12, ref rest @ ..] => (0, rest),
        [0x08, id @ 0..0x80, 0x12, ref rest @ ..] => (id.into(), rest),
        [0x08, low @ 0x80..=0xff, high @ 0..0x80, 0x12, ref rest @ ..] => {
            (u32::from(low & 0x7f) | u32::from(high) << 7, rest)
        }
        _ => return None,
    };
    match short_bytes(rest)? {
        (value, []) => {
            let value = ascii(value).or_else(|| std::str::from_utf8(value).ok());
            Some((id, value?))
        }
        _ => None,
    }
}

#[inline(never)]
fn read_any_entry(bytes: &[u8], nesting: usize) -> Result<(u32, &str), Fault> {
    let (mut id, mut value) = (0, "");
    let mut cursor = Cursor::new(bytes);
    while let Some((key, at)) = cursor.next_key()? {
        match key.field {
            1 => {
                id = cursor.number_of(key, at).map_err(|fault| fault.within("id"))?;
            }
            2 => {
                let bytes = cursor.bytes_of(key, at).map_err(|fault| fault.within("value"))?;
                value = super::literal::utf8(bytes, at).map_err(|fault| fault.within("value"))?;
            }
            _ => cursor.skip(key, at, nesting)?,
        }
    }
    Ok((id, value))
}
