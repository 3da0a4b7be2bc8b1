//! Matches the options that a subscriber requests with those of a stream.

use crate::decode::{AskedFields, PATCH_VERSION, RDF_VERSION, read_asked_options};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::options::{
    Features, LogicalType, MIN_NAME_TABLE, PatchOptions, PatchStreamType, PhysicalType, RdfOptions,
    StatementType, StreamOptions, TableSizes,
};

/// The options with which a subscriber gets a stream with the options `have`, if it can have the stream as
/// `asked` requests (`requested_options` of `RdfStreamSubscribe` and `PatchSubscribe`).
///
/// The wire does not distinguish a field of 0 from a missing field. For types, tables and the version, 0
/// means "as in the stream".
///
/// # Errors
/// The subscriber cannot get the stream, requests options that no stream can have, or sent no options of this
/// format.
pub fn met(have: &StreamOptions, asked: &[u8]) -> Result<StreamOptions> {
    let is_patch = matches!(have, StreamOptions::Patch(_));
    let fields = read_asked_options(asked, is_patch, Limits::default().nesting)
        .map_err(|fault| fault.within("requested_options").locate(asked, 0))?;
    Ok(match have {
        StreamOptions::Rdf(have) => StreamOptions::Rdf(met_by_rdf(have, &fields)?),
        StreamOptions::Patch(have) => StreamOptions::Patch(met_by_patches(have, &fields)?),
    })
}

fn met_by_rdf(have: &RdfOptions, asked: &AskedFields) -> Result<RdfOptions> {
    let version = version_of(asked.version, have.version, RDF_VERSION)?;
    let (logical, asked_logical) = (have.logical_type, LogicalType(asked.logical_type));
    if asked_logical.0 != 0 && !logical.is_a(asked_logical) {
        let message = format!("the stream is {logical}, not {asked_logical}");
        return Err(refused(ErrorKind::OptionsType, message, "logical_type"));
    }
    let is_triples = |physical: PhysicalType| physical == PhysicalType::Triples;
    let physical = match asked_type(PhysicalType::from_number, asked.stream_type, "physical_type")? {
        Some(asked) if is_triples(asked) != is_triples(have.physical_type) => {
            return Err(other_type(have.physical_type.name(), asked.name(), "physical_type"));
        }
        asked => asked.unwrap_or(have.physical_type),
    };
    Ok(RdfOptions {
        stream_name: have.stream_name.clone(),
        physical_type: physical,
        logical_type: logical,
        features: features_of(asked.features, have.features),
        tables: tables_of(asked.tables, have.tables)?,
        version,
    })
}

fn met_by_patches(have: &PatchOptions, asked: &AskedFields) -> Result<PatchOptions> {
    let version = version_of(asked.version, have.version, PATCH_VERSION)?;
    let statements = asked_type(StatementType::from_number, asked.statement_type, "statement_type")?;
    if let Some(asked) = statements.filter(|asked| *asked != have.statement_type) {
        return Err(other_type(have.statement_type.name(), asked.name(), "statement_type"));
    }
    let stream = asked_type(PatchStreamType::from_number, asked.stream_type, "stream_type")?;
    if let Some(asked) = stream.filter(|asked| *asked != have.stream_type) {
        return Err(other_type(have.stream_type.name(), asked.name(), "stream_type"));
    }
    let (features, tables) =
        (features_of(asked.features, have.features), tables_of(asked.tables, have.tables)?);
    Ok(PatchOptions { features, tables, version, ..*have })
}

fn version_of(asked: u32, have: u32, newest: u32) -> Result<u32> {
    if asked > newest {
        let message = format!("version {asked}, but this library writes versions 1 to {newest}");
        return Err(refused(ErrorKind::OptionsVersion, message, "version"));
    }
    Ok(if asked == 0 { have } else { asked.min(have) })
}

/// The type with this number; `None`: the type of the stream.
fn asked_type<T>(from_number: fn(u32) -> Option<T>, asked: u32, field: &str) -> Result<Option<T>> {
    if asked == 0 {
        return Ok(None);
    }
    match from_number(asked) {
        None => Err(refused(ErrorKind::OptionsType, format!("type {asked} does not exist"), field)),
        known => Ok(known),
    }
}

/// The features of the stream that were requested. Features that were not requested must not occur.
fn features_of(asked: Features, have: Features) -> Features {
    Features {
        generalized_statements: have.generalized_statements && asked.generalized_statements,
        rdf_star: have.rdf_star && asked.rdf_star,
    }
}

fn tables_of([names, prefixes, datatypes]: [u32; 3], have: TableSizes) -> Result<TableSizes> {
    if (1..MIN_NAME_TABLE).contains(&names) {
        let message = format!("a name table of {names} entries; the minimum is {MIN_NAME_TABLE}");
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
fn other_type(have: &str, asked: &str, field: &str) -> Error {
    let message = format!("the stream is {have} and cannot be converted to {asked}");
    refused(ErrorKind::OptionsType, message, field)
}

#[cold]
fn refused(kind: ErrorKind, message: String, field: &str) -> Error {
    Error::new(kind, message).with_field(format!("requested_options.{field}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::create::{default_patch_options, default_rdf_options};

    fn by_rdf(have: &RdfOptions, asked: &[u8]) -> Result<RdfOptions> {
        match met(&StreamOptions::Rdf(have.clone()), asked)? {
            StreamOptions::Rdf(options) => Ok(options),
            StreamOptions::Patch(_) => panic!("options of patches for statements"),
        }
    }

    fn by_patches(asked: &[u8]) -> Result<PatchOptions> {
        match met(&StreamOptions::Patch(default_patch_options()), asked)? {
            StreamOptions::Patch(options) => Ok(options),
            StreamOptions::Rdf(_) => panic!("options of statements for patches"),
        }
    }

    /// Requests that are rejected for a reason common to both formats.
    const REFUSED: [(&[u8], ErrorKind, &str); 4] = [
        (b"\x10\x09", ErrorKind::OptionsType, "_type"),
        (b"\x48\x07", ErrorKind::OptionsTable, "requested_options.max_name_table_size"),
        (b"\x78\x03", ErrorKind::OptionsVersion, "requested_options.version"),
        (b"\xff", ErrorKind::WireVarint, "requested_options"),
    ];

    #[test]
    fn nothing_asked_is_what_there_is_but_for_features() {
        let have = default_rdf_options(true);
        let options = by_rdf(&have, b"").unwrap();
        assert_eq!(options, RdfOptions { features: Features::default(), ..have.clone() });
        let plain = RdfOptions { features: Features::default(), ..have };
        assert_eq!(by_rdf(&plain, b"").unwrap(), plain);
        assert_eq!(by_rdf(&plain, b"\x10\x03").unwrap().physical_type, PhysicalType::Graphs);
        assert_eq!(by_rdf(&plain, b"\x10\x01").unwrap_err().kind(), ErrorKind::OptionsType);
        assert_eq!(by_rdf(&plain, b"\x48\x10\x58\x01").unwrap().tables.names, 16);
        assert_eq!(by_rdf(&plain, b"\x48\xc0\x3e").unwrap().tables.names, plain.tables.names);
        assert_eq!(by_rdf(&plain, b"\x08\x02").unwrap_err().kind(), ErrorKind::OptionsFormat);
    }

    #[test]
    fn patches_have_the_same_rule() {
        let have = default_patch_options();
        assert_eq!(by_patches(b"").unwrap(), PatchOptions { features: Features::default(), ..have });
        assert_eq!(by_patches(b"\x18\x01\x20\x01").unwrap(), have, "both features");
        assert_eq!(by_patches(b"\x08\x02\x10\x03\x18\x01\x20\x01\x78\x01").unwrap(), have);
        assert_eq!(by_patches(b"\x48\x10\x58\x01").unwrap().tables.names, 16);
        assert_eq!(by_patches(b"\x48\xc0\x3e").unwrap().tables.names, have.tables.names);
        for (asked, field) in [(b"\x08\x01", "statement_type"), (b"\x10\x02", "stream_type")] {
            let error = by_patches(asked).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OptionsType);
            assert_eq!(error.field(), Some(&*format!("requested_options.{field}")));
        }
        assert_eq!(by_patches(b"\x0a\x01a").unwrap_err().kind(), ErrorKind::OptionsFormat);
    }

    #[test]
    fn both_formats_refuse_the_same() {
        let rdf = default_rdf_options(true);
        for (asked, kind, field) in REFUSED {
            for error in [by_rdf(&rdf, asked).unwrap_err(), by_patches(asked).unwrap_err()] {
                assert_eq!(error.kind(), kind, "{asked:?}");
                let place = error.field().unwrap_or_default();
                assert!(place.ends_with(field), "{place:?} of {asked:?}");
            }
        }
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
