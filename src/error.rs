//! Errors are data: a stable kind, a position, and one line for a person.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The result of everything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The family of an error; each is one exception class in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorClass {
    /// The input ends inside a frame or a compressed block.
    Truncated,
    /// The bytes are not the protobuf messages of the format.
    Wire,
    /// A lookup id or a repeated term refers to nothing.
    Table,
    /// The stream options are missing, wrong, or contradicted by the rows.
    Options,
    /// A limit was reached; the error names the option that raises it.
    Limit,
    /// Text is not in the grammar of its format.
    Text,
    /// A patch has no meaning (unfinished transactions, broken chains).
    Patch,
    /// Rows cannot be written in the format asked for.
    Encode,
    /// Reading or writing failed outside of this library.
    Io,
    /// The caller asked for something that does not exist.
    Argument,
    /// A fault of this library.
    Internal,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $class:ident $slug:literal,)*) => {
        /// What went wrong, one variant a cause.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum ErrorKind { $($(#[$doc])* $name,)* }

        impl ErrorKind {
            /// Every kind there is, for documentation and tests.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$name,)*];

            /// The stable name, `family.cause`.
            pub fn slug(self) -> &'static str {
                match self { $(ErrorKind::$name => $slug,)* }
            }

            /// The family this kind belongs to.
            pub fn class(self) -> ErrorClass {
                match self { $(ErrorKind::$name => ErrorClass::$class,)* }
            }
        }
    };
}

kinds! {
    /// The input ends inside the length of a frame.
    TruncatedLength = Truncated "truncated.length",
    /// The input ends inside a frame.
    TruncatedFrame = Truncated "truncated.frame",
    /// A stream of restart marks ends without its footer.
    TruncatedStream = Truncated "truncated.stream",
    /// The input ends inside a gzip member or zstd frame.
    TruncatedCompressed = Truncated "truncated.compressed",
    /// The input ends inside a row.
    TruncatedRow = Truncated "truncated.row",
    /// A varint runs over 10 bytes or past the end of its message.
    WireVarint = Wire "wire.varint",
    /// Field number 0, or one over 2^29-1.
    WireTag = Wire "wire.tag",
    /// A known field with another wire type, or wire type 6 or 7.
    WireType = Wire "wire.type",
    /// A length that passes the end of the message around it.
    WireLength = Wire "wire.length",
    /// A string that is not UTF-8.
    WireUtf8 = Wire "wire.utf8",
    /// A group that does not end, or ends another.
    WireGroup = Wire "wire.group",
    /// A row without a known member, or of a kind that this stream type forbids.
    WireRow = Wire "wire.row",
    /// A member that must be set is not.
    WireUnset = Wire "wire.unset",
    /// A term that a patch cannot hold, or that contradicts itself.
    WireTerm = Wire "wire.term",
    /// A triple outside a graph, a graph inside a graph, a stray graph end.
    WireGraph = Wire "wire.graph",
    /// Not this format at all.
    WireFormat = Wire "wire.format",
    /// A restart mark or footer that does not fit the rows before it, or is not there.
    WireMark = Wire "wire.mark",
    /// The compressed bytes are damaged.
    WireCompressed = Wire "wire.compressed",
    /// A lookup id whose entry was never set.
    TableUndefined = Table "table.undefined",
    /// A lookup id beyond the table.
    TableRange = Table "table.range",
    /// An entry for, or a reference to, a lookup that the options switch off.
    TableDisabled = Table "table.disabled",
    /// Datatype id 0.
    TableDatatype = Table "table.datatype",
    /// A repeated term with nothing before it to repeat.
    TableRepeated = Table "table.repeated",
    /// The stream does not begin with its options.
    OptionsMissing = Options "options.missing",
    /// A later options row differs from the first.
    OptionsChanged = Options "options.changed",
    /// A version that does not exist or is newer than this library.
    OptionsVersion = Options "options.version",
    /// A stream, statement or physical type that does not exist.
    OptionsType = Options "options.type",
    /// A name table below 8 entries.
    OptionsTable = Options "options.table",
    /// Quoted triples or generalized terms that the options do not declare.
    OptionsUndeclared = Options "options.undeclared",
    /// Jelly-RDF where Jelly-Patch was asked for, or the reverse.
    OptionsFormat = Options "options.format",
    /// A snapshot that does not belong to this reader or version.
    OptionsSnapshot = Options "options.snapshot",
    /// `limits.row_bytes`.
    LimitRow = Limit "limit.row_bytes",
    /// `limits.frame_bytes`.
    LimitFrame = Limit "limit.frame_bytes",
    /// `limits.name_table`, `limits.prefix_table` or `limits.datatype_table`.
    LimitTable = Limit "limit.table",
    /// `limits.lookup_bytes`.
    LimitLookup = Limit "limit.lookup_bytes",
    /// `limits.term_bytes`.
    LimitTerm = Limit "limit.term_bytes",
    /// `limits.nesting`.
    LimitNesting = Limit "limit.nesting",
    /// `limits.expansion`.
    LimitExpansion = Limit "limit.expansion",
    /// `limits.zstd_window`.
    LimitWindow = Limit "limit.zstd_window",
    /// `limits.transaction_bytes`.
    LimitTransaction = Limit "limit.transaction_bytes",
    /// Text that is not UTF-8.
    TextUtf8 = Text "text.utf8",
    /// No term where one must be, or one that cannot stand there.
    TextTerm = Text "text.term",
    /// An IRI with characters that it may not hold, or that is not absolute where it must be.
    TextIri = Text "text.iri",
    /// A backslash that stands for no character.
    TextEscape = Text "text.escape",
    /// A string that does not end on its line.
    TextString = Text "text.string",
    /// A blank node label outside the grammar.
    TextLabel = Text "text.label",
    /// A language tag or base direction outside the grammar.
    TextLanguage = Text "text.language",
    /// A number outside the grammar.
    TextNumber = Text "text.number",
    /// A prefixed name where the format has none, or one whose prefix is not declared.
    TextPrefixed = Text "text.prefixed",
    /// A row that begins with no keyword of the format.
    TextKeyword = Text "text.keyword",
    /// A row with too few or too many terms, or without its dot.
    TextRow = Text "text.row",
    /// A statement that RDF does not know, where generalized RDF is not read.
    TextGeneralized = Text "text.generalized",
    /// A repetition with nothing before it to repeat.
    TextRepeat = Text "text.repeat",
    /// What the library for Turtle, RDF/XML and JSON-LD refuses.
    TextSyntax = Text "text.syntax",
    /// A transaction that is neither committed nor aborted.
    PatchUnfinished = Patch "patch.unfinished",
    /// A commit or abort outside a transaction.
    PatchStray = Patch "patch.stray",
    /// Rows after the last punctuation mark.
    PatchUnterminated = Patch "patch.unterminated",
    /// A graph in a stream of triples.
    PatchGraph = Patch "patch.graph",
    /// Two different ids in the headers of one patch.
    PatchHeader = Patch "patch.header",
    /// Some patches of a log have ids, others have none.
    PatchMixed = Patch "patch.mixed",
    /// Two patches of a log have the same id.
    PatchDuplicate = Patch "patch.duplicate",
    /// Two patches of a log come after the same one.
    PatchFork = Patch "patch.fork",
    /// The patch that another one comes after is not there.
    PatchGap = Patch "patch.gap",
    /// Patches of a log that come after each other in a circle.
    PatchCycle = Patch "patch.cycle",
    /// A version that the log does not have.
    PatchVersion = Patch "patch.version",
    /// A row that provably changes nothing, where only those that do can be undone.
    PatchCanonical = Patch "patch.canonical",
    /// A deleted prefix whose namespace nobody knows, where it must be restored.
    PatchPrefix = Patch "patch.prefix",
    /// A file that is read twice changed in between.
    PatchChanged = Patch "patch.changed",
    /// A table that cannot hold the entries of one row, or is switched off but needed, or below the minimum.
    EncodeTable = Encode "encode.table",
    /// Quoted triples or generalized terms that the options do not declare.
    EncodeUndeclared = Encode "encode.undeclared",
    /// A term that cannot stand in its place.
    EncodeTerm = Encode "encode.term",
    /// A graph where there are triples only, or the end of a graph that did not start.
    EncodeGraph = Encode "encode.graph",
    /// A second patch in a FLAT stream.
    EncodePatch = Encode "encode.patch",
    /// A second single frame before the first was taken.
    EncodeFrame = Encode "encode.frame",
    /// A row given to a writer that is no row of the format.
    EncodeRow = Encode "encode.row",
    /// A statement or term of generalized RDF, or a quoted triple, where the format cannot hold it.
    EncodeGeneralized = Encode "encode.generalized",
    /// A blank node label outside the grammar of the format.
    EncodeLabel = Encode "encode.label",
    /// A language tag outside the grammar of the format.
    EncodeLanguage = Encode "encode.language",
    /// A header where text would begin a new patch with it.
    EncodeHeader = Encode "encode.header",
    /// The operating system or the source of the bytes.
    Io = Io "io",
    /// A wrong option or combination of options.
    Argument = Argument "argument",
    /// A fault of this library, to be reported.
    Internal = Internal "internal",
}

/// Where in the input: frames, rows and bytes count from 0, lines and columns from 1.
///
/// `row` counts every row of its frame, also options and lookup entries; an error between rows has
/// the number of the row that would come next. `offset` is the first byte at fault in the decompressed
/// stream: of a field, of a varint or length that cannot be, or of the content of a message that lacks a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The path, topic or name of the stream.
    pub source: Option<Arc<str>>,
    /// Frame in the stream.
    pub frame: Option<u64>,
    /// Row in the frame.
    pub row: Option<u64>,
    /// Byte in the decompressed stream.
    pub offset: Option<u64>,
    /// Line of a text format.
    pub line: Option<u64>,
    /// Column of a text format.
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
    /// A new error without a position.
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

    /// A limit error that names the field of [`Limits`](crate::Limits) that raises it.
    #[cold]
    pub fn limit(kind: ErrorKind, limit: &'static str, message: impl Into<String>) -> Self {
        let mut error = Error::new(kind, message);
        error.0.limit = Some(limit);
        error
    }

    /// Says what may help.
    #[cold]
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: &str) -> Self {
        self.0.message.push_str("; ");
        self.0.message.push_str(hint);
        self
    }

    /// Names the field at fault, as `quad.o_iri.name_id`.
    #[must_use]
    pub fn with_field(mut self, field: String) -> Self {
        self.0.field = Some(field);
        self
    }

    /// Puts the error at another byte.
    #[must_use]
    pub(crate) fn moved_to(mut self, offset: u64) -> Self {
        self.0.position.offset = Some(offset);
        self
    }

    /// Message and place, for who tells kind and source apart.
    pub(crate) fn told_apart(mut self) -> String {
        self.0.position.source = None;
        let text = self.to_string();
        text.strip_prefix(self.kind().slug())
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(&text)
            .to_owned()
    }

    /// Fills in what is not known yet of the position.
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

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The text without kind and position.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where.
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// The field at fault, dotted.
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// The limit that was reached.
    pub fn limit_name(&self) -> Option<&'static str> {
        self.0.limit
    }

    /// The error of the operating system or source, if that is the cause.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.cause.as_ref()
    }

    /// Takes the error of the operating system or source out.
    pub fn into_io_error(self) -> Option<io::Error> {
        self.0.cause
    }
}

impl From<io::Error> for Error {
    /// Readers hand our own errors through as [`io::Error`]; they come out as they were.
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
            write!(f, "; raise it with limits.{limit}")?;
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

/// Runs `work` at the border to another language: a panic becomes an internal error.
///
/// What `work` holds must not be used again after a panic.
pub fn catch_panic<T, E: From<Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("a panic without a message");
        let message = format!("{text}; this is a fault of jelly-patch, please report it");
        Err(Error::new(ErrorKind::Internal, message).into())
    })
}

/// Text of the input for a message: escaped and cut at 120 bytes.
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
