//! What Jena accepts, what the specification says and what is read here: by default, strictly, and as v1.

use crate::common::rows::{Decoded, PatchRow};
use jelly_patch::text::PatchDialect::{self, Any, Strict, V1};

const S: &str = "<urn:s>";
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// Rows without the end that the input implies, or the kind of the error.
fn read(text: &str, dialect: PatchDialect) -> Result<Vec<String>, String> {
    let got: Decoded<PatchRow> = super::patch(text.as_bytes(), dialect, usize::MAX, usize::MAX);
    match got.error {
        Some(error) => Err(error.what.split(": ").next().expect("a slug").to_owned()),
        None => Ok(got.rows.iter().map(super::line).filter(|row| row != "Z eof").collect()),
    }
}

#[track_caller]
fn check(text: &str, dialect: PatchDialect, expected: Result<&[&str], &str>) {
    let got = read(text, dialect);
    let got = got.as_ref().map(|rows| rows.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(got.map_err(String::as_str), expected.map(<[&str]>::to_vec), "{dialect:?} {text}");
}

/// The same rows in every dialect.
#[track_caller]
fn all(text: &str, rows: &[&str]) {
    for dialect in [Any, Strict, V1] {
        check(text, dialect, Ok(rows));
    }
}

/// The same error in every dialect.
#[track_caller]
fn none(text: &str, kind: &str) {
    for dialect in [Any, Strict, V1] {
        check(text, dialect, Err(kind));
    }
}

/// Rows, but an error when strict.
#[track_caller]
fn lenient(text: &str, rows: &[&str], kind: &str) {
    check(text, Any, Ok(rows));
    check(text, V1, Ok(rows));
    check(text, Strict, Err(kind));
}

/// An error, but rows in v1.
#[track_caller]
fn only_v1(text: &str, rows: &[&str], kind: &str) {
    check(text, V1, Ok(rows));
    check(text, Any, Err(kind));
    check(text, Strict, Err(kind));
}

#[test]
fn rows_are_tokens() {
    all("", &[]);
    all("# only a comment", &[]);
    all("\u{feff}TX .\nTC .\n", &["TX", "TC"]);
    all("TX.\nTC.", &["TX", "TC"]);
    all("TX . TC .", &["TX", "TC"]);
    lenient("TB .\r\nTA .\r\n", &["TX", "TA"], "text.keyword");
    lenient("Z .", &["Z"], "text.keyword");
    none("TX.TC.", "text.keyword");
    none("Segment .", "text.keyword");
    none("tx .", "text.keyword");
    none("a <urn:s> <urn:p> <urn:o> .", "text.keyword");
    none(".", "text.keyword");
    none("<urn:s> <urn:p> <urn:o> .", "text.keyword");
    all(
        "A <urn:s> <urn:p> <urn:o>.D <urn:s> <urn:p> <urn:o>.",
        &["A <urn:s> <urn:p> <urn:o>", "D <urn:s> <urn:p> <urn:o>"],
    );
    all("A\n<urn:s> # why\n\t<urn:p>\r\n<urn:o>\n<urn:g>\n.\n", &["A <urn:s> <urn:p> <urn:o> <urn:g>"]);
    all("A<urn:s><urn:p>\"o\"<urn:g>.", &["A <urn:s> <urn:p> \"o\" <urn:g>"]);
    all("A <urn:s> <urn:p> _:o.", &["A <urn:s> <urn:p> _:o"]);
    none("A <urn:s> <urn:p> .", "text.row");
    none("A <urn:s> <urn:p> <urn:o> <urn:g> <urn:x> .", "text.row");
    none("TX <urn:x> .", "text.row");
    for text in [
        "A <urn:s> <urn:p> <urn:o>",
        "A <urn:s> <urn:p> \"o",
        "H",
        "TX",
        "A <urn:s",
        "TX .\nA",
        "H id <urn:x>",
    ] {
        none(text, "truncated.row");
    }
}

#[test]
fn blank_nodes() {
    all("A _:a0 <urn:p> _:b0 .", &["A _:a0 <urn:p> _:b0"]);
    all("A <_:a0> <urn:p> _:a0 .", &["A _:a0 <urn:p> _:a0"]);
    all("A <_:any.chars-/:> <urn:p> <_:\\u0020> .", &["A <_:any.chars-/:> <urn:p> <_:\\u0020>"]);
    all("A <_:> <urn:p> <_:\u{e4}> .", &["A <_:> <urn:p> _:\u{e4}"]);
    all(
        "A _:a.b. <urn:p> .".replace("_:a.b.", "_:a.b").replace("<urn:p> .", "<urn:p> _:c.").as_str(),
        &["A _:a.b <urn:p> _:c"],
    );
    none("A _: <urn:p> <urn:o> .", "text.label");
    none("A _:a:b <urn:p> <urn:o> .", "text.label");
    none("A _a <urn:p> <urn:o> .", "text.label");
    none("A <_: x> <urn:p> <urn:o> .", "text.iri");
}

#[test]
fn iris() {
    lenient("A <rel> <> <urn:o> .", &["A <rel> <> <urn:o>"], "text.iri");
    let odd = "A <http://e/{x}> <urn:p> <urn:o> .";
    lenient(odd, &["A <http://e/\\u007Bx\\u007D> <urn:p> <urn:o>"], "text.iri");
    lenient("A <\\u005F:x> <urn:p> <urn:o> .", &["A <\\u005F:x> <urn:p> <urn:o>"], "text.iri");
    all("A <urn:\\u00e4> <urn:p> <urn:\\U0001F600> .", &["A <urn:\u{e4}> <urn:p> <urn:\u{1f600}>"]);
    none("A <urn:a b> <urn:p> <urn:o> .", "text.iri");
    none("A <urn:a\tb> <urn:p> <urn:o> .", "text.iri");
    none("A <urn:a\nb> <urn:p> <urn:o> .", "text.iri");
    none("A <urn:\\ud83d> <urn:p> <urn:o> .", "text.escape");
    none("A <urn:\\n> <urn:p> <urn:o> .", "text.escape");
}

#[test]
fn literals() {
    let object = |object: &str| format!("A {S} <urn:p> {object} .");
    let row = |object: &str| format!("A {S} <urn:p> {object}");
    for (text, expected) in [
        ("\"x\"", "\"x\""),
        ("\"\"", "\"\""),
        ("\"\\t\\b\\n\\r\\f\\\"\\'\\\\\"", "\"\\t\\b\\n\\r\\f\\\"'\\\\\""),
        ("\"\\u0041\\U0001F600\"", "\"A\u{1f600}\""),
        ("\"x\"@en", "\"x\"@en"),
        ("\"x\"@EN--ltr", "\"x\"@EN--ltr"),
        ("\"x\"@en-latn-us", "\"x\"@en-latn-us"),
        ("\"1\"^^<http://www.w3.org/2001/XMLSchema#string>", "\"1\""),
        ("\"\\u0000\u{1}\"", "\"\\u0000\\u0001\""),
    ] {
        all(&object(text), &[&row(expected)]);
    }
    for (text, expected, strict) in [
        ("'single'", "\"single\"".to_owned(), "text.term"),
        ("\"\"\"multi\nline\"\"\"", "\"multi\\nline\"".to_owned(), "text.string"),
        ("'''it's'''@en", "\"it's\"@en".to_owned(), "text.term"),
        ("\"\"\"a\"\"\"\"\"", "\"a\\\"\\\"\"".to_owned(), "text.string"),
        ("'1'^^<urn:d>", "\"1\"^^<urn:d>".to_owned(), "text.term"),
        ("\"\\u{1F600}\"", "\"\u{1f600}\"".to_owned(), "text.escape"),
        ("5", format!("\"5\"^^<{XSD}integer>"), "text.term"),
        ("-01", format!("\"-01\"^^<{XSD}integer>"), "text.term"),
        (".5", format!("\".5\"^^<{XSD}decimal>"), "text.row"),
        ("+1.50", format!("\"+1.50\"^^<{XSD}decimal>"), "text.term"),
        ("1.e5", format!("\"1.e5\"^^<{XSD}double>"), "text.term"),
        ("+1.0E+3", format!("\"+1.0E+3\"^^<{XSD}double>"), "text.term"),
        ("true", format!("\"true\"^^<{XSD}boolean>"), "text.term"),
        ("false", format!("\"false\"^^<{XSD}boolean>"), "text.term"),
    ] {
        lenient(&object(text), &[&row(&expected)], strict);
    }
    // 5. is 5 and the dot of the row
    lenient("A <urn:s> <urn:p> 5.TX .", &[&row(&format!("\"5\"^^<{XSD}integer>")), "TX"], "text.term");
    for (text, kind) in [
        ("\"x\"@en--foo", "text.language"),
        ("\"x\"@", "text.language"),
        ("\"x\"@1", "text.language"),
        ("\"x\"^^xsd:integer", "text.prefixed"),
        ("\"x\"^<urn:d>", "text.term"),
        ("\"x\"^^<_:b>", "text.term"),
        ("\"\\ud83d\\ude00\"", "text.escape"),
        ("\"\\x\"", "text.escape"),
        ("\"multi\nline\"", "text.string"),
        ("truth", "text.term"),
    ] {
        none(&object(text), kind);
    }
    for (text, kind) in [("0x1F", "text.number"), ("+", "text.number"), ("1e", "text.number")] {
        check(&object(text), Any, Err(kind));
        check(&object(text), Strict, Err("text.term"));
    }
    // what is read strictly is read by default, and the same: there it is one long string without an end
    check("H\"\"\" \" .", Strict, Err("text.string"));
    check("H\"\"\" \" .", Any, Err("truncated.row"));
    check("H \"\" \" \" .", Strict, Ok(&["H \" \""]));
}

#[test]
fn white_space_inside_literals() {
    for (text, expected) in [
        ("\"x\" @en", "\"x\"@en"),
        ("\"x\"  \t@en--ltr", "\"x\"@en--ltr"),
        ("\"x\" ^^<urn:d>", "\"x\"^^<urn:d>"),
        ("\"x\"^^ <urn:d>", "\"x\"^^<urn:d>"),
        ("\"\\n\"\t^^ \t <urn:d>", "\"\\n\"^^<urn:d>"),
        ("\"x\" ^^ <http://www.w3.org/2001/XMLSchema#string>", "\"x\""),
        ("\"x\"\n@en", "\"x\"@en"),
        ("\"x\" # why\r\n^^#\n<urn:d>", "\"x\"^^<urn:d>"),
        // as if the string ended right before the datatype
        (
            "\"x\"^^#\"\n <urn:a-datatype-with-many-characters>",
            "\"x\"^^<urn:a-datatype-with-many-characters>",
        ),
    ] {
        all(&format!("A {S} <urn:p> {text} ."), &[&format!("A {S} <urn:p> {expected}")]);
        all(&format!("A {S} <urn:p> {text}<urn:g>."), &[&format!("A {S} <urn:p> {expected} <urn:g>")]);
        all(
            &format!("A {S} <urn:p> <<( {S} <urn:p> {text})>> ."),
            &[&format!("A {S} <urn:p> <<( {S} <urn:p> {expected} )>>")],
        );
        all(&format!("H key {text} ."), &[&format!("H key {expected}")]);
    }
    lenient(&format!("A {S} <urn:p> '''x''' @en ."), &[&format!("A {S} <urn:p> \"x\"@en")], "text.term");
    let two = ["A <urn:s> <urn:p> \"x\"", "A <urn:s> <urn:p> \"x\" <urn:g>"];
    all("A <urn:s> <urn:p> \"x\"  . A <urn:s> <urn:p> \"x\" \n <urn:g> .", &two);
    for (text, kind) in [
        ("\"x\" @ en", "text.language"),
        ("\"x\" ^ ^<urn:d>", "text.term"),
        ("\"x\" ^^ .", "text.term"),
        ("\"x\" ^^ xsd:integer", "text.prefixed"),
        ("\"x\" ^^ <_:b>", "text.term"),
        ("<urn:o> @en", "text.term"),
    ] {
        none(&format!("A {S} <urn:p> {text} ."), kind);
    }
    let v1 = "@prefix x: <urn:> . A x:s x:p '5' ^^ x:n . A R R \"5\"\n^^ # why\n<urn:n> . A R R \"5\" @en .";
    let rows = ["\"5\"^^<urn:n>", "\"5\"^^<urn:n>", "\"5\"@en"].map(|o| format!("A <urn:s> <urn:p> {o}"));
    check(v1, V1, Ok(&rows.each_ref().map(String::as_str)));
}

#[test]
fn terms_that_are_none() {
    only_v1("@prefix ex: <urn:> . A ex:s ex:p ex:o .", &["A <urn:s> <urn:p> <urn:o>"], "text.keyword");
    none("A ex:s ex:p ex:o .", "text.prefixed");
    check("A <urn:s> ex:p <urn:o> .", Any, Err("text.prefixed"));
    none("A <urn:s> ?x <urn:o> .", "text.term");
    none("A <urn:s> ANY <urn:o> .", "text.term");
    none("A <urn:s> a <urn:o> .", "text.term");
    check("A R <urn:p> <urn:o> .", Any, Err("text.term"));
    lenient(
        "A \"lit\" \"lit\" \"lit\" \"lit\" .",
        &["A \"lit\" \"lit\" \"lit\" \"lit\""],
        "text.generalized",
    );
    lenient("A <urn:s> _:p <urn:o> .", &["A <urn:s> _:p <urn:o>"], "text.generalized");
}

#[test]
fn quoted_triples() {
    let triple = "<<( <urn:s> <urn:p> \"o\" )>>";
    all(
        &format!("A {triple} <urn:p> <<(<urn:a><urn:b>{triple})>> ."),
        &[&format!("A {triple} <urn:p> <<( <urn:a> <urn:b> {triple} )>>")],
    );
    lenient(
        "A << <urn:s> <urn:p> \"o\" >> <urn:p> <urn:o> .",
        &[&format!("A {triple} <urn:p> <urn:o>")],
        "text.term",
    );
    none("A <<( <urn:s> <urn:p> \"o\" ) .", "text.term");
    none("A <<( <urn:s> <urn:p> ) <urn:p> <urn:o> .", "text.term");
    none(&format!("A <urn:s> <urn:p> <urn:o> {triple} ."), "text.term");
    lenient(
        "A <urn:s> <urn:p> <<( \"s\" <urn:p> \"o\" )>> .",
        &["A <urn:s> <urn:p> <<( \"s\" <urn:p> \"o\" )>>"],
        "text.generalized",
    );
    let deep = |n: usize| {
        format!("A <urn:s> <urn:p> {}<urn:o>{} .", "<<( <urn:s> <urn:p> ".repeat(n), " )>>".repeat(n))
    };
    assert_eq!(read(&deep(64), Any).expect("64 levels").len(), 1);
    none(&deep(65), "limit.nesting");
}

#[test]
fn prefixes() {
    all("PA \"ex\" <http://e/> .", &["PA ex <http://e/>"]);
    all("PA \"ex\" \"http://e/\" .", &["PA ex <http://e/>"]);
    all("PA ex \"http://e/\" .PD ex.", &["PA ex <http://e/>", "PD ex"]);
    all("PA \"\" <urn:e> . PD \"\" .", &["PA <urn:e>", "PD"]);
    all(
        "PA \"ex\" \"http://e/\" <urn:g> . PD \"ex\" <urn:g> .",
        &["PA ex <http://e/> <urn:g>", "PD ex <urn:g>"],
    );
    lenient("PD \"ex\" \"http://e/\" .", &["PD ex <http://e/>"], "text.row");
    lenient("PA \"ex\" \"rel\" .", &["PA ex <rel>"], "text.iri");
    for literal in ["\"x\"@en", "\"x\" @en", "\"x\"^^<urn:d>", "\"x\" ^^<urn:d>"] {
        none(&format!("PA \"ex\" {literal} ."), "text.term");
        check(&format!("PD \"ex\" {literal} ."), Any, Err("text.term"));
        check(&format!("PD \"ex\" {literal} ."), Strict, Err("text.row"));
    }
    for graph in ["\"g\"", "\"g\"@en", "0", "<<( <urn:s> <urn:p> <urn:o> )>>"] {
        none(&format!("PA \"ex\" <urn:e> {graph} ."), "text.term");
        check(&format!("PD \"ex\" \"urn:e\" {graph} ."), Any, Err("text.term"));
    }
    lenient("PA 'ex' '''http://e/''' .", &["PA ex <http://e/>"], "text.row");
    none("PA rdf: <urn:e> .", "text.row");
    none("PA <urn:x> <urn:e> .", "text.row");
    none("PA ex _:b .", "text.term");
    none("PA ex .", "text.row");
}

#[test]
fn names_of_prefixes() {
    for name in ["ex", "a.b", "a-1", "a_", "\u{e4}\u{b7}", "\u{1f600}"] {
        let text = format!("PA \"{name}\" <urn:e> . PD \"{name}\" .");
        all(&text, &[&format!("PA {name} <urn:e>"), &format!("PD {name}")]);
    }
    for name in ["ex:", ":", "e x", "1ex", "-a", "_", "a.", ".", "\u{d7}", "\u{aa}a"] {
        lenient(&format!("PA \"{name}\" <urn:e> ."), &[&format!("PA {name} <urn:e>")], "patch.name");
        lenient(&format!("PD \"{name}\" ."), &[&format!("PD {name}")], "patch.name");
    }
    // without quotes, a word begins with a letter
    lenient("PA \u{aa}a <urn:e> .", &["PA \u{aa}a <urn:e>"], "patch.name");
}

#[test]
fn default_graphs() {
    for name in ["DefaultGraph", "DefaultGraphNode"] {
        let graph = format!("<urn:x-arq:{name}>");
        all(&format!("A {S} <urn:p> <urn:o> {graph} ."), &["A <urn:s> <urn:p> <urn:o>"]);
        all(&format!("PA \"ex\" <urn:e> {graph} ."), &["PA ex <urn:e>"]);
        all(&format!("PD \"ex\" {graph} ."), &["PD ex"]);
        all(&format!("A {graph} <urn:p> <urn:o> ."), &[&format!("A {graph} <urn:p> <urn:o>")]);
    }
}

#[test]
fn headers_and_patches() {
    all("H id <urn:x>.", &["H id <urn:x>"]);
    all("H \"my key\" \"v\"@en .", &["H my key \"v\"@en"]);
    all(
        "H ID <urn:x> . H previous <urn:y> . H id <urn:z> .",
        &["H ID <urn:x>", "H previous <urn:y>", "H id <urn:z>"],
    );
    all("TX . TC . H id <urn:2> .", &["TX", "TC", "Z header", "H id <urn:2>"]);
    all(
        "A <urn:s> <urn:p> <urn:o> . H id <urn:2> .",
        &["A <urn:s> <urn:p> <urn:o>", "Z header", "H id <urn:2>"],
    );
    lenient("TX . H id <urn:x> . TC .", &["TX", "H id <urn:x>", "TC"], "text.row");
    // rdflib forgets the dot
    lenient("H prev <urn:x>\nTX .\nTC .", &["H prev <urn:x>", "TX", "TC"], "text.row");
    none("H prev <urn:x> TX .", "text.row");
    none("H 5 <urn:x> .", "text.row");
    none("H <urn:x> <urn:x> .", "text.row");
}

#[test]
fn transactions() {
    lenient("TC .", &["TC"], "patch.stray");
    lenient("TA .", &["TA"], "patch.stray");
    lenient("TX . TX .", &["TX", "TX"], "patch.unfinished");
    lenient("TX .", &["TX"], "patch.unfinished");
    lenient("TX . Z .", &["TX", "Z"], "text.keyword");
}

#[test]
fn repetitions_and_prefixed_names_of_v1() {
    let rows = [
        "D <http://example/bob> <http://xmlns.com/foaf/0.1/name> \"bob\"",
        "A <http://example/bob> <http://xmlns.com/foaf/0.1/name> \"Bob\"",
        "A <http://example/bob> <http://xmlns.com/foaf/0.1/knows> <http://example/alice> <urn:g>",
        "A <http://example/bob> <http://xmlns.com/foaf/0.1/knows> <http://example/charlie> <urn:g>",
    ];
    let text = "@prefix  foaf: <http://xmlns.com/foaf/0.1/> .\n\
        D <http://example/bob> foaf:name \"bob\" .\nA R foaf:name \"Bob\" .\n\
        A R foaf:knows <http://example/alice> <urn:g>.\nA R R <http://example/charlie> R.\n";
    check(text, V1, Ok(&rows));
    check("A R <urn:p> <urn:o> .", V1, Err("text.repeat"));
    check("A <urn:s> <urn:p> <urn:o> . A R R R R .", V1, Err("text.repeat"));
    check("A ex:s <urn:p> <urn:o> .", V1, Err("text.prefixed"));
    check("A U <urn:p> <urn:o> .", V1, Err("text.term"));
    check("@base <urn:> .", V1, Err("text.keyword"));
    check("@prefix ex <urn:> .", V1, Err("text.prefixed"));
    let typed = "@prefix x: <urn:d#> . @prefix s: <http://www.w3.org/2001/XMLSchema#string> .\n\
        A x:a x:p '5'^^x:n x:g . A R R \"\\n\"^^x:n . A R R \"5\"^^s: . A R R \"5\"^^<u:n> . A R R \"5\"@en .";
    check(
        typed,
        V1,
        Ok(&[
            "A <urn:d#a> <urn:d#p> \"5\"^^<urn:d#n> <urn:d#g>",
            "A <urn:d#a> <urn:d#p> \"\\n\"^^<urn:d#n>",
            "A <urn:d#a> <urn:d#p> \"5\"",
            "A <urn:d#a> <urn:d#p> \"5\"^^<u:n>",
            "A <urn:d#a> <urn:d#p> \"5\"@en",
        ]),
    );
    check("A <u:s> <u:p> \"5\"^^x:n .", V1, Err("text.prefixed"));
    check("A <u:s> <u:p> \"5\"^^x .", V1, Err("text.term"));
    check("A <u:s> <u:p> \"5\"^<x> .", V1, Err("text.term"));
    check("@prefix ex: <_:a> . A ex:s ex:p ex:o .", V1, Err("text.iri"));
    let names = "@prefix : <urn:a/> . @prefix e.x: <urn:b/> . A :a.b e.x:\\~%41: :.";
    check(names, V1, Ok(&["A <urn:a/a.b> <urn:b/~%41:> <urn:a/>"]));
    check(
        "@prefix : <urn:a/> . @prefix : <urn:b/> . A :a :a :a .",
        V1,
        Ok(&["A <urn:b/a> <urn:b/a> <urn:b/a>"]),
    );
}
