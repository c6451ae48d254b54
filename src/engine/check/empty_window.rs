//! Quiet hours that are never, or always.

use super::lint::{Explain, Findings, Lint};
use crate::engine::diagnostic::Severity;
use crate::engine::rule_set::RuleSet;
use crate::engine::syntax::ast::Clock;
use crate::engine::time::MINUTES_PER_DAY;

/// The row of this lint.
pub(super) const LINT: Lint = Lint {
    id: "empty-window",
    severity: Severity::Error,
    summary: "quiet hours that are empty or take the whole day",
    explain: Explain {
        what: "A window begins and ends at the same minute, or goes from 00:00 to 24:00.",
        why: "The end is outside of a window, so the first is never quiet; the second always is, and \
              nothing would come through.",
        example: "quiet nights = 23:00 to 23:00",
    },
    check: Some(check),
};

/// The end of a day.
const DAY: Clock = Clock(MINUTES_PER_DAY);

fn check(set: &RuleSet, findings: &mut Findings) {
    for quiet in &set.quiets {
        for (_, from, to) in &quiet.windows {
            let message = match (*from, *to) {
                (Clock(0), DAY) => format!("`{}` has a window that takes the whole day", quiet.name),
                (from, to) if from == to => format!("`{}` has a window that ends when it begins", quiet.name),
                _ => continue,
            };
            findings.push(
                LINT.at(quiet.span, message).help("write the first minute inside and the first outside"),
            );
        }
    }
}
