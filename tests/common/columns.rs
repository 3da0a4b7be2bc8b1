//! The way of columns through a reader, to be compared with the way of terms.

use arrow_array::RecordBatch;
use jelly_patch::arrow::{BatchSettings, Batches};
use jelly_patch::push::Push;
use jelly_patch::sink::Sink;
use jelly_patch::{Limits, With};

use super::rows::Decoded;

/// Batches of so many rows.
pub fn settings(rows: usize) -> BatchSettings {
    BatchSettings::default()
        .with(|options| options.limits = Limits::default().with(|inner| inner.batch_rows = rows))
}

/// The batches of an input in two pieces, and its error.
pub fn batches<S: Batches + Sink>(
    mut decoder: impl Push<S>,
    mut sink: S,
    pieces: [&[u8]; 2],
) -> (Vec<RecordBatch>, Option<String>) {
    let mut batches = Vec::new();
    let mut run = || {
        for mut piece in pieces {
            while !piece.is_empty() {
                piece = &piece[decoder.decode(piece, &mut sink)?..];
                if sink.is_full() {
                    batches.push(sink.take()?);
                }
            }
        }
        while !decoder.finish(&mut sink)? {
            batches.push(sink.take()?);
        }
        Ok(())
    };
    let done: jelly_patch::Result<()> = run();
    if sink.rows() > 0 {
        batches.push(sink.take().expect("a batch"));
    }
    (batches, done.err().map(|error| error.to_string()))
}

/// The rows and the error of columns are those of terms.
pub fn same<R: PartialEq + std::fmt::Debug>(
    text: &[u8],
    cut: usize,
    terms: &Decoded<R>,
    (rows, error): (Vec<R>, Option<String>),
) {
    let shown = || format!("cut at {cut}: {}", text.escape_ascii());
    let different = terms.rows.iter().zip(&rows).find(|(terms, columns)| terms != columns);
    assert!(different.is_none(), "{different:?}, {}", shown());
    assert_eq!(rows.len(), terms.rows.len(), "{}", shown());
    assert_eq!(error, terms.error.as_ref().map(|error| error.what.clone()), "{}", shown());
}
