//! Single options of a stream that the caller sets, while the others are those of the source.

use crate::error::Result;
use crate::options::values::Values;
use crate::options::{
    Features, LogicalType, PatchOptions, PatchStreamType, PhysicalType, RdfOptions, StatementType, TableSizes,
};
use crate::with::With;

/// Options that the caller sets; `None` keeps the option of the source.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Changes {
    /// For Jelly-RDF.
    pub stream_name: Option<String>,
    /// For Jelly-RDF; a flat logical type changes with it.
    pub physical_type: Option<PhysicalType>,
    /// For Jelly-RDF.
    pub logical_type: Option<LogicalType>,
    /// For Jelly-Patch.
    pub statement_type: Option<StatementType>,
    /// For Jelly-Patch.
    pub stream_type: Option<PatchStreamType>,
    /// For both.
    pub generalized_statements: Option<bool>,
    /// For both.
    pub rdf_star: Option<bool>,
    /// Sizes of the tables of names, prefixes and datatypes.
    pub tables: [Option<u32>; 3],
}

impl With for Changes {}

impl Changes {
    /// What the options say.
    ///
    /// # Errors
    /// `argument`: there is no type of this name.
    pub fn of(values: &Values) -> Result<Self> {
        Ok(Changes {
            stream_name: values.text("stream_name").map(str::to_owned),
            physical_type: named(values, "physical_type", PhysicalType::ALL, PhysicalType::name),
            logical_type: values.text("logical_type").map(LogicalType::from_name).transpose()?,
            statement_type: named(values, "statement_type", StatementType::ALL, StatementType::name),
            stream_type: named(values, "stream_type", PatchStreamType::ALL, PatchStreamType::name),
            generalized_statements: values.flag("generalized_statements"),
            rdf_star: values.flag("rdf_star"),
            tables: ["max_name_table_size", "max_prefix_table_size", "max_datatype_table_size"]
                .map(|name| values.number(name)),
        })
    }

    /// Changes options of Jelly-RDF.
    pub fn of_rdf(&self, mut options: RdfOptions) -> RdfOptions {
        if let Some(name) = &self.stream_name {
            options.stream_name.clone_from(name);
        }
        if let Some(physical) = self.physical_type {
            options.physical_type = physical;
            options.logical_type = options.logical_type.fitted(physical);
        }
        options.logical_type = self.logical_type.unwrap_or(options.logical_type);
        options.features = self.features(options.features);
        options.tables = self.sizes(options.tables);
        options
    }

    /// Changes options of Jelly-Patch.
    pub fn of_patch(&self, mut options: PatchOptions) -> PatchOptions {
        options.statement_type = self.statement_type.unwrap_or(options.statement_type);
        options.stream_type = self.stream_type.unwrap_or(options.stream_type);
        options.features = self.features(options.features);
        options.tables = self.sizes(options.tables);
        options
    }

    fn features(&self, features: Features) -> Features {
        Features {
            generalized_statements: self.generalized_statements.unwrap_or(features.generalized_statements),
            rdf_star: self.rdf_star.unwrap_or(features.rdf_star),
        }
    }

    fn sizes(&self, tables: TableSizes) -> TableSizes {
        let [names, prefixes, datatypes] = self.tables;
        TableSizes {
            names: names.unwrap_or(tables.names),
            prefixes: prefixes.unwrap_or(tables.prefixes),
            datatypes: datatypes.unwrap_or(tables.datatypes),
        }
    }
}

fn named<T: Copy>(values: &Values, option: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Option<T> {
    let word = values.text(option)?;
    all.iter().copied().find(|&known| name(known) == word)
}
