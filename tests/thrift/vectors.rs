//! What Jena writes, measured: read as it is meant, and written byte for byte the same.

use super::{again, hex, read};
use crate::common::rows::PatchRow;

const IRI_SPO: &str = "1c 1c 18 03 613a73 00 00  1c 1c 18 03 613a70 00 00";

fn vectors() -> Vec<(String, &'static str)> {
    [
        ("1c 18 02 6964  1c 1c 18 05 75726e3a78 00 00 00 00", "H id <urn:x>"),
        ("65 00 00", "TX"),
        ("65 02 00", "TC"),
        ("65 04 00", "TA"),
        ("2c SP 1c 1c 18 03 613a6f 00 00 00 00", "A <a:s> <a:p> <a:o> -"),
        ("3c SP 1c 3c 18 01 76 00 00 1c 1c 18 03 613a67 00 00 00 00", "D <a:s> <a:p> \"v\" <a:g>"),
        ("2c SP 1c 3c 18 01 76 18 02 656e 00 00 00 00", "A <a:s> <a:p> \"v\"@en -"),
        ("2c SP 1c 3c 18 01 76 28 03 613a64 00 00 00 00", "A <a:s> <a:p> \"v\"^^<a:d> -"),
        ("2c SP 1c 2c 18 01 62 00 00 00 00", "A <a:s> <a:p> _:b -"),
        ("2c SP 1c 9c SP 1c 2c 18 01 62 00 00 00 00 00 00", "A <a:s> <a:p> <<( <a:s> <a:p> _:b )>> -"),
        ("4c 28 02 6578 18 02 613a 00 00", "PA - ex <a:>"),
        ("4c 1c 1c 18 03 613a67 00 00 18 00 18 02 613a 00 00", "PA <a:g>  <a:>"),
        ("5c 28 02 6578 00 00", "PD - ex -"),
        // ours: Jena drops the direction
        ("2c SP 1c 3c 18 01 76 18 02 656e 38 03 6c7472 00 00 00 00", "A <a:s> <a:p> \"v\"@en--ltr -"),
    ]
    .into_iter()
    .map(|(bytes, row)| (bytes.replace("SP", IRI_SPO), row))
    .collect()
}

pub fn line(row: &PatchRow) -> String {
    let or_dash = |text: &Option<String>| match text.as_deref() {
        None | Some("") => "-".to_owned(),
        Some(text) => text.to_owned(),
    };
    let name = row.name.as_deref().unwrap_or_default();
    match row.op.as_str() {
        "A" | "D" => {
            let terms = [&row.subject, &row.predicate, &row.object, &row.graph].map(or_dash);
            format!("{} {}", row.op, terms.join(" "))
        }
        "H" => format!("H {name} {}", or_dash(&row.value)),
        "PA" | "PD" => format!("{} {} {name} {}", row.op, or_dash(&row.graph), or_dash(&row.value)),
        op if name.is_empty() => op.to_owned(),
        op => format!("{op} {name}"),
    }
}

#[test]
fn each_row_alone() {
    for (text, row) in vectors() {
        let bytes = hex(&text);
        let got = read(&bytes);
        assert_eq!(got.error, None, "{row}");
        assert_eq!(got.rows.iter().map(line).collect::<Vec<_>>(), [row, "Z eof"], "{text}");
        assert_eq!(again(&bytes), bytes, "{row}");
    }
}

#[test]
fn all_rows_in_one_stream() {
    let bytes: Vec<u8> = vectors().iter().flat_map(|(text, _)| hex(text)).collect();
    let got = read(&bytes);
    assert_eq!(got.error, None);
    let expected: Vec<_> = vectors().iter().map(|(_, row)| *row).chain(["Z eof"]).collect();
    assert_eq!(got.rows.iter().map(line).collect::<Vec<_>>(), expected);
    assert_eq!(again(&bytes), bytes);
}

#[test]
fn numbers_and_ends() {
    // H TX A TC H TX TA Z A
    let add = format!("2c {IRI_SPO} 1c 1c 18 03 613a6f 00 00 00 00");
    let header = "1c 18 02 6964  1c 1c 18 05 75726e3a78 00 00 00 00";
    let text = format!("{header} 65 00 00 {add} 65 02 00 {header} 65 00 00 65 04 00 65 06 00 {add}");
    let bytes = hex(&text);
    let got = read(&bytes);
    let numbers: Vec<_> = got.rows.iter().map(|row| (row.patch, row.txn, row.op.as_str())).collect();
    let expected = [
        (0, None, "H"),
        (0, Some(0), "TX"),
        (0, Some(0), "A"),
        (0, Some(0), "TC"),
        (0, None, "Z"),
        (1, None, "H"),
        (1, Some(1), "TX"),
        (1, Some(1), "TA"),
        (1, None, "Z"),
        (2, None, "A"),
        (2, None, "Z"),
    ];
    assert_eq!(numbers, expected);
    let ends: Vec<_> = got.rows.iter().filter(|row| row.op == "Z").map(|row| row.name.as_deref()).collect();
    assert_eq!(ends, [Some("header"), None, Some("eof")]);
    assert_eq!(again(&bytes), bytes, "the mark before A is needed, the others are not");
}

/// Nothing at all is a stream without rows.
#[test]
fn nothing() {
    assert!(read(b"").rows.is_empty() && read(b"").error.is_none() && again(b"").is_empty());
}
