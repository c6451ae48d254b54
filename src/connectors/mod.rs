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

/// A format that can be imported.
#[derive(Clone, Copy, Debug)]
pub struct ImportKind {
    /// The word on the command line and in the names of the day files.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Signals and streams that it may write.
    pub gives: &'static [&'static str],
}

/// All formats.
pub const IMPORTS: &[ImportKind] = &[apple_health::KIND, health_auto_export::KIND, ics::KIND];
