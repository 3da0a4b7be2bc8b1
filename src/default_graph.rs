//! The IRIs by which RDF Patch, as text and as Thrift, names the default graph (Jena reads and writes them), and those by
//! which stores name it.

use crate::error::{Error, ErrorKind, Result};
use crate::term::{Iri, Term};

const NAMES: [&str; 2] = ["urn:x-arq:DefaultGraph", "urn:x-arq:DefaultGraphNode"];
/// Further names that stores give to their default graph or the union of all graphs: Jena, and RDF4J in its two vocabularies.
const NAMES_OF_STORES: [&str; 3] =
    ["urn:x-arq:UnionGraph", "http://www.openrdf.org/schema/sesame#nil", "http://rdf4j.org/schema/rdf4j#nil"];

/// Whether a text in angle brackets may be one of these IRIs.
pub(crate) fn begins_default_graph(text: &str) -> bool {
    text.starts_with("<urn:x-arq:")
}

/// Whether an IRI is one of these.
#[inline]
pub(crate) fn is_default_graph(iri: &Iri<'_>) -> bool {
    is_one_of(iri, &NAMES)
}

#[inline]
fn is_one_of(iri: &Iri<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| name.strip_prefix(iri.prefix()) == Some(iri.name()))
}

/// Rejects a named graph with one of these names: in RDF Patch, it would be the default graph.
///
/// # Errors
/// `encode.term`.
#[inline]
pub(crate) fn refuse_default_graph(graph: &Term<'_>) -> Result<()> {
    match graph {
        Term::Iri(iri) if is_default_graph(iri) => Err(refused(iri)),
        _ => Ok(()),
    }
}

/// Rejects a named graph that Jena or RDF4J would read as another graph in SPARQL Update.
///
/// # Errors
/// `encode.term`.
pub(crate) fn refuse_graph_of_stores(graph: &Term<'_>) -> Result<()> {
    match graph {
        Term::Iri(iri) if is_default_graph(iri) || is_one_of(iri, &NAMES_OF_STORES) => {
            let message = format!(
                "SPARQL Update cannot hold the graph <{iri}>: stores have this name for another graph"
            );
            Err(Error::new(ErrorKind::EncodeTerm, message).with_hint("rename the graph in the data"))
        }
        _ => Ok(()),
    }
}

#[cold]
fn refused(iri: &Iri<'_>) -> Error {
    let message = format!("RDF Patch reads the graph <{iri}> as the default graph; Jelly-Patch can hold it");
    Error::new(ErrorKind::EncodeTerm, message)
}
