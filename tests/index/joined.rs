//! Files of ours put end to end, whether they have restart points or not: each is read as it is alone.

use jelly_patch::With;
use jelly_patch::encode::EncodeOptions;
use jelly_patch::index::{How, MARK_KEY};

use super::{Kept, Rows, memory, part, rewrite, whole};
use crate::common::frames::metadata;
use crate::common::rows::{PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::common::vectors::assert_same;
use crate::oracle::generate::rng::Rng;
use crate::oracle::generate::{Format, stream};

/// What rows count, and how they count on.
trait Counted: Rows {
    /// Rows, frames, patches and transactions of a file.
    fn count(rows: &[Self], bytes: &[u8]) -> [i64; 4];
    fn after(self, before: [i64; 4]) -> Self;
}

impl Counted for RdfRow {
    fn count(rows: &[Self], bytes: &[u8]) -> [i64; 4] {
        [rows.len() as i64, crate::common::frames::offsets(bytes).len() as i64, 0, 0]
    }

    fn after(self, [seq, frame, ..]: [i64; 4]) -> Self {
        RdfRow { seq: self.seq + seq, frame: self.frame + frame, ..self }
    }
}

impl Counted for PatchRow {
    fn count(rows: &[Self], _: &[u8]) -> [i64; 4] {
        let count = |op: &str| rows.iter().filter(|row| row.op == op).count() as i64;
        [rows.len() as i64, 0, count("Z"), count("TX")]
    }

    fn after(self, [seq, _, patch, txns]: [i64; 4]) -> Self {
        PatchRow {
            seq: self.seq + seq,
            patch: self.patch + patch,
            txn: self.txn.map(|txn| txn + txns),
            ..self
        }
    }
}

fn check<R: Counted>(name: &str, files: &[Vec<u8>]) -> usize {
    let (mut expected, mut before) = (Vec::new(), [0; 4]);
    for bytes in files {
        let read = whole::<R>(bytes);
        assert_eq!(read.warnings, [], "{name}");
        let rows = read.whole();
        let count = R::count(&rows, bytes);
        expected.extend(rows.into_iter().map(|row| row.after(before)));
        before = std::array::from_fn(|place| before[place] + count[place]);
    }
    let joined = files.concat();
    for pause in [1, usize::MAX] {
        let read = R::read(memory(&joined), &part(None, None), pause);
        assert_eq!(read.warnings, [], "{name}");
        assert_same(name, &read.whole(), &expected);
    }
    expected.len()
}

#[test]
fn each_is_read_as_it_is_alone() {
    let mut files = [Vec::new(), Vec::new()];
    for seed in seeds(600) {
        let (stream, mut rng) = (stream(seed), Rng::new(!seed));
        let encode = EncodeOptions::rdf().with(|options| {
            options.restart_bytes = *rng.pick(&[None, None, Some(0), Some(100)]);
            options.frame_rows = *rng.pick(&[1, 3, 256]);
            options.namespaces = Some(rng.percent(50));
        });
        if let Some(bytes) = rewrite(&stream, encode).filter(|bytes| !bytes.is_empty()) {
            files[usize::from(stream.format == Format::Patch)].push(bytes);
        }
    }
    let [statements, patches] = files;
    let mut rows = [0, 0];
    for three in statements.chunks_exact(3) {
        rows[0] += check::<RdfRow>("statements", three);
    }
    for three in patches.chunks_exact(3) {
        rows[1] += check::<PatchRow>("patches", three);
    }
    assert!(rows[0] > 1_000 && rows[1] > 1_000, "{rows:?}");
}

/// A stream without restart points has one mark, no footer, and nothing to warn of.
#[test]
fn the_first_mark_is_always_there() {
    let mut found = 0;
    for seed in 0..60 {
        let plain = EncodeOptions::rdf().with(|options| {
            options.restart_bytes = None;
            options.frame_rows = 1;
        });
        let Some(bytes) = rewrite(&stream(seed), plain).filter(|bytes| !bytes.is_empty()) else { continue };
        let ours = metadata(&bytes).into_iter().filter(|(_, key, _)| key.starts_with("jelly."));
        let marks: Vec<_> = ours.map(|(frame, key, _)| (frame, key)).collect();
        assert_eq!(marks, [(0, MARK_KEY.to_owned())], "seed {seed}");
        let index = Kept::new(&bytes).index();
        assert_eq!((index.how, index.warnings.as_slice()), (How::None, [].as_slice()), "seed {seed}");
        found += 1;
    }
    assert!(found > 30, "{found}");
}
