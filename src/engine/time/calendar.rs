//! The civil calendar: dates, weekdays, weeks from Monday, months, and the periods that budgets count.
//!
//! Dates are the proleptic Gregorian calendar over the whole range of [`Date`]; nothing here can fail for a
//! date that exists. Only [`period_of`] knows zones.
//!
//! INVARIANT: periods of one kind are half-open, meet, and never overlap, whatever the clocks do.

use super::{Date, Instant, MINUTES_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, Zone};
use crate::engine::syntax::ast::{Clock, DateLit, Period, Weekday};

/// Days from 0000-03-01 to 1970-01-01; years are counted from March, so that a leap day is a year's last.
const EPOCH_FROM_MARCH: i64 = 719_468;
/// Days of 400 years.
const CYCLE_DAYS: i64 = 146_097;
/// The week, from Monday.
const WEEK: [Weekday; 7] =
    [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun];

impl Instant {
    /// This many milliseconds later, or at the end of time.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds since an earlier instant; negative when it is later.
    #[must_use]
    pub fn ms_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Date {
    /// The date of a year, a month (1 to 12) and a day (1 to 31), if it exists.
    ///
    /// Days are counted from 1 March, month lengths from there being `(153 m + 2) / 5` (Howard Hinnant,
    /// "chrono-compatible low-level date algorithms").
    #[must_use]
    pub fn from_ymd(year: i32, month: u8, day: u8) -> Option<Self> {
        if day == 0 || day > days_in_month(year, month) {
            return None;
        }
        let march_year = i64::from(year) - i64::from(month <= 2);
        let march_month = (i64::from(month) + 9) % 12;
        let year_of_cycle = march_year.rem_euclid(400);
        let day_of_year = (153 * march_month + 2) / 5 + i64::from(day) - 1;
        let day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
        let days = march_year.div_euclid(400) * CYCLE_DAYS + day_of_cycle - EPOCH_FROM_MARCH;
        i32::try_from(days).ok().map(Self)
    }

    /// Year, month (1 to 12) and day (1 to 31); the inverse of [`Date::from_ymd`].
    #[must_use]
    pub fn ymd(self) -> (i32, u8, u8) {
        let days = i64::from(self.0) + EPOCH_FROM_MARCH;
        let day_of_cycle = days.rem_euclid(CYCLE_DAYS);
        let leap_free = day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524 - day_of_cycle / 146_096;
        let year_of_cycle = leap_free / 365;
        let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = (march_month + 2) % 12 + 1;
        let year = days.div_euclid(CYCLE_DAYS) * 400 + year_of_cycle + i64::from(month <= 2);
        // All three fit: i32 days are less than six million years.
        (i32::try_from(year).unwrap_or(0), u8::try_from(month).unwrap_or(1), u8::try_from(day).unwrap_or(1))
    }

    /// The date of a literal, if it exists.
    #[must_use]
    pub fn of_literal(literal: DateLit) -> Option<Self> {
        Self::from_ymd(literal.year, literal.month, literal.day)
    }

    /// This many days later, or the last date there is.
    #[must_use]
    pub fn plus_days(self, days: i32) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// Days since an earlier date; negative when it is later.
    #[must_use]
    pub fn days_since(self, earlier: Self) -> i64 {
        i64::from(self.0) - i64::from(earlier.0)
    }

    /// Its day of the week.
    #[must_use]
    pub fn weekday(self) -> Weekday {
        // 1970-01-01 was a Thursday.
        let index = (i64::from(self.0) + 3).rem_euclid(7);
        usize::try_from(index).ok().and_then(|at| WEEK.get(at)).copied().unwrap_or(Weekday::Mon)
    }

    /// The Monday on or before it.
    #[must_use]
    pub fn week_start(self) -> Self {
        let since_monday = (i64::from(self.0) + 3).rem_euclid(7);
        self.plus_days(-i32::try_from(since_monday).unwrap_or(0))
    }

    /// The first of its month.
    #[must_use]
    pub fn month_start(self) -> Self {
        let (_, _, day) = self.ymd();
        self.plus_days(1 - i32::from(day))
    }

    /// The first of the month after its own.
    #[must_use]
    pub fn next_month_start(self) -> Self {
        let (year, month, _) = self.ymd();
        self.month_start().plus_days(i32::from(days_in_month(year, month)))
    }

    /// The given day (from 1) of its own month, or the month's last day where the month is shorter.
    #[must_use]
    pub fn with_day(self, day: u8) -> Self {
        let (year, month, _) = self.ymd();
        self.month_start().plus_days(i32::from(day.clamp(1, days_in_month(year, month))) - 1)
    }
}

/// `2026-09-26`; years outside 0 to 9999 have a sign and as many digits as they need.
impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = self.ymd();
        if (0..=9999).contains(&year) {
            write!(f, "{year:04}-{month:02}-{day:02}")
        } else {
            write!(f, "{year:+05}-{month:02}-{day:02}")
        }
    }
}

/// Days of a month, 28 to 31; 0 for a month that does not exist.
#[must_use]
pub fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 0,
    }
}

/// Milliseconds from 00:00 to a clock time on the wall.
#[must_use]
pub fn clock_ms(clock: Clock) -> i64 {
    i64::from(clock.0) * MS_PER_MINUTE
}

/// The minute that the wall shows so many milliseconds after 00:00; `24:00` from there on.
#[must_use]
pub fn clock_of_ms(ms: i64) -> Clock {
    let minutes = ms.div_euclid(MS_PER_MINUTE).clamp(0, MINUTES_PER_DAY.into());
    Clock(u16::try_from(minutes).unwrap_or_default())
}

/// A set of days of the week.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DaySet(u8);

impl DaySet {
    /// No day.
    pub const NONE: Self = Self(0);
    /// All seven.
    pub const ALL: Self = Self(0b0111_1111);

    /// This set and one more day.
    #[must_use]
    pub fn with(self, day: Weekday) -> Self {
        Self(self.0 | Self::bit(day))
    }

    /// The days of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True when the day is in the set.
    #[must_use]
    pub fn contains(self, day: Weekday) -> bool {
        self.0 & Self::bit(day) != 0
    }

    /// True when no day is in the set.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn bit(day: Weekday) -> u8 {
        match day {
            Weekday::Mon => 1,
            Weekday::Tue => 1 << 1,
            Weekday::Wed => 1 << 2,
            Weekday::Thu => 1 << 3,
            Weekday::Fri => 1 << 4,
            Weekday::Sat => 1 << 5,
            Weekday::Sun => 1 << 6,
        }
    }
}

impl FromIterator<Weekday> for DaySet {
    fn from_iter<I: IntoIterator<Item = Weekday>>(days: I) -> Self {
        days.into_iter().fold(Self::NONE, Self::with)
    }
}

/// The calendar period that holds an instant: its start and the start of the next.
///
/// An hour lasts as long as the wall clock shows that hour: where clocks go back from 02:00 to 01:00 there
/// are two hours, where they go back from 02:00 to 01:30 there is one of 90 minutes, where they jump from
/// 02:00 to 02:30 the second has 30.
#[must_use]
pub fn period_of(zone: Zone, at: Instant, period: Period) -> (Instant, Instant) {
    let (first, next) = match period {
        Period::Hour => return (hour_start(zone, at), hour_end(zone, at)),
        Period::Day => {
            let date = zone.date(at);
            (date, date.plus_days(1))
        }
        Period::Week => {
            let monday = zone.date(at).week_start();
            (monday, monday.plus_days(7))
        }
        Period::Month => {
            let date = zone.date(at);
            (date.month_start(), date.next_month_start())
        }
    };
    (zone.midnight(first), zone.midnight(next))
}

/// Milliseconds of local time since 1970-01-01 00:00 on the wall.
fn wall_ms(zone: Zone, at: Instant) -> i64 {
    at.0.saturating_add(i64::from(zone.offset_s(at)) * 1000)
}

/// True when the wall clock shows another hour from the jump on, or the same hour from its first minute.
fn jump_ends_hour(zone: Zone, jump: Instant) -> bool {
    let after = wall_ms(zone, jump);
    let before = wall_ms(zone, jump.plus_ms(-1));
    after.rem_euclid(MS_PER_HOUR) == 0 || after.div_euclid(MS_PER_HOUR) != before.div_euclid(MS_PER_HOUR)
}

fn hour_start(zone: Zone, at: Instant) -> Instant {
    let start = at.plus_ms(-wall_ms(zone, at).rem_euclid(MS_PER_HOUR));
    match zone.jump_within(start, at) {
        None => start,
        Some(jump) if jump_ends_hour(zone, jump) => jump,
        Some(jump) => hour_start(zone, jump.plus_ms(-1)),
    }
}

fn hour_end(zone: Zone, at: Instant) -> Instant {
    let end = at.plus_ms(MS_PER_HOUR - wall_ms(zone, at).rem_euclid(MS_PER_HOUR));
    match zone.jump_within(at, end) {
        None => end,
        Some(jump) if jump_ends_hour(zone, jump) => jump,
        Some(jump) => jump.plus_ms(MS_PER_HOUR - wall_ms(zone, jump).rem_euclid(MS_PER_HOUR)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse_date, parse_instant};
    use super::*;

    fn date(text: &str) -> Date {
        parse_date(text).unwrap()
    }

    fn at(text: &str) -> Instant {
        parse_instant(text).unwrap()
    }

    fn minutes(zone: &str, text: &str, period: Period) -> i64 {
        let (start, end) = period_of(Zone::parse(zone).unwrap(), at(text), period);
        end.ms_since(start) / 60_000
    }

    #[test]
    fn dates_count_from_1970() {
        assert_eq!(Date::from_ymd(1970, 1, 1), Some(Date(0)));
        assert_eq!(Date::from_ymd(2000, 2, 29), Some(Date(11_016)));
        assert_eq!(Date::from_ymd(1900, 2, 29), None);
        assert_eq!(Date::from_ymd(2026, 13, 1), None);
        assert_eq!(Date::from_ymd(2026, 4, 0), None);
        assert_eq!(Date(-1).ymd(), (1969, 12, 31));
        assert_eq!(date("2026-09-26").to_string(), "2026-09-26");
        assert_eq!(Date::from_ymd(12_026, 1, 2).unwrap().to_string(), "+12026-01-02");
        for ends in [Date(i32::MIN), Date(i32::MAX)] {
            let (year, month, day) = ends.ymd();
            assert_eq!(Date::from_ymd(year, month, day), Some(ends));
        }
    }

    #[test]
    fn weeks_begin_on_monday() {
        assert_eq!(date("2026-09-26").weekday(), Weekday::Sat);
        assert_eq!(date("2026-09-27").week_start(), date("2026-09-21"));
        assert_eq!(date("2026-09-21").week_start(), date("2026-09-21"));
    }

    #[test]
    fn months_have_their_own_ends() {
        assert_eq!(date("2026-01-31").next_month_start(), date("2026-02-01"));
        assert_eq!(date("2026-02-10").with_day(30), date("2026-02-28"));
        assert_eq!(date("2028-02-10").with_day(31), date("2028-02-29"));
        assert_eq!(date("2026-12-31").next_month_start(), date("2027-01-01"));
    }

    #[test]
    fn days_weeks_and_months_follow_the_clocks() {
        let toronto = "America/Toronto";
        assert_eq!(minutes(toronto, "2026-03-08T12:00:00-04:00", Period::Day), 23 * 60);
        assert_eq!(minutes(toronto, "2026-11-01T12:00:00-05:00", Period::Day), 25 * 60);
        assert_eq!(minutes(toronto, "2026-11-01T12:00:00-05:00", Period::Week), (7 * 24 + 1) * 60);
        assert_eq!(minutes(toronto, "2026-11-01T12:00:00-05:00", Period::Month), (30 * 24 + 1) * 60);
        assert_eq!(minutes("Australia/Lord_Howe", "2026-04-05T12:00:00+10:30", Period::Day), 24 * 60 + 30);
    }

    #[test]
    fn hours_are_those_of_the_wall() {
        let toronto = Zone::parse("America/Toronto").unwrap();
        let first = period_of(toronto, at("2026-11-01T01:10:00-04:00"), Period::Hour);
        let second = period_of(toronto, at("2026-11-01T01:10:00-05:00"), Period::Hour);
        assert_eq!(first, (at("2026-11-01T01:00:00-04:00"), at("2026-11-01T01:00:00-05:00")));
        assert_eq!(second, (first.1, at("2026-11-01T02:00:00-05:00")));
        assert_eq!(minutes("America/Toronto", "2026-03-08T01:59:59-05:00", Period::Hour), 60);
        let lord_howe = "Australia/Lord_Howe";
        // 02:00 goes back to 01:30, and jumps to 02:30.
        assert_eq!(minutes(lord_howe, "2026-04-05T01:10:00+11:00", Period::Hour), 90);
        assert_eq!(minutes(lord_howe, "2026-04-05T01:45:00+10:30", Period::Hour), 90);
        assert_eq!(minutes(lord_howe, "2026-10-04T02:45:00+11:00", Period::Hour), 30);
        let kolkata =
            period_of(Zone::parse("Asia/Kolkata").unwrap(), at("2026-01-01T00:10:00Z"), Period::Hour);
        assert_eq!(kolkata.0, at("2026-01-01T05:00:00+05:30"));
    }
}
