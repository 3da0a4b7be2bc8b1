//! Every option of reading, writing and limits, declared once; every door reads this table.
//!
//! To add an option: a row here, its use (mostly a line in `of` of the struct that holds it), a test.

use super::doors::Doors;
use super::formats::{ANY, ANY_WRITTEN, LOG, PATCH, PATCH_WRITTEN, RDF, RDF_BASE, RDF_WRITTEN};
use super::shape::Shape;
use crate::limits::{LIMITS, Limits};

/// An option, as each door names and describes it.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// The keyword in Python; Spark has it in camel case, the shell with hyphens.
    pub name: &'static str,
    /// Its type, choices, range and default.
    pub shape: Shape,
    /// The functions that take it.
    pub doors: Doors,
    /// What it does; the first sentence stands alone.
    pub doc: &'static str,
}

const fn row(name: &'static str, shape: Shape, doors: Doors, doc: &'static str) -> OptionRow {
    OptionRow { name, shape, doors, doc }
}

const DECODE: Doors = Doors::DECODE_RDF.and(Doors::DECODE_PATCH);
/// Functions that read a source of any format.
const EITHER: Doors = Doors::CONVERT.and(Doors::STATS);
/// Functions that read two datasets.
const PAIR: Doors = Doors::COMPARE.and(Doors::SAME);
const WRITE: Doors = Doors::WRITE_RDF.and(Doors::WRITE_PATCH);
const RESULT: Doors = Doors::RESULT_RDF.and(Doors::RESULT_PATCH);
/// What any function writes to a destination of the caller's.
const OUTPUT: Doors = WRITE.and(RESULT).and(Doors::CONVERTED);
const JELLY: Doors = RESULT.and(Doors::CONVERTED).and(Doors::SINGLE);
const JELLY_RDF: Doors = Doors::RESULT_RDF.and(Doors::CONVERTED).and(Doors::SINGLE_RDF);
const JELLY_PATCH: Doors = Doors::RESULT_PATCH.and(Doors::CONVERTED).and(Doors::SINGLE_PATCH);
const SOURCES: Doors = DECODE.and(EITHER).and(Doors::DATASET).and(Doors::CREATE).and(Doors::FOLLOW);
const MOST: i64 = i64::MAX;

/// Options of functions that are not limits.
#[rustfmt::skip]
pub const OPTIONS: &[OptionRow] = &[
    row("format", Shape::Format(&RDF), Doors::DECODE_RDF,
        "Format of the source. `auto` detects it from the first bytes, and from the extension if these leave a choice."),
    row("format", Shape::Format(&PATCH), Doors::DECODE_PATCH,
        "Format of the source. `auto` detects it from the first bytes, and from the extension if these leave a choice; `rdfp` is RDF Patch text, `rdfp-v1` its first version, `trp` Thrift."),
    row("format", Shape::Format(&ANY), EITHER.and(Doors::SPLITS),
        "Format of the source. `auto` detects it from the first bytes, and from the extension if these leave a choice."),
    row("format", Shape::Word(&["auto", "jelly", "jelly-patch"]), Doors::INDEX.and(Doors::INSPECT),
        "Format of the source, if the first bytes leave a choice."),
    row("framing", Shape::Word(&["auto", "delimited", "single", "concatenated"]),
        SOURCES.and(Doors::SPLITS).and(Doors::INDEX).and(Doors::INSPECT),
        "How the source is divided into frames. `delimited`: each frame follows its length; `single`: one frame without its length; `concatenated`: delimited, and each options row starts a new stream, for concatenated Jelly files of other writers. `auto` tells `delimited` from `single` by three bytes, which can be wrong for tiny inputs."),
    row("compression", Shape::Word(&["auto", "none", "gzip", "zstd", "bzip2", "xz"]),
        DECODE.and(EITHER).and(Doors::SPLITS).and(Doors::INDEX).and(Doors::INSPECT),
        "Compression of the source; `auto` detects it by content. Several compressed members are read as one stream."),
    row("columns", Shape::Names, DECODE, "Columns of the rows, in this order."),
    row("rows", Shape::Word(&["all", "committed"]), Doors::DECODE_PATCH.and(EITHER),
        "Which rows of patches are read. `committed`: only the A, D, PA and PD rows that change a dataset, which are those of committed transactions and those outside any transaction. The source is read twice, or rows are kept in a temporary file until their transaction ends. A patch with an unfinished or stray transaction is rejected as a whole."),
    row("terms", Shape::Word(&["text", "struct"]), DECODE,
        "How terms are represented. `text`: canonical N-Triples; `struct`: structs of kind, value, datatype and language."),
    row("strings", Shape::Word(&["utf8", "view", "dictionary"]), Doors::READ,
        "Arrow type of string columns. `utf8`: each row has its own text; `view` (`utf8_view`) and `dictionary` (`dictionary<int32, utf8>`): rows of a batch with the same text share it, which saves memory if you keep the batches. Not for Spark, which reads `utf8` only."),
    row("blank_nodes", Shape::Word(&["auto", "keep", "scoped", "named", "content", "lasting"]), Doors::DECODE_RDF,
        "How the labels of blank nodes are handled. `scoped`: labels are made unique for the source (and for the frame, if the logical type is grouped), so that rows of several sources can be joined; the scope depends on the name of the source, for bytes on their content, and each read of a pipe has a scope of its own. `keep`: labels stay as they are. `named`: labels stay as they are, and positional labels are rejected (`patch.labels`). `content`: labels depend on the graph alone, so that they are the same in every serialization of the file; the file is read twice, its statements with blank nodes are kept in temporary files if they do not fit in `limits.blank_bytes`, and files with the same statements share nodes. `lasting`: labels stay if they are stable, as in N-Quads from a store; otherwise `content`. `auto`: `scoped` for Turtle, TriG, RDF/XML and JSON-LD, whose readers number nodes without a label by their positions; in other formats of statements only positional labels (`_:anon-0`) are made unique for the source, and other labels stay; `keep` for patches, as RDF Patch requires."),
    row("blank_nodes", Shape::Word(&["auto", "keep", "scoped", "named"]), Doors::DECODE_PATCH,
        "How the labels of blank nodes are handled. `scoped`: labels are made unique for the source (and for the frame, if the logical type is grouped), so that rows of several sources can be joined; the scope depends on the name of the source, for bytes on their content, and each read of a pipe has a scope of its own. `keep`: labels stay as they are. `named`: labels stay as they are, and positional labels are rejected (`patch.labels`). `auto`: `keep`, as RDF Patch requires."),
    row("blank_nodes", Shape::Word(&["keep", "content", "rdfc10", "scoped"]), Doors::CONVERT,
        "How the labels of blank nodes are handled. `keep`: labels stay as they are, and a node without a label gets a positional label. `content`: labels depend on the graph alone, so that they are the same in every serialization; the source is read twice, and its statements with blank nodes are kept in temporary files if they do not fit in `limits.blank_bytes`. `rdfc10`: the labels of RDFC-1.0, for exchange with other programs; nodes so similar that this could take more than `limits.blank_work` steps are rejected (`limit.blank_work`). `scoped`: each label gets the scope of its source (of its frame, if the logical type is grouped) as a prefix, as in readers, so that outputs of several sources can be combined. Not for patches, Parquet and Arrow."),
    row("blank_nodes", Shape::Word(&["auto", "match", "content", "labels"]), Doors::COMPARE,
        "How blank nodes are compared. `match`: by the statements about them; `content`: by content labels of both datasets, which gives more rows; `labels`: by their labels, for data with stable labels, such as dumps of a store; `auto`: `match` if the labels of a dataset are not stable, else `labels`."),
    row("mode", Shape::Word(&["failfast", "permissive"]), DECODE,
        "What happens at an error in the content. `permissive`: an additional last row has the error in the column `_corrupt_record`; errors of limits and I/O are still raised. Not with `rows=\"committed\"`."),
    row("strict", Shape::Flag(Some(false)), SOURCES,
        "Reject what the specification allows and discourages. In patches: unfinished and stray transactions, graphs in TRIPLES, a last patch without its mark, prefix names that Turtle does not allow; in text also what only Jena has: `TB`, `Z`, numbers without quotes."),
    row("lenient_flags", Shape::Flag(Some(false)), SOURCES.and(Doors::INDEX),
        "Accept quoted triples and generalized statements that the options do not declare."),
    row("strict_graphs", Shape::Flag(Some(true)), Doors::DECODE_RDF.and(EITHER).and(Doors::DATASET).and(Doors::CREATE).and(Doors::INDEX),
        "Reject a graph start inside a graph."),
    row("lenient", Shape::Flag(Some(true)), Doors::CALL,
        "Accept quoted triples, generalized statements and graph starts that the options do not allow."),
    row("batch_rows", number(1, MOST), DECODE, "Maximum number of rows in a batch, instead of the number in `limits`."),
    row("batch_bytes", bytes(1, Limits::MOST_BATCH_BYTES), DECODE,
        "Bytes of text at which a batch ends, instead of the number in `limits`."),
    row("batch_frames", Shape::Flag(Some(false)), Doors::READ,
        "End a batch with each frame of Jelly, so that rows of a stream that goes on come with their frame."),
    row("limits", Shape::Limits,
        SOURCES.and(OUTPUT).and(Doors::SPLITS).and(Doors::INDEX).and(Doors::INSPECT).and(Doors::ENCODE_RDF).and(Doors::ENCODE_PATCH),
        "Bounds on what the input may ask for. Writers do not write what readers with these limits would reject."),
    row("resume", Shape::Bytes, Doors::READ,
        "State from `snapshot()` of a reader; the source begins at the position of the snapshot. Not with `rows=\"committed\"`."),
    row("split", Shape::Bytes, Doors::READ,
        "Read only this part of the file, which comes from `jelly.splits`; `rows=\"committed\"` needs parts made with `whole_patches`."),
    row("threads", number(1, 64), Doors::READ.and(EITHER).and(Doors::DATASET).and(Doors::CREATE),
        "Maximum number of threads that read a file or bytes. The result is the same with any number. With two or more, a second thread decompresses the source; this is the default if there are two processors, but not in Spark's tasks. Readers of batches, `apply` and `diff` read N-Triples, N-Quads and Jelly with sync points with all threads; the default is one thread."),
    row("source_name", Shape::Text, Doors::READ.and(Doors::SPLITS).and(Doors::CONVERT).and(Doors::INSPECT),
        "Name of the source in the column `source` and in errors; the default for a file is its path."),
    row("every", Shape::Number { default: Some(64 << 20), least: 1, most: MOST, is_bytes: true }, Doors::INDEX, "Uncompressed bytes between two sync points."),
    row("skolemize", Shape::Text, Doors::CALL, "Start of the IRIs that are written for blank nodes."),
    row("deskolemize", Shape::Text, Doors::CALL, "Start of the IRIs that become blank nodes."),
    row("base_format", Shape::Format(&RDF_BASE), Doors::RESULT_RDF.and(Doors::BASE).and(Doors::CREATE), "Format of the base."),
    row("old_format", Shape::Format(&RDF_BASE), PAIR, "Format of the old dataset."),
    row("new_format", Shape::Format(&RDF_BASE), PAIR, "Format of the new dataset."),
    row("patch_format", Shape::Format(&LOG), Doors::LOG.and(Doors::FOLLOW), "Format of the patches."),
    row("unfinished", Shape::Word(&["refuse", "drop"]), Doors::LOG,
        "How unfinished transactions are handled. `refuse`: they are an error; `drop`: transactions that a crash cut off are left out."),
    row("chain", Shape::Word(&["check", "ignore"]), Doors::LOG,
        "Whether ids are checked. `ignore` takes patches in the given order and checks no ids."),
    row("format", Shape::Format(&RDF_WRITTEN), Doors::WRITE_RDF,
        "Format of the output. `auto` uses the extension, or Jelly if there is none."),
    row("format", Shape::Format(&PATCH_WRITTEN), Doors::WRITE_PATCH,
        "Format of the output. `auto` uses the extension, or Jelly if there is none."),
    row("to", Shape::Format(&ANY_WRITTEN), RESULT.and(Doors::CALL),
        "Format of the output. `text` is N-Quads or RDF Patch; `auto` uses the extension of the destination, else the format of the base, or Jelly."),
    row("compression", Shape::Word(&["auto", "none", "gzip", "zstd"]), WRITE,
        "Compression of the output; `auto` uses the extension."),
    row("to_compression", Shape::Word(&["auto", "none", "gzip", "zstd"]), RESULT.and(Doors::CALL),
        "Compression of the output; `auto` uses the extension."),
    row("compression_level", number(-(1 << 31), (1 << 31) - 1), OUTPUT, "Level of the gzip or zstd compression of the output."),
    row("options", Shape::Stream, OUTPUT.and(Doors::ENCODE_RDF).and(Doors::ENCODE_PATCH),
        "All options of a Jelly stream, instead of those of the source or the defaults."),
    row("delimited", Shape::Flag(Some(true)), OUTPUT,
        "Write each Jelly frame after its length. Without lengths, a second frame is an error, except to a file object without compression, where `flush()` ends a message."),
    row("frame_rows", number(1, MOST), OUTPUT.and(Doors::ENCODE_RDF).and(Doors::ENCODE_PATCH),
        "Number of rows, including lookup entries, at which a Jelly frame ends."),
    row("frame_bytes", bytes(1, MOST), OUTPUT,
        "Maximum bytes of a Jelly frame, and so of a message that holds one frame. Frames without a meaning of their own end at an eighth of this size; a frame above the maximum is an error."),
    row("restart_bytes", bytes(0, MOST), OUTPUT,
        "Bytes of Jelly between two sync points of a file; 0 for no sync points. A sync point also comes after eight times as many bytes of rows as text. The default is 8 MiB in files, and none elsewhere."),
    row("namespaces", Shape::Pairs, Doors::WRITE_RDF.and(Doors::ENCODE_RDF), "Prefixes to declare at the start: labels and IRIs."),
    row("namespaces", Shape::PairsOrFlag, Doors::RESULT_RDF.and(Doors::CONVERTED),
        "Prefixes to declare (labels and IRIs); or a flag: write the prefixes of the source, or none."),
    row("abbreviate", Shape::Flag(Some(false)), Doors::WRITE_PATCH.and(Doors::RESULT_PATCH).and(Doors::CONVERTED),
        "Write numbers and booleans without quotes in RDF Patch text, as Jena does."),
    row("stream_name", Shape::Text, JELLY_RDF, "Name of a Jelly-RDF stream."),
    row("physical_type", Shape::Name(&["TRIPLES", "QUADS", "GRAPHS"]), JELLY_RDF, "Physical type of a Jelly-RDF stream."),
    row("logical_type", Shape::Name(&[]), JELLY_RDF, "Logical type of a Jelly-RDF stream, such as `FLAT_TRIPLES`."),
    row("statement_type", Shape::Name(&["TRIPLES", "QUADS"]), JELLY_PATCH, "Type of the statements in a Jelly-Patch stream."),
    row("stream_type", Shape::Name(&["FRAME", "FLAT", "PUNCTUATED"]), JELLY_PATCH, "Type of a Jelly-Patch stream."),
    row("generalized_statements", Shape::Flag(None), JELLY, "Whether a Jelly stream declares generalized statements."),
    row("rdf_star", Shape::Flag(None), JELLY, "Whether a Jelly stream declares quoted triples."),
    row("max_name_table_size", TABLE, JELLY, "Size of the name table of a Jelly stream, in entries."),
    row("max_prefix_table_size", TABLE, JELLY, "Size of the prefix table of a Jelly stream, in entries."),
    row("max_datatype_table_size", TABLE, JELLY, "Size of the datatype table of a Jelly stream, in entries."),
    row("form", Shape::Word(&["text", "markdown", "html", "json"]), Doors::SHOW,
        "Form of the output. `text`: lines for a terminal; `markdown`: a comment on a pull request; `html`: a page in one file; `json`: an object for programs."),
    row("max_lines", number(1, MOST), Doors::SHOW,
        "Limit of the output: lines, or characters for markdown. If not everything fits, the subjects with the most important changes are shown and the others are counted. The defaults are 500 lines of text, 65,000 characters of markdown, 20,000 lines of HTML and all of JSON."),
    row("width", number(40, 100_000), Doors::SHOW, "Width of a line of text, in columns; 116 by default."),
    row("colour", Shape::Flag(Some(false)), Doors::SHOW, "Write text with terminal colours."),
    row("label_properties", Shape::Names, Doors::SHOW,
        "IRIs of properties whose values are labels, in addition to `rdfs:label`, `skos:prefLabel` and `schema:name`; the first has priority."),
    row("lang", Shape::Text, Doors::SHOW, "Language tag of the preferred labels."),
    row("subjects", Shape::Names, Doors::SHOW, "Show only these subjects: IRIs or prefixed names."),
    row("classes", Shape::Names, Doors::SHOW, "Show only subjects of these classes: IRIs or prefixed names."),
    row("predicates", Shape::Names, Doors::SHOW, "Show only subjects with changed values of these predicates: IRIs or prefixed names."),
    row("summary_only", Shape::Flag(Some(false)), Doors::SHOW, "Show only the counts."),
    row("fragment", Shape::Flag(Some(false)), Doors::SHOW, "Write HTML as a part of a page, without head, style and script."),
    row("old_name", Shape::Text, Doors::SHOW, "Name of the old side."),
    row("new_name", Shape::Text, Doors::SHOW, "Name of the new side."),
    row("version", Shape::Version, Doors::CALL, "Number of a version, or the id of its patch."),
    row("from_version", Shape::Version, Doors::CALL, "Number of a version, or the id of its patch."),
    row("to_version", Shape::Version, Doors::CALL, "Number of a version, or the id of its patch."),
    row("id", Shape::Text, Doors::CALL, "Id of the new patch, as an IRI or a term."),
    row("prev", Shape::Text, Doors::CALL, "Id of the patch that the new one comes after."),
    row("mode", Shape::Word(&["last", "net"]), Doors::CALL, "Whether changes that cancel out are dropped."),
    row("bare", Shape::Flag(Some(false)), Doors::CALL, "Write no headers."),
    row("distinct", Shape::Flag(Some(false)), Doors::CALL, "Write a statement only once if the base has it twice."),
    row("prefixes", Shape::Flag(Some(true)), Doors::CALL, "Compare prefixes too."),
    row("base_labels", Shape::Word(&["keep", "named", "auto", "content"]), Doors::CALL, "How the labels of the base's blank nodes are handled: `named` rejects positional labels, `auto` gives content labels if labels are not stable."),
    row("takes_positions", Shape::Flag(Some(false)), Doors::CALL, "Accept patches with positional labels."),
    row("order", Shape::Names, Doors::CALL, "Sources of a log, in order."),
];

const TABLE: Shape = number(0, u32::MAX as i64);

const fn number(least: i64, most: i64) -> Shape {
    Shape::Number { default: None, least, most, is_bytes: false }
}

const fn bytes(least: i64, most: i64) -> Shape {
    Shape::Number { default: None, least, most, is_bytes: true }
}

/// Every option and every limit.
pub fn rows() -> impl Iterator<Item = OptionRow> {
    let limits = LIMITS.iter().map(|limit| OptionRow {
        name: limit.name,
        shape: Shape::Number {
            default: Some(limit.default),
            least: limit.least,
            most: limit.most,
            is_bytes: limit.is_bytes(),
        },
        doors: Doors::LIMITS,
        doc: limit.doc,
    });
    OPTIONS.iter().copied().chain(limits)
}

/// The row of an option of a door.
pub fn find(doors: Doors, name: &str) -> Option<&'static OptionRow> {
    OPTIONS.iter().find(|row| row.name == name && row.doors.meets(doors))
}
