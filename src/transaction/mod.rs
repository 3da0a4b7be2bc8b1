//! Patches and their transactions, for all formats: where they begin and end, and which are committed.
//!
//! [`Open`] is the state machine: the steps of one transaction, and the faults of each step. [`Numbering`]
//! numbers the rows that a format reads, and ends patches that have no end of their own. [`EndMarks`] decides
//! where a writer must write an end because [`Numbering`] would not detect it. [`Outcomes`] and logs process
//! numbered rows.

mod end_marks;
mod numbering;
mod open;
mod outcomes;

pub(crate) use end_marks::EndMarks;
pub(crate) use numbering::Numbering;
pub(crate) use open::{Committed, Irregular, Open};
pub(crate) use outcomes::Outcomes;
