//! Names of columns that are probably misspelled. Other unknown columns are ignored.

use arrow_array::RecordBatch;

use crate::error::{Error, ErrorKind, Result};

/// Rejects a column with nearly this name, if the batch does not have the column itself.
///
/// # Errors
/// `argument`.
pub(super) fn refuse_misspelled(batch: &RecordBatch, column: &str) -> Result<()> {
    if batch.column_by_name(column).is_some() {
        return Ok(());
    }
    let mut names = batch.schema_ref().fields().iter().map(|field| field.name());
    names.find(|name| is_nearly(name, column)).map_or(Ok(()), |found| {
        let message =
            format!("there is a column {found:?}, but no column {column:?}; rename it, or leave it out");
        Err(Error::new(ErrorKind::Argument, message))
    })
}

/// Whether a name is a word in other case, or with one character more, less, different or swapped with the next one.
fn is_nearly(name: &str, word: &str) -> bool {
    let name = name.to_lowercase();
    let start = name.bytes().zip(word.bytes()).take_while(|(name, word)| name == word).count();
    let (name, word) = (&name.as_bytes()[start..], &word.as_bytes()[start..]);
    let end = name.iter().rev().zip(word.iter().rev()).take_while(|(name, word)| name == word).count();
    match (&name[..name.len() - end], &word[..word.len() - end]) {
        ([] | [_], [] | [_]) => true,
        ([first, second], [one, other]) => first == other && second == one,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_nearly;

    #[test]
    fn one_slip_is_near() {
        for name in
            ["graph", "Graph", "GRAPH", "grpah", "graphs", "grap", "raph", "graph ", "greph", "ggraph"]
        {
            assert!(is_nearly(name, "graph"), "{name}");
        }
        for name in ["", "g", "graph_name", "context", "named_graph", "grahp_", "größe"] {
            assert!(!is_nearly(name, "graph"), "{name}");
        }
    }
}
