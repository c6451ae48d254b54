//! What the person rejected is not said again on the same terms.

use super::{Gate, GateInput, GateVerdict};

/// The row.
pub(super) const GATE: Gate =
    Gate { name: "rejected before", summary: "stops what the person rejected on the same terms", judge };

fn judge(input: &GateInput<'_>) -> GateVerdict {
    let rejected = &input.state.ledger.rejected;
    // An escalation says again what its trigger said.
    if rejected.contains(&input.trigger.id) || rejected.contains(input.trigger.first_id()) {
        GateVerdict::Suppress("rejected before".to_owned())
    } else {
        GateVerdict::Pass
    }
}
