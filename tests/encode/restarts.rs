//! Seekable streams: marks where decoding may begin, and a footer that lists them.

use jelly_patch::With;
use jelly_patch::encode::{EncodeOptions, PatchEncoder, RdfEncoder};
use jelly_patch::index::{Counters, FOOTER_KEY, Footer, MARK_KEY, Mark, Point};
use jelly_patch::options::{LogicalType, PatchOptions, PatchStreamType, PhysicalType, RdfOptions};
use jelly_patch::{ErrorKind, Result};

use crate::common::core::{Core, config};
use crate::common::encode::Recode;
use crate::common::frames::{metadata, offsets};
use crate::common::rows::{self, Decoder, How, PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::common::vectors::assert_same;
use crate::oracle::Oracle;
use crate::oracle::generate::{Format, stream};

const HOW: fn() -> How = || How::new(rows::Framing::Delimited);

/// A stream of ours: its footer, and the mark of each frame that has one, with the frame's offset.
struct Seekable {
    bytes: Vec<u8>,
    footer: Footer,
    marks: Vec<Point>,
}

impl Seekable {
    fn new(bytes: Vec<u8>) -> Self {
        let (offsets, metadata) = (offsets(&bytes), metadata(&bytes));
        let mut marks = Vec::new();
        for (frame, key, value) in &metadata {
            if key == MARK_KEY {
                let Mark { ordinal, counters, footer } = Mark::decode(value).expect("a mark");
                assert!(footer);
                assert_eq!((counters.frame, ordinal), (*frame as u64, marks.len() as u64));
                marks.push(Point { offset: offsets[*frame], counters });
            }
        }
        let (frame, key, value) = metadata.last().expect("a footer");
        assert_eq!((*frame, key.as_str()), (offsets.len() - 1, FOOTER_KEY));
        assert!(bytes.ends_with(value));
        Seekable { footer: Footer::decode(value).expect("a footer"), bytes, marks }
    }

    /// The footer says what the marks say.
    fn check(&self) {
        assert_eq!(self.footer.length, self.bytes.len() as u64);
        assert_eq!(self.footer.points, self.marks);
        assert_eq!(self.marks[0], Point::default());
    }

    /// What the footer says of the end is what was read.
    fn check_end(&self, rows: usize, patches: Option<i64>) {
        let end = self.footer.end;
        assert_eq!((end.seq, end.frame), (rows as u64, offsets(&self.bytes).len() as u64));
        assert_eq!(end.patch as i64, patches.map_or(0, |last| last + 1));
    }
}

fn encode(restart_bytes: u64, frame_rows: usize) -> EncodeOptions {
    EncodeOptions::rdf().with(|options| {
        options.restart_bytes = Some(restart_bytes);
        options.frame_rows = frame_rows;
    })
}

/// What counts rows, that of rows after a point is what it is without those before.
fn rdf_from(rows: &[RdfRow], at: &Counters) -> Vec<RdfRow> {
    let after = rows.iter().skip(at.seq as usize).cloned();
    after
        .map(|row| RdfRow { seq: row.seq - at.seq as i64, frame: row.frame - at.frame as i64, ..row })
        .collect()
}

fn patch_from(rows: &[PatchRow], at: &Counters) -> Vec<PatchRow> {
    rows.iter()
        .skip(at.seq as usize)
        .cloned()
        .map(|row| PatchRow {
            seq: row.seq - at.seq as i64,
            patch: row.patch - at.patch as i64,
            txn: None,
            ..row
        })
        .collect()
}

/// Every mark is right, and from every mark on the stream is a stream of its own.
#[test]
fn decoding_begins_at_every_mark() {
    let (mut rdf_points, mut patch_points, mut in_transaction, mut in_patch) = (0, 0, 0, 0);
    for seed in seeds(1_000) {
        let stream = stream(seed);
        let (bytes, config) = (stream.bytes(), config(stream.how));
        let options = encode([0, 0, 100, 300][seed as usize % 4], [1, 3, 9][seed as usize % 3]);
        let all = jelly_patch::options::Features { generalized_statements: true, rdf_star: true };
        let rdf = |options: &mut RdfOptions| options.features = all;
        let patch = |options: &mut PatchOptions| options.features = all;
        let recode = Recode { rdf: &rdf, patch: &patch, ..Recode::new(options) };
        let name = format!("seed {seed}");
        if stream.format == Format::Rdf {
            let Ok(written) = recode.rdf(&bytes, config) else { continue };
            if written.is_empty() {
                continue;
            }
            let decoded = Core::default().rdf(&written, HOW());
            let seekable = Seekable::new(written);
            seekable.check();
            seekable.check_end(decoded.rows.len(), None);
            for Point { offset, counters } in &seekable.marks {
                let expected = rdf_from(&decoded.rows, counters);
                let got = Oracle.rdf(&seekable.bytes[*offset as usize..], HOW());
                assert_eq!(got.error, None, "{name}");
                assert_same(&name, &got.rows, &expected);
                rdf_points += 1;
            }
        } else {
            let Ok(written) = recode.patch(&bytes, config) else { continue };
            if written.is_empty() {
                continue;
            }
            let decoded = Core::default().patch(&written, HOW());
            let seekable = Seekable::new(written);
            seekable.check();
            seekable.check_end(decoded.rows.len(), decoded.rows.last().map(|row| row.patch));
            for Point { offset, counters: at } in &seekable.marks {
                let expected = patch_from(&decoded.rows, at);
                let got = Oracle.patch(&seekable.bytes[*offset as usize..], HOW());
                assert_eq!(got.error, None, "{name}");
                assert_same(&name, &patch_from(&got.rows, &Counters::default()), &expected);
                let before = &decoded.rows[..at.seq as usize];
                let txns = before.iter().filter(|row| row.op == "TX").count() as u64;
                let open = before.iter().rev().find(|row| matches!(&*row.op, "TX" | "TC" | "TA" | "Z"));
                assert_eq!(
                    (at.txns, at.in_transaction),
                    (txns, open.is_some_and(|row| row.op == "TX")),
                    "{name}"
                );
                assert_eq!(at.has_rows, before.last().is_some_and(|row| row.op != "Z"), "{name}");
                patch_points += 1;
                in_transaction += usize::from(at.in_transaction);
                in_patch += usize::from(at.has_rows);
            }
        }
    }
    assert!(rdf_points > 1_000 && patch_points > 1_000, "{rdf_points} {patch_points}");
    assert!(in_transaction > 100 && in_patch > 100, "{in_transaction} {in_patch}");
}

fn quads(physical_type: PhysicalType, logical: u32, options: EncodeOptions) -> Result<(RdfEncoder, Vec<u8>)> {
    use jelly_patch::sink::Statement;
    use jelly_patch::term::Term;
    let options_row = RdfOptions {
        stream_name: String::new(),
        physical_type,
        logical_type: LogicalType(logical),
        features: jelly_patch::options::Features::default(),
        tables: jelly_patch::options::TableSizes::default(),
        version: 1,
    };
    let mut encoder = RdfEncoder::new(options_row, options)?;
    for number in 0..2_000 {
        let (subject, graph) = (format!("http://a/{}", number % 700), format!("http://b/{}", number / 900));
        let terms =
            [Term::iri(&subject), Term::iri("http://a/p"), Term::iri("http://a/o"), Term::iri(&graph)];
        encoder.push(&Statement::of(terms))?;
        if logical != 0 && number % 100 == 99 {
            encoder.end_frame(&[])?;
        }
    }
    encoder.finish()?;
    let bytes = std::mem::take(encoder.output());
    Ok((encoder, bytes))
}

#[test]
fn points_are_as_far_apart_as_asked_and_in_no_other_place() {
    for (physical_type, logical) in
        [(PhysicalType::Quads, 0), (PhysicalType::Graphs, 0), (PhysicalType::Graphs, 14)]
    {
        let (encoder, bytes) = quads(physical_type, logical, encode(4_000, 50)).expect("a stream");
        let decoded = Core::default().rdf(&bytes, HOW());
        let seekable = Seekable::new(bytes);
        seekable.check();
        let offsets: Vec<_> = seekable.marks.iter().map(|point| point.offset).collect();
        assert_eq!(encoder.restart_offsets().collect::<Vec<_>>(), offsets);
        assert!(offsets.len() > 3, "{offsets:?}");
        for pair in offsets.windows(2) {
            assert!((4_000..7_000).contains(&(pair[1] - pair[0])), "{offsets:?}");
        }
        let (_, plain) =
            quads(physical_type, logical, EncodeOptions::rdf().with(|options| options.frame_rows = 50))
                .expect("a stream");
        let plain = Core::default().rdf(&plain, HOW());
        let unframed = |rows: &[RdfRow]| -> Vec<_> {
            rows.iter().cloned().map(|row| RdfRow { frame: 0, ..row }).collect()
        };
        assert_same("with and without marks", &unframed(&decoded.rows), &unframed(&plain.rows));
        if logical != 0 {
            assert_same("elements", &decoded.rows, &plain.rows);
        }
    }
}

/// Rows that Jelly packs well are many rows: points go by their text then.
#[test]
fn points_go_by_the_text_of_rows_that_take_few_bytes() {
    use jelly_patch::sink::{Same, Statement};
    use jelly_patch::term::Term;
    let options = jelly_patch::create::default_rdf_options(true);
    let long = format!("http://a/{}", "x".repeat(391));
    let written = |same: fn(usize) -> Same| {
        let mut encoder = RdfEncoder::new(options.clone(), encode(5_000, 10)).expect("options");
        for number in 0..2_000 {
            let name = format!("http://a/{}", number % 2);
            let terms = [Term::iri(&name), Term::iri(&long), Term::iri(&long), Term::iri(&long)];
            encoder.push(&Statement { terms, same: same(number) }).expect("a statement");
        }
        encoder.finish().expect("a stream");
        std::mem::take(encoder.output())
    };
    let bytes = written(|_| Same::NONE);
    assert_eq!(bytes, written(|number| if number == 0 { Same::NONE } else { Same(0b1110) }));
    let seekable = Seekable::new(bytes);
    seekable.check();
    let rows: Vec<_> = seekable.marks.iter().map(|point| point.counters.seq).collect();
    // 40,000 bytes of text are 33 rows of 1,221 bytes, so the points come after four frames of some 10 rows
    assert!((40..60).contains(&rows.len()), "{rows:?}");
    for pair in rows.windows(2) {
        assert!((33..60).contains(&(pair[1] - pair[0])), "{rows:?}");
    }
}

#[test]
fn the_last_frame_waits_for_the_footer() {
    let options = encode(0, 1);
    let stream_type = PatchStreamType::Punctuated;
    let options_row = PatchOptions {
        statement_type: jelly_patch::options::StatementType::Triples,
        stream_type,
        features: jelly_patch::options::Features::default(),
        tables: jelly_patch::options::TableSizes::default(),
        version: 1,
    };
    let mut encoder = PatchEncoder::new(options_row, options).expect("right options");
    encoder.end_patch().expect("a patch");
    assert!(encoder.output().is_empty());
    encoder.end_patch().expect("a patch");
    let first = encoder.output().len();
    assert!(first > 0);
    encoder.finish().expect("a whole stream");
    assert_eq!(offsets(encoder.output()).len(), 2);
    Seekable::new(encoder.output().clone()).check();
}

/// Marks of a file that is read are not copied into the file that is written.
#[test]
fn marks_are_the_encoders_own() {
    let (_, bytes) = quads(PhysicalType::Quads, 14, encode(0, 50)).expect("a stream");
    let again = Recode::new(EncodeOptions::rdf()).rdf(&bytes, config(HOW())).expect("a stream");
    let left: Vec<_> = metadata(&again).into_iter().map(|(frame, key, _)| (frame, key)).collect();
    assert_eq!(left, [(0, MARK_KEY.to_owned())], "its own, of its start");
    let (mut encoder, _) = quads(PhysicalType::Quads, 14, encode(0, 50)).expect("a stream");
    assert_eq!(encoder.end_frame(&[]).expect_err("finished").kind(), ErrorKind::Argument);
}
