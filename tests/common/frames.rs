//! Delimited frames, taken apart without any decoder.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// Offset of each frame.
pub fn offsets(bytes: &[u8]) -> Vec<u64> {
    frames(bytes).into_iter().map(|(offset, _)| offset).collect()
}

/// Offset of each frame, and what is in it.
pub fn frames(bytes: &[u8]) -> Vec<(u64, &[u8])> {
    let (mut rest, mut frames) = (bytes, Vec::new());
    while !rest.is_empty() {
        let offset = (bytes.len() - rest.len()) as u64;
        let length = decode_varint(&mut rest).expect("a length") as usize;
        frames.push((offset, &rest[..length]));
        rest = &rest[length..];
    }
    frames
}

/// Frame, key and value of all metadata.
pub fn metadata(bytes: &[u8]) -> Vec<(usize, String, Vec<u8>)> {
    let mut metadata = Vec::new();
    for (number, (_, mut frame)) in frames(bytes).into_iter().enumerate() {
        while !frame.is_empty() {
            let (field, wire) = decode_key(&mut frame).expect("a key");
            if field != 15 {
                skip_field(wire, field, &mut frame, DecodeContext::default()).expect("a field");
                continue;
            }
            assert_eq!(wire, WireType::LengthDelimited);
            let mut entry = taken(&mut frame);
            let (mut key, mut value) = (Vec::new(), Vec::new());
            while !entry.is_empty() {
                match decode_key(&mut entry).expect("a key").0 {
                    1 => key = taken(&mut entry).to_vec(),
                    _ => value = taken(&mut entry).to_vec(),
                }
            }
            metadata.push((number, String::from_utf8(key).expect("a key"), value));
        }
    }
    metadata
}

fn taken<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = decode_varint(bytes).expect("a length") as usize;
    let (taken, rest) = bytes.split_at(length);
    *bytes = rest;
    taken
}
