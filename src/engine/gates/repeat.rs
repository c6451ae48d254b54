//! `wait`: not so soon after the last delivery of the same identity apart from the day.

use super::{Gate, GateInput, GateVerdict};
use crate::engine::syntax::ast::Length;
use crate::engine::time::{Date, Instant};

/// The row.
pub(super) const GATE: Gate =
    Gate { name: "repeat", summary: "stops what was delivered less than `wait` ago", judge };

fn judge(input: &GateInput<'_>) -> GateVerdict {
    let Some(wait) = input.rule.wait else { return GateVerdict::Pass };
    if input.trigger.escalation {
        return GateVerdict::Pass;
    }
    let Some(last) = input.state.ledger.waits.get(&input.trigger.lineage) else { return GateVerdict::Pass };
    let zone = input.state.zone(input.rules, input.rules.default_zone);
    let free = match wait {
        Length::Exact(ms) => Instant(last.0.saturating_add(ms)),
        Length::Calendar(span) => {
            let days = i32::try_from(span.days()).unwrap_or(i32::MAX);
            zone.midnight(Date(zone.date(*last).0.saturating_add(days)))
        }
    };
    if input.now >= free {
        return GateVerdict::Pass;
    }
    GateVerdict::Suppress("delivered less than its wait ago".to_owned())
}
