//! Options of streams by the names of their fields.

use super::values::Value;
use super::{Features, LogicalType, PatchStreamType, PhysicalType, StatementType, StreamOptions, TableSizes};
use crate::error::{Error, ErrorKind, Result};

impl StreamOptions {
    /// Names and values of all fields.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let text = |text: &str| Value::Text(text.to_owned());
        let (mut fields, features, tables, version) = match self {
            StreamOptions::Rdf(options) => {
                let logical = options.logical_type;
                let number = logical.0.to_string();
                let own = vec![
                    ("stream_name", text(&options.stream_name)),
                    ("physical_type", text(options.physical_type.name())),
                    ("logical_type", text(logical.name().unwrap_or(&number))),
                ];
                (own, options.features, options.tables, options.version)
            }
            StreamOptions::Patch(options) => {
                let own = vec![
                    ("statement_type", text(options.statement_type.name())),
                    ("stream_type", text(options.stream_type.name())),
                ];
                (own, options.features, options.tables, options.version)
            }
        };
        fields.extend([
            ("generalized_statements", Value::Flag(features.generalized_statements)),
            ("rdf_star", Value::Flag(features.rdf_star)),
            ("max_name_table_size", Value::Number(tables.names.into())),
            ("max_prefix_table_size", Value::Number(tables.prefixes.into())),
            ("max_datatype_table_size", Value::Number(tables.datatypes.into())),
            ("version", Value::Number(version.into())),
        ]);
        fields
    }

    /// Gives a field, by its name, a value of its type.
    ///
    /// # Errors
    /// `argument`: the options have no field of this name and type, or it cannot have this value.
    pub fn set_field(&mut self, name: &str, value: &Value) -> Result<()> {
        match (&mut *self, name, value) {
            (StreamOptions::Rdf(options), "stream_name", Value::Text(name)) => {
                options.stream_name.clone_from(name);
            }
            (StreamOptions::Rdf(options), "physical_type", Value::Text(word)) => {
                options.physical_type = named(name, word, PhysicalType::ALL, PhysicalType::name)?;
            }
            (StreamOptions::Rdf(options), "logical_type", Value::Text(word)) => {
                options.logical_type = LogicalType::from_name(word)?;
            }
            (StreamOptions::Patch(options), "statement_type", Value::Text(word)) => {
                options.statement_type = named(name, word, StatementType::ALL, StatementType::name)?;
            }
            (StreamOptions::Patch(options), "stream_type", Value::Text(word)) => {
                options.stream_type = named(name, word, PatchStreamType::ALL, PatchStreamType::name)?;
            }
            (_, name, value) => {
                if !self.set_shared(name, value) {
                    return Err(argument(format!(
                        "{name} is not a field of these options, or has another type"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Sets a field that the options of both formats have.
    fn set_shared(&mut self, name: &str, value: &Value) -> bool {
        let (features, tables, version): (&mut Features, &mut TableSizes, &mut u32) = match self {
            StreamOptions::Rdf(options) => (&mut options.features, &mut options.tables, &mut options.version),
            StreamOptions::Patch(options) => {
                (&mut options.features, &mut options.tables, &mut options.version)
            }
        };
        let number = match (name, value) {
            ("generalized_statements", Value::Flag(on)) => {
                features.generalized_statements = *on;
                return true;
            }
            ("rdf_star", Value::Flag(on)) => {
                features.rdf_star = *on;
                return true;
            }
            ("max_name_table_size", _) => &mut tables.names,
            ("max_prefix_table_size", _) => &mut tables.prefixes,
            ("max_datatype_table_size", _) => &mut tables.datatypes,
            ("version", _) => version,
            _ => return false,
        };
        let Value::Number(value) = value else { return false };
        u32::try_from(*value).map(|value| *number = value).is_ok()
    }
}

fn named<T: Copy>(field: &str, word: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T> {
    all.iter().copied().find(|&known| name(known) == word).ok_or_else(|| {
        let words: Vec<_> = all.iter().map(|&known| name(known)).collect();
        argument(format!("{field} is {word:?}; it can be {}", words.join(", ")))
    })
}

fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::create::{default_patch_options, default_rdf_options};

    #[test]
    fn fields_make_the_options_again() {
        let mut rdf = default_rdf_options(true);
        rdf.stream_name = "a".to_owned();
        rdf.logical_type = LogicalType(23);
        rdf.features.rdf_star = false;
        rdf.tables.datatypes = 5;
        rdf.version = 2;
        let pairs = [
            (StreamOptions::Rdf(rdf), StreamOptions::Rdf(default_rdf_options(false))),
            (StreamOptions::Patch(default_patch_options()), StreamOptions::Patch(default_patch_options())),
        ];
        for (given, mut made) in pairs {
            let fields = given.fields();
            assert!(fields.len() >= 8);
            for (name, value) in fields {
                made.set_field(name, &value).unwrap();
            }
            assert_eq!(made, given);
        }
    }

    #[test]
    fn wrong_fields_are_refused() {
        let mut options = StreamOptions::Patch(default_patch_options());
        let error = options.set_field("stream_type", &Value::Text("x".to_owned())).unwrap_err();
        assert_eq!(error.message(), "stream_type is \"x\"; it can be FRAME, FLAT, PUNCTUATED");
        for (name, value) in [
            ("physical_type", Value::Text("QUADS".to_owned())),
            ("version", Value::Number(-1)),
            ("rdf_star", Value::Number(1)),
            ("x", Value::Flag(true)),
        ] {
            assert_eq!(options.set_field(name, &value).unwrap_err().kind(), ErrorKind::Argument, "{name}");
        }
    }
}
