//! Quads kept in a temporary file, to be read again in any order.

use std::io::{Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

use crate::error::{Error, ErrorKind, Result};
use crate::sink::Statement;
use crate::term::{LiteralKind, Term, TermBuf, Triple};
use crate::text::slot::TermSlot;

/// Maximum number of bytes that stay in memory.
const IN_MEMORY: usize = 8 << 20;
/// Bytes that are written or read at once.
const BLOCK: usize = 256 << 10;
/// Size of a key in bytes.
const KEY: u64 = 16;
/// Bytes that are read if the previous quad was not nearby.
const JUMP: usize = 4 << 10;

/// Quads that are being written; each has a place.
pub(crate) struct Store {
    file: SpooledTempFile,
    /// The bytes that are not in the file yet.
    tail: Vec<u8>,
    /// Bytes in the file.
    written: u64,
}

impl Store {
    /// Creates an empty store.
    pub(crate) fn new() -> Self {
        Store::with_memory(IN_MEMORY)
    }

    /// Creates an empty store that keeps up to `bytes` bytes in memory, in addition to one block.
    pub(crate) fn with_memory(bytes: usize) -> Self {
        Store { file: SpooledTempFile::new(bytes), tail: Vec::new(), written: 0 }
    }

    /// Stores a quad and returns its place.
    pub(crate) fn push(&mut self, statement: &Statement<'_>) -> Result<u64> {
        self.push_behind(&[], statement)
    }

    /// Stores a quad after its key, for [`Stored::next_key`].
    pub(crate) fn push_with_key(&mut self, key: u128, statement: &Statement<'_>) -> Result<()> {
        self.push_behind(&key.to_le_bytes(), statement)?;
        Ok(())
    }

    fn push_behind(&mut self, key: &[u8], statement: &Statement<'_>) -> Result<u64> {
        self.tail.extend(key);
        let place = self.written + self.tail.len() as u64;
        let start = self.tail.len();
        self.tail.extend([0; 4]);
        for term in &statement.terms {
            write(term, &mut self.tail);
        }
        let length = (self.tail.len() - start - 4) as u32;
        self.tail[start..start + 4].copy_from_slice(&length.to_le_bytes());
        if self.tail.len() >= BLOCK {
            self.file.write_all(&self.tail)?;
            self.written += self.tail.len() as u64;
            self.tail.clear();
        }
        Ok(place)
    }

    /// Ends the writing.
    pub(crate) fn read(mut self) -> Result<Stored> {
        self.file.write_all(&self.tail)?;
        let end = self.written + self.tail.len() as u64;
        Ok(Stored { file: self.file, block: Vec::new(), start: 0, end, slots: Default::default() })
    }
}

/// Stored quads that can be read.
pub(crate) struct Stored {
    file: SpooledTempFile,
    /// The bytes of the file from `start` on.
    block: Vec<u8>,
    start: u64,
    /// Size of the file in bytes.
    end: u64,
    slots: [TermSlot; 4],
}

impl Stored {
    /// Reads the quad at a place.
    pub(crate) fn get(&mut self, place: u64) -> Result<Statement<'_>> {
        let length = self.bytes(place, 4)?;
        let length = u32::from_le_bytes(length.try_into().map_err(|_| damaged())?) as usize;
        self.bytes(place + 4, length)?;
        let start = (place + 4 - self.start) as usize;
        let mut rest = &self.block[start..start + length];
        for slot in &mut self.slots {
            read_to(slot, &mut rest)?;
        }
        Ok(Statement::of(self.slots.each_ref().map(TermSlot::term)))
    }

    /// Reads the quad at a place and moves the place to the next quad; `None` after the last quad.
    pub(crate) fn next(&mut self, place: &mut u64) -> Result<Option<Statement<'_>>> {
        if *place >= self.end {
            return Ok(None);
        }
        let at = *place;
        let length = self.bytes(at, 4)?;
        *place += 4 + u64::from(u32::from_le_bytes(length.try_into().map_err(|_| damaged())?));
        self.get(at).map(Some)
    }

    /// Reads the key at a place and returns it with the place of its quad; moves on to the next key. `None`
    /// after the last one.
    pub(crate) fn next_key(&mut self, place: &mut u64) -> Result<Option<(u128, u64)>> {
        if *place >= self.end {
            return Ok(None);
        }
        let head = self.bytes(*place, KEY as usize + 4)?;
        let (key, length) = head.split_at(KEY as usize);
        let key = u128::from_le_bytes(key.try_into().map_err(|_| damaged())?);
        let length = u32::from_le_bytes(length.try_into().map_err(|_| damaged())?);
        let quad = *place + KEY;
        *place = quad + 4 + u64::from(length);
        Ok(Some((key, quad)))
    }

    fn bytes(&mut self, place: u64, length: usize) -> Result<&[u8]> {
        let end = place + length as u64;
        let known = self.start..=self.start + self.block.len() as u64;
        if place < self.start || end > *known.end() {
            // scattered quads: most bytes of a large block would be read for nothing
            let block = if known.contains(&place) { BLOCK } else { JUMP };
            self.file.seek(SeekFrom::Start(place))?;
            self.block.clear();
            (&mut self.file).take(length.max(block) as u64).read_to_end(&mut self.block)?;
            self.start = place;
        }
        let start = (place - self.start) as usize;
        self.block.get(start..start + length).ok_or_else(damaged)
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::Internal, "a temporary file changed after it was written")
}

const IRI: u8 = 0;
const BLANK_NODE: u8 = 1;
const SIMPLE: u8 = 2;
const LANGUAGE: u8 = 3;
const DATATYPE: u8 = 4;
const TRIPLE: u8 = 5;
const DEFAULT_GRAPH: u8 = 6;

/// Writes a letter for the kind, then the texts with their lengths.
fn write(term: &Term<'_>, out: &mut Vec<u8>) {
    match term {
        Term::Iri(iri) => {
            out.push(IRI);
            write_text(&[iri.prefix(), iri.name()], out);
        }
        Term::BlankNode(label) => {
            out.push(BLANK_NODE);
            write_text(&[label], out);
        }
        Term::Literal(literal) => {
            let (kind, more) = match literal.kind {
                LiteralKind::Simple => (SIMPLE, None),
                LiteralKind::Language(tag) => (LANGUAGE, Some(tag)),
                LiteralKind::Datatype(datatype) => (DATATYPE, Some(datatype.iri())),
            };
            out.push(kind);
            write_text(&[literal.lex], out);
            if let Some(more) = more {
                write_text(&[more], out);
            }
        }
        Term::Triple(triple) => {
            out.push(TRIPLE);
            for term in &triple.terms {
                write(&term.as_term(), out);
            }
        }
        Term::DefaultGraph => out.push(DEFAULT_GRAPH),
    }
}

fn write_text(pieces: &[&str], out: &mut Vec<u8>) {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    out.extend((length as u32).to_le_bytes());
    for piece in pieces {
        out.extend_from_slice(piece.as_bytes());
    }
}

fn read_to(slot: &mut TermSlot, rest: &mut &[u8]) -> Result<()> {
    match take(rest, 1)?[0] {
        TRIPLE => slot.put(triple(rest)?),
        kind => slot.set(&leaf(kind, rest)?),
    };
    Ok(())
}

fn triple(rest: &mut &[u8]) -> Result<TermBuf> {
    let mut term = || match take(rest, 1)?[0] {
        TRIPLE => triple(rest),
        kind => leaf(kind, rest).map(TermBuf::from),
    };
    Ok(TermBuf::Triple(Box::new(Triple { terms: [term()?, term()?, term()?] })))
}

fn leaf<'a>(kind: u8, rest: &mut &'a [u8]) -> Result<Term<'a>> {
    Ok(match kind {
        IRI => Term::iri(text(rest)?),
        BLANK_NODE => Term::BlankNode(text(rest)?),
        SIMPLE => Term::simple_literal(text(rest)?),
        LANGUAGE => Term::language_literal(text(rest)?, text(rest)?),
        DATATYPE => Term::typed_literal(text(rest)?, text(rest)?),
        DEFAULT_GRAPH => Term::DefaultGraph,
        _ => return Err(damaged()),
    })
}

fn text<'a>(rest: &mut &'a [u8]) -> Result<&'a str> {
    let length = u32::from_le_bytes(take(rest, 4)?.try_into().map_err(|_| damaged())?);
    std::str::from_utf8(take(rest, length as usize)?).map_err(|_| damaged())
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length).ok_or_else(damaged)?;
    *rest = left;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quad_comes_back_from_its_place() {
        let leaves = [
            TermBuf::iri("http://a/b"),
            TermBuf::iri("_:x y"),
            TermBuf::blank_node("b"),
            TermBuf::simple_literal("\"x\n"),
            TermBuf::language_literal("x", "en-GB"),
            TermBuf::typed_literal("1", "a:t"),
            TermBuf::DefaultGraph,
        ];
        let nest = |inner: &TermBuf| {
            let terms = [leaves[0].clone(), leaves[2].clone(), inner.clone()];
            TermBuf::Triple(Box::new(Triple { terms }))
        };
        let mut all = leaves.to_vec();
        all.extend(leaves.iter().map(nest));
        all.extend(leaves.iter().map(|leaf| nest(&nest(leaf))));
        all.push(TermBuf::simple_literal(&"long ".repeat(BLOCK)));
        let quad = |n: usize| std::array::from_fn(|place| &all[(n * (place + 1) + place) % all.len()]);
        let mut store = Store::new();
        let places: Vec<_> = (0..20_000)
            .map(|n| store.push(&Statement::of(quad(n % 500).map(TermBuf::as_term))).unwrap())
            .collect();
        assert!(store.written > 3 * IN_MEMORY as u64, "some of it was on the disk");
        let mut stored = store.read().unwrap();
        for n in (0..20_000).step_by(7).chain([19_999, 0, 10_000]) {
            let got = stored.get(places[n]).unwrap().terms.map(TermBuf::from);
            assert!(got.each_ref() == quad(n % 500), "{n}");
        }
    }

    #[test]
    fn quads_come_back_in_order_behind_their_keys() {
        let long = TermBuf::simple_literal(&"long ".repeat(BLOCK));
        let quad = |n: u128| {
            let object = if n % 500 == 7 { long.clone() } else { TermBuf::simple_literal(&n.to_string()) };
            [TermBuf::iri("a:s"), TermBuf::iri("a:p"), object, TermBuf::DefaultGraph]
        };
        let mut store = Store::new();
        for n in 0..20_000 {
            store
                .push_with_key(u128::MAX - n, &Statement::of(quad(n).each_ref().map(TermBuf::as_term)))
                .unwrap();
        }
        assert!(store.written > 3 * IN_MEMORY as u64, "some of it was on the disk");
        let (mut stored, mut place, mut count) = (store.read().unwrap(), 0, 0);
        while let Some((key, at)) = stored.next_key(&mut place).unwrap() {
            assert_eq!(key, u128::MAX - count);
            if count % 3 == 0 {
                assert!(stored.get(at).unwrap().terms.map(TermBuf::from) == quad(count), "{count}");
            }
            count += 1;
        }
        assert_eq!(count, 20_000);
    }
}
