//! A term on its way into one of the oneofs that hold one.

use super::super::proto::v1::patch::{rdf_patch_header as header, rdf_patch_namespace as namespace};
use super::super::proto::v1::{
    RdfDefaultGraph, RdfIri, RdfLiteral, RdfTriple, rdf_graph_start as graph_start, rdf_quad as quad,
    rdf_triple as triple,
};

pub enum Any {
    Iri(RdfIri),
    Blank(String),
    Literal(RdfLiteral),
    Triple(RdfTriple),
    DefaultGraph,
}

macro_rules! from_any {
    ($type:path { $iri:ident, $blank:ident, $literal:ident }, $last:pat => $make:expr) => {
        impl From<Any> for $type {
            fn from(any: Any) -> Self {
                use $type as Oneof;
                match any {
                    Any::Iri(iri) => Oneof::$iri(iri),
                    Any::Blank(label) => Oneof::$blank(label),
                    Any::Literal(literal) => Oneof::$literal(literal),
                    $last => $make,
                    _ => unreachable!("not in this place"),
                }
            }
        }
    };
}

from_any!(triple::Subject { SIri, SBnode, SLiteral }, Any::Triple(t) => Self::STripleTerm(Box::new(t)));
from_any!(triple::Predicate { PIri, PBnode, PLiteral }, Any::Triple(t) => Self::PTripleTerm(Box::new(t)));
from_any!(triple::Object { OIri, OBnode, OLiteral }, Any::Triple(t) => Self::OTripleTerm(Box::new(t)));
from_any!(quad::Subject { SIri, SBnode, SLiteral }, Any::Triple(t) => Self::STripleTerm(t));
from_any!(quad::Predicate { PIri, PBnode, PLiteral }, Any::Triple(t) => Self::PTripleTerm(t));
from_any!(quad::Object { OIri, OBnode, OLiteral }, Any::Triple(t) => Self::OTripleTerm(t));
from_any!(quad::Graph { GIri, GBnode, GLiteral }, Any::DefaultGraph => Self::GDefaultGraph(RdfDefaultGraph {}));
from_any!(graph_start::Graph { GIri, GBnode, GLiteral }, Any::DefaultGraph => Self::GDefaultGraph(RdfDefaultGraph {}));
from_any!(namespace::Graph { GIri, GBnode, GLiteral }, Any::DefaultGraph => Self::GDefaultGraph(RdfDefaultGraph {}));
from_any!(header::Value { HIri, HBnode, HLiteral }, Any::Triple(t) => Self::HTripleTerm(t));
