//! Why a rule is (not) true: every clause with its values, their ages and its verdict.
//!
//! Judges again from a state, with the same evaluation as the step; changes nothing.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::eval::{Missing, Scope, Truth};
use super::record::SignalId;
use super::rule_set::{Cause, Expr, ExprKind, Line, RuleDef, RuleId, RuleSet, Slot};
use super::source::{Sources, Span};
use super::state::State;
use super::value::Type;

/// One clause and how it was judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClauseWhy {
    /// The clause as written.
    pub text: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its verdict.
    pub verdict: Truth,
    /// What it read: name and shown value, ages as `NAME age`.
    pub values: Vec<(Arc<str>, Arc<str>)>,
}

/// A judgement laid open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The verdict of `when`, before the rule's `unknown` policy.
    pub verdict: Truth,
    /// True from becoming active until it clears.
    pub active: bool,
    /// `when` lines, then `for`, `unless` and `clear when`.
    pub clauses: Vec<ClauseWhy>,
}

/// Judges a rule as of the state's clock.
pub fn why(rules: &RuleSet, state: &State, id: RuleId, sources: &Sources) -> Option<Why> {
    let rule = rules.rules.get(id.index())?;
    let facts = state.facts(rules);
    let mut scope = Scope::new(rules, rule, &facts);
    if let Cause::Item(stream) = rule.cause
        && let Some(item) = state.streams.get(stream.0 as usize).and_then(|items| items.newest())
    {
        scope.pin(Slot(0), item.clone());
    }
    let mut clauses = Vec::new();
    let mut verdict = if rule.when_any && !rule.when.is_empty() { Truth::False } else { Truth::True };
    for line in &rule.when {
        let clause = explain_line(&mut scope, rule, line, sources);
        verdict = if rule.when_any { verdict.or(clause.verdict) } else { verdict.and(clause.verdict) };
        clauses.push(clause);
    }
    let memory = state.rule_states.get(id.index());
    let active = memory.is_some_and(|memory| memory.active.is_some());
    if let Some((_, span)) = &rule.hold {
        let (text, line) = place(sources, *span);
        clauses.push(ClauseWhy { text, line, verdict: active.into(), values: Vec::new() });
    }
    for line in rule.unless.iter().chain(&rule.clear) {
        clauses.push(explain_line(&mut scope, rule, line, sources));
    }
    Some(Why { verdict, active, clauses })
}

fn explain_line(scope: &mut Scope<'_>, rule: &RuleDef, line: &Line, sources: &Sources) -> ClauseWhy {
    let (text, number) = place(sources, line.span);
    let verdict = scope.truth(&line.expr);
    let mut values = Vec::new();
    collect(scope, rule, &line.expr, sources, &mut values);
    if scope.is_out_of_fuel() {
        note(&mut values, "fuel".into(), format!("unknown ({})", Missing::OutOfFuel));
    }
    ClauseWhy { text, line: number, verdict, values }
}

fn place(sources: &Sources, span: Span) -> (String, u32) {
    let Some(file) = sources.get(span.file) else { return (String::new(), 0) };
    (file.on_one_line(span), file.line_column(span.start).0)
}

/// Names and values of everything that an expression reads, in reading order, without repeats.
fn collect(
    scope: &mut Scope<'_>,
    rule: &RuleDef,
    expr: &Expr,
    sources: &Sources,
    out: &mut Vec<(Arc<str>, Arc<str>)>,
) {
    let name = || Arc::from(place(sources, expr.span).0.as_str());
    match &expr.kind {
        ExprKind::Signal(signal) => {
            let name: Arc<str> =
                scope.rules.signals.get(signal.0 as usize).map(|def| def.name.clone()).unwrap_or_default();
            let shown = value_or_reason(scope, expr);
            note(out, name.clone(), shown);
            if let Some(age) = age_of(scope, *signal) {
                note(out, format!("{name} age").into(), age);
            }
        }
        ExprKind::Let(id) => {
            let Some(definition) = rule.lets.get(usize::from(id.0)) else { return };
            let shown = value_or_reason(scope, &definition.expr);
            note(out, definition.name.clone(), shown);
            collect(scope, rule, &definition.expr, sources, out);
        }
        ExprKind::SignalAge(_) | ExprKind::ItemAge(_) | ExprKind::Window { .. } | ExprKind::Field(..) => {
            let shown = value_or_reason(scope, expr);
            note(out, name(), shown);
        }
        ExprKind::Now => {
            let shown = scope.shown(expr);
            note(out, "now".into(), shown);
        }
        ExprKind::Fired(rules) => {
            for fired in rules {
                let Some(def) = scope.rules.rules.get(fired.index()) else { continue };
                let today = scope.facts.fired.get(fired.index()).copied().flatten();
                let fired_today = today.is_some_and(|at| at >= scope.facts.today.1);
                note(
                    out,
                    def.name.clone(),
                    if fired_today { "fired today" } else { "not fired today" }.to_owned(),
                );
            }
        }
        ExprKind::Join(join) => {
            let found = scope.items_of(join);
            let word = if found == 1 { "item" } else { "items" };
            note(out, name(), format!("{found} {word} in the window"));
        }
        _ => {
            let mut parts = Vec::new();
            expr.each_part(&mut |part| parts.push(part));
            for part in &parts {
                collect(scope, rule, part, sources, out);
            }
            // What was computed is named where the computing failed, not where a part was missing.
            if expr.ty != Type::Flag && parts.iter().all(|part| scope.value(part).is_ok()) {
                let failed = scope.value(expr).is_err();
                if failed {
                    let shown = value_or_reason(scope, expr);
                    note(out, name(), shown);
                }
            }
        }
    }
}

/// A value as it is shown; of a missing one, why.
fn value_or_reason(scope: &mut Scope<'_>, expr: &Expr) -> String {
    let shown = scope.shown(expr);
    if expr.ty == Type::Flag && !matches!(expr.kind, ExprKind::Signal(_) | ExprKind::Field(..)) {
        return shown;
    }
    match scope.value(expr) {
        Ok(_) => shown,
        Err(reason) => format!("{shown} ({reason})"),
    }
}

fn note(out: &mut Vec<(Arc<str>, Arc<str>)>, name: Arc<str>, value: String) {
    if !out.iter().any(|(known, _)| *known == name) {
        out.push((name, value.into()));
    }
}

fn age_of(scope: &mut Scope<'_>, signal: SignalId) -> Option<String> {
    scope.facts.signals.get(signal.0 as usize)?.current()?;
    let age = Expr { span: Span::default(), ty: Type::Duration, kind: ExprKind::SignalAge(signal) };
    Some(scope.shown(&age))
}
