//! Foreign formats to recorded days: one folder a format, one row each.
//!
//! A connector reads from what it is handed and yields lines of section 12 of the contract. It never opens a
//! file, asks for the time or writes anything: the caller owns the reader, the zone and the folder.
//!
//! Invariants: what is absent in the source is absent in the output, never zero; whatever is left out is
//! counted and named; memory is bounded by the days that come out, not by the size of what goes in.

pub mod apple_health;
pub mod decimal;
pub mod health;
pub mod health_auto_export;
pub mod ics;
pub mod left_out;
pub mod recorded_day;

mod row;

pub use row::{ImportError, ImportKind, ImportOptions, Imported, Input};

/// All formats. The command line takes its words and help from here.
pub const IMPORTS: &[ImportKind] = &[apple_health::KIND, health_auto_export::KIND, ics::KIND];
