//! Plain references that the laws compare the engine with: written from the contract, slow on purpose.
//!
//! Nothing here uses the engine. Time is walked minute by minute, facts are looked up in the raw records each
//! time, and every value is a whole number.

pub(crate) mod condition;
pub(crate) mod delivery;
pub(crate) mod rule;

use chrono::{DateTime, Datelike as _, Timelike as _};
use chrono_tz::Tz;

/// Local date as a number of days, in a zone.
pub(crate) fn date(zone: Tz, minute: i64) -> i64 {
    i64::from(local(zone, minute).date_naive().num_days_from_ce())
}

/// Local time in a zone.
pub(crate) fn local(zone: Tz, minute: i64) -> DateTime<Tz> {
    DateTime::from_timestamp(minute * 60, 0).unwrap().with_timezone(&zone)
}

/// Local hour and minute as minutes since midnight on the wall clock.
pub(crate) fn clock(zone: Tz, minute: i64) -> i64 {
    let local = local(zone, minute);
    i64::from(local.hour() * 60 + local.minute())
}
