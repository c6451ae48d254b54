//! Records become facts. Nothing is judged here, only marked.

use std::sync::Arc;

use super::Settle;
use crate::engine::eval::Guard;
use crate::engine::facts::{Item, ItemSpan, Upsert};
use crate::engine::record::{Field, Record, RecordKind, Scalar, SignalId, StreamId};
use crate::engine::rule_set::{RULES_FIRED, RuleDef, ScheduleDefKind, ScheduleId, ZoneRef};
use crate::engine::state::{Due, Run, SET_ASIDE_MAX, SetAside};
use crate::engine::time::{Date, Instant, MS_PER_DAY, Zone};
use crate::engine::trace::Event as TraceEvent;
use crate::engine::value::Value;

/// A reading may claim to be this much younger than its record; clocks differ.
const FUTURE_MS_MAX: i64 = 5 * 60 * 1000;

impl Settle<'_> {
    pub(super) fn apply_all(&mut self, records: &[Record]) {
        for record in records {
            self.apply(record);
        }
    }

    fn apply(&mut self, record: &Record) {
        match &record.kind {
            RecordKind::Reading { signal, observed, value } => {
                self.apply_reading(*signal, record.at, *observed, value);
            }
            RecordKind::Item { stream, id, observed, fields } => {
                self.apply_item(*stream, id, observed.unwrap_or(record.at), fields);
            }
            RecordKind::Removed { stream, id } => self.remove_item(*stream, id),
            RecordKind::Zone(zone) => self.travel(*zone),
            RecordKind::Snooze { rule, until } => {
                let key = rule.clone().unwrap_or_default();
                self.state.snoozes.insert(key, *until);
                self.move_waits();
            }
            RecordKind::Quiet { until } => {
                self.state.quiet_until = Some(*until);
                self.move_waits();
            }
            RecordKind::Seen(id) => {
                // Who saw an escalation saw what it repeats.
                for id in id.split('/').next().into_iter().chain([&**id]) {
                    if let Some(delivered) = self.state.delivered.get_mut(id) {
                        delivered.seen = true;
                    }
                }
            }
            RecordKind::HandoverFailed(id) => self.take_back(id),
            RecordKind::Rejected(terms) => {
                self.state.ledger.rejected.insert(terms.clone());
            }
            RecordKind::Approved(terms) => {
                self.state.ledger.rejected.remove(terms);
            }
            RecordKind::Feedback { .. }
            | RecordKind::Missed(_)
            | RecordKind::Down
            | RecordKind::Restart
            | RecordKind::Tick => {}
        }
    }

    fn apply_reading(&mut self, signal: SignalId, at: Instant, observed: Instant, value: &Scalar) {
        let place = signal.0 as usize;
        let Some(def) = self.rules.signals.get(place) else { return };
        if let Some(reason) = set_aside_reason(def.range, at, observed, value) {
            self.set_aside(signal, at, value, reason);
            return;
        }
        let date = self.state.date_of(observed);
        let Some(facts) = self.state.signals.get_mut(place) else { return };
        let change = facts.insert(observed, at, value, date);
        let silence = self.rules.index.silence.get(place).map_or(&[][..], Vec::as_slice);
        self.mark(silence);
        if change.history {
            let readers = self.rules.index.history.get(place).map_or(&[][..], Vec::as_slice);
            self.mark(readers);
        }
        if change.current {
            self.mark_readers(signal, value);
            self.watch_stale(signal);
        }
        if self.rules.index.moving.get(place) == Some(&true) {
            if at < self.now {
                // Learnt while down: what has left a window since then must not count.
                self.advance_windows(signal);
            } else if change.edges || self.state.calm.get(place).is_some_and(|calm| calm.window_due.is_none())
            {
                self.watch_windows(signal);
            }
        }
    }

    /// Marks the readers whose verdict a new current value can change.
    fn mark_readers(&mut self, signal: SignalId, value: &Scalar) {
        let place = signal.0 as usize;
        let Scalar::Fixed(steps) = value else {
            self.mark_current(signal);
            return;
        };
        let readers = self.rules.index.current.get(place).map_or(&[][..], Vec::as_slice);
        let Some(calm) = self.state.calm.get_mut(place) else { return };
        if calm.guard.holds(*steps) {
            return;
        }
        calm.guard = Guard::OPEN;
        for (rank, guard) in readers.iter().zip(&calm.guards) {
            if guard.holds(*steps) {
                calm.guard.narrow(*guard);
            } else {
                // Its new guard narrows the range when it is judged.
                self.dirty.insert(*rank);
            }
        }
    }

    fn set_aside(&mut self, signal: SignalId, at: Instant, value: &Scalar, reason: &'static str) {
        self.out.trace.push(TraceEvent::SetAside { signal, reason });
        self.state.set_aside_count = self.state.set_aside_count.saturating_add(1);
        if self.state.set_aside.len() >= SET_ASIDE_MAX {
            self.state.set_aside.pop_front();
        }
        self.state.set_aside.push_back(SetAside { at, signal, value: value.clone(), reason: reason.into() });
    }

    fn apply_item(&mut self, stream: StreamId, id: &Arc<str>, seen: Instant, fields: &Arc<[Option<Field>]>) {
        let place = stream.0 as usize;
        let span = self.span_of(stream, seen, fields);
        if let Some(arrival) = self.state.arrivals.get_mut(place) {
            *arrival = Some(self.now);
        }
        let kept = i64::from(self.rules.history_days).saturating_mul(MS_PER_DAY);
        if span.end.0 < self.now.0.saturating_sub(kept) {
            // Older than the history: it may have been judged and forgotten.
            return;
        }
        let Some(items) = self.state.streams.get_mut(place) else { return };
        let upsert = items.upsert(id, fields, self.now, span);
        if upsert == Upsert::Same {
            return;
        }
        let item = items.get(id).cloned();
        let readers = self.rules.index.streams.get(place).map_or(&[][..], Vec::as_slice);
        self.mark(readers);
        self.schedule_before(stream, id, Some(span.start));
        for rule in self.rules.index.item_rules(stream) {
            if let Some(state) = self.state.rule(*rule) {
                state.unfit.remove(id);
            }
        }
        if let (Upsert::New, Some(item)) = (upsert, item) {
            self.greet(stream, item);
        }
    }

    /// A new item waits for its gather schedule, or is judged now.
    pub(super) fn greet(&mut self, stream: StreamId, item: Arc<Item>) {
        for rule in self.rules.index.item_rules(stream) {
            let Some(def) = self.rule_def(*rule).filter(|def| self.sees(def, stream, &item)) else {
                continue;
            };
            if def.gather.is_some() {
                if let Some(state) = self.state.rule(*rule) {
                    state.pending.insert((item.learnt, item.id.clone()));
                }
            } else {
                self.mark_rule(*rule);
            }
        }
        self.new_items.push((stream, item, None));
    }

    /// Firings are not for everyone; other items are.
    pub(super) fn sees(&self, rule: &RuleDef, stream: StreamId, item: &Item) -> bool {
        match item.fields.first() {
            Some(Some(Value::Text(of))) if stream == RULES_FIRED => self.rules.sees_firing(rule, of),
            _ => true,
        }
    }

    /// When an item is: by its stream's `timed` fields, else when it was seen.
    fn span_of(&self, stream: StreamId, seen: Instant, fields: &[Option<Field>]) -> ItemSpan {
        let timed = self.rules.streams.get(stream.0 as usize).and_then(|def| def.timed);
        let Some((start, end)) = timed else { return ItemSpan { start: seen, end: seen } };
        let zone = self.state.zone(self.rules, self.rules.default_zone);
        let field = |at: usize| fields.get(at).and_then(Option::as_ref);
        let (start, whole_day) = match field(start) {
            Some(Value::Instant(at)) => (*at, None),
            Some(Value::Date(date)) => (zone.midnight(*date), Some(Date(date.0.saturating_add(1)))),
            _ => (seen, None),
        };
        let end = match end.and_then(field) {
            Some(Value::Instant(at)) => *at,
            Some(Value::Date(date)) => zone.midnight(*date),
            _ => whole_day.map_or(start, |next| zone.midnight(next)),
        };
        ItemSpan { start, end: end.max(start) }
    }

    fn remove_item(&mut self, stream: StreamId, id: &Arc<str>) {
        let place = stream.0 as usize;
        if let Some(arrival) = self.state.arrivals.get_mut(place) {
            *arrival = Some(self.now);
        }
        if !self.state.streams.get_mut(place).is_some_and(|items| items.remove(id)) {
            return;
        }
        let readers = self.rules.index.streams.get(place).map_or(&[][..], Vec::as_slice);
        self.mark(readers);
        self.schedule_before(stream, id, None);
    }

    /// Runs before an item follow its start; a gone item has none.
    fn schedule_before(&mut self, stream: StreamId, id: &Arc<str>, start: Option<Instant>) {
        let schedules = self.rules.index.before.get(stream.0 as usize).map_or(&[][..], Vec::as_slice);
        for place in schedules {
            let Ok(schedule) = u32::try_from(*place) else { continue };
            let Some(ScheduleDefKind::Before(ms, _)) = self.rules.schedules.get(*place).map(|def| &def.kind)
            else {
                continue;
            };
            let run =
                start.map(|start| Run { at: Instant(start.0.saturating_sub(*ms)), item: Some(id.clone()) });
            let Some(runs) = self.state.runs.get_mut(*place) else { continue };
            runs.forget_before(id);
            let Some(run) = run.filter(|run| !runs.ran.contains(run)) else { continue };
            if run.at >= self.now {
                runs.expect(run.clone());
                if run.at > self.now {
                    self.state.schedule_due(run.at, Due::Schedule(schedule));
                } else {
                    self.take_run(ScheduleId(schedule), run);
                }
            } else if start.is_some_and(|start| start > self.now)
                && self.now < self.grace(ScheduleId(schedule), run.at)
            {
                // Learnt after its moment, but within the grace: one late run.
                self.take_run(ScheduleId(schedule), run);
            }
        }
    }

    fn take_run(&mut self, schedule: ScheduleId, run: Run) {
        if let Some(runs) = self.state.runs.get_mut(schedule.index()) {
            runs.happen(&run);
        }
        self.run_or_miss(schedule, run);
    }

    fn travel(&mut self, zone: Zone) {
        if self.state.here == Some(zone) {
            return;
        }
        self.settle_missed_here();
        self.state.here = Some(zone);
        self.state.bind_zones(self.rules);
        for rule in &mut self.state.rule_states {
            // What is false on the clock of one place may be true on another's.
            rule.unfit.clear();
        }
        self.today = self.state.today(self.rules, self.now);
        // A run at this very instant is the new place's.
        self.schedule_calendars(Instant(self.now.0.saturating_sub(1)), |zone| zone == ZoneRef::Here);
        for rank in 0..self.rules.index.order.len() {
            let Some(id) = self.rules.index.order.get(rank).copied() else { continue };
            let reads_state =
                self.rule_def(id).is_some_and(|rule| rule.cause == crate::engine::rule_set::Cause::State);
            if reads_state {
                self.mark_rule(id);
            }
        }
        self.move_waits();
    }

    /// What was missed at the old place, while down, is missed or caught up before its schedules move on.
    fn settle_missed_here(&mut self) {
        for (place, def) in (0_u32..).zip(&self.rules.schedules) {
            let next = self.state.runs.get(place as usize).and_then(|runs| runs.next);
            if let Some(missed) = next.filter(|next| def.zone == ZoneRef::Here && *next < self.now) {
                self.run_schedule(ScheduleId(place), missed);
            }
        }
    }
}

fn set_aside_reason(
    range: Option<(i64, i64)>,
    at: Instant,
    observed: Instant,
    value: &Scalar,
) -> Option<&'static str> {
    if observed.0.saturating_sub(at.0) > FUTURE_MS_MAX {
        return Some("observed after it was learnt");
    }
    match (range, value) {
        (Some((low, high)), Scalar::Fixed(steps)) if *steps < low || *steps > high => {
            Some("outside its range")
        }
        _ => None,
    }
}
