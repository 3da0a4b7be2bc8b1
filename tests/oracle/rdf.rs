//! Jelly-RDF: rows to statements.

use prost::Message;

use crate::common::rows::{Class, Decoded, Fault, How, RdfRow};
use crate::common::term::Term;

use super::frames::{self, Events};
use super::members::{Member, Place, Position};
use super::proto::v1::rdf_stream_row::Row;
use super::proto::v1::{LogicalStreamType, PhysicalStreamType, RdfStreamOptions, RdfStreamRow};
use super::terms::{Repeat, Sizes, Terms};
use super::wire::Kind;
use super::{fault, parse};

/// The one entry of the metadata map that a field 15 holds.
#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

pub fn decode(bytes: &[u8], how: How) -> Decoded<RdfRow> {
    let mut stream = Stream {
        how,
        options: None,
        repeat: Repeat::default(),
        graph: None,
        frame: 0,
        out: Decoded::default(),
    };
    let end = frames::walk(bytes, how.framing, &mut stream).and_then(|()| stream.end());
    Decoded { error: end.err(), ..stream.out }
}

struct Stream {
    how: How,
    options: Option<(RdfStreamOptions, Terms)>,
    repeat: Repeat,
    /// The open graph of a GRAPHS stream.
    graph: Option<Term>,
    frame: i64,
    out: Decoded<RdfRow>,
}

impl Events for Stream {
    const METADATA: bool = true;

    fn row(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match parse::<RdfStreamRow>(Kind::RdfRow, bytes)?.row {
            None => fault(Class::Other, "a row without a known member"),
            Some(Row::Options(options)) => self.set_options(options),
            Some(row) => self.data(row),
        }
    }

    fn metadata(&mut self, entry: &[u8]) -> Result<(), Fault> {
        let Metadata { key, value } = parse(Kind::Empty, entry)?;
        let of_frame = |other: &(i64, String, Vec<u8>)| (other.0, &other.1) == (self.frame, &key);
        // A map: the last value of a key counts.
        if let Some(at) = self.out.metadata.iter().position(of_frame) {
            self.out.metadata[at].2 = value;
        } else {
            self.out.metadata.push((self.frame, key, value));
            self.out.metadata.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        }
        Ok(())
    }

    fn end_frame(&mut self) -> Result<(), Fault> {
        self.frame += 1;
        Ok(())
    }
}

impl Stream {
    fn set_options(&mut self, options: RdfStreamOptions) -> Result<(), Fault> {
        if let Some((first, _)) = &self.options {
            if *first == options {
                return Ok(());
            }
            return fault(Class::Options, "options differ from those before");
        }
        if !(1..=2).contains(&options.version) {
            return fault(Class::Options, format!("version {}", options.version));
        }
        if !(1..=3).contains(&options.physical_type) {
            return fault(Class::Options, format!("physical type {}", options.physical_type));
        }
        let sizes = Sizes {
            names: options.max_name_table_size,
            prefixes: options.max_prefix_table_size,
            datatypes: options.max_datatype_table_size,
        };
        let star = options.rdf_star || self.how.lenient_flags;
        let generalized = options.generalized_statements || self.how.lenient_flags;
        let terms = Terms::new(sizes, star, generalized)?;
        self.out.options = Some(describe(&options));
        self.options = Some((options, terms));
        Ok(())
    }

    fn data(&mut self, row: Row) -> Result<(), Fault> {
        let Some((options, terms)) = &mut self.options else {
            return fault(Class::Options, "a row before the options");
        };
        let physical = options.physical_type();
        match row {
            Row::Name(entry) => terms.names.set(entry.id, &entry.value),
            Row::Prefix(entry) => terms.prefixes.set(entry.id, &entry.value),
            Row::Datatype(entry) => terms.datatypes.set(entry.id, &entry.value),
            Row::Namespace(namespace) => {
                let Some(value) = namespace.value else {
                    return fault(Class::Other, "a namespace without its IRI");
                };
                let iri = terms.iri(value)?.to_string();
                self.out.namespaces.push((namespace.name, iri));
                Ok(())
            }
            Row::Triple(triple) if physical == PhysicalStreamType::Triples => {
                self.statement(triple.places(), None, Some(Term::DefaultGraph))
            }
            Row::Triple(triple) if physical == PhysicalStreamType::Graphs => match self.graph.clone() {
                Some(graph) => self.statement(triple.places(), None, Some(graph)),
                None => fault(Class::Other, "a triple outside a graph"),
            },
            Row::Quad(quad) if physical == PhysicalStreamType::Quads => {
                self.statement(quad.places(), quad.graph(), None)
            }
            Row::GraphStart(start) if physical == PhysicalStreamType::Graphs => {
                if self.graph.is_some() && self.how.strict_graphs {
                    return fault(Class::Other, "a graph inside a graph");
                }
                let Some(graph) = start.graph() else {
                    return fault(Class::Other, "a graph start without its graph");
                };
                self.graph = Some(terms.term(graph, Position::Graph)?);
                Ok(())
            }
            Row::GraphEnd(_) if physical == PhysicalStreamType::Graphs => match self.graph.take() {
                Some(_) => Ok(()),
                None => fault(Class::Other, "the end of a graph that was not started"),
            },
            _ => fault(Class::Other, "a row that the physical type forbids"),
        }
    }

    /// `around`: the graph, where it does not come with the statement.
    fn statement(
        &mut self,
        places: [Place<'_>; 3],
        graph: Option<Member<'_>>,
        around: Option<Term>,
    ) -> Result<(), Fault> {
        let (_, terms) = self.options.as_mut().expect("options came first");
        let [subject, predicate, object] = self.repeat.statement(terms, places)?;
        let graph = match around {
            Some(graph) => graph.to_string(),
            None => self.repeat.resolve(terms, (graph, Position::Graph))?,
        };
        let seq = i64::try_from(self.out.rows.len()).expect("few rows");
        self.out.rows.push(RdfRow { frame: self.frame, seq, subject, predicate, object, graph });
        Ok(())
    }

    fn end(&self) -> Result<(), Fault> {
        if self.options.is_none() && self.frame > 0 {
            return fault(Class::Options, "frames without options");
        }
        Ok(())
    }
}

fn describe(options: &RdfStreamOptions) -> String {
    let logical = LogicalStreamType::try_from(options.logical_type).unwrap_or_default();
    format!(
        "name={:?} physical={} logical={} generalized={} rdf_star={} names={} prefixes={} datatypes={} version={}",
        options.stream_name,
        options.physical_type().as_str_name().trim_start_matches("PHYSICAL_STREAM_TYPE_"),
        logical.as_str_name().trim_start_matches("LOGICAL_STREAM_TYPE_"),
        options.generalized_statements,
        options.rdf_star,
        options.max_name_table_size,
        options.max_prefix_table_size,
        options.max_datatype_table_size,
        options.version,
    )
}
