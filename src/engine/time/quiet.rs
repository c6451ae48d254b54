//! Daily windows of the wall clock, such as quiet hours.
//!
//! A window runs from the first instant at which the wall clock has reached its first minute to the first
//! instant at which it has reached its end. So an edge that does not exist is the first instant after the
//! gap, and an edge that exists twice is the earlier one; a zone's `gap` and `fold` are for schedules,
//! since a window without an edge would have no meaning.
//!
//! Never here: what quiet hours do to a trigger.
//!
//! INVARIANT: with the same edges, `A to B` and `B to A` share no instant and leave none out.

use super::calendar::{DaySet, clock_ms};
use super::{Date, Instant, MS_PER_DAY, Zone};
use crate::engine::syntax::ast::Clock;

/// Windows that touch are taken as one up to this length either way, in milliseconds; so that windows which
/// cover all time end.
const SPAN_BOUND_MS: i64 = 8 * MS_PER_DAY;
/// Dates that are looked at for the next start: a weekly window, one of whose dates may be left out.
const DATES_AHEAD: i32 = 15;

/// One daily window, `[from, to)`; it crosses midnight when `to` is not after `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DailyWindow {
    /// Days on which it **starts**; none means every day that no other window names.
    pub days: DaySet,
    /// First minute inside.
    pub from: Clock,
    /// First minute outside; 24:00 is the end of the day.
    pub to: Clock,
}

/// The windows of one `quiet` definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuietWindows {
    zone: Zone,
    windows: Vec<DailyWindow>,
    /// Days that some window names.
    named: DaySet,
}

impl QuietWindows {
    /// The windows in a zone.
    #[must_use]
    pub fn new(zone: Zone, windows: Vec<DailyWindow>) -> Self {
        let named = windows.iter().fold(DaySet::NONE, |named, window| named.union(window.days));
        Self { zone, windows, named }
    }

    /// Its zone.
    #[must_use]
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// True when the instant is inside a window.
    #[must_use]
    pub fn contains(&self, at: Instant) -> bool {
        self.containing(at).is_some()
    }

    /// The span around an instant that is inside: from the first instant of the window to the first instant
    /// outside every window of this definition. Windows that touch or overlap are one span, which is cut
    /// after eight days.
    #[must_use]
    pub fn span_at(&self, at: Instant) -> Option<(Instant, Instant)> {
        let (mut start, mut end) = self.containing(at)?;
        while end.ms_since(at) < SPAN_BOUND_MS
            && let Some((_, later)) = self.containing(end)
        {
            end = later;
        }
        while at.ms_since(start) < SPAN_BOUND_MS
            && let Some((earlier, _)) = self.containing(start.plus_ms(-1))
        {
            start = earlier;
        }
        Some((start, end))
    }

    /// The first instant strictly after this one at which [`QuietWindows::contains`] turns; none when there
    /// are no windows.
    #[must_use]
    pub fn next_edge(&self, after: Instant) -> Option<Instant> {
        if let Some((_, end)) = self.span_at(after) {
            return Some(end);
        }
        let today = self.zone.date(after);
        (0..=DATES_AHEAD).find_map(|ahead| {
            let date = today.plus_days(ahead);
            let starts = self.windows_on(date).map(|(start, _)| start);
            starts.filter(|start| *start > after).min()
        })
    }

    /// Hull of the windows that hold the instant.
    fn containing(&self, at: Instant) -> Option<(Instant, Instant)> {
        let today = self.zone.date(at);
        let yesterday = today.plus_days(-1);
        [yesterday, today]
            .into_iter()
            .flat_map(|date| self.windows_on(date))
            .filter(|(start, end)| *start <= at && at < *end)
            .reduce(|(start, end), (other_start, other_end)| (start.min(other_start), end.max(other_end)))
    }

    /// Windows that start on a date and last.
    fn windows_on(&self, date: Date) -> impl Iterator<Item = (Instant, Instant)> {
        let day = date.weekday();
        let of_day = self.windows.iter().filter(move |window| {
            if window.days.is_empty() { !self.named.contains(day) } else { window.days.contains(day) }
        });
        of_day
            .map(move |window| {
                let last = if window.to <= window.from { date.plus_days(1) } else { date };
                let start = self.zone.reached(date, clock_ms(window.from));
                (start, self.zone.reached(last, clock_ms(window.to)))
            })
            .filter(|(start, end)| start < end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse_clock, parse_instant};
    use super::*;
    use crate::engine::syntax::ast::Weekday;

    fn at(text: &str) -> Instant {
        parse_instant(text).unwrap()
    }

    fn window(days: &[Weekday], from: &str, to: &str) -> DailyWindow {
        let days = days.iter().copied().collect();
        DailyWindow { days, from: parse_clock(from).unwrap(), to: parse_clock(to).unwrap() }
    }

    fn toronto(windows: Vec<DailyWindow>) -> QuietWindows {
        QuietWindows::new(Zone::parse("America/Toronto").unwrap(), windows)
    }

    #[test]
    fn a_window_crosses_midnight_and_leaves_out_its_last_minute() {
        let nights = toronto(vec![window(&[], "23:00", "07:00")]);
        let span = (at("2026-09-25T23:00:00-04:00"), at("2026-09-26T07:00:00-04:00"));
        assert_eq!(nights.span_at(at("2026-09-26T00:00:00-04:00")), Some(span));
        assert!(nights.contains(span.0) && !nights.contains(span.1));
        assert_eq!(nights.next_edge(span.0.plus_ms(-1)), Some(span.0));
        assert_eq!(nights.next_edge(span.0), Some(span.1));
        assert_eq!(nights.next_edge(span.1), Some(at("2026-09-26T23:00:00-04:00")));
    }

    #[test]
    fn a_weekday_belongs_to_the_start_and_replaces_the_rest() {
        let weekend = [Weekday::Fri, Weekday::Sat];
        let nights = toronto(vec![window(&[], "23:00", "07:00"), window(&weekend, "23:30", "08:30")]);
        // 2026-09-25 is a Friday.
        for (text, inside) in [
            ("2026-09-25T06:59:00-04:00", true),
            ("2026-09-25T23:10:00-04:00", false),
            ("2026-09-26T08:29:00-04:00", true),
            ("2026-09-27T08:29:00-04:00", true),
            ("2026-09-27T23:10:00-04:00", true),
            ("2026-09-28T07:30:00-04:00", false),
        ] {
            assert_eq!(nights.contains(at(text)), inside, "{text}");
        }
    }

    #[test]
    fn windows_that_touch_are_one_span() {
        let split = toronto(vec![window(&[], "22:00", "24:00"), window(&[], "00:00", "07:00")]);
        let span = (at("2026-09-25T22:00:00-04:00"), at("2026-09-26T07:00:00-04:00"));
        assert_eq!(split.span_at(at("2026-09-26T03:00:00-04:00")), Some(span));
        assert_eq!(split.span_at(at("2026-09-25T23:59:59-04:00")), Some(span));
        let always = toronto(vec![window(&DAYS, "00:00", "24:00")]);
        let (start, end) = always.span_at(span.0).unwrap();
        assert!(start < span.0 && span.0 < end);
    }

    const DAYS: [Weekday; 7] =
        [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun];

    #[test]
    fn edges_in_a_gap_and_in_a_repeated_hour() {
        // 2026-03-08 jumps from 02:00 to 03:00.
        let spring = toronto(vec![window(&[], "23:00", "02:30")]);
        let end = spring.span_at(at("2026-03-08T00:00:00-05:00")).unwrap().1;
        assert_eq!(end, at("2026-03-08T03:00:00-04:00"));
        let inside_gap = toronto(vec![window(&[], "02:10", "02:50")]);
        assert_eq!(
            inside_gap.next_edge(at("2026-03-08T00:00:00-05:00")),
            Some(at("2026-03-09T02:10:00-04:00"))
        );
        // 2026-11-01 has 01:00 to 02:00 twice; the end is the first 01:30.
        let autumn = toronto(vec![window(&[], "23:00", "01:30")]);
        let end = autumn.span_at(at("2026-11-01T00:00:00-04:00")).unwrap().1;
        assert_eq!(end, at("2026-11-01T01:30:00-04:00"));
        assert!(!autumn.contains(at("2026-11-01T01:10:00-05:00")));
    }

    #[test]
    fn no_windows_have_no_edges() {
        assert_eq!(toronto(Vec::new()).next_edge(Instant(0)), None);
        assert_eq!(toronto(Vec::new()).span_at(Instant(0)), None);
    }
}
