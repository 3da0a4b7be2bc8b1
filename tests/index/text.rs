//! The parts of a text are the text, wherever it is cut and whatever its lines are.

use std::fmt::Debug;
use std::io::{Cursor, Read, Seek, SeekFrom};

use jelly_patch::With;
use jelly_patch::decode::DecodeOptions;
use jelly_patch::format::{PatchFormat, RdfFormat};
use jelly_patch::io::{SharedFile, Source};
use jelly_patch::open::{OpenOptions, PartOf};
use jelly_patch::split::{Split, SplitOptions, Splits, splits};

use super::{Rows, memory};
use crate::common::rows::{PatchRow, RdfRow};
use crate::common::soak::seeds;
use crate::oracle::generate::rng::Rng;

/// Terms with everything in them that might look like the end of a row or a line.
const TERMS: &[&str] = &[
    "<urn:a>",
    "<urn:a>",
    "<urn:a#b.c>",
    "_:b",
    "_:a.b",
    "_:\u{e9}",
    "\"x\"",
    "\"\"",
    "\"a . A <x> <y> <z> .\"",
    "\"\\\" # \\\\\"",
    "\"x\"@en-GB",
    "\"1.5\"^^<urn:t>",
    "\"> <\"",
    "<<( <urn:a> <urn:b> \"x > .\" )>>",
];
/// Of RDF Patch alone.
const PATCH_TERMS: &[&str] = &[
    "<_:l a>",
    "1.5",
    "-7",
    "1.e5",
    "true",
    "'x . '",
    "\"\"\"long\"\"\"",
    "\"\"\"over\nA <urn:x> <urn:y> <urn:z> .\n# lines \"\" and\r\nmore\\\"\"\"\"\"",
    "'''\n\nZ .\n'''",
    "<< <urn:a>\n<urn:b> # ) .\n <urn:c> >>",
];
const ENDS: &[&str] =
    &["\n", "\n", "\n", "\r\n", " # a . comment\n", "\t\n", "\n\n", "\n# A <a> <b> <c> .\n", "\r"];
/// What is no row.
const WRONG: &[&str] = &[
    "<urn:a> <urn:b>\n",
    "A <urn:a> <urn:b> \"x\n",
    "A <urn:a> <urn:b> <urn:c>\n",
    "<urn:a> <urn:b c> <urn:c> .\n",
    "what\n",
    "A <urn:a> <urn:b> <urn:c> . .\n",
    "\"\"\"\n",
    "A <urn:a> <urn:b> .5 .\n",
    "H id <urn:x>",
    "@prefix a: <urn:b> .\n",
];

fn word<'a>(rng: &mut Rng, words: &[&'a str]) -> &'a str {
    words[rng.below(words.len())]
}

fn term(rng: &mut Rng, is_patch: bool) -> &'static str {
    if is_patch && rng.percent(10) { word(rng, PATCH_TERMS) } else { word(rng, TERMS) }
}

fn statement(rng: &mut Rng, is_patch: bool, gap: &str) -> String {
    let count = rng.between(3, 4);
    let mut terms: Vec<_> = (0..count).map(|_| term(rng, is_patch)).collect();
    // most are RDF, so that most texts are right
    terms[0] = word(rng, &["<urn:s>", "_:s", "<urn:s>", "<urn:s.>"]);
    terms[1] = "<urn:p>";
    if count == 4 {
        terms[3] = word(rng, &["<urn:g>", "_:g"]);
    }
    terms.join(gap)
}

fn rdf_text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(30) {
        let gap = word(rng, &[" ", " ", "\t", "  "]);
        text += word(rng, &["", "", "", " ", "\t", "\n", "  # c\n"]);
        text += &statement(rng, false, gap);
        text += word(rng, &[" .", ".", " . "]);
        text += word(rng, ENDS);
    }
    text
}

fn patch_text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(40) {
        let gap = word(rng, &[" ", " ", " ", " ", "\n", " \t", " # .\n "]);
        text += word(rng, &["", "", "", "", " ", "\n", "# c .\n"]);
        let row = match rng.below(16) {
            0 => format!("H{gap}id{gap}<urn:{}>", rng.below(9)),
            1 => format!("H{gap}prev{gap}\"x\""),
            2 | 3 => "TX".to_owned(),
            4 | 5 => word(rng, &["TC", "TC", "TA"]).to_owned(),
            6 => "Z".to_owned(),
            7 => format!("PA{gap}\"a\"{gap}<urn:a#>"),
            8 => format!("PD{gap}\"a\""),
            kind => format!("{}{gap}{}", if kind < 13 { "A" } else { "D" }, statement(rng, true, gap)),
        };
        text += &row;
        // rdflib forgets the dot of headers
        text += if row.starts_with('H') && rng.percent(20) {
            "\n"
        } else {
            word(rng, &[" .", " .", " .", ".", " . ", "\n."])
        };
        text += if rng.percent(8) { " " } else { word(rng, ENDS) };
    }
    text
}

/// A file that gives a few bytes at a time.
struct Drip(Cursor<Vec<u8>>);

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(7);
        self.0.read(&mut buffer[..most])
    }
}

impl Seek for Drip {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

fn source(text: &[u8], rng: &mut Rng) -> Source {
    if rng.percent(30) {
        let file = Drip(Cursor::new(text.to_vec()));
        return Source::File(SharedFile::new(Box::new(file)).expect("a length"));
    }
    memory(text)
}

pub(super) fn options(strict: bool, committed: bool) -> OpenOptions {
    OpenOptions::default().with(|options| {
        options.rdf_format = Some(RdfFormat::NQuads);
        options.patch_format = Some(PatchFormat::RdfPatch);
        options.decode = DecodeOptions::default().with(|inner| inner.strict = strict);
        options.committed = committed;
    })
}

pub(super) fn plan(text: &[u8], open: OpenOptions, split_bytes: u64, whole_patches: bool) -> Splits {
    let options = SplitOptions::default().with(|options| {
        options.open = open;
        options.split_bytes = split_bytes;
        options.whole_patches = whole_patches;
    });
    splits(memory(text), &options, &mut || Ok(())).expect("a text")
}

pub(super) fn read<R: Rows>(
    text: &[u8],
    split: &Split,
    open: &OpenOptions,
    rng: &mut Rng,
) -> (Vec<R>, Option<String>) {
    let split = Some(PartOf::decode(&split.state).expect("a state"));
    rows(text, &open.clone().with(|options| options.split = split), rng)
}

fn rows<R: Rows>(text: &[u8], open: &OpenOptions, rng: &mut Rng) -> (Vec<R>, Option<String>) {
    let pause = *rng.pick(&[1, 2, usize::MAX]);
    let read = R::read(source(text, rng), open, pause);
    (read.rows, read.error.map(|error| error.to_string()))
}

#[derive(Default)]
struct Tried {
    right: usize,
    wrong: usize,
    cut: usize,
}

/// Any tiling, and any splits, give the same rows and then the same error.
fn check<R: Rows + Debug>(name: &str, text: &[u8], open: &OpenOptions, rng: &mut Rng, tried: &mut Tried) {
    let whole = rows::<R>(text, open, rng);
    let shown = || format!("{name}: {}", String::from_utf8_lossy(text).escape_debug());
    let join = |parts: Vec<(Vec<R>, Option<String>)>| {
        let mut joined = (Vec::new(), None);
        for (rows, error) in parts {
            joined.0.extend(rows);
            joined.1 = error;
            if joined.1.is_some() {
                break;
            }
        }
        joined
    };
    for cuts in [1, 6] {
        let mut edges: Vec<_> = (0..cuts).map(|_| rng.below(text.len() + 1) as u64).collect();
        edges.push(0);
        edges.sort_unstable();
        edges.dedup();
        let parts = edges.iter().enumerate().map(|(at, &start)| {
            let range = open.clone().with(|options| {
                options.start = Some(start);
                options.end = edges.get(at + 1).copied();
            });
            rows::<R>(text, &range, rng)
        });
        let parts: Vec<_> = parts.collect();
        tried.cut += parts.iter().filter(|(rows, _)| !rows.is_empty()).count().saturating_sub(1);
        assert_eq!(join(parts), whole, "{edges:?} of {}", shown());
    }
    for split_bytes in [20, 200] {
        let plan = plan(text, open.clone(), split_bytes, open.committed);
        let parts: Vec<_> = plan.splits.iter().map(|split| read::<R>(text, split, open, rng)).collect();
        for (split, (rows, error)) in plan.splits.iter().zip(&parts) {
            if error.is_none() && !open.committed {
                assert!(split.rows.is_none_or(|count| count == rows.len() as u64), "{}", shown());
            }
        }
        tried.cut += parts.len() - 1;
        assert_eq!(join(parts), whole, "{split_bytes} bytes each of {}", shown());
    }
    *(if whole.1.is_none() { &mut tried.right } else { &mut tried.wrong }) += 1;
}

/// Damages some texts, and gives some a byte order mark or no line end at the end.
fn finish(mut text: String, rng: &mut Rng) -> Vec<u8> {
    if rng.percent(15) {
        text.insert(0, '\u{feff}');
    }
    if rng.percent(15) {
        let at = text.match_indices('\n').map(|(at, _)| at + 1).chain([0]).collect::<Vec<_>>();
        text.insert_str(*rng.pick(&at), word(rng, WRONG));
    }
    let mut text = text.into_bytes();
    if rng.percent(30) {
        text.truncate(text.trim_ascii_end().len());
    }
    if rng.percent(5) && !text.is_empty() {
        let at = rng.below(text.len());
        text[at] = *rng.pick(b"\n\"\xff.<>\r #");
    }
    text
}

#[test]
fn any_tiling_of_lines_is_the_whole() {
    let mut tried = Tried::default();
    for seed in seeds(50) {
        let mut rng = Rng::new(seed);
        let text = rdf_text(&mut rng);
        let text = finish(text, &mut rng);
        let open = options(rng.percent(20), false).with(|options| options.patch_format = None);
        check::<RdfRow>(&seed.to_string(), &text, &open, &mut rng, &mut tried);
    }
    assert!(tried.right > 20 && tried.wrong > 5 && tried.cut > 250, "{tried:?}");
}

#[test]
fn any_tiling_of_a_patch_is_the_whole() {
    let mut tried = Tried::default();
    for seed in seeds(60) {
        let mut rng = Rng::new(seed);
        let text = patch_text(&mut rng);
        let text = finish(text, &mut rng);
        check::<PatchRow>(&seed.to_string(), &text, &options(rng.percent(15), false), &mut rng, &mut tried);
    }
    assert!(tried.right > 20 && tried.wrong > 10 && tried.cut > 120, "{tried:?}");
}

#[test]
fn any_tiling_of_whole_patches_has_the_committed_rows() {
    let mut tried = Tried::default();
    for seed in seeds(50) {
        let mut rng = Rng::new(seed);
        let mut text = String::new();
        for patch in 0..rng.below(12) {
            text += &["H id <urn:", &patch.to_string(), "> .\n"].concat();
            for _ in 0..rng.below(3) {
                text += "TX .\n";
                for _ in 0..rng.below(3) {
                    text += &["A ", &statement(&mut rng, true, " "), " .\n"].concat();
                }
                text += word(&mut rng, &["TC .\n", "TC .\n", "TA .\n", "TC . Z .\n"]);
            }
            text += word(&mut rng, &["", "", "Z .\n", "# c\n", "A <urn:a> <urn:b> <urn:c> .\n", " "]);
        }
        let text = finish(text, &mut rng);
        check::<PatchRow>(&seed.to_string(), &text, &options(false, true), &mut rng, &mut tried);
    }
    assert!(tried.right > 20 && tried.wrong > 5 && tried.cut > 50, "{tried:?}");
}

/// A range has the lines that begin in it.
#[test]
fn a_line_belongs_to_the_range_that_it_begins_in() {
    let lines: Vec<_> = (0..20).map(|n| format!("<urn:a> <urn:b> \"{n}\" .\n")).collect();
    let (text, mut rng) = (lines.concat(), Rng::new(1));
    let mut read = 0;
    for start in (0..text.len() as u64).step_by(13) {
        for end in (start + 1..=text.len() as u64).step_by(17) {
            let range = options(false, false).with(|options| {
                options.start = Some(start);
                options.end = Some(end);
            });
            let (rows, error) = rows::<RdfRow>(text.as_bytes(), &range, &mut rng);
            assert_eq!(error, None);
            let mut at = 0;
            let begins = lines.iter().enumerate().filter(|(_, line)| {
                at += line.len() as u64;
                (start..end).contains(&(at - line.len() as u64))
            });
            let expected: Vec<_> = begins.map(|(number, _)| number as i64).collect();
            assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), expected, "{start}..{end}");
            read += rows.len();
        }
    }
    assert!(read > 100);
}

impl Debug for Tried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} right, {} wrong, {} cuts", self.right, self.wrong, self.cut)
    }
}
