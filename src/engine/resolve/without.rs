//! The rules without those that are broken: indices move up, and nobody reads the firing of a rule that is
//! gone.

use crate::engine::rule_set::{Expr, ExprKind, Gather, Key, Part, RuleDef, RuleId};

/// New index of each rule by its old one.
type Moved = Vec<Option<RuleId>>;

/// Rules that could be resolved, and for each rule that was tried whether it could.
#[derive(Debug, Default)]
pub(super) struct Whole {
    rules: Vec<RuleDef>,
    found: Vec<bool>,
}

impl Whole {
    /// Adds the next rule; `None` for a broken one.
    pub(super) fn push(&mut self, rule: Option<RuleDef>) {
        self.found.push(rule.is_some());
        self.rules.extend(rule);
    }

    /// The rules, with the indices that they now have.
    pub(super) fn rules(mut self) -> Vec<RuleDef> {
        if self.rules.len() == self.found.len() {
            return self.rules;
        }
        let mut next = 0_u32;
        let mut number = |found: &bool| {
            let id = RuleId(next);
            next = next.saturating_add(u32::from(*found));
            found.then_some(id)
        };
        let moved: Moved = self.found.iter().map(&mut number).collect();
        for rule in &mut self.rules {
            each_expr(rule, &mut |expr| move_up(expr, &moved));
            rule.reads.fired = rename(&rule.reads.fired, &moved);
        }
        self.rules
    }
}

fn rename(rules: &[RuleId], moved: &Moved) -> Vec<RuleId> {
    rules.iter().filter_map(|rule| moved.get(rule.index()).copied().flatten()).collect()
}

fn each_expr(rule: &mut RuleDef, see: &mut dyn FnMut(&mut Expr)) {
    rule.lets.iter_mut().for_each(|def| see(&mut def.expr));
    let lines = rule.when.iter_mut().chain(&mut rule.unless).chain(&mut rule.clear);
    lines.for_each(|line| see(&mut line.expr));
    if let Some(Gather::Text { filter: Some(filter), .. }) = &mut rule.gather {
        see(filter);
    }
    for key in &mut rule.once_per {
        if let Key::Value(value) = key {
            see(value);
        }
    }
    let each = rule.say.each.iter_mut().flat_map(|(_, parts)| parts);
    for part in rule.say.text.iter_mut().chain(each).chain(rule.say.otherwise.iter_mut().flatten()) {
        if let Part::Value(value) = part {
            see(value);
        }
    }
    rule.facts.iter_mut().for_each(|(_, expr)| see(expr));
}

fn move_up(expr: &mut Expr, moved: &Moved) {
    if let ExprKind::Fired(rules) = &mut expr.kind {
        *rules = rename(rules, moved);
    }
    expr.each_part_mut(&mut |part| move_up(part, moved));
}
