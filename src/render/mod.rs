//! Values to what people and tools read.
//!
//! Returns text and prints nothing: `cli` owns the streams. Never reads a clock, a file or the environment;
//! whether to use colour and in which zone to write an instant are arguments. The same value gives the same
//! bytes.

pub mod diagnostics;
pub mod explain;
pub mod log;
pub mod terminal;

use crate::engine::time::{Instant, Zone};

/// An instant as RFC 3339 with the offset of a zone, `2026-09-26T07:00:00-04:00`; milliseconds only when
/// there are any, UTC as `+00:00`. An instant outside of the calendar is its milliseconds since 1970.
#[must_use]
pub fn instant(at: Instant, zone: Zone) -> String {
    chrono::DateTime::from_timestamp_millis(at.0).map_or_else(
        || at.0.to_string(),
        |utc| utc.with_timezone(&zone.0).to_rfc3339_opts(chrono::SecondsFormat::AutoSi, false),
    )
}

/// A value as one line of compact JSON, without a line break.
pub(crate) fn json_line(value: &impl serde::Serialize) -> String {
    // Fails only for keys that are no text, which no shape here has; the reason is then shown, not hidden.
    serde_json::to_string(value)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string())
}
