//! Indexes that lie: errors or rows, never a panic, never memory because they say so.

use jelly_patch::With;
use jelly_patch::index::{Footer, How, Mark, ScanOptions, scan, sidecar_path};

use super::{Kept, Rows, seekable};
use crate::common::frames::metadata;
use crate::common::rows::{PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::oracle::generate::Format;
use crate::oracle::generate::rng::Rng;

fn flip(rng: &mut Rng, bytes: &mut [u8]) {
    for _ in 0..=rng.below(3) {
        let at = rng.below(bytes.len());
        bytes[at] = rng.below(256) as u8;
    }
}

/// Rows of all parts that can be read; how many points there were.
fn read_all(format: Format, kept: &Kept) -> usize {
    fn read<R: Rows>(kept: &Kept) -> usize {
        let index = kept.index();
        for (number, point) in index.points.iter().enumerate().take(20) {
            let end = index.points.get(number + 1).map(|end| end.offset);
            drop(kept.read::<R>(Some(point.offset), end));
        }
        index.points.len()
    }
    match format {
        Format::Rdf => read::<RdfRow>(kept),
        Format::Patch => read::<PatchRow>(kept),
    }
}

/// A checksum over a body that was changed, in the layout of footers and sidecars.
fn seal(file: &mut [u8]) {
    let end = file.len() - 16;
    let length = u32::from_le_bytes(file[end + 4..end + 8].try_into().expect("four bytes")) as usize;
    if let Some(body) = end.checked_sub(length).and_then(|start| file.get(start..end)) {
        let checksum = crc32c::crc32c(body).to_le_bytes();
        file[end..end + 4].copy_from_slice(&checksum);
    }
}

#[test]
fn footers() {
    let mut points = 0;
    for seed in seeds(400) {
        let Some((format, mut bytes)) = seekable(seed) else { continue };
        let mut rng = Rng::new(seed);
        let footer = metadata(&bytes).pop().expect("a footer").2.len();
        let from = bytes.len() - footer;
        let to = bytes.len() - if rng.percent(80) { 16 } else { 8 };
        flip(&mut rng, &mut bytes[from..to]);
        seal(&mut bytes);
        points += read_all(format, &Kept::new(&bytes));
    }
    assert!(points > 100, "{points}");
}

#[test]
fn sidecars() {
    let (mut points, mut damaged) = (0, 0);
    for seed in seeds(300) {
        let Some((format, mut bytes)) = seekable(seed) else { continue };
        let mut rng = Rng::new(seed);
        *bytes.last_mut().expect("bytes") ^= 1; // no footer
        let kept = Kept::new(&bytes);
        let options = ScanOptions::default().with(|options| options.every = 30);
        scan(&kept.path(), &options, &mut || Ok(())).expect("a valid stream");
        let sidecar = sidecar_path(&kept.path());
        let mut index = std::fs::read(&sidecar).expect("a sidecar");
        let to = index.len() - if rng.percent(80) { 16 } else { 0 };
        flip(&mut rng, &mut index[..to]);
        if rng.percent(80) {
            seal(&mut index);
        }
        std::fs::write(&sidecar, &index).expect("a sidecar");
        points += read_all(format, &kept);
        damaged += usize::from(kept.index().how == How::None);
        std::fs::write(&sidecar, &index[..rng.below(index.len())]).expect("a sidecar");
        assert_eq!(kept.index().how, How::None);
    }
    assert!(points > 100 && damaged > 30, "{points} {damaged}");
}

#[test]
fn values_of_any_bytes() {
    let mut rng = Rng::new(7);
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..rng.below(60)).map(|_| rng.below(256) as u8).collect();
        if let Some(first) = bytes.first_mut() {
            *first = 1;
        }
        let _ = Mark::decode(&bytes);
        drop(Footer::decode(&bytes));
    }
}
