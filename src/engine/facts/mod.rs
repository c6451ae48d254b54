//! What is known: the readings of each signal with their windows and baselines, the items of each stream.
//!
//! Knows no rules, no zones and no clock: dates and instants are handed in. A reading costs O(1) in time
//! order and O(log n) where an order statistic is kept; a late one may cost a rebuild of its windows, which
//! is exact.
//!
//! INVARIANT: after any sequence of readings, in any order, each window equals its recomputation from all
//! readings that count.

mod bag;
mod signal;
mod statistic;
mod stream;
#[cfg(test)]
mod tests;
mod window;

pub use bag::Bag;
pub use signal::{Change, Reading, SignalFacts, SignalWindow};
pub use statistic::statistic;
pub use stream::{Item, ItemSpan, StreamFacts, Upsert};
