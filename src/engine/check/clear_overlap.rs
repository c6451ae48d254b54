//! A `clear when` that holds while the rule's own condition holds.

use super::lint::{Explain, Findings, Lint};
use super::region::{Regions, witness};
use super::shown::shown;
use crate::engine::diagnostic::Severity;
use crate::engine::rule_set::RuleSet;

/// The row of this lint.
pub(super) const LINT: Lint = Lint {
    id: "clear-overlap",
    severity: Severity::Error,
    summary: "`clear when` holds while `when` holds",
    explain: Explain {
        what: "There are values with which both `when` and `clear when` hold; such values are named.",
        why: "The rule would end and begin again at once, and speak again and again about one thing.",
        example: "when       health.resting > 60bpm\nclear when health.resting < 65bpm",
    },
    check: Some(check),
};

fn check(set: &RuleSet, findings: &mut Findings) {
    for rule in set.rules.iter().filter(|rule| !rule.off) {
        let Some(clear) = &rule.clear else { continue };
        let mut regions = Regions::new(set, rule);
        let fire = regions.of_lines(&rule.when, rule.when_any);
        let end = regions.of_lines(std::slice::from_ref(clear), false);
        let (Some(fire), Some(end)) = (fire, end) else { continue };
        let Some(both) = Regions::both(&fire, &end) else { continue };
        let Some(values) = both.iter().find_map(|atoms| witness(atoms, set)) else { continue };
        let words: Vec<String> = values
            .iter()
            .map(|(label, ty, value)| format!("`{label}` = {}", shown(*ty, *value, set)))
            .collect();
        let message = format!("`{}` is cleared while it holds, with {}", rule.name, words.join(", "));
        let error = LINT.at(clear.span, message).help("leave a gap between the two conditions");
        findings.push(match rule.when.first() {
            Some(line) => error.related(line.span, "the rule's condition"),
            None => error,
        });
    }
}
