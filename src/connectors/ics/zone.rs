//! The zones of a calendar file.
//!
//! A name is looked up as an IANA or Windows name first (by calcard), then in the file's own VTIMEZONE, then
//! once more without the signs that some programs append. A name that stays unknown is read in the owner's
//! zone, with a note. A wall time that occurs twice is the first one; one that is skipped is read with the
//! offset before the gap (RFC 5545, 3.3.5).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use calcard::common::PartialDateTime;
use calcard::common::timezone::Tz as CalcardTz;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty, ICalendarValue,
};
use chrono::{DateTime, FixedOffset, LocalResult, NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::Tz;

use super::recur::{self, Budget};
use super::value::wall_of;

/// Changes of a zone that a file defines; a century with two a year has 200.
const CHANGES_MAX: usize = 4_000;

/// A zone that an event names.
#[derive(Clone, Debug)]
pub(super) enum EventZone {
    /// Of the built-in zone data.
    Named(Tz),
    /// A bare offset.
    Fixed(FixedOffset),
    /// Defined in the file: its changes by time.
    Defined(Arc<[Change]>),
}

/// A change of offset: at this wall time of the offset before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Change {
    /// In UTC; first, so that changes sort by it.
    utc: NaiveDateTime,
    wall: NaiveDateTime,
    before_s: i32,
    after_s: i32,
}

impl EventZone {
    /// UTC of a wall time.
    pub(super) fn utc(&self, wall: NaiveDateTime) -> NaiveDateTime {
        match self {
            Self::Named(zone) => named_utc(*zone, wall),
            Self::Fixed(offset) => minus(wall, offset.local_minus_utc()),
            Self::Defined(changes) => {
                let last = changes.iter().rfind(|change| change.wall <= wall);
                let offset = last.map_or_else(
                    || changes.first().map_or(0, |first| first.before_s),
                    |change| {
                        let skipped = plus(change.wall, change.after_s - change.before_s);
                        if wall < skipped { change.before_s } else { change.after_s }
                    },
                );
                minus(wall, offset)
            }
        }
    }

    /// The wall time of an instant.
    pub(super) fn wall(&self, utc: NaiveDateTime) -> NaiveDateTime {
        match self {
            Self::Named(zone) => zone.from_utc_datetime(&utc).naive_local(),
            Self::Fixed(offset) => plus(utc, offset.local_minus_utc()),
            Self::Defined(changes) => {
                let last = changes.iter().rfind(|change| change.utc <= utc);
                let first = || changes.first().map_or(0, |first| first.before_s);
                plus(utc, last.map_or_else(first, |change| change.after_s))
            }
        }
    }
}

fn plus(at: NaiveDateTime, seconds: i32) -> NaiveDateTime {
    at.checked_add_signed(TimeDelta::seconds(seconds.into())).unwrap_or(at)
}

fn minus(at: NaiveDateTime, seconds: i32) -> NaiveDateTime {
    at.checked_sub_signed(TimeDelta::seconds(seconds.into())).unwrap_or(at)
}

fn named_utc(zone: Tz, wall: NaiveDateTime) -> NaiveDateTime {
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at.naive_utc(),
        LocalResult::None => {
            // Back to the last quarter of an hour that exists: its offset is the one before the gap.
            let before = (1..=96).find_map(|quarter| {
                let earlier = minus(wall, quarter * 900);
                zone.from_local_datetime(&earlier).latest()
            });
            minus(wall, before.map_or(0, |at| at.offset().fix().local_minus_utc()))
        }
    }
}

/// The local time of an instant in the owner's zone, as it is written into a recorded day.
pub(super) fn shown(zone: Tz, utc: NaiveDateTime) -> DateTime<FixedOffset> {
    let local = zone.from_utc_datetime(&utc);
    local.with_timezone(&local.offset().fix())
}

/// All zones of a file.
#[derive(Debug)]
pub(super) struct Zones {
    /// The owner's.
    pub(super) home: Tz,
    defined: BTreeMap<String, EventZone>,
    /// Names that mean nothing to us.
    pub(super) unknown: BTreeSet<String>,
}

impl Zones {
    /// With the zones that the calendars define.
    pub(super) fn of(calendars: &[ICalendar], home: Tz, until: NaiveDateTime) -> Self {
        let mut defined = BTreeMap::new();
        let mut budget = Budget::default();
        for calendar in calendars {
            for zone in calendar.timezones() {
                if let Some((name, resolved)) = define(calendar, zone, until, &mut budget) {
                    defined.insert(name, resolved);
                }
            }
        }
        Self { home, defined, unknown: BTreeSet::new() }
    }

    /// The zone of a time without one.
    pub(super) fn floating(&self) -> EventZone {
        EventZone::Named(self.home)
    }

    /// The zone with this name.
    pub(super) fn resolve(&mut self, name: &str) -> EventZone {
        if let Some(zone) = known(name) {
            return zone;
        }
        if let Some(zone) = self.defined.get(name) {
            return zone.clone();
        }
        let trimmed =
            name.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '"' | ':' | ';'));
        known(trimmed).or_else(|| path_name(trimmed)).or_else(|| offset_name(trimmed)).unwrap_or_else(|| {
            self.unknown.insert(name.chars().take(80).collect());
            EventZone::Named(self.home)
        })
    }
}

/// An IANA or Windows name. A bare offset that calcard reads out of a name knows no summer time, so the
/// file's own definition is better.
fn known(name: &str) -> Option<EventZone> {
    match name.parse::<CalcardTz>().ok()? {
        CalcardTz::Tz(zone) => Some(EventZone::Named(zone)),
        CalcardTz::Fixed(_) | CalcardTz::Floating => None,
    }
}

/// `/freeassociation.sourceforge.net/Europe/Berlin` and the like: an IANA name behind a path.
fn path_name(name: &str) -> Option<EventZone> {
    let tails = name.match_indices('/').filter_map(|(slash, _)| name.get(slash + 1..));
    tails.filter(|tail| tail.contains('/')).find_map(|tail| tail.parse().ok()).map(EventZone::Named)
}

/// `GMT+0200`, `UTC-05:00`, and what calcard makes an offset of.
fn offset_name(name: &str) -> Option<EventZone> {
    if let Ok(CalcardTz::Fixed(offset)) = name.parse::<CalcardTz>() {
        return Some(EventZone::Fixed(offset));
    }
    let rest = name.strip_prefix("GMT").or_else(|| name.strip_prefix("UTC"))?;
    let sign = if rest.starts_with('-') { -1 } else { 1 };
    let digits = rest.strip_prefix(['+', '-'])?.replace(':', "");
    let number: i32 = digits.parse().ok().filter(|number| (0..=1500).contains(number))?;
    let (hours, minutes) = if digits.len() > 2 { (number / 100, number % 100) } else { (number, 0) };
    FixedOffset::east_opt(sign * (hours * 3600 + minutes * 60)).map(EventZone::Fixed)
}

/// The name of a VTIMEZONE and what it means; `None` without a name or without a usable rule.
fn define(
    calendar: &ICalendar,
    zone: &ICalendarComponent,
    until: NaiveDateTime,
    budget: &mut Budget,
) -> Option<(String, EventZone)> {
    let name = zone.property(&ICalendarProperty::Tzid)?.values.first()?.as_text()?.to_owned();
    let hint = zone.timezone().and_then(|(_, zone)| match zone {
        CalcardTz::Tz(zone) => Some(EventZone::Named(zone)),
        CalcardTz::Fixed(_) | CalcardTz::Floating => None,
    });
    if let Some(zone) = hint {
        return Some((name, zone));
    }
    let mut changes = Vec::new();
    for id in &zone.component_ids {
        let part = calendar.components.get(usize::try_from(*id).ok()?)?;
        let kind = &part.component_type;
        if matches!(kind, ICalendarComponentType::Standard | ICalendarComponentType::Daylight) {
            changes.extend(changes_of(part, until, budget).unwrap_or_default());
        }
    }
    changes.sort_unstable();
    changes.dedup();
    (1..=CHANGES_MAX).contains(&changes.len()).then(|| (name, EventZone::Defined(changes.into())))
}

/// The changes that one part of a VTIMEZONE describes, up to `until`.
fn changes_of(part: &ICalendarComponent, until: NaiveDateTime, budget: &mut Budget) -> Option<Vec<Change>> {
    let first = |property: &ICalendarProperty| part.property(property)?.values.first();
    let start = match first(&ICalendarProperty::Dtstart)? {
        ICalendarValue::PartialDateTime(at) => wall_of(at)?,
        _ => return None,
    };
    let offset = |property: &ICalendarProperty| match first(property)? {
        ICalendarValue::PartialDateTime(at) => offset_of(at),
        _ => None,
    };
    let before_s = offset(&ICalendarProperty::Tzoffsetfrom)?;
    let after_s = offset(&ICalendarProperty::Tzoffsetto)?;
    let mut walls = vec![start];
    for entry in &part.entries {
        for value in &entry.values {
            match (&entry.name, value) {
                (ICalendarProperty::Rdate, ICalendarValue::PartialDateTime(at)) => walls.extend(wall_of(at)),
                (ICalendarProperty::Rrule, ICalendarValue::RecurrenceRule(rule)) => {
                    let last = rule.until.as_ref().and_then(|at| {
                        let wall = wall_of(at)?;
                        Some(if at.has_zone() { plus(wall, before_s) } else { wall })
                    });
                    let since = NaiveDate::from_ymd_opt(1970, 1, 1)?.and_time(chrono::NaiveTime::MIN);
                    let series = recur::Series { start, date_only: false, until: last };
                    // A rule that cannot be followed leaves the zone as it was before.
                    let range = start.max(since)..until;
                    walls.extend(recur::expand(rule, series, range, budget).unwrap_or_default().walls);
                }
                _ => {}
            }
        }
    }
    Some(
        walls
            .into_iter()
            .map(|wall| Change { utc: minus(wall, before_s), wall, before_s, after_s })
            .collect(),
    )
}

/// `+0200` in seconds; a day or more is no offset.
fn offset_of(at: &PartialDateTime) -> Option<i32> {
    let seconds = i32::from(at.tz_hour?) * 3600 + i32::from(at.tz_minute.unwrap_or(0)) * 60;
    (seconds < 86_400).then_some(if at.tz_minus { -seconds } else { seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> NaiveDateTime {
        text.parse().unwrap()
    }

    #[test]
    fn a_skipped_time_has_the_offset_before_and_a_repeated_one_is_the_first() {
        let toronto = EventZone::Named(chrono_tz::America::Toronto);
        assert_eq!(toronto.utc(at("2026-03-08T02:30:00")), at("2026-03-08T07:30:00"));
        assert_eq!(toronto.utc(at("2026-11-01T01:30:00")), at("2026-11-01T05:30:00"));
        let change =
            |utc, wall, before_s, after_s| Change { utc: at(utc), wall: at(wall), before_s, after_s };
        let defined = EventZone::Defined(Arc::from([
            change("2026-03-08T07:00:00", "2026-03-08T02:00:00", -18_000, -14_400),
            change("2026-11-01T06:00:00", "2026-11-01T02:00:00", -14_400, -18_000),
        ]));
        for wall in
            ["2026-01-01T12:00:00", "2026-03-08T02:30:00", "2026-07-01T12:00:00", "2026-12-01T12:00:00"]
        {
            assert_eq!(defined.utc(at(wall)), toronto.utc(at(wall)), "{wall}");
            let utc = toronto.utc(at(wall));
            assert_eq!(defined.wall(utc), toronto.wall(utc), "{wall}");
        }
        assert_eq!(defined.utc(at("2026-11-01T01:30:00")), at("2026-11-01T05:30:00"));
    }

    #[test]
    fn names_of_many_kinds() {
        let mut zones = Zones::of(&[], chrono_tz::Europe::Paris, at("2030-01-01T00:00:00"));
        let winter = at("2026-01-15T12:00:00");
        for (name, utc) in [
            ("America/New_York", "2026-01-15T17:00:00"),
            ("Eastern Standard Time", "2026-01-15T17:00:00"),
            ("Pacific Standard Time:", "2026-01-15T20:00:00"),
            ("/freeassociation.sourceforge.net/Europe/Berlin", "2026-01-15T11:00:00"),
            ("GMT+0200", "2026-01-15T10:00:00"),
            ("UTC-05:30", "2026-01-15T17:30:00"),
            ("GMT+2", "2026-01-15T10:00:00"),
            ("Customized Time Zone", "2026-01-15T11:00:00"),
        ] {
            assert_eq!(zones.resolve(name).utc(winter), at(utc), "{name}");
        }
        assert_eq!(zones.unknown.iter().collect::<Vec<_>>(), ["Customized Time Zone"]);
    }
}
