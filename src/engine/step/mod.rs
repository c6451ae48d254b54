//! One step: an event in, decisions, effects and a trace out.
//!
//! Every time edge up to the event happens first, in order, each at its own instant. At one instant all
//! records are applied together, then everything that they or the clock can change is judged once, in the
//! order of strata, then the triggers go through the gates. Never reads a clock: the event brings the time.
//!
//! INVARIANT: `step` is a function of rule set, state and event. Extra ticks change nothing.

mod apply;
mod draft;
mod due;
mod enter;
mod hold;
mod judge;
mod release;
mod taken_back;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::decision::Line;
use super::eval::{Arrivals, Facts, Guard, Truth};
use super::facts::Item;
use super::record::{Record, RecordKind, StreamId};
use super::rule_set::{Rank, RuleDef, RuleId, RuleSet, ScheduleId};
use super::state::{Run, State, Trigger};
use super::syntax::ast::Level;
use super::time::{Date, Instant};
use super::trace::{Event as TraceEvent, Trace};

/// What the engine is told: all records that were learnt at one instant. Without records it is a tick.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The instant.
    pub at: Instant,
    /// The records, in any order.
    pub records: &'a [Record],
}

/// What a step says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Lines of the log, in order.
    pub lines: Vec<Line>,
    /// What the outside is to do.
    pub effects: Vec<Effect>,
    /// What happened.
    pub trace: Trace,
}

/// Something for the outside to do, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// Hand a message over.
    HandOver {
        /// Id of the message.
        message: Arc<str>,
        /// Decisions that it carries.
        decisions: Vec<Arc<str>>,
        /// The loudest of their levels.
        level: Level,
    },
}

/// Runs the engine up to an event and through it.
pub fn step(rules: &RuleSet, state: &mut State, event: Event<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    step_into(rules, state, event, &mut outcome);
    outcome
}

/// As [`step`], into an outcome that is emptied first: for replaying millions of events.
pub fn step_into(rules: &RuleSet, state: &mut State, event: Event<'_>, outcome: &mut Outcome) {
    outcome.lines.clear();
    outcome.effects.clear();
    outcome.trace.clear();
    let restarts = event.records.iter().any(|record| matches!(record.kind, RecordKind::Restart));
    let at = event.at.max(state.clock);
    if state.since.is_none() {
        Settle::new(rules, state, outcome, at).begin();
    }
    if let Some(waiting) = &mut state.down {
        waiting.extend_from_slice(event.records);
        if !restarts {
            return;
        }
        let records = state.down.take().unwrap_or_default();
        let mut settle = Settle::new(rules, state, outcome, at);
        settle.credit_evidence_over_downtime();
        settle.run(&records);
        return;
    }
    while let Some(due) = state.next_due().filter(|due| *due < at) {
        Settle::new(rules, state, outcome, due).run(&[]);
    }
    Settle::new(rules, state, outcome, at).run(event.records);
    while state.next_due().is_some_and(|due| due <= at) {
        Settle::new(rules, state, outcome, at).run(&[]);
    }
    if !restarts && event.records.iter().any(|record| matches!(record.kind, RecordKind::Down)) {
        state.down = Some(Vec::new());
    }
}

/// As [`step_into`], but hands out what each instant says before the next one: however long the time up to
/// the event is, what it brings is never held in memory together.
///
/// # Errors
/// The first one of `each`; the state is then that of the instant which it was told of.
pub fn step_each<E>(
    rules: &RuleSet,
    state: &mut State,
    event: Event<'_>,
    outcome: &mut Outcome,
    mut each: impl FnMut(&mut Outcome) -> Result<(), E>,
) -> Result<(), E> {
    while let Some(due) = state.next_due().filter(|due| *due < event.at) {
        step_into(rules, state, Event { at: due, records: &[] }, outcome);
        each(outcome)?;
    }
    step_into(rules, state, event, outcome);
    each(outcome)
}

/// One instant being settled.
struct Settle<'a> {
    rules: &'a RuleSet,
    state: &'a mut State,
    out: &'a mut Outcome,
    now: Instant,
    /// Date in the default zone, its first instant and that of the next date.
    today: (Date, Instant, Instant),
    /// Rules to be judged, by rank.
    dirty: RankSet,
    /// New items, to be judged once, by every rule of the stream or by one alone.
    new_items: Vec<(StreamId, Arc<Item>, Option<RuleId>)>,
    /// Runs that happen now: schedule, run, how late.
    runs: Vec<(ScheduleId, Run, Option<i64>)>,
    /// Guards of the judgement.
    guards: Vec<Guard>,
    /// Items that the `each` of the judgement found, with the verdict of its filter.
    each: Vec<(Arc<Item>, Truth)>,
    /// How many lines there were before: only what is made now is looked at.
    before: usize,
    /// Triggers to go through the gates: trigger, deadline.
    candidates: Vec<(Trigger, Instant)>,
}

impl<'a> Settle<'a> {
    fn new(rules: &'a RuleSet, state: &'a mut State, out: &'a mut Outcome, now: Instant) -> Self {
        state.clock = now;
        let today = state.today(rules, now);
        let before = out.lines.len();
        Self {
            rules,
            state,
            out,
            now,
            today,
            dirty: RankSet::default(),
            new_items: Vec::new(),
            runs: Vec::new(),
            guards: Vec::new(),
            each: Vec::new(),
            before,
            candidates: Vec::new(),
        }
    }

    /// The first instant: schedules begin, every rule is judged once.
    fn begin(&mut self) {
        self.state.since = Some(self.now);
        self.schedule_calendars(Instant(self.now.0.saturating_sub(1)), |_| true);
        let ranks = self.rules.index.order.len();
        // The judging itself happens with the event's records, so that they count.
        for rank in 0..ranks {
            if let Some(rule) = self.rules.index.order.get(rank) {
                self.set_rule_due(*rule, Some(self.now));
            }
        }
    }

    fn run(&mut self, records: &[Record]) {
        let mut due = self.take_due();
        self.apply_all(records);
        // A record may end a wait now.
        due.extend(self.take_due());
        let released = self.handle_due(due);
        // An escalation is a candidate already.
        let idle = self.dirty.is_empty() && self.runs.is_empty() && self.new_items.is_empty();
        if idle && released.is_empty() && self.candidates.is_empty() {
            return;
        }
        self.out.trace.push(TraceEvent::At(self.now));
        self.judge_all();
        self.release_all(released);
        self.enter_all();
        self.forget();
    }

    fn judge_all(&mut self) {
        let mut next = self.dirty.first_from(0);
        while let Some(rank) = next {
            self.dirty.remove(rank);
            if let Some(rule) = self.rules.index.order.get(rank as usize) {
                self.judge(*rule);
            }
            // A firing marks readers of higher ranks only, so going up is enough.
            next = self.dirty.first_from(rank);
        }
    }

    fn rule_def(&self, id: RuleId) -> Option<&'a RuleDef> {
        self.rules.rules.get(id.index())
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            now: self.now,
            today: self.today,
            here: self.state.zone(self.rules, crate::engine::rule_set::ZoneRef::Here),
            signals: &self.state.signals,
            streams: &self.state.streams,
            arrivals: Arrivals { streams: &self.state.arrivals, since: self.state.since.unwrap_or(self.now) },
            fired: &self.state.fired,
            schedules: &self.state.zones.schedules,
        }
    }

    fn mark(&mut self, ranks: &[Rank]) {
        for rank in ranks {
            self.dirty.insert(*rank);
        }
    }

    fn mark_rule(&mut self, id: RuleId) {
        if let Some(rank) = self.rules.index.rank.get(id.index()) {
            self.dirty.insert(*rank);
        }
    }
}

/// A small set of ranks that is walked upwards while it grows.
#[derive(Debug, Default)]
struct RankSet {
    words: Vec<u64>,
}

impl RankSet {
    fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    fn insert(&mut self, rank: Rank) {
        let word = (rank / 64) as usize;
        if self.words.len() <= word {
            self.words.resize(word.saturating_add(1), 0);
        }
        if let Some(bits) = self.words.get_mut(word) {
            *bits |= 1 << (rank % 64);
        }
    }

    fn remove(&mut self, rank: Rank) {
        if let Some(bits) = self.words.get_mut((rank / 64) as usize) {
            *bits &= !(1 << (rank % 64));
        }
    }

    fn first_from(&self, rank: Rank) -> Option<Rank> {
        let first = (rank / 64) as usize;
        let mut mask = u64::MAX << (rank % 64);
        for (word, bits) in self.words.iter().enumerate().skip(first) {
            let found = bits & mask;
            if found != 0 {
                let word = Rank::try_from(word).ok()?;
                return word.checked_mul(64)?.checked_add(found.trailing_zeros());
            }
            mask = u64::MAX;
        }
        None
    }
}
