//! The readings of one signal: the current value, one value a date, and windows.
//!
//! Of two readings of one `observed` the one with the larger `at` wins, then the one whose value has the
//! larger text, so that no order of arrival can be seen. Raw readings are kept only as long as a window
//! needs them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::bag::Bag;
use super::statistic::statistic;
use super::window::Content;
use crate::engine::record::Scalar;
use crate::engine::rule_set::WindowSpan;
use crate::engine::syntax::ast::StatKind;
use crate::engine::time::{Date, Instant};
use crate::engine::value::Ratio;

/// One reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// When it was true.
    pub observed: Instant,
    /// When it was learnt.
    pub at: Instant,
    /// The value.
    pub value: Scalar,
}

impl Reading {
    /// True when another takes its place: newer, or of the same time and learnt later.
    fn yields_to(&self, observed: Instant, at: Instant, value: &Scalar) -> bool {
        match (observed, at).cmp(&(self.observed, self.at)) {
            std::cmp::Ordering::Equal => text(value) > text(&self.value),
            order => order.is_gt(),
        }
    }

    /// Takes another's place. A number is written where it stays: this is what every reading of a sampled
    /// signal does, and building it elsewhere takes longer than all the rest.
    fn become_other(&mut self, observed: Instant, at: Instant, value: &Scalar) {
        (self.observed, self.at) = (observed, at);
        match (&mut self.value, value) {
            (Scalar::Fixed(own), Scalar::Fixed(steps)) => *own = *steps,
            (own, value) => own.clone_from(value),
        }
    }
}

/// The canonical text of a value, for choosing between two readings of one instant.
fn text(value: &Scalar) -> String {
    match value {
        Scalar::Fixed(steps) => steps.to_string(),
        Scalar::Text(text) => text.to_string(),
        Scalar::Flag(flag) => flag.to_string(),
    }
}

/// A value as a number of a window. Of texts and flags there is only the statistic `count`, for which any
/// number does.
fn counted(value: &Scalar) -> i64 {
    match value {
        Scalar::Fixed(number) => *number,
        Scalar::Text(_) | Scalar::Flag(_) => 0,
    }
}

/// A window that some rule reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalWindow {
    /// The statistic.
    pub kind: StatKind,
    /// Which readings.
    pub span: WindowSpan,
    /// Decimals of the unit whose steps the numbers are.
    pub scale: u8,
    /// The most values that a reader of the window needs.
    pub needs: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Window {
    def: SignalWindow,
    content: Content,
    /// Place of the first raw reading inside, for sliding windows.
    first: i64,
}

impl Window {
    /// What a reader sees of it at once: its value, and whether there are enough; `None` where it must be
    /// taken as changed.
    fn sight(&self) -> Option<(i64, bool)> {
        let needs = usize::try_from(self.def.needs).unwrap_or(usize::MAX);
        self.content.value_hint().map(|value| (value, self.content.len() >= needs))
    }

    /// Place of the reading without which fewer are left than a reader needs.
    fn last_spare(&self) -> Option<i64> {
        let needs = usize::try_from(self.def.needs).ok().filter(|needs| *needs > 0)?;
        let spare = i64::try_from(self.content.len().checked_sub(needs)?).ok()?;
        self.first.checked_add(spare)
    }
}

/// What a reading changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The current value or its time.
    pub current: bool,
    /// The newest date, a date's value, or a window.
    pub history: bool,
    /// The instant at which a window changes by time alone may have come nearer.
    pub edges: bool,
}

/// The memory of one signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalFacts {
    keep_days: u32,
    last_arrival: Option<Instant>,
    /// The last reading of each date, dates rising. The last of all is the current one, since no zone's dates
    /// run backwards.
    days: VecDeque<(Date, Reading)>,
    windows: Vec<Window>,
    /// True when some window holds the newest date.
    with_today: bool,
    /// Raw readings that a sliding window may need, `observed` rising.
    recent: VecDeque<(Instant, Instant, i64)>,
    /// Place of the first of `recent`.
    recent_place: i64,
    /// Length of the longest sliding window in milliseconds; 0 without any.
    longest_ms: i64,
    clock: Instant,
}

impl SignalFacts {
    /// An empty memory with these windows.
    #[must_use]
    pub fn new(keep_days: u32, windows: &[SignalWindow]) -> Self {
        let longest = windows.iter().filter_map(|window| match window.span {
            WindowSpan::Within(ms) => Some(ms),
            WindowSpan::Days { .. } => None,
        });
        let make = |def: &SignalWindow| {
            let sliding = matches!(def.span, WindowSpan::Within(_));
            Window { def: *def, content: Content::new(def.kind, sliding), first: 0 }
        };
        Self {
            keep_days,
            last_arrival: None,
            days: VecDeque::new(),
            windows: windows.iter().map(make).collect(),
            with_today: windows
                .iter()
                .any(|window| matches!(window.span, WindowSpan::Days { with_today: true, .. })),
            recent: VecDeque::new(),
            recent_place: 0,
            longest_ms: longest.max().unwrap_or(0),
            clock: Instant(i64::MIN),
        }
    }

    /// The reading with the newest `observed`.
    #[must_use]
    pub fn current(&self) -> Option<&Reading> {
        self.days.back().map(|(_, reading)| reading)
    }

    /// When a reading last came.
    #[must_use]
    pub fn last_arrival(&self) -> Option<Instant> {
        self.last_arrival
    }

    /// The newest date with a value.
    #[must_use]
    pub fn newest_date(&self) -> Option<Date> {
        self.days.back().map(|(date, _)| *date)
    }

    /// The last reading of a date.
    #[must_use]
    pub fn value_on(&self, date: Date) -> Option<&Reading> {
        let place = self.days.binary_search_by_key(&date, |(date, _)| *date).ok()?;
        self.days.get(place).map(|(_, reading)| reading)
    }

    /// Takes a reading in; `date` is the local date of its `observed`.
    pub fn insert(&mut self, observed: Instant, at: Instant, value: &Scalar, date: Date) -> Change {
        self.last_arrival = self.last_arrival.max(Some(at));
        let mut change = self.insert_day(date, observed, at, value);
        if self.longest_ms > 0 {
            self.insert_recent(observed, at, counted(value), &mut change);
        }
        change
    }

    /// What it changed of the current value, a date's value, the newest date, or a window over dates.
    fn insert_day(&mut self, date: Date, observed: Instant, at: Instant, value: &Scalar) -> Change {
        let mut change = Change::default();
        match self.days.back_mut() {
            Some((newest, last)) if *newest == date => {
                if !last.yields_to(observed, at, value) {
                    return change;
                }
                let same_value = last.value == *value;
                change.current = !same_value || last.observed != observed;
                let before = (!same_value && self.with_today).then(|| last.value.clone());
                last.become_other(observed, at, value);
                if let Some(before) = before {
                    self.replace_today(date, &before);
                    change.history = true;
                }
            }
            Some((newest, _)) if *newest > date => {
                let reading = Reading { observed, at, value: value.clone() };
                change.history = self.insert_late_day(date, reading);
            }
            newest => {
                let newest = newest.map(|(date, _)| *date);
                self.days.push_back((date, Reading { observed, at, value: value.clone() }));
                let oldest = date.0.saturating_sub(i32::try_from(self.keep_days).unwrap_or(i32::MAX));
                while self.days.front().is_some_and(|(date, _)| date.0 < oldest) {
                    self.days.pop_front();
                }
                self.advance_day(newest, date);
                (change.current, change.history) = (true, true);
            }
        }
        change
    }

    /// The newest date has another value: windows with today see it.
    fn replace_today(&mut self, date: Date, before: &Scalar) {
        let Some((_, Reading { value: after, .. })) = self.days.back() else { return };
        let place = i64::from(date.0);
        for window in &mut self.windows {
            if let WindowSpan::Days { with_today: true, .. } = window.def.span {
                if let Scalar::Fixed(number) = before {
                    window.content.pop(place, *number);
                }
                if let Scalar::Fixed(number) = after {
                    window.content.push(place, *number);
                }
            }
        }
    }

    fn insert_late_day(&mut self, date: Date, reading: Reading) -> bool {
        match self.days.binary_search_by_key(&date, |(date, _)| *date) {
            Ok(place) => match self.days.get_mut(place) {
                Some((_, last)) if last.yields_to(reading.observed, reading.at, &reading.value) => {
                    *last = reading
                }
                _ => return false,
            },
            Err(place) => self.days.insert(place, (date, reading)),
        }
        self.rebuild_days();
        true
    }

    /// The newest date moved on: dates leave and enter the windows.
    fn advance_day(&mut self, before: Option<Date>, newest: Date) {
        let days = &self.days;
        for window in &mut self.windows {
            let WindowSpan::Days { days: length, with_today } = window.def.span else { continue };
            let was = before.map(|before| bounds(before, length, with_today));
            let (start, end) = bounds(newest, length, with_today);
            let inside = |date: Date, (start, end): (Date, Date)| start <= date && date < end;
            let (was_start, _) = was.unwrap_or((start, start));
            let first = days.partition_point(|(date, _)| *date < was_start.min(start));
            for (date, reading) in days.range(first..) {
                let number = counted(&reading.value);
                let (was_in, is_in) =
                    (was.is_some_and(|was| inside(*date, was)), inside(*date, (start, end)));
                match (was_in, is_in) {
                    (true, false) => window.content.pop(i64::from(date.0), number),
                    (false, true) => window.content.push(i64::from(date.0), number),
                    _ => {}
                }
            }
        }
    }

    fn rebuild_days(&mut self) {
        let Some(newest) = self.newest_date() else { return };
        for window in &mut self.windows {
            if matches!(window.def.span, WindowSpan::Days { .. }) {
                window.content = Content::new(window.def.kind, false);
            }
        }
        self.advance_day(None, newest);
    }

    fn insert_recent(&mut self, observed: Instant, at: Instant, number: i64, change: &mut Change) {
        let in_order = self.recent.back().is_none_or(|(last, _, _)| *last < observed);
        change.history |= self.advance(at);
        if in_order {
            self.append_recent(observed, at, number, change);
            return;
        }
        let place = self.recent.partition_point(|(other, _, _)| *other < observed);
        match self.recent.get_mut(place) {
            Some(same) if same.0 == observed => {
                let other = Reading { observed, at: same.1, value: Scalar::Fixed(same.2) };
                if !other.yields_to(observed, at, &Scalar::Fixed(number)) {
                    return;
                }
                *same = (observed, at, number);
            }
            _ => self.recent.insert(place, (observed, at, number)),
        }
        self.rebuild_recent();
        (change.history, change.edges) = (true, true);
    }

    fn append_recent(&mut self, observed: Instant, at: Instant, number: i64, change: &mut Change) {
        let place = self.recent_place.saturating_add(i64::try_from(self.recent.len()).unwrap_or(i64::MAX));
        self.recent.push_back((observed, at, number));
        for window in &mut self.windows {
            let WindowSpan::Within(length) = window.def.span else { continue };
            if at.0.saturating_sub(observed.0) < length {
                let before = window.sight();
                window.content.push(place, number);
                change.history |= before.is_none() || before != window.sight();
                // With more than it needs, a window's next change only moves away.
                let needs = usize::try_from(window.def.needs).unwrap_or(usize::MAX);
                change.edges |= window.content.len() <= needs.max(1);
            } else {
                // It had left before it came, and so had all before it.
                window.first = place.saturating_add(1);
            }
        }
    }

    fn rebuild_recent(&mut self) {
        let (clock, first) = (self.clock, self.recent_place);
        for window in &mut self.windows {
            let WindowSpan::Within(length) = window.def.span else { continue };
            window.content = Content::new(window.def.kind, true);
            let inside = |observed: Instant| clock.0.saturating_sub(observed.0) < length;
            let skipped = self.recent.partition_point(|(observed, _, _)| !inside(*observed));
            window.first = first.saturating_add(i64::try_from(skipped).unwrap_or(i64::MAX));
            for ((_, _, number), place) in self.recent.range(skipped..).zip(window.first..) {
                window.content.push(place, *number);
            }
        }
    }

    /// Time passes: readings leave the sliding windows. True when a window changed.
    pub fn advance(&mut self, now: Instant) -> bool {
        self.clock = self.clock.max(now);
        let clock = self.clock;
        let mut changed = false;
        let at = |recent: &VecDeque<(Instant, Instant, i64)>, place: i64, base: i64| {
            let index = usize::try_from(place.saturating_sub(base)).ok()?;
            recent.get(index).copied()
        };
        for window in &mut self.windows {
            let WindowSpan::Within(length) = window.def.span else { continue };
            while let Some((observed, _, number)) = at(&self.recent, window.first, self.recent_place) {
                if clock.0.saturating_sub(observed.0) < length {
                    break;
                }
                let before = window.sight();
                window.content.pop(window.first, number);
                window.first = window.first.saturating_add(1);
                changed |= before.is_none() || before != window.sight();
            }
        }
        let longest = self.longest_ms;
        while self
            .recent
            .front()
            .is_some_and(|(observed, _, _)| clock.0.saturating_sub(observed.0) >= longest)
        {
            self.recent.pop_front();
            self.recent_place = self.recent_place.saturating_add(1);
        }
        changed
    }

    /// The next instant at which a sliding window changes by time alone.
    #[must_use]
    pub fn next_change(&self) -> Option<Instant> {
        let leaves = self.windows.iter().filter_map(|window| {
            let WindowSpan::Within(length) = window.def.span else { return None };
            let first = (window.content.len() > 0).then_some(window.first);
            // The value can change with its reading, or when too few are left.
            let place = window.content.decisive(first)?.min(window.last_spare().unwrap_or(i64::MAX));
            let index = usize::try_from(place.saturating_sub(self.recent_place)).ok()?;
            let (observed, _, _) = self.recent.get(index)?;
            Some(Instant(observed.0.saturating_add(length)))
        });
        leaves.min()
    }

    /// How many values a window has, and its statistic.
    #[must_use]
    pub fn window(&self, slot: usize) -> (usize, Option<Ratio>) {
        let Some(window) = self.windows.get(slot) else { return (0, None) };
        let newest = match (window.def.kind, window.def.span) {
            (StatKind::Last, WindowSpan::Days { days, with_today }) => self.last_in(days, with_today),
            (StatKind::Last, WindowSpan::Within(_)) => self.recent.back().map(|(_, _, number)| *number),
            _ => None,
        };
        (window.content.len(), window.content.value(window.def.kind, newest, window.def.scale))
    }

    fn last_in(&self, length: u32, with_today: bool) -> Option<i64> {
        let (start, end) = bounds(self.newest_date()?, length, with_today);
        let inside = self.days.iter().rev().find(|(date, _)| *date < end && *date >= start);
        match inside.map(|(_, reading)| &reading.value) {
            Some(Scalar::Fixed(number)) => Some(*number),
            _ => None,
        }
    }

    /// A statistic of the values of the dates `[end - days, end)`, computed anew.
    #[must_use]
    pub fn baseline(&self, kind: StatKind, days: u32, end: Date, scale: u8) -> (usize, Option<Ratio>) {
        let start = Date(end.0.saturating_sub(i32::try_from(days).unwrap_or(i32::MAX)));
        let first = self.days.partition_point(|(date, _)| *date < start);
        let mut bag = Bag::default();
        let mut newest = None;
        for (date, reading) in self.days.range(first..) {
            if *date >= end {
                break;
            }
            let number = counted(&reading.value);
            bag.insert(number);
            newest = Some(number);
        }
        (bag.len(), statistic(kind, &bag, newest, scale))
    }

    /// Takes what another memory of the same signal knows; windows are made anew from it.
    pub fn take_over(&mut self, other: &Self) {
        self.last_arrival = other.last_arrival;
        self.days.clone_from(&other.days);
        self.recent.clone_from(&other.recent);
        self.recent_place = other.recent_place;
        self.clock = other.clock;
        self.rebuild_days();
        self.rebuild_recent();
    }
}

/// The dates of a window around its newest date, half-open.
fn bounds(newest: Date, length: u32, with_today: bool) -> (Date, Date) {
    let end = newest.0.saturating_add(i32::from(with_today));
    (Date(end.saturating_sub(i32::try_from(length).unwrap_or(i32::MAX))), Date(end))
}
