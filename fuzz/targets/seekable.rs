//! The bytes that make files seekable, hostile ones: footer and mark by themselves, and files that end with any
//! bytes or have any sidecar. A file that was scanned here is read in parts as it is read whole.
#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use fuzzing::Plan;
use jelly_patch::With;
use jelly_patch::index::{Footer, Mark, ScanOptions, restart_points, scan, sidecar_path};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

fuzz_target!(|input: &[u8]| {
    let Some((plan, bytes)) = Plan::of(input) else { return };
    if let Ok(footer) = Footer::decode(bytes) {
        assert_eq!(Footer::decode(&footer.encode()).ok(), Some(footer));
    }
    if let Ok(mark) = Mark::decode(bytes) {
        assert_eq!(Mark::decode(&mark.encode()).ok(), Some(mark));
    }
    let path = FOLDER.path().join("file.jelly");
    let sidecar = sidecar_path(&path);
    // a sidecar of any bytes behind a file of the first so many
    let (content, beside) = match plan.flag(0) {
        true => bytes.split_at(plan.chunk.min(bytes.len())),
        false => (bytes, &b""[..]),
    };
    fs::write(&path, content).expect("room");
    if plan.flag(0) {
        fs::write(&sidecar, beside).expect("room");
    }
    enter(&path);
    let options = ScanOptions::default().with(|options| options.every = plan.pause as u64);
    if scan(&path, &options, &mut || Ok(())).is_ok() {
        enter(&path);
    }
    drop(fs::remove_file(&sidecar));
});

fn enter(path: &Path) {
    if let Ok(index) = restart_points(path, None)
        && let (Some(first), Some(length)) = (index.points.first(), index.length)
    {
        assert_eq!(first.offset, 0);
        assert!(index.points.windows(2).all(|pair| pair[0].offset < pair[1].offset));
        assert!(index.points.iter().all(|point| point.offset <= length));
    }
}
