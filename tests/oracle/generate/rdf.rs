//! Random streams of Jelly-RDF.

use super::super::proto::v1::rdf_stream_row::Row;
use super::super::proto::v1::{
    PhysicalStreamType, RdfDatatypeEntry, RdfGraphEnd, RdfGraphStart, RdfNameEntry, RdfNamespaceDeclaration,
    RdfPrefixEntry, RdfStreamOptions, RdfStreamRow,
};
use super::super::wire::{self, Kind};
use super::rng::Rng;
use super::statements::Statements;
use super::terms::{Place, Which};
use super::{Format, Frame, Shape, Stream, strings};

pub fn stream(rng: &mut Rng) -> Stream {
    let mut shape = Shape::new(rng);
    shape.how.strict_graphs = !rng.percent(5);
    let mut rows = Rows::new(rng, &shape);
    let mut frames = vec![Frame::default(); shape.empty_frames_before];
    let mut metadata = Vec::new();
    for frame in 0..shape.frames {
        let mut fields = Vec::new();
        if frame == 0 {
            fields.push(shape.row(rng, Kind::RdfRow, &rows.options_row()));
        }
        let count = if rng.percent(10) { 0 } else { shape.rows };
        for _ in 0..count {
            let row = rows.next(rng);
            fields.push(shape.row(rng, Kind::RdfRow, &RdfStreamRow { row: Some(row) }));
        }
        if fields.is_empty() {
            rows.statements.terms.features.count("empty frame");
        }
        let mut frame = Frame { fields, padding: 0 };
        shape.scramble_frame(rng, Kind::RdfFrame, &mut frame);
        if rng.percent(20) {
            add_metadata(rng, frames.len(), &mut frame, &mut metadata);
            rows.statements.terms.features.count("metadata");
        }
        frames.push(frame);
    }
    let stream = shape.stream(Format::Rdf, frames, rows.statements.terms.features);
    Stream { metadata, ..stream }
}

struct Rows {
    options: RdfStreamOptions,
    statements: Statements,
    in_graph: bool,
    may_nest: bool,
}

impl Rows {
    fn new(rng: &mut Rng, shape: &Shape) -> Self {
        let options = RdfStreamOptions {
            stream_name: if rng.percent(30) { strings::text(rng) } else { String::new() },
            physical_type: rng.between(1, 3).cast_signed(),
            generalized_statements: shape.declared[1],
            rdf_star: shape.declared[0],
            max_name_table_size: shape.sizes[0],
            max_prefix_table_size: shape.sizes[1],
            max_datatype_table_size: shape.sizes[2],
            logical_type: *rng.pick(&[0, 1, 2, 3, 4, 13, 14, 114, 999]),
            version: rng.between(1, 2),
        };
        Rows {
            options,
            statements: Statements::new(shape.terms()),
            in_graph: false,
            may_nest: !shape.how.strict_graphs,
        }
    }

    fn options_row(&self) -> RdfStreamRow {
        RdfStreamRow { row: Some(Row::Options(self.options.clone())) }
    }

    fn next(&mut self, rng: &mut Rng) -> Row {
        let row = match rng.below(100) {
            0..40 => self.entry(rng),
            _ if !self.statements.terms.has_names() => self.entry(rng),
            40..44 => Row::Options(self.options.clone()),
            44..50 => {
                let name = strings::label(rng);
                let value = Some(self.statements.terms.iri(rng));
                Row::Namespace(RdfNamespaceDeclaration { name, value })
            }
            _ => self.data(rng),
        };
        self.statements.terms.features.count(match &row {
            Row::Options(_) => "options again",
            Row::Triple(_) => "triple",
            Row::Quad(_) => "quad",
            Row::GraphStart(_) => "graph_start",
            Row::GraphEnd(_) => "graph_end",
            Row::Namespace(_) => "namespace",
            Row::Name(_) => "name",
            Row::Prefix(_) => "prefix",
            Row::Datatype(_) => "datatype",
        });
        row
    }

    fn data(&mut self, rng: &mut Rng) -> Row {
        match self.options.physical_type() {
            PhysicalStreamType::Triples => Row::Triple(self.statements.triple(rng)),
            PhysicalStreamType::Quads => Row::Quad(self.statements.quad(rng)),
            _ if self.in_graph && rng.percent(15) => {
                self.in_graph = false;
                Row::GraphEnd(RdfGraphEnd {})
            }
            _ if !self.in_graph || (self.may_nest && rng.percent(15)) => {
                if self.in_graph {
                    self.statements.terms.features.count("graph in a graph");
                }
                self.in_graph = true;
                let (graph, _) = self.statements.terms.top(rng, Place::Graph);
                Row::GraphStart(RdfGraphStart { graph: Some(graph.into()) })
            }
            _ => Row::Triple(self.statements.triple(rng)),
        }
    }

    fn entry(&mut self, rng: &mut Rng) -> Row {
        let entry = self.statements.entry(rng);
        let (id, value) = (entry.id, entry.value);
        match entry.which {
            Which::Name => Row::Name(RdfNameEntry { id, value }),
            Which::Prefix => Row::Prefix(RdfPrefixEntry { id, value }),
            Which::Datatype => Row::Datatype(RdfDatatypeEntry { id, value }),
        }
    }
}

/// One or two entries, anywhere in the frame.
fn add_metadata(rng: &mut Rng, number: usize, frame: &mut Frame, metadata: &mut Vec<(i64, String, Vec<u8>)>) {
    let mut keys = vec![strings::text(rng), strings::text(rng)];
    keys.sort();
    keys.dedup();
    for key in keys {
        let value: Vec<u8> = (0..rng.below(5)).map(|_| rng.next() as u8).collect();
        let entry = [wire::field(1, key.as_bytes()), wire::field(2, &value)].concat();
        let at = rng.below(frame.fields.len() + 1);
        frame.fields.insert(at, wire::field(15, &entry));
        metadata.push((i64::try_from(number).expect("few"), key, value));
    }
}
