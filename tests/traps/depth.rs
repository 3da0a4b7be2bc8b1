//! Nesting as deep as limits can say, on a small stack.

use jelly_patch::decode::{DecodeOptions, RdfDecoder};
use jelly_patch::push::{Push, PushState};
use jelly_patch::sink::{RdfRow, RdfSink, Sink};
use jelly_patch::term::TermBuf;

use crate::common::craft::{Frames, Term, blank, quoted, rdf};

const DEEPEST: usize = 256;

#[derive(Default)]
struct Keep(Vec<TermBuf>);

impl Sink for Keep {}

impl RdfSink for Keep {
    fn statement(&mut self, row: &RdfRow<'_>) -> jelly_patch::Result<()> {
        self.0.push(row.statement.terms[0].into());
        Ok(())
    }
}

fn nested(depth: usize) -> Term {
    (0..depth).fold(blank("x"), |term, _| quoted([term, blank("p"), blank("o")]))
}

fn decode(depth: usize, nesting: usize) -> Result<(Vec<TermBuf>, RdfDecoder), jelly_patch::Error> {
    let rows = [rdf::options(rdf::TRIPLES), rdf::triple([nested(depth), blank("p"), blank("o")])];
    let mut config = DecodeOptions::default();
    config.limits.nesting = nesting;
    let (mut decoder, mut keep) = (RdfDecoder::new(config), Keep::default());
    decoder.decode(&Frames::one(&rows).bytes(), &mut keep)?;
    Ok((keep.0, decoder))
}

#[test]
fn the_deepest_terms_fit_a_small_stack() {
    let work = || {
        let (terms, decoder) = decode(DEEPEST, usize::MAX).expect("deep, not too deep");
        let text = terms[0].as_term().to_string();
        assert_eq!(text.matches("<<(").count(), DEEPEST);
        assert_eq!(terms[0].clone(), terms[0]);
        let snapshot = decoder.snapshot().expect("between rows");
        let config = DecodeOptions::default();
        RdfDecoder::resume(config, &snapshot).expect_err("deeper than the default");
        let mut config = DecodeOptions::default();
        config.limits.nesting = DEEPEST;
        let again = RdfDecoder::resume(config, &snapshot).expect("the same limits");
        assert_eq!(again.snapshot().expect("again"), snapshot);
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn nesting_counts_levels() {
    for nesting in [0, 1, 2, 64, DEEPEST] {
        if nesting > 0 {
            assert_eq!(decode(nesting, nesting).map(|(terms, _)| terms.len()).ok(), Some(1), "{nesting}");
        }
        let error = decode(nesting + 1, nesting).map(drop).expect_err("too deep");
        assert_eq!(error.limit_name(), Some("nesting"));
    }
    assert!(decode(DEEPEST + 1, usize::MAX).is_err());
}
