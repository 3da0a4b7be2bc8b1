//! Streams that end just where a restart point is due: every one of them is its parts.

use jelly_patch::With;
use jelly_patch::encode::{EncodeOptions, PatchEncoder, RdfEncoder};
use jelly_patch::index::How;
use jelly_patch::io::Source;
use jelly_patch::options::{
    Features, LogicalType, PatchOptions, PatchStreamType, PhysicalType, RdfOptions, StatementType, TableSizes,
};
use jelly_patch::sink::{PatchOp, RdfSink, Statement};
use jelly_patch::term::Term;

use super::{Kept, Rows, part, whole};
use crate::common::rows::{PatchRow, RdfRow};
use crate::common::soak::costly;
use crate::common::vectors::assert_same;
use crate::oracle::generate::rng::Rng;

const NODE: Term<'static> = Term::BlankNode("b");
const IRI: Term<'static> = Term::iri("http://e.org/a");
const FEATURES: Features = Features { generalized_statements: false, rdf_star: false };

fn encode(rng: &mut Rng) -> EncodeOptions {
    EncodeOptions::patch().with(|options| {
        options.restart_bytes = Some(*rng.pick(&[0, 1, 30, 100]));
        options.frame_rows = *rng.pick(&[1, 1, 2, 3]);
    })
}

/// A few rows, with ends or without, by a writer that is closed at any place.
fn patches(rng: &mut Rng, stream_type: PatchStreamType) -> Option<Vec<u8>> {
    let statement_type = if rng.percent(50) { StatementType::Quads } else { StatementType::Triples };
    let options = PatchOptions {
        statement_type,
        stream_type,
        features: FEATURES,
        tables: TableSizes::default(),
        version: 1,
    };
    let mut encoder = PatchEncoder::new(options, encode(rng)).expect("right options");
    for _ in 0..rng.below(5) {
        let terms = [IRI, IRI, *rng.pick(&[NODE, IRI]), Term::DefaultGraph];
        let done = match rng.below(9) {
            0 => encoder.push(&PatchOp::Header { key: "id", value: IRI }),
            1 => encoder.push(&PatchOp::Begin),
            2 => encoder.push(&PatchOp::Commit),
            3 => encoder.push(&PatchOp::Abort),
            4 => encoder.push(&PatchOp::Delete(Statement::of(terms))),
            5 => encoder.end_patch(),
            6 => encoder.end_frame(),
            _ => encoder.push(&PatchOp::Add(Statement::of(terms))),
        };
        done.ok()?; // a second patch in a FLAT stream
    }
    encoder.finish().ok()?;
    Some(std::mem::take(encoder.output())).filter(|bytes| !bytes.is_empty())
}

fn statements(rng: &mut Rng, physical_type: PhysicalType) -> Vec<u8> {
    let options = RdfOptions {
        stream_name: String::new(),
        physical_type,
        logical_type: LogicalType(*rng.pick(&[0, 3, 4])),
        features: FEATURES,
        tables: TableSizes::default(),
        version: 1,
    };
    let mut encoder = RdfEncoder::new(options, encode(rng)).expect("right options");
    for _ in 0..rng.below(5) {
        let graph = match physical_type {
            PhysicalType::Triples => Term::DefaultGraph,
            _ => *rng.pick(&[NODE, IRI, Term::DefaultGraph]),
        };
        let done = match rng.below(8) {
            0 => encoder.end_frame(&[]),
            1 => encoder.graph_start(graph),
            2 => {
                drop(encoder.graph_start(graph).and_then(|()| encoder.graph_end()));
                Ok(())
            }
            _ => encoder.push(&Statement::of([IRI, IRI, *rng.pick(&[NODE, IRI]), graph])),
        };
        done.expect("a row");
    }
    encoder.finish().expect("a stream");
    std::mem::take(encoder.output())
}

/// Every pair of points, and every point to the end.
fn check<R: Rows>(name: &str, bytes: &[u8]) -> usize {
    let kept = Kept::new(bytes);
    let index = kept.index();
    assert_eq!((index.how, index.warnings.as_slice()), (How::Footer, [].as_slice()), "{name}");
    let read = whole::<R>(bytes);
    assert_eq!(read.warnings, [], "{name}");
    let rows = read.whole();
    let mut parts = 0;
    for (at, point) in index.points.iter().enumerate() {
        let ends = index.points[at + 1..].iter().map(|end| (Some(end.offset), end.counters.seq as usize));
        for (end, last) in ends.chain([(None, rows.len())]) {
            let got = R::read(Source::Path(kept.path()), &part(Some(point.offset), end), usize::MAX);
            assert_eq!(got.warnings, [], "{name}");
            let first = point.counters.seq as usize;
            assert_same(&format!("{name}, {}..{end:?}", point.offset), &got.whole(), &rows[first..last]);
            parts += 1;
        }
    }
    parts
}

#[test]
fn every_stream_is_its_parts() {
    let (mut of_patches, mut of_statements) = (0, 0);
    for seed in costly(1_500) {
        let mut rng = Rng::new(seed);
        for stream_type in PatchStreamType::ALL {
            if let Some(bytes) = patches(&mut rng, *stream_type) {
                of_patches += check::<PatchRow>(&format!("seed {seed} {stream_type:?}"), &bytes);
            }
        }
        for physical in PhysicalType::ALL {
            let bytes = statements(&mut rng, *physical);
            of_statements += check::<RdfRow>(&format!("seed {seed} {physical:?}"), &bytes);
        }
    }
    assert!(of_patches > 1_250 && of_statements > 1_250, "{of_patches} {of_statements}");
}
