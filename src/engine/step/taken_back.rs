//! A hand-over that failed for good: what the delivery used up comes back.
//!
//! INVARIANT: a channel that fails at once is not asked in a circle; see [`TRIES_AT_ONCE`].

use std::sync::Arc;

use super::Settle;
use crate::engine::gates;
use crate::engine::rule_set::{Cause, RuleDef, RuleId};
use crate::engine::state::{Delivered, Trigger};
use crate::engine::syntax::ast::Outcome;

/// Up to this number of triggers of one identity, a failure is followed by a judgement at once; the next one
/// waits for the rule's own.
const TRIES_AT_ONCE: u32 = 3;

impl Settle<'_> {
    /// Budget, wait and identity come back, gathered items wait again, and what still holds is a new trigger.
    pub(super) fn take_back(&mut self, id: &Arc<str>) {
        let Some(Delivered { trigger, at, .. }) = self.state.delivered.remove(id) else { return };
        let Some(rule) = self.rule_def(trigger.rule) else { return };
        if let Some(budget) = gates::budget_of(self.rules, rule, &trigger) {
            let period = gates::period_start(self.rules, self.state, budget, self.now);
            if at >= period {
                self.state.ledger.refund(&budget.name, period);
            }
        }
        self.close(&trigger, Outcome::Expired, "handover", "no channel could deliver it");
        if trigger.escalation {
            // The trigger itself was delivered; only its repetition was not.
            return;
        }
        if self.state.ledger.waits.get(&trigger.lineage) == Some(&at) {
            self.state.ledger.waits.remove(&trigger.lineage);
        }
        self.give_back(&trigger);
        self.hold_items_again(trigger.rule, &trigger.gathered);
        if self.state.ledger.number(&trigger.identity) < TRIES_AT_ONCE {
            self.judge_at_once(rule, &trigger);
        }
    }

    /// A rule about a new item is judged about this one alone; a run of a schedule is not repeated.
    fn judge_at_once(&mut self, rule: &RuleDef, trigger: &Trigger) {
        match rule.cause {
            Cause::State => self.mark_rule(trigger.rule),
            Cause::Item(stream) if rule.gather.is_none() => {
                let items = self.state.streams.get(stream.0 as usize);
                let own = trigger.items.first().and_then(|(_, id)| items?.get(id)).cloned();
                if let Some(item) = own {
                    self.new_items.push((stream, item, Some(trigger.rule)));
                    self.mark_rule(trigger.rule);
                }
            }
            Cause::Item(_) | Cause::Schedule(_) => {}
        }
    }

    fn hold_items_again(&mut self, rule: RuleId, items: &[Arc<str>]) {
        let Some(stream) = self.rule_def(rule).and_then(|rule| rule.slots.first()).map(|(_, stream)| *stream)
        else {
            return;
        };
        for id in items {
            let learnt =
                self.state.streams.get(stream.0 as usize).and_then(|all| all.get(id)).map(|item| item.learnt);
            if let (Some(learnt), Some(state)) = (learnt, self.state.rule(rule)) {
                state.pending.insert((learnt, id.clone()));
            }
        }
    }
}
