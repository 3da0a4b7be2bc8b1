//! RDF terms, and their one canonical text: N-Triples of RDF 1.2, with the additions of the row schema.

use std::fmt::{Display, Formatter, Result, Write};

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    Iri(String),
    Blank(String),
    Literal(String, Kind),
    Triple(Box<[Term; 3]>),
    /// The empty text.
    DefaultGraph,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Simple,
    Language(String),
    Datatype(String),
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Term::Iri(iri) => write_iri(iri, f),
            Term::Blank(label) if is_blank_node_label(label) => write!(f, "_:{label}"),
            Term::Blank(label) => {
                f.write_str("<_:")?;
                write_iri_characters(label, f)?;
                f.write_char('>')
            }
            Term::Literal(lexical, kind) => {
                f.write_char('"')?;
                lexical.chars().try_for_each(|c| write_literal_character(c, f))?;
                f.write_char('"')?;
                match kind {
                    Kind::Language(tag) => {
                        f.write_char('@')?;
                        tag.chars().try_for_each(|c| write_tag_character(c, f))
                    }
                    Kind::Datatype(iri) if iri != XSD_STRING => {
                        f.write_str("^^")?;
                        write_iri(iri, f)
                    }
                    Kind::Simple | Kind::Datatype(_) => Ok(()),
                }
            }
            Term::Triple(terms) => write!(f, "<<( {} {} {} )>>", terms[0], terms[1], terms[2]),
            Term::DefaultGraph => Ok(()),
        }
    }
}

fn write_iri(iri: &str, f: &mut Formatter<'_>) -> Result {
    f.write_char('<')?;
    // `<_:x>` is a blank node, so an IRI that begins like one hides its underscore.
    if let Some(rest) = iri.strip_prefix("_:") {
        f.write_str("\\u005F:")?;
        write_iri_characters(rest, f)?;
    } else {
        write_iri_characters(iri, f)?;
    }
    f.write_char('>')
}

fn write_iri_characters(text: &str, f: &mut Formatter<'_>) -> Result {
    text.chars().try_for_each(|c| match c {
        '\0'..=' ' | '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' | '\\' => write_escape(c, f),
        _ => f.write_char(c),
    })
}

fn write_literal_character(c: char, f: &mut Formatter<'_>) -> Result {
    match c {
        '\u{8}' => f.write_str("\\b"),
        '\t' => f.write_str("\\t"),
        '\n' => f.write_str("\\n"),
        '\u{c}' => f.write_str("\\f"),
        '\r' => f.write_str("\\r"),
        '"' => f.write_str("\\\""),
        '\\' => f.write_str("\\\\"),
        '\0'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => write_escape(c, f),
        _ => f.write_char(c),
    }
}

/// Tags of the wire may be anything.
fn write_tag_character(c: char, f: &mut Formatter<'_>) -> Result {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => f.write_char(c),
        '\u{10000}'.. => write!(f, "\\U{:08X}", u32::from(c)),
        _ => write_escape(c, f),
    }
}

fn write_escape(c: char, f: &mut Formatter<'_>) -> Result {
    write!(f, "\\u{:04X}", u32::from(c))
}

/// `BLANK_NODE_LABEL` of N-Triples 1.2, without its `_:`. No colon: 1.1 had it by mistake.
fn is_blank_node_label(label: &str) -> bool {
    let mut chars = label.chars();
    let first = chars.next();
    let last = label.chars().next_back();
    first.is_some_and(|c| is_pn_chars_u(c) || c.is_ascii_digit())
        && last.is_some_and(is_pn_chars)
        && chars.all(|c| c == '.' || is_pn_chars(c))
}

fn is_pn_chars_u(c: char) -> bool {
    matches!(c, '_' | 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}'
        | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{10000}'..='\u{effff}')
}

fn is_pn_chars(c: char) -> bool {
    is_pn_chars_u(c)
        || matches!(c, '-' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}
