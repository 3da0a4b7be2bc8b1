//! Reads and checks the options row.

use super::literal::utf8;
use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::options::{
    Features, LogicalType, MIN_NAME_TABLE, PatchOptions, PatchStreamType, PhysicalType, RdfOptions,
    StatementType, TableSizes,
};
use crate::wire::{Cursor, Fault, LEN, VARINT};

/// The newest supported version of Jelly-RDF: version tag 2, protocol 1.1.
pub(crate) const RDF_VERSION: u32 = 2;
/// The newest supported version of Jelly-Patch: version tag 1, protocol 1.0.
pub(crate) const PATCH_VERSION: u32 = 1;

/// The fields of both kinds of options, and the place of each.
#[derive(Default)]
struct Fields<'a> {
    stream_name: &'a str,
    /// Field 1 of patch options.
    statement_type: u32,
    /// Field 2.
    stream_type: u32,
    features: Features,
    tables: [u32; 3],
    logical_type: u32,
    version: u32,
    /// Tags of fields 1 to 15.
    at: [Option<&'a [u8]>; 16],
}

impl<'a> Fields<'a> {
    fn read(bytes: &'a [u8], is_patch: bool, nesting: usize) -> Result<Self, Fault> {
        let mut fields = Fields::default();
        let mut cursor = Cursor::new(bytes);
        while let Some((key, at)) = cursor.next_key()? {
            let Some(name) = field_name(key.field, is_patch) else {
                cursor.skip(key, at, nesting)?;
                continue;
            };
            if key.field == 1 && key.wire == if is_patch { LEN } else { VARINT } {
                return Err(other_format(is_patch, at));
            }
            let wire = if key.field == 1 && !is_patch { LEN } else { VARINT };
            key.expect(wire, at).map_err(|fault| fault.within(name))?;
            fields.at[key.field as usize] = Some(at);
            if wire == LEN {
                let bytes = cursor.bytes().map_err(|fault| fault.within(name))?;
                fields.stream_name = utf8(bytes, at).map_err(|fault| fault.within(name))?;
                continue;
            }
            let value = cursor.varint().map_err(|fault| fault.within(name))?;
            match key.field {
                1 => fields.statement_type = value as u32,
                2 => fields.stream_type = value as u32,
                3 => fields.features.generalized_statements = value != 0,
                4 => fields.features.rdf_star = value != 0,
                9..=11 => fields.tables[key.field as usize - 9] = value as u32,
                14 => fields.logical_type = value as u32,
                _ => fields.version = value as u32,
            }
        }
        Ok(fields)
    }

    /// The place of a field if it is present, otherwise of the options.
    fn place(&self, field: usize, bytes: &'a [u8]) -> &'a [u8] {
        self.at[field].unwrap_or(bytes)
    }

    fn check(
        &self,
        bytes: &'a [u8],
        newest: u32,
        is_patch: bool,
        limits: &Limits,
    ) -> Result<TableSizes, Fault> {
        if self.version == 0 || self.version > newest {
            let message = format!("version {}, but this library reads versions 1 to {newest}", self.version);
            return Err(
                Fault::new(ErrorKind::OptionsVersion, self.place(15, bytes), message).within("version")
            );
        }
        let [names, prefixes, datatypes] = self.tables;
        let caps = [
            (9, names, limits.name_table, "name_table"),
            (10, prefixes, limits.prefix_table, "prefix_table"),
            (11, datatypes, limits.datatype_table, "datatype_table"),
        ];
        for (field, size, most, limit) in caps {
            if size > most {
                let message = format!("a table of {size} entries; {most} are allowed");
                let fault = Fault::limit(ErrorKind::LimitTable, limit, self.place(field, bytes), message);
                return Err(fault.within(field_name(field as u32, is_patch).unwrap_or_default()));
            }
        }
        if names < MIN_NAME_TABLE {
            let message = format!("a name table of {names} entries; the minimum is {MIN_NAME_TABLE}");
            return Err(Fault::new(ErrorKind::OptionsTable, self.place(9, bytes), message)
                .within("max_name_table_size"));
        }
        Ok(TableSizes { names, prefixes, datatypes })
    }

    fn no_type(&self, field: usize, value: u32, bytes: &'a [u8], is_patch: bool) -> Fault {
        let message = format!("type {value} does not exist");
        Fault::new(ErrorKind::OptionsType, self.place(field, bytes), message)
            .within(field_name(field as u32, is_patch).unwrap_or_default())
    }
}

fn field_name(field: u32, is_patch: bool) -> Option<&'static str> {
    Some(match field {
        1 if is_patch => "statement_type",
        1 => "stream_name",
        2 if is_patch => "stream_type",
        2 => "physical_type",
        3 => "generalized_statements",
        4 => "rdf_star",
        9 => "max_name_table_size",
        10 => "max_prefix_table_size",
        11 => "max_datatype_table_size",
        14 if !is_patch => "logical_type",
        15 => "version",
        _ => return None,
    })
}

#[cold]
fn other_format(is_patch: bool, at: &[u8]) -> Fault {
    let message = if is_patch {
        "these are options of Jelly-RDF, not of Jelly-Patch"
    } else {
        "these are options of Jelly-Patch, not of Jelly-RDF"
    };
    Fault::new(ErrorKind::OptionsFormat, at, message)
}

/// Reads `RdfStreamOptions`.
pub(crate) fn read_rdf_options(bytes: &[u8], limits: &Limits) -> Result<RdfOptions, Fault> {
    let fields = Fields::read(bytes, false, limits.nesting)?;
    let tables = fields.check(bytes, RDF_VERSION, false, limits)?;
    let physical_type = PhysicalType::from_number(fields.stream_type)
        .ok_or_else(|| fields.no_type(2, fields.stream_type, bytes, false))?;
    Ok(RdfOptions {
        stream_name: fields.stream_name.to_owned(),
        physical_type,
        logical_type: LogicalType(fields.logical_type),
        features: fields.features,
        tables,
        version: fields.version,
    })
}

/// Reads `RdfPatchOptions`.
pub(crate) fn read_patch_options(bytes: &[u8], limits: &Limits) -> Result<PatchOptions, Fault> {
    let fields = Fields::read(bytes, true, limits.nesting)?;
    if fields.statement_type == 0 && fields.at[1].is_none() {
        return Err(other_format(true, bytes));
    }
    let tables = fields.check(bytes, PATCH_VERSION, true, limits)?;
    let statement_type = StatementType::from_number(fields.statement_type)
        .ok_or_else(|| fields.no_type(1, fields.statement_type, bytes, true))?;
    let stream_type = PatchStreamType::from_number(fields.stream_type)
        .ok_or_else(|| fields.no_type(2, fields.stream_type, bytes, true))?;
    Ok(PatchOptions {
        statement_type,
        stream_type,
        features: fields.features,
        tables,
        version: fields.version,
    })
}

/// The options that a subscriber requests. 0 means that any value is accepted, so nothing is checked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AskedFields {
    /// For patches.
    pub(crate) statement_type: u32,
    /// The physical type, or the type of a patch stream.
    pub(crate) stream_type: u32,
    /// For statements.
    pub(crate) logical_type: u32,
    pub(crate) features: Features,
    pub(crate) tables: [u32; 3],
    pub(crate) version: u32,
}

/// Reads `RdfStreamOptions` or `RdfPatchOptions` in a request.
pub(crate) fn read_asked_options(bytes: &[u8], is_patch: bool, nesting: usize) -> Result<AskedFields, Fault> {
    let fields = Fields::read(bytes, is_patch, nesting)?;
    Ok(AskedFields {
        statement_type: fields.statement_type,
        stream_type: fields.stream_type,
        logical_type: fields.logical_type,
        features: fields.features,
        tables: fields.tables,
        version: fields.version,
    })
}
