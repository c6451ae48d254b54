//! A `for` that is shorter than the time between two readings.

use super::lint::{Explain, Findings, Lint};
use crate::engine::diagnostic::Severity;
use crate::engine::rule_set::{Hold, RuleDef, RuleSet, SignalDef};
use crate::engine::syntax::ast::Cadence;
use crate::engine::time::{MS_PER_DAY, MS_PER_HOUR};

/// The row of this lint.
pub(super) const LINT: Lint = Lint {
    id: "short-hold",
    severity: Severity::Error,
    summary: "`for` is shorter than the time between two readings",
    explain: Explain {
        what: "Every signal that the condition reads comes less often than the time in `for`.",
        why: "One reading would be enough, so the clause does not do what it says.",
        example: "when health.asleep < 6h   # one value a night\nfor  30min",
    },
    check: Some(check),
};

fn check(set: &RuleSet, findings: &mut Findings) {
    for rule in set.rules.iter().filter(|rule| !rule.off) {
        let Some((Hold::Exact(hold_ms), span)) = rule.hold else { continue };
        let Some(signal) = slow(rule, set, hold_ms) else { continue };
        let words = match signal.cadence {
            Cadence::Nightly => "comes once a night",
            Cadence::Daily => "comes once a day",
            _ => "comes less often than that",
        };
        let message = format!("`{}` holds for less than one reading: `{}` {words}", rule.name, signal.name);
        let error = LINT.at(span, message).related(signal.span, "its cadence is set here");
        findings.push(match signal.is_dated() {
            true => error.help("count dates instead, such as `for 2 days`"),
            false => error.help("write a longer time"),
        });
    }
}

/// A signal that is read, when all that are read come less often than this.
fn slow<'s>(rule: &RuleDef, set: &'s RuleSet, hold_ms: i64) -> Option<&'s SignalDef> {
    // Firings, silence and items change at any time.
    let reads = &rule.reads;
    if !(reads.streams.is_empty() && reads.silence.is_empty() && reads.fired.is_empty()) {
        return None;
    }
    let mut first = None;
    for signal in reads.current.iter().chain(&reads.history) {
        let def = set.signals.get(signal.0 as usize)?;
        let every_ms = match def.cadence {
            Cadence::Sampled => return None,
            Cadence::Hourly => MS_PER_HOUR,
            Cadence::Daily | Cadence::Nightly => MS_PER_DAY,
            Cadence::Every(ms) => ms,
        };
        if every_ms <= hold_ms {
            return None;
        }
        first = first.or(Some(def));
    }
    first
}
