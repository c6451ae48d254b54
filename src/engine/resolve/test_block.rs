//! Test blocks: names and types of what is given and expected. What they mean is the test runner's business.

use super::id;
use super::names::{Items, Kind};
use super::scope::Scope;
use super::time::zone_named;
use super::world::World;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::gates;
use crate::engine::record::StreamId;
use crate::engine::rule_set::ExprKind;
use crate::engine::source::Span;
use crate::engine::syntax::ast::{self, ExprKind as Tree, Name, TestLineKind};
use crate::engine::value::Type;

impl<'a> World<'a> {
    /// All tests; one with an unknown name or a wrong type is left out.
    pub(super) fn tests(&mut self, items: &Items<'a>) {
        for (test, broken) in &items.tests {
            let before = self.report.diagnostics.len();
            for line in &test.lines {
                self.test_line(line);
            }
            if self.report.diagnostics.len() == before && !broken {
                self.set.tests.push((*test).clone());
            }
        }
    }

    fn test_line(&mut self, line: &'a ast::TestLine) {
        match &line.kind {
            TestLineKind::Zone(zone) | TestLineKind::Travel(zone, _) => {
                zone_named(zone, &mut self.report);
            }
            TestLineKind::Series { signal, values, .. } => {
                let ty = self.type_of_signal(signal);
                for value in values.iter().filter_map(|(value, _)| value.as_ref()) {
                    self.given(value, ty);
                }
            }
            TestLineKind::Reading { signal, value, .. } => {
                let ty = self.type_of_signal(signal);
                self.given(value, ty);
            }
            TestLineKind::Item { stream, fields, .. } => {
                if let Some(stream) = self.find_stream(stream) {
                    for (name, value) in fields {
                        let ty = self.type_of_field(stream, name);
                        self.given(value, ty);
                    }
                }
            }
            TestLineKind::Seen(rule, _)
            | TestLineKind::HandoverFailed(rule, _)
            | TestLineKind::Rejected(rule, _) => {
                self.known_rule(rule);
            }
            TestLineKind::Snooze(rule, from, until) => {
                if let Some(rule) = rule {
                    self.known_rule(rule);
                }
                self.in_order(from.node, until.node, until.span);
            }
            TestLineKind::Down(from, until) | TestLineKind::Quiet(from, until) => {
                self.in_order(from.node, until.node, until.span);
            }
            TestLineKind::Expect(expect) => {
                self.known_rule(&expect.rule);
                expect.gate.iter().for_each(|gate| self.known_gate(gate));
            }
            TestLineKind::Restart(_) | TestLineKind::NothingElse => {}
        }
    }

    fn in_order(&mut self, from: ast::LocalTime, until: ast::LocalTime, span: Span) {
        if until <= from {
            self.report.push(Diagnostic::error(id::BAD_VALUE, span, "this ends before it begins"));
        }
    }

    fn known_rule(&mut self, name: &Name) {
        self.names.find(&mut self.report, name, Kind::Rule);
    }

    fn known_gate(&mut self, gate: &Name) {
        let words = || {
            gates::ORDER.iter().map(|gate| gate.name).chain(gates::OTHER_WORDS.iter().map(|(word, _)| *word))
        };
        if !words().any(|word| word == gate.node) {
            let error = self.report.unknown(gate.span, "gate", &gate.node, words());
            self.report.push(error);
        }
    }

    fn type_of_signal(&mut self, name: &'a Name) -> Option<Type> {
        let signal = self.find_signal(name)?;
        self.set.signals.get(signal.0 as usize).map(|def| def.ty)
    }

    fn type_of_field(&mut self, stream: StreamId, name: &Name) -> Option<Type> {
        let def = self.set.streams.get(stream.0 as usize)?;
        if let Some((_, ty)) = def.fields.iter().find(|(known, _)| **known == *name.node) {
            return Some(*ty);
        }
        let known = def.fields.iter().map(|(known, _)| &**known);
        let error = self.report.unknown(name.span, "field", &name.node, known);
        self.report.fail(error)
    }

    /// A given value must be a literal of the type; readings may have more decimals than the unit keeps.
    fn given(&mut self, value: &'a ast::Expr, ty: Option<Type>) {
        let Some(ty) = ty else { return };
        match (&value.kind, ty) {
            (Tree::Path(word), Type::Word | Type::Text) if !word.contains('.') => return,
            (Tree::Number(_), Type::Number | Type::Quantity(_)) => return,
            (Tree::Date(_), Type::Instant) => return,
            (Tree::Quantity(_, unit), _) => {
                if let Some((found, _)) = self.unit_of_quantity(unit)
                    && found != ty
                {
                    self.mismatch::<()>(value.span, found, ty);
                }
                return;
            }
            _ => {}
        }
        let Some(found) = Scope::new(self).value(value) else { return };
        if !matches!(found.kind, ExprKind::Const(_)) {
            self.report.push(Diagnostic::error(id::BAD_VALUE, value.span, "a test gives plain values"));
        } else if found.ty != ty && !(found.ty.is_textual() && ty.is_textual()) {
            self.mismatch::<()>(value.span, found.ty, ty);
        }
    }
}
