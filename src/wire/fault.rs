//! A fault found inside a row, before anyone knows where the row lies in the stream.

use crate::error::{Error, ErrorKind, Position};

/// What is wrong, at which address, in which field.
///
/// The address is that of the first byte of the field at fault; whoever knows where the row lies in
/// the stream turns it into an offset. So the hot path carries no positions.
#[derive(Debug)]
pub struct Fault(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    limit: Option<&'static str>,
    address: usize,
    path: Vec<&'static str>,
    merge: bool,
}

impl Fault {
    /// A fault at the start of `at`.
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: ErrorKind, at: &[u8], message: impl Into<String>) -> Self {
        Fault(Box::new(Inner {
            kind,
            message: message.into(),
            limit: None,
            address: at.as_ptr() as usize,
            path: Vec::new(),
            merge: false,
        }))
    }

    /// A limit that was passed at the start of `at`.
    #[cold]
    #[inline(never)]
    pub(crate) fn limit(kind: ErrorKind, limit: &'static str, at: &[u8], message: impl Into<String>) -> Self {
        let mut fault = Fault::new(kind, at, message);
        fault.0.limit = Some(limit);
        fault
    }

    /// Not wrong, but a message member that comes twice: the row must be merged first.
    #[cold]
    #[inline(never)]
    pub(crate) fn merge(at: &[u8]) -> Self {
        let mut fault = Fault::new(ErrorKind::Internal, at, "a member that comes twice was not merged");
        fault.0.merge = true;
        fault
    }

    /// Whether this is [`Fault::merge`].
    pub(crate) fn wants_merge(&self) -> bool {
        self.0.merge
    }

    /// What is wrong.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// Names the field around the fault.
    #[cold]
    #[inline(never)]
    pub(crate) fn within(mut self, field: &'static str) -> Self {
        self.0.path.push(field);
        self
    }

    /// Moves the fault to the start of `at`: the tag of the field rather than its payload.
    #[cold]
    #[inline(never)]
    pub(crate) fn at(mut self, at: &[u8]) -> Self {
        self.0.address = at.as_ptr() as usize;
        self
    }

    /// The error: `bytes` are the row, which lies at `offset` of the stream.
    #[cold]
    #[inline(never)]
    pub(crate) fn locate(self, bytes: &[u8], offset: u64) -> Error {
        let Inner { kind, message, limit, address, path, .. } = *self.0;
        let start = bytes.as_ptr() as usize;
        let inside = (start..=start + bytes.len()).contains(&address);
        let offset = offset + if inside { (address - start) as u64 } else { 0 };
        let error = match limit {
            Some(limit) => Error::limit(kind, limit, message),
            None => Error::new(kind, message),
        };
        let error = if path.is_empty() {
            error
        } else {
            error.with_field(path.into_iter().rev().collect::<Vec<_>>().join("."))
        };
        error.located(&Position { offset: Some(offset), ..Position::default() })
    }
}
