//! What is encoded decodes to the same rows: by the crate's decoder and by the independent one.

use std::collections::BTreeMap;
use std::path::Path;

use jelly_patch::With;
use jelly_patch::encode::{EncodeOptions, Framing};
use jelly_patch::options::{Features, PatchOptions, RdfOptions, TableSizes};
use jelly_patch::{Error, ErrorKind};

use crate::common::core::{Core, config};
use crate::common::encode::Recode;
use crate::common::rows::{self, Decoded, Decoder, How, PatchRow, RdfRow};
use crate::common::shared::{own_vectors, read, shared};
use crate::common::soak::costly;
use crate::common::vectors;
use crate::oracle::Oracle;
use crate::oracle::generate::rng::Rng;
use crate::oracle::generate::{Format, Stream, stream};

const STREAMS: u64 = 10_000;

/// Tables and frames of any kind.
struct Shape {
    tables: TableSizes,
    features: Features,
    encode: EncodeOptions,
}

impl Shape {
    fn new(rng: &mut Rng, stream: &Stream) -> Self {
        let single = stream.how.framing == rows::Framing::Single && rng.percent(50);
        let restart_bytes = [None, None, Some(0), Some(150)][rng.below(4)];
        Shape {
            tables: TableSizes {
                names: *rng.pick(&[8, 9, 64, 4096]),
                prefixes: *rng.pick(&[0, 1, 3, 8, 1024]),
                datatypes: *rng.pick(&[0, 1, 3, 256]),
            },
            features: Features { generalized_statements: true, rdf_star: true },
            encode: EncodeOptions::rdf().with(|options| {
                options.frame_rows = *rng.pick(&[1, 2, 7, 256]);
                options.framing = if single { Framing::Single } else { Framing::Delimited };
                options.namespaces = [Some(true), Some(false), None][rng.below(3)];
                options.restart_bytes = restart_bytes.filter(|_| !single);
            }),
        }
    }

    /// How what is written is to be read.
    fn how(&self) -> How {
        How::new(match self.encode.framing {
            Framing::Delimited => rows::Framing::Delimited,
            Framing::Single => rows::Framing::Single,
        })
    }
}

/// Rows whose frames and ends may be others.
fn rdf_rows(decoded: &Decoded<RdfRow>) -> Vec<RdfRow> {
    decoded.rows.iter().cloned().map(|row| RdfRow { frame: 0, ..row }).collect()
}

/// The end of the input becomes a mark where there are marks.
fn patch_rows(decoded: &Decoded<PatchRow>) -> Vec<PatchRow> {
    let unsaid = |row: PatchRow| PatchRow { name: row.name.filter(|_| row.op != "Z"), ..row };
    decoded.rows.iter().cloned().map(unsaid).collect()
}

/// Metadata but the encoder's own.
fn metadata(decoded: &Decoded<RdfRow>) -> Vec<(&str, &[u8])> {
    let entries = decoded.metadata.iter().map(|(_, key, value)| (key.as_str(), value.as_slice()));
    entries.filter(|(key, _)| !key.starts_with("jelly.")).collect()
}

/// Small tables are refused if one row is too much for them, and only then.
fn is_too_much(error: &Error, tables: TableSizes) -> bool {
    let too_small = tables.names < 100 || tables.prefixes < 100 || tables.datatypes < 100;
    error.kind() == ErrorKind::EncodeTable && too_small
}

#[test]
fn generated_streams() {
    let mut counts = BTreeMap::<_, usize>::new();
    for seed in costly(STREAMS) {
        let stream = stream(seed);
        let shape = Shape::new(&mut Rng::new(!seed), &stream);
        let change_rdf = |options: &mut RdfOptions| {
            (options.tables, options.features) = (shape.tables, shape.features);
        };
        let change_patch = |options: &mut PatchOptions| {
            (options.tables, options.features) = (shape.tables, shape.features);
        };
        let mut recode =
            Recode { encode: shape.encode.clone(), rdf: &change_rdf, patch: &change_patch, hints: true };
        let (bytes, config) = (stream.bytes(), config(stream.how));
        let run = |recode: &Recode<'_>| match stream.format {
            Format::Rdf => recode.rdf(&bytes, config.clone()),
            Format::Patch => recode.patch(&bytes, config.clone()),
        };
        let written = match run(&recode) {
            Ok(written) => written,
            Err(error) if is_too_much(&error, shape.tables) => {
                *counts.entry("row beyond a table").or_default() += 1;
                continue;
            }
            Err(error) if error.kind() == ErrorKind::EncodeFrame => {
                assert_eq!(shape.encode.framing, Framing::Single, "seed {seed}");
                *counts.entry("second single frame").or_default() += 1;
                continue;
            }
            Err(error) if error.kind() == ErrorKind::EncodeUndeclared => {
                assert_eq!(shape.encode.namespaces, None, "seed {seed}");
                *counts.entry("late namespace").or_default() += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        recode.hints = false;
        assert_eq!(run(&recode).expect("as before"), written, "seed {seed}: bytes depend on hints");
        let how = shape.how();
        let rows = match stream.format {
            Format::Rdf => {
                let before = Core::default().rdf(&bytes, stream.how);
                for after in [Core::default().rdf(&written, how), Oracle.rdf(&written, how)] {
                    assert_eq!(after.error, None, "seed {seed}");
                    vectors::assert_same(&format!("seed {seed}"), &rdf_rows(&after), &rdf_rows(&before));
                    if shape.encode.namespaces != Some(false) {
                        assert_eq!(after.namespaces, before.namespaces, "seed {seed}");
                    }
                    assert_eq!(metadata(&after), metadata(&before), "seed {seed}");
                }
                before.rows.len()
            }
            Format::Patch => {
                let before = Core::default().patch(&bytes, stream.how);
                for after in [Core::default().patch(&written, how), Oracle.patch(&written, how)] {
                    assert_eq!(after.error, None, "seed {seed}");
                    let (after, before) = (patch_rows(&after), patch_rows(&before));
                    vectors::assert_same(&format!("seed {seed}"), &after, &before);
                }
                before.rows.len()
            }
        };
        *counts.entry("rows").or_default() += rows;
        let kind = match (stream.format, shape.encode.restart_bytes.is_some(), shape.encode.framing) {
            (Format::Rdf, true, _) => "rdf with marks",
            (Format::Patch, true, _) => "patch with marks",
            (_, _, Framing::Single) => "single",
            _ => "delimited",
        };
        *counts.entry(kind).or_default() += 1;
    }
    assert!(counts["rows"] > 12_500, "{counts:?}");
    assert!(counts.values().all(|count| *count > 20) && counts.len() == 8, "{counts:?}");
}

#[test]
fn own_vectors_come_back() {
    let (streams, rows) = recode_vectors(&own_vectors());
    assert!(streams == 38 + 18 && rows > 300, "{streams} {rows}");
}

#[test]
#[ignore = "needs ../shared"]
fn vectors_of_jelly_jvm_come_back() {
    let (streams, rows) = recode_vectors(&shared("vectors"));
    assert!(streams > 100 && rows > 1000, "{streams} {rows}");
}

/// Writes the rows of Jelly-JVM's files and reads them again; grouped streams keep their frames.
/// Returns the number of files and of rows.
fn recode_vectors(folder: &Path) -> (usize, usize) {
    let (mut streams, mut rows) = (0, 0);
    for (format, extension) in [("patch", "jellyp"), ("rdf", "jelly")] {
        let mut paths: Vec<_> = std::fs::read_dir(folder.join(format))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .collect();
        paths.sort();
        for path in paths {
            let name = path.display().to_string();
            let how = How { lenient_flags: true, ..How::default() };
            let bytes = read(&path);
            let all = Features { generalized_statements: true, rdf_star: true };
            let rdf = |options: &mut RdfOptions| options.features = all;
            let patch = |options: &mut PatchOptions| options.features = all;
            let encode = EncodeOptions::rdf().with(|options| options.namespaces = Some(true));
            let recode = Recode { rdf: &rdf, patch: &patch, ..Recode::new(encode) };
            let delimited = How::new(rows::Framing::Delimited);
            if format == "rdf" {
                let before = Core::default().rdf(&bytes, how);
                let written = recode.rdf(&bytes, config(how)).unwrap_or_else(|e| panic!("{name}: {e}"));
                let after = Oracle.rdf(&written, delimited);
                assert_eq!(after.error, None, "{name}");
                vectors::assert_same(&name, &rdf_rows(&after), &rdf_rows(&before));
                assert_eq!(after.namespaces, before.namespaces, "{name}");
                rows += after.rows.len();
            } else {
                let before = Core::default().patch(&bytes, how);
                let written = recode.patch(&bytes, config(how)).unwrap_or_else(|e| panic!("{name}: {e}"));
                let after = Oracle.patch(&written, delimited);
                assert_eq!(after.error, None, "{name}");
                vectors::assert_same(&name, &patch_rows(&after), &patch_rows(&before));
                rows += after.rows.len();
            }
            streams += 1;
        }
    }
    (streams, rows)
}

/// Jelly-JVM and pyjelly wrote the corpus with the same options: ours is no larger, and the same rows.
#[test]
#[ignore = "needs ../shared"]
fn corpus_is_as_small_as_jelly_jvm_writes_it() {
    let folder = shared("corpus");
    let mut rows = 0;
    for stem in ["brick-versions", "schemaorg-releases", "weather-cdc-2000tx"] {
        let bytes = read(&folder.join(format!("{stem}.jellyp.gz")));
        let recode = Recode::new(EncodeOptions::patch());
        let how = How::new(rows::Framing::Delimited);
        let written = recode.patch(&bytes, config(how)).expect("a patch");
        let (before, after) = (Core::default().patch(&bytes, how), Core::default().patch(&written, how));
        vectors::assert_same(stem, &patch_rows(&after), &patch_rows(&before));
        rows += after.rows.len();
        assert!(written.len() * 50 <= bytes.len() * 51, "{stem}: {} of {}", written.len(), bytes.len());
    }
    assert!(rows > 200_000, "{rows}");
}
