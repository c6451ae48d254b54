//! When a schedule runs. Every answer is computed from the calendar around the instant asked about; nothing
//! is stepped through and nothing is remembered, so a restart cannot lose or double a run, and a month's
//! last day cannot drift.
//!
//! Never here: `30min before calendar.event` (that depends on facts), and what a run does.
//!
//! - `every D` runs at the date's first instant and each D of elapsed time from there while the date lasts,
//!   so `every 7h` restarts at midnight and `every 1h` runs 25 times on a day of 25 hours. A D of more than
//!   a day runs once a date.
//! - Slots that fall on one instant (two times inside one gap) are one run.
//! - A daily run belongs to a date: a date that was left out of the calendar (a move over the date line) has
//!   none. A weekly or monthly run of such a date happens at the first instant after, rather than not at all.
//!
//! INVARIANT: `next_after(t)` is after t, and `last_at_or_before` finds the same runs.

use super::calendar::{DaySet, clock_ms};
use super::{Date, Instant, Resolved, Zone};
use crate::engine::syntax::ast::{Clock, Fold, Gap, Late};

/// Dates and months that are looked at: enough for a weekly or monthly run of which a zone skips one.
const DATES_AHEAD: i32 = 16;
const MONTHS_AHEAD: usize = 4;
/// A run moved by a gap, or asked about in a repeated hour, is this many dates from its own at most.
const DATES_AROUND: i32 = 2;

/// A schedule, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleSpec {
    /// Whose wall clock.
    pub zone: Zone,
    /// What happens to a local time that does not exist.
    pub gap: Gap,
    /// What happens to a local time that exists twice.
    pub fold: Fold,
    /// When.
    pub kind: SpecKind,
}

/// When a schedule runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecKind {
    /// At these times each day.
    Daily(Vec<Clock>),
    /// At these times on these days.
    Weekly(DaySet, Vec<Clock>),
    /// At these times on this day of each month (1 to 31), or on the month's last day where it is shorter.
    Monthly(u8, Vec<Clock>),
    /// Each so many milliseconds from 00:00; never when not above 0.
    Every(i64),
}

/// Which way runs are looked for.
#[derive(Clone, Copy)]
enum Toward {
    Future,
    Past,
}

impl ScheduleSpec {
    /// The first run strictly after an instant; none when it never runs.
    #[must_use]
    pub fn next_after(&self, after: Instant) -> Option<Instant> {
        if let SpecKind::Every(step_ms) = self.kind {
            let day = self.zone.day_of(after);
            let run = every_before(day.start, after, step_ms)?.plus_ms(step_ms);
            // At the end of time there is no next date.
            return Some(run.min(day.end)).filter(|run| *run > after);
        }
        self.nearest(after, Toward::Future)
    }

    /// The last run at or before an instant; none when it never ran.
    #[must_use]
    pub fn last_at_or_before(&self, at: Instant) -> Option<Instant> {
        if let SpecKind::Every(step_ms) = self.kind {
            return every_before(self.zone.midnight(self.zone.date(at)), at, step_ms);
        }
        self.nearest(at, Toward::Past)
    }

    fn nearest(&self, at: Instant, toward: Toward) -> Option<Instant> {
        let mut found: Option<(Date, Instant)> = None;
        for date in self.dates(self.zone.date(at), toward) {
            // A neighbouring date's run can still come first where clocks go back over midnight.
            if found.is_some_and(|(first, _)| date.days_since(first).abs() > i64::from(DATES_AROUND)) {
                break;
            }
            let runs = self.clocks().iter().flat_map(|clock| self.run(date, *clock).instants());
            let best = match toward {
                Toward::Future => runs.filter(|run| *run > at).min(),
                Toward::Past => runs.filter(|run| *run <= at).max(),
            };
            found = match (found, best) {
                (Some((first, old)), Some(new)) => Some((
                    first,
                    match toward {
                        Toward::Future => old.min(new),
                        Toward::Past => old.max(new),
                    },
                )),
                (None, Some(new)) => Some((date, new)),
                (kept, None) => kept,
            };
        }
        found.map(|(_, run)| run)
    }

    /// Dates with runs around a date, in the order they are looked at.
    fn dates(&self, around: Date, toward: Toward) -> Box<dyn Iterator<Item = Date>> {
        let sign = match toward {
            Toward::Future => 1,
            Toward::Past => -1,
        };
        let near = (-DATES_AROUND..=DATES_AHEAD).map(move |ahead| around.plus_days(sign * ahead));
        match self.kind {
            SpecKind::Daily(_) => Box::new(near),
            SpecKind::Weekly(days, _) => Box::new(near.filter(move |date| days.contains(date.weekday()))),
            SpecKind::Monthly(day, _) => {
                let first = around.plus_days(-sign * DATES_AROUND).month_start();
                let step = move |month: &Date| {
                    Some(match toward {
                        Toward::Future => month.next_month_start(),
                        Toward::Past => month.plus_days(-1).month_start(),
                    })
                };
                let months = std::iter::successors(Some(first), step).take(MONTHS_AHEAD);
                Box::new(months.map(move |month| month.with_day(day)))
            }
            SpecKind::Every(_) => Box::new(std::iter::empty()),
        }
    }

    fn clocks(&self) -> &[Clock] {
        match &self.kind {
            SpecKind::Daily(clocks) | SpecKind::Weekly(_, clocks) | SpecKind::Monthly(_, clocks) => clocks,
            SpecKind::Every(_) => &[],
        }
    }

    fn run(&self, date: Date, clock: Clock) -> Resolved {
        let ms = clock_ms(clock);
        let run = self.zone.resolve(date, ms, self.gap, self.fold);
        let Resolved::Once(at) = run else {
            return run;
        };
        // Only a run at the date's end can be one of a date without length.
        let (start, end) = match self.kind {
            SpecKind::Daily(_) if self.zone.local(at).date != date => self.zone.day_bounds(date),
            _ => return run,
        };
        if start == end { Resolved::Never } else { run }
    }
}

/// The last multiple of the step from the start of the day.
fn every_before(start: Instant, at: Instant, step_ms: i64) -> Option<Instant> {
    let steps = (step_ms > 0).then(|| at.ms_since(start).checked_div(step_ms)).flatten()?;
    Some(start.plus_ms(steps * step_ms))
}

/// Until when a missed run may be caught up: `until` a clock time, the first one after the run; `within` so
/// many milliseconds of it; `skip`, not at all, so the run's own instant.
#[must_use]
pub fn late_deadline(scheduled: Instant, late: Late, zone: Zone) -> Instant {
    match late {
        Late::Skip => scheduled,
        Late::Within(ms) => scheduled.plus_ms(ms.max(0)),
        Late::Until(clock) => {
            let date = zone.date(scheduled);
            let same_day = zone.reached(date, clock_ms(clock));
            if same_day > scheduled { same_day } else { zone.reached(date.plus_days(1), clock_ms(clock)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{format_instant, parse_clock, parse_instant};
    use super::*;
    use crate::engine::syntax::ast::Weekday;

    fn at(text: &str) -> Instant {
        parse_instant(text).unwrap()
    }

    fn spec(zone: &str, kind: SpecKind) -> ScheduleSpec {
        let zone = Zone::parse(zone).unwrap();
        ScheduleSpec { zone, gap: Gap::After, fold: Fold::First, kind }
    }

    fn clocks(times: &[&str]) -> Vec<Clock> {
        times.iter().map(|time| parse_clock(time).unwrap()).collect()
    }

    fn runs(spec: &ScheduleSpec, from: &str, count: usize) -> Vec<String> {
        let first = spec.next_after(at(from));
        let all = std::iter::successors(first, |run| spec.next_after(*run)).take(count);
        all.map(|run| format_instant(spec.zone, run)).collect()
    }

    #[test]
    fn daily_runs_at_each_time() {
        let brief = spec("America/Toronto", SpecKind::Daily(clocks(&["19:30", "07:30"])));
        let expected =
            ["2026-09-26T07:30:00-04:00", "2026-09-26T19:30:00-04:00", "2026-09-27T07:30:00-04:00"];
        assert_eq!(runs(&brief, "2026-09-25T19:30:00-04:00", 3), expected);
        assert_eq!(brief.last_at_or_before(at(expected[1])), Some(at(expected[1])));
        assert_eq!(brief.last_at_or_before(at(expected[1]).plus_ms(-1)), Some(at(expected[0])));
    }

    #[test]
    fn weekly_runs_on_its_days() {
        let days = [Weekday::Sun, Weekday::Wed].into_iter().collect();
        let weekly = spec("America/Toronto", SpecKind::Weekly(days, clocks(&["18:00"])));
        let expected = ["2026-09-27T18:00:00-04:00", "2026-09-30T18:00:00-04:00"];
        assert_eq!(runs(&weekly, "2026-09-26T00:00:00-04:00", 2), expected);
        assert_eq!(
            weekly.last_at_or_before(at("2026-09-26T00:00:00-04:00")),
            Some(at("2026-09-23T18:00:00-04:00"))
        );
        assert_eq!(
            spec("UTC", SpecKind::Weekly(DaySet::NONE, clocks(&["18:00"]))).next_after(Instant(0)),
            None
        );
    }

    #[test]
    fn gaps_and_folds_are_chosen() {
        let mut odd = spec("America/Toronto", SpecKind::Daily(clocks(&["02:10", "02:40"])));
        let after = ["2026-03-07T02:40:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-09T02:10:00-04:00"];
        assert_eq!(runs(&odd, "2026-03-07T02:30:00-05:00", 3), after);
        odd.gap = Gap::Skip;
        assert_eq!(runs(&odd, "2026-03-07T02:30:00-05:00", 2), [after[0], after[2]]);
        let mut twice = spec("America/Toronto", SpecKind::Daily(clocks(&["01:30"])));
        twice.fold = Fold::Both;
        let both = ["2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-05:00"];
        assert_eq!(runs(&twice, "2026-10-31T12:00:00-04:00", 3), both);
        twice.fold = Fold::Second;
        assert_eq!(runs(&twice, "2026-10-31T12:00:00-04:00", 2), both[1..]);
        let day = Weekday::Sun;
        let mut skipped =
            spec("America/Toronto", SpecKind::Weekly(DaySet::NONE.with(day), clocks(&["02:30"])));
        skipped.gap = Gap::Skip;
        assert_eq!(runs(&skipped, "2026-03-02T00:00:00-05:00", 1), ["2026-03-15T02:30:00-04:00"]);
    }

    #[test]
    fn every_restarts_at_midnight_and_counts_elapsed_time() {
        let seven = spec("America/Toronto", SpecKind::Every(7 * 3_600_000));
        let expected = [
            "2026-09-26T00:00:00-04:00",
            "2026-09-26T07:00:00-04:00",
            "2026-09-26T14:00:00-04:00",
            "2026-09-26T21:00:00-04:00",
            "2026-09-27T00:00:00-04:00",
        ];
        assert_eq!(runs(&seven, "2026-09-25T22:00:00-04:00", 5), expected);
        assert_eq!(seven.last_at_or_before(at("2026-09-26T13:59:59-04:00")), Some(at(expected[1])));
        let hourly = spec("America/Toronto", SpecKind::Every(3_600_000));
        let count = |from, to| runs(&hourly, from, 30).iter().take_while(|run| at(run) < at(to)).count();
        assert_eq!(count("2026-10-31T23:59:59-04:00", "2026-11-02T00:00:00-05:00"), 25);
        assert_eq!(count("2026-03-07T23:59:59-05:00", "2026-03-09T00:00:00-04:00"), 23);
        assert_eq!(spec("UTC", SpecKind::Every(0)).next_after(Instant(0)), None);
        let long = spec("UTC", SpecKind::Every(i64::MAX));
        assert_eq!(long.next_after(Instant(1)), Some(Instant(86_400_000)));
    }

    #[test]
    fn a_date_that_was_left_out_has_no_daily_run() {
        let daily = spec("Pacific/Apia", SpecKind::Daily(clocks(&["07:30"])));
        let expected = ["2011-12-29T07:30:00-10:00", "2011-12-31T07:30:00+14:00"];
        assert_eq!(runs(&daily, "2011-12-29T00:00:00-10:00", 2), expected);
        let monthly = spec("Pacific/Apia", SpecKind::Monthly(30, clocks(&["07:30"])));
        assert_eq!(runs(&monthly, "2011-12-01T00:00:00-10:00", 1), ["2011-12-31T00:00:00+14:00"]);
    }

    #[test]
    fn lateness_ends_at_the_next_such_clock_time() {
        let toronto = Zone::parse("America/Toronto").unwrap();
        let brief = at("2026-09-26T07:30:00-04:00");
        let until = |time| late_deadline(brief, Late::Until(parse_clock(time).unwrap()), toronto);
        assert_eq!(until("11:00"), at("2026-09-26T11:00:00-04:00"));
        assert_eq!(until("07:30"), at("2026-09-27T07:30:00-04:00"));
        assert_eq!(until("01:00"), at("2026-09-27T01:00:00-04:00"));
        assert_eq!(until("24:00"), at("2026-09-27T00:00:00-04:00"));
        assert_eq!(late_deadline(brief, Late::Within(1_200_000), toronto), brief.plus_ms(1_200_000));
        assert_eq!(late_deadline(brief, Late::Skip, toronto), brief);
    }
}
