//! Compressions: their names, the first bytes of compressed files, and the extensions.

/// How a source is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
    /// bzip2 (read only).
    Bzip2,
    /// xz (the .xz file format 1.2, read only).
    Xz,
}

/// File name extensions, in lower case.
const ENDINGS: [&str; 5] = [".gz", ".zst", ".zstd", ".bz2", ".xz"];

impl Compression {
    /// The name used in options.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
        }
    }

    /// Detects the compression from the first four bytes.
    pub fn detect(start: &[u8]) -> Self {
        match *start {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Compression::Bzip2,
            [0xfd, b'7', b'z', b'X', ..] => Compression::Xz,
            _ => Compression::None,
        }
    }
}

/// The compression extension of a file name in lower case.
pub(crate) fn ending_of(name: &str) -> Option<&'static str> {
    ENDINGS.into_iter().find(|ending| name.ends_with(ending))
}

/// A file name in lower case without its compression extension.
pub(crate) fn unpacked(name: &str) -> &str {
    ending_of(name).and_then(|ending| name.strip_suffix(ending)).unwrap_or(name)
}
