//! Keywords of Python functions as options of the core; `None` is as good as absent.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyMapping, PyString};

use super::stream_options;
use crate::limits::{LIMITS, Limits};
use crate::options::StreamOptions;
use crate::options::doors::Doors;
use crate::options::shape::Shape;
use crate::options::table::rows;
use crate::options::values::{Value, Values};

/// The options in a dictionary, of functions of these groups.
pub(super) fn values(keywords: &Bound<'_, PyDict>, doors: Doors) -> PyResult<Values> {
    let mut values = Values::new(doors);
    for (name, value) in keywords.iter().filter(|(_, value)| !value.is_none()) {
        let name: String = name.extract()?;
        let Some(row) = values.row(&name) else {
            return Err(PyTypeError::new_err(format!("unexpected keyword argument {name:?}")));
        };
        let value = read(row.shape, &name, &value)?;
        if let Value::Stream(options) = &value
            && let Some(right) = other_stream(options, doors)
        {
            return Err(PyTypeError::new_err(format!("{name} must be a jelly.{right}")));
        }
        values.set(&name, value)?;
    }
    Ok(values)
}

/// The class that functions of these groups want, where they can only take another one than was given.
fn other_stream(options: &StreamOptions, doors: Doors) -> Option<&'static str> {
    let rdf = Doors::WRITE_RDF.and(Doors::RESULT_RDF).and(Doors::ENCODE_RDF).meets(doors);
    let patch = Doors::WRITE_PATCH.and(Doors::RESULT_PATCH).and(Doors::ENCODE_PATCH).meets(doors);
    match options {
        StreamOptions::Rdf(_) => (patch && !rdf).then_some("PatchOptions"),
        StreamOptions::Patch(_) => (rdf && !patch).then_some("RdfOptions"),
    }
}

/// A value as its option wants it.
pub(super) fn read(shape: Shape, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let wrong = |wanted: &str| {
        let found = value.get_type().name();
        found.map_or_else(
            |error| error,
            |found| PyTypeError::new_err(format!("{name} must be {wanted}, not {found}")),
        )
    };
    match shape {
        Shape::Flag(_) => value.extract().map(Value::Flag).map_err(|_| wrong("a bool")),
        Shape::Word(_) | Shape::Name(_) | Shape::Format(_) | Shape::Text => {
            value.extract().map(Value::Text).map_err(|_| wrong("a str"))
        }
        Shape::Number { .. } if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() => value
            .extract()
            .map(Value::Number)
            .map_err(|_| PyValueError::new_err(format!("{name} is out of range"))),
        Shape::Number { .. } => Err(wrong("an int")),
        Shape::Names if value.is_instance_of::<PyString>() => {
            Err(PyTypeError::new_err(format!("{name} must be a sequence of names, not one string")))
        }
        Shape::Names => {
            let names = value.try_iter()?.map(|name| name?.extract());
            names.collect::<PyResult<_>>().map(Value::Names)
        }
        Shape::Bytes => value.extract().map(Value::Bytes).map_err(|_| wrong("bytes")),
        Shape::PairsOrFlag if value.is_instance_of::<PyBool>() => value.extract().map(Value::Flag),
        Shape::Pairs | Shape::PairsOrFlag => {
            let pairs = value.cast::<PyMapping>().map_err(|_| wrong("a mapping of labels to IRIs"))?;
            pairs.items()?.extract().map(Value::Pairs)
        }
        Shape::Version if value.is_instance_of::<PyBool>() => {
            Err(wrong("the number of a version or the id of its patch"))
        }
        Shape::Version => match (value.extract(), value.extract()) {
            (Ok(number), _) => Ok(Value::Number(number)),
            (_, Ok(id)) => Ok(Value::Text(id)),
            _ => {
                let message = format!("{name} must be the number of a version or the id of its patch");
                Err(PyValueError::new_err(message))
            }
        },
        Shape::Limits => limits(value).map(|limits| Value::Limits(Box::new(limits))),
        Shape::Stream => stream_options::read(value).map(|options| Value::Stream(Box::new(options))),
    }
}

/// Reads a `jelly.Limits`.
fn limits(object: &Bound<'_, PyAny>) -> PyResult<Limits> {
    let class = object.py().import("jelly.types")?.getattr("Limits")?;
    if !object.is_instance(&class)? {
        let name = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("limits must be a jelly.Limits, not {name}")));
    }
    let mut limits = Limits::default();
    for row in LIMITS {
        if !limits.set(row.name, object.getattr(row.name)?.extract()?) {
            return Err(PyValueError::new_err(format!("limits.{} is out of range", row.name)));
        }
    }
    Ok(limits)
}

/// Name, type, words, least and most, default, groups and meaning of an option.
type Row<'py> = (
    &'static str,
    &'static str,
    Vec<&'static str>,
    Option<(i64, i64)>,
    Bound<'py, PyAny>,
    Vec<&'static str>,
    &'static str,
);

/// Every option and limit, as the table of the core has them.
#[pyfunction]
pub(super) fn option_table(py: Python<'_>) -> PyResult<Vec<Row<'_>>> {
    let of = |row: crate::options::table::OptionRow| {
        let (range, default) = match row.shape {
            Shape::Flag(Some(flag)) => (None, flag.into_pyobject(py)?.to_owned().into_any()),
            Shape::Word(words) => (None, words.first().into_pyobject(py)?.into_any()),
            Shape::Format(_) => (None, "auto".into_pyobject(py)?.into_any()),
            Shape::Number { default, least, most, .. } => {
                (Some((least, most)), default.into_pyobject(py)?.into_any())
            }
            _ => (None, py.None().into_bound(py)),
        };
        let doors = Doors::ALL.iter().filter(|(_, door)| row.doors.meets(*door)).map(|(name, _)| *name);
        Ok((row.name, row.shape.name(), row.shape.words(), range, default, doors.collect(), row.doc))
    };
    rows().map(of).collect()
}
