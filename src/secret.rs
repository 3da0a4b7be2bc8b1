//! Random bytes that cannot be guessed, for the keys of a run and the scopes of sources without a name.

use crate::error::{Error, ErrorKind, Result};

/// Returns random bytes that cannot be guessed.
///
/// # Errors
/// `io`: the system provides no random bytes.
pub(crate) fn random_secret() -> Result<[u8; 16]> {
    let mut secret = [0; 16];
    getrandom::fill(&mut secret)
        .map_err(|error| Error::new(ErrorKind::Io, format!("no random bytes: {error}")))?;
    Ok(secret)
}
