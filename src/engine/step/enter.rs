//! Triggers go through the gates, one after the other, and become lines.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{Effect, Settle};
use crate::engine::decision::{Decision, Line};
use crate::engine::eval::Scope;
use crate::engine::facts::ItemSpan;
use crate::engine::gates::{self, Gate, GateInput, GateVerdict};
use crate::engine::rule_set::{RULES_FIRED, RuleDef};
use crate::engine::state::{Delivered, Due, Kept, KeptEnd, Trigger, TriggerClass};
use crate::engine::syntax::ast::{Length, Level, Outcome};
use crate::engine::time::{Date, Instant, MS_PER_DAY};
use crate::engine::trace::{Event as TraceEvent, GateEvent};
use crate::engine::value::Value;

/// How long a delivered trigger is remembered, so that a failed hand-over can take it back.
const DELIVERED_MS_MAX: i64 = 14 * MS_PER_DAY;

/// What the gates decided, and which of them.
pub(super) struct Ruling {
    pub(super) verdict: GateVerdict,
    pub(super) gate: &'static str,
}

impl Settle<'_> {
    /// Releases first, then schedules, then what records cause; by level, rule name and identity.
    pub(super) fn enter_all(&mut self) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_by(|(a, _), (b, _)| {
            let key = |t: &Trigger| (t.class, Reverse(t.level), t.rule);
            key(a).cmp(&key(b)).then_with(|| a.identity.cmp(&b.identity))
        });
        let mut delivered = Vec::new();
        for (trigger, deadline) in candidates {
            let class = trigger.class;
            let id = trigger.id.clone();
            if self.enter(trigger, deadline) {
                delivered.push((class, id));
            }
        }
        self.hand_over(&delivered);
    }

    /// True when the trigger was delivered.
    fn enter(&mut self, mut trigger: Trigger, deadline: Instant) -> bool {
        let Some(rule) = self.rule_def(trigger.rule) else { return false };
        let Ruling { verdict, gate } = self.rule_on(rule, &mut trigger, deadline, gates::ORDER);
        match verdict {
            GateVerdict::Pass | GateVerdict::Soften => {
                self.deliver(rule, trigger, Outcome::Delivered);
                return true;
            }
            GateVerdict::Suppress(reason) => self.close(&trigger, Outcome::Suppressed, gate, &reason),
            GateVerdict::Expire(reason) => {
                self.give_back(&trigger);
                self.close(&trigger, Outcome::Expired, gate, &reason);
            }
            GateVerdict::Keep { until, end, reason } => {
                let deadline = self.kept_deadline(rule, &trigger, until);
                let kept = Kept { trigger, until, deadline, gate: gate.into(), end };
                self.keep(kept, &reason);
            }
        }
        false
    }

    pub(super) fn rule_on(
        &mut self,
        rule: &RuleDef,
        trigger: &mut Trigger,
        deadline: Instant,
        order: &'static [Gate],
    ) -> Ruling {
        let inhibited = self.is_inhibited(rule, trigger);
        for gate in order {
            let input = GateInput {
                rules: self.rules,
                rule,
                state: self.state,
                trigger,
                now: self.now,
                deadline,
                inhibited,
            };
            let verdict = (gate.judge)(&input);
            let stopped: Option<Arc<str>> = match &verdict {
                GateVerdict::Pass => None,
                GateVerdict::Soften => Some("softened to a note".into()),
                GateVerdict::Expire(reason)
                | GateVerdict::Suppress(reason)
                | GateVerdict::Keep { reason, .. } => Some(reason.as_str().into()),
            };
            let event = GateEvent { id: trigger.id.clone(), gate: gate.name, stopped };
            self.out.trace.push(TraceEvent::Gate(Box::new(event)));
            match verdict {
                GateVerdict::Pass => {}
                GateVerdict::Soften => {
                    trigger.softened = true;
                    trigger.level = trigger.level.min(Level::Note);
                }
                verdict => return Ruling { verdict, gate: gate.name },
            }
        }
        Ruling { verdict: GateVerdict::Pass, gate: "" }
    }

    /// Only an `unless` that is known true inhibits.
    fn is_inhibited(&self, rule: &RuleDef, trigger: &Trigger) -> bool {
        let Some(unless) = &rule.unless else { return false };
        let facts = self.facts();
        let mut scope = Scope::new(self.rules, rule, &facts);
        for (slot, item) in self.bound_items(rule, &trigger.items) {
            scope.pin(slot, item);
        }
        scope.line(unless).is_true()
    }

    /// The trigger goes out, as a message of its own or in a digest.
    pub(super) fn deliver(&mut self, rule: &RuleDef, trigger: Trigger, outcome: Outcome) {
        if let Some(budget) = gates::budget_of(self.rules, rule, &trigger) {
            let period = gates::period_start(self.rules, self.state, budget, self.now);
            self.state.ledger.spend(&budget.name, period, self.now);
        }
        for item in &trigger.gathered {
            if let Some(state) = self.state.rule(trigger.rule) {
                state.pending.retain(|(_, waiting)| waiting != item);
            }
        }
        let mut line = self.line(&trigger, outcome, None, None);
        line.message = Some(trigger.id.clone());
        self.out.lines.push(Line::Decision(Box::new(line)));
        self.record_firing(&trigger, outcome);
        if !trigger.escalation {
            self.state.ledger.waits.insert(trigger.lineage.clone(), self.now);
        }
        let step = rule.then.escalate.filter(|_| !trigger.escalation);
        let escalate_at = step.map(|step| Instant(self.now.0.saturating_add(step.after_ms)));
        if let Some(at) = escalate_at {
            self.state.schedule_due(at, Due::Escalation);
        }
        let message = trigger.id.clone();
        let delivered = Delivered { at: self.now, message, seen: false, escalate_at, trigger };
        self.state.delivered.insert(delivered.trigger.id.clone(), delivered);
    }

    /// What is released at one instant goes out as one message.
    fn hand_over(&mut self, delivered: &[(TriggerClass, Arc<str>)]) {
        let released: Vec<_> =
            delivered.iter().filter(|(class, _)| *class == TriggerClass::Release).collect();
        if released.len() > 1 {
            let ids: Vec<&str> = released.iter().map(|(_, id)| &**id).collect();
            let message = message_id(&ids);
            self.join_message(&message, &ids);
        }
        let mut places: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for line in self.out.lines.get(self.before..).unwrap_or_default() {
            let Line::Decision(line) = line else { continue };
            let Some(message) = &line.message else { continue };
            let place = *places.entry(message.clone()).or_insert(self.out.effects.len());
            match self.out.effects.get_mut(place) {
                Some(Effect::HandOver { decisions, level, .. }) => {
                    decisions.push(line.id.clone());
                    *level = (*level).max(line.level);
                }
                None => self.out.effects.push(Effect::HandOver {
                    message: message.clone(),
                    decisions: vec![line.id.clone()],
                    level: line.level,
                }),
            }
        }
    }

    /// Gives the lines of this instant with these ids one message.
    pub(super) fn join_message(&mut self, message: &Arc<str>, ids: &[&str]) {
        let joined: BTreeSet<&str> = ids.iter().copied().collect();
        for line in self.out.lines.get_mut(self.before..).unwrap_or_default() {
            if let Line::Decision(line) = line
                && line.message.is_some()
                && joined.contains(&*line.id)
            {
                line.message = Some(message.clone());
            }
        }
        for id in ids {
            if let Some(delivered) = self.state.delivered.get_mut(*id) {
                delivered.message = message.clone();
            }
        }
    }

    /// Keeps a trigger; an older kept one of the same lineage gives way.
    fn keep(&mut self, kept: Kept, reason: &str) {
        let superseded: Vec<u64> = self
            .state
            .kept
            .iter()
            .filter(|(_, older)| {
                older.trigger.rule == kept.trigger.rule
                    && older.trigger.lineage == kept.trigger.lineage
                    && older.end != KeptEnd::Digest
                    && kept.end != KeptEnd::Digest
            })
            .map(|(number, _)| *number)
            .collect();
        for number in superseded {
            if let Some(older) = self.state.kept.remove(&number) {
                self.close(&older.trigger, Outcome::Suppressed, "superseded", "a newer one took its place");
            }
        }
        let mut line = self.line(&kept.trigger, Outcome::Kept, Some(&kept.gate), Some(reason.into()));
        line.until = Some(kept.until);
        self.out.lines.push(Line::Decision(Box::new(line)));
        self.record_firing(&kept.trigger, Outcome::Kept);
        let number = self.state.next_kept;
        self.state.next_kept = number.saturating_add(1);
        self.state.schedule_due(kept.until.min(kept.deadline), Due::Kept(number));
        self.state.kept.insert(number, kept);
    }

    /// A line that ends a trigger's life without delivery.
    pub(super) fn close(&mut self, trigger: &Trigger, outcome: Outcome, gate: &str, reason: &str) {
        let line = self.line(trigger, outcome, Some(gate), Some(reason.into()));
        self.out.lines.push(Line::Decision(Box::new(line)));
        self.record_firing(trigger, outcome);
    }

    pub(super) fn line(
        &self,
        trigger: &Trigger,
        outcome: Outcome,
        gate: Option<&str>,
        reason: Option<Arc<str>>,
    ) -> Decision {
        Decision {
            at: self.now,
            rule: self.rule_def(trigger.rule).map(|rule| rule.name.clone()).unwrap_or_default(),
            per: trigger.per.clone(),
            occurrence: trigger.occurrence.clone(),
            outcome,
            level: trigger.level,
            gate: gate.map(Into::into),
            reason,
            until: None,
            message: None,
            facts: trigger.facts.clone(),
            text: trigger.text.clone(),
            id: trigger.id.clone(),
            late: trigger.late,
        }
    }

    /// The built-in stream of firings has one item a trigger, revised when its outcome changes. An escalation
    /// is no trigger of its own: it makes the level louder when it is delivered.
    pub(super) fn record_firing(&mut self, trigger: &Trigger, outcome: Outcome) {
        if trigger.escalation && outcome != Outcome::Delivered {
            return;
        }
        let id: Arc<str> = trigger.first_id().into();
        let Some(rule) = self.rule_def(trigger.rule) else { return };
        let text = |text: &str| Some(Value::Text(text.into()));
        let fields: Arc<[Option<Value>]> = Arc::from([
            text(&rule.name),
            text(&rule.title),
            Some(Value::Instant(trigger.made)),
            text(trigger.level.word()),
            text(outcome.word()),
        ]);
        let span = ItemSpan { start: trigger.made, end: trigger.made };
        let Some(stream) = self.state.streams.get_mut(RULES_FIRED.0 as usize) else { return };
        stream.upsert(&id, &fields, self.now, span);
        self.state.fresh_firings.insert(id);
        self.state.schedule_due(Instant(self.now.0.saturating_add(1)), Due::Fired);
    }

    /// Firings of the instant before become visible to those who read them.
    pub(super) fn notice_fired(&mut self, due: Instant) {
        let fresh = std::mem::take(&mut self.state.fresh_firings);
        let place = RULES_FIRED.0 as usize;
        let readers = self.rules.index.streams.get(place).map_or(&[][..], Vec::as_slice);
        if !fresh.is_empty() {
            self.mark(readers);
        }
        for id in fresh {
            let item = self.state.streams.get(place).and_then(|stream| stream.get(&id)).cloned();
            if let Some(item) = item.filter(|item| item.learnt.0 >= due.0.saturating_sub(1)) {
                self.greet(RULES_FIRED, item);
            }
        }
    }

    /// When a trigger expires by its own clause.
    pub(super) fn own_deadline(&self, rule: &RuleDef, made: Instant) -> Instant {
        match rule.expires {
            Some(Length::Exact(ms)) => Instant(made.0.saturating_add(ms)),
            Some(Length::Calendar(span)) => {
                let zone = self.state.zone(self.rules, self.rules.default_zone);
                let days = i32::try_from(span.days()).unwrap_or(i32::MAX);
                zone.midnight(Date(zone.date(made).0.saturating_add(days)))
            }
            None => Instant(i64::MAX),
        }
    }

    /// By its own clause, else the end of the local day on which its wait ends.
    pub(super) fn kept_deadline(&self, rule: &RuleDef, trigger: &Trigger, until: Instant) -> Instant {
        if rule.expires.is_some() {
            return self.own_deadline(rule, trigger.made);
        }
        let zone = self.state.zone(self.rules, self.rules.default_zone);
        zone.midnight(Date(zone.date(until).0.saturating_add(1)))
    }

    /// Once a day, what is older than the history is forgotten.
    pub(super) fn forget(&mut self) {
        if self.state.forgotten_on == Some(self.today.0) {
            return;
        }
        self.state.forgotten_on = Some(self.today.0);
        let history = i64::from(self.rules.history_days).saturating_mul(MS_PER_DAY);
        let oldest = Instant(self.now.0.saturating_sub(history));
        self.state.ledger.forget_before(oldest);
        for stream in &mut self.state.streams {
            stream.prune(oldest);
        }
        for rule in &mut self.state.rule_states {
            // Looked at anew once a day, so that none stays that waits for an item which is gone.
            rule.unfit.clear();
        }
        for runs in &mut self.state.runs {
            runs.ran.retain(|run| run.at >= oldest);
        }
        let oldest = Instant(self.now.0.saturating_sub(DELIVERED_MS_MAX));
        self.state.delivered.retain(|_, delivered| delivered.at >= oldest || delivered.escalate_at.is_some());
    }
}

/// One id for several decisions handed over together.
pub(super) fn message_id(ids: &[&str]) -> Arc<str> {
    let digest = Sha256::digest(ids.join("+"));
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>().into()
}
