//! Reads `base.json`, which describes the base of a backup, and `log.json`, which marks a folder as a
//! complete log. In an object store, `log.json` describes the base too, in its member `base`.

use std::fs::File;
use std::io::{ErrorKind as IoError, Read};
use std::path::Path;

use json_event_parser::{JsonEvent, SliceJsonParser};

use super::facts::id_from_text;
use crate::term::TermBuf;

pub(crate) const BASE: &str = "base.json";
pub(crate) const LOG: &str = "log.json";
/// The beginning of the names of members of `base` in `log.json`.
const WITHIN: &str = "base.";
/// Maximum size of a manifest, which usually has a few hundred bytes.
const MOST: u64 = 64 << 10;

/// The content of `base.json`: the dataset that a backup stores completely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The name of the file with the dataset.
    pub file: String,
    /// Statements of the dataset.
    pub statements: u64,
    /// The time of the dump, in RFC 3339 format.
    pub timestamp: String,
    /// The version of the dataset; 0 if the manifest does not state it.
    pub version: u64,
    /// The id of the patch that made the version.
    pub id: Option<TermBuf>,
    /// SHA-256 of the bytes of the file, in hexadecimal; `None` for a manifest of an older version.
    pub digest: Option<String>,
    /// Whether the log was compacted: the dataset includes the patches up to the version, which may still be
    /// in the folder.
    pub is_compacted: bool,
}

/// Reads the bytes of a manifest. `Ok(None)`: the folder has no such manifest.
pub(super) fn read(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, String> {
    let file = match File::open(folder.join(name)) {
        Ok(file) => file,
        Err(error) if error.kind() == IoError::NotFound => return Ok(None),
        Err(error) => return Err(format!("{name} cannot be read: {error}")),
    };
    let mut bytes = Vec::new();
    match file.take(MOST + 1).read_to_end(&mut bytes) {
        Ok(size) if size as u64 <= MOST => Ok(Some(bytes)),
        Ok(_) => Err(format!("{name} has more than {MOST} bytes")),
        Err(error) => Err(format!("{name} cannot be read: {error}")),
    }
}

/// Parses `base.json`; the error is its fault.
pub(super) fn base(bytes: &[u8]) -> Result<Base, String> {
    described(BASE, &fields(BASE, bytes)?, "")
}

/// Parses `log.json`, which describes a base only in an object store.
pub(super) fn log(bytes: &[u8]) -> Result<Option<Base>, String> {
    let fields = fields(LOG, bytes)?;
    let has_base = fields.iter().any(|(key, _)| key.starts_with(WITHIN));
    has_base.then(|| described(LOG, &fields, WITHIN)).transpose()
}

/// The base that the members of a manifest describe whose names begin with `within`.
fn described(manifest: &str, fields: &[(String, Value)], within: &str) -> Result<Base, String> {
    let is_it = |key: &str, name: &str| key.strip_prefix(within) == Some(name);
    let find = |name: &str| fields.iter().rev().find(|(key, _)| is_it(key, name)).map(|(_, value)| value);
    let text = |name: &str| match find(name) {
        Some(Value::Text(text)) if !text.is_empty() => Ok(text.clone()),
        Some(_) => Err(format!("{name} in {manifest} is not a text")),
        None => Err(format!("{manifest} has no {name}")),
    };
    let number = |name: &str| match find(name) {
        Some(Value::Number(number)) => {
            number.parse().map_err(|_| format!("{name} in {manifest} is {number}; expected a whole number"))
        }
        Some(_) => Err(format!("{name} in {manifest} is not a number")),
        None => Err(format!("{manifest} has no {name}")),
    };
    let file = text("base")?;
    if file.contains(['/', '\\']) || file.starts_with('.') {
        return Err(format!("base in {manifest} is {file:?}; expected the name of a file in this folder"));
    }
    let id = match find("id") {
        None | Some(Value::Other) => None,
        Some(_) => Some(id_from_text(&text("id")?).map_err(|_| format!("id in {manifest} is not a term"))?),
    };
    let digest = find("digest").map(|_| text("digest")).transpose()?;
    let version = if find("version").is_some() { number("version")? } else { 0 };
    let is_compacted = find("compacted").is_some();
    Ok(Base {
        file,
        statements: number("statements")?,
        timestamp: text("timestamp")?,
        version,
        id,
        digest,
        is_compacted,
    })
}

/// Checks that `log.json` is complete.
pub(super) fn check_log(bytes: &[u8]) -> Result<(), String> {
    fields(LOG, bytes).map(drop)
}

/// The value of a member of an object.
pub(super) enum Value {
    Text(String),
    Number(String),
    Other,
}

/// The members of a JSON object, and those of objects in it, as `outer.inner`; deeper values and arrays are ignored.
pub(super) fn fields(name: &str, bytes: &[u8]) -> Result<Vec<(String, Value)>, String> {
    let mut parser = SliceJsonParser::new(bytes);
    let mut fields = Vec::new();
    let mut key = None;
    let mut outer = String::new();
    let mut depth = 0;
    loop {
        let event =
            parser.parse_next().map_err(|error| format!("{name} is incomplete or damaged: {error}"))?;
        if depth == 0 && !matches!(event, JsonEvent::StartObject | JsonEvent::Eof) {
            return Err(format!("{name} is not a JSON object"));
        }
        let value = match event {
            JsonEvent::StartObject | JsonEvent::StartArray => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
                Value::Other
            }
            JsonEvent::EndObject | JsonEvent::EndArray => {
                depth -= 1;
                continue;
            }
            JsonEvent::ObjectKey(text) => {
                if depth == 1 {
                    outer = format!("{text}.");
                    key = Some(text.into_owned());
                } else if depth == 2 {
                    key = Some(format!("{outer}{text}"));
                }
                continue;
            }
            JsonEvent::Eof => return Ok(fields),
            JsonEvent::String(text) => Value::Text(text.into_owned()),
            JsonEvent::Number(text) => Value::Number(text.into_owned()),
            JsonEvent::Boolean(_) | JsonEvent::Null => Value::Other,
        };
        if let Some(key) = key.take() {
            fields.push((key, value));
        }
    }
}
