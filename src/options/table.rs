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
        "Format of the source. `auto` goes by the first bytes, and by the extension where they leave a choice."),
    row("format", Shape::Format(&PATCH), Doors::DECODE_PATCH,
        "Format of the source. `auto` goes by the first bytes, and by the extension where they leave a choice; `rdfp` is RDF Patch text, `rdfp-v1` its first version, `trp` Thrift."),
    row("format", Shape::Format(&ANY), EITHER.and(Doors::SPLITS),
        "Format of the source. `auto` goes by the first bytes, and by the extension where they leave a choice."),
    row("format", Shape::Word(&["auto", "jelly", "jelly-patch"]), Doors::INDEX.and(Doors::INSPECT),
        "Format of the source, where the first bytes leave a choice."),
    row("framing", Shape::Word(&["auto", "delimited", "single", "concatenated"]),
        SOURCES.and(Doors::SPLITS).and(Doors::INDEX).and(Doors::INSPECT),
        "How frames lie in the bytes. `delimited`: each after its length; `single`: one without; `concatenated`: delimited, and every options row starts a new stream, for Jelly files of other writers that were put end to end. `auto` tells `delimited` from `single` by three bytes, which can be wrong for tiny inputs."),
    row("compression", Shape::Word(&["auto", "none", "gzip", "zstd"]),
        DECODE.and(EITHER).and(Doors::SPLITS).and(Doors::INDEX).and(Doors::INSPECT),
        "Compression of the source; `auto` detects it from the content. Several members are one stream."),
    row("columns", Shape::Names, DECODE, "Columns of the rows, in this order."),
    row("rows", Shape::Word(&["all", "committed"]), Doors::DECODE_PATCH.and(EITHER),
        "Which rows of patches are read. `committed`: only the A, D, PA and PD rows that change a dataset, those of committed transactions and those outside of any. The source is read twice, or what lies between a row and the outcome of its transaction is kept in a temporary file. A patch with an unfinished or stray transaction is refused whole."),
    row("terms", Shape::Word(&["text", "struct"]), DECODE,
        "How terms are given. `text`: canonical N-Triples; `struct`: structs of kind, value, datatype and language."),
    row("strings", Shape::Word(&["utf8", "view", "dictionary"]), Doors::READ,
        "Arrow type of the columns of strings. `utf8`: each row has its own text; `view` (`utf8_view`) and `dictionary` (`dictionary<int32, utf8>`): rows of a batch with the same text share it, which takes less memory where batches are kept. Not for Spark, which reads `utf8` only."),
    row("blank_nodes", Shape::Word(&["auto", "keep", "scoped", "named", "content", "lasting"]), Doors::DECODE_RDF,
        "What becomes of the labels of blank nodes. `scoped`: they are made unique for the source, and for the frame where the logical type is grouped, so that rows of several sources can be joined; sources differ by their names, bytes by their content, and each reading of a pipe is a source. `keep`: they stay. `named`: they stay, and a label that is the position of a node in its file is refused (`patch.labels`). `content`: labels that depend on the graph alone, the same in every serialization of the file; the file is read twice, and its statements with blank nodes are kept in temporary files where `limits.blank_bytes` does not suffice; files that say the same share nodes. `lasting`: they stay if they last, as those of N-Quads of a store; else `content`. `auto`: `scoped` for Turtle, TriG, RDF/XML and JSON-LD, whose readers number nodes without a label by their positions; in other formats of statements only positions (`_:anon-0`) are made unique for the source, and other labels stay; `keep` for patches, as RDF Patch asks."),
    row("blank_nodes", Shape::Word(&["auto", "keep", "scoped", "named"]), Doors::DECODE_PATCH,
        "What becomes of the labels of blank nodes. `scoped`: they are made unique for the source, and for the frame where the logical type is grouped, so that rows of several sources can be joined; sources differ by their names, bytes by their content, and each reading of a pipe is a source. `keep`: they stay. `named`: they stay, and a label that is the position of a node in its file is refused (`patch.labels`). `auto`: `keep`, as RDF Patch asks."),
    row("blank_nodes", Shape::Word(&["keep", "content", "rdfc10", "scoped"]), Doors::CONVERT,
        "What becomes of the labels of blank nodes. `keep`: they stay, and a node without a label gets one by its position in the file. `content`: labels that depend on the graph alone, the same in every serialization; the source is read twice, and its statements with blank nodes are kept in temporary files where `limits.blank_bytes` does not suffice. `rdfc10`: the labels of RDFC-1.0, for exchange with others; nodes so alike that it could take more than `limits.blank_work` steps are refused (`limit.blank_work`). `scoped`: every label gets the scope of the source before it, as readers with this word give it (of each frame where the logical type is grouped), so that outputs of several sources can be put together. Not for patches, Parquet and Arrow."),
    row("blank_nodes", Shape::Word(&["auto", "match", "content", "labels"]), Doors::COMPARE,
        "How blank nodes are compared. `match`: by what is said of them; `content`: by content labels of both datasets, which costs more rows; `labels`: by their labels, for data whose labels last, such as dumps of a store; `auto`: `match` if a dataset has nodes whose labels do not last, else `labels`."),
    row("mode", Shape::Word(&["failfast", "permissive"]), DECODE,
        "What an error of the content does. `permissive`: it becomes a last row with the error in the column `_corrupt_record`; limits and I/O errors are raised all the same. Not with `rows=\"committed\"`."),
    row("strict", Shape::Flag(Some(false)), SOURCES,
        "Refuse what the specification only advises against. In patches: unfinished and stray transactions, graphs in TRIPLES, a last patch without its mark, names of prefixes that Turtle does not allow; in text also what only Jena has: `TB`, `Z`, bare numbers."),
    row("lenient_flags", Shape::Flag(Some(false)), SOURCES.and(Doors::INDEX),
        "Accept quoted triples and generalized statements that the options do not declare."),
    row("strict_graphs", Shape::Flag(Some(true)), Doors::DECODE_RDF.and(EITHER).and(Doors::DATASET).and(Doors::CREATE).and(Doors::INDEX),
        "Refuse a graph start inside a graph."),
    row("lenient", Shape::Flag(Some(true)), Doors::CALL,
        "Accept quoted triples, generalized statements and graph starts that the options do not allow."),
    row("batch_rows", number(1, MOST), DECODE, "Most rows in a batch, instead of the number in `limits`."),
    row("batch_bytes", bytes(1, Limits::MOST_BATCH_BYTES), DECODE,
        "Bytes of text at which a batch is closed, instead of the number in `limits`."),
    row("limits", Shape::Limits,
        SOURCES.and(OUTPUT).and(Doors::SPLITS).and(Doors::INDEX).and(Doors::INSPECT).and(Doors::ENCODE_RDF).and(Doors::ENCODE_PATCH),
        "Bounds on what the input may ask for. Writers refuse to write what readers with these limits would refuse."),
    row("resume", Shape::Bytes, Doors::READ,
        "State from `snapshot()` of a reader; the source begins at that position. Not with `rows=\"committed\"`."),
    row("split", Shape::Bytes, Doors::READ,
        "Read only this split of the file, which `jelly.splits` made; `rows=\"committed\"` needs `whole_patches`."),
    row("threads", number(1, 64), Doors::READ.and(EITHER).and(Doors::DATASET).and(Doors::CREATE),
        "Most threads that read a source, a file or bytes in memory; rows, errors and their order are those of one. With two or more, another takes the compression off, by default if there are two processors, but not in Spark's tasks; readers of batches read N-Triples, N-Quads and Jelly with restart points with all of them, `apply` and `diff` read N-Triples and N-Quads, by default with one."),
    row("source_name", Shape::Text, Doors::READ.and(Doors::SPLITS).and(Doors::CONVERT).and(Doors::INSPECT),
        "Value of the column `source` and name in errors; a path names itself."),
    row("every", Shape::Number { default: Some(64 << 20), least: 1, most: MOST, is_bytes: true }, Doors::INDEX, "Bytes between two sync points, uncompressed."),
    row("skolemize", Shape::Text, Doors::CALL, "What IRIs of blank nodes begin with."),
    row("deskolemize", Shape::Text, Doors::CALL, "What IRIs begin with that become blank nodes."),
    row("base_format", Shape::Format(&RDF_BASE), Doors::RESULT_RDF.and(Doors::BASE).and(Doors::CREATE), "Format of the base."),
    row("old_format", Shape::Format(&RDF_BASE), PAIR, "Format of the old dataset."),
    row("new_format", Shape::Format(&RDF_BASE), PAIR, "Format of the new dataset."),
    row("patch_format", Shape::Format(&LOG), Doors::LOG.and(Doors::FOLLOW), "Format of the patches."),
    row("unfinished", Shape::Word(&["refuse", "drop"]), Doors::LOG,
        "What becomes of unfinished transactions. `drop` leaves out transactions that a crash cut off; they are an error otherwise."),
    row("chain", Shape::Word(&["check", "ignore"]), Doors::LOG,
        "Whether ids are checked. `ignore` takes patches in the order in which they are given and ignores their ids."),
    row("format", Shape::Format(&RDF_WRITTEN), Doors::WRITE_RDF,
        "Format of the output. `auto` goes by the extension, and is Jelly where there is none."),
    row("format", Shape::Format(&PATCH_WRITTEN), Doors::WRITE_PATCH,
        "Format of the output. `auto` goes by the extension, and is Jelly where there is none."),
    row("to", Shape::Format(&ANY_WRITTEN), RESULT.and(Doors::CALL),
        "Format of the output. `text`: N-Quads or RDF Patch; `auto`: by the extension of the destination, else the format of the base, or Jelly."),
    row("compression", Shape::Word(&["auto", "none", "gzip", "zstd"]), WRITE,
        "Compression of the output; `auto` goes by the extension."),
    row("to_compression", Shape::Word(&["auto", "none", "gzip", "zstd"]), RESULT.and(Doors::CALL),
        "Compression of the output; `auto` goes by the extension."),
    row("compression_level", number(-(1 << 31), (1 << 31) - 1), OUTPUT, "Level of gzip or zstd of the output."),
    row("options", Shape::Stream, OUTPUT.and(Doors::ENCODE_RDF).and(Doors::ENCODE_PATCH),
        "Options of a Jelly stream, all of them, instead of those of the source or the defaults."),
    row("delimited", Shape::Flag(Some(true)), OUTPUT,
        "Write each Jelly frame after its length. Without lengths a second frame is an error, except to a file object without compression, where `flush()` ends a message."),
    row("frame_rows", number(1, MOST), OUTPUT.and(Doors::ENCODE_RDF).and(Doors::ENCODE_PATCH),
        "Rows at which a Jelly frame ends, lookup entries included."),
    row("frame_bytes", bytes(1, MOST), OUTPUT,
        "Most bytes of a Jelly frame, which is a message where streams travel in messages: frames without a meaning end at an eighth of it, and a longer frame is an error."),
    row("restart_bytes", bytes(0, MOST), OUTPUT,
        "Bytes of Jelly between the sync points of a file, or an eighth of the bytes of its rows as text, whichever is more; 0 for none. 8 MiB in files and none elsewhere by default."),
    row("namespaces", Shape::Pairs, Doors::WRITE_RDF.and(Doors::ENCODE_RDF), "Labels and IRIs to declare at the start."),
    row("namespaces", Shape::PairsOrFlag, Doors::RESULT_RDF.and(Doors::CONVERTED),
        "Labels and IRIs to declare, or whether those of the source are declared."),
    row("abbreviate", Shape::Flag(Some(false)), Doors::WRITE_PATCH.and(Doors::RESULT_PATCH).and(Doors::CONVERTED),
        "Write RDF Patch text with bare numbers and booleans, as Jena does."),
    row("stream_name", Shape::Text, JELLY_RDF, "Name of a Jelly-RDF stream."),
    row("physical_type", Shape::Name(&["TRIPLES", "QUADS", "GRAPHS"]), JELLY_RDF, "Physical type of a Jelly-RDF stream."),
    row("logical_type", Shape::Name(&[]), JELLY_RDF, "Logical type of a Jelly-RDF stream, such as `FLAT_TRIPLES`."),
    row("statement_type", Shape::Name(&["TRIPLES", "QUADS"]), JELLY_PATCH, "Statements of a Jelly-Patch stream."),
    row("stream_type", Shape::Name(&["FRAME", "FLAT", "PUNCTUATED"]), JELLY_PATCH, "Type of a Jelly-Patch stream."),
    row("generalized_statements", Shape::Flag(None), JELLY, "Whether a Jelly stream declares generalized statements."),
    row("rdf_star", Shape::Flag(None), JELLY, "Whether a Jelly stream declares quoted triples."),
    row("max_name_table_size", TABLE, JELLY, "Size of the name table of a Jelly stream, in entries."),
    row("max_prefix_table_size", TABLE, JELLY, "Size of the prefix table of a Jelly stream, in entries."),
    row("max_datatype_table_size", TABLE, JELLY, "Size of the datatype table of a Jelly stream, in entries."),
    row("form", Shape::Word(&["text", "markdown", "html", "json"]), Doors::SHOW,
        "What is written. `text`: lines for a terminal; `markdown`: for a comment on a pull request; `html`: a page in one file; `json`: an object for programs."),
    row("max_lines", number(1, MOST), Doors::SHOW,
        "Most lines, and most characters of markdown. Where not all fits, subjects are shown whose changes mean most, and the others are counted. By default 500 lines of text, 65,000 characters of markdown, 20,000 lines of HTML, all of JSON."),
    row("width", number(40, 100_000), Doors::SHOW, "Columns of a line of text; 116 by default."),
    row("colour", Shape::Flag(Some(false)), Doors::SHOW, "Text has the colours of a terminal."),
    row("label_properties", Shape::Names, Doors::SHOW,
        "IRIs of properties whose values are labels, beside `rdfs:label`, `skos:prefLabel` and `schema:name`; the first comes first."),
    row("lang", Shape::Text, Doors::SHOW, "Language tag of the labels that are preferred."),
    row("subjects", Shape::Names, Doors::SHOW, "Show only these subjects: IRIs or prefixed names."),
    row("classes", Shape::Names, Doors::SHOW, "Show only subjects of these classes: IRIs or prefixed names."),
    row("predicates", Shape::Names, Doors::SHOW, "Show only subjects of which a value of these predicates changed: IRIs or prefixed names."),
    row("summary_only", Shape::Flag(Some(false)), Doors::SHOW, "Show only the counts."),
    row("fragment", Shape::Flag(Some(false)), Doors::SHOW, "Write HTML as a part of a page, without its head, style and script."),
    row("old_name", Shape::Text, Doors::SHOW, "What the old side is called."),
    row("new_name", Shape::Text, Doors::SHOW, "What the new side is called."),
    row("version", Shape::Version, Doors::CALL, "Number of a version, or the id of its patch."),
    row("from_version", Shape::Version, Doors::CALL, "Number of a version, or the id of its patch."),
    row("to_version", Shape::Version, Doors::CALL, "Number of a version, or the id of its patch."),
    row("id", Shape::Text, Doors::CALL, "Id of the new patch, as an IRI or a term."),
    row("prev", Shape::Text, Doors::CALL, "Id of the patch that the new one comes after."),
    row("mode", Shape::Word(&["last", "net"]), Doors::CALL, "Whether changes that cancel out are dropped."),
    row("bare", Shape::Flag(Some(false)), Doors::CALL, "Write no headers."),
    row("distinct", Shape::Flag(Some(false)), Doors::CALL, "Write a statement once that the base has twice."),
    row("prefixes", Shape::Flag(Some(true)), Doors::CALL, "Compare prefixes too."),
    row("base_labels", Shape::Word(&["keep", "named", "auto", "content"]), Doors::CALL, "What becomes of the labels of the base's blank nodes: `named` refuses positions, `auto` gives content labels where labels do not last."),
    row("takes_positions", Shape::Flag(Some(false)), Doors::CALL, "Take patches that name blank nodes by positions."),
    row("order", Shape::Names, Doors::CALL, "Sources of a log in their order."),
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
