//! Where patches end in Thrift is where they end in text: both writers refuse the same rows, and readers of both find
//! the same patches.

use super::read;
use crate::common::core::Collect;
use crate::common::rows::PatchRow;
use crate::common::soak::seeds;
use crate::oracle::generate::rng::Rng;
use jelly_patch::rows::RowDecoder;
use jelly_patch::sink::{PatchEnd, PatchOp, PatchRow as SinkRow, PatchSink, Same, Statement};
use jelly_patch::term::Term;
use jelly_patch::text::{PatchDialect, PatchTextWriter, TextRows};
use jelly_patch::thrift::ThriftWriter;
use jelly_patch::{ErrorKind, Limits, Result};

const LETTERS: [char; 8] = ['H', 'A', 'P', '(', ')', '!', 'Z', '|'];

fn op(letter: char) -> PatchOp<'static> {
    let node = Term::BlankNode("b");
    match letter {
        'H' => PatchOp::Header { key: "id", value: node },
        'A' => PatchOp::Add(Statement { terms: [node, node, node, Term::DefaultGraph], same: Same::NONE }),
        'P' => PatchOp::DeletePrefix { name: "e", iri: None, graph: Term::DefaultGraph },
        '(' => PatchOp::Begin,
        ')' => PatchOp::Commit,
        '!' => PatchOp::Abort,
        _ => PatchOp::End(PatchEnd::Mark),
    }
}

/// Gives the rows to a writer; `|` begins a patch without an end before it.
fn write(letters: &[char], sink: &mut impl PatchSink) -> Result<()> {
    let (mut patch, mut seq) = (0, 0);
    for &letter in letters {
        if letter == '|' {
            patch += 1;
            continue;
        }
        sink.row(&SinkRow { patch, txn: None, seq, op: op(letter) })?;
        patch += u64::from(letter == 'Z');
        seq += 1;
    }
    Ok(())
}

fn boundaries(rows: &[PatchRow]) -> Vec<(i64, &str)> {
    rows.iter().map(|row| (row.patch, row.op.as_str())).collect()
}

#[test]
fn they_are_those_of_text() {
    let (mut written, mut refused, mut patches) = (0, 0, 0);
    let limits = Limits::default();
    for seed in seeds(3_000) {
        let mut rng = Rng::new(seed);
        let letters: Vec<char> = (0..rng.below(12)).map(|_| *rng.pick(&LETTERS)).collect();
        let (mut text, mut thrift) = (PatchTextWriter::new(false), ThriftWriter::new());
        let done = [write(&letters, &mut text), write(&letters, &mut thrift)];
        if let [Err(one), Err(other)] = &done {
            assert_eq!((one.kind(), one.kind()), (other.kind(), ErrorKind::EncodeHeader), "{letters:?}");
            assert_eq!(one.position(), other.position(), "{letters:?}");
            refused += 1;
            continue;
        }
        assert!(done.iter().all(Result::is_ok), "{letters:?}: {done:?}");
        text.finish().expect("memory");
        thrift.finish().expect("memory");
        let rows_of_text = TextRows::patch(PatchDialect::Any, false, &limits);
        let rows_of_text = RowDecoder::new(rows_of_text, &limits, None);
        let mut of_text = Collect::<PatchRow>::new(usize::MAX);
        of_text.run(rows_of_text, text.output(), usize::MAX);
        let (of_text, of_thrift) = (of_text.decoded, read(thrift.output()));
        assert_eq!((of_text.error, of_thrift.error), (None, None), "{letters:?}");
        assert_eq!(boundaries(&of_text.rows), boundaries(&of_thrift.rows), "{letters:?}");
        // and they are those that were written
        if !letters.contains(&'|') {
            let count = letters.iter().filter(|&&letter| letter == 'Z').count();
            let open = letters.last().is_some_and(|&letter| letter != 'Z');
            let found = of_thrift.rows.iter().filter(|row| row.op == "Z").count();
            assert_eq!(found, count + usize::from(open), "{letters:?}");
        }
        patches += of_text.rows.iter().filter(|row| row.op == "Z").count();
        written += 1;
    }
    assert!(written > 1_000 && refused > 500 && patches > 2_000, "{written} {refused} {patches}");
}
