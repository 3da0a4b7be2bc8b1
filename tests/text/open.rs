//! Sources of text, opened as any other: by content, name, or told; committed rows; the formats of a library.

use std::io::{Cursor, Read};
use std::sync::Arc;

use jelly_patch::With;
use jelly_patch::decode::DecodeOptions;
use jelly_patch::io::Source;
use jelly_patch::open::{OpenOptions, open_patch, open_rdf};
use jelly_patch::text::TurtleWriter;
use jelly_patch::{ErrorKind, PatchFormat, PatchOpBuf, RdfFormat};

use crate::common::core::Collect;
use crate::common::rows::{Decoded, PatchRow, RdfRow};

fn options(name: &str) -> OpenOptions {
    let decode = DecodeOptions::default().with(|options| options.source = Some(Arc::from(name)));
    OpenOptions::default().with(|options| options.decode = decode)
}

fn memory(text: &str) -> Source {
    Source::Bytes(Arc::new(text.as_bytes().to_vec()))
}

fn rdf(text: &str, options: &OpenOptions) -> Decoded<RdfRow> {
    let mut sink = Collect::new(usize::MAX);
    let mut rows = open_rdf(memory(text), options).expect("a format");
    match rows.advance(&mut sink, &mut || Ok(())) {
        Ok(done) => assert!(done),
        Err(error) => {
            sink.decoded.error = Some(crate::common::rows::Fault {
                class: crate::common::rows::Class::Other,
                what: error.to_string(),
            });
        }
    }
    sink.decoded
}

fn triples(text: &str, name: &str) -> Vec<String> {
    let decoded = rdf(text, &options(name));
    assert_eq!(decoded.error, None, "{text}");
    let columns =
        |row: &RdfRow| [&row.subject, &row.predicate, &row.object, &row.graph].map(String::clone).join(" ");
    decoded.rows.iter().map(|row| columns(row).trim_end().to_owned()).collect()
}

const TRIG: &str = "@prefix ex: <urn:ex:> .\nex:s a ex:C ; ex:p [ ex:q \"x\"@EN ], _:anon-0 .\n\
    ex:g { ex:s ex:p 1, true, <<( ex:s ex:p _:b )>>, \"r\"@ar--rtl }\n";

#[test]
fn other_syntaxes() {
    let rows = [
        "<urn:ex:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:ex:C>",
        "_:anon-0 <urn:ex:q> \"x\"@EN",
        "<urn:ex:s> <urn:ex:p> _:anon-0",
        "<urn:ex:s> <urn:ex:p> _:anon-anon-0",
        "<urn:ex:s> <urn:ex:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:ex:g>",
        "<urn:ex:s> <urn:ex:p> \"true\"^^<http://www.w3.org/2001/XMLSchema#boolean> <urn:ex:g>",
        "<urn:ex:s> <urn:ex:p> <<( <urn:ex:s> <urn:ex:p> _:b )>> <urn:ex:g>",
        "<urn:ex:s> <urn:ex:p> \"r\"@ar--rtl <urn:ex:g>",
    ];
    let mut got = triples(TRIG, "x");
    assert_eq!(got.len(), rows.len());
    let mut rows = rows.map(str::to_owned).to_vec();
    got.sort();
    rows.sort();
    assert_eq!(got, rows);
    assert_eq!(rdf(TRIG, &options("x")).namespaces, [("ex".to_owned(), "<urn:ex:>".to_owned())]);
    assert_eq!(rdf(TRIG, &options("x")), rdf(TRIG, &options("x")), "random labels");
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='urn:e:'>\
        <rdf:Description rdf:about='urn:s'><e:p>o</e:p></rdf:Description></rdf:RDF>";
    assert_eq!(triples(xml, "x"), ["<urn:s> <urn:e:p> \"o\""]);
    assert_eq!(triples("{\"@id\": \"urn:s\", \"urn:p\": \"o\"}", "x"), ["<urn:s> <urn:p> \"o\""]);
}

#[test]
fn errors_of_other_syntaxes_have_their_place() {
    for (text, name, kind, place) in [
        ("<urn:s> <urn:p>\n <rel> .\n", "x.ttl", "text.iri", "line 2, column 2"),
        ("@prefix ex: <urn:ex:> .\n\nex:s ex:p no:x .\n", "x.trig", "text.syntax", "line 3, column 11"),
    ] {
        let error = rdf(text, &options(name)).error.expect("an error").what;
        assert!(
            error.starts_with(&format!("{kind}: ")) && error.contains(place) && error.contains(name),
            "{error}"
        );
    }
    let deep =
        format!("<urn:s> <urn:p> {}<urn:o>{} .", "<<( <urn:s> <urn:p> ".repeat(5000), " )>>".repeat(5000));
    let error = rdf(&deep, &options("x.ttl")).error.expect("an error").what;
    assert!(error.starts_with("limit.nesting"), "{error}");
    let remote = "{\"@context\": \"http://example.org/c\", \"@id\": \"urn:s\"}";
    assert!(rdf(remote, &options("x")).error.is_some(), "nothing is fetched");
}

#[test]
fn turtle_and_trig_come_back() {
    let mut writer = TurtleWriter::trig();
    let mut rows = open_rdf(memory(TRIG), &options("x")).expect("a format");
    assert!(rows.advance(&mut writer, &mut || Ok(())).expect("rows"));
    writer.finish().expect("the end");
    let text = String::from_utf8(std::mem::take(writer.output())).expect("UTF-8");
    assert!(text.starts_with("@prefix ex: <urn:ex:> .\n") && text.contains("ex:g {"), "{text}");
    let written = triples(&text, "x");
    let labels = |row: &String| row.replace("anon-", "");
    assert_eq!(
        written.iter().map(labels).collect::<Vec<_>>(),
        triples(TRIG, "x").iter().map(labels).collect::<Vec<_>>()
    );

    let write = |text: &str, mut writer: TurtleWriter| {
        let given = options("x").with(|options| {
            options.rdf_format = Some(RdfFormat::NQuads);
            options.decode.lenient_flags = true;
            options.decode.source = None;
        });
        let mut rows = open_rdf(memory(text), &given).expect("a format");
        let done = rows.advance(&mut writer, &mut || Ok(()));
        done.and_then(|_| writer.finish())
            .map(|()| String::from_utf8(std::mem::take(writer.output())).expect("UTF-8"))
    };
    let odd = "<urn:\\u0020\\u003E> <\\u005F:p> \"\\u0001\\\"\"^^<urn:\\u007B> .\n";
    let turtle = write(odd, TurtleWriter::turtle()).expect("rows");
    assert!(turtle.contains("<urn:\\u0020\\u003E> <\\u005F:p>"), "{turtle}");
    assert_eq!(triples(&turtle, "x.ttl").len(), 1);
    for (text, kind) in [
        ("<urn:s> <urn:p> <urn:o> <urn:g> .", ErrorKind::EncodeGraph),
        ("\"s\" <urn:p> <urn:o> .", ErrorKind::EncodeGeneralized),
        ("<urn:s> _:p <urn:o> .", ErrorKind::EncodeGeneralized),
        ("<<( <urn:s> <urn:p> <urn:o> )>> <urn:p> <urn:o> .", ErrorKind::EncodeGeneralized),
        ("<_:a b> <urn:p> <urn:o> .", ErrorKind::TextIri),
        ("<_:a/b> <urn:p> <urn:o> .", ErrorKind::EncodeLabel),
        ("<urn:s> <urn:p> <o\\u0020> .", ErrorKind::EncodeTerm),
    ] {
        assert_eq!(write(text, TurtleWriter::turtle()).expect_err(text).kind(), kind);
    }
}

const LOG: &str = "H id <urn:1> .\nTX .\nA <urn:s> <urn:p> <urn:1> .\nTC .\nTX .\nA <urn:s> <urn:p> <urn:2> .\nTA .\n\
    H id <urn:2> .\nA <urn:s> <urn:p> <urn:3> .\nPA \"ex\" \"urn:\" .\nZ .\nTX .\nD <urn:s> <urn:p> _:b.\nTC.";

#[test]
fn committed_rows_of_text() {
    for once in [false, true] {
        let mut sink: Collect<PatchRow> = Collect::new(usize::MAX);
        let source = if once { Source::Reader(Box::new(Slow(Cursor::new(LOG)))) } else { memory(LOG) };
        let options = options("x.rdfp").with(|options| options.committed = true);
        let mut reader = open_patch(source, &options).expect("a format");
        while !reader.advance(&mut sink, &mut || Ok(())).expect("rows") {}
        let rows: Vec<_> = sink.decoded.rows.iter().map(|row| (row.patch, super::line(row))).collect();
        let expected = [
            (0, "A <urn:s> <urn:p> <urn:1>"),
            (1, "A <urn:s> <urn:p> <urn:3>"),
            (1, "PA ex <urn:>"),
            (2, "D <urn:s> <urn:p> _:b"),
        ];
        assert_eq!(rows, expected.map(|(patch, row)| (patch, row.to_owned())));
    }
}

/// The rows of each patch as text, and the error after them.
fn patches(text: &str, committed: bool) -> (Vec<Vec<String>>, Option<ErrorKind>) {
    let options = options("x.rdfp").with(|options| options.committed = committed);
    let mut patches = Vec::new();
    for patch in open_patch(memory(text), &options).expect("a format").patches() {
        match patch {
            Ok(rows) => patches.push(
                rows.iter()
                    .map(|row| match &row.op {
                        PatchOpBuf::Add(statement) => format!("A {statement}"),
                        PatchOpBuf::Delete(statement) => format!("D {statement}"),
                        other => {
                            format!("{other:?}").chars().take_while(|letter| letter.is_alphabetic()).collect()
                        }
                    })
                    .collect(),
            ),
            Err(error) => return (patches, Some(error.kind())),
        }
    }
    (patches, None)
}

#[test]
fn patches_one_by_one() {
    let [add, other] = ["A <urn:s> <urn:p> <urn:1>", "A <urn:s> <urn:p> <urn:2>"];
    let (all, error) = patches(LOG, false);
    assert_eq!(error, None);
    assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [8, 4, 4]);
    assert_eq!(all[0], ["Header", "Begin", add, "Commit", "Begin", other, "Abort", "End"]);
    let (committed, error) = patches(LOG, true);
    assert_eq!(error, None);
    assert_eq!(committed[0], [add]);
    assert_eq!(committed.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 1]);
    let cut = format!("{LOG}\nZ .\nTX .\n{add} .\nH id <urn:4> .");
    let (before, error) = patches(&cut, true);
    assert_eq!((before, error), (committed, Some(ErrorKind::PatchUnfinished)));
    let (before, error) = patches(&format!("{LOG}\nZ .\n{add} .\nA <urn:s"), false);
    assert_eq!((before, error), (all, Some(ErrorKind::TruncatedRow)));
}

#[test]
fn statements_one_by_one() {
    let line = |at| format!("<urn:s> <urn:p> \"{at}\" <urn:g> .\n");
    let lines = (0..1000).map(line).collect::<Vec<_>>().concat();
    let rows = || open_rdf(memory(&lines), &options("x.nq")).expect("a format").rows();
    let written: Vec<String> = rows().map(|row| row.expect("a statement").to_string() + " .\n").collect();
    assert_eq!(written.concat(), lines);
    let mut cut = open_rdf(memory(&format!("{lines}<urn:s> <")), &options("x.nq")).expect("a format").rows();
    assert_eq!(cut.by_ref().take(1000).flatten().count(), 1000);
    assert!(cut.next().is_some_and(|row| row.is_err()) && cut.next().is_none());
    assert_eq!(cut.source().decoder().progress().rows, 1000);
}

/// Gives three bytes at a time.
struct Slow<R>(R);

impl<R: Read> Read for Slow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(3);
        self.0.read(&mut buffer[..most])
    }
}

#[test]
fn formats_are_found_or_refused() {
    let patch = |text: &str, options: &OpenOptions| {
        open_patch::<Collect<PatchRow>>(memory(text), options).err().map(|error| error.kind())
    };
    let refused = |text: &str| patch(text, &options("x"));
    assert_eq!(refused("<urn:s> <urn:p> <urn:o> ."), Some(ErrorKind::WireFormat));
    assert_eq!(refused(LOG), None);
    let refused = open_rdf::<Collect<RdfRow>>(memory(LOG), &options("x"));
    assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::OptionsFormat));
    let given = options("x").with(|options| options.patch_format = Some(PatchFormat::RdfPatch));
    assert_eq!(patch("<urn:s>", &given), None);
    let resume = given.with(|options| options.resume = Some(Vec::new()));
    assert_eq!(patch(LOG, &resume), Some(ErrorKind::Argument));
}
