//! The statements about a node, before and after: its rows, the statements in the base, and its labels.

use std::collections::HashSet;

use super::super::index::{Index, is_blank};
use super::super::options::ShowOptions;
use super::Gathered;
use crate::error::Result;
use crate::patch::{Keys, Stored};
use crate::sink::Statement;
use crate::term::TermBuf;

/// Maximum number of rows of one subject that are read; the rest is only counted.
const MOST_ROWS: usize = 4000;

/// A state of the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::show) enum Side {
    Old,
    New,
}

/// A statement about a node.
#[derive(Clone, Debug)]
pub(in crate::show) struct Said {
    /// The key of the quad.
    pub(in crate::show) quad: u128,
    pub(in crate::show) predicate: TermBuf,
    pub(in crate::show) object: TermBuf,
    pub(in crate::show) graph: TermBuf,
}

impl Gathered {
    /// The rows of a node: deletes, adds, and the number of rows that were not read.
    pub(in crate::show) fn rows_of(&mut self, key: u128) -> Result<([Vec<Said>; 2], u64)> {
        let mut found = [Vec::new(), Vec::new()];
        let mut more = 0;
        for &(_, place) in self.rows.of(key) {
            let side = &mut found[(place & 1) as usize];
            if side.len() >= MOST_ROWS {
                more += 1;
                continue;
            }
            side.push(said(&self.texts.get(place >> 1)?, &mut self.quads));
        }
        Ok((found, more))
    }

    /// Whether rows change the statements about a node on a side.
    pub(in crate::show) fn has_rows(&self, key: u128, side: Side) -> bool {
        self.rows.of(key).iter().any(|&(_, place)| (place & 1 != 0) == (side == Side::New))
    }

    /// The known statements about a node in the base: all for a blank node; for other nodes, those that lead
    /// to blank nodes.
    pub(in crate::show) fn base_of(&mut self, key: u128) -> Result<Vec<Said>> {
        let Gathered { base, quads, .. } = self;
        let Some((index, stored)) = base else { return Ok(Vec::new()) };
        read(index, stored, key, quads)
    }

    /// The blank nodes in a term that have changed statements, or changes below them.
    pub(in crate::show) fn dirty_nodes(&mut self, term: &TermBuf) -> Vec<TermBuf> {
        let mut ahead = vec![term];
        let mut found = Vec::new();
        while let Some(term) = ahead.pop() {
            match term {
                TermBuf::BlankNode(_) if self.dirty.contains(&self.keys.of(&term.as_term())) => {
                    found.push(term.clone());
                }
                TermBuf::Triple(triple) => ahead.extend(triple.terms.iter().rev()),
                _ => {}
            }
        }
        found
    }

    /// The order of nodes by their first rows.
    pub(in crate::show) fn place_of(&self, key: u128) -> u64 {
        self.rows.of(key).first().map_or_else(|| self.first_place(key), |row| row.1)
    }

    /// Whether a statement of the base is deleted.
    pub(in crate::show) fn is_deleted(&mut self, said: &Said) -> bool {
        self.deleted.mark(said.quad, true).is_some()
    }

    /// The known statements about a node on one side.
    pub(in crate::show) fn said(&mut self, key: u128, side: Side) -> Result<Vec<Said>> {
        let ([deletes, adds], _) = self.rows_of(key)?;
        let mut all = self.base_of(key)?;
        match side {
            Side::Old if self.base.is_some() && is_blank(key) => {}
            Side::Old => {
                let known: HashSet<_> = all.iter().map(|said| said.quad).collect();
                all.extend(deletes.into_iter().filter(|said| !known.contains(&said.quad)));
            }
            Side::New => {
                all.retain(|said| self.deleted.mark(said.quad, true).is_none());
                all.extend(adds);
            }
        }
        Ok(all)
    }

    /// The labels of a subject on one side.
    pub(in crate::show) fn labels_of(
        &mut self,
        key: u128,
        side: Side,
        options: &ShowOptions,
    ) -> Result<Vec<Said>> {
        let ([deletes, adds], _) = self.rows_of(key)?;
        let Gathered { labels, quads, .. } = self;
        let mut all = match labels {
            Some((index, stored)) => read(index, stored, key, quads)?,
            None => Vec::new(),
        };
        match side {
            Side::Old if self.has_base => {}
            Side::Old => all.extend(deletes),
            Side::New => {
                all.retain(|said| self.deleted.mark(said.quad, true).is_none());
                all.extend(adds);
            }
        }
        all.retain(|said| options.is_label(&said.predicate.as_term()));
        Ok(all)
    }

    /// The term of a subject.
    pub(in crate::show) fn term_of(&mut self, key: u128) -> Result<Option<TermBuf>> {
        if let Some(&(_, place)) = self.rows.of(key).first() {
            return Ok(Some(self.texts.get(place >> 1)?.terms[0].into()));
        }
        let Some((index, stored)) = &mut self.base else { return Ok(None) };
        let Some(&(_, place)) = index.of(key).first() else { return Ok(None) };
        Ok(Some(stored.get(place)?.terms[0].into()))
    }
}

fn read(index: &Index, stored: &mut Stored, key: u128, quads: &mut Keys) -> Result<Vec<Said>> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for &(_, place) in index.of(key) {
        let said = said(&stored.get(place)?, quads);
        if seen.insert(said.quad) {
            all.push(said);
        }
    }
    Ok(all)
}

fn said(statement: &Statement<'_>, quads: &mut Keys) -> Said {
    let quad = quads.of(statement).key;
    let [_, predicate, object, graph] = statement.terms.map(TermBuf::from);
    Said { quad, predicate, object, graph }
}
