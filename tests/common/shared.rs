//! The test data of the repository and of the shared folder.

use std::io::Read;
use std::path::{Path, PathBuf};

/// The vectors that the repository holds: a part of those in the shared folder.
pub fn own_vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// `part` of the shared folder: `$JELLY_SHARED`, or `../shared` beside the repository.
///
/// Tests that call this are `#[ignore = "needs ../shared"]`; `make test` includes them where the folder is.
pub fn shared(part: &str) -> PathBuf {
    let root = std::env::var_os("JELLY_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = root.join(part);
    assert!(path.exists(), "there is no {} (JELLY_SHARED names the shared folder)", path.display());
    path
}

/// The bytes of a file; those inside, if its name ends in `.gz`.
pub fn read(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if path.extension().is_none_or(|e| e != "gz") {
        return bytes;
    }
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..])
        .read_to_end(&mut plain)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    plain
}

pub fn read_text(path: &Path) -> String {
    String::from_utf8(read(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
