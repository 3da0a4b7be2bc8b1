//! Errors are data: a stable kind, a position, and one line of text.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

mod kind;

pub use kind::{ErrorClass, ErrorKind};

/// The result of every function of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A position in the input. Frames, rows and bytes count from 0, lines and columns from 1.
///
/// `row` counts every row of its frame, also options and lookup entries. An error between rows has the number
/// of the next row. `offset` is the first wrong byte in the decompressed stream: of a field, of a wrong
/// varint or length, or of the content of a message that lacks a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The path, topic or name of the stream.
    pub source: Option<Arc<str>>,
    /// 0-based frame in the stream.
    pub frame: Option<u64>,
    /// 0-based row in the frame.
    pub row: Option<u64>,
    /// 0-based byte in the decompressed stream.
    pub offset: Option<u64>,
    /// 1-based line of a text format.
    pub line: Option<u64>,
    /// 1-based column of a text format.
    pub column: Option<u64>,
}

/// An error with its position.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    position: Position,
    field: Option<String>,
    limit: Option<&'static str>,
    cause: Option<io::Error>,
}

impl Error {
    /// Creates an error without a position.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            position: Position::default(),
            field: None,
            limit: None,
            cause: None,
        }))
    }

    /// Creates a limit error that names the field of [`Limits`](crate::Limits) to raise.
    #[cold]
    pub fn limit(kind: ErrorKind, limit: &'static str, message: impl Into<String>) -> Self {
        let mut error = Error::new(kind, message);
        error.0.limit = Some(limit);
        error
    }

    /// Adds a hint.
    #[cold]
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: &str) -> Self {
        self.0.message.push_str("; ");
        self.0.message.push_str(hint);
        self
    }

    /// Adds the name of the wrong field, such as `quad.o_iri.name_id`.
    #[must_use]
    pub fn with_field(mut self, field: String) -> Self {
        self.0.field = Some(field);
        self
    }

    /// Moves the error to another byte.
    #[must_use]
    pub(crate) fn moved_to(mut self, offset: u64) -> Self {
        self.0.position.offset = Some(offset);
        self
    }

    /// The message and the position, without kind and source.
    pub(crate) fn told_apart(mut self) -> String {
        self.0.position.source = None;
        let text = self.to_string();
        text.strip_prefix(self.kind().slug())
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(&text)
            .to_owned()
    }

    /// Fills in the missing parts of the position.
    #[cold]
    #[must_use]
    pub fn located(mut self, at: &Position) -> Self {
        let own = &mut self.0.position;
        own.source = own.source.take().or_else(|| at.source.clone());
        own.frame = own.frame.or(at.frame);
        own.row = own.row.or(at.row);
        own.offset = own.offset.or(at.offset);
        own.line = own.line.or(at.line);
        own.column = own.column.or(at.column);
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message, without kind and position.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// The path of the wrong field, with dots.
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// The limit that was reached.
    pub fn limit_name(&self) -> Option<&'static str> {
        self.0.limit
    }

    /// The error of the operating system or source, if it is the cause.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.cause.as_ref()
    }

    /// Extracts the error of the operating system or source.
    pub fn into_io_error(self) -> Option<io::Error> {
        self.0.cause
    }
}

impl From<io::Error> for Error {
    /// Readers pass errors of this crate on as [`io::Error`]; this conversion returns them unchanged.
    fn from(cause: io::Error) -> Self {
        let cause = match cause.downcast::<Error>() {
            Ok(own) => return own,
            Err(cause) => cause,
        };
        let mut error = Error::new(ErrorKind::Io, cause.to_string());
        error.0.cause = Some(cause);
        error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, message, position, field, limit, .. } = &*self.0;
        write!(f, "{}: {message}", kind.slug())?;
        if let Some(limit) = limit {
            write!(f, "; raise the limit with limits.{limit}")?;
        }
        let mut parts = Vec::new();
        let numbered = [
            ("frame", position.frame),
            ("row", position.row),
            ("byte", position.offset),
            ("line", position.line),
            ("column", position.column),
        ];
        parts.extend(numbered.iter().filter_map(|(name, n)| n.map(|n| format!("{name} {n}"))));
        parts.extend(field.clone());
        let place = parts.join(", ");
        match (&position.source, place.is_empty()) {
            (Some(source), false) => write!(f, " ({source}: {place})"),
            (Some(source), true) => write!(f, " ({source})"),
            (None, false) => write!(f, " ({place})"),
            (None, true) => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_ref().map(|cause| cause as _)
    }
}

/// Runs `work` at the border to another language and turns a panic into an internal error.
///
/// The values that `work` holds must not be used again after a panic.
pub fn catch_panic<T, E: From<Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("a panic without a message");
        let message = format!("{text}; this is a bug of jelly-patch, please report it");
        Err(Error::new(ErrorKind::Internal, message).into())
    })
}

/// An excerpt of the input for a message: escaped, and cut at 120 bytes.
pub(crate) fn excerpt(text: &str) -> String {
    let mut end = text.len().min(120);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let dots = if end < text.len() { "…" } else { "" };
    format!("\"{}{dots}\"", text[..end].escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error() {
        let number = 7;
        for work in [|| panic!("boom"), || panic!("boom {}", 7)] as [fn() -> Result<()>; 2] {
            let error = catch_panic(work).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Internal);
            assert!(error.to_string().starts_with("internal: boom"), "{error}");
        }
        assert_eq!(catch_panic(|| Ok::<_, Error>(number)).unwrap(), 7);
        let own = || Err::<(), _>(Error::new(ErrorKind::WireTag, "own"));
        assert_eq!(catch_panic(own).unwrap_err().kind(), ErrorKind::WireTag);
    }
}
