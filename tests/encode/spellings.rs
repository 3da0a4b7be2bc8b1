//! Columns know their rows before, so that the encoder need not: the bytes are those of statements that come alone.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use jelly_patch::With;
use jelly_patch::arrow::{PatchRows, RdfRows};
use jelly_patch::create::{default_patch_options, default_rdf_options};
use jelly_patch::encode::{EncodeOptions, PatchEncoder, RdfEncoder};
use jelly_patch::options::{PatchOptions, PhysicalType, RdfOptions, TableSizes};
use jelly_patch::sink::Statement;
use jelly_patch::term::TermBuf;

use crate::common::soak::seeds;

/// Texts of few terms, each in some spellings; the last has no text.
const SUBJECTS: [Option<&str>; 7] = [
    Some("<urn:a#b>"),
    Some("<urn:a#d>"),
    Some("<urn:a#b>"),
    Some("<urn:\\u0061#b>"),
    Some("<urn:c>"),
    Some("_:a"),
    Some("<<( <urn:c> <urn:p> \"x\" )>>"),
];
const PREDICATES: [Option<&str>; 3] = [Some("<urn:a#p>"), Some("<urn:a#\\u0070>"), Some("<urn:a#q>")];
const OBJECTS: [Option<&str>; 21] = [
    Some("\"a\nb\""),
    Some("\"a\\nb\""),
    Some("\"a\\u000Ab\""),
    Some("\"a\\nc\"@en"),
    Some("\"x\"^^<urn:v>"),
    Some("\"\"^^<urn:u>"),
    Some("\"\""),
    Some("\"\u{e9}\"@de-AT"),
    Some(
        "\"a lexical form so long that neither the length of it nor that of its row is written in one byte, which is at most one hundred and twenty-seven\"",
    ),
    Some(
        "\"a lexical form so long that neither the length of it nor that of its row is written in one byte, which is at most one hundred and twenty-seven\"@en",
    ),
    Some("\"x\""),
    Some("\"\\u0078\""),
    Some("\"x\"^^<http://www.w3.org/2001/XMLSchema#string>"),
    Some("\"x\"@en"),
    Some("\"\\u0078\"@en"),
    Some("\"x\"^^<urn:t>"),
    Some("\"x\"^^<urn:\\u0074>"),
    Some("<urn:c>"),
    Some("_:a"),
    Some("<<( <urn:c> <urn:p> \"x\" )>>"),
    Some("<<( <urn:\\u0063> <urn:p> \"x\" )>>"),
];
const GRAPHS: [Option<&str>; 5] = [Some("<urn:c>"), Some("<urn:\\u0063>"), Some("_:a"), Some(""), None];
const OPS: [Option<&str>; 8] =
    [Some("A"), Some("A"), Some("D"), Some("D"), Some("D"), Some("H"), Some("PA"), Some("Z")];
const NAMES: [Option<&str>; 2] = [Some("a"), Some("b")];
const IRIS: [Option<&str>; 2] = [Some("<urn:c>"), Some("<urn:\\u0063>")];
const TABLES: TableSizes = TableSizes { names: 8, prefixes: 3, datatypes: 2 };

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    /// A column in which a row is often that before.
    fn column<'t>(&mut self, from: &[Option<&'t str>]) -> Vec<Option<&'t str>> {
        let mut last = from[0];
        (0..60)
            .map(|_| {
                if self.below(3) > 0 {
                    last = from[self.below(from.len())];
                }
                last
            })
            .collect()
    }
}

fn strings(cells: &[Option<&str>]) -> ArrayRef {
    Arc::new(cells.iter().copied().collect::<StringArray>())
}

fn encode_options(random: &mut Random) -> EncodeOptions {
    EncodeOptions::rdf().with(|options| {
        options.frame_rows = [5, 256][random.below(2)];
        options.restart_bytes = [None, Some(64)][random.below(2)];
    })
}

/// The batch in pieces of so many rows.
fn pieces(batch: &RecordBatch, rows: usize) -> impl Iterator<Item = RecordBatch> {
    (0..batch.num_rows()).step_by(rows).map(move |at| batch.slice(at, rows.min(batch.num_rows() - at)))
}

#[test]
fn statements_in_batches_are_written_as_if_each_came_alone() {
    for seed in seeds(300) {
        let mut random = Random(seed);
        let physical_type = [PhysicalType::Quads, PhysicalType::Graphs][random.below(2)];
        let options = RdfOptions { physical_type, tables: TABLES, ..default_rdf_options(true) };
        let encode = encode_options(&mut random);
        let new = || RdfEncoder::new(options.clone(), encode.clone()).unwrap();
        let columns = [&SUBJECTS[..], &PREDICATES, &OBJECTS, &GRAPHS].map(|from| random.column(from));
        let mut alone = new();
        for row in 0..columns[0].len() {
            let terms =
                columns.each_ref().map(|column| TermBuf::from_text(column[row].unwrap_or("")).unwrap());
            alone.push(&Statement::of(terms.each_ref().map(TermBuf::as_term))).unwrap();
        }
        alone.finish().unwrap();
        let names = ["subject", "predicate", "object", "graph"].into_iter();
        let batch = RecordBatch::try_from_iter_with_nullable(
            names.zip(&columns).map(|(name, column)| (name, strings(column), true)),
        );
        let batch = batch.unwrap();
        for size in [1, 2, 7, 100] {
            let (mut encoder, mut rows) = (new(), RdfRows::default());
            pieces(&batch, size).for_each(|piece| rows.write(&piece, &mut encoder).unwrap());
            encoder.finish().unwrap();
            assert!(encoder.output() == alone.output(), "{seed} {size}");
        }
    }
}

#[test]
fn patches_in_batches_are_written_as_if_each_row_came_alone() {
    for seed in seeds(300) {
        let mut random = Random(seed);
        let options = PatchOptions { tables: TABLES, ..default_patch_options() };
        let encode = encode_options(&mut random);
        let mut patch = 0;
        let patches = (0..60).map(|_| {
            patch += i64::from(random.below(10) == 0);
            (random.below(10) > 0).then_some(patch)
        });
        let patches: ArrayRef = Arc::new(patches.collect::<Int64Array>());
        let named: [(&str, &[Option<&str>]); 7] = [
            ("op", &OPS),
            ("subject", &SUBJECTS),
            ("predicate", &PREDICATES),
            ("object", &OBJECTS),
            ("graph", &GRAPHS),
            ("name", &NAMES),
            ("value", &IRIS),
        ];
        let columns = named.map(|(name, from)| (name, strings(&random.column(from)), true));
        let columns = columns.into_iter().chain([("patch", patches, true)]);
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let mut outputs = [1, 2, 7, 100].map(|size| {
            let mut encoder = PatchEncoder::new(options, encode.clone()).unwrap();
            let mut rows = PatchRows::default();
            pieces(&batch, size).for_each(|piece| rows.write(&piece, &mut encoder).unwrap());
            encoder.finish().unwrap();
            std::mem::take(encoder.output())
        });
        let [alone, others @ ..] = &mut outputs;
        assert!(others.iter().all(|other| other == alone), "{seed}");
    }
}
