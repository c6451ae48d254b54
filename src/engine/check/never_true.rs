//! A condition that can never hold.

use super::lint::{Explain, Findings, Lint};
use super::region::{Clash, Conjunction, Regions, clash};
use crate::engine::diagnostic::{Diagnostic, Severity};
use crate::engine::rule_set::{RuleDef, RuleSet};
use crate::engine::source::Span;
use crate::engine::syntax::ast::UnknownPolicy;

/// The row of this lint.
pub(super) const LINT: Lint = Lint {
    id: "never-true",
    severity: Severity::Error,
    summary: "a condition that can never hold",
    explain: Explain {
        what: "The lines of `when` (or one line among several joined by `or`) ask for things that \
               exclude each other, or for a value outside the range of its signal. The two places that \
               clash are named.",
        why: "The rule looks as if it watched something, and will never speak.",
        example: "when health.asleep < 5h\nand  health.asleep > 8h",
    },
    check: Some(check),
};

fn check(set: &RuleSet, findings: &mut Findings) {
    for rule in set.rules.iter().filter(|rule| !rule.off && rule.unknown != UnknownPolicy::Fire) {
        // Each `or` line must be able to hold; of `and` lines all together.
        let groups: Vec<&[_]> =
            if rule.when_any { rule.when.chunks(1).collect() } else { vec![rule.when.as_slice()] };
        for lines in groups {
            let Some(first) = lines.first() else { continue };
            let Some(alternatives) = Regions::new(set, rule).of_lines(lines, false) else { continue };
            if let Some(clash) = impossible(&alternatives) {
                findings.push(said(clash, set, rule, first.span));
            }
        }
    }
}

/// The first clash when no alternative can hold.
fn impossible(alternatives: &[Conjunction]) -> Option<Clash> {
    let mut first = None;
    for alternative in alternatives {
        let found = clash(alternative)?;
        first = first.or(Some(found));
    }
    first
}

fn said(clash: Clash, set: &RuleSet, rule: &RuleDef, line: Span) -> Diagnostic {
    let name = &rule.name;
    match clash {
        Clash::Two(a, b) => LINT
            .at(b, format!("`{name}` can never be true: this and an earlier condition exclude each other"))
            .related(a, "excludes it"),
        Clash::Range(place, signal) => {
            let error =
                LINT.at(place, format!("`{name}` can never be true: no believable value is like this"));
            match set.signals.get(signal.0 as usize) {
                Some(def) => error.related(def.span, format!("the range of `{}` is set here", def.name)),
                None => error,
            }
        }
        Clash::Alone(place) => {
            let place = if place == Span::default() { line } else { place };
            LINT.at(place, format!("`{name}` can never be true: this never holds"))
        }
    }
}
