//! Record batches, read back into plain rows.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use jelly_patch::Error;
use jelly_patch::arrow::{BatchReader, Batches, ReadOptions, read_patch, read_rdf};
use jelly_patch::io::Source;
use jelly_patch::reader::Feed;
use jelly_patch::sink::Sink;

use super::rows::{PatchRow, RdfRow};

/// All batches of a source, and how it ended.
pub struct Read {
    pub batches: Vec<RecordBatch>,
    pub error: Option<Error>,
}

/// Bytes that can be opened again.
pub fn memory(bytes: &[u8]) -> Source {
    Source::Bytes(Arc::new(bytes.to_vec()))
}

/// Bytes that can be read once.
pub fn pipe(bytes: &[u8]) -> Source {
    Source::Reader(Box::new(Cursor::new(bytes.to_vec())))
}

pub fn rdf(source: Source, options: &ReadOptions) -> Read {
    match read_rdf(source, options) {
        Ok(mut reader) => drain(&mut reader, |feed| feed.decoder().consumed()),
        Err(error) => Read {
            batches: vec![],
            error: Some(error),
        },
    }
}

pub fn patch(source: Source, options: &ReadOptions) -> Read {
    match read_patch(source, options) {
        Ok(mut reader) => drain(&mut reader, |feed| feed.reader().decoder().consumed()),
        Err(error) => Read {
            batches: vec![],
            error: Some(error),
        },
    }
}

fn drain<F: Feed<B>, B: Batches + Sink>(
    reader: &mut BatchReader<F, B>,
    bytes_in: impl Fn(&F) -> u64,
) -> Read {
    let mut batches = Vec::new();
    let error = loop {
        match reader.next_batch(&mut || Ok(()), &bytes_in) {
            Ok(Some(batch)) => {
                assert_eq!(batch.schema(), reader.schema());
                assert!(batch.num_rows() > 0, "an empty batch");
                batches.push(batch);
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let after = reader.next_batch(&mut || Ok(()), &bytes_in);
    assert!(matches!(after, Ok(None)), "nothing comes after the end");
    Read { batches, error }
}

/// The values of a column of text; `None` where it is not there.
pub fn texts(batch: &RecordBatch, name: &str) -> Option<Vec<Option<String>>> {
    let column = batch.column_by_name(name)?.as_string::<i32>();
    Some(
        column
            .iter()
            .map(|value| value.map(str::to_owned))
            .collect(),
    )
}

/// The values of a column of numbers.
pub fn numbers(batch: &RecordBatch, name: &str) -> Option<Vec<Option<i64>>> {
    Some(
        batch
            .column_by_name(name)?
            .as_primitive::<Int64Type>()
            .iter()
            .collect(),
    )
}

pub fn rdf_rows(batches: &[RecordBatch]) -> Vec<RdfRow> {
    let rows = |batch: &RecordBatch| -> Vec<RdfRow> {
        let text = |name, row: usize| {
            texts(batch, name).expect("a column")[row]
                .clone()
                .expect("no null")
        };
        let number =
            |name, row: usize| numbers(batch, name).expect("a column")[row].expect("no null");
        (0..batch.num_rows())
            .map(|row| RdfRow {
                frame: number("frame", row),
                seq: number("seq", row),
                subject: text("subject", row),
                predicate: text("predicate", row),
                object: text("object", row),
                graph: text("graph", row),
            })
            .collect()
    };
    batches.iter().flat_map(rows).collect()
}

pub fn patch_rows(batches: &[RecordBatch]) -> Vec<PatchRow> {
    let rows = |batch: &RecordBatch| -> Vec<PatchRow> {
        let text = |name, row: usize| texts(batch, name).expect("a column")[row].clone();
        let number = |name, row: usize| numbers(batch, name).expect("a column")[row];
        (0..batch.num_rows())
            .map(|row| PatchRow {
                patch: number("patch", row).expect("no null"),
                txn: number("txn", row),
                seq: number("seq", row).expect("no null"),
                op: text("op", row).expect("no null"),
                subject: text("subject", row),
                predicate: text("predicate", row),
                object: text("object", row),
                graph: text("graph", row),
                name: text("name", row),
                value: text("value", row),
            })
            .collect()
    };
    batches.iter().flat_map(rows).collect()
}

/// kind, value, datatype and language of each row of a column of structs.
pub fn structs(batch: &RecordBatch, name: &str) -> Vec<Option<[Option<String>; 4]>> {
    let column = batch.column_by_name(name).expect("a column").as_struct();
    let part = |place: usize, row: usize| {
        let part = column.column(place).as_string::<i32>();
        part.is_valid(row).then(|| part.value(row).to_owned())
    };
    (0..column.len())
        .map(|row| {
            let parts = [0, 1, 2, 3].map(|place| part(place, row));
            if column.is_null(row) {
                assert_eq!(parts, [const { None }; 4]);
            }
            column.is_valid(row).then_some(parts)
        })
        .collect()
}
