//! The last gate: a digest waits for its schedule, everything else goes out.

use super::{Gate, GateInput, GateVerdict};
use crate::engine::state::KeptEnd;
use crate::engine::syntax::ast::Level;

/// The row.
pub(super) const GATE: Gate = Gate { name: "level", summary: "keeps a digest until its schedule", judge };

fn judge(input: &GateInput<'_>) -> GateVerdict {
    if input.trigger.level != Level::Digest {
        return GateVerdict::Pass;
    }
    let runs = input.rule.then.at.and_then(|schedule| input.state.calendar(schedule));
    match runs.and_then(|runs| runs.next_after(input.now)) {
        Some(until) => {
            GateVerdict::Keep { until, end: KeptEnd::Digest, reason: "waits for its digest".to_owned() }
        }
        None => GateVerdict::Pass,
    }
}
