//! Batches of parts: scoped blank nodes depend on source and frame only.

use jelly_patch::With;
use jelly_patch::arrow::{BatchSettings, BlankNodes, ReadOptions};
use jelly_patch::encode::EncodeOptions;
use jelly_patch::index::restart_points;
use jelly_patch::io::Source;
use jelly_patch::options::{Features, LogicalType, RdfOptions};

use super::{Kept, part};
use crate::common::batches;
use crate::common::core::config;
use crate::common::encode::Recode;
use crate::common::rows::RdfRow;
use crate::common::vectors::assert_same;
use crate::oracle::generate::{Format, stream};

fn read(kept: &Kept, start: Option<u64>, end: Option<u64>, blank_nodes: BlankNodes) -> Vec<RdfRow> {
    let mut open = part(start, end);
    open.decode.source = Some("a.jelly".into());
    let batch = BatchSettings::default().with(|options| options.blank_nodes = blank_nodes);
    let options = ReadOptions::default().with(|options| {
        options.open = open;
        options.batch = batch;
    });
    let read = batches::rdf(Source::Path(kept.path()), &options);
    assert!(read.error.is_none(), "{:?}", read.error);
    batches::rdf_rows(&read.batches)
}

#[test]
fn parts_have_the_labels_of_the_whole() {
    let (mut parts, mut scoped) = (0, 0);
    for seed in 0..400 {
        let stream = stream(seed);
        if stream.format != Format::Rdf {
            continue;
        }
        let logical = LogicalType([0, 3, 4][seed as usize % 3]);
        let all = Features { generalized_statements: true, rdf_star: true };
        let change = |options: &mut RdfOptions| (options.features, options.logical_type) = (all, logical);
        let encode = EncodeOptions::rdf().with(|options| {
            options.restart_bytes = Some(0);
            options.frame_rows = 2;
        });
        let recode = Recode { rdf: &change, ..Recode::new(encode) };
        let Ok(bytes) = recode.rdf(&stream.bytes(), config(stream.how)) else { continue };
        let kept = Kept::new(&bytes);
        let points = restart_points(&kept.path(), None).expect("a file").points;
        let whole = read(&kept, None, None, BlankNodes::Scoped);
        let mut got = Vec::new();
        for (number, point) in points.iter().enumerate() {
            let end = points.get(number + 1).map(|end| end.offset);
            got.extend(read(&kept, Some(point.offset), end, BlankNodes::Scoped));
            parts += 1;
        }
        assert_same(&format!("seed {seed}"), &got, &whole);
        scoped += usize::from(got != read(&kept, None, None, BlankNodes::Keep));
    }
    assert!(parts > 500 && scoped > 50, "{parts} {scoped}");
}
