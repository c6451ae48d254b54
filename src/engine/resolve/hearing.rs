//! Whose triggers a rule hears through the built-in stream `rules.fired`, so that rules that answer each other
//! without end are found before they run.
//!
//! A rule that a schedule causes is left out: it speaks at its schedule, whatever it hears. What a filter says
//! about other fields is not weighed; it may be true and it may be false.

use crate::engine::rule_set::{Cause, Expr, ExprKind, RULES_FIRED, RuleDef, Slot};
use crate::engine::syntax::ast::CompareOp;
use crate::engine::value::Value;

/// Place of the rule's name among the fields of `rules.fired`.
const RULE_FIELD: u16 = 0;

/// Whether a condition may be true, and whether it may be false.
type May = (bool, bool);

/// Places of the other rules whose triggers cause a rule to be judged.
pub(super) fn heard<'r>(rule: &'r RuleDef, rules: &'r [RuleDef]) -> impl Iterator<Item = usize> + 'r {
    let hears = !rule.off && (rule.cause == Cause::Item(RULES_FIRED) || asks(rule));
    let others = rules.iter().enumerate().filter(|(_, other)| other.name != rule.name && !other.off);
    others.filter(move |(_, other)| hears && may_hear(rule, &other.name)).map(|(place, _)| place)
}

/// True for a rule whose condition looks at `rules.fired`.
fn asks(rule: &RuleDef) -> bool {
    rule.cause == Cause::State && rule.reads.streams.contains(&RULES_FIRED)
}

fn may_hear(rule: &RuleDef, name: &str) -> bool {
    if rule.cause == Cause::Item(RULES_FIRED) && rule.gather.is_none() {
        let lines = rule.when.iter().map(|line| may(&line.expr, Slot(0), name));
        let parts: Vec<May> = lines.collect();
        return parts.is_empty() || joined(&parts, !rule.when_any).0;
    }
    if matches!(rule.cause, Cause::Item(_)) {
        // Gathered at a schedule.
        return false;
    }
    let lets = rule.lets.iter().map(|definition| &definition.expr);
    rule.when.iter().chain(&rule.clear).map(|line| &line.expr).chain(lets).any(|expr| looks_at(expr, name))
}

/// True when some question about `rules.fired` may be about this rule.
fn looks_at(expr: &Expr, name: &str) -> bool {
    if let ExprKind::Join(join) = &expr.kind
        && join.stream == RULES_FIRED
        && join.filter.as_ref().is_none_or(|filter| may(filter, join.slot, name).0)
    {
        return true;
    }
    let mut found = false;
    expr.each_part(&mut |part| found = found || looks_at(part, name));
    found
}

/// What a condition can be for an item of this rule.
fn may(expr: &Expr, slot: Slot, name: &str) -> May {
    let known = |truth: bool| (truth, !truth);
    match &expr.kind {
        ExprKind::And(parts) => joined(&mays(parts, slot, name), true),
        ExprKind::Or(parts) => joined(&mays(parts, slot, name), false),
        ExprKind::Not(part) => {
            let (yes, no) = may(part, slot, name);
            (no, yes)
        }
        ExprKind::Compare(op @ (CompareOp::Equal | CompareOp::NotEqual), left, right) => {
            let text = match (is_rule(left, slot), is_rule(right, slot)) {
                (true, _) => text_of(right),
                (_, true) => text_of(left),
                _ => None,
            };
            text.map_or((true, true), |text| known((text == name) == (*op == CompareOp::Equal)))
        }
        ExprKind::In(value, set) if is_rule(value, slot) => {
            let texts: Option<Vec<&str>> = set.iter().map(text_of).collect();
            texts.map_or((true, true), |texts| known(texts.contains(&name)))
        }
        _ => (true, true),
    }
}

fn mays(parts: &[Expr], slot: Slot, name: &str) -> Vec<May> {
    parts.iter().map(|part| may(part, slot, name)).collect()
}

fn joined(parts: &[May], all: bool) -> May {
    if all {
        (parts.iter().all(|may| may.0), parts.iter().any(|may| may.1))
    } else {
        (parts.iter().any(|may| may.0), parts.iter().all(|may| may.1))
    }
}

fn is_rule(expr: &Expr, slot: Slot) -> bool {
    matches!(expr.kind, ExprKind::Field(of, RULE_FIELD) if of == slot)
}

fn text_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Const(Value::Text(text)) => Some(text),
        _ => None,
    }
}
