//! A snooze of the rule, or of all rules, keeps until its end.

use super::{Gate, GateInput, GateVerdict};
use crate::engine::state::KeptEnd;

/// The row.
pub(super) const GATE: Gate =
    Gate { name: "snoozed", summary: "keeps what was snoozed until its end", judge };

fn judge(input: &GateInput<'_>) -> GateVerdict {
    let snoozes = &input.state.snoozes;
    let own = snoozes.get(&*input.rule.name).copied();
    let all = snoozes.get("").copied();
    match own.max(all).filter(|until| *until > input.now) {
        Some(until) => GateVerdict::Keep { until, end: KeptEnd::JudgeAgain, reason: "snoozed".to_owned() },
        None => GateVerdict::Pass,
    }
}
