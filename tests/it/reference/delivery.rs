//! What becomes of triggers about items: quiet hours, budgets per calendar period.

use chrono::{Datelike as _, Duration, NaiveDate, TimeZone as _};
use chrono_tz::Tz;

use super::{clock, date, local};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    Drop,
    KeepIfTrue,
    Keep,
    Soften,
    Pass,
}

impl Policy {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::KeepIfTrue => "keep until end, drop if no longer true",
            Self::Keep => "keep until end",
            Self::Soften => "soften",
            Self::Pass => "pass",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Period {
    Hour,
    Day,
    Week,
    Month,
}

impl Period {
    /// Two minutes with the same key are in one period. Hours of a fold are two.
    fn key(self, zone: Tz, minute: i64) -> (i64, i64) {
        let day = date(zone, minute);
        match self {
            Self::Hour => {
                let here = local(zone, minute);
                let offset = i64::from(chrono::Offset::fix(here.offset()).local_minus_utc());
                (day * 24 + clock(zone, minute) / 60, offset)
            }
            Self::Day => (day, 0),
            // Day 1 of the common era was a Monday.
            Self::Week => ((day - 1).div_euclid(7), 0),
            Self::Month => {
                let here = local(zone, minute);
                (i64::from(here.year()) * 12 + i64::from(here.month()), 0)
            }
        }
    }
}

/// One rule's policy, and whether it uses the budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) policy: Policy,
    pub(crate) within: bool,
}

/// A quiet window on the wall clock, in minutes, and the budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) zone: Tz,
    pub(crate) quiet: (i64, i64),
    pub(crate) count: usize,
    pub(crate) period: Period,
}

impl Limits {
    /// True inside a window that began on the minute's date or the one before.
    fn is_quiet(&self, minute: i64) -> bool {
        let (from, to) = self.quiet;
        let today = local(self.zone, minute).date_naive();
        [today.pred_opt(), Some(today)].into_iter().flatten().any(|date| {
            let last = if from < to { Some(date) } else { date.succ_opt() };
            let (start, end) =
                (instant(self.zone, date, from), last.map(|last| instant(self.zone, last, to)));
            start <= minute && end.is_some_and(|end| minute < end)
        })
    }
}

/// The first time at which the wall clock shows a time on a date; if it never does, the end of the gap.
fn instant(zone: Tz, date: NaiveDate, mut clock: i64) -> i64 {
    loop {
        let shown = date.and_hms_opt(0, 0, 0).unwrap() + Duration::minutes(clock);
        match zone.from_local_datetime(&shown).earliest() {
            Some(at) => return at.timestamp() / 60,
            None => clock += 1,
        }
    }
}

/// What was said: minute, rule, item, word.
pub(crate) type Said = (i64, usize, i64, &'static str);

/// Walks over minutes; each item comes at its minute, and every rule makes a trigger of it.
pub(crate) fn deliver(limits: &Limits, ways: &[Way], items: &[i64], to: i64) -> Vec<Said> {
    let mut said = Vec::new();
    let mut kept: Vec<(usize, i64)> = Vec::new();
    let mut spent: Vec<(i64, i64)> = Vec::new();
    let Some(first) = items.iter().min() else { return said };
    for now in *first..=to {
        let quiet = limits.is_quiet(now);
        let mut enter: Vec<(usize, i64)> = Vec::new();
        if !quiet {
            enter = std::mem::take(&mut kept);
            enter.sort_unstable();
        }
        let new = items.iter().filter(|item| **item == now);
        let mut new: Vec<(usize, i64)> =
            new.flat_map(|item| (0..ways.len()).map(move |rule| (rule, *item))).collect();
        new.sort_unstable();
        enter.extend(new);
        for (rule, item) in enter {
            let way = ways[rule];
            let mut softened = false;
            if quiet {
                match way.policy {
                    Policy::Drop => {
                        said.push((now, rule, item, "suppressed"));
                        continue;
                    }
                    Policy::Keep | Policy::KeepIfTrue => {
                        said.push((now, rule, item, "kept"));
                        kept.push((rule, item));
                        continue;
                    }
                    Policy::Soften => softened = true,
                    Policy::Pass => {}
                }
            }
            if way.within && !softened {
                let key = limits.period.key(limits.zone, now);
                if spent.iter().filter(|other| **other == key).count() >= limits.count {
                    said.push((now, rule, item, "suppressed"));
                    continue;
                }
                spent.push(key);
            }
            said.push((now, rule, item, "delivered"));
        }
    }
    said
}
