//! Judging one rule: its verdict, whether it is active, and the triggers that follow.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Settle;
use super::draft::Draft;
use super::hold::{self, Held};
use crate::engine::eval::{Guard, Scope, Truth};
use crate::engine::facts::{Item, SignalFacts};
use crate::engine::record::SignalId;
use crate::engine::rule_set::{Cause, Gather, Hold, Key, RuleDef, RuleId, ScheduleId, Slot};
use crate::engine::state::{Run, Spent, TriggerClass};
use crate::engine::syntax::ast::{Length, Period, UnknownPolicy};
use crate::engine::time::{Date, Instant, period_of};
use crate::engine::trace::Event as TraceEvent;

/// What an evaluation of `when` found.
pub(super) struct Found {
    /// The verdict, each line in the trace.
    pub(super) verdict: Truth,
    /// Items of an `each`, with the verdict of its filter.
    each: Vec<(Arc<Item>, Truth)>,
}

/// What all clauses of a rule of facts say now.
struct Weighed {
    verdict: Truth,
    /// It stands until then by time alone.
    until: Instant,
    /// `clear when` is true, or `when` false where there is none.
    cleared: bool,
    /// `for N days` held on each of its dates.
    dates_hold: bool,
}

impl Settle<'_> {
    pub(super) fn judge(&mut self, id: RuleId) {
        let Some(rule) = self.rule_def(id) else { return };
        if rule.off {
            return;
        }
        match rule.cause {
            Cause::State => self.judge_state(id, rule),
            Cause::Item(stream) if rule.gather.is_none() => {
                let items: Vec<_> = self
                    .new_items
                    .iter()
                    .filter(|(of, item, only)| {
                        *of == stream && only.is_none_or(|only| only == id) && self.sees(rule, stream, item)
                    })
                    .map(|(_, item, _)| item.clone())
                    .collect();
                for item in items {
                    self.judge_item(id, rule, &item);
                }
            }
            Cause::Item(_) => {}
            Cause::Schedule(schedule) => {
                for (run, late) in self.runs_of(schedule) {
                    self.judge_run(id, rule, &run, late);
                }
            }
        }
        if let Some(Gather::Items { at, .. }) = rule.gather {
            for (run, late) in self.runs_of(at) {
                self.gather(id, rule, &run, late);
            }
        }
    }

    fn runs_of(&self, schedule: ScheduleId) -> Vec<(Run, Option<i64>)> {
        let runs = self.runs.iter().filter(|(of, _, _)| *of == schedule);
        runs.map(|(_, run, late)| (run.clone(), *late)).collect()
    }

    /// A rule that is true or not: `for`, episodes, `clear when`.
    fn judge_state(&mut self, id: RuleId, rule: &RuleDef) {
        let active = self.state.rule_states.get(id.index()).is_some_and(|state| state.active.is_some());
        let first_line = self.out.trace.lines.len();
        let weighed = self.weigh(rule, active);
        let verdict = self.after_policy(id, rule, weighed.verdict);
        let cleared = weighed.cleared && !(rule.clear.is_none() && verdict != Truth::False);
        let matures = self.advance_episode(id, rule, verdict, (cleared, weighed.dates_hold));
        let is_active = self.state.rule_states.get(id.index()).is_some_and(|state| state.active.is_some());
        self.note(id, verdict, is_active, first_line);
        // A hold may be complete at the instant at which its last value goes stale.
        let begun = is_active && !active;
        if is_active && (verdict.is_true() || begun) {
            self.trigger_state(id, rule);
        } else if !is_active && let Some(state) = self.state.rule(id) {
            state.forget_episodes();
        }
        let turns = self.key_turns(rule, is_active);
        let due = [Some(weighed.until), matures, turns].into_iter().flatten().min();
        self.store_guards(id, rule);
        self.set_rule_due(id, due);
    }

    /// Evaluates all that a rule of facts says; leaves the items of its `each`, and the guards, which are
    /// those of `when` and of `clear when` together.
    fn weigh(&mut self, rule: &RuleDef, active: bool) -> Weighed {
        // Their room is used again, since a step may judge every rule of a large set.
        let (guards, mut lines) =
            (std::mem::take(&mut self.guards), std::mem::take(&mut self.out.trace.lines));
        let facts = self.facts();
        let mut scope = Scope::new(self.rules, rule, &facts);
        scope.guards = guards;
        scope.guards.clear();
        scope.guards.resize(rule.reads.current.len(), Guard::OPEN);
        let dates = dates_of(rule);
        scope.anchor = dates.and_then(|_| newest_date(&scope));
        let found = evaluate(&mut scope, rule, |line| lines.push(line));
        let dates_hold = dates.is_some_and(|count| held_on_dates(&mut scope, rule, found.verdict, count));
        let cleared = match (&rule.clear, active) {
            (Some(clear), true) => scope.line(clear).is_true(),
            (None, true) => found.verdict == Truth::False,
            (_, false) => false,
        };
        if acts(rule, found.verdict) {
            // Another value of the key is another trigger, although the verdict stands.
            for key in &rule.once_per {
                if let Key::Value(value) = key {
                    let _ = scope.value(value);
                }
            }
        }
        let (verdict, until) = (found.verdict, scope.until);
        (self.guards, self.each) = (std::mem::take(&mut scope.guards), found.each);
        self.out.trace.lines = lines;
        Weighed { verdict, until, cleared, dates_hold }
    }

    /// An unknown verdict after the rule's policy; remembers the last known one.
    fn after_policy(&mut self, id: RuleId, rule: &RuleDef, verdict: Truth) -> Truth {
        let Some(state) = self.state.rule(id) else { return verdict };
        let verdict = match (verdict, rule.unknown) {
            (Truth::Unknown, UnknownPolicy::Fire) => Truth::True,
            (Truth::Unknown, UnknownPolicy::Keep) => state.verdict,
            _ => verdict,
        };
        if verdict != Truth::Unknown {
            state.verdict = verdict;
        }
        verdict
    }

    /// Arms or clears the rule; returns when its evidence matures.
    fn advance_episode(
        &mut self,
        id: RuleId,
        rule: &RuleDef,
        verdict: Truth,
        (cleared, dates_hold): (bool, bool),
    ) -> Option<Instant> {
        let now = self.now;
        let state = self.state.rule(id)?;
        let held = match rule.hold {
            Some((Hold::Exact(length), _)) => hold::weigh(&mut state.evidence, verdict, now, length),
            Some((Hold::Dates(_), _)) => Held { enough: dates_hold, matures: None },
            None => Held { enough: verdict.is_true(), matures: None },
        };
        if cleared {
            state.active = None;
            state.forget_episodes();
        } else if state.active.is_none() && held.enough {
            state.active = Some(now);
        }
        held.matures
    }

    /// When the value of `once per` can change by the clock alone.
    fn key_turns(&self, rule: &RuleDef, active: bool) -> Option<Instant> {
        if !active {
            return None;
        }
        let zone = self.state.zone(self.rules, self.rules.default_zone);
        // A day is the newest value's date, as soon as there is a value.
        let known = |signal: &SignalId| self.state.signals.get(signal.0 as usize)?.newest_date();
        let dated = rule.reads.dated.iter().any(|signal| known(signal).is_some());
        let periods = rule.once_per.iter().filter_map(|key| match key {
            Key::Period(Period::Day) if dated => None,
            Key::Period(Period::Day) => Some(self.today.2),
            Key::Period(period) => Some(period_of(zone, self.now, *period).1),
            Key::Item(_) | Key::Value(_) => None,
        });
        periods.min()
    }

    fn store_guards(&mut self, id: RuleId, rule: &RuleDef) {
        let places = self.rules.index.guard_places.get(id.index()).into_iter().flatten();
        for ((signal, guard), place) in rule.reads.current.iter().zip(&self.guards).zip(places) {
            let Some(calm) = self.state.calm.get_mut(signal.0 as usize) else { continue };
            calm.guard.narrow(*guard);
            if let Some(own) = calm.guards.get_mut(*place) {
                *own = *guard;
            }
        }
    }

    /// The judgement's event; the verdicts of its lines are in the trace from `first_line` on.
    pub(super) fn note(&mut self, rule: RuleId, verdict: Truth, active: bool, first_line: usize) {
        let lines = u32::try_from(first_line).unwrap_or(u32::MAX);
        self.out.trace.push(TraceEvent::Judged { rule, verdict, active, lines });
    }

    /// What tells the identity that the rule would take now from the last one, where that is cheap to know:
    /// without `once per` and with one calendar period.
    fn spendable(&self, rule: &RuleDef, active: Option<Instant>) -> Option<Spent> {
        match rule.once_per.as_slice() {
            [] => active.map(Spent::Episode),
            [Key::Period(Period::Day)] => {
                Some(Spent::Date(newest_dated(rule, &self.state.signals).unwrap_or(self.today.0)))
            }
            [Key::Period(period)] => {
                let zone = self.state.zone(self.rules, self.rules.default_zone);
                Some(Spent::Period(period_of(zone, self.now, *period).0))
            }
            _ => None,
        }
    }

    fn trigger_state(&mut self, id: RuleId, rule: &RuleDef) {
        let Some(slot) = rule.each else {
            let state = self.state.rule_states.get(id.index());
            let (active, spent) = state.map(|state| (state.active, state.spent)).unwrap_or_default();
            let now = self.spendable(rule, active);
            if now.is_some() && now == spent {
                return;
            }
            if let Some(state) = self.state.rule(id) {
                state.spent = now;
            }
            let draft = self.draft(rule, &Draft::default(), |settle, scope, draft| {
                settle.state_identity(id, scope, draft, None)
            });
            self.commit(id, draft, TriggerClass::Record);
            return;
        };
        let each = std::mem::take(&mut self.each);
        let acts = |verdict: Truth| verdict.is_true() || rule.unknown == UnknownPolicy::Fire;
        let now = self.now;
        if let Some(state) = self.state.rule(id) {
            let still: BTreeSet<&str> = each.iter().map(|(item, _)| &*item.id).collect();
            state.episodes.retain(|known, _| still.contains(&**known));
            for (item, _) in each.iter().filter(|(_, verdict)| acts(*verdict)) {
                state.episodes.entry(item.id.clone()).or_insert(now);
            }
        }
        for (item, _) in each.iter().filter(|(_, verdict)| acts(*verdict)) {
            let start = Draft { pins: vec![(slot, item.clone())], ..Draft::default() };
            let draft = self.draft(rule, &start, |settle, scope, draft| {
                settle.state_identity(id, scope, draft, Some(item))
            });
            self.commit(id, draft, TriggerClass::Record);
        }
    }

    /// A rule about a new item: judged once.
    fn judge_item(&mut self, id: RuleId, rule: &RuleDef, item: &Arc<Item>) {
        let pins = vec![(Slot(0), item.clone())];
        let (verdict, _) = self.judge_pinned(id, rule, &pins, None);
        if acts(rule, verdict) {
            let start = Draft { pins, occurrence: Some(item.id.clone()), ..Draft::default() };
            let draft = self.draft(rule, &start, Settle::keyed_identity);
            self.commit(id, draft, TriggerClass::Record);
        }
    }

    /// A rule of a schedule: judged at each run.
    fn judge_run(&mut self, id: RuleId, rule: &RuleDef, run: &Run, late: Option<i64>) {
        let Some(pins) = self.pins_of(rule, run) else { return };
        let (verdict, _) = self.judge_pinned(id, rule, &pins, Some(run.at));
        if acts(rule, verdict) {
            let per = run.item.iter().cloned().collect();
            let occurrence = Some(self.instant_text(run.at));
            let start = Draft {
                pins,
                occurrence,
                per,
                late,
                run: Some(run.at),
                gathers_text: true,
                ..Draft::default()
            };
            let draft = self.draft(rule, &start, Settle::keyed_identity);
            self.commit(id, draft, TriggerClass::Schedule);
        }
    }

    /// The item that a run comes before; `None` when it is gone.
    fn pins_of(&self, rule: &RuleDef, run: &Run) -> Option<Vec<(Slot, Arc<Item>)>> {
        let Some(id) = &run.item else { return Some(Vec::new()) };
        let stream = rule.slots.first().map(|(_, stream)| *stream);
        // Without `as`, the rule does not look at the item.
        let Some(stream) = stream else { return Some(Vec::new()) };
        let item = self.state.streams.get(stream.0 as usize)?.get(id)?.clone();
        Some(vec![(Slot(0), item)])
    }

    /// The verdict with these items bound, and until when it stands by time alone.
    fn judge_pinned(
        &mut self,
        id: RuleId,
        rule: &RuleDef,
        pins: &[(Slot, Arc<Item>)],
        run: Option<Instant>,
    ) -> (Truth, Instant) {
        let mut lines = std::mem::take(&mut self.out.trace.lines);
        let first_line = lines.len();
        let facts = self.facts();
        let mut scope = Scope::new(self.rules, rule, &facts);
        scope.run = run;
        for (slot, item) in pins {
            scope.pin(*slot, item.clone());
        }
        let verdict = evaluate(&mut scope, rule, |line| lines.push(line)).verdict;
        let until = scope.until;
        self.out.trace.lines = lines;
        self.note(id, verdict, false, first_line);
        (verdict, until)
    }

    /// Items that wait and for which `when` is true now become one trigger.
    fn gather(&mut self, id: RuleId, rule: &RuleDef, run: &Run, late: Option<i64>) {
        if self.state.kept.values().any(|kept| kept.trigger.rule == id) {
            return;
        }
        let items = self.gathered_now(id, rule, None);
        if items.is_empty() {
            return;
        }
        let occurrence = Some(self.instant_text(run.at));
        let start = Draft { occurrence, late, gathered: Some(items), ..Draft::default() };
        let draft = self.draft(rule, &start, Settle::keyed_identity);
        self.commit(id, draft, TriggerClass::Schedule);
    }

    /// Waiting items that qualify, oldest first unless the rule says otherwise; `among` limits them to those
    /// of a kept trigger. What is gone or waited beyond `expires` is forgotten.
    pub(super) fn gathered_now(
        &mut self,
        id: RuleId,
        rule: &RuleDef,
        among: Option<&[Arc<str>]>,
    ) -> Vec<Arc<Item>> {
        let Some(Gather::Items { at_most, newest_first, .. }) = rule.gather else { return Vec::new() };
        let Some((_, stream)) = rule.slots.first() else { return Vec::new() };
        let limit = at_most.map_or(usize::MAX, |most| most as usize);
        let alone = rule.reads.is_nothing();
        let now = self.now;
        let mut waiting: Vec<_> = self.state.rule(id).map(|state| state.fit(now)).unwrap_or_default();
        if newest_first {
            waiting.reverse();
        }
        let (mut found, mut over) = (Vec::new(), Vec::new());
        for (learnt, item_id) in waiting {
            let item =
                self.state.streams.get(stream.0 as usize).and_then(|items| items.get(&item_id)).cloned();
            let expired =
                matches!(rule.expires, Some(Length::Exact(ms)) if self.now.0.saturating_sub(learnt.0) >= ms);
            match item.filter(|_| !expired) {
                None => over.push((learnt, item_id)),
                Some(item) if found.len() < limit && among.is_none_or(|ids| ids.contains(&item_id)) => {
                    let (verdict, until) = self.judge_pinned(id, rule, &[(Slot(0), item.clone())], None);
                    if acts(rule, verdict) {
                        found.push(item);
                    } else if alone && let Some(state) = self.state.rule(id) {
                        state.unfit.insert(item_id, until);
                    }
                }
                Some(_) => {}
            }
        }
        if let Some(state) = self.state.rule(id) {
            for gone in over {
                state.unfit.remove(&gone.1);
                state.pending.remove(&gone);
            }
        }
        found
    }
}

/// True when a verdict makes a rule act.
pub(super) fn acts(rule: &RuleDef, verdict: Truth) -> bool {
    verdict.is_true() || (verdict == Truth::Unknown && rule.unknown == UnknownPolicy::Fire)
}

/// The verdict of `when`; a rule without one is true.
/// Tells the verdict of each line.
pub(super) fn evaluate(scope: &mut Scope<'_>, rule: &RuleDef, mut tell: impl FnMut(Truth)) -> Found {
    let mut verdict = if rule.when_any && !rule.when.is_empty() { Truth::False } else { Truth::True };
    for line in &rule.when {
        let line = scope.line(line);
        tell(line);
        verdict = if rule.when_any { verdict.or(line) } else { verdict.and(line) };
    }
    Found { verdict, each: std::mem::take(&mut scope.each) }
}

fn dates_of(rule: &RuleDef) -> Option<u32> {
    match rule.hold {
        Some((Hold::Dates(count), _)) => Some(count),
        _ => None,
    }
}

/// The newest date of the daily and nightly signals that a rule reads.
pub(super) fn newest_date(scope: &Scope<'_>) -> Option<Date> {
    newest_dated(scope.rule, scope.facts.signals)
}

fn newest_dated(rule: &RuleDef, signals: &[SignalFacts]) -> Option<Date> {
    let dated = rule.reads.dated.iter();
    dated.filter_map(|signal| signals.get(signal.0 as usize)?.newest_date()).max()
}

/// True when the condition held on so many consecutive dates, the newest one included; a date without a value
/// starts over.
fn held_on_dates(scope: &mut Scope<'_>, rule: &RuleDef, newest: Truth, count: u32) -> bool {
    let Some(anchor) = scope.anchor else { return false };
    let mut held = newest.is_true();
    for back in 1..i32::try_from(count).unwrap_or(i32::MAX) {
        if !held {
            break;
        }
        scope.anchor = Some(Date(anchor.0.saturating_sub(back)));
        held = evaluate(scope, rule, |_| {}).verdict.is_true();
    }
    scope.anchor = Some(anchor);
    held
}
