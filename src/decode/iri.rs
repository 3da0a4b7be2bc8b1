//! `RdfIri`: two ids, which can be relative to the previous IRI.

use super::lookup::Lookups;
use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::wire::{Cursor, Fault, last_tag};

/// The ids of the last IRI; 0 if there was none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IriIds {
    /// The last explicit prefix; 0 is the empty prefix.
    pub(crate) prefix: u32,
    /// The last name.
    pub(crate) name: u32,
}

impl IriIds {
    /// A state after which all ids must be explicit.
    pub(crate) fn forgotten(has_prefixes: bool) -> Self {
        IriIds { prefix: if has_prefixes { u32::MAX } else { 0 }, name: u32::MAX }
    }

    /// Resolves an `RdfIri` to ids that are in the tables.
    pub(crate) fn resolve(
        &mut self,
        bytes: &[u8],
        lookups: &Lookups,
        limits: &Limits,
    ) -> Result<IriIds, Fault> {
        let (prefix_id, name_id) = read_iri(bytes, limits.nesting)?;
        let mut length = 0;
        let prefix = if prefix_id == 0 { self.prefix } else { prefix_id };
        if prefix != 0 {
            length = lookups.prefixes.check(prefix, bytes).map_err(|f| in_field(f, bytes, 1))?;
            self.prefix = prefix;
        }
        let name = if name_id == 0 { self.name.wrapping_add(1) } else { name_id };
        if name == 0 {
            let message = "the name id after 4294967295 does not exist";
            return Err(in_field(Fault::new(ErrorKind::TableRange, bytes, message), bytes, 2));
        }
        length += lookups.names.check(name, bytes).map_err(|f| in_field(f, bytes, 2))?;
        self.name = name;
        if length > limits.term_bytes {
            return Err(too_long(length, bytes));
        }
        Ok(*self)
    }
}

/// Moves a fault to the tag of the field, if the field is present.
#[cold]
#[inline(never)]
fn in_field(fault: Fault, bytes: &[u8], field: u32) -> Fault {
    fault.at(last_tag(bytes, field).unwrap_or(bytes)).within(if field == 1 { "prefix_id" } else { "name_id" })
}

#[cold]
fn too_long(length: usize, at: &[u8]) -> Fault {
    let message = format!("an IRI of {length} bytes");
    Fault::limit(ErrorKind::LimitTerm, "term_bytes", at, message)
}

/// Reads prefix and name id of an IRI in the usual form.
#[inline(always)]
pub(super) fn read_short_iri(bytes: &[u8]) -> Option<(u32, u32)> {
    match *bytes {
        [] => Some((0, 0)),
        [0x10, name @ 0..0x80] => Some((0, name.into())),
        [0x08, prefix @ 0..0x80] => Some((prefix.into(), 0)),
        [0x10, low @ 0x80..=0xff, high @ 0..0x80] => Some((0, two_bytes(low, high))),
        [0x08, prefix @ 0..0x80, 0x10, name @ 0..0x80] => Some((prefix.into(), name.into())),
        [0x08, prefix @ 0..0x80, 0x10, low @ 0x80..=0xff, high @ 0..0x80] => {
            Some((prefix.into(), two_bytes(low, high)))
        }
        _ => None,
    }
}

/// Reads prefix and name id in any form.
fn read_iri(bytes: &[u8], nesting: usize) -> Result<(u32, u32), Fault> {
    match read_short_iri(bytes) {
        Some(ids) => Ok(ids),
        None => read_any_iri(bytes, nesting),
    }
}

#[inline(always)]
fn two_bytes(low: u8, high: u8) -> u32 {
    u32::from(low & 0x7f) | u32::from(high) << 7
}

fn read_any_iri(bytes: &[u8], nesting: usize) -> Result<(u32, u32), Fault> {
    let (mut prefix, mut name) = (0, 0);
    let mut cursor = Cursor::new(bytes);
    while let Some((key, at)) = cursor.next_key()? {
        match key.field {
            1 => {
                prefix = cursor.number_of(key, at).map_err(|fault| fault.within("prefix_id"))?;
            }
            2 => {
                name = cursor.number_of(key, at).map_err(|fault| fault.within("name_id"))?;
            }
            _ => cursor.skip(key, at, nesting)?,
        }
    }
    Ok((prefix, name))
}
