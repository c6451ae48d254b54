//! Budgets count what is really handed over; a softened trigger uses none.

use super::{Gate, GateInput, GateVerdict};
use crate::engine::rule_set::{BudgetDef, RuleDef, RuleSet};
use crate::engine::state::{State, Trigger};
use crate::engine::time::{Instant, period_of};

/// The row.
pub(super) const GATE: Gate = Gate { name: "budget", summary: "stops what its budget does not allow", judge };

fn judge(input: &GateInput<'_>) -> GateVerdict {
    let Some(budget) = budget_of(input.rules, input.rule, input.trigger) else { return GateVerdict::Pass };
    let period = period_start(input.rules, input.state, budget, input.now);
    if input.state.ledger.used(&budget.name, period) < budget.count {
        return GateVerdict::Pass;
    }
    GateVerdict::Suppress(format!("budget `{}` is used up", budget.name))
}

/// The budget that a trigger uses, if any.
pub(in crate::engine) fn budget_of<'a>(
    rules: &'a RuleSet,
    rule: &RuleDef,
    trigger: &Trigger,
) -> Option<&'a BudgetDef> {
    if trigger.softened {
        return None;
    }
    let own =
        if trigger.escalation { rule.then.escalate.and_then(|step| step.within) } else { rule.then.within };
    rules.budgets.get(own?.index())
}

/// Start of the budget's period around an instant.
pub(in crate::engine) fn period_start(
    rules: &RuleSet,
    state: &State,
    budget: &BudgetDef,
    at: Instant,
) -> Instant {
    period_of(state.zone(rules, budget.zone), at, budget.per).0
}
