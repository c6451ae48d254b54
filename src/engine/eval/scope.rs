//! What one evaluation sees and what it writes down about itself.

use std::sync::Arc;

use super::known::Missing;
use super::truth::Truth;
use crate::engine::facts::{Item, SignalFacts, StreamFacts};
use crate::engine::record::{SignalId, StreamId};
use crate::engine::rule_set::{RuleDef, RuleId, RuleSet, Slot, ZoneRef};
use crate::engine::time::{Date, Instant, ScheduleSpec, Zone};

/// Most steps of one judgement: a node of a condition, or an item looked at. Some milliseconds at most, since
/// a rule that uses them up does so at every record.
const FUEL_MAX: u32 = 250_000;

/// The frozen facts of one instant.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The instant.
    pub now: Instant,
    /// Date in the default zone, its first instant, and that of the next date.
    pub today: (Date, Instant, Instant),
    /// Where the person is.
    pub here: Zone,
    /// One a signal.
    pub signals: &'a [SignalFacts],
    /// One a stream.
    pub streams: &'a [StreamFacts],
    /// When each stream last had a record; when the set was loaded if never.
    pub arrivals: Arrivals<'a>,
    /// When each rule last made a trigger.
    pub fired: &'a [Option<Instant>],
    /// Calendar schedules in their present zones; `None` for those before items.
    pub schedules: &'a [Option<ScheduleSpec>],
}

/// When sources were last heard.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals<'a> {
    /// Last record of each stream.
    pub streams: &'a [Option<Instant>],
    /// When each signal and stream began to be listened to: the start of the engine.
    pub since: Instant,
}

/// Items that variables stand for, by slot.
pub type Bindings = Vec<Option<Arc<Item>>>;

/// Values of a signal within which an answer stands; empty when `low > high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Guard {
    /// Smallest.
    pub low: i64,
    /// Largest.
    pub high: i64,
}

impl Guard {
    /// Any value.
    pub const OPEN: Self = Self { low: i64::MIN, high: i64::MAX };
    /// No value: whatever comes, judge again.
    pub const SHUT: Self = Self { low: 1, high: 0 };

    /// True when an answer stands with this value.
    #[must_use]
    pub fn holds(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Both.
    pub fn narrow(&mut self, other: Self) {
        self.low = self.low.max(other.low);
        self.high = self.high.min(other.high);
    }
}

/// One evaluation.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The set.
    pub rules: &'a RuleSet,
    /// The rule.
    pub rule: &'a RuleDef,
    /// Frozen facts.
    pub facts: &'a Facts<'a>,
    /// Items that variables stand for.
    pub bound: Bindings,
    /// Variables that may stand for no other item than the one bound.
    pub pinned: u64,
    /// Judge as of this date: signals have that date's value, baselines end before it.
    pub anchor: Option<Date>,
    /// The run of its own schedule that the rule is judged for, even if that is later: late, or kept.
    pub run: Option<Instant>,
    /// The answer stands until then, if no fact changes.
    pub until: Instant,
    /// One a signal of `rule.reads.current`.
    pub guards: Vec<Guard>,
    /// Items that an `each` found, in order, with the verdict of its filter.
    pub each: Vec<(Arc<Item>, Truth)>,
    /// Rules that made a `fired today` true.
    pub fired: Vec<RuleId>,
    /// Steps left.
    pub fuel: u32,
}

impl<'a> Scope<'a> {
    /// A fresh evaluation of a rule.
    pub fn new(rules: &'a RuleSet, rule: &'a RuleDef, facts: &'a Facts<'a>) -> Self {
        Self {
            rules,
            rule,
            facts,
            bound: if rule.slots.is_empty() { Vec::new() } else { vec![None; rule.slots.len()] },
            pinned: 0,
            anchor: None,
            run: None,
            until: Instant(i64::MAX),
            guards: Vec::new(),
            each: Vec::new(),
            fired: Vec::new(),
            fuel: FUEL_MAX,
        }
    }

    /// Binds an item for good: no question may choose another for this variable.
    pub fn pin(&mut self, slot: Slot, item: Arc<Item>) {
        if let Some(place) = self.bound.get_mut(usize::from(slot.0)) {
            *place = Some(item);
            self.pinned |= 1_u64.checked_shl(u32::from(slot.0)).unwrap_or(0);
        }
    }

    /// The item that a variable must stand for, if it is pinned.
    pub(super) fn pinned_item(&self, slot: Slot) -> Option<&Arc<Item>> {
        let bit = 1_u64.checked_shl(u32::from(slot.0)).unwrap_or(0);
        if self.pinned & bit == 0 { None } else { self.item(slot) }
    }

    /// The item that a variable stands for.
    pub fn item(&self, slot: Slot) -> Option<&Arc<Item>> {
        self.bound.get(usize::from(slot.0)).and_then(Option::as_ref)
    }

    /// The zone behind a reference.
    pub fn zone(&self, zone: ZoneRef) -> Zone {
        match zone {
            ZoneRef::Named(id) => self.rules.zones.get(id.index()).map_or(self.facts.here, |def| def.zone),
            ZoneRef::Here => self.facts.here,
        }
    }

    /// The zone of calendar words that name none.
    pub fn default_zone(&self) -> Zone {
        self.zone(self.rules.default_zone)
    }

    /// Burns one step.
    pub(super) fn burn(&mut self) -> Result<(), Missing> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Missing::OutOfFuel)?;
        Ok(())
    }

    /// True when the steps are used up, so that what was not looked at is unknown.
    pub fn is_out_of_fuel(&self) -> bool {
        self.fuel == 0
    }

    /// The answer may change at this instant.
    pub(super) fn edge(&mut self, at: Instant) {
        if at > self.facts.now && at < self.until {
            self.until = at;
        }
    }

    /// The answer depends on a signal's value in a way that allows only these values.
    pub(super) fn guard(&mut self, signal: SignalId, guard: Guard) {
        let Some(place) = self.rule.reads.current.iter().position(|read| *read == signal) else { return };
        if self.guards.len() <= place {
            self.guards.resize(self.rule.reads.current.len(), Guard::OPEN);
        }
        if let Some(own) = self.guards.get_mut(place) {
            own.narrow(guard);
        }
    }

    pub(super) fn signal(&self, signal: SignalId) -> Option<&'a SignalFacts> {
        self.facts.signals.get(signal.0 as usize)
    }

    pub(super) fn stream(&self, stream: StreamId) -> Option<&'a StreamFacts> {
        self.facts.streams.get(stream.0 as usize)
    }
}
