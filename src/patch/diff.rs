//! The patch that makes one dataset of another.
//!
//! The new dataset is read twice, the old one once: its keys are learned, then what the old one has beside
//! them is deleted, then what the old one did not have is added. Memory is that of the keys of the new dataset and of
//! the deletes.

use std::collections::BTreeSet;

use super::again::Again;
use super::dataset::each_named;
use super::emit::{Emit, PatchOut, Patched, PrefixChange};
use super::key_set::KeySet;
use super::quad_key::Keys;
use super::work::{Watch, Work};
use crate::convert::Skolem;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::open::OpenOptions;
use crate::sink::Statement;
use crate::term::{Term, TermBuf};

/// How datasets are compared.
#[derive(Default)]
pub struct DiffOptions {
    /// How the old dataset is read.
    pub old: OpenOptions,
    /// `H id`, if any.
    pub id: Option<TermBuf>,
    /// `H prev`, if any.
    pub prev: Option<TermBuf>,
    /// Prefixes are compared too.
    pub prefixes: bool,
    /// Blank nodes become IRIs that begin so.
    pub skolemize: Option<String>,
}

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Statements of the old dataset.
    pub old: u64,
    /// Statements of the new dataset.
    pub new: u64,
    /// The patch.
    pub patch: Patched,
}

/// Writes the patch that makes `new` of `old`.
pub fn diff(
    old: Source,
    new: &Again,
    options: DiffOptions,
    out: PatchOut,
    watch: Watch<'_>,
) -> Result<Compared> {
    let mut work = Work::new(watch);
    let mut terms = Terms { keys: Keys::random()?, skolem: options.skolemize.map(Skolem::new).transpose()? };
    let mut compared = Compared::default();

    work.phase("reading the new dataset");
    let mut found = KeySet::new();
    let prefixes_after = each_named(new.source(), &new.options, &mut work, |statement| {
        compared.new += 1;
        found.insert(terms.key(statement)?.0);
        Ok(())
    })?;

    let mut emit = Emit::new(out, None)?;
    emit.header("id", options.id.as_ref())?;
    emit.header("prev", options.prev.as_ref())?;
    work.phase("comparing the old dataset");
    let mut deleted = KeySet::new();
    let prefixes_before = each_named(old, &options.old, &mut work, |statement| {
        compared.old += 1;
        let (key, statement) = terms.key(statement)?;
        if found.mark(key, true).is_none() && deleted.insert(key) {
            emit.change(statement, false)?;
        }
        Ok(())
    })?;
    drop(deleted);
    if options.prefixes {
        let names = prefixes_before.keys().chain(prefixes_after.keys());
        for name in names.collect::<BTreeSet<_>>() {
            let before = prefixes_before.get(name).map(String::as_str);
            let after = prefixes_after.get(name).map(String::as_str);
            let change = PrefixChange::between(name, Term::DefaultGraph, before, after);
            emit.prefix(&change)?;
        }
    }

    work.phase("comparing the new dataset");
    let mut again = 0;
    each_named(new.source(), &new.options, &mut work, |statement| {
        again += 1;
        let (key, statement) = terms.key(statement)?;
        match found.mark(key, true) {
            Some(true) => Ok(()),
            Some(false) => emit.change(statement, true),
            None => Err(changed()),
        }
    })?;
    if again != compared.new {
        return Err(changed());
    }
    emit.end_patch()?;
    let id = options.id.map(|id| id.as_term().to_string());
    compared.patch = Patched { id, ..emit.finish()? };
    Ok(compared)
}

fn changed() -> Error {
    Error::new(ErrorKind::PatchChanged, "the new dataset was changed while it was read")
}

/// Statements as they are compared.
struct Terms {
    keys: Keys,
    skolem: Option<Skolem>,
}

impl Terms {
    /// The key, and the statement as it is written.
    #[inline]
    fn key<'s>(&'s mut self, statement: &'s Statement<'s>) -> Result<(u128, Statement<'s>)> {
        let statement = match &mut self.skolem {
            Some(skolem) => skolem.statement(statement)?,
            None => Statement::of(statement.terms),
        };
        Ok((self.keys.of(&statement).key, statement))
    }
}
