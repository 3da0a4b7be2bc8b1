//! The schemas: plain types, all nullable, in this order.
//!
//! Spark rejects anything else: no large or extension types, and views and dictionaries only where they are requested.

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use std::sync::Arc;

use super::settings::{StringType, TermStyle};
use crate::error::{Error, ErrorKind, Result};

/// Columns of the rows of patches.
pub const PATCH_COLUMNS: [&str; 11] =
    ["source", "patch", "txn", "seq", "op", "subject", "predicate", "object", "graph", "name", "value"];

/// Columns of the statements of Jelly-RDF.
pub const RDF_COLUMNS: [&str; 7] = ["source", "frame", "seq", "subject", "predicate", "object", "graph"];

/// The column that permissive readers add: where and why a stream could not be read on.
pub const CORRUPT_RECORD: &str = "_corrupt_record";

/// Columns that hold terms.
fn is_term(name: &str) -> bool {
    matches!(name, "subject" | "predicate" | "object" | "graph")
}

/// Parts of a term with `terms="struct"`; `kind` is `iri`, `bnode`, `literal`, `triple` or `default`.
pub fn term_fields(strings: StringType) -> Fields {
    ["kind", "value", "datatype", "language"]
        .map(|name| Field::new(name, string_type(strings), true))
        .into_iter()
        .collect()
}

fn string_type(strings: StringType) -> DataType {
    match strings {
        StringType::Utf8 => DataType::Utf8,
        StringType::View => DataType::Utf8View,
        StringType::Dictionary => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
    }
}

fn field(name: &str, terms: TermStyle, strings: StringType) -> Field {
    let data_type = match name {
        "patch" | "txn" | "seq" | "frame" => DataType::Int64,
        _ if is_term(name) && terms == TermStyle::Struct => DataType::Struct(term_fields(strings)),
        _ => string_type(strings),
    };
    Field::new(name, data_type, true)
}

/// Picks columns, in the order asked for; all of them for `None`.
pub fn choose(all: &[&'static str], asked: Option<&[String]>) -> Result<Vec<&'static str>> {
    let Some(asked) = asked else {
        return Ok(all.to_vec());
    };
    let mut chosen: Vec<&'static str> = Vec::with_capacity(asked.len());
    for name in asked {
        let Some(&known) = all.iter().find(|known| *known == name) else {
            let message = format!("there is no column {name:?}; the columns are {}", all.join(", "));
            return Err(Error::new(ErrorKind::Argument, message));
        };
        if chosen.contains(&known) {
            return Err(Error::new(ErrorKind::Argument, format!("column {name:?} is given twice")));
        }
        chosen.push(known);
    }
    Ok(chosen)
}

/// The schema of some columns.
pub fn schema(columns: &[&str], terms: TermStyle, strings: StringType, corrupt_record: bool) -> SchemaRef {
    let mut fields: Vec<Field> = columns.iter().map(|name| field(name, terms, strings)).collect();
    if corrupt_record {
        fields.push(field(CORRUPT_RECORD, terms, strings));
    }
    Arc::new(Schema::new(fields))
}

/// The words of the options by which columns have the types of a schema: how terms are given, and strings.
pub fn words(schema: &Schema) -> (&'static str, &'static str) {
    let (mut terms, mut strings) = ("text", "utf8");
    for field in schema.fields() {
        let string = match field.data_type() {
            DataType::Struct(parts) => {
                terms = "struct";
                parts.first().map(|part| part.data_type())
            }
            other => Some(other),
        };
        match string {
            Some(DataType::Utf8View) => strings = "view",
            Some(DataType::Dictionary(..)) => strings = "dictionary",
            _ => {}
        }
    }
    (terms, strings)
}

/// A schema in Spark's DDL, as `mapInArrow` takes it.
pub fn ddl(schema: &Schema) -> String {
    let of = |data_type: &DataType| match data_type {
        DataType::Int64 => "bigint".to_owned(),
        DataType::Struct(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| format!("{}: string", part.name())).collect();
            format!("struct<{}>", parts.join(", "))
        }
        _ => "string".to_owned(),
    };
    let fields: Vec<_> =
        schema.fields().iter().map(|field| format!("{} {}", field.name(), of(field.data_type()))).collect();
    fields.join(", ")
}
