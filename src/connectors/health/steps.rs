//! Step counts to one total a day.
//!
//! A phone and a watch count the same steps, so overlapping counts are never added: in each day watches come
//! first, as in Apple's own Health app, then the sources in the order of their totals, and a later one only
//! adds the share of each of its intervals that nothing before it covers. A count that crosses midnight is
//! split in proportion.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};

use super::places::{Places, ReadingZone};
use crate::engine::value::decimal::half_even;

/// One count; 16 bytes, because an export may hold millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepSpan {
    /// First second, since 1970.
    pub start_s: u32,
    /// Length in seconds; zero for a bare point in time.
    pub seconds: u32,
    /// Steps in thousandths.
    pub thousandths: u32,
    /// Device, see [`Places::source`].
    pub source: u16,
    /// Zone, see [`Places::zone`].
    pub zone: u16,
}

/// The steps of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaySteps {
    /// Local date.
    pub date: NaiveDate,
    /// End of its last count, in milliseconds since 1970 and on that date.
    pub end_ms: i64,
    /// Zone of the last count.
    pub zone: u16,
    /// Whole steps, half to even.
    pub steps: i64,
}

/// No count is longer than this; importers leave such out.
pub const SPAN_SECONDS_MAX: u32 = 7 * 86_400;

/// Part of a count on one date; milli- and nano-units so that shares are exact enough to round once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    start_ms: i64,
    end_ms: i64,
    billionths: i64,
    source: u16,
    zone: u16,
}

/// One total a date that has counts, by date.
#[must_use]
pub fn daily(mut spans: Vec<StepSpan>, places: &Places) -> Vec<DaySteps> {
    spans.sort_unstable();
    spans.dedup();
    let mut days = Vec::new();
    let mut open: BTreeMap<NaiveDate, Vec<Piece>> = BTreeMap::new();
    for span in &spans {
        let zone = places.zone_of(span.zone);
        let date = zone.date(i64::from(span.start_s) * 1000);
        // Spans come by start, so nothing touches a date again once starts are two days past it.
        while let Some(first) = open.first_entry().filter(|first| *first.key() + Days::new(2) < date) {
            let (date, pieces) = first.remove_entry();
            days.extend(total(date, pieces, places));
        }
        split(span, zone, |date, piece| open.entry(date).or_default().push(piece));
    }
    days.extend(open.into_iter().filter_map(|(date, pieces)| total(date, pieces, places)));
    days
}

fn split(span: &StepSpan, zone: ReadingZone, mut give: impl FnMut(NaiveDate, Piece)) {
    let start_ms = i64::from(span.start_s) * 1000;
    let end_ms = start_ms + i64::from(span.seconds) * 1000;
    let all = i64::from(span.thousandths) * 1_000_000;
    let mut from = start_ms;
    let mut given = 0;
    loop {
        let date = zone.date(from);
        let next = date.checked_add_days(Days::new(1)).map_or(end_ms, |next| zone.day_start(next));
        let until = if next > from { next.min(end_ms) } else { end_ms };
        let last = until >= end_ms;
        let part = if last { all - given } else { share(all, until - from, end_ms - start_ms) };
        given += part;
        let (source, zone) = (span.source, span.zone);
        give(date, Piece { start_ms: from, end_ms: until, billionths: part, source, zone });
        if last {
            return;
        }
        from = until;
    }
}

/// `amount * part / whole`; `whole` above zero.
fn share(amount: i64, part: i64, whole: i64) -> i64 {
    i64::try_from(i128::from(amount) * i128::from(part) / i128::from(whole.max(1))).unwrap_or(amount)
}

fn total(date: NaiveDate, mut pieces: Vec<Piece>, places: &Places) -> Option<DaySteps> {
    let mut by_source: BTreeMap<u16, i64> = BTreeMap::new();
    for piece in &pieces {
        let sum = by_source.entry(piece.source).or_default();
        *sum = sum.saturating_add(piece.billionths);
    }
    let mut order: Vec<_> = by_source.into_iter().collect();
    order.sort_by_cached_key(|(source, sum)| {
        let name = places.source_name(*source);
        (!name.to_lowercase().contains("watch"), std::cmp::Reverse(*sum), name)
    });
    let last = pieces.iter().max_by_key(|piece| (piece.end_ms, piece.zone)).copied()?;
    let ranks: BTreeMap<u16, usize> =
        order.into_iter().enumerate().map(|(rank, (source, _))| (source, rank)).collect();
    // The larger of two counts of one interval comes first, the other then adds nothing.
    pieces.sort_by_cached_key(|piece| {
        (ranks.get(&piece.source).copied(), piece.start_ms, -piece.end_ms, -piece.billionths)
    });
    let mut cover = Cover::default();
    let sum = pieces.iter().fold(0_i64, |sum, piece| sum.saturating_add(cover.take(piece)));
    let end_ms = end_on(date, &last, pieces.len() == 1, places.zone_of(last.zone));
    let steps = half_even(sum, 1_000_000_000);
    Some(DaySteps { date, end_ms, zone: last.zone, steps })
}

/// When the total was known, on its own date.
fn end_on(date: NaiveDate, last: &Piece, alone: bool, zone: ReadingZone) -> i64 {
    let next = date.checked_add_days(Days::new(1)).map(|next| zone.day_start(next));
    // A single bare point at midnight is how some apps write the total of the whole day.
    let whole_day = alone && last.start_ms == last.end_ms && zone.day_start(date) == last.start_ms;
    match next {
        Some(next) if whole_day || last.end_ms >= next => next - 1000,
        _ => last.end_ms,
    }
}

/// Disjoint intervals, start to end, that some count has spoken for.
#[derive(Default)]
struct Cover(BTreeMap<i64, i64>);

impl Cover {
    /// The share of the piece that was free, which is taken now.
    fn take(&mut self, piece: &Piece) -> i64 {
        if piece.start_ms == piece.end_ms {
            return self.take_point(piece);
        }
        let (mut start, mut end, mut covered) = (piece.start_ms, piece.end_ms, 0);
        // Those that touch it: the one before and all that begin inside.
        let before = self.0.range(..start).next_back().filter(|(_, until)| **until >= start);
        let touching: Vec<_> = before
            .into_iter()
            .chain(self.0.range(start..=end))
            .map(|(from, until)| (*from, *until))
            .collect();
        for (from, until) in touching {
            covered += (until.min(piece.end_ms) - from.max(piece.start_ms)).max(0);
            self.0.remove(&from);
            start = start.min(from);
            end = end.max(until);
        }
        self.0.insert(start, end);
        let length = piece.end_ms - piece.start_ms;
        share(piece.billionths, length - covered, length)
    }

    fn take_point(&mut self, piece: &Piece) -> i64 {
        let at = piece.start_ms;
        let taken = self.0.range(..=at).next_back().is_some_and(|(from, until)| *from == at || *until > at);
        if taken {
            return 0;
        }
        self.0.insert(at, at);
        piece.billionths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places() -> Places {
        let mut places = Places::default();
        places.zone(ReadingZone::Named(chrono_tz::America::Toronto));
        places.source("phone");
        places.source("watch");
        places
    }

    /// Seconds from local midnight of 2026-09-01 in Toronto.
    fn span(source: u16, from: u32, to: u32, steps: u32) -> StepSpan {
        let midnight = 1_788_235_200;
        let thousandths = steps * 1000;
        StepSpan { start_s: midnight + from, seconds: to - from, thousandths, source, zone: 0 }
    }

    fn steps(spans: &[StepSpan]) -> Vec<(String, i64)> {
        daily(spans.to_vec(), &places()).into_iter().map(|day| (day.date.to_string(), day.steps)).collect()
    }

    #[test]
    fn phone_and_watch_are_not_added() {
        let watch = span(1, 3600, 7200, 4000);
        let phone = span(0, 3600, 7200, 3900);
        let phone_alone = span(0, 7200, 10_800, 500);
        assert_eq!(steps(&[watch, phone, phone_alone]), [("2026-09-01".to_owned(), 4500)]);
        let half_over = span(0, 5400, 9000, 1000);
        assert_eq!(steps(&[watch, half_over]), [("2026-09-01".to_owned(), 4500)]);
    }

    #[test]
    fn a_rewritten_interval_counts_once_with_its_larger_value() {
        let first = span(1, 0, 600, 300);
        let again = span(1, 0, 600, 420);
        assert_eq!(steps(&[first, again, first]), [("2026-09-01".to_owned(), 420)]);
        let point = |steps| span(1, 700, 700, steps);
        assert_eq!(steps(&[point(10), point(10), point(12)]), [("2026-09-01".to_owned(), 12)]);
    }

    #[test]
    fn midnight_splits_and_ends_on_its_date() {
        let across = span(1, 86_400 - 1800, 86_400 + 1800, 1000);
        assert_eq!(steps(&[across]), [("2026-09-01".to_owned(), 500), ("2026-09-02".to_owned(), 500)]);
        let places = places();
        for day in daily(vec![across], &places) {
            assert_eq!(places.zone_of(day.zone).date(day.end_ms), day.date);
        }
    }

    #[test]
    fn many_sources_cost_no_more_than_many_counts() {
        let mut places = places();
        let sources: Vec<_> = (0..60_000).map(|n| places.source(&format!("watch {n}"))).collect();
        let spans: Vec<_> = sources.iter().map(|source| span(*source, 3600, 7200, 4000)).collect();
        let days: Vec<_> = daily(spans, &places).into_iter().map(|day| day.steps).collect();
        assert_eq!(days, [4000]);
    }

    proptest! {
        #[test]
        fn never_more_than_the_sum_nor_less_than_one_source(
            spans in prop::collection::vec((0_u16..2, 0_u32..80_000, 0_u32..4000, 0_u32..500), 1..40),
        ) {
            let spans: Vec<_> = spans.iter().map(|(source, from, length, count)| {
                span(*source, *from, from + length, *count)
            }).collect();
            let got: i64 = steps(&spans).iter().map(|(_, steps)| steps).sum();
            let sum: i64 = spans.iter().map(|span| i64::from(span.thousandths) / 1000).sum();
            prop_assert!(got <= sum + 1);
            let best = spans.iter().map(|span| i64::from(span.thousandths) / 1000).max().unwrap_or(0);
            prop_assert!(got >= 0 && (got > 0 || best == 0));
            let mut reversed = spans.clone();
            reversed.reverse();
            prop_assert_eq!(steps(&reversed), steps(&spans));
        }
    }
}
