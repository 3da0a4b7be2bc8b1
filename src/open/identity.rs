//! Identities of sources, which distinguish their blank nodes.

use std::fmt;
use std::hash::Hasher;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use siphasher::sip::SipHasher24;

use super::OpenOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::io::{SharedBytes, Source};
use crate::secret::random_secret;

/// The identity of a source for scoped labels; readers compute it.
#[derive(Clone, Default)]
pub struct Identity(Known);

#[derive(Clone, Default)]
enum Known {
    /// By its name.
    #[default]
    Name,
    /// By its path, where nobody gave it a name, or by what was given instead of the name.
    Text(String),
    /// By its bytes.
    Bytes(SharedBytes, Arc<OnceLock<u64>>),
    /// By nothing: what comes from a pipe comes once.
    Once,
    /// By nothing, and it is only a part of the source.
    Part,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Known::Name => "name",
            Known::Text(text) => text,
            Known::Bytes(..) => "bytes",
            Known::Once => "once",
            Known::Part => "part",
        })
    }
}

impl Identity {
    /// Of a source that is to be opened.
    pub(crate) fn of(source: &Source, options: &OpenOptions) -> Self {
        if let Some(scope) = &options.scope {
            return Identity(Known::Text(scope.clone()));
        }
        Identity(match (source, &options.decode.source) {
            (Source::Reader(_), Some(name)) if is_pipe(name) => Known::Once,
            (_, Some(_)) => Known::Name,
            (Source::Path(path), None) => Known::Text(path.to_string_lossy().into_owned()),
            (Source::Bytes(_), None) if options.resume.is_some() => Known::Part,
            (Source::Bytes(bytes), None) => Known::Bytes(Arc::clone(bytes), Arc::default()),
            (Source::File(_) | Source::Reader(_), None) if options.is_part() || options.resume.is_some() => {
                Known::Part
            }
            (Source::File(_) | Source::Reader(_), None) => Known::Once,
        })
    }

    /// The number in labels, of a source that may have a name.
    ///
    /// # Errors
    /// `argument`: it is a part of a source without a name.
    pub(crate) fn number(&self, name: Option<&str>) -> Result<u64> {
        Ok(match &self.0 {
            Known::Name => fnv(name.unwrap_or_default()),
            Known::Text(text) => fnv(text),
            Known::Bytes(bytes, known) => *known.get_or_init(|| digest((**bytes).as_ref())),
            Known::Once => drawn()?,
            Known::Part => {
                let message = "the blank nodes of a part get labels from the name of the source, but the \
                               source has no name; set source_name";
                return Err(Error::new(ErrorKind::Argument, message));
            }
        })
    }
}

/// Whether a name stands for what comes through it, as `-` and `/dev/fd/63` do.
fn is_pipe(name: &str) -> bool {
    name == "-" || Path::new(name).metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// FNV-1a: a scope depends on the name of the source and on nothing else.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher24::new();
    hasher.write(bytes);
    hasher.finish()
}

fn drawn() -> Result<u64> {
    Ok(digest(&random_secret()?))
}
