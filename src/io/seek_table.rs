//! The seek table of the zstd seekable format: a skippable frame at the end with the sizes of the frames.

use std::io::{self, Read, Seek, SeekFrom};

/// A frame in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Size in the file, in bytes.
    pub(crate) stored: u32,
    /// Decompressed size in bytes.
    pub(crate) plain: u32,
}

/// The start of a frame, in the file and decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) stored: u64,
    pub(crate) plain: u64,
}

const SKIPPABLE: u32 = 0x184d_2a5e;
const SEEKABLE: u32 = 0x8f92_eab1;
const HEAD: u64 = 8;
const FOOT: u64 = 9;
/// Each entry has a checksum, which is ignored.
const CHECKSUMS: u8 = 0x80;
const RESERVED: u8 = 0x7c;
/// Maximum number of frames: this many sync points are 64 TiB.
const MOST_FRAMES: usize = 1 << 20;

/// Encodes a complete table.
pub(crate) fn encode(frames: &[Frame]) -> Vec<u8> {
    let length = 8 * frames.len() as u64 + FOOT;
    let mut out = Vec::with_capacity((HEAD + length) as usize);
    out.extend(SKIPPABLE.to_le_bytes());
    out.extend((length as u32).to_le_bytes());
    for frame in frames {
        out.extend(frame.stored.to_le_bytes());
        out.extend(frame.plain.to_le_bytes());
    }
    out.extend((frames.len() as u32).to_le_bytes());
    out.push(0);
    out.extend(SEEKABLE.to_le_bytes());
    out
}

/// Reads the table of a file; `None` if there is none, or if it does not cover the whole file.
///
/// Concatenated files have several tables, each for its own part. The last place is the end of the last
/// frame.
pub(crate) fn read(file: &mut (impl Read + Seek)) -> io::Result<Option<Vec<Place>>> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let (mut parts, mut frames) = (Vec::new(), 0);
    while end > 0 {
        let Some((table, start)) = read_part(file, end)? else {
            return Ok(None);
        };
        frames += table.len() + 1;
        if frames > MOST_FRAMES {
            return Ok(None);
        }
        parts.push((start, table));
        end = start;
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let mut places = Vec::with_capacity(frames);
    let mut at = Place { stored: 0, plain: 0 };
    for (start, table) in parts.into_iter().rev() {
        at.stored = start;
        for frame in table {
            places.push(at);
            at.stored += u64::from(frame.stored);
            at.plain += u64::from(frame.plain);
        }
    }
    places.push(at);
    Ok(Some(places))
}

/// Reads the table that ends at byte `end`; also returns where its frames start.
fn read_part(file: &mut (impl Read + Seek), end: u64) -> io::Result<Option<(Vec<Frame>, u64)>> {
    let Some(foot_at) = end.checked_sub(FOOT) else { return Ok(None) };
    file.seek(SeekFrom::Start(foot_at))?;
    let mut foot = [0; FOOT as usize];
    file.read_exact(&mut foot)?;
    let [c0, c1, c2, c3, descriptor, magic @ ..] = foot;
    let count = u32::from_le_bytes([c0, c1, c2, c3]) as usize;
    if magic != SEEKABLE.to_le_bytes() || descriptor & RESERVED != 0 || count > MOST_FRAMES {
        return Ok(None);
    }
    let width = if descriptor & CHECKSUMS == 0 { 8 } else { 12 };
    let length = (width * count) as u64 + FOOT;
    let Some(start) = end.checked_sub(HEAD + length) else { return Ok(None) };
    file.seek(SeekFrom::Start(start))?;
    let mut table = vec![0; HEAD as usize + width * count];
    file.read_exact(&mut table)?;
    let (head, entries) = table.split_at(HEAD as usize);
    if head != [SKIPPABLE.to_le_bytes(), (length as u32).to_le_bytes()].concat() {
        return Ok(None);
    }
    let word = |bytes: &[u8]| u32::from_le_bytes(std::array::from_fn(|i| bytes[i]));
    let frames: Vec<_> = entries
        .chunks_exact(width)
        .map(|entry| Frame { stored: word(entry), plain: word(&entry[4..]) })
        .collect();
    let stored: u64 = frames.iter().map(|frame| u64::from(frame.stored)).sum();
    Ok(start.checked_sub(stored).map(|start| (frames, start)))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn frames(count: u32) -> Vec<Frame> {
        (1..=count).map(|n| Frame { stored: 10 * n, plain: 100 * n + (n % 7) }).collect()
    }

    /// Frames of the sizes in the table, and the table.
    fn file(frames: &[Frame]) -> Vec<u8> {
        let stored: u32 = frames.iter().map(|frame| frame.stored).sum();
        [vec![b'z'; stored as usize], encode(frames)].concat()
    }

    fn places(bytes: &[u8]) -> Option<Vec<Place>> {
        read(&mut Cursor::new(bytes)).unwrap()
    }

    #[test]
    fn a_table_comes_back() {
        for count in [0, 1, 2, 1000] {
            let frames = frames(count);
            let places = places(&file(&frames)).unwrap();
            assert_eq!(places.len(), frames.len() + 1);
            assert_eq!(places[0], Place { stored: 0, plain: 0 });
            for (pair, frame) in places.windows(2).zip(&frames) {
                assert_eq!(pair[1].stored - pair[0].stored, u64::from(frame.stored));
                assert_eq!(pair[1].plain - pair[0].plain, u64::from(frame.plain));
            }
        }
    }

    /// The bytes in the specification of the format.
    #[test]
    fn the_bytes() {
        let bytes = encode(&[Frame { stored: 5, plain: 0x0102_0304 }]);
        let expected = b"\x5e\x2a\x4d\x18\x11\0\0\0\x05\0\0\0\x04\x03\x02\x01\x01\0\0\0\0\xb1\xea\x92\x8f";
        assert_eq!(bytes, expected);
        let with_checksum =
            b"12345\x5e\x2a\x4d\x18\x15\0\0\0\x05\0\0\0\x09\0\0\0abcd\x01\0\0\0\x80\xb1\xea\x92\x8f";
        let end = Place { stored: 5, plain: 9 };
        assert_eq!(places(with_checksum), Some(vec![Place { stored: 0, plain: 0 }, end]));
    }

    #[test]
    fn files_end_to_end_have_all_frames() {
        let (first, second) = (file(&frames(3)), file(&frames(2)));
        let both = places(&[first.clone(), second].concat()).unwrap();
        let plain = both[3].plain;
        assert_eq!(both.len(), 6);
        assert_eq!(both[2], places(&first).unwrap()[2]);
        assert_eq!(both[3].stored, first.len() as u64);
        assert_eq!(plain, 600 + 1 + 2 + 3);
        assert_eq!(both[4], Place { stored: first.len() as u64 + 10, plain: plain + 101 });
    }

    #[test]
    fn what_is_not_the_table_of_the_file_is_none() {
        let good = file(&frames(2));
        assert!(places(&good).is_some());
        let more = [&good[..], b"z"].concat();
        let longer = [b"z", &good[..]].concat();
        for bad in [&b""[..], b"zzzz", &good[1..], &good[..good.len() - 1], &more, &longer] {
            assert_eq!(places(bad), None, "{} bytes", bad.len());
        }
        // every damaged byte of the table is detected, except in the decompressed sizes
        for at in good.len() - 33..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            let plain =
                [8 + 4, 16 + 4].iter().any(|entry| (entry..&(entry + 4)).contains(&&(at + 33 - good.len())));
            assert_eq!(places(&bad).is_some(), plain, "byte {at}");
        }
        // more frames than bytes in the file
        let claims = [&good[..good.len() - 9], b"\xff\xff\xff\x7f\0\xb1\xea\x92\x8f"].concat();
        assert_eq!(places(&claims), None);
    }
}
