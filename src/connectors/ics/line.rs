//! One occurrence to one line of a recorded day.
//!
//! A record's times have four digits for their year: what lies farther away is written as far as they reach.

use std::ops::RangeInclusive;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime};
use chrono_tz::Tz;

use super::series::{Occurrence, Window};
use super::value::{Key, When};
use super::zone::shown;
use crate::connectors::recorded_day::{DayRecord, DayRecordKind, FieldValue};

/// Dates that are written: what lies outside counts as the nearest.
const DATES: RangeInclusive<NaiveDate> = date(2, 1, 1)..=date(9997, 12, 31);

const fn date(year: i32, month: u32, day: u32) -> NaiveDate {
    match NaiveDate::from_ymd_opt(year, month, day) {
        Some(date) => date,
        None => NaiveDate::MIN,
    }
}

/// Its id, or its signal.
pub(super) fn id(record: &DayRecord) -> &str {
    match &record.kind {
        DayRecordKind::Item { id, .. } => id,
        DayRecordKind::Reading { signal, .. } => signal,
    }
}

/// The line of an occurrence, with its start for the order of lines.
pub(super) fn record(
    occurrence: &Occurrence<'_>,
    at: DateTime<FixedOffset>,
    zone: Tz,
    window: &Window,
) -> (NaiveDateTime, DayRecord) {
    let near = |date: NaiveDate| date.clamp(*DATES.start(), *DATES.end());
    let field = |when: &When| match when {
        When::Date(date) => FieldValue::Date(near(*date)),
        When::Time { wall, zone: own } => {
            let utc = own.utc(*wall);
            FieldValue::Instant(shown(zone, near(utc.date()).and_time(utc.time())))
        }
    };
    let event = occurrence.event;
    let mut fields = Vec::with_capacity(5);
    fields.extend(event.title.clone().map(|title| ("title", FieldValue::Text(title))));
    fields.push(("start", field(&occurrence.start)));
    fields.push(("end", field(&occurrence.end)));
    fields.push(("all-day", FieldValue::Flag(occurrence.start.is_date())));
    fields.push(("status", FieldValue::Text(event.status.to_owned())));
    let id = match occurrence.original {
        None => event.uid.clone(),
        Some(Key::Date(date)) => format!("{}/{}", event.uid, date.format("%Y%m%d")),
        Some(Key::Instant(utc)) => format!("{}/{}", event.uid, utc.format("%Y%m%dT%H%M%SZ")),
    };
    let kind = DayRecordKind::Item { stream: "calendar.event", id, fields };
    (occurrence.start.utc(&window.home), DayRecord { at, observed: None, kind })
}
