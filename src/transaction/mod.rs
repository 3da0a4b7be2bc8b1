//! Patches and their transactions, below the formats: where they begin and end, and which are committed.
//!
//! [`Open`] is the machine: the steps of one transaction, and what may be wrong with each. [`Numbering`] numbers the
//! rows that a format reads, and ends patches that have no end of their own; [`EndMarks`] says where a writer must
//! write an end because [`Numbering`] would not find it. [`Outcomes`] and logs look at numbered rows.

mod end_marks;
mod numbering;
mod open;
mod outcomes;

pub(crate) use end_marks::EndMarks;
pub(crate) use numbering::Numbering;
pub(crate) use open::{Committed, Irregular, Open};
pub(crate) use outcomes::Outcomes;
