//! Strings that decoders and writers get wrong.

use super::rng::Rng;

const PIECES: [&str; 44] = [
    "",
    " ",
    "a",
    "bc",
    "def ",
    "0",
    "-1.5e3",
    "true",
    "\"",
    "\\",
    "\\u0041",
    "\\\"",
    "'",
    "\n",
    "\r\n",
    "\t",
    "\u{8}",
    "\u{c}",
    "\0",
    "\u{b}",
    "\u{1f}",
    "\u{7f}",
    "\u{80}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "é",
    "e\u{301}",
    "ß",
    "例え",
    "😀",
    "\u{202e}abc",
    "\u{feff}",
    "\u{fffd}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{1fffe}",
    "\u{10ffff}",
    "<",
    ">",
    "<<( ",
    " )>>",
    "_:x",
    "{}|^`",
];

const PREFIXES: [&str; 14] = [
    "http://ex.org/",
    "http://ex.org/ns#",
    "http://ex.org/a/b/",
    "urn:x:",
    "",
    "_",
    "_:",
    ":",
    "http://例え.jp/#",
    "a b",
    "<",
    "\u{1}",
    "http://ex.org/\u{7f}",
    "\\",
];

const NAMES: [&str; 20] = [
    "", "a", "b", "c", "name", "x1", ":", ":b", "_:", "_:b", "a b", "é", "😀", "%20", "\"", "{}", "^`", ">",
    "\n", "a/b#c",
];

const LABELS: [&str; 26] = [
    "b0",
    "b1",
    "B",
    "a.b",
    "a..b",
    "9-z",
    "_",
    "é",
    "a\u{b7}",
    "a\u{300}",
    "\u{10000}",
    "\u{d7ff}x",
    "",
    "a.",
    ".",
    ".a",
    "-a",
    "\u{b7}a",
    "\u{300}a",
    "a:b",
    ":",
    "a b",
    "a>",
    "\\",
    "\u{d7}",
    "\u{37e}",
];

const TAGS: [&str; 8] = ["en", "EN", "en-GB", "de-CH-1901", "x-private", "zh-hant-tw", "", "é"];

const DATATYPES: [&str; 8] = [
    "http://www.w3.org/2001/XMLSchema#integer",
    "http://www.w3.org/2001/XMLSchema#string",
    "http://ex.org/dt",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
    "",
    "_:d",
    "a b",
    "例え",
];

pub fn text(rng: &mut Rng) -> String {
    let pieces = rng.below(4);
    let text: String = (0..pieces).map(|_| *rng.pick(&PIECES)).collect();
    // Long enough for a length of 2 and, seldom, 3 bytes, and for any vector code.
    match rng.below(200) {
        0 => text.repeat(6_000),
        1..=9 => text.repeat(40),
        _ => text,
    }
}

pub fn prefix(rng: &mut Rng) -> String {
    varied(rng, &PREFIXES)
}

pub fn name(rng: &mut Rng) -> String {
    varied(rng, &NAMES)
}

pub fn label(rng: &mut Rng) -> String {
    varied(rng, &LABELS)
}

pub fn tag(rng: &mut Rng) -> String {
    (*rng.pick(&TAGS)).to_owned()
}

pub fn datatype(rng: &mut Rng) -> String {
    varied(rng, &DATATYPES)
}

/// One of a few, mostly with a number, so that a wrong slot shows.
fn varied(rng: &mut Rng, from: &[&str]) -> String {
    let text = *rng.pick(from);
    if rng.percent(70) { format!("{text}{}", rng.below(1000)) } else { text.to_owned() }
}
