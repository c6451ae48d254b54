//! A trigger that waited longer than it is worth.

use super::{Gate, GateInput, GateVerdict};

/// The row.
pub(super) const GATE: Gate =
    Gate { name: "expired", summary: "stops what waited beyond `expires`, or beyond its day", judge };

fn judge(input: &GateInput<'_>) -> GateVerdict {
    if input.now >= input.deadline {
        GateVerdict::Expire("waited too long".to_owned())
    } else {
        GateVerdict::Pass
    }
}
