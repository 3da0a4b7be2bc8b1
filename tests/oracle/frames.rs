//! Bytes to rows: delimiting, and the fields of a frame. Only what is inside a row is left to prost.

use crate::common::rows::{Class, Fault, Framing};

use super::fault;

const FRAME_BYTES: u64 = (1 << 31) - 1;
const ROW_BYTES: u64 = 32 << 20;
const NESTING: usize = 64;

const ROWS: u32 = 1;
const METADATA: u32 = 15;

/// What a stream consists of, in order.
pub trait Events {
    /// Whether field 15 of a frame is metadata; otherwise it is unknown.
    const METADATA: bool;

    fn row(&mut self, bytes: &[u8]) -> Result<(), Fault>;
    fn metadata(&mut self, entry: &[u8]) -> Result<(), Fault>;
    fn end_frame(&mut self) -> Result<(), Fault>;
}

pub fn walk<E: Events>(bytes: &[u8], framing: Framing, events: &mut E) -> Result<(), Fault> {
    let is_delimited = match framing {
        Framing::Delimited => true,
        Framing::Single => false,
        Framing::Auto => looks_delimited(bytes),
    };
    if !is_delimited {
        if !bytes.is_empty() {
            frame(Input { rest: bytes, beyond: None }, events)?;
        }
        return Ok(());
    }
    let mut input = Input { rest: bytes, beyond: None };
    while !input.rest.is_empty() {
        let length = input.varint()?;
        if length > FRAME_BYTES {
            return fault(Class::Limit, format!("a frame of {length} bytes"));
        }
        let length = usize::try_from(length).expect("fewer than 2^31");
        let (here, rest) = input.rest.split_at(length.min(input.rest.len()));
        frame(Input { rest: here, beyond: Some(length - here.len()) }, events)?;
        input.rest = rest;
    }
    Ok(())
}

/// The 3-byte rule: a frame that begins with a row begins with 0A; a second 0A is either the first
/// byte of options in that row, or the tag of that row after a frame length of 10.
fn looks_delimited(bytes: &[u8]) -> bool {
    match *bytes {
        [first, ..] if first != 0x0a => true,
        [_, second, third, ..] => second == 0x0a && third != 0x0a,
        _ => false,
    }
}

fn frame<E: Events>(mut input: Input, events: &mut E) -> Result<(), Fault> {
    while !input.rest.is_empty() {
        let (number, wire_type) = input.tag()?;
        match (number, wire_type) {
            (ROWS, 2) => {
                let row = input.length_delimited()?;
                events.row(row)?;
            }
            (METADATA, 2) if E::METADATA => events.metadata(input.length_delimited()?)?,
            (ROWS, _) => return fault(Class::Wire, "rows have another wire type"),
            (METADATA, _) if E::METADATA => {
                return fault(Class::Wire, "metadata has another wire type");
            }
            _ => input.skip(number, wire_type)?,
        }
    }
    match input.beyond {
        Some(missing @ 1..) => fault(Class::Truncated, format!("{missing} bytes of a frame")),
        _ => events.end_frame(),
    }
}

/// The bytes there are. `beyond`: how many more are promised; unknown where nothing is declared.
struct Input<'a> {
    rest: &'a [u8],
    beyond: Option<usize>,
}

impl<'a> Input<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], Fault> {
        if let Some(taken) = usize::try_from(length).ok().and_then(|n| self.rest.split_at_checked(n)) {
            self.rest = taken.1;
            return Ok(taken.0);
        }
        match self.beyond {
            Some(beyond) if length > (self.rest.len() + beyond) as u64 => {
                fault(Class::Wire, "a field passes the end of its frame")
            }
            _ => fault(Class::Truncated, "the input ends in a field"),
        }
    }

    fn length(&mut self) -> Result<u64, Fault> {
        match self.varint()? {
            length @ 0..=0x7fff_ffff_ffff_ffff => Ok(length),
            length => fault(Class::Wire, format!("a field of {length} bytes")),
        }
    }

    /// A row or an entry of metadata.
    fn length_delimited(&mut self) -> Result<&'a [u8], Fault> {
        let length = self.length()?;
        let promised = self.beyond.map(|beyond| (self.rest.len() + beyond) as u64);
        if length > ROW_BYTES && promised.is_none_or(|promised| length <= promised) {
            return fault(Class::Limit, format!("a row or metadata of {length} bytes"));
        }
        self.take(length)
    }

    fn varint(&mut self) -> Result<u64, Fault> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.take(1)?[0];
            // Bits beyond 64 are dropped.
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        fault(Class::Wire, "a varint of more than 10 bytes")
    }

    fn tag(&mut self) -> Result<(u32, u8), Fault> {
        let Ok(tag) = u32::try_from(self.varint()?) else {
            return fault(Class::Wire, "a tag of more than 32 bits");
        };
        if tag >> 3 == 0 {
            return fault(Class::Wire, "field number 0");
        }
        Ok((tag >> 3, (tag & 7) as u8))
    }

    fn skip(&mut self, number: u32, wire_type: u8) -> Result<(), Fault> {
        let mut open = Vec::new();
        let (mut number, mut wire_type) = (number, wire_type);
        loop {
            match wire_type {
                0 => drop(self.varint()?),
                1 => drop(self.take(8)?),
                2 => {
                    let length = self.length()?;
                    self.take(length)?;
                }
                3 if open.len() == NESTING => return fault(Class::Limit, "groups nested too deep"),
                3 => open.push(number),
                4 if open.pop() == Some(number) => {}
                5 => drop(self.take(4)?),
                _ => {
                    return fault(Class::Wire, format!("wire type {wire_type} of field {number}"));
                }
            }
            if open.is_empty() {
                return Ok(());
            }
            // A group that the frame's end cuts is as wrong as any field that passes it.
            (number, wire_type) = self.tag()?;
        }
    }
}
