//! Static checks over a resolved rule set: one file per lint, one row here.
//!
//! Never reads a file and never changes a set. A check that cannot decide says nothing. What the parser and
//! the resolver report has its rows in `reported`, so that every id can be explained.

mod allow;
mod clear_overlap;
mod empty_window;
mod lint;
mod long_window;
mod never_true;
mod open_table;
mod region;
mod reported;
mod short_hold;
mod shown;
mod table_cells;
mod table_rows;

#[cfg(test)]
mod tests;

pub use lint::{Explain, Findings, Lint, explain, lint};

/// Every id that a finding may have, each once.
pub const LINTS: &[Lint] = &[
    reported::SYNTAX,
    reported::UNKNOWN_NAME,
    reported::UNIT_MISMATCH,
    reported::TOO_MANY_DECIMALS,
    reported::DUPLICATE_NAME,
    reported::CYCLE,
    reported::MISSING_ZONE,
    reported::UNBOUND_VALUE,
    reported::MISSING_PART,
    reported::OUT_OF_PLACE,
    reported::BAD_VALUE,
    reported::FUNCTION_BOUNDS,
    never_true::LINT,
    long_window::LINT,
    short_hold::LINT,
    clear_overlap::LINT,
    empty_window::LINT,
    open_table::LINT,
    table_rows::LINT,
    allow::ALLOW_WITHOUT_REASON,
    allow::UNUSED_ALLOW,
];
