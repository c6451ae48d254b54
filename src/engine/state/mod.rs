//! Everything the engine remembers between two steps.
//!
//! Saved and loaded whole with serde, with no loss. Bound to one rule set by position; [`State::carry`]
//! moves what still holds to another set, by name.
//!
//! INVARIANT: nothing here depends on how often or by which ticks the engine was woken.

mod carry;
mod kept;
mod ledger;
mod runs;

pub use kept::{Delivered, Kept, KeptEnd, Trigger, TriggerClass};
pub use ledger::{Consumed, Ledger};
pub use runs::{Pending, Run, Runs};

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::eval::{Arrivals, Facts, Guard, Truth};
use super::facts::{SignalFacts, StreamFacts};
use super::record::{Record, SignalId};
use super::rule_set::{QuietId, RuleId, RuleSet, ScheduleId, ZoneRef};
use super::syntax::ast::{Clock, Weekday};
use super::time::{DailyWindow, Date, DayCache, Instant, QuietWindows, ScheduleSpec, Zone};

/// Most readings that are listed as set aside; older ones are only counted.
pub const SET_ASIDE_MAX: usize = 100;

/// The engine's memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// Hash of the rule set that this state is bound to.
    pub rules: Arc<str>,
    /// The largest time seen.
    pub clock: Instant,
    /// When the first event came; `None` before it.
    pub since: Option<Instant>,
    /// Set between `down` and `restart`: what came meanwhile, in order.
    pub down: Option<Vec<Record>>,
    /// Where the person is, if a `zone` record said so.
    pub here: Option<Zone>,
    /// One a signal.
    pub signals: Vec<SignalFacts>,
    /// One a stream.
    pub streams: Vec<StreamFacts>,
    /// Last record of each stream.
    pub arrivals: Vec<Option<Instant>>,
    /// One a rule.
    pub rule_states: Vec<RuleState>,
    /// When each rule last made a trigger.
    pub fired: Vec<Option<Instant>>,
    /// Runs of each schedule.
    pub runs: Vec<Runs>,
    /// Identities, budgets, waits.
    pub ledger: Ledger,
    /// Kept triggers by number, in the order in which they were kept.
    pub kept: BTreeMap<u64, Kept>,
    /// Number of the next kept trigger.
    pub next_kept: u64,
    /// Delivered triggers that something may still come back to, by decision id.
    pub delivered: BTreeMap<Arc<str>, Delivered>,
    /// End of a snooze by rule; the empty name is all rules.
    pub snoozes: BTreeMap<Arc<str>, Instant>,
    /// End of the quiet that the person asked for.
    pub quiet_until: Option<Instant>,
    /// Readings that were set aside, newest last: when, which signal, what, why.
    pub set_aside: VecDeque<SetAside>,
    /// How many readings were set aside in all.
    pub set_aside_count: u64,
    /// Everything that is due by time, soonest first.
    pub due: BinaryHeap<Reverse<(Instant, Due)>>,
    /// Firings whose readers have not seen them yet.
    pub fresh_firings: BTreeSet<Arc<str>>,
    /// The date on which what is older than the history was last forgotten.
    pub forgotten_on: Option<Date>,
    /// Calm range of each signal: a value inside changes no verdict.
    pub calm: Vec<Calm>,
    /// Zone-bound helpers, rebuilt whenever a zone changes.
    #[serde(skip)]
    pub zones: Zones,
}

/// A reading that is kept out of all judgements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// When it was learnt.
    pub at: Instant,
    /// Which signal.
    pub signal: SignalId,
    /// The value in steps.
    pub value: super::record::Scalar,
    /// Why.
    pub reason: Arc<str>,
}

/// What can be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Due {
    /// A kept trigger's end or deadline.
    Kept(u64),
    /// A schedule's run.
    Schedule(u32),
    /// A signal goes stale.
    Stale(u32),
    /// A reading leaves a window of a signal.
    Window(u32),
    /// A rule's verdict can change.
    Rule(u32),
    /// Escalations; the ids are in `delivered`.
    Escalation,
    /// Firings of the instant before can be read.
    Fired,
}

/// Values of a signal that change nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Calm {
    /// Inside of all readers' guards, and perhaps narrower: whoever is judged narrows it by the new guard.
    pub guard: Guard,
    /// By reader of the signal, in the order of `index.current`: within these values its verdict stands.
    pub guards: Vec<Guard>,
    /// The stale edge that is in `due`, so that it is there once.
    pub stale_due: Option<Instant>,
    /// The window edge that is in `due`.
    pub window_due: Option<Instant>,
}

impl Calm {
    /// Before anything was judged.
    pub(super) fn of(readers: usize) -> Self {
        Self { guard: Guard::SHUT, guards: vec![Guard::SHUT; readers], stale_due: None, window_due: None }
    }
}

/// The memory of one rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RuleState {
    /// The last verdict that was not held open by a policy.
    pub verdict: Truth,
    /// Start of the running episode, while active.
    pub active: Option<Instant>,
    /// Evidence for `for D`.
    pub evidence: Evidence,
    /// Episodes of an `each` rule, by item.
    pub episodes: BTreeMap<Arc<str>, Instant>,
    /// Items waiting for the rule's gather schedule, with when they were learnt.
    pub pending: BTreeSet<(Instant, Arc<str>)>,
    /// Those of them whose `when` is false until then, as long as they are the same: for rules that look at
    /// nothing but their item.
    pub unfit: BTreeMap<Arc<str>, Instant>,
    /// When the rule is to be judged again by time.
    pub due: Option<Instant>,
    /// The identity that the rule would take now is known to be taken.
    pub spent: Option<Spent>,
}

impl RuleState {
    /// No item of an `each` has an episode. Nearly always there was none, and clearing an empty map costs.
    pub(super) fn forget_episodes(&mut self) {
        if !self.episodes.is_empty() {
            self.episodes.clear();
        }
    }

    /// Waiting items that are not known to be unfit, oldest first.
    pub(super) fn fit(&self, now: Instant) -> Vec<(Instant, Arc<str>)> {
        let unfit = |id: &str| self.unfit.get(id).is_some_and(|until| now < *until);
        self.pending.iter().filter(|(_, id)| !unfit(id)).cloned().collect()
    }
}

/// An identity that is taken, without its text: while it is the same, a true verdict makes no trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spent {
    /// The episode that began then.
    Episode(Instant),
    /// The date of `once per day`.
    Date(Date),
    /// The hour, week or month that began then.
    Period(Instant),
}

/// Evidence that a condition holds, for `for D`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Milliseconds known true so far, gaps left out.
    pub held_ms: i64,
    /// Up to when `held_ms` counts, while the verdict is true.
    pub true_since: Option<Instant>,
    /// Since when the verdict is unknown, while it is.
    pub gap_since: Option<Instant>,
}

/// Zone-bound helpers.
#[derive(Clone, Debug, Default)]
pub struct Zones {
    /// Dates in the default zone, around the clock.
    pub days: Option<DayCache>,
    /// Dates in the default zone, around the readings that come.
    pub readings: Option<DayCache>,
    /// Quiet windows in their present zones.
    pub quiets: Vec<QuietWindows>,
    /// Calendar schedules in their present zones.
    pub schedules: Vec<Option<ScheduleSpec>>,
    /// The zone of `here` that these were made for.
    pub here: Option<Zone>,
}

impl State {
    /// The memory before the first event.
    #[must_use]
    pub fn new(rules: &RuleSet) -> Self {
        let mut state = Self {
            rules: rules.hash.clone(),
            clock: Instant(i64::MIN),
            since: None,
            down: None,
            here: None,
            signals: rules.index.empty_signals(rules),
            streams: rules.streams.iter().map(|_| StreamFacts::default()).collect(),
            arrivals: vec![None; rules.streams.len()],
            rule_states: rules.rules.iter().map(|_| RuleState::default()).collect(),
            fired: vec![None; rules.rules.len()],
            runs: rules.schedules.iter().map(|_| Runs::default()).collect(),
            ledger: Ledger::default(),
            kept: BTreeMap::new(),
            next_kept: 0,
            delivered: BTreeMap::new(),
            snoozes: BTreeMap::new(),
            quiet_until: None,
            set_aside: VecDeque::new(),
            set_aside_count: 0,
            due: BinaryHeap::new(),
            fresh_firings: BTreeSet::new(),
            forgotten_on: None,
            calm: rules.index.current.iter().map(|readers| Calm::of(readers.len())).collect(),
            zones: Zones::default(),
        };
        state.bind_zones(rules);
        state
    }

    /// The earliest instant at which something can happen by time alone; `None` while down or when nothing
    /// is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Instant> {
        if self.down.is_some() || self.since.is_none() {
            return None;
        }
        self.due.peek().map(|Reverse((at, _))| *at)
    }

    /// The zone behind a reference.
    #[must_use]
    pub fn zone(&self, rules: &RuleSet, zone: ZoneRef) -> Zone {
        let named = |zone: ZoneRef| match zone {
            ZoneRef::Named(id) => rules.zones.get(id.index()).map(|def| def.zone),
            ZoneRef::Here => None,
        };
        named(zone).or(self.here).or_else(|| named(rules.default_zone)).unwrap_or(Zone(chrono_tz::UTC))
    }

    /// Rebuilds what depends on zones, after loading or travel.
    pub fn bind_zones(&mut self, rules: &RuleSet) {
        let zone = self.zone(rules, rules.default_zone);
        self.zones.days = Some(DayCache::new(zone));
        self.zones.readings = Some(DayCache::new(zone));
        self.zones.quiets = rules
            .quiets
            .iter()
            .map(|quiet| quiet_windows(self.zone(rules, quiet.zone), &quiet.windows))
            .collect();
        self.zones.schedules = rules
            .schedules
            .iter()
            .map(|schedule| runs::calendar(rules, schedule, self.zone(rules, schedule.zone)))
            .collect();
        self.zones.here = self.here;
    }

    /// The frozen facts of the state's clock, for asking why.
    #[must_use]
    pub fn facts(&self, rules: &RuleSet) -> Facts<'_> {
        let zone = self.zone(rules, rules.default_zone);
        let date = zone.date(self.clock);
        let next = Date(date.0.saturating_add(1));
        Facts {
            now: self.clock,
            today: (date, zone.midnight(date), zone.midnight(next)),
            here: self.zone(rules, ZoneRef::Here),
            signals: &self.signals,
            streams: &self.streams,
            arrivals: Arrivals { streams: &self.arrivals, since: self.since.unwrap_or(self.clock) },
            fired: &self.fired,
            schedules: &self.zones.schedules,
        }
    }

    /// Date in the default zone, its first instant and that of the next date.
    pub(super) fn today(&mut self, rules: &RuleSet, now: Instant) -> (Date, Instant, Instant) {
        let zone = self.zone(rules, rules.default_zone);
        let days = self.zones.days.get_or_insert_with(|| DayCache::new(zone));
        let day = days.day(now);
        (day.date, day.start, day.end)
    }

    /// Date of an instant in the default zone.
    pub(super) fn date_of(&mut self, at: Instant) -> Date {
        match &mut self.zones.readings {
            Some(days) => days.date(at),
            None => Date(0),
        }
    }

    /// Puts something on the list of what is due.
    pub(super) fn schedule_due(&mut self, at: Instant, due: Due) {
        if at < Instant(i64::MAX) {
            self.due.push(Reverse((at, due)));
        }
    }

    /// The quiet windows with this id.
    pub(super) fn quiet(&self, id: QuietId) -> Option<&QuietWindows> {
        self.zones.quiets.get(id.index())
    }

    /// The calendar schedule with this id, in its present zone.
    pub(super) fn calendar(&self, id: ScheduleId) -> Option<&ScheduleSpec> {
        self.zones.schedules.get(id.index()).and_then(Option::as_ref)
    }

    /// Gives an identity of a rule free again.
    pub(super) fn release(&mut self, rule: RuleId, identity: &str) {
        self.ledger.release(identity);
        if let Some(rule) = self.rule(rule) {
            rule.spent = None;
        }
    }

    /// The memory of a rule.
    pub(super) fn rule(&mut self, id: RuleId) -> Option<&mut RuleState> {
        self.rule_states.get_mut(id.index())
    }
}

/// Quiet windows in a zone.
fn quiet_windows(zone: Zone, windows: &[(Vec<Weekday>, Clock, Clock)]) -> QuietWindows {
    let daily = windows.iter().map(|(days, from, to)| DailyWindow {
        days: days.iter().copied().collect(),
        from: *from,
        to: *to,
    });
    QuietWindows::new(zone, daily.collect())
}
