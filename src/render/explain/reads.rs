//! What a rule without `on` reads, for its first sentence: signals, streams and firings, by their names.

use std::collections::BTreeSet;

use super::value::list;
use crate::engine::syntax::ast::{ClauseKind, Expr, ExprKind, Gather, Rule};

/// "`a` or `b` changes, or `c` fires"; `None` when nothing is read.
pub(super) fn changes(rule: &Rule) -> Option<String> {
    let mut reads = Reads::default();
    for clause in &rule.clauses {
        match &clause.kind {
            ClauseKind::Let(_, expr)
            | ClauseKind::When(expr)
            | ClauseKind::And(expr)
            | ClauseKind::Or(expr)
            | ClauseKind::Unless(expr)
            | ClauseKind::ClearWhen(expr) => expr.walk(&mut |part| reads.see(part)),
            ClauseKind::On(_, var) => reads.bound.extend(var.iter().map(|var| var.node.as_str())),
            ClauseKind::Gather(Gather::Text { var, .. }) => {
                reads.bound.insert(&var.node);
            }
            _ => {}
        }
    }
    let bound = &reads.bound;
    let is_bound = |path: &&str| path.split('.').next().is_some_and(|head| bound.contains(head));
    reads.values.retain(|path| path.contains('.') && !is_bound(path));
    let words =
        |names: &[&str]| list(&names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>(), "or");
    match (reads.values.as_slice(), reads.rules.as_slice()) {
        ([], []) => None,
        (values, []) => Some(format!("{} changes", words(values))),
        ([], rules) => Some(format!("{} fires", words(rules))),
        (values, rules) => Some(format!("{} changes or {} fires", words(values), words(rules))),
    }
}

/// Names in the order of first reading, without repeats.
#[derive(Default)]
struct Reads<'a> {
    values: Vec<&'a str>,
    rules: Vec<&'a str>,
    bound: BTreeSet<&'a str>,
}

impl<'a> Reads<'a> {
    fn value(&mut self, name: &'a str) {
        if !self.values.contains(&name) {
            self.values.push(name);
        }
    }

    fn rule(&mut self, name: &'a str) {
        if !self.rules.contains(&name) {
            self.rules.push(name);
        }
    }

    /// What the expression itself names, its parts left out.
    fn see(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Path(path) => self.value(path),
            ExprKind::Stat(stat) => self.value(&stat.signal.node),
            ExprKind::Nothing(sources, _) => sources.iter().for_each(|source| self.value(&source.node)),
            ExprKind::Fired(rules) => rules.iter().for_each(|rule| self.rule(&rule.node)),
            ExprKind::Join(join) => {
                self.bound.insert(&join.var.node);
                self.value(&join.stream.node);
            }
            _ => {}
        }
    }
}
