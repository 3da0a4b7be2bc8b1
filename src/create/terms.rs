//! Terms one by one to an encoder of any format that takes them so.

use super::{AnyPatchEncoder, AnyRdfEncoder};
use crate::sink::TermSink;
use crate::term::{Iri, Literal, Term};

macro_rules! terms_each {
    ($any:ident: $text:ident, $none:ident) => {
        terms_each! { $any: $text, $none,
            term(term: Term<'t>), iri(iri: Iri<'t>), blank_node(label: &'t str), literal(literal: Literal<'t>),
            default_graph(), repeat(), cell(text: &'t [u8]), text(text: &'t str, length: usize),
            labelled(text: &'t str, length: usize)
        }
    };
    ($any:ident: $text:ident, $none:ident, $($take:ident($($of:ident: $type:ty),*)),*) => {
        impl<'t> TermSink<'t> for $any {
            $(#[inline(always)]
            fn $take(&mut self, place: usize, $($of: $type),*) -> bool {
                match self {
                    $any::Jelly(encoder) => encoder.row_terms().$take(place, $($of),*),
                    $any::$text(encoder) => encoder.row_terms().$take(place, $($of),*),
                    $any::$none(_) => false,
                }
            })*

            #[inline(always)]
            fn repeats_in(&self, place: usize, text: &[u8]) -> Option<usize> {
                if let $any::$text(encoder) = self { encoder.repeats_in(place, text) } else { None }
            }

            fn cut(&mut self) {
                match self {
                    $any::Jelly(encoder) => encoder.row_terms().cut(),
                    $any::$text(encoder) => encoder.row_terms().cut(),
                    $any::$none(_) => {}
                }
            }
        }
    };
}

terms_each!(AnyRdfEncoder: Lines, Turtle);
terms_each!(AnyPatchEncoder: Text, Thrift);
