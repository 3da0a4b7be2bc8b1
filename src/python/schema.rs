//! Schemas for Python.

use arrow_schema::SchemaRef;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCapsule, PyDict, PyTuple};

use super::capsule;
use super::open::read_schema;
use crate::arrow::schema::{CORRUPT_RECORD, ddl, words};

/// Statements or rows of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Rdf,
    Patch,
}

impl Kind {
    /// The kind of a word.
    pub(super) fn of(word: &str) -> PyResult<Kind> {
        match word {
            "rdf" => Ok(Kind::Rdf),
            "patch" => Ok(Kind::Patch),
            _ => Err(PyValueError::new_err(format!("kind is {word:?}; it can be \"rdf\", \"patch\""))),
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Rdf => "rdf",
            Kind::Patch => "patch",
        }
    }
}

/// Names and types of the columns of record batches.
///
/// By default plain Arrow types (string, int64, structs of strings), all nullable, which Spark accepts.
/// Arrow libraries read it as it is: ``pyarrow.schema(jelly.PATCH_SCHEMA)``. Can be pickled.
///
/// Args:
///     kind: ``rdf`` (statements) or ``patch`` (rows of patches).
///     columns: Columns in this order; None for all.
///     terms: ``text``: terms are canonical N-Triples; ``struct``: structs of kind, value,
///         datatype and language.
///     strings: Type of the columns of strings and of the strings in structs. ``utf8``; ``view``: ``utf8_view``;
///         ``dictionary``: ``dictionary<int32, utf8>``.
///     permissive: With the column ``_corrupt_record`` of ``mode="permissive"``.
///
/// Raises:
///     ValueError: A column does not exist, or is given twice.
#[pyclass(frozen, eq, hash, module = "jelly")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Schema {
    pub(super) kind: Kind,
    pub(super) arrow: SchemaRef,
}

impl Schema {
    pub(super) fn names_vec(&self) -> Vec<String> {
        self.arrow.fields().iter().map(|field| field.name().clone()).collect()
    }
}

#[pymethods]
impl Schema {
    #[new]
    #[pyo3(signature = (kind, columns=None, *, terms="text", strings="utf8", permissive=false))]
    fn py_new(
        py: Python<'_>,
        kind: &str,
        columns: Option<Bound<'_, PyAny>>,
        terms: &str,
        strings: &str,
        permissive: bool,
    ) -> PyResult<Self> {
        let keywords = PyDict::new(py);
        keywords.set_item("columns", columns)?;
        keywords.set_item("terms", terms)?;
        keywords.set_item("strings", strings)?;
        keywords.set_item("mode", permissive.then_some("permissive"))?;
        read_schema(kind, &keywords)
    }

    /// ``rdf`` or ``patch``.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.word()
    }

    /// Names of the columns.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.names_vec())
    }

    /// The schema in Spark's DDL, as ``mapInArrow`` takes it.
    #[getter]
    fn ddl(&self) -> String {
        ddl(&self.arrow)
    }

    fn __len__(&self) -> usize {
        self.arrow.fields().len()
    }

    fn __repr__(&self) -> String {
        format!("<jelly.Schema {}: {}>", self.kind.word(), ddl(&self.arrow))
    }

    /// The schema as an ``arrow_schema`` capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, self.arrow.as_ref())
    }

    /// Pickles by what the schema was requested.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, schema) = (slf.py(), slf.get());
        let rebuild = py.import("copyreg")?.getattr("__newobj_ex__")?;
        let (terms, strings) = words(&schema.arrow);
        let keywords = [("terms", terms), ("strings", strings)].into_py_dict(py)?;
        let mut columns = schema.names_vec();
        let permissive = columns.pop_if(|name| name == CORRUPT_RECORD).is_some();
        keywords.set_item("permissive", permissive)?;
        let arguments = (schema.kind.word(), columns);
        Ok((rebuild, (slf.get_type(), arguments, keywords).into_pyobject(py)?))
    }
}
