//! iCalendar files: the occurrences of a window of dates as items of `calendar.event`.
//!
//! All items are known from the start of the window, because a calendar file does not say when its owner
//! learnt of anything. There the calendar was read, once: one record `source.calendar`, also when no event
//! lies in the window. Times are written in the owner's zone; all-day items carry dates with an exclusive
//! end. calcard parses, rrule repeats; this folder decides which rules, versions, exceptions and zones count.
//!
//! Bounds: [`TEXT_BYTES_MAX`], [`EVENTS_MAX`], [`OCCURRENCES_MAX`], and those of a rule in `recur`.

mod error;
mod event;
mod file;
mod line;
mod recur;
mod rule_text;
mod series;
pub mod source;
#[cfg(test)]
mod tests;
mod value;
mod zone;

use std::io::Read as _;
use std::ops::RangeInclusive;

use chrono::{Datelike, NaiveDate};
use chrono_tz::Tz;

use self::file::{components_left_out, events, parse, zone_of};
use self::line::{id, record};
use self::series::{Window, occurrences};
pub use self::source::SOURCE;
use self::zone::{EventZone, Zones, shown};
use super::recorded_day::{DayRecord, DayRecordKind, ReadingValue};
use super::{ImportError, ImportKind, ImportOptions, Imported, Input};
use crate::engine::time::Date;

pub use self::error::IcsError;
pub use self::recur::Budget;

/// Its row.
pub const KIND: ImportKind = ImportKind {
    name: "ics",
    about: "The events of an iCalendar file between two dates",
    file: "The calendar",
    zone: "Your zone, such as `America/Toronto`; without it the one that the file names",
    gives: &["calendar.event", READ_SIGNAL],
    dated: true,
    complete: false,
    read: import,
};

fn import(input: &mut dyn Input, options: &ImportOptions) -> Result<Imported, ImportError> {
    let (from, to) = options.dates.ok_or("no dates are given, expected the first and the last")?;
    let mut bytes = Vec::new();
    // One byte beyond the limit is enough to be refused for it.
    input.take((TEXT_BYTES_MAX as u64) + 1).read_to_end(&mut bytes)?;
    let days = read(
        &String::from_utf8_lossy(&bytes),
        IcsWindow {
            from: calendar_date(from),
            to: calendar_date(to.plus_days(1)),
            zone: options.zone.map(|zone| zone.0),
        },
    )?;
    let mut notes = days.notes;
    if days.records.is_empty() {
        let events = days.events;
        notes.push(format!("no event lies between {from} and {to}; the file holds {events}"));
    }
    Ok(Imported { records: Box::new(std::iter::once(days.read).chain(days.records)), notes })
}

fn calendar_date(date: Date) -> NaiveDate {
    NaiveDate::from_epoch_days(date.0).unwrap_or(NaiveDate::MAX)
}

/// The signal that says when a calendar was read.
const READ_SIGNAL: &str = "source.calendar";

/// Size of a file.
pub const TEXT_BYTES_MAX: usize = 64 << 20;
/// VEVENTs of a file.
pub const EVENTS_MAX: usize = 200_000;
/// Occurrences of one import.
pub const OCCURRENCES_MAX: usize = 200_000;

/// Years of a window.
const YEARS: RangeInclusive<i32> = 1900..=2999;
/// Which occurrences are wanted.
#[derive(Clone, Copy, Debug)]
pub struct IcsWindow {
    /// First date.
    pub from: NaiveDate,
    /// End date, outside.
    pub to: NaiveDate,
    /// The owner's zone; without it, the one that the file names.
    pub zone: Option<Tz>,
}

/// What a file gave.
#[derive(Clone, Debug)]
pub struct IcsDays {
    /// That the calendar was read; before the items.
    pub read: DayRecord,
    /// Items by start, then id.
    pub records: Vec<DayRecord>,
    /// Events of the file, in the window or not; exceptions of a series count too.
    pub events: usize,
    /// What was left out and why, in sentences.
    pub notes: Vec<String>,
    /// The zone in which the window was read.
    pub zone: Tz,
}

/// The occurrences of a file in a window.
///
/// # Errors
/// When it is no calendar, is cut off, exceeds a limit, or no zone is known.
pub fn read(text: &str, window: IcsWindow) -> Result<IcsDays, IcsError> {
    read_within(text, window, &mut Budget::default())
}

/// The same for one of several texts, which together may cost no more than one.
///
/// # Errors
/// As for [`read`].
pub fn read_within(text: &str, window: IcsWindow, budget: &mut Budget) -> Result<IcsDays, IcsError> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(IcsError::TooLarge);
    }
    let (from, to) = (window.from, window.to.pred_opt().unwrap_or(window.to));
    if window.to <= from {
        return Err(IcsError::EmptyWindow { from, to });
    }
    if !YEARS.contains(&from.year()) || !YEARS.contains(&window.to.year()) {
        return Err(IcsError::FarWindow { from, to });
    }
    let (text, refused) = rule_text::check(text);
    let calendars = parse(&text)?;
    let zone = window.zone.or_else(|| zone_of(&calendars)).ok_or(IcsError::NoZone)?;
    let home = EventZone::Named(zone);
    let midnight = |date: NaiveDate| home.utc(date.and_time(chrono::NaiveTime::MIN));
    let utc = midnight(window.from)..midnight(window.to);
    let at = shown(zone, utc.start);
    let horizon = utc.end.checked_add_days(chrono::Days::new(800)).unwrap_or(utc.end);
    let mut zones = Zones::of(&calendars, zone, horizon);
    let mut notes = Vec::new();
    let groups = events(&calendars, &mut zones, &refused, &mut notes)?;
    let window = Window { utc, home };
    notes.extend(components_left_out(&calendars).note());
    let mut records = Vec::new();
    for versions in groups.values() {
        let (found, said) = occurrences(versions, &window, budget);
        notes.extend(said);
        records.extend(found.iter().map(|occurrence| record(occurrence, at, zone, &window)));
        if records.len() > OCCURRENCES_MAX {
            return Err(IcsError::TooManyOccurrences);
        }
    }
    records.sort_by(|a, b| (a.0, id(&a.1)).cmp(&(b.0, id(&b.1))));
    notes.extend(zones.unknown.iter().map(|name| format!("the zone `{name}` is unknown: read as {zone}")));
    let kind = DayRecordKind::Reading { signal: READ_SIGNAL, value: ReadingValue::Flag(true) };
    Ok(IcsDays {
        read: DayRecord { at, observed: None, kind },
        records: records.into_iter().map(|(_, record)| record).collect(),
        events: groups.values().map(Vec::len).sum(),
        notes,
        zone,
    })
}
