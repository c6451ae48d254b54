//! Where a condition holds, as boxes: alternatives of limits on single values.
//!
//! A condition becomes a disjunction of conjunctions of atoms; each atom limits one number, one text or one
//! truth. Numbers are linear forms, so that `hrv < usual` and `hrv > usual + 2ms` limit the same difference.
//! No solver: what does not fit, or costs more than the budget, is undecided, and a lint then says nothing.
//!
//! INVARIANT: a clash that is reported is certain; a witness makes every atom of its box true at once.

mod boxes;
mod forms;
mod linear;
#[cfg(test)]
mod tests;

pub(super) use boxes::{Clash, clash, witness};
pub(super) use forms::{Conjunction, Regions};
