//! Local paths in names. A URL is rejected, so that it does not create a folder `s3:`.

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};

/// The local path for a name: the path of a `file:` URI, or any other path unchanged.
///
/// # Errors
/// `argument.remote`: the name is another URL, such as `s3://bucket/x`. A path that lost a slash in a path
/// library (`s3:/bucket/x`) is rejected too; for a folder with this name, use `./s3:/bucket`. `host:path`, as
/// used by `scp`, is also rejected, unless a file with this name exists.
pub fn local_path(name: &Path) -> Result<PathBuf> {
    let Some((scheme, rest)) = name.to_str().and_then(split) else {
        return Ok(name.to_owned());
    };
    let refused =
        |why: String| Err(Error::new(ErrorKind::ArgumentRemote, format!("{}: {why}", name.display())));
    if !rest.starts_with('/') {
        if name.exists() {
            return Ok(name.to_owned());
        }
        return refused(format!(
            "this is read as {rest:?} of {scheme:?}, but only local paths can be read and written; for a \
             file of this name in this folder, write ./{}",
            name.display()
        ));
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return refused(format!(
            "only local paths can be read and written; open {scheme}: URLs with another library \
             (fsspec.open, pyarrow.fs) and pass the binary file object, or copy from or to a local path"
        ));
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if path.is_empty() || !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
                return refused("the file is on another host".to_owned());
            }
            path
        }
    };
    // Spark's binaryFile has the scheme, but does not encode the path
    let (plain, decoded) = (PathBuf::from(path), PathBuf::from(decoded(path)));
    Ok(if plain.exists() && !decoded.exists() { plain } else { decoded })
}

/// Scheme and rest of `scheme:rest`, or host and path of `user@host:path`; a single letter is a drive.
fn split(name: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = name.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-_@".contains(c));
    is_scheme.then_some((scheme, rest))
}

/// Resolves percent-encoding.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte =
            digits.filter(|_| bytes[at] == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_refused_and_file_uris_are_paths() {
        for name in [
            "s3://b/x",
            "https://h/x",
            "GS://b",
            "s3:/b/x",
            "abfss://c@a/x",
            "file://host/x",
            "file://x",
            "s3:bucket",
            "host:path/x",
            "me@host:x",
            "my_host:",
            "file:x",
        ] {
            let error = local_path(Path::new(name)).expect_err(name);
            assert_eq!(error.kind(), ErrorKind::ArgumentRemote, "{name}");
            assert!(error.message().starts_with(name), "{error}");
        }
        for (name, path) in [
            ("file:///tmp/a%20b", "/tmp/a b"),
            ("file:/tmp/x", "/tmp/x"),
            ("FILE://localhost/tmp/100%", "/tmp/100%"),
            ("a/b", "a/b"),
            ("a:b", "a:b"),
            ("c:/x", "c:/x"),
            ("./s3:/x", "./s3:/x"),
            ("-", "-"),
            ("http", "http"),
            ("1s://x", "1s://x"),
        ] {
            assert_eq!(local_path(Path::new(name)).unwrap(), Path::new(path), "{name}");
        }
    }
}
