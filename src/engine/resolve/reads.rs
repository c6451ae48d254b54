//! What a rule reads, so that only what can change is judged again.

use std::collections::BTreeSet;

use crate::engine::record::{SignalId, StreamId};
use crate::engine::rule_set::{
    Expr, ExprKind, Gather, Key, LetDef, LetId, Line, Reads, RuleDef, RuleId, RuleSet, Source,
};

/// Sets in the order of their ids.
#[derive(Debug, Default)]
struct Found {
    current: BTreeSet<SignalId>,
    history: BTreeSet<SignalId>,
    streams: BTreeSet<StreamId>,
    silence: Vec<Source>,
    fired: BTreeSet<RuleId>,
    lets: BTreeSet<LetId>,
}

impl Found {
    fn read(&mut self, expr: &Expr, rule: &RuleDef, set: &RuleSet) {
        match &expr.kind {
            ExprKind::Signal(signal) | ExprKind::SignalAge(signal) => {
                self.current.insert(*signal);
            }
            ExprKind::Window { window, .. } => {
                self.history.extend(set.windows.get(window.index()).map(|window| window.signal));
            }
            ExprKind::Join(join) => {
                self.streams.insert(join.stream);
            }
            ExprKind::Nothing(sources, _) => {
                for source in sources {
                    if !self.silence.contains(source) {
                        self.silence.push(*source);
                    }
                }
            }
            ExprKind::Fired(rules) => self.fired.extend(rules),
            ExprKind::Let(index) => {
                if self.lets.insert(*index)
                    && let Some(def) = rule.lets.get(usize::from(index.0))
                {
                    self.read(&def.expr, rule, set);
                }
            }
            _ => {}
        }
        expr.each_part(&mut |part| self.read(part, rule, set));
    }
}

/// What causes a new judgement: `when`, `clear when` and the key, with their `let`s. A text does not, and of
/// `unless` only the order of rules knows.
pub(super) fn reads(rule: &RuleDef, set: &RuleSet) -> Reads {
    let mut judged = Found::default();
    for line in &rule.when {
        judged.read(&line.expr, rule, set);
    }
    let dated = |signal: &&SignalId| set.signals.get(signal.0 as usize).is_some_and(|def| def.is_dated());
    let dated: BTreeSet<SignalId> =
        judged.current.iter().chain(&judged.history).filter(dated).copied().collect();
    if let Some(line) = &rule.clear {
        judged.read(&line.expr, rule, set);
    }
    for key in &rule.once_per {
        if let Key::Value(value) = key {
            judged.read(value, rule, set);
        }
    }
    let mut gate = Found::default();
    if let Some(line) = &rule.unless {
        gate.read(&line.expr, rule, set);
    }
    judged.fired.extend(gate.fired);
    Reads {
        current: judged.current.into_iter().collect(),
        history: judged.history.into_iter().collect(),
        dated: dated.into_iter().collect(),
        streams: judged.streams.into_iter().collect(),
        silence: judged.silence,
        fired: judged.fired.into_iter().collect(),
    }
}

/// Names of the `let`s that the state of a rule depends on.
pub(super) fn lets_of_state<'r>(rule: &'r RuleDef, set: &RuleSet) -> BTreeSet<&'r str> {
    let mut found = Found::default();
    let lines = rule.when.iter().chain(&rule.clear).map(|line| &line.expr);
    let keys = rule.once_per.iter().filter_map(|key| match key {
        Key::Value(value) => Some(value),
        Key::Period(_) | Key::Item(_) => None,
    });
    let filter = match &rule.gather {
        Some(Gather::Text { filter, .. }) => filter.as_ref(),
        _ => None,
    };
    for expr in lines.chain(keys).chain(filter) {
        found.read(expr, rule, set);
    }
    found.lets.iter().filter_map(|index| rule.lets.get(usize::from(index.0))).map(|def| &*def.name).collect()
}

/// Signals whose values or history the condition itself reads.
pub(super) fn of_condition(rule: &RuleDef, set: &RuleSet) -> BTreeSet<SignalId> {
    let mut found = Found::default();
    for line in &rule.when {
        found.read(&line.expr, rule, set);
    }
    found.current.into_iter().chain(found.history).collect()
}

/// True when a condition asks whether rules fired, in its `let`s too.
pub(super) fn asks_for_firing(lines: &[Line], lets: &[LetDef]) -> bool {
    fn asks(expr: &Expr, lets: &[LetDef], seen: &mut BTreeSet<LetId>) -> bool {
        let mut found = match &expr.kind {
            ExprKind::Fired(_) => true,
            ExprKind::Let(index) if seen.insert(*index) => {
                lets.get(usize::from(index.0)).is_some_and(|def| asks(&def.expr, lets, seen))
            }
            _ => false,
        };
        expr.each_part(&mut |part| found = found || asks(part, lets, seen));
        found
    }
    let mut seen = BTreeSet::new();
    lines.iter().any(|line| asks(&line.expr, lets, &mut seen))
}
