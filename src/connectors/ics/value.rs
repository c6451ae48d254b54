//! Times as calendar files write them.

use calcard::common::PartialDateTime;
use calcard::icalendar::{ICalendarEntry, ICalendarPeriod, ICalendarValue};
use chrono::{FixedOffset, NaiveDate, NaiveDateTime, TimeDelta};

use super::zone::{EventZone, Zones};

/// A date, or a wall time in a zone.
#[derive(Clone, Debug)]
pub(super) enum When {
    Date(NaiveDate),
    Time { wall: NaiveDateTime, zone: EventZone },
}

/// What tells occurrences apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Date(NaiveDate),
    /// In UTC.
    Instant(NaiveDateTime),
}

impl When {
    /// The wall time; midnight for a date.
    pub(super) fn wall(&self) -> NaiveDateTime {
        match self {
            Self::Date(date) => date.and_time(chrono::NaiveTime::MIN),
            Self::Time { wall, .. } => *wall,
        }
    }

    /// UTC; of a date, its midnight at home.
    pub(super) fn utc(&self, home: &EventZone) -> NaiveDateTime {
        match self {
            Self::Date(_) => home.utc(self.wall()),
            Self::Time { wall, zone } => zone.utc(*wall),
        }
    }

    /// What tells it apart.
    pub(super) fn key(&self) -> Key {
        match self {
            Self::Date(date) => Key::Date(*date),
            Self::Time { wall, zone } => Key::Instant(zone.utc(*wall)),
        }
    }

    /// The same kind of time and zone at another wall time.
    pub(super) fn at_wall(&self, wall: NaiveDateTime) -> Self {
        match self {
            Self::Date(_) => Self::Date(wall.date()),
            Self::Time { zone, .. } => Self::Time { wall, zone: zone.clone() },
        }
    }

    /// True for a date.
    pub(super) fn is_date(&self) -> bool {
        matches!(self, Self::Date(_))
    }

    /// Its wall time in another time's zone: an UNTIL in UTC against a series with a zone.
    pub(super) fn wall_for(&self, series: &Self) -> NaiveDateTime {
        match (self, series) {
            (Self::Time { wall, zone }, Self::Time { zone: target, .. }) => target.wall(zone.utc(*wall)),
            _ => self.wall(),
        }
    }
}

/// How an event ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    At(When),
    After(TimeDelta),
}

impl End {
    /// Before what it is the end of.
    pub(super) fn is_before(&self, start: &When) -> bool {
        match (self, start) {
            (Self::After(length), _) => *length < TimeDelta::zero(),
            (Self::At(end @ When::Time { .. }), When::Time { .. }) => end.key() < start.key(),
            (Self::At(end), _) => end.wall() < start.wall(),
        }
    }
}

/// The bare wall time of a value, whatever zone it has.
pub(super) fn wall_of(at: &PartialDateTime) -> Option<NaiveDateTime> {
    let date = NaiveDate::from_ymd_opt(at.year?.into(), at.month?.into(), at.day?.into())?;
    // A leap second is the second before.
    let second = at.second.unwrap_or(0).min(59);
    date.and_hms_opt(at.hour.unwrap_or(0).into(), at.minute.unwrap_or(0).into(), second.into())
}

/// A value of an entry, in the zone that the entry names.
pub(super) fn when(at: &PartialDateTime, entry: &ICalendarEntry, zones: &mut Zones) -> Option<When> {
    let wall = wall_of(at)?;
    if !at.has_time() {
        return Some(When::Date(wall.date()));
    }
    let zone = if let Some(hours) = at.tz_hour {
        let east = i32::from(hours) * 3600 + i32::from(at.tz_minute.unwrap_or(0)) * 60;
        EventZone::Fixed(FixedOffset::east_opt(if at.tz_minus { -east } else { east })?)
    } else if let Some(name) = entry.tz_id() {
        zones.resolve(name)
    } else {
        zones.floating()
    };
    Some(When::Time { wall, zone })
}

/// All times of an entry; periods keep their end.
pub(super) fn whens(entry: &ICalendarEntry, zones: &mut Zones) -> Vec<(When, Option<End>)> {
    let mut found = Vec::new();
    for value in &entry.values {
        match value {
            ICalendarValue::PartialDateTime(at) => found.extend(when(at, entry, zones).map(|at| (at, None))),
            ICalendarValue::Period(ICalendarPeriod::Range { start, end }) => {
                let end = when(end, entry, zones).map(End::At);
                found.extend(when(start, entry, zones).map(|start| (start, end)));
            }
            ICalendarValue::Period(ICalendarPeriod::Duration { start, duration }) => {
                let end = duration.to_time_delta().map(End::After);
                found.extend(when(start, entry, zones).map(|start| (start, end)));
            }
            _ => {}
        }
    }
    found
}
