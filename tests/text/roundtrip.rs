//! Text to rows to text is canonical text; rows to text to rows are the rows; in any pieces, or damaged.

use jelly_patch::error::Result;
use jelly_patch::options::{PatchOptions, RdfOptions};
use jelly_patch::push::Push;
use jelly_patch::rows::RowDecoder;
use jelly_patch::sink::{PatchRow, PatchSink, RdfRow, RdfSink, Sink};
use jelly_patch::text::{LinesOptions, LinesWriter, PatchDialect, PatchTextWriter, TextRows};
use jelly_patch::{Error, ErrorKind, Limits};

use crate::common::core::config;
use crate::common::rows::{Decoded, Terms};
use crate::common::shared::{read, shared};
use crate::common::soak::seeds;
use crate::oracle::generate::{Format, stream};

const CHUNKS: [usize; 7] = [1, 2, 3, 7, 64, 1000, 5000];

fn push<S: Sink>(mut decoder: impl Push<S>, bytes: &[u8], sink: &mut S) -> Result<()> {
    decoder.decode(bytes, sink)?;
    decoder.finish(sink).map(drop)
}

/// Never full, whatever the writer wants.
struct Whole<W>(W);

impl<W> Sink for Whole<W> {}

impl<W: PatchSink> PatchSink for Whole<W> {
    fn options(&mut self, options: &PatchOptions) -> Result<()> {
        self.0.options(options)
    }

    fn row(&mut self, row: &PatchRow<'_>) -> Result<()> {
        self.0.row(row)
    }
}

impl<W: RdfSink> RdfSink for Whole<W> {
    fn options(&mut self, options: &RdfOptions) -> Result<()> {
        self.0.options(options)
    }

    fn statement(&mut self, row: &RdfRow<'_>) -> Result<()> {
        self.0.statement(row)
    }
}

fn patch_text(text: &[u8], dialect: PatchDialect, abbreviate: bool) -> Result<String> {
    let limits = Limits::default();
    let mut sink = Whole(PatchTextWriter::new(abbreviate));
    push(RowDecoder::new(TextRows::patch(dialect, false, &limits), &limits, None), text, &mut sink)?;
    sink.0.finish()?;
    Ok(String::from_utf8(std::mem::take(sink.0.output())).expect("UTF-8"))
}

fn quads_text(text: &[u8], options: LinesOptions) -> Result<String> {
    let limits = Limits::default();
    let mut sink = Whole(if options.triples { LinesWriter::triples() } else { LinesWriter::quads() });
    push(RowDecoder::new(TextRows::lines(options, &limits), &limits, None), text, &mut sink)?;
    sink.0.finish()?;
    Ok(String::from_utf8(std::mem::take(sink.0.output())).expect("UTF-8"))
}

#[test]
fn canonical_patch_text() {
    let text = "H id <uuid:1> . H \"a b\" 'x' . TX . PA ex <http://e/{x}> _:g . PD \"ex\" .\n\
        A _:a <urn:p> 5 <urn:x-arq:DefaultGraph> . D <_:b/c> <urn:p> \"\"\"1\n\"\"\"@en--ltr <urn:g> . TC .\n\
        Z . H id <uuid:2> . A << <urn:s> <urn:p> _:o >> <urn:p> true . Z . Z . Z .\n\
        A <urn:s> <urn:p> \"5\"^^<http://www.w3.org/2001/XMLSchema#decimal> . H id <uuid:3> . Z .";
    let canonical = "H id <uuid:1> .\nH \"a b\" \"x\" .\nTX .\nPA \"ex\" \"http://e/{x}\" <_:g> .\nPD \"ex\" .\n\
        A <_:a> <urn:p> \"5\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n\
        D <_:b/c> <urn:p> \"1\\n\"@en--ltr <urn:g> .\nTC .\n\
        H id <uuid:2> .\n\
        A <<( <urn:s> <urn:p> <_:o> )>> <urn:p> \"true\"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n\
        Z .\nZ .\nZ .\n\
        A <urn:s> <urn:p> \"5\"^^<http://www.w3.org/2001/XMLSchema#decimal> .\nH id <uuid:3> .\n";
    assert_eq!(patch_text(text.as_bytes(), PatchDialect::Any, false).expect("rows"), canonical);
    assert_eq!(patch_text(canonical.as_bytes(), PatchDialect::Any, false).expect("rows"), canonical);
    let short = patch_text(text.as_bytes(), PatchDialect::Any, true).expect("rows");
    assert!(short.contains("<urn:p> 5 .\n") && short.contains("<urn:p> true .\n"), "{short}");
    assert!(short.contains("\"5\"^^<http://www.w3.org/2001/XMLSchema#decimal>"), "{short}");
    assert_eq!(patch_text(short.as_bytes(), PatchDialect::Any, true).expect("rows"), short);
}

#[test]
fn what_lines_cannot_hold_is_refused() {
    let any = LinesOptions { generalized: true, ..LinesOptions::default() };
    let triples = LinesOptions { triples: true, ..any };
    for (text, options, kind) in [
        ("\"s\" <urn:p> <urn:o> .", any, ErrorKind::EncodeGeneralized),
        ("<urn:s> _:p <urn:o> .", any, ErrorKind::EncodeGeneralized),
        ("<urn:s> <urn:p> <urn:o> \"g\" .", any, ErrorKind::EncodeGeneralized),
        ("<urn:s> <urn:p> <<( \"s\" <urn:p> \"o\" )>> .", any, ErrorKind::EncodeGeneralized),
        ("<_:a/b> <urn:p> <urn:o> .", any, ErrorKind::EncodeLabel),
        ("\"s\" <urn:p> <urn:o> .", triples, ErrorKind::EncodeGeneralized),
    ] {
        assert_eq!(quads_text(text.as_bytes(), options).expect_err(text).kind(), kind, "{text}");
    }
    let mut writer = LinesWriter::triples();
    let limits = Limits::default();
    let quads = RowDecoder::new(TextRows::lines(any, &limits), &limits, None);
    let error = push(quads, b"<urn:s> <urn:p> <urn:o> .\n<urn:s> <urn:p> <urn:o> <urn:g> .", &mut writer);
    let error: Error = error.expect_err("a graph");
    assert_eq!((error.kind(), error.position().row), (ErrorKind::EncodeGraph, Some(1)));
    assert_eq!(writer.output(), b"<urn:s> <urn:p> <urn:o> .\n");
}

/// The corpus is canonical but for the labels and namespaces of its patches.
#[test]
#[ignore = "needs ../shared"]
fn corpus_texts_come_out_as_they_went_in() {
    let folder = shared("corpus");
    let mut bytes = 0;
    for name in ["weather-100k.nt.gz", "vocab-open.nq.gz"] {
        let text = read(&folder.join(name));
        let options = LinesOptions { triples: name.contains(".nt"), ..LinesOptions::default() };
        assert!(quads_text(&text, options).expect("rows").as_bytes() == text, "{name}");
        bytes += text.len();
    }
    for name in ["weather-cdc-2000tx.rdfp.gz", "brick-versions.rdfp.gz", "schemaorg-releases.rdfp.gz"] {
        let text = read(&folder.join(name));
        let once = patch_text(&text, PatchDialect::Any, false).expect("rows");
        assert!(patch_text(once.as_bytes(), PatchDialect::Strict, false).expect("rows") == once, "{name}");
        let [before, after] = [&text[..], once.as_bytes()]
            .map(|text| super::patch(text, PatchDialect::Any, usize::MAX, usize::MAX).rows);
        assert!(before.len() > 1000 && before == after, "{name}");
        bytes += text.len();
    }
    assert!(bytes > 1 << 20);
}

/// Streams of every kind, as text and read again.
#[test]
fn generated_rows_come_back() {
    let (mut patches, mut statements, mut refused) = (0, 0, 0);
    for seed in seeds(600) {
        let stream = stream(seed);
        let bytes = stream.bytes();
        match stream.format {
            Format::Patch => {
                let mut sink = Whole(PatchTextWriter::new(seed % 2 == 0));
                let decoder = jelly_patch::decode::PatchDecoder::new(config(stream.how));
                if let Err(error) = push(decoder, &bytes, &mut sink) {
                    assert_eq!(error.kind().class(), jelly_patch::ErrorClass::Encode, "seed {seed}: {error}");
                    refused += 1;
                    continue;
                }
                sink.0.finish().expect("memory");
                let text = std::mem::take(sink.0.output());
                let again = super::patch(&text, PatchDialect::Any, usize::MAX, usize::MAX);
                assert_eq!(again.error, None, "seed {seed}");
                let expected = crate::common::core::Core::default();
                let expected = crate::common::rows::Decoder::patch(&expected, &bytes, stream.how);
                let plain = |decoded: Decoded<crate::common::rows::PatchRow>| -> Vec<_> {
                    let rows = decoded.rows.into_iter().map(|mut row| {
                        // text has no namespace in a PD, and its ends are implied in another way
                        row.value = row.value.filter(|_| row.op != "PD");
                        row.name = row.name.filter(|_| row.op != "Z");
                        row
                    });
                    rows.collect()
                };
                let (got, expected) = (plain(again), plain(expected));
                assert_eq!(got.len(), expected.len(), "seed {seed} {}", String::from_utf8_lossy(&text));
                let differs = got.iter().zip(&expected).find(|(got, expected)| got != expected);
                assert!(differs.is_none(), "seed {seed} {differs:?} {}", String::from_utf8_lossy(&text));
                patches += got.len();
            }
            Format::Rdf => {
                let mut sink = Whole(LinesWriter::quads());
                let decoder = jelly_patch::decode::RdfDecoder::new(config(stream.how));
                if let Err(error) = push(decoder, &bytes, &mut sink) {
                    assert_eq!(error.kind().class(), jelly_patch::ErrorClass::Encode, "seed {seed}: {error}");
                    refused += 1;
                    continue;
                }
                let text = std::mem::take(sink.0.output());
                let again = super::lines(&text, LinesOptions::default(), usize::MAX, usize::MAX);
                assert_eq!(again.error, None, "seed {seed}");
                let expected = crate::common::core::Core::default();
                let expected = crate::common::rows::Decoder::rdf(&expected, &bytes, stream.how);
                let terms = |rows: Vec<crate::common::rows::RdfRow>| -> Vec<Vec<String>> {
                    rows.into_iter()
                        .map(|mut row| row.terms().into_iter().map(std::mem::take).collect())
                        .collect()
                };
                statements += again.rows.len();
                assert!(terms(again.rows) == terms(expected.rows), "seed {seed}");
            }
        }
    }
    assert!(patches > 1000 && statements > 40 && refused > 100, "{patches} {statements} {refused}");
}

/// A text with everything in it that a cut may hit.
const EVERYTHING: &str = "\u{feff}# \u{e4}\nH id <uuid:1>.\r\nTX .PA \"e\u{e4}x\" \"http://e/\" .\n\
    A _:a.b <urn:p> 5.D <urn:s> <urn:\\u00e4> -1.5e3 _:g.\n\nA <urn:s> <urn:p> '''it's''' .\n\
    A <<( <urn:s> <urn:p> << _:x <urn:p> \"\\\"\" >> )>> <urn:p> \"\u{1f600}\"@en--ltr <urn:g> .\n\
    TC . # \u{1f600} end\n H id <uuid:2> .\nA <urn:s> <urn:p> \"\"\"a\"b\n\"\"\"^^<urn:d> . Z.\nA <urn:s> <urn:p> true.";

fn chunks_agree(text: &[u8], dialect: PatchDialect) -> (usize, bool) {
    let expected = super::patch(text, dialect, usize::MAX, usize::MAX);
    for chunk in CHUNKS {
        let got = super::patch(text, dialect, chunk, usize::MAX);
        assert!(got == expected, "{chunk} {}\n{got:?}\n{expected:?}", String::from_utf8_lossy(text));
    }
    for pause in [1, 2, 5] {
        assert!(super::patch(text, dialect, 9, pause) == expected, "pause {pause}");
    }
    let quads = super::lines(text, LinesOptions::default(), usize::MAX, usize::MAX);
    for chunk in CHUNKS {
        assert!(super::lines(text, LinesOptions::default(), chunk, 3) == quads, "{chunk}");
    }
    (expected.rows.len(), expected.error.is_some())
}

#[test]
fn any_pieces_give_the_same_rows_and_errors() {
    assert_eq!(chunks_agree(EVERYTHING.as_bytes(), PatchDialect::Any), (14, false));
    for end in 0..EVERYTHING.len() {
        chunks_agree(&EVERYTHING.as_bytes()[..end], PatchDialect::Any);
    }
    let long = "A <urn:s> <urn:p> \"".to_owned()
        + &"\u{e4}\\n".repeat(40_000)
        + "\" .\n"
        + &"TX . TC .\n".repeat(20_000);
    assert_eq!(chunks_agree(long.as_bytes(), PatchDialect::Any), (40_002, false));
}

#[test]
fn damage_is_an_error_or_other_rows_but_never_a_panic() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end as u64) as usize
    };
    let pieces: [&[u8]; 16] = [
        b"<", b">", b"\"", b"\\", b"\\u", b".", b" . ", b"\n", b"<<(", b")>>", b"\xc3", b"\xff", b"_:", b"@",
        b"^^", b"R ",
    ];
    let (mut errors, mut rows) = (0, 0);
    for n in 0..1000 {
        let mut text = EVERYTHING.as_bytes().to_vec();
        for _ in 0..=random(3) {
            let at = random(text.len());
            match random(3) {
                0 => drop(text.remove(at)),
                1 => text[at] = random(256) as u8,
                _ => drop(text.splice(at..at, pieces[random(pieces.len())].iter().copied())),
            }
        }
        let dialect = [PatchDialect::Any, PatchDialect::Strict, PatchDialect::V1][n % 3];
        let (count, failed) = chunks_agree(&text, dialect);
        rows += count;
        errors += usize::from(failed);
    }
    assert!(errors > 300 && rows > 3_000, "{errors} errors, {rows} rows");
}
