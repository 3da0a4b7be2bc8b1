//! Parts of text that are refused: of another file, of formats that cannot be entered, over a limit.

use jelly_patch::decode::DecodeOptions;
use jelly_patch::format::PatchFormat;
use jelly_patch::open::{OpenOptions, PartOf};
use jelly_patch::{ErrorKind, Limits, With};

use super::text::{options, plan, read};
use super::{Rows, memory};
use crate::common::rows::PatchRow;
use crate::oracle::generate::rng::Rng;

fn refused(text: &[u8], open: &OpenOptions) -> (ErrorKind, String) {
    let read = PatchRow::read(memory(text), open, usize::MAX);
    let error = read.error.expect("an error");
    (error.kind(), error.message().to_owned())
}

#[test]
fn a_split_is_of_the_file_as_it_was() {
    let line = "A <urn:a> <urn:b> <urn:c> .\n";
    let text = line.repeat(40);
    let plan = plan(text.as_bytes(), options(false, false), 300, false);
    assert_eq!(plan.splits.len(), 4);
    for split in &plan.splits {
        let split = Some(PartOf::decode(&split.state).expect("a state"));
        let open = options(false, false).with(|options| options.split = split);
        let grown = text.clone() + line;
        assert_eq!(refused(grown.as_bytes(), &open).0, ErrorKind::Io);
        // other bytes at the start; fewer rows; a row that is no longer where it was
        assert_eq!(refused(text.replace("urn:a", "urn:x").as_bytes(), &open).0, ErrorKind::Io);
        let committed = open.clone().with(|options| options.committed = true);
        assert_eq!(refused(text.as_bytes(), &committed).0, ErrorKind::Argument);
        let both = open.clone().with(|options| options.start = Some(1));
        assert_eq!(refused(text.as_bytes(), &both).0, ErrorKind::Argument);
        let other = open.with(|options| options.patch_format = Some(PatchFormat::Thrift));
        assert_eq!(refused(text.as_bytes(), &other).0, ErrorKind::Argument);
    }
    let fewer = text.replacen(&line.repeat(4), &(line.repeat(3) + &"#".repeat(line.len() - 1) + "\n"), 1);
    let split = Some(PartOf::decode(&plan.splits[0].state).expect("a state"));
    let open = options(false, false).with(|options| options.split = split);
    assert_eq!(refused(fewer.as_bytes(), &open).0, ErrorKind::WireMark);
}

#[test]
fn what_cannot_be_entered_is_one_part_or_refused() {
    let text = b"A <urn:a> <urn:b> <urn:c> .\n".repeat(100);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &text).expect("memory");
    let (gzip, zstd) = (gzip.finish().expect("memory"), zstd::encode_all(&text[..], 1).expect("memory"));
    let v1 = options(false, false).with(|options| options.patch_format = Some(PatchFormat::RdfPatchV1));
    for (bytes, open) in [(&text, &v1), (&gzip, &options(false, false)), (&zstd, &options(false, false))] {
        let range = open.clone().with(|options| options.start = Some(28));
        let (kind, message) = refused(bytes, &range);
        assert_eq!(kind, ErrorKind::Argument);
        assert!(message.contains("cannot be read from the middle"), "{message}");
        let plan = plan(bytes, open.clone(), 50, true);
        assert_eq!(plan.splits.len(), 1);
        let (rows, error) = read::<PatchRow>(bytes, &plan.splits[0], open, &mut Rng::new(0));
        assert_eq!((rows.len(), error), (101, None));
    }
    let range = options(false, false).with(|options| options.start = Some(1 << 40));
    assert!(refused(&text, &range).1.contains("after the end"));
    let range = options(false, false).with(|options| {
        options.start = Some(9);
        options.end = Some(9);
    });
    assert_eq!(refused(&text, &range).0, ErrorKind::Argument);
}

/// A row that is too long is an error for all that come after it, and does not fill the memory.
#[test]
fn a_row_over_its_limit_ends_the_walk() {
    let long = format!("A <urn:a> <urn:b> \"\"\"{}\"\"\" .\n", "x\n".repeat(9000));
    let text = ["A <urn:a> <urn:b> <urn:c> .\n".repeat(10), long, "TX .\n".repeat(9)].concat();
    let limits = Limits::default().with(|options| options.row_bytes = 4096);
    let decode = DecodeOptions::default().with(|options| options.limits = limits);
    let open = options(false, false).with(|options| options.decode = decode);
    let plan = plan(text.as_bytes(), open.clone(), 100, false);
    assert!(plan.splits.len() > 1);
    let mut rng = Rng::new(0);
    let parts: Vec<_> =
        plan.splits.iter().map(|split| read::<PatchRow>(text.as_bytes(), split, &open, &mut rng)).collect();
    assert_eq!(parts.iter().map(|(rows, _)| rows.len()).sum::<usize>(), 10);
    assert!(
        parts.last().is_some_and(|(_, error)| error.as_ref().is_some_and(|e| e.contains("limit.row_bytes")))
    );
    let range = open.with(|options| options.start = Some(text.len() as u64 - 20));
    assert_eq!(refused(text.as_bytes(), &range).0, ErrorKind::LimitRow);
}
