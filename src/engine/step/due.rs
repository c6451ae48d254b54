//! What time alone brings: runs of schedules, stale signals, windows that lose a reading, kept triggers.

use std::cmp::Reverse;
use std::sync::Arc;

use super::Settle;
use crate::engine::decision::Line;
use crate::engine::record::SignalId;
use crate::engine::rule_set::{RuleId, ScheduleDefKind, ScheduleId, ZoneRef};
use crate::engine::state::{Due, Run};
use crate::engine::time::{Instant, late_deadline};
use crate::engine::trace::Event as TraceEvent;

impl Settle<'_> {
    /// Takes everything that is due by now off the list.
    pub(super) fn take_due(&mut self) -> Vec<(Instant, Due)> {
        let mut due = Vec::new();
        while let Some(Reverse((at, what))) = self.state.due.peek().copied() {
            if at > self.now {
                break;
            }
            self.state.due.pop();
            due.push((at, what));
        }
        due
    }

    /// Marks what is due; returns the kept triggers whose wait is over.
    pub(super) fn handle_due(&mut self, due: Vec<(Instant, Due)>) -> Vec<u64> {
        let mut released = Vec::new();
        let mut escalations = false;
        for (at, what) in due {
            match what {
                Due::Kept(number) => {
                    let over = self.state.kept.get(&number).map(|kept| kept.until.min(kept.deadline));
                    if over.is_some_and(|over| over <= self.now) {
                        released.push(number);
                    }
                }
                Due::Schedule(id) => self.run_schedule(ScheduleId(id), at),
                Due::Stale(id) => self.check_stale(SignalId(id)),
                Due::Window(id) => self.advance_windows(SignalId(id)),
                Due::Rule(id) => {
                    let rule = RuleId(id);
                    if self.state.rule(rule).is_some_and(|rule| rule.due == Some(at)) {
                        self.set_rule_due(rule, None);
                        self.mark_rule(rule);
                    }
                }
                Due::Escalation => escalations = true,
                Due::Fired => self.notice_fired(at),
            }
        }
        if escalations {
            self.escalate();
        }
        released.sort_unstable();
        released.dedup();
        released
    }

    /// When a rule is to be judged again by time.
    pub(super) fn set_rule_due(&mut self, id: RuleId, at: Option<Instant>) {
        let Some(rule) = self.state.rule(id) else { return };
        let at = at.filter(|at| *at < Instant(i64::MAX));
        if rule.due == at {
            return;
        }
        rule.due = at;
        if let Some(at) = at {
            self.state.schedule_due(at, Due::Rule(id.0));
        }
    }

    /// A signal's newest value may have become too old: then everyone who reads it is judged.
    fn check_stale(&mut self, id: SignalId) {
        if let Some(calm) = self.state.calm.get_mut(id.0 as usize) {
            calm.stale_due = None;
        }
        match self.stale_at(id) {
            Some(at) if at > self.now => self.watch_stale(id),
            Some(_) => self.mark_current(id),
            None => {}
        }
    }

    pub(super) fn mark_current(&mut self, id: SignalId) {
        let readers = self.rules.index.current.get(id.0 as usize);
        for rank in readers.into_iter().flatten() {
            self.dirty.insert(*rank);
        }
    }

    fn stale_at(&self, id: SignalId) -> Option<Instant> {
        let fresh = self.rules.signals.get(id.0 as usize)?.fresh_ms?;
        let reading = self.state.signals.get(id.0 as usize)?.current()?;
        Some(Instant(reading.observed.0.saturating_add(fresh)))
    }

    /// Puts the signal's stale edge on the list, if none is there. Only one is kept: when it comes and a
    /// newer value arrived meanwhile, it is put off.
    pub(super) fn watch_stale(&mut self, id: SignalId) {
        let Some(at) = self.stale_at(id).filter(|at| *at > self.now) else { return };
        if let Some(calm) = self.state.calm.get_mut(id.0 as usize)
            && calm.stale_due.is_none()
        {
            calm.stale_due = Some(at);
            self.state.schedule_due(at, Due::Stale(id.0));
        }
    }

    /// Readings leave the windows of a signal.
    pub(super) fn advance_windows(&mut self, id: SignalId) {
        let place = id.0 as usize;
        if let Some(calm) = self.state.calm.get_mut(place) {
            calm.window_due = None;
        }
        let Some(facts) = self.state.signals.get_mut(place) else { return };
        if facts.advance(self.now) {
            let readers = self.rules.index.history.get(place).map_or(&[][..], Vec::as_slice);
            self.mark(readers);
        }
        self.watch_windows(id);
    }

    /// Puts the next instant at which a window of the signal changes by time on the list.
    pub(super) fn watch_windows(&mut self, id: SignalId) {
        let place = id.0 as usize;
        let next = self.state.signals.get(place).and_then(|facts| facts.next_change());
        let Some(next) = next.filter(|next| *next > self.now) else { return };
        if let Some(calm) = self.state.calm.get_mut(place)
            && calm.window_due.is_none_or(|due| due > next)
        {
            calm.window_due = Some(next);
            self.state.schedule_due(next, Due::Window(id.0));
        }
    }

    /// Finds the next run of each calendar schedule after an instant.
    pub(super) fn schedule_calendars(&mut self, after: Instant, which: impl Fn(ZoneRef) -> bool) {
        for place in 0..self.state.runs.len() {
            let Ok(id) = u32::try_from(place) else { return };
            let zone = self.rules.schedules.get(place).map(|schedule| schedule.zone);
            if !zone.is_some_and(&which) {
                continue;
            }
            let next = self.state.calendar(ScheduleId(id)).and_then(|calendar| calendar.next_after(after));
            self.set_next_run(ScheduleId(id), next);
        }
    }

    fn set_next_run(&mut self, id: ScheduleId, next: Option<Instant>) {
        if let Some(runs) = self.state.runs.get_mut(id.index()) {
            runs.next = next;
        }
        if let Some(next) = next {
            self.state.schedule_due(next, Due::Schedule(id.0));
        }
    }

    pub(super) fn run_schedule(&mut self, id: ScheduleId, at: Instant) {
        let Some(def) = self.rules.schedules.get(id.index()) else { return };
        match def.kind {
            ScheduleDefKind::Calendar(_) => {
                if self.state.runs.get(id.index()).is_some_and(|runs| runs.next == Some(at)) {
                    self.run_calendar(id, at);
                }
            }
            ScheduleDefKind::Before(..) => self.run_before(id),
        }
    }

    /// One run; after a time down, the last missed run inside its grace and a line for each other.
    fn run_calendar(&mut self, id: ScheduleId, first: Instant) {
        let Some(calendar) = self.state.calendar(id).cloned() else { return };
        let last = calendar.last_at_or_before(self.now).unwrap_or(first).max(first);
        let mut missed = first;
        while missed < last {
            self.miss(id, missed);
            match calendar.next_after(missed) {
                Some(next) if next > missed => missed = next,
                _ => break,
            }
        }
        self.run_or_miss(id, Run { at: last, item: None });
        self.set_next_run(id, calendar.next_after(self.now));
    }

    fn run_before(&mut self, id: ScheduleId) {
        let now = self.now;
        let Some(runs) = self.state.runs.get_mut(id.index()) else { return };
        let happening: Vec<Run> = runs.coming().take_while(|run| run.at <= now).cloned().collect();
        for run in &happening {
            runs.happen(run);
        }
        for run in happening {
            self.run_or_miss(id, run);
        }
    }

    pub(super) fn run_or_miss(&mut self, id: ScheduleId, run: Run) {
        let late = self.now.0.saturating_sub(run.at.0);
        if late == 0 {
            self.begin_run(id, run, None);
        } else if self.now < self.grace(id, run.at) {
            self.begin_run(id, run, Some(late));
        } else {
            self.miss(id, run.at);
        }
    }

    pub(super) fn grace(&self, id: ScheduleId, at: Instant) -> Instant {
        let Some(def) = self.rules.schedules.get(id.index()) else { return at };
        late_deadline(at, def.late, self.state.zone(self.rules, def.zone))
    }

    fn begin_run(&mut self, id: ScheduleId, run: Run, late: Option<i64>) {
        let index = &self.rules.index;
        let judged = index.scheduled.get(id.index()).into_iter().flatten();
        let gathering = index.gathering.get(id.index()).into_iter().flatten();
        for rule in judged.chain(gathering) {
            self.mark_rule(*rule);
        }
        self.runs.push((id, run, late));
    }

    fn miss(&mut self, id: ScheduleId, at: Instant) {
        let Some(def) = self.rules.schedules.get(id.index()) else { return };
        let schedule: Arc<str> = def.name.clone();
        self.out.trace.push(TraceEvent::Missed { schedule: id.0, at });
        self.out.lines.push(Line::Missed { at, schedule });
    }
}
