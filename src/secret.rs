//! Bytes that nobody can guess, for keys of a run and scopes of sources without a name.

use crate::error::{Error, ErrorKind, Result};

/// Bytes that nobody can guess.
///
/// # Errors
/// `io`: the system gives none.
pub fn random_secret() -> Result<[u8; 16]> {
    let mut secret = [0; 16];
    getrandom::fill(&mut secret)
        .map_err(|error| Error::new(ErrorKind::Io, format!("no random bytes: {error}")))?;
    Ok(secret)
}
