//! Operations on files by their names.

use std::fs;

use jelly_patch::ErrorKind;
use jelly_patch::patch::files;

#[test]
fn files_by_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let read = |name: &str| {
        let mut lines: Vec<_> =
            fs::read_to_string(path(name)).expect("a file").lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    fs::write(path("old.nt"), "<urn:s> <urn:p> <urn:1> .\n<urn:s> <urn:p> <urn:2> .\n").expect("room");
    fs::write(path("new.nq"), "<urn:s> <urn:p> <urn:2> .\n<urn:s> <urn:p> <urn:3> <urn:g> .\n")
        .expect("room");
    fs::create_dir(path("log")).expect("room");
    for log in ["log/patch-0001.jellyp.gz", "changes.rdfp", "changes.trp"] {
        let compared = files::diff(path("old.nt"), path("new.nq"), path(log)).expect("a patch");
        assert_eq!((compared.old, compared.new, compared.patch.added, compared.patch.deleted), (2, 2, 1, 1));
        let again = format!("{}.nq", log.replace('/', "-"));
        let applied = files::apply(path("old.nt"), [path(log)], path(&again)).expect("a dataset");
        assert_eq!((applied.version, applied.statements), (1, 2));
        assert_eq!(read(&again), read("new.nq"));
    }
    // triples with a graph added are quads, where no format is asked for
    files::apply(path("old.nt"), [path("log")], path("result")).expect("a dataset");
    assert_eq!(read("result"), read("new.nq"));
    files::invert([path("log")], path("back.rdfp")).expect("a patch");
    files::apply(path("new.nq"), [path("back.rdfp")], path("back.nt")).expect("a dataset");
    assert_eq!(read("back.nt"), read("old.nt"));
    files::squash([path("log"), path("back.rdfp")], path("both.rdfp")).expect("a patch");
    files::apply(path("old.nt"), [path("both.rdfp")], path("same.nt")).expect("a dataset");
    assert_eq!(read("same.nt"), read("old.nt"));
}

#[test]
fn nothing_is_made_where_an_operation_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("old.nq"), "<urn:s> <urn:p> <urn:1> .\n").expect("room");
    fs::write(path("bad.nq"), "<urn:s> <urn:p>").expect("room");
    let error = files::diff(path("old.nq"), path("bad.nq"), path("changes.jellyp")).expect_err("cut");
    assert!(error.position().source.as_deref().is_some_and(|name| name.ends_with("bad.nq")), "{error}");
    let error = files::apply(path("old.nq"), [path("old.nq")], path("new.nq")).expect_err("no patches");
    assert_eq!(error.kind(), ErrorKind::WireFormat);
    let error = files::apply(path("old.nq"), [path("none.jellyp")], path("new.csv")).expect_err("no table");
    assert_eq!(error.kind().slug(), "argument.extension");
    let mut names: Vec<_> =
        folder.path().read_dir().expect("a folder").map(|entry| entry.expect("one").file_name()).collect();
    names.sort();
    assert_eq!(names, ["bad.nq", "old.nq"]);
}
