//! The IRIs by which RDF Patch, as text and as Thrift, names the default graph; Jena reads and writes them.

use crate::error::{Error, ErrorKind, Result};
use crate::term::{Iri, Term};

const NAMES: [&str; 2] = ["urn:x-arq:DefaultGraph", "urn:x-arq:DefaultGraphNode"];

/// Whether a text in angle brackets may be one of these IRIs.
pub(crate) fn begins_default_graph(text: &str) -> bool {
    text.starts_with("<urn:x-arq:")
}

/// Whether an IRI is one of these.
#[inline]
pub(crate) fn is_default_graph(iri: &Iri<'_>) -> bool {
    NAMES.iter().any(|name| name.strip_prefix(iri.prefix()) == Some(iri.name()))
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

#[cold]
fn refused(iri: &Iri<'_>) -> Error {
    let message = format!("RDF Patch reads the graph <{iri}> as the default graph; Jelly-Patch can hold it");
    Error::new(ErrorKind::EncodeTerm, message)
}
