//! However the bytes come, the rows and the error are the same, and its place; also where the text is damaged.

use jelly_patch::text::{LinesOptions, PatchDialect};

use crate::common::soak::seeds;
use crate::oracle::generate::rng::Rng;

const CHUNKS: [usize; 7] = [1, 2, 3, 7, 64, 1000, 5000];

/// A text with everything in it that a cut may hit.
const EVERYTHING: &str = "\u{feff}# \u{e4}\nH id <uuid:1>.\r\nTX .PA \"e\u{e4}x\" \"http://e/\" .\n\
    A _:a.b <urn:p> 5.D <urn:s> <urn:\\u00e4> -1.5e3 _:g.\n\nA <urn:s> <urn:p> '''it's''' .\n\
    A <<( <urn:s> <urn:p> << _:x <urn:p> \"\\\"\" >> )>> <urn:p> \"\u{1f600}\"@en--ltr <urn:g> .\n\
    TC . # \u{1f600} end\n H id <uuid:2> .\nA <urn:s> <urn:p> \"\"\"a\"b\n\"\"\"^^<urn:d> . Z.\n\
    A <urn:s> <urn:p> \"x\" # c\n @en.A <urn:s> <urn:p> \"x\" ^^ <urn:d> .\nA <urn:s> <urn:p> true.";

/// Rows of N-Quads, of every RDF Patch, and of those that are not strict.
const LINES: [&str; 24] = [
    "<http://e/s> <http://e/p> \"o\" .",
    "<http://e/s><http://e/p>_:o.b<http://e/g>.",
    "_:s <http://e/p> \"\u{e4}\\u00e4\\n\"@en-GB <http://e/g> . # c",
    "<http://e/s> <http://e/p> \"1\" ^^ <http://e/d> .",
    "<http://e/s> <http://e/p> \"1\"\t@en .",
    "<http://e/s> <http://e/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#string> _:g .",
    "<<( <http://e/s> <http://e/p> << _:s <http://e/p> \"\\\"\" >> )>> <http://e/p> <_:a b> .",
    "<http://e/\\u0061{x}> <_:p> <rel> .",
    "# \u{1f600}",
    "  ",
    "H id <uuid:1> .",
    "TX .",
    "TX . TC .",
    "PA \"ex\" <http://e/> .",
    "PA e.x \"http://e/\" _:g . PD ex .",
    "A <http://e/s> <http://e/p> \"x\" @en <http://e/g> .",
    "D <_:s> <http://e/p> \"x\" # c\n ^^ <http://e/d> .",
    "H \"a b\" \"v\" @en",
    "TA.Z.",
    "PD \"ex\" \"http://e/\" <http://e/g> .",
    "A <urn:s> <urn:p> -1.5e3 . D <urn:s> <urn:p> true.",
    "A <http://e/s> <http://e/p> '''it's''' # c\n.",
    "@prefix ex: <http://e/> . A ex:s ex:p.q '5'^^ex:d .",
    "A R <urn:p> R R . A <urn:s> R \"x\" ^^ ex:d .",
];

/// What damages.
const PIECES: [&[u8]; 28] = [
    b"<", b">", b"\"", b"'", b"\\", b"\\u", b".", b" . ", b"\n", b"\r", b"\t", b"#", b"<<(", b")>>", b"\xc3",
    b"\xff", b"_:", b"<_:", b"@", b" @", b"^^", b" ^^ ", b"R ", b":", b"5", b"A ", b"U", b"ANY",
];

fn damage(text: &mut Vec<u8>, random: &mut Rng) {
    let at = random.below(text.len());
    match random.below(4) {
        0 => drop(text.remove(at)),
        1 => text[at] = random.next() as u8,
        2 => text.truncate(at + 1),
        _ => drop(text.splice(at..at, random.pick(&PIECES).iter().copied())),
    }
}

fn dialect(random: &mut Rng) -> PatchDialect {
    *random.pick(&[PatchDialect::Any, PatchDialect::Strict, PatchDialect::V1])
}

/// Rows, and whether there is an error: read as RDF Patch, and as lines.
fn pieces_agree(
    text: &[u8],
    dialect: PatchDialect,
    options: LinesOptions,
    pieces: impl Iterator<Item = usize>,
) -> [(usize, bool); 2] {
    let patch = super::patch(text, dialect, usize::MAX, usize::MAX);
    let lines = super::lines(text, options, usize::MAX, usize::MAX);
    let shown = String::from_utf8_lossy(text);
    for piece in pieces {
        let got = super::patch(text, dialect, piece, usize::MAX);
        assert!(got == patch, "{dialect:?} in pieces of {piece}: {shown:?}\n{got:?}\n{patch:?}");
        let got = super::lines(text, options, piece, 3);
        assert!(got == lines, "{options:?} in pieces of {piece}: {shown:?}\n{got:?}\n{lines:?}");
    }
    for pause in [1, 2, 5] {
        assert!(super::patch(text, dialect, 9, pause) == patch, "{dialect:?} with pauses: {shown:?}");
    }
    [(patch.rows.len(), patch.error.is_some()), (lines.rows.len(), lines.error.is_some())]
}

#[test]
fn any_pieces_give_the_same_rows_and_errors() {
    let quads = LinesOptions::default();
    let rows = |text: &str| pieces_agree(text.as_bytes(), PatchDialect::Any, quads, CHUNKS.into_iter())[0];
    assert_eq!(rows(EVERYTHING), (16, false));
    for end in (0..EVERYTHING.len()).filter(|&end| EVERYTHING.is_char_boundary(end)) {
        rows(&EVERYTHING[..end]);
    }
    let long = "A <urn:s> <urn:p> \"".to_owned()
        + &"\u{e4}\\n".repeat(40_000)
        + "\" .\n"
        + &"TX . TC .\n".repeat(20_000);
    assert_eq!(rows(&long), (40_002, false));
}

/// The error does not depend on whether what is wrong lies whole in the text that is there.
#[test]
fn of_two_faults_the_same_one_is_reported() {
    let strict = LinesOptions { strict: true, ..LinesOptions::default() };
    for text in [
        &b"<http://e/s> <_://e/p]<a16> <http://e/o> .\n"[..],
        b"<http://e/s> <_:a b> <http://e/o> .\n",
        b"<http://e/s> <a b\\x> <http://e/o> .\n",
        b"<http://e/s> <a\\x b> <http://e/o> .\n",
        b"<http://e/s> <http://e/p> \"\\x\n\" .\n",
        b"PA \"a\" \"b:\"\n2\n# \x81",
        b"A <<( <u:s> <u:p> <u:o> Ux )>> <u:p> <u:o> .\n",
        b"A <<( <u:s> <u:p> <u:o> Rx )>> <u:p> <u:o> .\n",
        b"A <u:s> <<( <u:s> <u:p> <u:o> ANYx )>> <u:o> .\n",
    ] {
        let [patch, lines] = pieces_agree(text, PatchDialect::Strict, strict, 1..text.len());
        assert_eq!(patch, (0, true), "{}", text.escape_ascii());
        assert_eq!(lines, (0, true), "{}", text.escape_ascii());
    }
}

#[test]
fn damage_is_an_error_or_other_rows_but_never_a_panic() {
    let (mut patch, mut lines) = ([0; 2], [0; 2]);
    for seed in seeds(400) {
        let mut random = Rng::new(seed);
        let dialect = dialect(&mut random);
        let [triples, generalized, strict] = [6, 2, 3].map(|times| random.below(times) == 0);
        // most texts are of one format, so that more than the first row is read
        let (start, end) = *random.pick(&[(0, 10), (8, 17), (8, LINES.len()), (0, LINES.len())]);
        let mut text = Vec::new();
        for _ in 0..=random.below(4) {
            text.extend_from_slice(random.pick(&LINES[start..end]).as_bytes());
            text.push(b'\n');
        }
        for _ in 0..random.below(3) {
            damage(&mut text, &mut random);
        }
        let options = LinesOptions { triples, generalized, strict };
        let length = text.len();
        for (sum, (rows, failed)) in
            [&mut patch, &mut lines].into_iter().zip(pieces_agree(&text, dialect, options, 1..length))
        {
            sum[0] += rows;
            sum[1] += usize::from(failed);
        }
    }
    let enough = |[rows, errors]: [usize; 2]| rows > 100 && errors > 100;
    assert!(enough(patch) && enough(lines), "rows and errors: {patch:?} {lines:?}");
    let (mut errors, mut rows) = (0, 0);
    for seed in seeds(1000) {
        let mut random = Rng::new(seed);
        let mut text = EVERYTHING.as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            damage(&mut text, &mut random);
        }
        let dialect = dialect(&mut random);
        let [patch, _] = pieces_agree(&text, dialect, LinesOptions::default(), CHUNKS.into_iter());
        rows += patch.0;
        errors += usize::from(patch.1);
    }
    assert!(errors > 300 && rows > 3_000, "{errors} errors, {rows} rows");
}
