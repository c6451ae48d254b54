//! Why a rule is (not) true: every clause with its values, their ages and its verdict.
//!
//! Judges again from a state, with the same evaluation as the step; changes nothing. What is missing comes
//! with its reason, a question about items with those that decided it, a signal with what was set aside of
//! it.

mod read;
mod set_aside;

use std::sync::Arc;

use super::eval::{Missing, Scope, Truth};
use super::rule_set::{Cause, Line, RuleId, RuleSet, Slot};
use super::source::{Sources, Span};
use super::state::State;
use read::Reader;

pub use set_aside::set_aside;

/// One clause and how it was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClauseWhy {
    /// The clause as written.
    pub text: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its verdict.
    pub verdict: Truth,
    /// What it read, in reading order.
    pub values: Vec<ReadValue>,
}

/// Something that a clause read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadValue {
    /// Its name or text; ages as `NAME age`.
    pub name: Arc<str>,
    /// The shown value, or `unknown` and why.
    pub value: Arc<str>,
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
    // All verdicts come first: laying values open takes fuel that the rule's own judgement did not need.
    let fuel = scope.fuel;
    let mut verdicts = |lines: &[Line]| lines.iter().map(|line| scope.line(line)).collect::<Vec<_>>();
    let (when, unless, clear) =
        (verdicts(&rule.when), verdicts(rule.unless.as_slice()), verdicts(rule.clear.as_slice()));
    let spent = scope.is_out_of_fuel();
    let start = if rule.when_any && !rule.when.is_empty() { Truth::False } else { Truth::True };
    let verdict = when.iter().fold(
        start,
        |verdict, line| {
            if rule.when_any { verdict.or(*line) } else { verdict.and(*line) }
        },
    );
    let mut explain = |lines: &[Line], verdicts: Vec<Truth>| -> Vec<ClauseWhy> {
        let lines = lines.iter().zip(verdicts);
        let explained = lines.map(|(line, verdict)| {
            scope.fuel = fuel;
            let mut values = Reader::new(&mut scope, state, sources).values(&line.expr);
            if spent && verdict == Truth::Unknown {
                let value = format!("unknown ({})", Missing::OutOfFuel).into();
                values.push(ReadValue { name: "fuel".into(), value });
            }
            let (text, line) = place(sources, line.span);
            ClauseWhy { text, line, verdict, values }
        });
        explained.collect()
    };
    let mut clauses = explain(&rule.when, when);
    let memory = state.rule_states.get(id.index());
    let active = memory.is_some_and(|memory| memory.active.is_some());
    if let Some((_, span)) = &rule.hold {
        let (text, line) = place(sources, *span);
        clauses.push(ClauseWhy { text, line, verdict: active.into(), values: Vec::new() });
    }
    clauses.extend(explain(rule.unless.as_slice(), unless));
    clauses.extend(explain(rule.clear.as_slice(), clear));
    Some(Why { verdict, active, clauses })
}

/// The text of a place on one line, and its line.
fn place(sources: &Sources, span: Span) -> (String, u32) {
    let Some(file) = sources.get(span.file) else { return (String::new(), 0) };
    (file.on_one_line(span), file.line_column(span.start).0)
}
