//! The end of a wait: judged again, with the text and facts of that moment.

use std::sync::Arc;

use super::Settle;
use super::draft::Draft;
use super::enter::message_id;
use super::judge::{acts, evaluate};
use crate::engine::eval::Truth;
use crate::engine::facts::Item;
use crate::engine::gates::{self, GateInput, GateVerdict};
use crate::engine::rule_set::{Cause, Gather, Key, RuleDef, Slot};
use crate::engine::state::{Due, Kept, KeptEnd, Trigger, TriggerClass};
use crate::engine::syntax::ast::{Outcome, UnknownPolicy};
use crate::engine::time::Instant;

impl Settle<'_> {
    pub(super) fn release_all(&mut self, numbers: Vec<u64>) {
        let mut digested = Vec::new();
        for number in numbers {
            let Some(kept) = self.state.kept.remove(&number) else { continue };
            if self.now >= kept.deadline {
                self.give_back(&kept.trigger);
                self.close(&kept.trigger, Outcome::Expired, "expired", "waited too long");
                // What still holds is a new trigger now, not at whatever judgement happens to come next.
                if self.rule_def(kept.trigger.rule).is_some_and(|rule| rule.cause == Cause::State) {
                    self.set_rule_due(kept.trigger.rule, Some(self.now));
                }
                continue;
            }
            if kept.trigger.escalation && self.was_seen(&kept.trigger) {
                self.close(&kept.trigger, Outcome::Expired, &kept.gate, "seen meanwhile");
                continue;
            }
            match kept.end {
                KeptEnd::Digest => digested.extend(self.digest(kept.trigger)),
                KeptEnd::AsIs => self.let_in(kept),
                KeptEnd::JudgeAgain => self.judge_kept(kept),
            }
        }
        if digested.len() > 1 {
            let ids: Vec<&str> = digested.iter().map(|id| &**id).collect();
            self.join_message(&message_id(&ids), &ids);
        }
    }

    /// The id, when it goes into the digest.
    fn digest(&mut self, mut trigger: Trigger) -> Option<Arc<str>> {
        let rule = self.rule_def(trigger.rule)?;
        let ruling = self.rule_on(rule, &mut trigger, Instant(i64::MAX), gates::AT_DIGEST);
        if let GateVerdict::Suppress(reason) = ruling.verdict {
            self.close(&trigger, Outcome::Suppressed, ruling.gate, &reason);
            return None;
        }
        let id = trigger.id.clone();
        self.deliver(rule, trigger, Outcome::Digested);
        Some(id)
    }

    fn let_in(&mut self, kept: Kept) {
        let trigger = Trigger { class: TriggerClass::Release, ..kept.trigger };
        self.candidates.push((trigger, kept.deadline));
    }

    fn judge_kept(&mut self, mut kept: Kept) {
        let Some(rule) = self.rule_def(kept.trigger.rule) else { return };
        let reason = match self.judge_again(rule, &mut kept.trigger) {
            verdict if acts(rule, verdict) => {
                self.let_in(kept);
                return;
            }
            Truth::Unknown => "cannot be checked",
            _ => "no longer true",
        };
        self.give_back(&kept.trigger);
        self.close(&kept.trigger, Outcome::Expired, &kept.gate, reason);
    }

    /// The identity is free again. That of an escalation is not its own: its trigger was delivered.
    pub(super) fn give_back(&mut self, trigger: &Trigger) {
        if !trigger.escalation {
            self.state.release(trigger.rule, &trigger.identity);
        }
    }

    /// True when the person saw what an escalation would repeat, and that is enough.
    fn was_seen(&self, trigger: &Trigger) -> bool {
        let step = self.rule_def(trigger.rule).and_then(|rule| rule.then.escalate);
        let first = self.state.delivered.get(trigger.first_id());
        step.is_some_and(|step| step.unless_seen) && first.is_some_and(|first| first.seen)
    }

    /// A `zone`, `quiet` or `snooze` record may move the end of a wait.
    pub(super) fn move_waits(&mut self) {
        let mut moved = Vec::new();
        for (number, kept) in &self.state.kept {
            let rule = self.rule_def(kept.trigger.rule);
            let gate = gates::ORDER.iter().find(|gate| *gate.name == *kept.gate);
            let (Some(rule), Some(gate)) = (rule, gate) else { continue };
            let until = match (gate.judge)(&GateInput {
                rules: self.rules,
                rule,
                state: self.state,
                trigger: &kept.trigger,
                now: self.now,
                deadline: kept.deadline,
                inhibited: false,
            }) {
                GateVerdict::Keep { until, .. } => until,
                GateVerdict::Pass | GateVerdict::Soften => self.now,
                // What drops meanwhile is asked at the end of the wait.
                GateVerdict::Suppress(_) | GateVerdict::Expire(_) => continue,
            };
            if until != kept.until {
                moved.push((*number, until, self.kept_deadline(rule, &kept.trigger, until)));
            }
        }
        for (number, until, deadline) in moved {
            self.state.schedule_due(until.min(deadline), Due::Kept(number));
            if let Some(kept) = self.state.kept.get_mut(&number) {
                (kept.until, kept.deadline) = (until, deadline);
            }
        }
    }

    /// Judges a trigger's rule again, for the same items; if it still holds, text and facts are renewed.
    fn judge_again(&mut self, rule: &RuleDef, trigger: &mut Trigger) -> Truth {
        let gathers_text = matches!(rule.cause, Cause::Schedule(_));
        let mut start = Draft { gathers_text, run: trigger.run, ..Draft::default() };
        if let Some(Gather::Items { .. }) = rule.gather {
            let items = self.gathered_now(trigger.rule, rule, Some(&trigger.gathered));
            if items.is_empty() {
                return Truth::False;
            }
            trigger.gathered = items.iter().map(|item| item.id.clone()).collect();
            start.gathered = Some(items);
        } else {
            let pinned: Vec<_> =
                trigger.items.iter().filter(|(slot, _)| is_fixed(rule, Slot(*slot))).cloned().collect();
            start.pins = self.bound_items(rule, &pinned);
            if start.pins.len() < pinned.len() {
                return Truth::False;
            }
        }
        let state = self.state.rule_states.get(trigger.rule.index());
        let active = state.is_none_or(|state| state.active.is_some());
        let last = state.map(|state| state.verdict).unwrap_or_default();
        if rule.hold.is_some() && !active {
            return Truth::False;
        }
        let facts = self.facts();
        let mut scope = self.told_scope(rule, &facts, &start);
        let verdict = if start.gathered.is_some() {
            Truth::True
        } else {
            scope.each.clear();
            scope.fired.clear();
            match (evaluate(&mut scope, rule, |_| {}).verdict, rule.unknown) {
                (Truth::Unknown, UnknownPolicy::Keep) => last,
                (verdict, _) => verdict,
            }
        };
        if acts(rule, verdict) {
            self.tell(&mut scope, &mut start);
            drop(scope);
            trigger.facts = start.facts;
            trigger.text = start.text;
        }
        verdict
    }

    /// Items by id, as they are now; those that are gone are left out.
    pub(super) fn bound_items(&self, rule: &RuleDef, items: &[(u8, Arc<str>)]) -> Vec<(Slot, Arc<Item>)> {
        let find = |(slot, id): &(u8, Arc<str>)| {
            let (_, stream) = rule.slots.get(usize::from(*slot))?;
            let item = self.state.streams.get(stream.0 as usize)?.get(id)?;
            Some((Slot(*slot), item.clone()))
        };
        items.iter().filter_map(find).collect()
    }

    /// Escalations that are due: judged again first; nothing is said of what is no longer true or was seen.
    pub(super) fn escalate(&mut self) {
        let due: Vec<_> = self
            .state
            .delivered
            .values_mut()
            .filter(|delivered| delivered.escalate_at.is_some_and(|at| at <= self.now))
            .map(|delivered| {
                delivered.escalate_at = None;
                delivered.clone()
            })
            .collect();
        for delivered in due {
            let mut trigger = delivered.trigger;
            let Some(rule) = self.rule_def(trigger.rule) else { continue };
            let Some(step) = rule.then.escalate.filter(|step| !(step.unless_seen && delivered.seen)) else {
                continue;
            };
            if !acts(rule, self.judge_again(rule, &mut trigger)) {
                continue;
            }
            trigger.level = step.level;
            trigger.class = TriggerClass::Schedule;
            trigger.escalation = true;
            trigger.softened = false;
            trigger.id = format!("{}/{}", trigger.id, step.level.word()).into();
            trigger.made = self.now;
            self.candidates.push((trigger, Instant(i64::MAX)));
        }
    }
}

/// True for variables that a renewed judgement may not move to another item.
fn is_fixed(rule: &RuleDef, slot: Slot) -> bool {
    let caused = slot == Slot(0)
        && !matches!(rule.cause, Cause::State)
        && !matches!(rule.gather, Some(Gather::Text { slot, .. }) if slot == Slot(0));
    let keyed = rule.once_per.iter().any(|key| matches!(key, Key::Item(of) if *of == slot));
    caused || keyed || rule.each == Some(slot)
}
