//! Spans of time for the items of a stream, as half-open ranges of instants.

use super::scope::Scope;
use crate::engine::rule_set::{Cause, ItemWindow, ItemWindowKind};
use crate::engine::syntax::ast::{Clock, Fold, Gap, Period};
use crate::engine::time::{Date, Instant, Zone, period_of};

/// 18:00, when a night begins, and 12:00, when it ends.
const NIGHT: (Clock, Clock) = (Clock(18 * 60), Clock(12 * 60));

const MS_PER_MINUTE: i64 = 60_000;

/// A window at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// An item is in it when its span overlaps `[start, end)`.
    pub(super) start: Instant,
    /// See `start`.
    pub(super) end: Instant,
    /// The range itself is another from then on, whatever the items do.
    pub(super) until: Instant,
    /// How the ends follow the clock between now and `until`: milliseconds from the clock to the start, and
    /// to the end; `None` for an end that stands still.
    pub(super) follows: (Option<i64>, Option<i64>),
}

impl Range {
    fn still(start: Instant, end: Instant) -> Self {
        Self { start, end, until: end, follows: (None, None) }
    }
}

impl Scope<'_> {
    /// The range of a window now.
    pub(super) fn range(&self, window: ItemWindow) -> Range {
        let now = self.facts.now;
        let zone = self.zone(window.zone);
        let (today, _, midnight) = self.today_in(zone);
        let after = |ms: i64| Instant(now.0.saturating_add(ms));
        let calendar = |period| {
            let (start, end) = period_of(zone, now, period);
            Range::still(start, end)
        };
        match window.kind {
            ItemWindowKind::Today => calendar(Period::Day),
            ItemWindowKind::ThisWeek => calendar(Period::Week),
            ItemWindowKind::ThisMonth => calendar(Period::Month),
            ItemWindowKind::OverDays(days) => {
                let back = i32::try_from(days.saturating_sub(1)).unwrap_or(i32::MAX);
                Range::still(zone.midnight(Date(today.0.saturating_sub(back))), midnight)
            }
            ItemWindowKind::RestOfToday => {
                Range { start: now, end: midnight, until: midnight, follows: (Some(0), None) }
            }
            ItemWindowKind::Now => {
                Range { start: now, end: after(1), until: Instant(i64::MAX), follows: (Some(0), Some(1)) }
            }
            ItemWindowKind::LastNight => {
                let at = |date, Clock(minute)| {
                    let ms = i64::from(minute).saturating_mul(MS_PER_MINUTE);
                    zone.resolve(date, ms, Gap::After, Fold::First).first()
                };
                let start = at(Date(today.0.saturating_sub(1)), NIGHT.0).unwrap_or(now);
                Range { until: midnight, ..Range::still(start, at(today, NIGHT.1).unwrap_or(now)) }
            }
            ItemWindowKind::WithinLast(ms) => Range {
                start: after(1_i64.saturating_sub(ms)),
                end: after(1),
                until: Instant(i64::MAX),
                follows: (Some(1_i64.saturating_sub(ms)), Some(1)),
            },
            ItemWindowKind::WithinNext(ms) => {
                Range { start: now, end: after(ms), until: Instant(i64::MAX), follows: (Some(0), Some(ms)) }
            }
            ItemWindowKind::Since(schedule) => {
                let runs = self.facts.schedules.get(schedule.index()).and_then(Option::as_ref);
                // Since the run before its own, for a rule of that schedule.
                let before = match (self.rule.cause, self.run) {
                    (Cause::Schedule(own), Some(run)) if own == schedule => Instant(run.0.saturating_sub(1)),
                    _ => after(-1),
                };
                let last = runs.and_then(|runs| runs.last_at_or_before(before));
                let next = runs.and_then(|runs| runs.next_after(after(-1)));
                Range {
                    start: last.unwrap_or(Instant(i64::MIN)),
                    end: now,
                    until: next.map_or(Instant(i64::MAX), |next| Instant(next.0.saturating_add(1))),
                    follows: (None, Some(0)),
                }
            }
        }
    }

    /// Today in a zone, its first instant and that of the next date.
    fn today_in(&self, zone: Zone) -> (Date, Instant, Instant) {
        if zone == self.default_zone() {
            return self.facts.today;
        }
        let date = zone.date(self.facts.now);
        (date, zone.midnight(date), zone.midnight(Date(date.0.saturating_add(1))))
    }
}
