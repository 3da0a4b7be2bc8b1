//! N-Triples and N-Quads: what is refused, and errors with their place.

use jelly_patch::text::LinesOptions;

const STRICT: LinesOptions = LinesOptions { triples: false, generalized: false, strict: true };

fn quads() -> LinesOptions {
    LinesOptions::default()
}

fn triples() -> LinesOptions {
    LinesOptions { triples: true, ..quads() }
}

/// Statements and the error's slug with its place.
fn read(text: &str, options: LinesOptions) -> (usize, Option<String>) {
    let got = super::lines(text.as_bytes(), options, usize::MAX, usize::MAX);
    (got.rows.len(), got.error.map(|error| error.what))
}

#[track_caller]
fn wrong(text: &str, options: LinesOptions, rows: usize, slug: &str, place: &str) {
    let (got, error) = read(text, options);
    let error = error.unwrap_or_else(|| panic!("no error: {text:?}"));
    assert!(error.starts_with(slug) && error.ends_with(place), "{text:?}: {error}");
    assert_eq!(got, rows, "{text:?}");
}

#[test]
fn lines_are_free_in_their_spaces_only() {
    let text = "\u{feff}# a comment\r\n\r\n  <urn:s>\t<urn:p> \"o\" . # another\n<urn:s><urn:p>_:o<urn:g>.\r\r<urn:s><urn:p>\"o\"@en<urn:g>.\n   ";
    assert_eq!(read(text, quads()), (3, None));
    assert_eq!(read(text, STRICT), (3, None));
    assert_eq!(read("", quads()), (0, None));
    assert_eq!(read("# no end of line", quads()), (0, None));
    assert_eq!(read("<urn:s> <urn:p> _:o .", triples()), (1, None));
    assert_eq!(read("<urn:s> <urn:p> _:o.", triples()), (1, None));
}

#[test]
fn white_space_inside_literals_stays_on_its_line() {
    let spaced = "<urn:s> <urn:p> \"x\" @en .\n<urn:s> <urn:p> \"x\"\t^^ <urn:d> <urn:g>.\n\
        <urn:s> <urn:p> <<( <urn:s> <urn:p> \"x\" ^^<urn:d> )>> .\n<urn:s> <urn:p> \"x\"  .\n";
    let plain = "<urn:s> <urn:p> \"x\"@en .\n<urn:s> <urn:p> \"x\"^^<urn:d> <urn:g>.\n\
        <urn:s> <urn:p> <<( <urn:s> <urn:p> \"x\"^^<urn:d> )>> .\n<urn:s> <urn:p> \"x\" .\n";
    for options in [quads(), STRICT] {
        let [got, expected] =
            [spaced, plain].map(|text| super::lines(text.as_bytes(), options, usize::MAX, usize::MAX));
        assert!(got == expected && got.rows.len() == 4, "{got:?}");
    }
    wrong("<urn:s> <urn:p> \"x\"\n@en .\n", quads(), 0, "text.term: ", "(byte 19, line 1, column 20)");
    wrong("<urn:s> <urn:p> \"x\" ^^\n<urn:d> .\n", quads(), 0, "text.term: ", "(byte 22, line 1, column 23)");
    wrong("<urn:s> <urn:p> \"x\" # @en .\n", quads(), 0, "text.term: ", "(byte 20, line 1, column 21)");
    wrong("<urn:s> <urn:p> \"x\" @1 .\n", quads(), 0, "text.language: ", "(byte 20, line 1, column 21)");
    wrong("<urn:s> <urn:p> \"x\" ^<urn:d> .\n", quads(), 0, "text.term: ", "(byte 20, line 1, column 21)");
}

#[test]
fn errors_have_line_column_and_byte() {
    let good = "<urn:s> <urn:p> \"\u{e4}\u{1f600}\" .\n"; // 27 bytes
    let after = |bad: &str| [good, bad].concat();
    wrong(
        &after("<urn:s> <urn:p> <urn:o> <urn:g> .\n"),
        triples(),
        1,
        "text.row: ",
        "(byte 51, line 2, column 25)",
    );
    wrong(&after("<urn:s> <urn:p> <urn:o>\n.\n"), quads(), 1, "text.term: ", "(byte 50, line 2, column 24)");
    wrong(
        &after("<urn:s> <urn:p> <urn:o> . <urn:s>"),
        quads(),
        1,
        "text.row: ",
        "(byte 53, line 2, column 27)",
    );
    wrong(
        &after("<urn:s> <urn:p> \"\u{e4}\u{e4}\" <"),
        quads(),
        1,
        "truncated.row: ",
        "(byte 51, line 2, column 23)",
    );
    wrong(
        &after("<urn:s> <urn:p> \"\u{e4}\u{e4}\" x ."),
        quads(),
        1,
        "text.term: ",
        "(byte 50, line 2, column 22)",
    );
    wrong(
        &after("\"s\" <urn:p> <urn:o> .\n"),
        quads(),
        1,
        "text.generalized: ",
        "(byte 27, line 2, column 1)",
    );
    wrong(&after("<urn:s> _:p <urn:o> .\n"), quads(), 1, "text.generalized: ", "(byte 35, line 2, column 9)");
    wrong(
        &after("<urn:s> <urn:p> <urn:o> \"g\" .\n"),
        quads(),
        1,
        "text.generalized: ",
        "(byte 51, line 2, column 25)",
    );
    wrong(&after("<urn:s> <urn:p> 5 .\n"), quads(), 1, "text.term: ", "column 17)");
    wrong(&after("<urn:s> <urn:p> 'o' .\n"), quads(), 1, "text.term: ", "column 17)");
    wrong(&after("<urn:s> ex:p <urn:o> .\n"), quads(), 1, "text.prefixed: ", "column 9)");
    wrong(&after("<urn:s> <urn:p> <urn:o>"), quads(), 1, "truncated.row: ", "(byte 50, line 2, column 24)");
    wrong(&after("<rel> <urn:p> <urn:o> .\n"), STRICT, 1, "text.iri: ", "column 1)");
    wrong(&after("<urn:s> <urn:\\u0020> <urn:o> .\n"), STRICT, 1, "text.iri: ", "column 9)");
    wrong(&after("<_:s> <urn:p> <urn:o> .\n"), STRICT, 1, "text.label: ", "column 1)");
    let inside = after("<urn:s> <urn:p> <<( <_:s> <urn:p> <urn:o> )>> .\n");
    wrong(&inside, STRICT, 1, "text.label: ", "column 21)");
    assert_eq!(read("<rel> <urn:\\u0020> <_:o> .\n", quads()), (1, None));
    let generalized = LinesOptions { generalized: true, ..quads() };
    assert_eq!(read("\"s\" _:p \"o\" \"g\" .\n", generalized), (1, None));
}

#[test]
fn invalid_utf8_has_its_place() {
    for (bytes, rows, place) in [
        (&b"<urn:s> <urn:p> \"\xff\" .\n"[..], 0, "(byte 17, line 1, column 18)"),
        (b"<urn:s> <urn:p> \"o\" .\n# \xc3\xa4\xc3\n", 1, "(byte 26, line 2, column 4)"),
        (b"<urn:s> <urn:p> \"o\" .\n\n\xed\xa0\x80", 1, "(byte 23, line 3, column 1)"),
        (b"<urn:s> <urn:p> \"\xf0\x9f\x98", 0, "(byte 17, line 1, column 18)"),
    ] {
        let got = super::lines(bytes, quads(), usize::MAX, usize::MAX);
        let error = got.error.expect("an error").what;
        assert!(error.starts_with("text.utf8: ") && error.ends_with(place), "{error}");
        assert_eq!(got.rows.len(), rows);
    }
}
