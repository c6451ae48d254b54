//! Moving a state to another rule set: what still means the same stays, by name.
//!
//! Facts of a signal are kept while its unit is; windows are rebuilt by the facts themselves. A rule's memory
//! is kept while the state-relevant part of the rule is; budgets, waits and identities are keyed by name and
//! stay in any case. A removed rule's kept triggers go with it.

use std::collections::BTreeMap;

use super::{Calm, Due, Kept, State};
use crate::engine::record::{Record, RecordKind};
use crate::engine::rule_set::{RuleId, RuleSet};
use crate::engine::time::Instant;

impl State {
    /// This state, bound to another rule set. Every rule is judged at the next step.
    #[must_use]
    pub fn carry(&self, old: &RuleSet, new: &RuleSet) -> Self {
        if old.hash == new.hash {
            return self.clone();
        }
        let mut next = Self::new(new);
        next.clock = self.clock;
        next.since = self.since;
        next.here = self.here;
        next.ledger = self.ledger.clone();
        next.next_kept = self.next_kept;
        next.forgotten_on = self.forgotten_on;
        next.down = self.down.as_ref().map(|waiting| renamed(waiting, old, new));
        next.snoozes = self.snoozes.clone();
        next.quiet_until = self.quiet_until;
        next.set_aside_count = self.set_aside_count;
        next.fresh_firings = self.fresh_firings.clone();
        next.calm = new.index.current.iter().map(|readers| Calm::of(readers.len())).collect();
        self.carry_facts(old, new, &mut next);
        self.carry_rules(old, new, &mut next);
        self.carry_triggers(old, new, &mut next);
        next.bind_zones(new);
        next.rearm(new);
        next
    }

    fn carry_facts(&self, old: &RuleSet, new: &RuleSet, next: &mut Self) {
        for (place, signal) in new.signals.iter().enumerate() {
            let Some(id) = old.signal_named(&signal.name) else { continue };
            let same_type = old.signals.get(id.0 as usize).is_some_and(|was| was.ty == signal.ty);
            if let (true, Some(was), Some(now)) =
                (same_type, self.signals.get(id.0 as usize), next.signals.get_mut(place))
            {
                now.take_over(was);
            }
        }
        for (place, stream) in new.streams.iter().enumerate() {
            let Some(id) = old.stream_named(&stream.name) else { continue };
            let same_fields = old.streams.get(id.0 as usize).is_some_and(|was| was.fields == stream.fields);
            if !same_fields {
                continue;
            }
            if let (Some(was), Some(now)) = (self.streams.get(id.0 as usize), next.streams.get_mut(place)) {
                *now = was.clone();
            }
            if let (Some(was), Some(now)) = (self.arrivals.get(id.0 as usize), next.arrivals.get_mut(place)) {
                *now = *was;
            }
        }
        for (place, schedule) in new.schedules.iter().enumerate() {
            let was = old.schedules.iter().position(|was| was.name == schedule.name);
            if let (Some(was), Some(now)) = (was.and_then(|was| self.runs.get(was)), next.runs.get_mut(place))
            {
                now.take_over(was);
            }
        }
    }

    fn carry_rules(&self, old: &RuleSet, new: &RuleSet, next: &mut Self) {
        for (place, rule) in new.rules.iter().enumerate() {
            let Some(id) = old.rule_named(&rule.name) else { continue };
            if let (Some(was), Some(now)) = (self.fired.get(id.index()), next.fired.get_mut(place)) {
                *now = *was;
            }
            let same = old.rules.get(id.index()).is_some_and(|was| was.state_hash == rule.state_hash);
            if let (true, Some(was), Some(now)) =
                (same, self.rule_states.get(id.index()), next.rule_states.get_mut(place))
            {
                *now = was.clone();
                now.due = None;
                // A list may hold other words now.
                now.unfit.clear();
            }
        }
    }

    fn carry_triggers(&self, old: &RuleSet, new: &RuleSet, next: &mut Self) {
        let renamed = |id: RuleId| new.rule_named(&old.rules.get(id.index())?.name);
        let mut kept: BTreeMap<u64, Kept> = BTreeMap::new();
        for (number, was) in &self.kept {
            let Some(rule) = renamed(was.trigger.rule) else { continue };
            let mut now = was.clone();
            now.trigger.rule = rule;
            kept.insert(*number, now);
        }
        next.kept = kept;
        for (id, was) in &self.delivered {
            let Some(rule) = renamed(was.trigger.rule) else { continue };
            let mut now = was.clone();
            now.trigger.rule = rule;
            next.delivered.insert(id.clone(), now);
        }
    }

    /// Puts everything that is due by time on the list again, and every rule for the next step.
    fn rearm(&mut self, rules: &RuleSet) {
        if self.since.is_none() {
            return;
        }
        let kept: Vec<_> =
            self.kept.iter().map(|(number, kept)| (kept.until.min(kept.deadline), *number)).collect();
        for (at, number) in kept {
            self.schedule_due(at, Due::Kept(number));
        }
        let escalations: Vec<_> =
            self.delivered.values().filter_map(|delivered| delivered.escalate_at).collect();
        for at in escalations {
            self.schedule_due(at, Due::Escalation);
        }
        let now = self.clock;
        if !self.fresh_firings.is_empty() {
            self.schedule_due(Instant(now.0.saturating_add(1)), Due::Fired);
        }
        for place in 0..rules.schedules.len() {
            let Ok(id) = u32::try_from(place) else { return };
            let next = self
                .zones
                .schedules
                .get(place)
                .and_then(Option::as_ref)
                .and_then(|runs| runs.next_after(now));
            let before: Vec<_> = self
                .runs
                .get(place)
                .map(|runs| runs.coming().map(|run| run.at).collect())
                .unwrap_or_default();
            if let Some(runs) = self.runs.get_mut(place) {
                runs.next = next;
            }
            for at in next.into_iter().chain(before) {
                self.schedule_due(at, Due::Schedule(id));
            }
        }
        for place in 0..rules.rules.len() {
            if let Some(rule) = self.rule_states.get_mut(place) {
                rule.due = Some(now);
            }
            if let Ok(id) = u32::try_from(place) {
                self.schedule_due(now, Due::Rule(id));
            }
        }
        for place in 0..rules.signals.len() {
            if let Ok(id) = u32::try_from(place) {
                self.schedule_due(now, Due::Stale(id));
                self.schedule_due(now, Due::Window(id));
            }
        }
    }
}

/// Records for another set: signals and streams by name; what it does not know is left out.
fn renamed(records: &[Record], old: &RuleSet, new: &RuleSet) -> Vec<Record> {
    let signal = |id: &mut crate::engine::record::SignalId| {
        let name = old.signals.get(id.0 as usize).map(|def| &def.name)?;
        *id = new.signal_named(name)?;
        Some(())
    };
    let stream = |id: &mut crate::engine::record::StreamId| {
        let name = old.streams.get(id.0 as usize).map(|def| &def.name)?;
        *id = new.stream_named(name)?;
        Some(())
    };
    let rename = |record: &Record| {
        let mut record = record.clone();
        match &mut record.kind {
            RecordKind::Reading { signal: id, .. } => signal(id)?,
            RecordKind::Item { stream: id, .. } | RecordKind::Removed { stream: id, .. } => stream(id)?,
            _ => {}
        }
        Some(record)
    };
    records.iter().filter_map(rename).collect()
}
