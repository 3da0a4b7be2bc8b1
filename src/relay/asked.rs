//! What a subscriber asks of a stream, and what it can have.

use crate::decode::{AskedFields, RDF_VERSION, read_asked_options};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::{Features, LogicalType, MIN_NAME_TABLE, PhysicalType, RdfOptions, TableSizes};

/// The options that a subscriber asks for (`RdfStreamSubscribe.requested_options`).
///
/// The wire does not say whether a field is 0 or absent: of types, tables and the version, 0 is "what there is".
#[derive(Clone, Copy, Debug)]
pub struct Asked(AskedFields);

impl Asked {
    /// Reads the message.
    ///
    /// # Errors
    /// It is no `RdfStreamOptions`.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        read_asked_options(bytes, Limits::default().nesting)
            .map(Asked)
            .map_err(|fault| fault.within("requested_options").locate(bytes, 0))
    }

    /// The options with which the subscriber gets a stream of these options, and whether the stream can go to it
    /// as it is.
    ///
    /// # Errors
    /// The subscriber cannot get it, or asks for what no stream can be.
    pub fn of(self, have: &RdfOptions) -> Result<(RdfOptions, bool)> {
        let AskedFields { physical_type, logical_type, features, tables, version } = self.0;
        let version = version_of(version, have.version)?;
        let (logical, asked_logical) = (have.logical_type, LogicalType(logical_type));
        if asked_logical.0 != 0 && !logical.is_a(asked_logical) {
            let message = format!("the stream is {logical}, not {asked_logical}");
            return Err(refused(ErrorKind::OptionsType, message, "logical_type"));
        }
        let options = RdfOptions {
            stream_name: have.stream_name.clone(),
            physical_type: physical_of(physical_type, have.physical_type)?,
            logical_type: logical,
            features: Features {
                generalized_statements: have.features.generalized_statements
                    && features.generalized_statements,
                rdf_star: have.features.rdf_star && features.rdf_star,
            },
            tables: tables_of(tables, have.tables)?,
            version,
        };
        let fits = options == *have;
        Ok((options, fits))
    }
}

fn version_of(asked: u32, have: u32) -> Result<u32> {
    match asked {
        0 => Ok(have),
        1..=RDF_VERSION => Ok(asked.min(have)),
        _ => {
            let message = format!("version {asked}, but versions 1 to {RDF_VERSION} are written");
            Err(refused(ErrorKind::OptionsVersion, message, "version"))
        }
    }
}

fn physical_of(asked: u32, have: PhysicalType) -> Result<PhysicalType> {
    if asked == 0 {
        return Ok(have);
    }
    let Some(physical) = PhysicalType::from_number(asked) else {
        let message = format!("type {asked} does not exist");
        return Err(refused(ErrorKind::OptionsType, message, "physical_type"));
    };
    let is_triples = |physical| physical == PhysicalType::Triples;
    if is_triples(physical) != is_triples(have) {
        let message = format!("the stream is {}, and cannot be had as {}", have.name(), physical.name());
        return Err(refused(ErrorKind::OptionsType, message, "physical_type"));
    }
    Ok(physical)
}

fn tables_of([names, prefixes, datatypes]: [u32; 3], have: TableSizes) -> Result<TableSizes> {
    if (1..MIN_NAME_TABLE).contains(&names) {
        let message = format!("a name table of {names} entries, {MIN_NAME_TABLE} are the least");
        return Err(refused(ErrorKind::OptionsTable, message, "max_name_table_size"));
    }
    let least = |asked: u32, have: u32| if asked == 0 { have } else { asked.min(have) };
    Ok(TableSizes {
        names: least(names, have.names),
        prefixes: least(prefixes, have.prefixes),
        datatypes: least(datatypes, have.datatypes),
    })
}

#[cold]
fn refused(kind: ErrorKind, message: String, field: &str) -> Error {
    Error::new(kind, message).with_field(format!("requested_options.{field}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::create::default_rdf_options;

    fn asked(bytes: &[u8], have: &RdfOptions) -> Result<(RdfOptions, bool)> {
        Asked::read(bytes)?.of(have)
    }

    #[test]
    fn nothing_asked_is_what_there_is_but_for_features() {
        let have = default_rdf_options(true);
        let (options, fits) = asked(b"", &have).unwrap();
        assert_eq!(options.features, Features::default());
        assert!(!fits, "features that were not asked for must not occur");
        let plain = RdfOptions { features: Features::default(), ..have };
        assert_eq!(asked(b"", &plain).unwrap(), (plain.clone(), true));
        assert_eq!(asked(b"\x10\x03", &plain).unwrap().0.physical_type, PhysicalType::Graphs);
        assert_eq!(asked(b"\x10\x01", &plain).unwrap_err().kind(), ErrorKind::OptionsType);
        assert_eq!(asked(b"\x10\x09", &plain).unwrap_err().kind(), ErrorKind::OptionsType);
        assert_eq!(asked(b"\x48\x07", &plain).unwrap_err().kind(), ErrorKind::OptionsTable);
        assert_eq!(asked(b"\x78\x03", &plain).unwrap_err().kind(), ErrorKind::OptionsVersion);
        assert_eq!(asked(b"\x48\x10\x58\x01", &plain).unwrap().0.tables.names, 16);
        assert_eq!(asked(b"\x48\xc0\x3e", &plain).unwrap().0.tables.names, plain.tables.names);
    }

    #[test]
    fn subtypes_are_what_their_types_are() {
        let types = [0, 1, 2, 3, 4, 13, 14, 114].map(LogicalType);
        let pairs = types.iter().flat_map(|one| types.iter().map(move |other| (*one, *other)));
        let found: Vec<_> = pairs.filter(|(one, other)| one.is_a(*other) && one != other).collect();
        let expected = [(13, 3), (14, 4), (114, 4), (114, 14)];
        assert_eq!(found, expected.map(|(one, other)| (LogicalType(one), LogicalType(other))));
    }
}
