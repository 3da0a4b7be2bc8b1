//! What tells the blank nodes of one source from those of another.

use std::hash::Hasher;
use std::path::Path;
use std::sync::Arc;

use siphasher::sip::SipHasher24;

use crate::error::{Error, ErrorKind, Result};
use crate::io::{SharedBytes, Source};
use crate::open::OpenOptions;

/// What a source is known by, where labels are scoped.
pub(super) enum Identity {
    /// Its name.
    Name,
    /// Its path, where nobody gave it a name.
    Path(String),
    /// Its bytes.
    Bytes(SharedBytes),
    /// Nothing: what comes from a pipe comes once.
    Once,
    /// Nothing, and it is only a part of the source.
    Part,
}

impl Identity {
    /// Of a source that is to be opened.
    pub(super) fn of(source: &Source, options: &OpenOptions) -> Self {
        match (source, &options.decode.source) {
            (Source::Reader(_), Some(name)) if is_pipe(name) => Identity::Once,
            (_, Some(_)) => Identity::Name,
            (Source::Path(path), None) => Identity::Path(path.to_string_lossy().into_owned()),
            (Source::Bytes(_), None) if options.resume.is_some() => Identity::Part,
            (Source::Bytes(bytes), None) => Identity::Bytes(Arc::clone(bytes)),
            (Source::File(_) | Source::Reader(_), None) if options.is_part() || options.resume.is_some() => {
                Identity::Part
            }
            (Source::File(_) | Source::Reader(_), None) => Identity::Once,
        }
    }

    /// The number in labels; `None`: that of the name.
    pub(super) fn scope(&self) -> Result<Option<u64>> {
        Ok(match self {
            Identity::Name => None,
            Identity::Path(path) => Some(fnv(path)),
            Identity::Bytes(bytes) => Some(digest((**bytes).as_ref())),
            Identity::Once => Some(drawn()?),
            Identity::Part => {
                let message = "blank nodes of a part of a source are scoped by the name of the source, and it has \
                               none; source_name gives it one";
                return Err(Error::new(ErrorKind::Argument, message));
            }
        })
    }
}

/// Whether a name stands for whatever comes through it, as `-` and `/dev/fd/63` do.
fn is_pipe(name: &str) -> bool {
    name == "-" || Path::new(name).metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// FNV-1a: a scope depends on the name of the source and on nothing else.
pub(super) fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher24::new();
    hasher.write(bytes);
    hasher.finish()
}

fn drawn() -> Result<u64> {
    let secret = crate::patch::random_secret()?;
    Ok(digest(&secret))
}
