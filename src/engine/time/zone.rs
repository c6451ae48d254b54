//! The local clock of a zone: what it shows at an instant, when it shows a given time, and when it jumps.
//!
//! The zone data gives only the offset at an instant; everything else is found from that, so that no second
//! reading of the data can disagree with it. Offsets are looked up by the second, jumps are found by
//! bisection exactly to the second.
//!
//! Never here: the machine's zone, the present time, text forms.
//!
//! INVARIANT: [`Zone::reached`] never decreases when the local time increases; days, quiet windows and
//! schedules rest on that.

use chrono::{DateTime, Offset, TimeZone};

use super::{Date, Instant, MS_PER_DAY, MS_PER_HOUR, Zone};
use crate::engine::syntax::ast::{Fold, Gap};

/// No zone was ever this far from UTC, in milliseconds.
const OFFSET_BOUND_MS: i64 = 16 * MS_PER_HOUR;
/// Seconds beyond which offsets are taken as constant: before the first and after the last rule of any zone.
const LOOKUP_BOUND_S: i64 = 100_000_000_000;
/// Local times beyond this are cut, in milliseconds, so that sums cannot overflow.
const LOCAL_BOUND_MS: i64 = i64::MAX / 4;
/// Step of the search for jumps around a local time, in seconds; no two jumps are closer.
const NEAR_STEP_S: i64 = 4 * 3_600;
/// Step of the search for the coming jump, in seconds; no two jumps undo each other within it.
const FAR_STEP_S: i64 = 86_400;
/// How far ahead the coming jump is looked for, in seconds: two years.
const AHEAD_S: i64 = 731 * 86_400;

/// What the clock on the wall shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalTime {
    /// Date on the wall calendar.
    pub date: Date,
    /// Milliseconds since the wall clock's 00:00, 0 to 86 399 999.
    pub ms_of_day: i64,
    /// Seconds that local time is ahead of UTC.
    pub offset_s: i32,
}

/// The instants at which a local time happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// Not on that date.
    Never,
    /// Once.
    Once(Instant),
    /// Twice, earlier first.
    Twice(Instant, Instant),
}

impl Resolved {
    /// The earliest instant, if any.
    #[must_use]
    pub fn first(self) -> Option<Instant> {
        match self {
            Self::Never => None,
            Self::Once(at) | Self::Twice(at, _) => Some(at),
        }
    }

    /// The second instant, if there are two.
    #[must_use]
    pub fn second(self) -> Option<Instant> {
        match self {
            Self::Twice(_, at) => Some(at),
            Self::Never | Self::Once(_) => None,
        }
    }

    /// All instants, in order.
    pub fn instants(self) -> impl Iterator<Item = Instant> {
        self.first().into_iter().chain(self.second())
    }

    fn with(self, at: Instant) -> Self {
        match self {
            Self::Never => Self::Once(at),
            Self::Once(first) | Self::Twice(first, _) => Self::Twice(first, at),
        }
    }
}

/// A jump of the local clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// First instant of the new offset.
    pub at: Instant,
    /// Offset until then, in seconds ahead of UTC.
    pub before_s: i32,
    /// Offset from then on, in seconds ahead of UTC.
    pub after_s: i32,
}

/// When a local time is shown, and when the clock has reached it.
struct Readings {
    /// Instants at which the clock shows exactly this time.
    shown: Resolved,
    /// First instant at which the clock shows this time or a later one.
    reached: Instant,
}

/// Version of the zone data that is compiled in, such as `2025b`.
#[must_use]
pub fn zone_data_version() -> &'static str {
    chrono_tz::IANA_TZDB_VERSION
}

impl Zone {
    /// What the wall clock shows. Where clocks go back over midnight its date goes back too; the date that
    /// rules use is [`Zone::date`].
    #[must_use]
    pub fn local(self, at: Instant) -> LocalTime {
        let offset_s = self.offset_s(at);
        let local_ms = at.0.saturating_add(i64::from(offset_s) * 1000);
        LocalTime { date: date_of(local_ms), ms_of_day: local_ms.rem_euclid(MS_PER_DAY), offset_s }
    }

    /// Seconds that local time is ahead of UTC.
    #[must_use]
    pub fn offset_s(self, at: Instant) -> i32 {
        self.offset_at(at.0.div_euclid(1000))
    }

    /// The date whose span, from [`Zone::midnight`] to the next, holds the instant. It is the wall
    /// calendar's, but for the minutes after clocks went back over midnight: a date that has begun does not
    /// end again.
    #[must_use]
    pub fn date(self, at: Instant) -> Date {
        let local = self.local(at);
        // Only a jump back within the last day can have hidden a midnight that was already reached.
        if self.offset_s(at.plus_ms(-MS_PER_DAY)) <= local.offset_s {
            return local.date;
        }
        let next = local.date.plus_days(1);
        if self.midnight(next) <= at { next } else { local.date }
    }

    /// The date's first instant: the first after the gap where 00:00 does not exist, the earlier one where it
    /// exists twice. A date that was left out (a move over the date line) begins and ends at one instant.
    #[must_use]
    pub fn midnight(self, date: Date) -> Instant {
        self.reached(date, 0)
    }

    /// The date's span, half-open.
    #[must_use]
    pub fn day_bounds(self, date: Date) -> (Instant, Instant) {
        (self.midnight(date), self.midnight(date.plus_days(1)))
    }

    /// The day that holds an instant.
    #[must_use]
    pub fn day_of(self, at: Instant) -> DayOf {
        let date = self.date(at);
        let (start, end) = self.day_bounds(date);
        DayOf { zone: self, start, end, date }
    }

    /// The first instant at which the wall clock shows this time of this date, or any later one: the first
    /// after the gap where it does not exist, the earlier one where it exists twice. `ms_of_day` may lie
    /// beyond 24:00.
    #[must_use]
    pub fn reached(self, date: Date, ms_of_day: i64) -> Instant {
        self.readings(local_ms(date, ms_of_day)).reached
    }

    /// The instants of a local time, with the zone's choice for times that do not exist or exist twice.
    #[must_use]
    pub fn resolve(self, date: Date, ms_of_day: i64, gap: Gap, fold: Fold) -> Resolved {
        let readings = self.readings(local_ms(date, ms_of_day));
        match (readings.shown, gap, fold) {
            (Resolved::Never, Gap::After, _) => Resolved::Once(readings.reached),
            (Resolved::Twice(first, _), _, Fold::First) => Resolved::Once(first),
            (Resolved::Twice(_, second), _, Fold::Second) => Resolved::Once(second),
            (shown, _, _) => shown,
        }
    }

    /// The first jump of the local clock strictly after an instant, within two years.
    #[must_use]
    pub fn next_transition(self, after: Instant) -> Option<Transition> {
        let from_s = after.0.div_euclid(1000);
        let at_s = self.change_between(from_s, from_s.saturating_add(AHEAD_S), FAR_STEP_S)?;
        Some(Transition {
            at: Instant(at_s.saturating_mul(1000)),
            before_s: self.offset_at(from_s),
            after_s: self.offset_at(at_s),
        })
    }

    /// The first jump in `(from, to]`; both at most a few days apart.
    pub(super) fn jump_within(self, from: Instant, to: Instant) -> Option<Instant> {
        let at_s = self.change_between(from.0.div_euclid(1000), to.0.div_euclid(1000), NEAR_STEP_S)?;
        Some(Instant(at_s.saturating_mul(1000)))
    }

    fn offset_at(self, utc_s: i64) -> i32 {
        let bounded = utc_s.clamp(-LOOKUP_BOUND_S, LOOKUP_BOUND_S);
        DateTime::from_timestamp(bounded, 0)
            .map_or(0, |utc| self.0.offset_from_utc_datetime(&utc.naive_utc()).fix().local_minus_utc())
    }

    /// First second in `(from_s, to_s]` whose offset differs from that of `from_s`.
    fn change_between(self, from_s: i64, to_s: i64, step_s: i64) -> Option<i64> {
        let offset = self.offset_at(from_s);
        let mut same = from_s;
        let mut other = loop {
            if same >= to_s {
                return None;
            }
            let probe = same.saturating_add(step_s).min(to_s);
            if self.offset_at(probe) != offset {
                break probe;
            }
            same = probe;
        };
        while other - same > 1 {
            let middle = same + (other - same) / 2;
            if self.offset_at(middle) == offset {
                same = middle;
            } else {
                other = middle;
            }
        }
        Some(other)
    }

    /// Walks the stretches of one offset around a local time.
    fn readings(self, local_ms: i64) -> Readings {
        let first_s = (local_ms - OFFSET_BOUND_MS).div_euclid(1000);
        let last_s = (local_ms + OFFSET_BOUND_MS).div_euclid(1000);
        let mut offset_ms = i64::from(self.offset_at(first_s)) * 1000;
        let plain_ms = local_ms - offset_ms;
        let same = |second| i64::from(self.offset_at(second)) * 1000 == offset_ms;
        if same(last_s) && same(plain_ms.div_euclid(1000)) {
            let at = Instant(plain_ms);
            return Readings { shown: Resolved::Once(at), reached: at };
        }
        let mut shown = Resolved::Never;
        let mut reached = None;
        let mut start_s = first_s;
        loop {
            let change_s = self.change_between(start_s, last_s, NEAR_STEP_S);
            let at_ms = local_ms - offset_ms;
            if at_ms >= start_s * 1000 && change_s.is_none_or(|end_s| at_ms < end_s * 1000) {
                shown = shown.with(Instant(at_ms));
                reached = reached.or(Some(at_ms));
            }
            let Some(change_s) = change_s else {
                return Readings { shown, reached: Instant(reached.unwrap_or(at_ms)) };
            };
            start_s = change_s;
            offset_ms = i64::from(self.offset_at(change_s)) * 1000;
            if change_s * 1000 + offset_ms > local_ms {
                reached = reached.or(Some(change_s * 1000));
            }
        }
    }
}

fn local_ms(date: Date, ms_of_day: i64) -> i64 {
    (i64::from(date.0) * MS_PER_DAY).saturating_add(ms_of_day).clamp(-LOCAL_BOUND_MS, LOCAL_BOUND_MS)
}

fn date_of(local_ms: i64) -> Date {
    let days = local_ms.div_euclid(MS_PER_DAY).clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    Date(i32::try_from(days).unwrap_or(0))
}

/// One date of a zone and its span, half-open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayOf {
    /// The zone.
    pub zone: Zone,
    /// First instant of the date.
    pub start: Instant,
    /// First instant of the next date.
    pub end: Instant,
    /// The date.
    pub date: Date,
}

impl DayOf {
    /// True when the instant is on this date.
    #[must_use]
    pub fn contains(&self, at: Instant) -> bool {
        self.start <= at && at < self.end
    }
}

/// Dates of instants that come mostly in order: as long as the date stays the same, a look-up is two
/// comparisons.
#[derive(Clone, Copy, Debug)]
pub struct DayCache {
    day: DayOf,
}

impl DayCache {
    /// A cache that has seen nothing yet.
    #[must_use]
    pub fn new(zone: Zone) -> Self {
        Self { day: zone.day_of(Instant(0)) }
    }

    /// The date of an instant; the same as [`Zone::date`].
    #[inline]
    #[must_use]
    pub fn date(&mut self, at: Instant) -> Date {
        self.day(at).date
    }

    /// The day that holds an instant; the same as [`Zone::day_of`].
    #[inline]
    #[must_use]
    pub fn day(&mut self, at: Instant) -> DayOf {
        if !self.day.contains(at) {
            self.day = self.day.zone.day_of(at);
        }
        self.day
    }

    /// The zone whose dates these are.
    #[must_use]
    pub fn zone(&self) -> Zone {
        self.day.zone
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse_date, parse_instant};
    use super::*;

    fn zone(name: &str) -> Zone {
        Zone::parse(name).unwrap()
    }

    fn at(text: &str) -> Instant {
        parse_instant(text).unwrap()
    }

    fn date(text: &str) -> Date {
        parse_date(text).unwrap()
    }

    const HOUR: i64 = 3_600_000;

    #[test]
    fn a_time_in_a_gap_is_after_it_or_never() {
        let toronto = zone("America/Toronto");
        let day = date("2026-03-08");
        let half_past_two = 5 * HOUR / 2;
        let three = at("2026-03-08T03:00:00-04:00");
        assert_eq!(toronto.resolve(day, half_past_two, Gap::After, Fold::Both), Resolved::Once(three));
        assert_eq!(toronto.resolve(day, half_past_two, Gap::Skip, Fold::Both), Resolved::Never);
        assert_eq!(toronto.resolve(day, 2 * HOUR, Gap::After, Fold::First), Resolved::Once(three));
        assert_eq!(toronto.resolve(day, 3 * HOUR, Gap::Skip, Fold::First), Resolved::Once(three));
    }

    #[test]
    fn a_time_that_exists_twice_is_chosen() {
        let toronto = zone("America/Toronto");
        let day = date("2026-11-01");
        let first = at("2026-11-01T01:30:00-04:00");
        let second = at("2026-11-01T01:30:00-05:00");
        let of = |fold| toronto.resolve(day, 3 * HOUR / 2, Gap::After, fold);
        assert_eq!(of(Fold::First), Resolved::Once(first));
        assert_eq!(of(Fold::Second), Resolved::Once(second));
        assert_eq!(of(Fold::Both), Resolved::Twice(first, second));
        assert_eq!(of(Fold::Both).instants().collect::<Vec<_>>(), [first, second]);
    }

    #[test]
    fn midnight_in_a_gap_and_midnight_twice() {
        assert_eq!(zone("America/Sao_Paulo").midnight(date("2018-11-04")), at("2018-11-04T01:00:00-02:00"));
        assert_eq!(zone("America/Havana").midnight(date("2026-11-01")), at("2026-11-01T00:00:00-04:00"));
    }

    #[test]
    fn a_date_over_which_clocks_go_back_does_not_come_back() {
        let st_johns = zone("America/St_Johns");
        // At 00:01 clocks went back to 23:01 of the day before.
        let jump = at("2006-10-29T00:01:00-02:30");
        assert_eq!(st_johns.local(jump).date, date("2006-10-28"));
        assert_eq!(st_johns.date(jump), date("2006-10-29"));
        assert_eq!(st_johns.midnight(date("2006-10-29")), at("2006-10-29T00:00:00-02:30"));
        assert_eq!(st_johns.date(at("2006-10-28T23:59:59-02:30")), date("2006-10-28"));
    }

    #[test]
    fn a_date_that_was_left_out_is_empty() {
        let apia = zone("Pacific/Apia");
        let (start, end) = apia.day_bounds(date("2011-12-30"));
        assert_eq!(start, end);
        assert_eq!(apia.date(start), date("2011-12-31"));
        assert_eq!(apia.date(start.plus_ms(-1)), date("2011-12-29"));
    }

    #[test]
    fn the_coming_jump_is_found_to_the_second() {
        let toronto = zone("America/Toronto");
        let spring = Transition { at: at("2026-03-08T07:00:00Z"), before_s: -18_000, after_s: -14_400 };
        assert_eq!(toronto.next_transition(at("2026-01-01T00:00:00Z")), Some(spring));
        assert_eq!(toronto.next_transition(spring.at.plus_ms(-1)), Some(spring));
        let autumn = toronto.next_transition(spring.at).unwrap();
        assert_eq!((autumn.at, autumn.after_s), (at("2026-11-01T06:00:00Z"), -18_000));
        assert_eq!(zone("Asia/Tokyo").next_transition(at("2026-01-01T00:00:00Z")), None);
        let lord_howe = zone("Australia/Lord_Howe").next_transition(at("2026-01-01T00:00:00Z")).unwrap();
        assert_eq!((lord_howe.before_s, lord_howe.after_s), (39_600, 37_800));
    }

    #[test]
    fn the_ends_of_time_do_not_overflow() {
        let toronto = zone("America/Toronto");
        for instant in [Instant(i64::MIN), Instant(i64::MAX)] {
            let day = toronto.day_of(instant);
            assert!(day.start <= day.end);
            assert_eq!(toronto.next_transition(instant), None);
        }
        assert!(toronto.midnight(Date(i32::MIN)) < toronto.midnight(Date(i32::MAX)));
        assert!(toronto.reached(Date(0), i64::MAX) > toronto.midnight(Date(i32::MAX)));
    }

    #[test]
    fn the_data_names_its_version() {
        assert!(zone_data_version().starts_with("20"));
    }
}
