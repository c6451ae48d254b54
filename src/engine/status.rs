//! What the engine's memory holds right now, in names: for people who ask how things stand.
//!
//! Reads a state, judges nothing, changes nothing.

use std::sync::Arc;

use super::gates::period_start;
use super::rule_set::RuleSet;
use super::state::State;
use super::time::Instant;

/// A budget and what its running period has used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetUse {
    /// Its name.
    pub name: Arc<str>,
    /// Used so far.
    pub used: u32,
    /// Allowed.
    pub count: u32,
}

/// A trigger that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptTrigger {
    /// Its rule.
    pub rule: Arc<str>,
    /// Its decision.
    pub id: Arc<str>,
    /// The gate that keeps it.
    pub gate: Arc<str>,
    /// Until when.
    pub until: Instant,
    /// Its text.
    pub text: Arc<str>,
}

/// The budgets of a set, by name.
#[must_use]
pub fn budgets(rules: &RuleSet, state: &State) -> Vec<BudgetUse> {
    let used =
        |budget| state.ledger.used(budget_name(budget), period_start(rules, state, budget, state.clock));
    let of =
        |budget| BudgetUse { name: budget_name(budget).clone(), used: used(budget), count: budget.count };
    rules.budgets.iter().map(of).collect()
}

fn budget_name(budget: &super::rule_set::BudgetDef) -> &Arc<str> {
    &budget.name
}

/// What is kept, soonest first.
#[must_use]
pub fn kept(rules: &RuleSet, state: &State) -> Vec<KeptTrigger> {
    let mut kept: Vec<_> = state
        .kept
        .values()
        .filter_map(|kept| {
            Some(KeptTrigger {
                rule: rules.rules.get(kept.trigger.rule.index())?.name.clone(),
                id: kept.trigger.id.clone(),
                gate: kept.gate.clone(),
                until: kept.until,
                text: kept.trigger.text.clone(),
            })
        })
        .collect();
    kept.sort_by(|a, b| (a.until, &a.id).cmp(&(b.until, &b.id)));
    kept
}

/// What is silenced, by rule (`*` is all), and until when; and the quiet that was asked for.
#[must_use]
pub fn silenced(state: &State) -> Vec<(Arc<str>, Instant)> {
    let live = state.snoozes.iter().filter(|(_, until)| **until > state.clock);
    let snoozes = live.map(|(rule, until)| (if rule.is_empty() { "*".into() } else { rule.clone() }, *until));
    let quiet = state.quiet_until.filter(|until| *until > state.clock).map(|until| ("quiet".into(), until));
    snoozes.chain(quiet).collect()
}
