//! The oneofs that hold a term, as one type.

use super::proto::v1::patch::{
    RdfPatchHeader, RdfPatchNamespace, rdf_patch_header as header, rdf_patch_namespace as namespace,
};
use super::proto::v1::{
    RdfGraphStart, RdfIri, RdfLiteral, RdfQuad, RdfTriple, rdf_graph_start as graph_start, rdf_quad as quad,
    rdf_triple as triple,
};

#[derive(Clone, Copy)]
pub enum Member<'a> {
    Iri(&'a RdfIri),
    Blank(&'a str),
    Literal(&'a RdfLiteral),
    Triple(&'a RdfTriple),
    DefaultGraph,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Position {
    Subject,
    Predicate,
    /// Of a statement, or the value of a header: any term.
    Object,
    Graph,
}

pub type Place<'a> = (Option<Member<'a>>, Position);

macro_rules! member_from {
    ($type:path { $($variant:ident => $kind:ident),* } $(default $default:ident)?) => {
        impl<'a> From<&'a $type> for Member<'a> {
            fn from(oneof: &'a $type) -> Self {
                use $type as Oneof;
                match oneof {
                    $(Oneof::$variant(value) => Member::$kind(value),)*
                    $(Oneof::$default(_) => Member::DefaultGraph,)?
                }
            }
        }
    };
}

member_from!(triple::Subject { SIri => Iri, SBnode => Blank, SLiteral => Literal, STripleTerm => Triple });
member_from!(triple::Predicate { PIri => Iri, PBnode => Blank, PLiteral => Literal, PTripleTerm => Triple });
member_from!(triple::Object { OIri => Iri, OBnode => Blank, OLiteral => Literal, OTripleTerm => Triple });
member_from!(quad::Subject { SIri => Iri, SBnode => Blank, SLiteral => Literal, STripleTerm => Triple });
member_from!(quad::Predicate { PIri => Iri, PBnode => Blank, PLiteral => Literal, PTripleTerm => Triple });
member_from!(quad::Object { OIri => Iri, OBnode => Blank, OLiteral => Literal, OTripleTerm => Triple });
member_from!(quad::Graph { GIri => Iri, GBnode => Blank, GLiteral => Literal } default GDefaultGraph);
member_from!(graph_start::Graph { GIri => Iri, GBnode => Blank, GLiteral => Literal } default GDefaultGraph);
member_from!(namespace::Graph { GIri => Iri, GBnode => Blank, GLiteral => Literal } default GDefaultGraph);
member_from!(header::Value { HIri => Iri, HBnode => Blank, HLiteral => Literal, HTripleTerm => Triple });

impl RdfTriple {
    /// In the order in which ids count.
    pub fn places(&self) -> [Place<'_>; 3] {
        [
            (self.subject.as_ref().map(Member::from), Position::Subject),
            (self.predicate.as_ref().map(Member::from), Position::Predicate),
            (self.object.as_ref().map(Member::from), Position::Object),
        ]
    }
}

impl RdfQuad {
    /// In the order in which ids count; the graph comes after these.
    pub fn places(&self) -> [Place<'_>; 3] {
        [
            (self.subject.as_ref().map(Member::from), Position::Subject),
            (self.predicate.as_ref().map(Member::from), Position::Predicate),
            (self.object.as_ref().map(Member::from), Position::Object),
        ]
    }

    pub fn graph(&self) -> Option<Member<'_>> {
        self.graph.as_ref().map(Member::from)
    }
}

impl RdfGraphStart {
    pub fn graph(&self) -> Option<Member<'_>> {
        self.graph.as_ref().map(Member::from)
    }
}

impl RdfPatchNamespace {
    pub fn graph(&self) -> Option<Member<'_>> {
        self.graph.as_ref().map(Member::from)
    }
}

impl RdfPatchHeader {
    pub fn value(&self) -> Option<Member<'_>> {
        self.value.as_ref().map(Member::from)
    }
}
