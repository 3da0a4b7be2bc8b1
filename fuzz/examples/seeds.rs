//! Writes the inputs that fuzzing starts from: streams of the tests' generator, and small texts.
//!
//! `seeds FOLDER`: one folder for each target.

use std::fs;
use std::path::{Path, PathBuf};

use fuzzing::common::core::config;
use fuzzing::common::rows::{self, How};
use fuzzing::oracle::generate::mutate::damage;
use fuzzing::oracle::generate::{Format, stream};
use fuzzing::{Plan, collect, push};
use jelly_patch::With;
use jelly_patch::create::default_patch_options;
use jelly_patch::decode::{DecodeOptions, PatchDecoder, RdfDecoder};
use jelly_patch::encode::{EncodeOptions, PatchEncoder};
use jelly_patch::sink::{PatchRow, PatchSink, RdfRow, RdfSink, Sink};
use jelly_patch::text::{LinesWriter, PatchTextWriter};
use jelly_patch::thrift::ThriftWriter;

const STREAMS: u64 = 300;
/// Larger streams only slow the fuzzer down.
const MOST: usize = 4 << 10;

const LINES: &[&str] = &[
    "<http://e/s> <http://e/p> \"x\"@en <http://e/g> . # c\n",
    "_:b <http://e/p> <<( <http://e/s> <http://e/p> \"a\\n\\u0041\\U0001F600\"^^<http://e/t> )>> .\r\n",
    "<<<http://e/s><http://e/p>\"1\"@de--ltr>> <http://e/p> _:c.d .\n",
];
const PATCHES: &[&str] = &[
    "H id <uuid:1> .\nH \"a b\" 'x' .\nTX .\nPA ex <http://e/> _:g .\nPD \"ex\" .\nTC .\nZ .\n",
    "A _:a <urn:p> 5 <urn:x-arq:DefaultGraph> . D <_:b/c> <urn:p> \"\"\"1\n\"\"\"@en--ltr <urn:g> .\n",
    "A << <urn:s> <urn:p> _:o >> <urn:p> true . A <u:s> <u:p> 1.5e3 . # c\n",
    "@prefix e: <http://e/> . A e:s e:p \"x\"^^e:t . A R R R e:g . D R <u:p> R R .\n",
];

struct Whole<W>(W);

impl<W> Sink for Whole<W> {}

impl<W: RdfSink> RdfSink for Whole<W> {
    fn statement(&mut self, row: &RdfRow<'_>) -> jelly_patch::Result<()> {
        self.0.statement(row)
    }
}

impl<W: PatchSink> PatchSink for Whole<W> {
    fn row(&mut self, row: &PatchRow<'_>) -> jelly_patch::Result<()> {
        self.0.row(row)
    }
}

struct Seeds {
    folder: PathBuf,
    written: usize,
}

impl Seeds {
    fn write(&mut self, target: &str, flags: u8, how: How, stream: &[u8]) {
        if stream.len() > MOST {
            return;
        }
        let folder = self.folder.join(target);
        fs::create_dir_all(&folder).expect("a folder");
        let plan = Plan { flags, chunk: 1 + self.written % 200, pause: 1 + self.written % 7, how };
        let name = format!("seed-{}", self.written);
        fs::write(folder.join(name), plan.input(stream)).expect("room");
        self.written += 1;
    }

    fn rdf(&mut self, bytes: &[u8], how: How) {
        self.write("rdf", 0, how, bytes);
        self.write("columns", 3 << 3, how, bytes);
        self.write("encode", 1, how, bytes);
        let rows = collect::<rows::RdfRow>(RdfDecoder::new(config(how)), bytes, usize::MAX, usize::MAX).rows;
        let cells =
            |row: &rows::RdfRow| [&row.subject, &row.predicate, &row.object, &row.graph].map(String::clone);
        let cells: Vec<String> = rows.iter().flat_map(cells).collect();
        self.write("encode", 5, how, cells.join("\n").as_bytes());
        let mut text = Whole(LinesWriter::quads());
        let options = DecodeOptions::default().with(|options| options.lenient_flags = true);
        if push(RdfDecoder::new(options), bytes, &mut text).is_ok() && text.0.finish().is_ok() {
            self.lines(&std::mem::take(text.0.output()));
        }
    }

    fn lines(&mut self, text: &[u8]) {
        for flags in 0..8 {
            self.write("lines", flags, How::default(), text);
            self.write("columns", flags, How::default(), text);
        }
        self.write("encode", 0, How::default(), text);
    }

    fn patch(&mut self, bytes: &[u8], how: How) {
        self.write("patch", 0, how, bytes);
        self.write("columns", 4 << 3, how, bytes);
        self.write("encode", 4, how, bytes);
        let decoder =
            || PatchDecoder::new(DecodeOptions::default().with(|options| options.lenient_flags = true));
        let mut text = Whole(PatchTextWriter::new(false));
        if push(decoder(), bytes, &mut text).is_ok() && text.0.finish().is_ok() {
            self.rdf_patch(&std::mem::take(text.0.output()));
        }
        let mut thrift = Whole(ThriftWriter::new());
        if push(decoder(), bytes, &mut thrift).is_ok() && thrift.0.finish().is_ok() {
            let thrift = std::mem::take(thrift.0.output());
            self.write("thrift", 0, How::default(), &thrift);
            self.write("columns", 2 << 3, How::default(), &thrift);
            self.write("encode", 3, How::default(), &thrift);
        }
        let encode = EncodeOptions::patch().with(|options| {
            options.restart_bytes = Some(64);
            options.frame_rows = 8;
        });
        let mut seekable =
            Whole(PatchEncoder::new(default_patch_options(), encode).expect("these options can be"));
        if push(decoder(), bytes, &mut seekable).is_ok() && seekable.0.finish().is_ok() {
            let seekable = std::mem::take(seekable.0.output());
            self.write("seekable", 0, How::default(), &seekable);
            self.write("seekable", 1, How::default(), &seekable);
        }
    }

    fn rdf_patch(&mut self, text: &[u8]) {
        for flags in 0..6 {
            self.write("rdf_patch", flags, How::default(), text);
            self.write("columns", 1 << 3 | flags & 1, How::default(), text);
        }
        self.write("encode", 2, How::default(), text);
    }
}

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let mut seeds = Seeds { folder: Path::new(&folder).to_owned(), written: 0 };
    for seed in 0..STREAMS {
        let stream = stream(seed);
        let damaged = damage(seed);
        match stream.format {
            Format::Rdf => seeds.rdf(&stream.bytes(), stream.how),
            Format::Patch => seeds.patch(&stream.bytes(), stream.how),
        }
        let target = if damaged.format == Format::Rdf { "rdf" } else { "patch" };
        seeds.write(target, 0, damaged.how, &damaged.bytes);
    }
    LINES.iter().for_each(|text| seeds.lines(text.as_bytes()));
    PATCHES.iter().for_each(|text| seeds.rdf_patch(text.as_bytes()));
    println!("{} seeds in {folder}", seeds.written);
}
