//! How a trigger is told from others and delivered: `then`, `once per`.

use super::clauses::At;
use super::id;
use super::names::Kind;
use super::rule::flat;
use super::scope::{Scope, Slots};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::rule_set::{BudgetId, Escalate, Key, Then};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{self, Level, Name, Period};

impl<'a> Scope<'_, 'a> {
    pub(super) fn then(&mut self, then: At<'a, ast::Then>, name: Span) -> Option<Then> {
        let Some((then, span)) = then else {
            return self.world.missing(
                name,
                "a rule says what happens",
                "write `then note`, `then tell` or `then ring`",
            );
        };
        let within = then.within.as_ref().map(|name| self.budget(name));
        let at = then.at.as_ref().map(|name| self.world.find_calendar_schedule(name, "a digest"));
        let escalate = then.escalate.as_ref().map(|escalate| self.escalate(escalate, then.level.node));
        match (then.level.node, &then.at) {
            (Level::Digest, None) => {
                return self.world.missing(
                    span,
                    "a digest waits for a schedule",
                    "write `then digest at SCHEDULE`",
                );
            }
            (level, Some(at)) if level != Level::Digest => {
                let message = "`at SCHEDULE` goes with `digest` only";
                return self.world.report.error(id::OUT_OF_PLACE, at.span, message);
            }
            _ => {}
        }
        Some(Then { level: then.level.node, within: flat(within)?, at: flat(at)?, escalate: flat(escalate)? })
    }

    fn budget(&mut self, name: &Name) -> Option<BudgetId> {
        self.world.names.find(&mut self.world.report, name, Kind::Budget).map(BudgetId)
    }

    fn escalate(&mut self, escalate: &ast::Escalate, from: Level) -> Option<Escalate> {
        let within = escalate.within.as_ref().map(|name| self.budget(name));
        if escalate.level.node <= from || from == Level::Digest {
            let message = "the second level must be louder than the first";
            let error = Diagnostic::error(id::BAD_VALUE, escalate.level.span, message);
            return self.world.report.fail(error.help("levels from weak to loud: `note`, `tell`, `ring`"));
        }
        if escalate.after.node <= 0 {
            let message = "`after` must be longer than nothing";
            return self.world.report.error(id::BAD_VALUE, escalate.after.span, message);
        }
        Some(Escalate {
            level: escalate.level.node,
            within: flat(within)?,
            after_ms: escalate.after.node,
            unless_seen: escalate.unless_seen,
        })
    }

    /// The parts of an identity.
    pub(super) fn keys(&mut self, names: &'a [Name]) -> Option<Vec<Key>> {
        let found: Vec<Option<Key>> = names.iter().map(|name| self.key(name)).collect();
        found.into_iter().collect()
    }

    fn key(&mut self, name: &'a Name) -> Option<Key> {
        if let Some(period) = Period::named(&name.node) {
            self.world.report.needs_zone(name.span);
            let local = self.lets.contains_key(name.node.as_str())
                || self.slot_names.contains_key(name.node.as_str());
            if local {
                let message = format!("`{}` is a period, and the name of something in this rule", name.node);
                let error = Diagnostic::error(id::DUPLICATE_NAME, name.span, message);
                return self.world.report.fail(error.help("give the other another name"));
            }
            return Some(Key::Period(period));
        }
        if let Some(slot) = self.slot_names.get(name.node.as_str()).copied() {
            self.need_bound(Slots::NONE.with(slot), name.span)?;
            return Some(Key::Item(slot));
        }
        let value = self.path(&name.node, name.span)?;
        if self.is_shown(value.ty, &value.kind) {
            return Some(Key::Value(value));
        }
        self.world.report.error(
            id::UNIT_MISMATCH,
            name.span,
            "a condition cannot tell one trigger from another",
        )
    }
}
