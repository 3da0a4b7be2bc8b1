//! A file appears when it is whole, with the permissions of a plain one, and nothing stays behind.

use std::fs;

use super::{create, names, sample};
use jelly_patch::ErrorClass;
use jelly_patch::io::{Output, OutputOptions, Target};

#[test]
fn a_file_appears_when_it_is_finished() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.trp");
    let bytes = sample(3 << 20);
    let mut output = create(&path);
    for piece in bytes.chunks(100_001) {
        output.write(piece).expect("room");
        assert!(!path.exists());
    }
    output.finish().expect("room");
    assert!(fs::read(&path).expect("a file") == bytes);
    assert_eq!(names(folder.path()), ["log.trp"]);
}

#[test]
fn what_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["new.nq", "new.nq.gz", "new.nq.zst", "old"] {
        let path = folder.path().join(name);
        if name == "old" {
            fs::write(&path, b"as it was").expect("room");
        }
        let mut output = create(&path);
        output.write(&sample(200_000)).expect("room");
        assert!(names(folder.path()).iter().any(|name| name.starts_with(".jelly-")));
        drop(output);
        assert_eq!(path.exists(), name == "old");
    }
    assert_eq!(names(folder.path()), ["old"]);
    assert_eq!(fs::read(folder.path().join("old")).expect("a file"), b"as it was");
}

#[test]
fn a_file_is_replaced_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    fs::write(&path, b"as it was").expect("room");
    let mut output = create(&path);
    output.write(b"new").expect("room");
    output.flush().expect("room");
    assert_eq!(fs::read(&path).expect("a file"), b"as it was");
    output.finish().expect("room");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_eq!(names(folder.path()), ["log"]);
}

#[test]
fn a_name_that_cannot_be_taken_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("name");
    let mut output = create(&path);
    output.write(b"rows").expect("room");
    fs::create_dir(&path).expect("a folder");
    let error = output.finish().expect_err("a folder has the name");
    assert_eq!(error.kind().class(), ErrorClass::Io);
    assert!(error.position().source.as_ref().is_some_and(|name| name.ends_with("name")), "{error}");
    assert_eq!(names(folder.path()), ["name"]);

    for path in [path, folder.path().join("nowhere/name"), folder.path().join("..")] {
        let target = Target::Path(path);
        let error = Output::create(target, &OutputOptions::default()).err().expect("no file can be there");
        assert_eq!(error.kind().class(), ErrorClass::Io);
    }
    assert_eq!(names(folder.path()), ["name"]);
}

#[cfg(unix)]
#[test]
fn permissions_are_those_of_a_plain_file_or_of_the_one_before() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| fs::metadata(path).expect("a file").permissions().mode();
    let folder = tempfile::tempdir().expect("a folder");
    let (plain, path) = (folder.path().join("plain"), folder.path().join("ours"));
    fs::write(&plain, b"").expect("room");
    create(&path).finish().expect("room");
    assert_eq!(mode(&path), mode(&plain));
    for bits in [0o600, 0o664] {
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).expect("own file");
        create(&path).finish().expect("room");
        assert_eq!(mode(&path) & 0o777, bits);
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_file_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (file, link) = (elsewhere.path().join("file"), folder.path().join("link"));
    fs::write(&file, b"as it was").expect("room");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    let mut output = create(&link);
    output.write(b"new").expect("room");
    output.finish().expect("room");
    assert!(link.is_symlink());
    assert_eq!(fs::read(&file).expect("a file"), b"new");
    assert_eq!((names(folder.path()).len(), names(elsewhere.path()).len()), (1, 1));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to() {
    let mut output = create("/dev/full".as_ref());
    let error = (0..10).find_map(|_| output.write(&sample(50_000)).err()).expect("it is full");
    assert_eq!(error.kind().class(), ErrorClass::Io);
    let error = output.write(b"more").expect_err("it failed");
    assert!(error.to_string().contains("failed before"), "{error}");
    assert!(output.finish().is_err());

    let mut output = create("/dev/null".as_ref());
    output.write(b"rows").expect("room for all");
    output.finish().expect("room for all");
    assert!(!fs::metadata("/dev/null").expect("a device").is_file());
}
