//! The parts of a file are the file, however it is cut.

use jelly_patch::With;
use jelly_patch::index::{How, Point};
use jelly_patch::io::Source;
use jelly_patch::open::OpenOptions;
use jelly_patch::push::{Push, PushState};

use super::{Kept, Rows, memory, part, seekable, whole};
use crate::common::rows::{PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::common::vectors::assert_same;
use crate::oracle::generate::Format;
use crate::oracle::generate::rng::Rng;

/// Reads the file whole and in parts; each part alone is what the whole has there. Gives points and parts.
fn check<R: Rows>(name: &str, kept: &Kept, rng: &mut Rng, seq: impl Fn(&R) -> i64) -> (usize, usize) {
    let index = kept.index();
    assert_eq!((index.how, index.warnings.as_slice()), (How::Footer, [].as_slice()), "{name}");
    assert_eq!(index.points[0], Point::default());
    let rows = kept.read::<R>(None, None).whole();
    let mut parts = 0;
    for cuts in [1, 2, index.points.len()] {
        let mut edges: Vec<_> = (0..cuts).map(|_| *rng.pick(&index.points)).collect();
        if cuts == index.points.len() {
            edges.clone_from(&index.points);
        }
        edges.push(Point::default());
        edges.sort_by_key(|point| point.offset);
        edges.dedup();
        let mut got = Vec::new();
        for (number, edge) in edges.iter().enumerate() {
            let end = edges.get(number + 1);
            let options = part(Some(edge.offset), end.map(|end| end.offset));
            let pause = *rng.pick(&[1, 2, usize::MAX]);
            let piece = R::read(Source::Path(kept.path()), &options, pause).whole();
            assert!(piece.first().is_none_or(|row| seq(row) == edge.counters.seq as i64), "{name}");
            got.extend(piece);
            assert!(end.is_none_or(|end| got.len() as u64 == end.counters.seq), "{name}");
            parts += 1;
        }
        assert_same(name, &got, &rows);
    }
    (index.points.len(), parts)
}

#[test]
fn of_generated_streams() {
    let (mut points, mut parts) = ([0, 0], 0);
    for seed in seeds(200) {
        let Some((format, bytes)) = seekable(seed) else { continue };
        let (kept, mut rng) = (Kept::new(&bytes), Rng::new(seed));
        let name = format!("seed {seed}");
        let counted = match format {
            Format::Rdf => check::<RdfRow>(&name, &kept, &mut rng, |row| row.seq),
            Format::Patch => check::<PatchRow>(&name, &kept, &mut rng, |row| row.seq),
        };
        points[usize::from(format == Format::Patch)] += counted.0;
        parts += counted.1;
    }
    assert!(points[0] > 250 && points[1] > 250 && parts > 600, "{points:?} {parts}");
}

/// `cat a b c`: one stream after the other, numbered on; the parts of each are there.
#[test]
fn of_files_put_end_to_end() {
    let mut files = [Vec::new(), Vec::new()];
    for seed in 0..400 {
        let Some((format, bytes)) = seekable(seed) else { continue };
        files[usize::from(format == Format::Patch)].push((seed, bytes));
    }
    let (mut points, mut parts) = (0, 0);
    for (kind, files) in files.iter().enumerate() {
        for three in files.chunks_exact(3) {
            let kept = Kept::new(&three.iter().flat_map(|(_, bytes)| bytes.clone()).collect::<Vec<_>>());
            let name = format!("seeds {:?}", three.iter().map(|(seed, _)| seed).collect::<Vec<_>>());
            let mut rng = Rng::new(three[0].0);
            let counted = if kind == 0 {
                sequel::<RdfRow>(&name, &kept, three, rdf_from);
                check::<RdfRow>(&name, &kept, &mut rng, |row| row.seq)
            } else {
                sequel::<PatchRow>(&name, &kept, three, patch_from);
                check::<PatchRow>(&name, &kept, &mut rng, |row| row.seq)
            };
            points += counted.0;
            parts += counted.1;
        }
    }
    assert!(points > 1_500 && parts > 1_500, "{points} {parts}");
}

/// The rows are those of each file, with counters that run on.
fn sequel<R: Rows>(name: &str, kept: &Kept, files: &[(u64, Vec<u8>)], from: fn(R, [i64; 4]) -> R) {
    let (mut expected, mut before) = (Vec::new(), [0; 4]);
    for (_, bytes) in files {
        let index = Kept::new(bytes).index();
        let rows = whole::<R>(bytes).whole();
        let end = jelly_patch::index::Footer::decode(
            &crate::common::frames::metadata(bytes).pop().expect("a footer").2,
        )
        .expect("a footer")
        .end;
        assert_eq!((rows.len() as u64, index.how), (end.seq, How::Footer));
        expected.extend(rows.into_iter().map(|row| from(row, before)));
        let end = [end.seq, end.frame, end.patch, end.txns].map(|number| number as i64);
        before = std::array::from_fn(|place| before[place] + end[place]);
    }
    assert_same(name, &kept.read::<R>(None, None).whole(), &expected);
}

fn rdf_from(row: RdfRow, [seq, frame, ..]: [i64; 4]) -> RdfRow {
    RdfRow { seq: row.seq + seq, frame: row.frame + frame, ..row }
}

fn patch_from(row: PatchRow, [seq, _, patch, txns]: [i64; 4]) -> PatchRow {
    PatchRow { seq: row.seq + seq, patch: row.patch + patch, txn: row.txn.map(|txn| txn + txns), ..row }
}

#[test]
fn start_and_end_are_restart_points() {
    let (_, bytes) = (0..10_000)
        .filter_map(seekable)
        .find(|(format, bytes)| *format == Format::Patch && Kept::new(bytes).index().points.len() > 2)
        .expect("one");
    let kept = Kept::new(&bytes);
    let points = kept.index().points;
    assert!(points.len() > 2, "{points:?}");
    let at = points[1].offset;
    let refused = |start, end| kept.read::<PatchRow>(start, end).refused();
    assert_eq!(refused(Some(at + 1), None), ("argument", 0));
    assert_eq!(refused(None, Some(at + 1)), ("argument", 0));
    assert_eq!(refused(Some(at), Some(at)), ("argument", 0));
    assert_eq!(refused(Some(at), Some(0)), ("argument", 0));
    let open = |options: OpenOptions| PatchRow::read(memory(&bytes), &options, 1).refused().0;
    assert_eq!(open(part(Some(at), None).with(|options| options.committed = true)), "argument");
    assert_eq!(open(part(Some(at), None).with(|options| options.resume = Some(Vec::new()))), "argument");
    let pipe = Source::Reader(Box::new(std::io::Cursor::new(bytes.clone())));
    assert_eq!(PatchRow::read(pipe, &part(Some(at), None), 1).refused(), ("argument", 0));
    let in_memory = PatchRow::read(memory(&bytes), &part(Some(at), None), 1).whole();
    assert_same("memory", &in_memory, &kept.read::<PatchRow>(Some(at), None).whole());
}

/// A part has a snapshot, as the whole has.
#[test]
fn snapshots_at_every_restart() {
    let mut resumed = 0;
    for seed in 0..120 {
        let Some((Format::Patch, bytes)) = seekable(seed) else { continue };
        let kept = Kept::new(&bytes);
        let rows = whole::<PatchRow>(&bytes).whole();
        for point in kept.index().points {
            let mut decoder = jelly_patch::decode::PatchDecoder::new(part(None, None).decode);
            let (before, after) = bytes.split_at(point.offset as usize);
            let mut sink = crate::common::core::Collect::<PatchRow>::new(usize::MAX);
            decoder.decode(before, &mut sink).expect("a stream");
            let snapshot = decoder.snapshot().expect("a boundary");
            let options = part(None, None).with(|options| options.resume = Some(snapshot));
            let rest = PatchRow::read(memory(after), &options, 3).whole();
            assert_same(&format!("seed {seed}"), &rest, &rows[point.counters.seq as usize..]);
            resumed += 1;
        }
    }
    assert!(resumed > 300, "{resumed}");
}
