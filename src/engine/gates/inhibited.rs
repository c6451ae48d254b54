//! `unless`: known true stops; unknown does not.

use super::{Gate, GateInput, GateVerdict};

/// The row.
pub(super) const GATE: Gate = Gate { name: "inhibited", summary: "stops what its `unless` forbids", judge };

fn judge(input: &GateInput<'_>) -> GateVerdict {
    if input.inhibited { GateVerdict::Suppress("its `unless` is true".to_owned()) } else { GateVerdict::Pass }
}
