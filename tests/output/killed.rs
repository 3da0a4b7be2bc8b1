//! A process that is killed, or whose disk is full, leaves no file under the final name.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{create, names, sample};
use jelly_patch::ErrorClass;

/// Names the file that a child writes: each test here starts this program again, with this variable and that test alone.
const PATH: &str = "JELLY_TEST_OUTPUT";

fn child_path() -> Option<PathBuf> {
    std::env::var_os(PATH).map(PathBuf::from)
}

/// This program as a child that runs one test.
fn this_program(test: &str) -> Vec<String> {
    let program = std::env::current_exe().expect("a program");
    let program = program.to_str().expect("a plain path");
    [program, &format!("output::killed::{test}"), "--exact", "--nocapture"].map(str::to_owned).into()
}

/// Reads lines of a child until it says `word`.
fn wait_for(child: &mut Child, word: &str) {
    let mut lines = BufReader::new(child.stdout.as_mut().expect("a pipe")).lines();
    assert!(lines.any(|line| line.expect("text").contains(word)), "the child ended");
}

fn write_until_killed(path: &Path) {
    let mut output = create(path);
    for _ in 0..20 {
        output.write(&sample(100_000)).expect("room");
    }
    println!("half done");
    std::io::stdout().flush().expect("a pipe");
    let _ = std::io::stdin().read(&mut [0]); // which never comes
    output.finish().expect("room");
}

#[test]
fn a_killed_process_leaves_no_file() {
    if let Some(path) = child_path() {
        return write_until_killed(&path);
    }
    for (name, before) in [("new.jelly", None), ("new.nq.gz", None), ("old.nq.zst", Some("as it was"))] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        if let Some(text) = before {
            std::fs::write(&path, text).expect("room");
        }
        let command = this_program("a_killed_process_leaves_no_file");
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .env(PATH, &path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program");
        wait_for(&mut child, "half done");
        child.kill().expect("it runs");
        assert!(!child.wait().expect("it ran").success());
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), before, "{name}");
        // what was left has a name that listings skip
        let left: Vec<_> = names(folder.path()).into_iter().filter(|left| left != name).collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(left[0].starts_with('.'), "{left:?}");
        // and does not stand in the way of the next try
        create(&path).finish().expect("room");
    }
}

fn write_more_than_fits(path: &Path) {
    let mut output = create(path);
    let error = (0..20).find_map(|n| output.write(&sample(100_000 + n)).err()).expect("too much");
    assert_eq!(error.kind().class(), ErrorClass::Io, "{error}");
    assert!(names(path.parent().expect("a folder")).is_empty(), "while the output is still there");
    assert!(output.finish().is_err());
    println!("found out");
}

#[test]
fn a_full_disk_leaves_nothing() {
    if let Some(path) = child_path() {
        return write_more_than_fits(&path);
    }
    for name in ["log", "log.zst"] {
        let folder = tempfile::tempdir().expect("a folder");
        // files of at most 64 KiB, and no signal when they are full
        let mut child = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$@\"", "sh"])
            .args(this_program("a_full_disk_leaves_nothing"))
            .env(PATH, folder.path().join(name))
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        wait_for(&mut child, "found out");
        assert!(child.wait().expect("it ran").success());
        assert!(names(folder.path()).is_empty());
    }
}
