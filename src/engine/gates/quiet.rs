//! Quiet hours: every window applies to every rule; of overlapping windows the strictest wins.

use super::{Gate, GateInput, GateVerdict};
use crate::engine::rule_set::QuietId;
use crate::engine::state::KeptEnd;
use crate::engine::syntax::ast::QuietPolicy;
use crate::engine::time::Instant;

/// Most windows in a row that a release looks through; a chain of overlapping windows that is longer never
/// ends.
const CHAIN_MAX: usize = 64;

/// The row.
pub(super) const GATE: Gate =
    Gate { name: "quiet", summary: "drops, keeps or softens what falls into quiet hours", judge };

fn judge(input: &GateInput<'_>) -> GateVerdict {
    let Some((policy, name)) = strictest(input, input.now) else { return GateVerdict::Pass };
    match policy {
        QuietPolicy::Pass => GateVerdict::Pass,
        QuietPolicy::Soften => GateVerdict::Soften,
        QuietPolicy::Drop => GateVerdict::Suppress(format!("quiet hours `{name}`")),
        QuietPolicy::Keep | QuietPolicy::KeepIfTrue => GateVerdict::Keep {
            until: release(input),
            end: KeptEnd::from(policy),
            reason: format!("quiet hours `{name}`"),
        },
    }
}

/// The strictest policy of the windows around an instant, and that window's name.
fn strictest<'a>(input: &GateInput<'a>, at: Instant) -> Option<(QuietPolicy, &'a str)> {
    let asked = input.state.quiet_until.is_some_and(|until| at < until);
    let asked = asked.then_some((QuietPolicy::KeepIfTrue, "as asked"));
    let windows = input.rules.quiets.iter().zip(0_u32..).filter_map(|(def, id)| {
        let windows = input.state.quiet(QuietId(id))?;
        windows.contains(at).then(|| (policy_of(input, QuietId(id)), &*def.name))
    });
    asked.into_iter().chain(windows).min_by_key(|(policy, _)| *policy)
}

fn policy_of(input: &GateInput<'_>, id: QuietId) -> QuietPolicy {
    let own = input.rule.quiet.iter().find(|(quiet, _)| *quiet == id);
    own.map_or(QuietPolicy::KeepIfTrue, |(_, policy)| *policy)
}

/// The first instant outside every keeping window.
pub(in crate::engine) fn release(input: &GateInput<'_>) -> Instant {
    let mut at = input.now;
    for _ in 0..CHAIN_MAX {
        let asked = input.state.quiet_until.filter(|until| at < *until);
        let ends = (0_u32..).zip(&input.rules.quiets).filter_map(|(id, _)| {
            let keeps = matches!(policy_of(input, QuietId(id)), QuietPolicy::Keep | QuietPolicy::KeepIfTrue);
            let span = if keeps { input.state.quiet(QuietId(id))?.span_at(at) } else { None };
            span.map(|(_, end)| end)
        });
        match asked.into_iter().chain(ends).max() {
            Some(end) if end > at => at = end,
            _ => return at,
        }
    }
    at
}
