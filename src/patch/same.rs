//! Checks whether two datasets are equal except for the labels of blank nodes.

use super::blank_rows::{BlankStatements, NEW, OLD};
use super::dataset::each_statement;
use super::key_set::KeySet;
use super::quad_key::Keys;
use super::work::{Watch, Work};
use crate::error::Result;
use crate::io::Source;
use crate::open::OpenOptions;

/// Returns whether two datasets are isomorphic: they have the same statements, except for the labels of blank
/// nodes.
///
/// # Errors
/// `limit.blank_work`: the budget is too small for a decision.
pub fn same(old: (Source, OpenOptions), new: (Source, OpenOptions), watch: Watch<'_>) -> Result<bool> {
    let mut work = Work::new(watch);
    let mut blank = BlankStatements::new(&new.1.decode.limits);
    let mut keys = Keys::random()?;
    let mut found = KeySet::new();
    let mut left = 0u64;
    work.phase("reading the first dataset")?;
    each_statement(old.0, &old.1, &mut work, |statement| {
        if !blank.take(OLD, statement)? {
            left += u64::from(found.insert(keys.of(statement).key));
        }
        Ok(())
    })?;
    blank.end(OLD)?;
    work.phase("reading the second dataset")?;
    let mut is_same = true;
    each_statement(new.0, &new.1, &mut work, |statement| {
        if !blank.take(NEW, statement)? {
            match found.mark(keys.of(statement).key, true) {
                None => is_same = false,
                Some(was_seen) => left -= u64::from(!was_seen),
            }
        }
        Ok(())
    })?;
    drop(found);
    if !is_same || left > 0 {
        return Ok(false);
    }
    work.phase("comparing blank nodes")?;
    blank.are_same()
}
