//! Foreign formats to recorded days, and live sources: one folder each, with a row for what it can be.
//!
//! A connector reads from what it is handed and yields lines of section 12 of the contract. It never opens a
//! file, asks for the time or writes anything: the caller owns the reader, the zone and the folder.
//!
//! Invariants: what is absent in the source is absent in the output, never zero; whatever is left out is
//! counted and named; memory is bounded by the days that come out, not by the size of what goes in.

pub mod apple_health;
pub mod caldav;
pub mod command;
pub mod decimal;
pub mod edgar;
pub mod feed;
pub mod given;
pub mod health;
pub mod health_auto_export;
pub mod ics;
pub mod jsonl;
pub mod left_out;
pub mod mcp_health;
pub mod news;
pub mod recorded_day;
pub mod source;
pub mod whole_files;

mod row;

pub use source::SourceKind;

pub use row::{ImportError, ImportKind, ImportOptions, Imported, Input};

/// All formats. The command line takes its words and help from here.
pub const IMPORTS: &[ImportKind] = &[apple_health::KIND, health_auto_export::KIND, ics::KIND];

/// All kinds of live sources. `connectors.toml`, its manual and the watch take everything from here.
pub const SOURCES: &[SourceKind] = &[
    apple_health::SOURCE,
    health_auto_export::SOURCE,
    ics::SOURCE,
    caldav::SOURCE,
    mcp_health::SOURCE,
    feed::SOURCE,
    edgar::SOURCE,
    jsonl::SOURCE,
    command::SOURCE,
];
