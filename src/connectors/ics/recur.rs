//! Recurrence rules to wall times, by the rrule library, within bounds.
//!
//! The library works on bare wall times here (said to be UTC); zones are applied afterwards, so that 09:30
//! stays 09:30 in summer. What a rule leaves to DTSTART is written out first and the series is begun at the
//! start of its period. That makes it possible to jump near the window, and reads `BYWEEKNO` without `BYDAY`
//! and `BYSETPOS` in the first week as RFC 5545 means them.
//!
//! Bounds: rules by the second or minute are refused, also as lists of times; [`INSTANCES_MAX`] instances a
//! rule; `COUNT` is counted over at most [`COUNTED_MAX`] instances; everything is paid from a [`Budget`].

use std::ops::Range;

use calcard::icalendar::{ICalendarFrequency, ICalendarRecurrenceRule, ICalendarSkip, ICalendarWeekday};
use chrono::{Datelike, Days, Month, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Timelike, Weekday};
use rrule::{Frequency, NWeekday, RRule, RRuleSet, Tz, Unvalidated};

/// Instances of one rule inside the window.
pub(super) const INSTANCES_MAX: usize = 2_000;
/// Instances that a rule with `COUNT` may have before and inside the window.
const COUNTED_MAX: usize = 100_000;
/// Times of one day that a rule may list: every five minutes. The library makes all of a period at once.
const TIMES_MAX: usize = 288;
/// Values in one list of a rule; more than the 366 days of a year makes no sense.
const LIST_MAX: usize = 400;

/// Why a rule is not followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum RecurError {
    #[error("it repeats by the second or minute")]
    TooOften,
    #[error("its calendar scale is not the Gregorian")]
    Scale,
    #[error("its interval is 0")]
    NoInterval,
    #[error("a list in its rule has more than {LIST_MAX} values")]
    LongList,
    #[error("it counts more than {COUNTED_MAX} occurrences up to the window")]
    LongCount,
    #[error("too many rules of this calendar run on without an occurrence")]
    Fruitless,
    #[error("the rules of this calendar together are too long")]
    Exhausted,
    #[error("its rule is not valid: {0}")]
    Invalid(String),
}

/// Work that all rules of a calendar together may cost, counted and never timed.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Rules that run out without an end; they cost 10 to 30 ms each.
    fruitless: u32,
    /// Instances, and periods of a rule without one.
    steps: i64,
}

/// What a rule costs before its first instance, in steps.
const RULE_STEPS: i64 = 20;

impl Default for Budget {
    fn default() -> Self {
        Self { fruitless: 32, steps: 5_000_000 }
    }
}

impl Budget {
    fn pay(&mut self, steps: i64) -> Result<(), RecurError> {
        self.steps = self.steps.saturating_sub(steps);
        if self.steps > 0 { Ok(()) } else { Err(RecurError::Exhausted) }
    }
}

/// What DTSTART and UNTIL say, as wall times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series {
    /// DTSTART; midnight for a date.
    pub(super) start: NaiveDateTime,
    /// DTSTART is a date.
    pub(super) date_only: bool,
    /// Last moment, inside.
    pub(super) until: Option<NaiveDateTime>,
}

/// Instances in the window.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Instances {
    /// By time.
    pub(super) walls: Vec<NaiveDateTime>,
    /// There would be more than [`INSTANCES_MAX`].
    pub(super) cut: bool,
}

/// The instances of a rule in a half-open range of wall times.
pub(super) fn expand(
    rule: &ICalendarRecurrenceRule,
    series: Series,
    range: Range<NaiveDateTime>,
    budget: &mut Budget,
) -> Result<Instances, RecurError> {
    refuse(rule)?;
    if series.until.is_some_and(|until| until < series.start || until < range.start) {
        return Ok(Instances::default());
    }
    if budget.fruitless == 0 {
        return Err(RecurError::Fruitless);
    }
    budget.pay(RULE_STEPS + first_period(rule))?;
    let period = Period::of(rule);
    let mut base = period.start(series.start);
    if rule.count.is_none() {
        base = period.jump(base, range.start);
    }
    let mut before = base;
    let base = Tz::UTC.from_utc_datetime(&base);
    let rule_text = filled(rule, series);
    let valid = rule_text.validate(base).map_err(|error| RecurError::Invalid(error.to_string()))?;
    let mut instances = Instances::default();
    let mut counted = 0_usize;
    let count = rule.count.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    for at in RRuleSet::new(base).rrule(valid).limit().into_iter() {
        let wall = at.naive_utc();
        budget.pay((period.passed(before, wall) / period.interval).max(1))?;
        before = wall;
        if wall < series.start {
            continue;
        }
        counted += 1;
        let over = count.is_some_and(|count| counted > count);
        if over || wall >= range.end || series.until.is_some_and(|until| wall > until) {
            return Ok(instances);
        }
        if count.is_some() && counted > COUNTED_MAX {
            return Err(RecurError::LongCount);
        }
        if wall < range.start {
            continue;
        }
        if instances.walls.len() >= INSTANCES_MAX {
            instances.cut = true;
            return Ok(instances);
        }
        instances.walls.push(wall);
    }
    // The library gave up: it ran to the end of its years or of its loops.
    budget.fruitless -= 1;
    Ok(instances)
}

/// How many times of a day a rule lists; each list has at most 255 values here, so that the product is small.
fn times(rule: &ICalendarRecurrenceRule) -> usize {
    let lists = [&rule.bysecond, &rule.byminute, &rule.byhour];
    lists.into_iter().map(|list| list.len().clamp(1, 255)).product()
}

/// What the instances of a period cost when a day has several.
fn first_period(rule: &ICalendarRecurrenceRule) -> i64 {
    let days = match rule.freq {
        ICalendarFrequency::Yearly => 366,
        ICalendarFrequency::Monthly => 31,
        ICalendarFrequency::Weekly => 7,
        _ => 1,
    };
    match i64::try_from(times(rule)) {
        Ok(times) if times > 1 => times.saturating_mul(days),
        _ => 0,
    }
}

fn refuse(rule: &ICalendarRecurrenceRule) -> Result<(), RecurError> {
    if matches!(rule.freq, ICalendarFrequency::Secondly | ICalendarFrequency::Minutely) {
        return Err(RecurError::TooOften);
    }
    if times(rule) > TIMES_MAX {
        return Err(RecurError::TooOften);
    }
    let gregorian =
        rule.rscale.as_ref().is_none_or(|scale| *scale == calcard::common::CalendarScale::Gregorian);
    if !gregorian || rule.skip.as_ref().is_some_and(|skip| *skip != ICalendarSkip::Omit) {
        return Err(RecurError::Scale);
    }
    if rule.interval == Some(0) {
        return Err(RecurError::NoInterval);
    }
    let longest = [
        rule.bysecond.len(),
        rule.byminute.len(),
        rule.byhour.len(),
        rule.byday.len(),
        rule.bymonthday.len(),
        rule.byyearday.len(),
        rule.byweekno.len(),
        rule.bymonth.len(),
        rule.bysetpos.len(),
    ];
    if longest.into_iter().any(|length| length > LIST_MAX) { Err(RecurError::LongList) } else { Ok(()) }
}

/// What one step of the rule is.
struct Period {
    freq: ICalendarFrequency,
    interval: i64,
    week_start: Weekday,
}

impl Period {
    fn of(rule: &ICalendarRecurrenceRule) -> Self {
        let week_start = rule.wkst.as_ref().map_or(Weekday::Mon, |day| weekday(*day));
        Self { freq: rule.freq, interval: rule.interval.unwrap_or(1).into(), week_start }
    }

    /// The beginning of the period that `at` lies in.
    fn start(&self, at: NaiveDateTime) -> NaiveDateTime {
        let date = at.date();
        let day = match self.freq {
            ICalendarFrequency::Yearly => date.with_ordinal(1),
            ICalendarFrequency::Monthly => date.with_day(1),
            ICalendarFrequency::Weekly => {
                let into = date.weekday().days_since(self.week_start);
                date.checked_sub_days(Days::new(into.into()))
            }
            _ => Some(date),
        };
        let hour = if self.freq == ICalendarFrequency::Hourly { at.hour() } else { 0 };
        day.and_then(|day| day.and_hms_opt(hour, 0, 0)).unwrap_or(at)
    }

    /// Steps of one between two times, without the interval.
    fn passed(&self, from: NaiveDateTime, to: NaiveDateTime) -> i64 {
        let months = |at: NaiveDateTime| i64::from(at.year()) * 12 + i64::from(at.month0());
        match self.freq {
            ICalendarFrequency::Yearly => i64::from(to.year()) - i64::from(from.year()),
            ICalendarFrequency::Monthly => months(to) - months(from),
            ICalendarFrequency::Weekly => (to - from).num_weeks(),
            ICalendarFrequency::Daily => (to - from).num_days(),
            _ => (to - from).num_hours(),
        }
    }

    /// From `base`, itself a beginning, whole intervals on, to one or two before `target`.
    fn jump(&self, base: NaiveDateTime, target: NaiveDateTime) -> NaiveDateTime {
        let passed = self.passed(base, target);
        // One interval early, because the weeks of a year may begin in the year before.
        let steps = (passed / self.interval - 1).max(0) * self.interval;
        let moved = match self.freq {
            ICalendarFrequency::Yearly => {
                let year = i32::try_from(steps).ok().and_then(|steps| base.year().checked_add(steps));
                year.and_then(|year| base.with_year(year))
            }
            ICalendarFrequency::Monthly => u32::try_from(steps)
                .ok()
                .and_then(|steps| base.checked_add_months(chrono::Months::new(steps))),
            ICalendarFrequency::Weekly => base.checked_add_signed(TimeDelta::weeks(steps)),
            ICalendarFrequency::Daily => base.checked_add_signed(TimeDelta::days(steps)),
            _ => base.checked_add_signed(TimeDelta::hours(steps)),
        };
        moved.unwrap_or(base)
    }
}

/// The rule for the library, with everything that DTSTART gives written out (RFC 5545, 3.3.10).
fn filled(rule: &ICalendarRecurrenceRule, series: Series) -> RRule<Unvalidated> {
    let start = series.start;
    let (freq, yearly) = (frequency(rule.freq), rule.freq == ICalendarFrequency::Yearly);
    let mut months: Vec<u8> = rule.bymonth.iter().map(|month| month.month()).collect();
    let mut month_days = rule.bymonthday.clone();
    let mut days: Vec<NWeekday> = rule
        .byday
        .iter()
        .map(|day| {
            let weekday = weekday(day.weekday);
            // A number means something in months and years only; elsewhere the library would take all days.
            let nth = day.ordwk.filter(|nth| *nth != 0 && freq <= Frequency::Monthly);
            nth.map_or(NWeekday::Every(weekday), |nth| NWeekday::Nth(nth, weekday))
        })
        .collect();
    let no_day = days.is_empty() && month_days.is_empty() && rule.byyearday.is_empty();
    let by_week = freq == Frequency::Weekly || (yearly && !rule.byweekno.is_empty());
    if no_day && by_week {
        days.push(NWeekday::Every(start.weekday()));
    } else if no_day && matches!(freq, Frequency::Yearly | Frequency::Monthly) {
        month_days.extend(i8::try_from(start.day()));
        if yearly && months.is_empty() {
            months.extend(u8::try_from(start.month()));
        }
    }
    let months: Vec<Month> = months.into_iter().filter_map(|month| Month::try_from(month).ok()).collect();
    let times = |list: &[u8], from_start: u32, fill: bool| match list {
        _ if series.date_only => vec![0],
        [] if fill => u8::try_from(from_start).into_iter().collect(),
        list => list.to_vec(),
    };
    RRule::new(freq)
        .interval(rule.interval.unwrap_or(1))
        .week_start(rule.wkst.as_ref().map_or(Weekday::Mon, |day| weekday(*day)))
        .by_set_pos(rule.bysetpos.clone())
        .by_month(&months)
        .by_month_day(month_days)
        .by_year_day(rule.byyearday.clone())
        .by_week_no(rule.byweekno.clone())
        .by_weekday(days)
        .by_hour(times(&rule.byhour, start.hour(), freq != Frequency::Hourly))
        .by_minute(times(&rule.byminute, start.minute(), true))
        .by_second(times(&rule.bysecond, start.second(), true))
}

fn frequency(freq: ICalendarFrequency) -> Frequency {
    match freq {
        ICalendarFrequency::Yearly => Frequency::Yearly,
        ICalendarFrequency::Monthly => Frequency::Monthly,
        ICalendarFrequency::Weekly => Frequency::Weekly,
        ICalendarFrequency::Daily => Frequency::Daily,
        ICalendarFrequency::Hourly => Frequency::Hourly,
        ICalendarFrequency::Minutely => Frequency::Minutely,
        ICalendarFrequency::Secondly => Frequency::Secondly,
    }
}

fn weekday(day: ICalendarWeekday) -> Weekday {
    match day {
        ICalendarWeekday::Sunday => Weekday::Sun,
        ICalendarWeekday::Monday => Weekday::Mon,
        ICalendarWeekday::Tuesday => Weekday::Tue,
        ICalendarWeekday::Wednesday => Weekday::Wed,
        ICalendarWeekday::Thursday => Weekday::Thu,
        ICalendarWeekday::Friday => Weekday::Fri,
        ICalendarWeekday::Saturday => Weekday::Sat,
    }
}

/// The last wall time that chrono and the library both know well.
pub(super) fn far_future() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(9000, 1, 1).unwrap_or(NaiveDate::MAX).and_time(chrono::NaiveTime::MIN)
}

#[cfg(test)]
#[path = "recur_tests.rs"]
mod tests;
