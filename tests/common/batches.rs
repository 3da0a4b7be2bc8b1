//! Record batches, read back into plain rows.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use jelly_patch::With;
use jelly_patch::arrow::{ReadBatches, ReadOptions, read_patch, read_rdf};
use jelly_patch::decode::DecodeOptions;
use jelly_patch::io::Source;
use jelly_patch::open::OpenOptions;
use jelly_patch::{Error, PatchFormat, RdfFormat};

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
        Ok(mut reader) => drain(&mut reader),
        Err(error) => Read { batches: vec![], error: Some(error) },
    }
}

/// Of a stream whose format is told.
pub fn given(decode: DecodeOptions) -> ReadOptions {
    let open = OpenOptions::default().with(|options| {
        options.rdf_format = Some(RdfFormat::Jelly);
        options.patch_format = Some(PatchFormat::Jelly);
        options.decode = decode;
    });
    ReadOptions::default().with(|options| options.open = open)
}

pub fn patch(source: Source, options: &ReadOptions) -> Read {
    match read_patch(source, options) {
        Ok(mut reader) => drain(&mut reader),
        Err(error) => Read { batches: vec![], error: Some(error) },
    }
}

fn drain(reader: &mut dyn ReadBatches) -> Read {
    let mut batches = Vec::new();
    let error = loop {
        match reader.next_batch(&mut || Ok(())) {
            Ok(Some(batch)) => {
                assert_eq!(batch.schema(), reader.schema());
                assert!(batch.num_rows() > 0, "an empty batch");
                batches.push(batch);
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let after = reader.next_batch(&mut || Ok(()));
    assert!(matches!(after, Ok(None)), "nothing comes after the end");
    Read { batches, error }
}

/// The values of a column of text; `None` where it is not there.
pub fn texts(batch: &RecordBatch, name: &str) -> Option<Vec<Option<String>>> {
    let column = batch.column_by_name(name)?.as_string::<i32>();
    Some(column.iter().map(|value| value.map(str::to_owned)).collect())
}

/// The values of a column of numbers.
pub fn numbers(batch: &RecordBatch, name: &str) -> Option<Vec<Option<i64>>> {
    Some(batch.column_by_name(name)?.as_primitive::<Int64Type>().iter().collect())
}

pub fn rdf_rows(batches: &[RecordBatch]) -> Vec<RdfRow> {
    batches.iter().flat_map(rdf_batch).collect()
}

fn rdf_batch(batch: &RecordBatch) -> Vec<RdfRow> {
    let [frame, seq] = ["frame", "seq"].map(|name| numbers(batch, name).expect("a column"));
    let terms = ["subject", "predicate", "object", "graph"];
    let terms = terms.map(|name| texts(batch, name).expect("a column"));
    (0..batch.num_rows())
        .map(|row| {
            let [subject, predicate, object, graph] =
                [0, 1, 2, 3].map(|place| terms[place][row].clone().expect("no null"));
            let [frame, seq] = [&frame, &seq].map(|column| column[row].expect("no null"));
            RdfRow { frame, seq, subject, predicate, object, graph }
        })
        .collect()
}

pub fn patch_rows(batches: &[RecordBatch]) -> Vec<PatchRow> {
    batches.iter().flat_map(patch_batch).collect()
}

fn patch_batch(batch: &RecordBatch) -> Vec<PatchRow> {
    let [patch, txn, seq] = ["patch", "txn", "seq"].map(|name| numbers(batch, name).expect("a column"));
    let names = ["op", "subject", "predicate", "object", "graph", "name", "value"];
    let columns = names.map(|name| texts(batch, name).expect("a column"));
    (0..batch.num_rows())
        .map(|row| {
            let [op, subject, predicate, object, graph, name, value] =
                [0, 1, 2, 3, 4, 5, 6].map(|column| columns[column][row].clone());
            let (patch, seq) = (patch[row].expect("no null"), seq[row].expect("no null"));
            let op = op.expect("no null");
            PatchRow { patch, txn: txn[row], seq, op, subject, predicate, object, graph, name, value }
        })
        .collect()
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

/// A source that gives a few bytes at a time, and never the same number.
pub struct Drip {
    bytes: Cursor<Vec<u8>>,
    most: usize,
    reads: usize,
}

impl Drip {
    pub fn new(bytes: &[u8], most: usize) -> Self {
        Drip { bytes: Cursor::new(bytes.to_vec()), most, reads: 0 }
    }
}

impl std::io::Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.reads += 1;
        let most = buffer.len().min(1 + self.reads * 7919 % self.most);
        self.bytes.read(&mut buffer[..most])
    }
}
