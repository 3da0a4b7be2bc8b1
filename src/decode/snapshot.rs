//! Decoder state as bytes: another decoder, in another process, continues with the same rows.
//!
//! Layout: `JSN`, version, varints and strings as written below, CRC-32C of all preceding bytes (little
//! endian).

use super::delimiter::Framing;
use super::frame::FramePlace;
use super::lookup::TableKind;
use super::marks::Marks;
use super::repeat::{Slot, Slots};
use super::term::Terms;
use super::{DecodeOptions, Decoder, DialectState};
use crate::blank::StreamNumber;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::Features;
use crate::term::{LiteralKind, Term, TermBuf, Triple};
use crate::wire::{Cursor, Fault, write_varint};

const MAGIC: &[u8] = b"JSN\x03";
/// The previous version, which has no stream number.
const UNNUMBERED: &[u8] = b"JSN\x02";
const CHECKSUM: usize = 4;

const FRAMINGS: [Framing; 4] = [Framing::Auto, Framing::Delimited, Framing::Single, Framing::Concatenated];

/// The state after the last decoded row; the next byte to decode is [`Decoder::offset`].
///
/// Rows that only the end of the input implied are not included: a reader that continues with more input
/// implies them at its own end.
pub(super) fn take<D: DialectState>(decoder: &Decoder<D>) -> Result<Vec<u8>> {
    if decoder.failed {
        return Err(wrong("the reader failed, so it has no snapshot"));
    }
    let Some((frames, rows, offset, place)) = decoder.frames.checkpoint() else {
        return Err(wrong("a snapshot cannot be taken inside an unknown field; read on and try again"));
    };
    let Some(marks) = decoder.marks.numbers() else {
        return Err(wrong("a snapshot cannot be taken before the first row; read on and try again"));
    };
    let mut out = MAGIC.to_vec();
    out.push(D::ROW as u8);
    let framing = decoder.frames.framing();
    out.push(FRAMINGS.iter().position(|known| *known == framing).unwrap_or_default() as u8);
    let (tag, left) = match place {
        FramePlace::Start => (0, 0),
        FramePlace::Between => (1, 0),
        FramePlace::Inside(None) => (2, 0),
        FramePlace::Inside(Some(left)) => (3, left),
    };
    for value in [tag, left, frames, rows, offset] {
        write_varint(&mut out, value);
    }
    match (decoder.dialect.options_bytes(), &decoder.terms) {
        (Some(options), Some(terms)) => {
            out.push(1);
            write_bytes(&mut out, options);
            write_terms(&mut out, terms, &decoder.slots);
        }
        _ => out.push(0),
    }
    for numbers in [decoder.dialect.counters(), marks] {
        write_varint(&mut out, numbers.len() as u64);
        for number in numbers {
            write_varint(&mut out, number);
        }
    }
    out.extend_from_slice(&crc32c::crc32c(&out).to_le_bytes());
    Ok(out)
}

impl<D: DialectState> Decoder<D> {
    /// The snapshot of a decoder at this message of a log whose start is lost. The message begins a stream.
    ///
    /// Blank nodes without a label differ from those in the streams before the loss.
    ///
    /// # Errors
    /// `options.snapshot`: the number of the message is too large.
    pub fn after_loss(message: u64) -> Result<Vec<u8>> {
        let number = StreamNumber::after_loss(message)
            .ok_or_else(|| wrong("the number of the message is larger than a snapshot can hold"))?;
        take(&Self::new(DecodeOptions::default()).of_stream(number.0))
    }

    /// Creates a decoder that continues at a snapshot; its input begins at the offset of the snapshot.
    pub fn resume(mut config: DecodeOptions, snapshot: &[u8]) -> Result<Self> {
        let Some((body, checksum)) = snapshot.split_last_chunk::<CHECKSUM>() else {
            return Err(wrong("this is not a snapshot: it is too short"));
        };
        let is_numbered = body.starts_with(MAGIC);
        if !is_numbered && !body.starts_with(UNNUMBERED) {
            return Err(wrong("this snapshot is not from this version of the library"));
        }
        if crc32c::crc32c(body).to_le_bytes() != *checksum {
            return Err(wrong("the snapshot is damaged: its checksum does not match"));
        }
        let mut cursor = Cursor::new(&body[MAGIC.len()..]);
        let damaged = |_: Fault| wrong("the snapshot is damaged");
        if byte(&mut cursor)? != D::ROW as u8 {
            return Err(wrong("the snapshot belongs to the other format"));
        }
        let framing = FRAMINGS.get(usize::from(byte(&mut cursor)?)).copied().unwrap_or_default();
        if config.framing == Framing::Auto {
            config.framing = framing;
        } else if framing != Framing::Auto && framing != config.framing {
            return Err(wrong("the snapshot was taken with another framing"));
        }
        let mut number = || count(&mut cursor).map_err(damaged);
        let (tag, left) = (number()?, number()?);
        let (frames, rows, offset) = (number()?, number()?, number()?);
        let place = match tag {
            0 => FramePlace::Start,
            1 => FramePlace::Between,
            2 => FramePlace::Inside(None),
            _ => FramePlace::Inside(Some(left)),
        };
        if frames == 0 && place != FramePlace::Start && place != FramePlace::Between {
            return Err(wrong("the snapshot is damaged"));
        }
        let mut decoder = Decoder::<D>::new(config);
        if byte(&mut cursor)? == 1 {
            let options = cursor.bytes().map_err(damaged)?;
            let locate = |fault: Fault| fault.locate(options, 0);
            let (tables, features) =
                decoder.dialect.restore_options(options, &decoder.config.limits).map_err(locate)?;
            let features = Features::allowed(features, &decoder.config);
            let mut terms = Terms::new(tables, features, 0);
            decoder.slots = read_terms(&mut cursor, &mut terms, &decoder.config.limits)
                .map_err(|fault| wrong(fault.message()))?;
            decoder.terms = Some(terms);
        }
        let counters = numbers(&mut cursor)?;
        let mut found = numbers(&mut cursor)?;
        if !is_numbered {
            // its positions had no number so far and still get none
            found.insert(0, 1);
        }
        let marks = Marks::restore(&found);
        let Some(marks) = marks.filter(|_| cursor.is_empty() && decoder.dialect.restore_counters(&counters))
        else {
            return Err(wrong("the snapshot is damaged"));
        };
        if let Some(terms) = &mut decoder.terms {
            terms.stream = marks.stream().filter(|_| D::NUMBERS_POSITIONS);
        }
        decoder.marks = marks;
        decoder.frames.resume(frames, rows, offset, place);
        decoder.consumed = offset;
        Ok(decoder)
    }
}

#[cold]
fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::OptionsSnapshot, message)
}

fn byte(cursor: &mut Cursor<'_>) -> Result<u8> {
    let (&byte, rest) = cursor.rest.split_first().ok_or_else(|| wrong("the snapshot is damaged"))?;
    cursor.rest = rest;
    Ok(byte)
}

/// Reads the number of numbers, and the numbers.
fn numbers(cursor: &mut Cursor<'_>) -> Result<Vec<u64>> {
    let damaged = |_: Fault| wrong("the snapshot is damaged");
    let mut numbers = Vec::new();
    for _ in 0..count(cursor).map_err(damaged)? {
        numbers.push(count(cursor).map_err(damaged)?);
    }
    Ok(numbers)
}

/// Reads a number that can be incremented without overflow.
fn count(cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
    let at = cursor.rest;
    let number = cursor.varint()?;
    if number >> 62 != 0 {
        return Err(Fault::new(ErrorKind::OptionsSnapshot, at, "the snapshot has an impossible number"));
    }
    Ok(number)
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Writes tables, current ids and last terms.
fn write_terms(out: &mut Vec<u8>, terms: &Terms, slots: &Slots<'static>) {
    for kind in TableKind::ALL {
        let table = terms.lookups.table(kind);
        write_varint(out, table.last_set().into());
        write_varint(out, table.live().count() as u64);
        for (id, value) in table.live() {
            write_varint(out, id.into());
            write_bytes(out, value.as_bytes());
        }
    }
    write_varint(out, terms.ids.prefix.into());
    write_varint(out, terms.ids.name.into());
    for place in 0..4 {
        match slots[place] {
            Slot::Unset => out.push(0),
            Slot::Iri { prefix, name } => {
                out.push(1);
                write_varint(out, prefix.into());
                write_varint(out, name.into());
            }
            Slot::DefaultGraph => out.push(2),
            Slot::Held | Slot::BlankNode(_) | Slot::Literal { .. } => {
                out.push(3);
                write_term(out, &terms.held.term(slots, place, &terms.lookups));
            }
        }
    }
}

fn read_terms(cursor: &mut Cursor<'_>, terms: &mut Terms, limits: &Limits) -> Result<Slots<'static>, Fault> {
    for kind in TableKind::ALL {
        let last_set = cursor.uint32()?;
        for _ in 0..cursor.varint()? {
            let at = cursor.rest;
            let id = cursor.uint32()?;
            let value = text(cursor)?;
            let id = terms.lookups.table(kind).entry_id(id, at)?;
            terms.lookups.set(kind, id, value, at, limits)?;
        }
        terms.lookups.table_mut(kind).set_last(last_set);
    }
    terms.ids.prefix = cursor.uint32()?;
    terms.ids.name = cursor.uint32()?;
    let mut slots = [Slot::Unset; 4];
    for (place, slot) in slots.iter_mut().enumerate() {
        let at = cursor.rest;
        *slot = match cursor.varint()? {
            0 => Slot::Unset,
            1 => {
                let (prefix, name) = (cursor.uint32()?, cursor.uint32()?);
                if prefix != 0 {
                    terms.lookups.prefixes.check(prefix, at)?;
                }
                terms.lookups.names.check(name, at)?;
                Slot::Iri { prefix, name }
            }
            2 => Slot::DefaultGraph,
            _ => {
                let term = read_term(cursor, limits.nesting)?;
                terms.held.put(place, term);
                Slot::Held
            }
        };
    }
    Ok(slots)
}

fn write_term(out: &mut Vec<u8>, term: &Term<'_>) {
    match term {
        Term::Iri(iri) => {
            out.push(0);
            write_bytes(out, iri.to_string().as_bytes());
        }
        Term::BlankNode(label) => {
            out.push(1);
            write_bytes(out, label.as_bytes());
        }
        Term::Literal(literal) => {
            let (tag, extra) = match &literal.kind {
                LiteralKind::Simple => (2, None),
                LiteralKind::Language(tag) => (3, Some(*tag)),
                LiteralKind::Datatype(datatype) => (4, Some(datatype.iri())),
            };
            out.push(tag);
            write_bytes(out, literal.lex.as_bytes());
            if let Some(extra) = extra {
                write_bytes(out, extra.as_bytes());
            }
        }
        Term::Triple(triple) => {
            out.push(5);
            for term in &triple.terms {
                write_term(out, &term.as_term());
            }
        }
        Term::DefaultGraph => out.push(6),
    }
}

/// Reads a term; triples nest at most `depth` levels.
fn read_term(cursor: &mut Cursor<'_>, depth: usize) -> Result<TermBuf, Fault> {
    let at = cursor.rest;
    Ok(match cursor.varint()? {
        0 => TermBuf::iri(text(cursor)?),
        1 => TermBuf::blank_node(text(cursor)?),
        2 => TermBuf::simple_literal(text(cursor)?),
        3 => TermBuf::language_literal(text(cursor)?, text(cursor)?),
        4 => TermBuf::typed_literal(text(cursor)?, text(cursor)?),
        5 if depth > 0 => {
            let mut next = || read_term(cursor, depth - 1);
            TermBuf::Triple(Box::new(Triple { terms: [next()?, next()?, next()?] }))
        }
        6 => TermBuf::DefaultGraph,
        _ => {
            return Err(Fault::new(ErrorKind::OptionsSnapshot, at, "the snapshot is damaged"));
        }
    })
}

fn text<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Fault> {
    let at = cursor.rest;
    super::literal::utf8(cursor.bytes()?, at)
}
