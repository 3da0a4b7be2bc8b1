//! The kinds of errors: what each means, and what to do.

/// Shared advice.
const AGAIN: &str = "Fetch or copy the file again; this copy is incomplete.";
const BROKEN: &str =
    "Fetch the file again; if the error stays, tell the authors of the program that wrote it.";
const RAISE: &str = "If you trust the source, raise the limit that the message names.";
const CORRECT: &str = "Correct the row; the message gives its line and column, or its number.";
const ROW: &str = "Correct the row, or write a format that can hold it.";

macro_rules! classes {
    ($(#[doc = $meaning:literal] $name:ident $python:literal $why:literal,)*) => {
        /// The family of an error; each is one exception class in Python.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum ErrorClass { $(#[doc = $meaning] $name,)* }

        impl ErrorClass {
            /// The cause, as docs/errors.md gives it.
            pub fn meaning(self) -> &'static str {
                match self { $(ErrorClass::$name => $meaning.trim_ascii(),)* }
            }

            /// The exception in Python.
            pub fn python(self) -> &'static str {
                match self { $(ErrorClass::$name => $python,)* }
            }

            /// Why this is an error, as docs/errors.md explains it.
            pub fn why(self) -> &'static str {
                match self { $(ErrorClass::$name => $why,)* }
            }
        }
    };
}

classes! {
    /// The input ends inside a frame or a compressed block.
    Truncated "TruncatedError" "Without this error, a truncated file would look like a smaller dataset.",
    /// The bytes are not valid messages of the format.
    Wire "WireError" "Guessing at damaged bytes would give wrong terms.",
    /// A lookup id or a repeated term refers to nothing.
    Table "TableError" "A wrong lookup entry would give an IRI that the source never had.",
    /// The stream options are missing or wrong, or the rows contradict them.
    Options "OptionsError" "The options define how to read the rows; without them, the rows would mean something else.",
    /// A limit was reached; the error names the option that raises it.
    Limit "LimitError" "Without limits, a short input could ask for more memory than the machine has.",
    /// The text does not follow the grammar of its format.
    Text "TextError" "Skipping or repairing a line would change the dataset.",
    /// A patch or a log is not valid (unfinished transactions, broken chains).
    Patch "PatchError" "Patches that are applied out of order, in part or twice give a dataset that never existed.",
    /// Rows cannot be written in the requested format.
    Encode "EncodeError" "A row that the format cannot hold would come back as a different row.",
    /// A replica cannot do what was asked; nothing was changed.
    Replica "ReplicaError" "A table that follows a different log has no known version.",
    /// Reading or writing failed outside this library.
    Io "OSError" "Data that could not be read or written is missing.",
    /// The call asks for something that does not exist.
    Argument "ArgumentError" "Silently ignoring an option would give a result that nobody asked for.",
    /// This library has a bug.
    Internal "InternalError" "After a bug, no later result can be trusted.",
}

macro_rules! kinds {
    ($(#[doc = $meaning:literal] $name:ident = $class:ident $slug:literal $advice:expr,)*) => {
        /// What went wrong; each variant is one cause.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum ErrorKind { $(#[doc = $meaning] $name,)* }

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

            /// The cause, as docs/errors.md gives it.
            pub fn meaning(self) -> &'static str {
                match self { $(ErrorKind::$name => $meaning.trim_ascii(),)* }
            }

            /// What to do, as docs/errors.md says it.
            pub fn advice(self) -> &'static str {
                match self { $(ErrorKind::$name => $advice,)* }
            }
        }
    };
}

// Run scripts/errors_table.py after a change here: it writes docs/errors.md.
kinds! {
    /// The input ends inside the length of a frame.
    TruncatedLength = Truncated "truncated.length" AGAIN,
    /// The input ends inside a frame.
    TruncatedFrame = Truncated "truncated.frame" AGAIN,
    /// A stream with sync points ends without its footer.
    TruncatedStream = Truncated "truncated.stream" AGAIN,
    /// The input ends inside a gzip member, a zstd frame, or a bzip2 or xz stream.
    TruncatedCompressed = Truncated "truncated.compressed" AGAIN,
    /// The input ends inside a row.
    TruncatedRow = Truncated "truncated.row" AGAIN,
    /// A varint is longer than 10 bytes or passes the end of its message.
    WireVarint = Wire "wire.varint" BROKEN,
    /// A field number is 0 or greater than 2^29-1.
    WireTag = Wire "wire.tag" BROKEN,
    /// A known field has the wrong wire type, or a field has wire type 6 or 7.
    WireType = Wire "wire.type" BROKEN,
    /// A length passes the end of the enclosing message.
    WireLength = Wire "wire.length" BROKEN,
    /// A string is not UTF-8.
    WireUtf8 = Wire "wire.utf8" BROKEN,
    /// A group does not end, or its end belongs to another group.
    WireGroup = Wire "wire.group" BROKEN,
    /// A row has no known kind, or a kind that this stream type does not allow.
    WireRow = Wire "wire.row" BROKEN,
    /// A required field is not set.
    WireUnset = Wire "wire.unset" BROKEN,
    /// A patch cannot hold the term, or the term contradicts itself.
    WireTerm = Wire "wire.term" BROKEN,
    /// A triple is outside a graph, a graph starts inside another, or a graph ends that did not start.
    WireGraph = Wire "wire.graph" BROKEN,
    /// The input is not in this format at all.
    WireFormat = Wire "wire.format" "Set the format (`format=`, `--from`), or unpack the file first.",
    /// A sync point or footer is missing, or does not fit the rows before it.
    WireMark = Wire "wire.mark" "Write the file again; if the message says so, the whole file can still be read.",
    /// The compressed bytes are damaged.
    WireCompressed = Wire "wire.compressed" BROKEN,
    /// A lookup id refers to an entry that was never set.
    TableUndefined = Table "table.undefined" BROKEN,
    /// A lookup id is beyond the end of the table.
    TableRange = Table "table.range" BROKEN,
    /// A row sets or uses an entry of a lookup table that the options switch off.
    TableDisabled = Table "table.disabled" "Enlarge the table in the options of the writer.",
    /// A datatype id is 0.
    TableDatatype = Table "table.datatype" BROKEN,
    /// A term is repeated, but no term comes before it.
    TableRepeated = Table "table.repeated" BROKEN,
    /// The stream does not begin with its options.
    OptionsMissing = Options "options.missing" "Read from the start of the stream, or pass the snapshot that was taken before this position.",
    /// A later options row differs from the first.
    OptionsChanged = Options "options.changed" "Read streams with different options separately.",
    /// The version of the format does not exist or is newer than this library.
    OptionsVersion = Options "options.version" "Update this library, or write with an older version of the format.",
    /// A stream, statement or physical type does not exist.
    OptionsType = Options "options.type" BROKEN,
    /// The name table has fewer than 8 entries.
    OptionsTable = Options "options.table" "Give the writer a name table of at least 8 entries, or none.",
    /// The stream has quoted triples or generalized terms that its options do not declare.
    OptionsUndeclared = Options "options.undeclared" "Declare the feature in the options of the writer, or read with `lenient_flags`.",
    /// The input is Jelly-RDF where Jelly-Patch was expected, or the reverse.
    OptionsFormat = Options "options.format" "Use `read_rdf` for Jelly-RDF and `read_patch` for Jelly-Patch.",
    /// The snapshot does not belong to this reader or this version of the library.
    OptionsSnapshot = Options "options.snapshot" "Start again without the snapshot.",
    /// A row is longer than `limits.row_bytes`.
    LimitRow = Limit "limit.row_bytes" RAISE,
    /// A frame is longer than `limits.frame_bytes`.
    LimitFrame = Limit "limit.frame_bytes" RAISE,
    /// A lookup table has more entries than `limits.name_table`, `limits.prefix_table` or `limits.datatype_table`.
    LimitTable = Limit "limit.table" RAISE,
    /// Lookup entries take more bytes than `limits.lookup_bytes`.
    LimitLookup = Limit "limit.lookup_bytes" RAISE,
    /// A term is longer than `limits.term_bytes`.
    LimitTerm = Limit "limit.term_bytes" RAISE,
    /// Terms or elements are nested deeper than `limits.nesting`.
    LimitNesting = Limit "limit.nesting" RAISE,
    /// The rows are more than `limits.expansion` times as large as their input.
    LimitExpansion = Limit "limit.expansion" RAISE,
    /// A compressed source has more than `limits.decompressed_bytes` after decompression.
    LimitDecompressed = Limit "limit.decompressed_bytes" RAISE,
    /// A zstd frame needs a window over `limits.zstd_window`, or an xz stream needs a dictionary over twice that.
    LimitWindow = Limit "limit.zstd_window" RAISE,
    /// Keeping a transaction until its end takes more than `limits.transaction_bytes`.
    LimitTransaction = Limit "limit.transaction_bytes" RAISE,
    /// Blank nodes that must be put in order are so similar that this takes more work than `limits.blank_work`.
    LimitBlankWork = Limit "limit.blank_work" RAISE,
    /// Statements with blank nodes need more memory than four times `limits.blank_bytes`.
    LimitBlankBytes = Limit "limit.blank_bytes" "Raise the limit, or compare by labels (`--blank-nodes labels`) if the labels are stable.",
    /// The text is not UTF-8.
    TextUtf8 = Text "text.utf8" "Convert the file to UTF-8.",
    /// A term is missing, or cannot be in this position.
    TextTerm = Text "text.term" CORRECT,
    /// An IRI contains characters that are not allowed, or is not absolute where it must be.
    TextIri = Text "text.iri" CORRECT,
    /// A backslash escape does not stand for a character.
    TextEscape = Text "text.escape" CORRECT,
    /// A string does not end on its line.
    TextString = Text "text.string" CORRECT,
    /// A blank node label does not follow the grammar.
    TextLabel = Text "text.label" CORRECT,
    /// A language tag or base direction does not follow the grammar.
    TextLanguage = Text "text.language" CORRECT,
    /// A number does not follow the grammar.
    TextNumber = Text "text.number" CORRECT,
    /// The format has no prefixed names, or the prefix of the name is not declared.
    TextPrefixed = Text "text.prefixed" "Declare the prefix, or write the whole IRI; N-Triples and N-Quads have no prefixes.",
    /// A row does not begin with a keyword of the format.
    TextKeyword = Text "text.keyword" "Correct the row, or set the format (`format=`, `--from`) if the file has another one.",
    /// A row has too few or too many terms, or does not end with a dot.
    TextRow = Text "text.row" CORRECT,
    /// A statement is generalized RDF, which the reader does not accept here.
    TextGeneralized = Text "text.generalized" "Correct the statement, or read the file as a format that holds generalized RDF.",
    /// A row repeats a term, but the row before it has none.
    TextRepeat = Text "text.repeat" CORRECT,
    /// The library that parses Turtle, RDF/XML and JSON-LD rejects the text.
    TextSyntax = Text "text.syntax" CORRECT,
    /// A transaction is neither committed nor aborted.
    PatchUnfinished = Patch "patch.unfinished" "Commit or abort the transaction; if a crash cut it off, `unfinished=\"drop\"` leaves it out.",
    /// A commit or abort is outside a transaction.
    PatchStray = Patch "patch.stray" "Add the missing `TX`, or remove the row.",
    /// Rows follow the last punctuation mark.
    PatchUnterminated = Patch "patch.unterminated" "End the patch with its mark, or read without `strict`.",
    /// A stream of triples contains a graph.
    PatchGraph = Patch "patch.graph" "Write the patch with the statement type QUADS.",
    /// The headers of one patch contain two different ids.
    PatchHeader = Patch "patch.header" "Keep one `id` and one `prev`.",
    /// Some patches of a log have ids and others have none.
    PatchMixed = Patch "patch.mixed" "Give every patch an id, or none; `chain=\"ignore\"` takes the patches in the given order.",
    /// Two patches of a log have the same id.
    PatchDuplicate = Patch "patch.duplicate" "Remove one of the two, or give it a new id.",
    /// Two patches of a log come after the same patch.
    PatchFork = Patch "patch.fork" "Keep one branch, and publish the changes of the other branch again.",
    /// The patch that another patch comes after is missing.
    PatchGap = Patch "patch.gap" "Find the missing patch; you can still read the versions before the gap.",
    /// The patches of a log come after each other in a cycle.
    PatchCycle = Patch "patch.cycle" "Correct the `prev` of one of them.",
    /// A log without a known base has no dataset, and rows that name blank nodes by content need one.
    PatchBase = Patch "patch.base" "Give the dataset before the first patch (`base=`, `--base`; `jelly log create PLACE --base FILE`, or `--empty`); before you publish or follow a patch that names blank nodes by content, canonicalize it.",
    /// The log does not have this version.
    PatchVersion = Patch "patch.version" "Ask for a version that the message lists.",
    /// A row provably changes nothing; a patch can be undone without its base only if each row changes something.
    PatchCanonical = Patch "patch.canonical" "Give the base (`base=`, `--base`), or canonicalize the patch first.",
    /// A deleted prefix must be restored, but its namespace is unknown.
    PatchPrefix = Patch "patch.prefix" "Give the base (`base=`, `--base`), or write the namespace into the `PD` row.",
    /// A blank node is named by a positional label (`_:anon-0`), which is another node in another file.
    PatchLabels = Patch "patch.labels" "Give the node an IRI or a label in the data, or export the data with stable labels, such as N-Quads from the store.",
    /// A row names a blank node that the base does not have, that equals another, or that SPARQL cannot name in a store.
    PatchBlank = Patch "patch.blank" "Make the patch from this base; to push it to a store, give blank nodes IRIs (`skolemize=`, `--skolemize`).",
    /// With `strict`: a prefix has a name that Turtle does not allow.
    PatchName = Patch "patch.name" "Use letters, digits, `_`, `-` and `.` in the name, and no colon.",
    /// A file that is read twice changed between the two reads.
    PatchChanged = Patch "patch.changed" "Run the command again when no other program writes the file.",
    /// Another patch or backup was written first.
    PatchConflict = Patch "patch.conflict" "Look at the new head, and publish again.",
    /// A file of a backup or log does not contain what was written, or is not named like the others.
    PatchDamaged = Patch "patch.damaged" "Do what the message says, or fetch the file from a copy; you can still restore the versions before it.",
    /// A row changes nothing in this dataset; this is reported, and rejected only on request.
    PatchEffect = Patch "patch.effect" "Check that the patch was made for this dataset.",
    /// There are no patches, or several, where one is expected.
    PatchSeveral = Patch "patch.several" "Publish the patches one by one, or squash them.",
    /// No row of the patch changes the dataset.
    PatchNothing = Patch "patch.nothing" "Check that the patch was made for this dataset and has not been applied already.",
    /// The dump is older than the last version.
    PatchTime = Patch "patch.time" "Keep older dumps in another folder; a log grows only at its end.",
    /// A table cannot hold the entries of one row, is switched off but needed, or is smaller than the minimum.
    EncodeTable = Encode "encode.table" "Enlarge the table, or switch it off (0) if nothing needs it.",
    /// The rows have quoted triples, generalized terms or namespaces that the options do not declare.
    EncodeUndeclared = Encode "encode.undeclared" "Declare the feature in the options of the writer.",
    /// A term cannot be in this position.
    EncodeTerm = Encode "encode.term" ROW,
    /// A stream of triples gets a graph, or a graph ends that did not start.
    EncodeGraph = Encode "encode.graph" "Write a format of quads, or write TRIPLES without graphs.",
    /// A FLAT stream gets a second patch.
    EncodePatch = Encode "encode.patch" "Write PUNCTUATED or FRAME, or one file for each patch.",
    /// A second frame follows a frame that was written without its length.
    EncodeFrame = Encode "encode.frame" "Write frames with their lengths, or each frame as its own message (`flush()` to a file object).",
    /// A row given to a writer is not a row of the format.
    EncodeRow = Encode "encode.row" ROW,
    /// The format cannot hold the statement or term: it is generalized RDF or a quoted triple.
    EncodeGeneralized = Encode "encode.generalized" "Write Jelly, or leave the statement out.",
    /// A blank node label does not follow the grammar of the format.
    EncodeLabel = Encode "encode.label" "Rename the blank node, or skolemize it.",
    /// A language tag does not follow the grammar of the format.
    EncodeLanguage = Encode "encode.language" ROW,
    /// An IRI in data with blank nodes begins like the IRIs of blank nodes, or an IRI cannot become a blank node again.
    EncodeSkolem = Encode "encode.skolem" "Choose another start for the IRIs of blank nodes (`skolemize=`, `deskolemize=`).",
    /// A header stands where RDF Patch (text or Thrift) would begin another patch.
    EncodeHeader = Encode "encode.header" "Write headers at the start of the patch, or end the patch before the header.",
    /// The log does not continue the table because a patch is missing.
    ReplicaGap = Replica "replica.gap" "Give the whole log from the version of the table on.",
    /// The log has a different patch than the table at the same version.
    ReplicaFork = Replica "replica.fork" "Follow the log that the table was made from, or create the table again.",
    /// The log does not fit the table for another reason.
    ReplicaLog = Replica "replica.log" "Read the message; it names what differs.",
    /// Another writer changed the table at the same time.
    ReplicaWriter = Replica "replica.writer" "Follow the log again.",
    /// This version of the table cannot be read.
    ReplicaVersion = Replica "replica.version" "Ask for a version that the message lists.",
    /// There is no replica, a later version of this library made it, another program changed rows of the table, or a file of it is damaged.
    ReplicaTable = Replica "replica.table" "Create the replica, update this library, or restore the version of the table or the file that the message names.",
    /// The operating system or the source of the bytes reports an error.
    Io = Io "io" "Read the message; it comes from the operating system.",
    /// An option or a combination of options is wrong.
    Argument = Argument "argument" "Correct the call as the message says.",
    /// A URL is given where a local path is needed.
    ArgumentRemote = Argument "argument.remote" "Write a local file and copy it, or open the URL with another library and pass the file object.",
    /// The extension of a file name does not tell the format.
    ArgumentExtension = Argument "argument.extension" "Use an extension that the message lists, or set the format (`to=`, `format=`, `--to`).",
    /// This library has a bug.
    Internal = Internal "internal" "Report the bug with the input that led to it.",
}
