//! Signals and streams.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::id;
use super::names::Items;
use super::world::World;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::rule_set::{RULES_FIRED_NAME, SignalDef, StreamDef};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{self, Cadence, ExprKind, Name};
use crate::engine::value::{NUMBER_DECIMALS, Type};

impl<'a> World<'a> {
    /// Streams, after the built-in one.
    pub(super) fn streams(&mut self, items: &Items<'a>) {
        self.set.streams.push(rules_fired());
        for (def, span) in &items.streams {
            if let Some(stream) = self.stream(def, *span) {
                self.names.set_index(&def.name.node, self.set.streams.len());
                self.set.streams.push(stream);
            }
        }
    }

    fn stream(&mut self, def: &'a ast::Stream, span: Span) -> Option<StreamDef> {
        let mut taken: BTreeMap<&str, (Span, Type, usize)> = BTreeMap::new();
        let mut fields: Vec<(Arc<str>, Type)> = Vec::new();
        let mut whole = true;
        for (name, ty) in &def.fields {
            let Some(ty) = self.type_named(ty) else {
                whole = false;
                continue;
            };
            if let Some((first, ..)) = taken.get(name.node.as_str()) {
                let message = format!("two fields are called `{}`", name.node);
                let error = Diagnostic::error(id::DUPLICATE_NAME, name.span, message);
                self.report.push(error.related(*first, "the first"));
                whole = false;
                continue;
            }
            taken.insert(&name.node, (name.span, ty, fields.len()));
            fields.push((name.node.as_str().into(), ty));
        }
        if !whole {
            return None;
        }
        let timed = match &def.timed {
            None => None,
            Some(timed) => {
                let start = self.time_field(&timed.start, &taken);
                let end = timed.end.as_ref().map(|end| self.time_field(end, &taken));
                match end {
                    Some(end) => Some((start?, Some(end?))),
                    None => Some((start?, None)),
                }
            }
        };
        let name = def.name.node.as_str().into();
        Some(StreamDef { name, fields, timed, private: def.private.is_some(), span })
    }

    fn time_field(&mut self, name: &Name, fields: &BTreeMap<&str, (Span, Type, usize)>) -> Option<usize> {
        match fields.get(name.node.as_str()) {
            Some((_, Type::Instant | Type::Date, index)) => Some(*index),
            Some((place, ty, _)) => {
                let message =
                    format!("`{}` is {}, and `timed` needs an instant", name.node, self.describe(*ty));
                let error = Diagnostic::error(id::UNIT_MISMATCH, name.span, message);
                self.report.fail(error.related(*place, "declared here"))
            }
            None => {
                let error = self.report.unknown(name.span, "field", &name.node, fields.keys().copied());
                self.report.fail(error)
            }
        }
    }

    /// Signals.
    pub(super) fn signals(&mut self, items: &Items<'a>) {
        for (def, span) in &items.signals {
            if let Some(signal) = self.signal_def(def, *span) {
                self.names.set_index(&def.name.node, self.set.signals.len());
                self.set.signals.push(signal);
            }
        }
    }

    fn signal_def(&mut self, def: &'a ast::Signal, span: Span) -> Option<SignalDef> {
        let ty = self.type_named(&def.unit)?;
        if matches!(ty, Type::Instant | Type::Date | Type::Clock) {
            let message = format!("a signal cannot be {}", self.describe(ty));
            return self.report.error(id::UNIT_MISMATCH, def.unit.span, message);
        }
        let fresh = match &def.fresh {
            None => {
                let message = format!("`{}` does not say how long a value counts", def.name.node);
                return self.missing(
                    def.name.span,
                    message,
                    "write `fresh` and a duration, such as `fresh 24h`",
                );
            }
            Some(fresh) => fresh,
        };
        if fresh.node <= 0 {
            return self.report.error(id::BAD_VALUE, fresh.span, "`fresh` must be longer than nothing");
        }
        let cadence = def.cadence.as_ref().map_or(Cadence::Sampled, |cadence| cadence.node);
        if let (Cadence::Every(..=0), Some(place)) = (cadence, &def.cadence) {
            return self.report.error(id::BAD_VALUE, place.span, "`every` must be longer than nothing");
        }
        let range = match &def.range {
            None => None,
            Some((low, high)) => Some(self.range(ty, low, high)?),
        };
        Some(SignalDef {
            name: def.name.node.as_str().into(),
            ty,
            cadence,
            fresh_ms: Some(fresh.node),
            range,
            private: def.private.is_some(),
            builtin: false,
            span,
        })
    }

    fn range(&mut self, ty: Type, low: &ast::Expr, high: &ast::Expr) -> Option<(i64, i64)> {
        let span = low.span.to(high.span);
        if !ty.is_numeric() {
            let message =
                format!("`range` needs a signal with numbers, and this one is {}", self.describe(ty));
            return self.report.error(id::OUT_OF_PLACE, span, message);
        }
        let (from, to) = (self.literal_steps(ty, low), self.literal_steps(ty, high));
        let (from, to) = (from?, to?);
        if from > to {
            let error = Diagnostic::error(id::BAD_VALUE, span, "the range ends before it begins");
            return self.report.fail(error.help("write the smaller value first"));
        }
        Some((from, to))
    }

    /// A literal of this numeric type in whole steps; plain numbers in millionths.
    pub(super) fn literal_steps(&mut self, ty: Type, literal: &ast::Expr) -> Option<i64> {
        let found = match &literal.kind {
            ExprKind::Number(decimal) if ty == Type::Number => {
                return self.steps(*decimal, NUMBER_DECIMALS, "number", literal.span);
            }
            ExprKind::Number(_) => Type::Number,
            ExprKind::Duration(ms) if ty == Type::Duration => return Some(*ms),
            ExprKind::Duration(_) => Type::Duration,
            ExprKind::Quantity(decimal, unit) => {
                let (found, keep) = self.unit_of_quantity(unit)?;
                if found == ty {
                    return self.steps(*decimal, keep, &unit.node, literal.span);
                }
                found
            }
            _ => {
                let message = format!("{} is needed here", self.describe(ty));
                return self.report.error(id::UNIT_MISMATCH, literal.span, message);
            }
        };
        self.mismatch(literal.span, found, ty)
    }

    /// Reports one type where another is needed.
    pub(super) fn mismatch<T>(&mut self, span: Span, found: Type, needed: Type) -> Option<T> {
        let message = format!("this is {}, and {} is needed", self.describe(found), self.describe(needed));
        self.report.error(id::UNIT_MISMATCH, span, message)
    }
}

/// The built-in stream of earlier triggers.
fn rules_fired() -> StreamDef {
    let fields = [
        ("rule", Type::Word),
        ("title", Type::Text),
        ("at", Type::Instant),
        ("level", Type::Word),
        ("outcome", Type::Word),
    ];
    StreamDef {
        name: RULES_FIRED_NAME.into(),
        fields: fields.iter().map(|(name, ty)| (Arc::from(*name), *ty)).collect(),
        timed: Some((2, None)),
        private: false,
        span: Span::default(),
    }
}
