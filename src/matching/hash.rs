//! Hashes of 128 bits, the same on every machine: SHA-256, cut, in the domain `content-1`.

use sha2::{Digest, Sha256};

/// Separates these hashes from those of other programs, and of later versions of the rules.
const DOMAIN: &[u8] = b"content-1";

/// What is hashed, so that no two uses share a hash.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Use {
    Template = 1,
    Row,
    Bag,
    Deep,
    Full,
    Split,
    One,
    Certificate,
    Own,
    Path,
    Context,
    Label,
    Digest,
    Token,
    Radius,
}

/// Stands for the node whose colour is made, in its own statements.
pub(crate) const SELF: u128 = 1;
/// Stands for the path of a node that several statements lead to.
pub(crate) const SHARED: u128 = 2;

/// Collects what is hashed.
pub(crate) struct Mix(Vec<u8>);

impl Mix {
    pub(crate) fn new() -> Self {
        Mix(Vec::with_capacity(128))
    }

    /// Begins another hash.
    #[inline]
    pub(crate) fn start(&mut self, used: Use) -> &mut Self {
        self.0.clear();
        self.0.extend_from_slice(DOMAIN);
        self.0.push(used as u8);
        self
    }

    #[inline]
    pub(crate) fn word(&mut self, word: u128) -> &mut Self {
        self.0.extend_from_slice(&word.to_be_bytes());
        self
    }

    #[inline]
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// Bytes, with their length before them.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    #[inline]
    pub(crate) fn done(&self) -> u128 {
        let hash: [u8; 32] = Sha256::digest(&self.0).into();
        hash[..16].iter().fold(0, |word, &byte| word << 8 | u128::from(byte))
    }

    /// The hash of a bag: what is in it, in any order.
    pub(crate) fn bag(&mut self, used: Use, words: &mut [u128]) -> u128 {
        words.sort_unstable();
        self.start(used);
        for &word in words.iter() {
            self.word(word);
        }
        self.done()
    }
}
