//! A varint of ten bytes can say more than 64 bits. protobuf drops what is too much; prost refuses
//! the message. So the bits are cleared before prost sees them.

use super::wire::{Kind, Type};

/// Clears the bits beyond 64 of every varint, as far as the message is well-formed. Its length stays.
pub fn clear_beyond_64(kind: Kind, bytes: &mut [u8]) {
    walk(kind, bytes, 0);
}

fn walk(kind: Kind, bytes: &mut [u8], depth: usize) -> Option<()> {
    let (mut at, mut groups) = (0, 0usize);
    while at < bytes.len() && depth <= 100 {
        let tag = varint(bytes, &mut at)?;
        match tag & 7 {
            0 => drop(varint(bytes, &mut at)?),
            1 => at += 8,
            2 => {
                let length = usize::try_from(varint(bytes, &mut at)?).ok()?;
                let field = bytes.get_mut(at..at.checked_add(length)?)?;
                let number = u32::try_from(tag >> 3).ok()?;
                // What is in a group is unknown, whatever its number.
                if let (0, Some(Type::Message(inner))) = (groups, kind.field(number)) {
                    walk(inner, field, depth + 1);
                }
                at += length;
            }
            3 => groups += 1,
            4 => groups = groups.checked_sub(1)?,
            5 => at += 4,
            _ => return None,
        }
    }
    Some(())
}

fn varint(bytes: &mut [u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let byte = bytes.get_mut(*at)?;
        if shift == 63 && *byte < 0x80 {
            *byte &= 1;
        }
        value |= u64::from(*byte & 0x7f) << shift;
        *at += 1;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}
