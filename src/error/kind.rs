//! The kinds of errors: what each means, and what helps.

/// Shared advice.
const AGAIN: &str = "Fetch or copy the file again; only its start is here.";
const BROKEN: &str = "Fetch the file again; if it is the same, report it to the authors of its writer.";
const RAISE: &str = "Raise the limit that the message names, if you trust the source.";
const CORRECT: &str = "Correct the row; the message has its line and column or its number.";
const ROW: &str = "Correct the row, or write a format that holds it.";

macro_rules! classes {
    ($(#[doc = $meaning:literal] $name:ident $python:literal $why:literal,)*) => {
        /// The family of an error; each is one exception class in Python.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum ErrorClass { $(#[doc = $meaning] $name,)* }

        impl ErrorClass {
            /// What is refused, as docs/errors.md says it.
            pub fn meaning(self) -> &'static str {
                match self { $(ErrorClass::$name => $meaning.trim_ascii(),)* }
            }

            /// The exception in Python.
            pub fn python(self) -> &'static str {
                match self { $(ErrorClass::$name => $python,)* }
            }

            /// Why it is refused, as docs/errors.md says it.
            pub fn why(self) -> &'static str {
                match self { $(ErrorClass::$name => $why,)* }
            }
        }
    };
}

classes! {
    /// The input ends inside a frame or a compressed block.
    Truncated "TruncatedError" "A file cut short reads like a smaller dataset, and nobody would notice.",
    /// The bytes are not the protobuf messages of the format.
    Wire "WireError" "A guess at damaged bytes gives wrong terms.",
    /// A lookup id or a repeated term refers to nothing.
    Table "TableError" "A wrong entry gives an IRI that the source never had.",
    /// The stream options are missing, wrong, or contradicted by the rows.
    Options "OptionsError" "Options say how rows are to be read; without them rows mean something else.",
    /// A limit was reached; the error names the option that raises it.
    Limit "LimitError" "A short input can ask for more memory than the machine has.",
    /// Text is not in the grammar of its format.
    Text "TextError" "A skipped or repaired line is a changed dataset.",
    /// A patch has no meaning (unfinished transactions, broken chains).
    Patch "PatchError" "Applied out of order, in part or twice, patches give a dataset that never existed.",
    /// Rows cannot be written in the format asked for.
    Encode "EncodeError" "A row that a format cannot hold would come back as another one.",
    /// A replica cannot do that; nothing was changed.
    Replica "ReplicaError" "A table that follows another log has no version that anyone knows.",
    /// Reading or writing failed outside of this library.
    Io "OSError" "What cannot be read or written is not there.",
    /// The caller asked for something that does not exist.
    Argument "ArgumentError" "An option that is silently ignored gives a result that nobody asked for.",
    /// A fault of this library.
    Internal "InternalError" "After a fault nothing that follows can be trusted.",
}

macro_rules! kinds {
    ($(#[doc = $meaning:literal] $name:ident = $class:ident $slug:literal $advice:expr,)*) => {
        /// What went wrong, one variant a cause.
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

            /// What is refused, as docs/errors.md says it.
            pub fn meaning(self) -> &'static str {
                match self { $(ErrorKind::$name => $meaning.trim_ascii(),)* }
            }

            /// What helps, as docs/errors.md says it.
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
    /// A stream of restart marks ends without its footer.
    TruncatedStream = Truncated "truncated.stream" AGAIN,
    /// The input ends inside its compression: a gzip member, a zstd frame, a bzip2 or xz stream.
    TruncatedCompressed = Truncated "truncated.compressed" AGAIN,
    /// The input ends inside a row.
    TruncatedRow = Truncated "truncated.row" AGAIN,
    /// A varint runs over 10 bytes or past the end of its message.
    WireVarint = Wire "wire.varint" BROKEN,
    /// Field number 0, or one over 2^29-1.
    WireTag = Wire "wire.tag" BROKEN,
    /// A known field with another wire type, or wire type 6 or 7.
    WireType = Wire "wire.type" BROKEN,
    /// A length that passes the end of the message around it.
    WireLength = Wire "wire.length" BROKEN,
    /// A string that is not UTF-8.
    WireUtf8 = Wire "wire.utf8" BROKEN,
    /// A group that does not end, or ends another.
    WireGroup = Wire "wire.group" BROKEN,
    /// A row without a known member, or of a kind that this stream type forbids.
    WireRow = Wire "wire.row" BROKEN,
    /// A member that must be set is not.
    WireUnset = Wire "wire.unset" BROKEN,
    /// A term that a patch cannot hold, or that contradicts itself.
    WireTerm = Wire "wire.term" BROKEN,
    /// A triple outside a graph, a graph inside a graph, a stray graph end.
    WireGraph = Wire "wire.graph" BROKEN,
    /// Not this format at all.
    WireFormat = Wire "wire.format" "Name the format (`format=`, `--from`), or unpack the file first.",
    /// A restart mark or footer that does not fit the rows before it, or is not there.
    WireMark = Wire "wire.mark" "Write the file again; it can still be read whole if the message says so.",
    /// The compressed bytes are damaged.
    WireCompressed = Wire "wire.compressed" BROKEN,
    /// A lookup id whose entry was never set.
    TableUndefined = Table "table.undefined" BROKEN,
    /// A lookup id beyond the table.
    TableRange = Table "table.range" BROKEN,
    /// An entry for, or a reference to, a lookup that the options switch off.
    TableDisabled = Table "table.disabled" "Enlarge the table in the options of the writer.",
    /// Datatype id 0.
    TableDatatype = Table "table.datatype" BROKEN,
    /// A repeated term with nothing before it to repeat.
    TableRepeated = Table "table.repeated" BROKEN,
    /// The stream does not begin with its options.
    OptionsMissing = Options "options.missing" "Read from the start of the stream, or give the snapshot that was taken before this place.",
    /// A later options row differs from the first.
    OptionsChanged = Options "options.changed" "Read streams with different options one by one.",
    /// A version that does not exist or is newer than this library.
    OptionsVersion = Options "options.version" "Update this library, or write with an older version of the format.",
    /// A stream, statement or physical type that does not exist.
    OptionsType = Options "options.type" BROKEN,
    /// A name table below 8 entries.
    OptionsTable = Options "options.table" "Give the writer a name table of 8 entries or more, or none.",
    /// Quoted triples or generalized terms that the options do not declare.
    OptionsUndeclared = Options "options.undeclared" "Declare the feature in the options of the writer, or read with `lenient_flags`.",
    /// Jelly-RDF where Jelly-Patch was asked for, or the reverse.
    OptionsFormat = Options "options.format" "Use `read_rdf` for Jelly-RDF and `read_patch` for Jelly-Patch.",
    /// A snapshot that does not belong to this reader or version.
    OptionsSnapshot = Options "options.snapshot" "Start again without the snapshot.",
    /// A row longer than `limits.row_bytes`.
    LimitRow = Limit "limit.row_bytes" RAISE,
    /// A frame longer than `limits.frame_bytes`.
    LimitFrame = Limit "limit.frame_bytes" RAISE,
    /// A lookup table with more entries than `limits.name_table`, `limits.prefix_table` or `limits.datatype_table`.
    LimitTable = Limit "limit.table" "Raise the limit that the message names, if you trust the source.",
    /// Lookup entries of more bytes than `limits.lookup_bytes`.
    LimitLookup = Limit "limit.lookup_bytes" RAISE,
    /// A term longer than `limits.term_bytes`.
    LimitTerm = Limit "limit.term_bytes" RAISE,
    /// Terms or elements nested deeper than `limits.nesting`.
    LimitNesting = Limit "limit.nesting" RAISE,
    /// Rows that are larger than their input by more than `limits.expansion` times.
    LimitExpansion = Limit "limit.expansion" RAISE,
    /// A compressed source of more than `limits.decompressed_bytes`.
    LimitDecompressed = Limit "limit.decompressed_bytes" RAISE,
    /// A zstd frame that needs a window over `limits.zstd_window`, or an xz stream with a dictionary over twice that.
    LimitWindow = Limit "limit.zstd_window" RAISE,
    /// A transaction that needs more than `limits.transaction_bytes` to be kept until its end.
    LimitTransaction = Limit "limit.transaction_bytes" RAISE,
    /// Blank nodes whose order the budget of `limits.blank_work` does not settle, where it has to be known.
    LimitBlankWork = Limit "limit.blank_work" RAISE,
    /// Statements with blank nodes that need more memory than four times `limits.blank_bytes`.
    LimitBlankBytes = Limit "limit.blank_bytes" "Raise the limit, or compare by labels (`--blank-nodes labels`) where they last.",
    /// Text that is not UTF-8.
    TextUtf8 = Text "text.utf8" "Convert the file to UTF-8.",
    /// No term where one must be, or one that cannot stand there.
    TextTerm = Text "text.term" CORRECT,
    /// An IRI with characters that it may not hold, or that is not absolute where it must be.
    TextIri = Text "text.iri" CORRECT,
    /// A backslash that stands for no character.
    TextEscape = Text "text.escape" CORRECT,
    /// A string that does not end on its line.
    TextString = Text "text.string" CORRECT,
    /// A blank node label outside the grammar.
    TextLabel = Text "text.label" CORRECT,
    /// A language tag or base direction outside the grammar.
    TextLanguage = Text "text.language" CORRECT,
    /// A number outside the grammar.
    TextNumber = Text "text.number" CORRECT,
    /// A prefixed name where the format has none, or one whose prefix is not declared.
    TextPrefixed = Text "text.prefixed" "Declare the prefix, or write the whole IRI: N-Triples and N-Quads have no prefixes.",
    /// A row that begins with no keyword of the format.
    TextKeyword = Text "text.keyword" "Correct the row, or name the format (`format=`, `--from`) if the file is of another one.",
    /// A row with too few or too many terms, or without its dot.
    TextRow = Text "text.row" CORRECT,
    /// A statement that RDF does not know, where generalized RDF is not read.
    TextGeneralized = Text "text.generalized" "Correct the statement, or read the file as a format that holds generalized RDF.",
    /// A repetition with nothing before it to repeat.
    TextRepeat = Text "text.repeat" CORRECT,
    /// What the library for Turtle, RDF/XML and JSON-LD refuses.
    TextSyntax = Text "text.syntax" CORRECT,
    /// A transaction that is neither committed nor aborted.
    PatchUnfinished = Patch "patch.unfinished" "Commit or abort the transaction; `unfinished=\"drop\"` leaves out one that a crash cut off.",
    /// A commit or abort outside a transaction.
    PatchStray = Patch "patch.stray" "Add the missing `TX`, or remove the row.",
    /// Rows after the last punctuation mark.
    PatchUnterminated = Patch "patch.unterminated" "End the patch with its mark, or read without `strict`.",
    /// A graph in a stream of triples.
    PatchGraph = Patch "patch.graph" "Write the patch with the statement type QUADS.",
    /// Two different ids in the headers of one patch.
    PatchHeader = Patch "patch.header" "Keep one `id` and one `prev`.",
    /// Some patches of a log have ids, others have none.
    PatchMixed = Patch "patch.mixed" "Give every patch an id, or none; `chain=\"ignore\"` takes them in the order given.",
    /// Two patches of a log have the same id.
    PatchDuplicate = Patch "patch.duplicate" "Remove one of the two, or give it a new id.",
    /// Two patches of a log come after the same one.
    PatchFork = Patch "patch.fork" "Keep one branch, and publish the changes of the other one again.",
    /// The patch that another one comes after is not there.
    PatchGap = Patch "patch.gap" "Find the missing patch; versions before the gap can still be read.",
    /// Patches of a log that come after each other in a circle.
    PatchCycle = Patch "patch.cycle" "Correct the `prev` of one of them.",
    /// A log of which no base is known has no dataset, and rows that name blank nodes by content need the dataset before them.
    PatchBase = Patch "patch.base" "Give the dataset before the first patch (`base=`, `--base`; `jelly log create PLACE --base FILE`, or `--empty`); to publish or follow a patch that names blank nodes by content, canonicalize it first.",
    /// A version that the log does not have.
    PatchVersion = Patch "patch.version" "Ask for a version that the message lists.",
    /// A row that provably changes nothing, where only those that do can be undone.
    PatchCanonical = Patch "patch.canonical" "Give the base (`base=`, `--base`), or canonicalize the patch first.",
    /// A deleted prefix whose namespace nobody knows, where it must be restored.
    PatchPrefix = Patch "patch.prefix" "Give the base (`base=`, `--base`), or write the namespace into the `PD` row.",
    /// A blank node that is named by its position in a file, which is another node in another file.
    PatchLabels = Patch "patch.labels" "Give the node an IRI or a label in the data, or export the data with labels that last, such as N-Quads from the store.",
    /// A row that names a blank node which the base does not have, one of several equal ones, or one of a store, which SPARQL cannot name.
    PatchBlank = Patch "patch.blank" "Make the patch from this base; to push it to a store, give blank nodes IRIs (`skolemize=`, `--skolemize`).",
    /// A prefix with a name that Turtle does not allow, where `strict` is on.
    PatchName = Patch "patch.name" "Give the prefix a name of letters, digits, `_`, `-` and `.`, without the colon.",
    /// A file that is read twice changed in between.
    PatchChanged = Patch "patch.changed" "Run the command again when nobody writes the file.",
    /// Another patch or backup came first.
    PatchConflict = Patch "patch.conflict" "Look at the new head, and publish again.",
    /// A file of a backup or log does not hold what was written.
    PatchDamaged = Patch "patch.damaged" "Fetch the file from a copy; versions before it can still be restored.",
    /// A row that changes nothing in this dataset; reported, and refused only on demand.
    PatchEffect = Patch "patch.effect" "Check that the patch was made for this dataset.",
    /// No patch or several where one is wanted.
    PatchSeveral = Patch "patch.several" "Publish them one by one, or squash them.",
    /// A patch of which no row changes the dataset.
    PatchNothing = Patch "patch.nothing" "Check that the patch was made for this dataset, and is not applied already.",
    /// A dump that is older than the last version.
    PatchTime = Patch "patch.time" "Keep older dumps in another folder: a log grows only at its end.",
    /// A table that cannot hold the entries of one row, or is switched off but needed, or below the minimum.
    EncodeTable = Encode "encode.table" "Enlarge the table, or switch it off (0) if nothing needs it.",
    /// Quoted triples, generalized terms or namespaces that the options do not declare.
    EncodeUndeclared = Encode "encode.undeclared" "Declare the feature in the options of the writer.",
    /// A term that cannot stand in its place.
    EncodeTerm = Encode "encode.term" ROW,
    /// A graph where there are triples only, or the end of a graph that did not start.
    EncodeGraph = Encode "encode.graph" "Write a format of quads, or TRIPLES without graphs.",
    /// A second patch in a FLAT stream.
    EncodePatch = Encode "encode.patch" "Write PUNCTUATED or FRAME, or one file for each patch.",
    /// A second frame behind one without its length.
    EncodeFrame = Encode "encode.frame" "Write frames with their lengths, or take each frame as a message of its own: `flush()` to a file object.",
    /// A row given to a writer that is no row of the format.
    EncodeRow = Encode "encode.row" ROW,
    /// A statement or term of generalized RDF, or a quoted triple, where the format cannot hold it.
    EncodeGeneralized = Encode "encode.generalized" "Write Jelly, or leave the statement out.",
    /// A blank node label outside the grammar of the format.
    EncodeLabel = Encode "encode.label" "Rename the blank node, or skolemize it.",
    /// A language tag outside the grammar of the format.
    EncodeLanguage = Encode "encode.language" ROW,
    /// An IRI of the data that begins as the IRIs of blank nodes shall, beside blank nodes; or one that cannot become a blank node again.
    EncodeSkolem = Encode "encode.skolem" "Give another start for the IRIs of blank nodes (`skolemize=`, `deskolemize=`).",
    /// A header at which RDF Patch (text or Thrift) would begin another patch.
    EncodeHeader = Encode "encode.header" "Write headers at the start of the patch, or end the patch before the header.",
    /// The log does not continue the table: a patch is missing.
    ReplicaGap = Replica "replica.gap" "Give the whole log from the version of the table on.",
    /// The log has another patch where the table has one.
    ReplicaFork = Replica "replica.fork" "Follow the log that the table was made from, or create the table again.",
    /// The log does not fit the table in another way.
    ReplicaLog = Replica "replica.log" "Read the message: it names what differs.",
    /// Another writer changed the table.
    ReplicaWriter = Replica "replica.writer" "Follow the log again.",
    /// A version of the table that cannot be read.
    ReplicaVersion = Replica "replica.version" "Ask for a version that the message lists.",
    /// No replica, one of a later version of this library, or a table of which another program changed rows.
    ReplicaTable = Replica "replica.table" "Create it, update this library, or restore the version of the table that the message names.",
    /// The operating system or the source of the bytes.
    Io = Io "io" "Read the message: it is that of the operating system.",
    /// A wrong option or combination of options.
    Argument = Argument "argument" "Correct the call as the message says.",
    /// A URL where a local path is needed.
    ArgumentRemote = Argument "argument.remote" "Write a local file and copy it, or open the URL with another library and give the file object.",
    /// A file name whose extension does not say the format.
    ArgumentExtension = Argument "argument.extension" "Use an extension that the message lists, or name the format (`to=`, `format=`, `--to`).",
    /// A fault of this library, to be reported.
    Internal = Internal "internal" "Report it with the input that led to it.",
}
