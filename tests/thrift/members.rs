//! Every member of the grammar, those that Jena never writes included.

use super::vectors::line;
use super::{again, digits, hex, read, read_error};
use jelly_patch::Limits;

const SP: &str = "1c 1c 18 03 613a73 00 00  1c 1c 18 03 613a70 00 00";

/// An A row with this object: the fields of the union, without the end.
fn with_object(term: &str) -> Vec<u8> {
    hex(&format!("2c {SP} 1c {term} 00 00 00"))
}

fn object(term: &str) -> String {
    let got = read(&with_object(term));
    assert_eq!(got.error, None, "{term}");
    got.rows[0].object.clone().expect("a statement")
}

#[test]
fn literals() {
    let dir_lang = "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString";
    let dir_lang = format!("{:02x}{}", dir_lang.len(), digits(dir_lang));
    let string = "http://www.w3.org/2001/XMLSchema#string";
    let string = format!("{:02x}{}", string.len(), digits(string));
    for (term, expected) in [
        ("3c 18 01 76 00", "\"v\""),
        ("3c 18 00 00", "\"\""),
        ("3c 18 01 76 18 00 00", "\"v\""),
        ("3c 18 01 76 28 01 64 00", "\"v\"^^<d>"),
        (&*format!("3c 18 01 76 28 {string} 00"), "\"v\""),
        ("3c 18 01 76 18 02 656e 00", "\"v\"@en"),
        ("3c 18 01 76 18 02 656e 38 03 6c7472 00", "\"v\"@en--ltr"),
        ("3c 18 01 76 18 02 656e 38 03 72746c 00", "\"v\"@en--rtl"),
        (&*format!("3c 18 01 76 18 02 656e 18 {dir_lang} 28 03 72746c 00"), "\"v\"@en--rtl"),
        // Jena's shape: which direction is lost
        (&*format!("3c 18 01 76 18 02 656e 18 {dir_lang} 00"), "\"v\"@en"),
        (&*format!("3c 18 01 76 18 07 656e2d2d6c7472 18 {dir_lang} 00"), "\"v\"@en--ltr"),
        // a last field counts, in any order, with long heads
        ("3c 28 02 656e 08 02 01 76 08 02 01 77 00", "\"w\"@en"),
    ] {
        assert_eq!(object(term), expected, "{term}");
    }
}

#[test]
fn numbers() {
    let xsd = "http://www.w3.org/2001/XMLSchema#";
    for (term, lex, name) in [
        ("a6 00", "0", "integer"),
        ("a6 01", "-1", "integer"),
        ("a6 feffffffffffffffff01", "9223372036854775807", "integer"),
        ("a6 ffffffffffffffffff01", "-9223372036854775808", "integer"),
        ("b7 000000000000f03f", "1.0E0", "double"),
        ("b7 0000000000000080", "-0.0E0", "double"),
        ("b7 9a9999999999b93f", "1.0E-1", "double"),
        ("b7 000000000000f07f", "INF", "double"),
        ("b7 000000000000f0ff", "-INF", "double"),
        ("b7 000000000000f87f", "NaN", "double"),
        ("cc 16 ac02 15 04 00", "1.50", "decimal"),
        ("cc 16 0a 15 00 00", "5", "decimal"),
    ] {
        assert_eq!(object(term), format!("\"{lex}\"^^<{xsd}{name}>"), "{term}");
    }
}

#[test]
fn a_repeat_is_the_term_of_the_statement_before() {
    let repeat = "1c 8c 00 00";
    let first = format!("2c {SP} 1c 2c 18 01 62 00 00 1c 1c 18 03 613a67 00 00 00 00");
    let all = format!("3c {} 00 00", repeat.repeat(4));
    let got = read(&hex(&format!("{first} 65 00 00 {all}")));
    assert_eq!(got.error, None);
    assert_eq!(line(&got.rows[2]), "D <a:s> <a:p> _:b <a:g>");
    // without a graph it is the default graph, and that is what repeats then
    let default = format!("2c {} 00 00", repeat.repeat(3));
    let got = read(&hex(&format!("{first} {default} {all}")));
    assert_eq!(line(&got.rows[2]), "D <a:s> <a:p> _:b -");
    for (start, place) in [("", 2), (&*first, 4)] {
        // in the first row, in a quoted triple, in a header, as the graph of a prefix
        let rows = [
            all.clone(),
            format!("2c {SP} 1c 9c {SP} {repeat} 00 00 00 00"),
            format!("1c 18 01 6b {repeat} 00 00"),
            format!("5c {repeat} 18 00 00 00"),
        ];
        for row in &rows[usize::from(place == 4)..] {
            let error = read_error(&hex(&format!("{start}{row}")), &Limits::default());
            assert_eq!(error.kind().slug(), "table.repeated", "{row}");
        }
    }
}

#[test]
fn the_default_graph_has_three_names() {
    for name in ["urn:x-arq:DefaultGraph", "urn:x-arq:DefaultGraphNode"] {
        let iri = format!("1c 18 {:02x} {} 00 00", name.len(), digits(name));
        let bytes = hex(&format!("2c {SP} 1c {iri} 1c {iri} 00 00 5c 1c {iri} 18 00 00 00"));
        let got = read(&bytes);
        assert_eq!(got.error, None);
        let lines: Vec<_> = got.rows.iter().map(line).collect();
        assert_eq!(lines, [&*format!("A <a:s> <a:p> <{name}> -"), "PD -  -", "Z eof"]);
        assert!(again(&bytes).len() < bytes.len() - 2 * name.len());
    }
}

#[test]
fn terms_that_are_none() {
    let iri = "1c 18 01 61 00";
    for (term, kind, field) in [
        ("4c 18 01 61 18 01 62 00", "wire.term", "dataAdd.o.prefixName"),
        ("3c 18 01 76 4c 18 01 61 18 01 62 00 00", "wire.type", "dataAdd.o.literal.baseDirection"),
        ("3c 18 01 76 3c 18 01 61 18 01 62 00 00", "wire.term", "dataAdd.o.literal.dtPrefix"),
        ("5c 18 01 61 00", "wire.term", "dataAdd.o.variable"),
        ("6c 00", "wire.term", "dataAdd.o.any"),
        ("7c 00", "wire.term", "dataAdd.o.undefined"),
        ("", "wire.unset", "dataAdd.o"),
        ("1c 00", "wire.unset", "dataAdd.o.iri"),
        ("2c 00", "wire.unset", "dataAdd.o.bnode"),
        ("3c 00", "wire.unset", "dataAdd.o.literal"),
        ("cc 16 02 00", "wire.unset", "dataAdd.o.valDecimal"),
        ("cc 16 02 15 d20f 00", "wire.term", "dataAdd.o.valDecimal"),
        ("18 01 61", "wire.type", "dataAdd.o.iri"),
        ("1c 15 02 00", "wire.type", "dataAdd.o.iri"),
        ("a5 02", "wire.type", "dataAdd.o.valInteger"),
        (&*format!("{iri} {iri}"), "wire.term", "dataAdd.o"),
        (&*format!("{iri} 0c 02 18 01 62 00"), "wire.term", "dataAdd.o"),
        ("3c 18 01 76 18 02 656e 18 01 64 00", "wire.term", "dataAdd.o.literal"),
        ("3c 18 01 76 48 03 6c7472 00", "wire.term", "dataAdd.o.literal"),
        ("3c 18 01 76 18 02 656e 38 02 7570 00", "wire.term", "dataAdd.o.literal"),
        ("1c 18 02 c328 00", "wire.utf8", "dataAdd.o.iri"),
        ("3c 18 01 ff 00", "wire.utf8", "dataAdd.o.literal.lex"),
        (&*format!("9c {SP} 00"), "wire.unset", "dataAdd.o.tripleTerm"),
        ("10", "wire.type", "dataAdd.o"),
        ("1e", "wire.type", "dataAdd.o"),
        ("15 ffffffffffffffffffff01", "wire.type", "dataAdd.o.iri"),
        ("a6 ffffffffffffffffffff01", "wire.varint", "dataAdd.o.valInteger"),
    ] {
        let error = read_error(&with_object(term), &Limits::default());
        assert_eq!((error.kind().slug(), error.field()), (kind, Some(field)), "{term}: {error}");
        assert_eq!(error.position().row, Some(0));
        assert!(error.position().offset.is_some_and(|at| at >= 1), "{error}");
    }
    let object = "1c 1c 18 01 6f 00 00";
    let error =
        read_error(&hex(&format!("2c {SP} {object} 1c 9c {SP} {object} 00 00 00 00")), &Limits::default());
    assert_eq!((error.kind().slug(), error.field()), ("wire.term", Some("dataAdd.g")));
}

#[test]
fn rows_that_are_none() {
    for (row, kind) in [
        ("00", "wire.row"),
        ("75 02 00", "wire.row"),
        ("65 08 00", "wire.row"),
        ("65 01 00", "wire.row"),
        ("65 00 05 0c 00 00", "wire.row"),
        ("66 00 00", "wire.type"),
        ("2c 00 00", "wire.unset"),
        ("1c 18 00 00 00", "wire.unset"),
        ("1c 2c 1c 18 01 61 00 00 00 00", "wire.unset"),
        ("4c 28 00 00 00", "wire.unset"),
        ("5c 00 00", "wire.unset"),
        ("4820", "wire.type"), // text
    ] {
        let error = read_error(&hex(row), &Limits::default());
        assert_eq!(error.kind().slug(), kind, "{row}: {error}");
    }
}

/// Fields that nobody knows, of every type and everywhere; ids that go back and below zero.
#[test]
fn unknown_fields_are_skipped() {
    let unknown = "
        f1 f2 f3 7f f4 03 f5 03 f6 03 f7 0102030405060708 f8 02 6869
        f9 f8 0f 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 # a list of 15 strings
        f9 21 01 02 fa 35 01 02 03 fb 00 fb 02 58 02 01 61 04 01 62
        fc 1c 19 2c 00 15 02 00 00 00 11 12 fd 00112233445566778899aabbccddeeff
        05 01 06 0c 7f 00";
    // ids go back with a long head
    let back = |kind: &str, id: u8| format!("0{kind} {:02x}", id * 2);
    let part = |id| format!("{unknown} {} 1c {unknown} 08 02 03 613a73 00 {unknown} 00", back("c", id));
    let row =
        format!("{unknown} {} {} {} {} {unknown} 00 {unknown} 00", back("c", 2), part(1), part(2), part(3));
    let got = read(&hex(&row));
    assert_eq!(got.error, None, "{row}");
    assert_eq!(got.rows.iter().map(line).collect::<Vec<_>>(), ["A <a:s> <a:s> <a:s> -", "Z eof"]);
}

#[test]
fn integers_are_cut_as_thrift_cuts_them() {
    // 2^32 + 1 as a 32-bit zigzag is -1, no kind of row; 2^32 is 0
    assert_eq!(line(&read(&hex("65 8080808010 00")).rows[0]), "TX");
    assert_eq!(read_error(&hex("65 8180808010 00"), &Limits::default()).kind().slug(), "wire.row");
    // a string whose length does not fit 32 bits is not cut to one that does
    let error = read_error(&with_object("1c 18 8380808010 613a73 00"), &Limits::default());
    assert_eq!(error.kind().slug(), "limit.term_bytes");
}
