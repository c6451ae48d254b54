//! Payments, the pure part: what a payment table says about a request. The wallet's own allowlist and caps
//! stand beside it; a table can only narrow them.
//!
//! Never moves money, keeps no ledger, reads no clock: whoever asks hands over the request and the totals,
//! and reserves the amount in the same step in which it acts on the answer.
//!
//! INVARIANT: fail closed. What is unknown, overflows or matches nothing is refused.

mod table;

pub use table::{Reason, Request, TableRuling, Totals, judge};
