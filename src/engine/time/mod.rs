//! Instants, dates and zones. The machine's zone is never read: whoever wants a local time names a zone.
//!
//! - [`calendar`]: dates, weeks, months, and the periods that budgets count
//! - [`zone`]: local clocks, what happens when they jump, the coming jumps, fast dates of ordered instants
//! - [`zone_name`]: names of zones, and the nearest one to a misspelt name
//! - [`text`]: RFC 3339, dates, clock times and durations, read and written
//! - [`quiet`]: daily windows that may cross midnight
//! - [`schedule`]: when a schedule runs, and until when a missed run may be caught up
//!
//! Everything here is a pure function of its arguments and of the zone data that is compiled in. No other
//! folder of the engine knows chrono; importers read foreign times with it.
//!
//! INVARIANT: one date is one unbroken span of time, and spans of following dates meet; so a date that has
//! begun never comes back, even where clocks go back over midnight.

pub mod calendar;
pub mod quiet;
pub mod schedule;
pub mod text;
pub mod zone;
pub mod zone_name;

#[cfg(test)]
mod oracle_tests;
#[cfg(test)]
mod tests;

pub use calendar::{DaySet, clock_ms, clock_of_ms, days_in_month, period_of};
pub use quiet::{DailyWindow, QuietWindows};
pub use schedule::{ScheduleSpec, SpecKind, late_deadline};
pub use text::{
    TimeTextError, format_clock, format_duration, format_instant, parse_clock, parse_date, parse_duration,
    parse_instant, show_clock, show_duration, show_instant,
};
pub use zone::{DayCache, DayOf, LocalTime, Resolved, Transition, zone_data_version};

use serde::{Deserialize, Serialize};

/// Milliseconds of a minute.
pub const MS_PER_MINUTE: i64 = 60_000;

/// Milliseconds of an hour.
pub const MS_PER_HOUR: i64 = 3_600_000;

/// Minutes of a day of 24 hours.
pub const MINUTES_PER_DAY: u16 = 1_440;

/// Milliseconds of a day of 24 hours.
pub const MS_PER_DAY: i64 = 86_400_000;

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Instant(pub i64);

/// Days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Date(pub i32);

/// An IANA zone of the built-in zone data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Zone(pub chrono_tz::Tz);

impl Serialize for Zone {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map(Self).map_err(|_| serde::de::Error::custom(format!("unknown zone `{name}`")))
    }
}
