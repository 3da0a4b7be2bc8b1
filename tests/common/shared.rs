//! The folder of shared test data, and reading from it.

use std::io::Read;
use std::path::{Path, PathBuf};

/// `part` of the shared folder: `$JELLY_SHARED`, else `../shared` beside the repository.
/// `None`, with the reason printed, where it is not there: the test is then skipped.
pub fn shared(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("JELLY_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = root.join(part);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: no {} (JELLY_SHARED names the shared folder)", path.display());
    None
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
