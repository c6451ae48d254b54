//! What a rule shows as its facts: the values that its condition and its text read directly.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::scope::{Slots, free_slots};
use crate::engine::rule_set::{Expr, ExprKind, LetId, Part, RuleDef};
use crate::engine::source::Span;
use crate::engine::value::Type;

/// Facts in the order of first reading, named as they are written.
struct Facts<'f> {
    rule: &'f RuleDef,
    let_slots: &'f [Slots],
    bound: Slots,
    shown: &'f dyn Fn(Span) -> Arc<str>,
    names: BTreeSet<Arc<str>>,
    /// Conditions among the `let`s that were looked into.
    lets: BTreeSet<LetId>,
    found: Vec<(Arc<str>, Expr)>,
}

/// Facts of a rule: those whose items are bound when it speaks.
pub(super) fn facts(
    rule: &RuleDef,
    let_slots: &[Slots],
    bound: Slots,
    shown: &dyn Fn(Span) -> Arc<str>,
) -> Vec<(Arc<str>, Expr)> {
    let (names, lets, found) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut facts = Facts { rule, let_slots, bound, shown, names, lets, found };
    for line in &rule.when {
        facts.read(&line.expr);
    }
    let main = rule.say.text.iter().chain(rule.say.otherwise.iter().flatten());
    for part in main {
        match part {
            Part::Value(expr) if !matches!(expr.kind, ExprKind::Const(_)) => facts.add(expr),
            _ => {}
        }
    }
    facts.found
}

impl Facts<'_> {
    fn read(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Signal(_) | ExprKind::SignalAge(_) | ExprKind::Field(..) | ExprKind::ItemAge(_) => {
                self.add(expr)
            }
            ExprKind::Let(index) if expr.ty == Type::Flag => {
                // A condition is not a fact, but what it reads is.
                let rule = self.rule;
                if self.lets.insert(*index)
                    && let Some(def) = rule.lets.get(usize::from(index.0))
                {
                    self.read(&def.expr);
                }
            }
            ExprKind::Let(_) => self.add(expr),
            _ => expr.each_part(&mut |part| self.read(part)),
        }
    }

    fn add(&mut self, expr: &Expr) {
        if free_slots(expr, self.let_slots).minus(self.bound) != Slots::NONE {
            return;
        }
        let name = (self.shown)(expr.span);
        if self.names.insert(Arc::clone(&name)) {
            self.found.push((name, expr.clone()));
        }
    }
}
