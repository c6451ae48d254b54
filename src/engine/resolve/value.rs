//! Values: literals, names, arithmetic, statistics, calls.

use std::sync::Arc;

use super::id;
use super::names::Kind;
use super::scope::{Scope, Slots};
use super::types::PERCENT;
use super::world::World;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::functions;
use crate::engine::rule_set::{Expr, ExprKind, FunctionId, WindowDef, WindowSpan};
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{self, ArithOp, Decimal, ExprKind as Tree, Name, StatKind, StatWindow};
use crate::engine::time::{Date, clock_ms};
use crate::engine::value::{Ratio, Type, Value};

/// The type of percentages.
const PERCENTAGE: Type = Type::Quantity(PERCENT);

fn constant(span: Span, ty: Type, value: Value) -> Expr {
    Expr { span, ty, kind: ExprKind::Const(value) }
}

impl<'a> Scope<'_, 'a> {
    /// A value or a condition, by its type.
    pub(super) fn value(&mut self, tree: &'a ast::Expr) -> Option<Expr> {
        let span = tree.span;
        match &tree.kind {
            Tree::Number(decimal) => self.number(*decimal, span),
            Tree::Quantity(decimal, unit) => self.quantity(*decimal, unit, span),
            Tree::Duration(ms) => Some(constant(span, Type::Duration, Value::Number(Ratio::whole(*ms)))),
            Tree::Span(_) => {
                let error = Diagnostic::error(id::OUT_OF_PLACE, span, "a count of dates cannot stand here");
                self.world.report.fail(error.help("write a duration, such as `48h`"))
            }
            Tree::Instant(date, second) => self.instant(*date, *second, span),
            Tree::Date(date) => match Date::of_literal(*date) {
                Some(date) => Some(constant(span, Type::Date, Value::Date(date))),
                None => self.world.report.error(id::BAD_VALUE, span, "there is no such date"),
            },
            Tree::Clock(clock) => {
                self.world.clock(&Spanned::new(*clock, span), false)?;
                Some(constant(span, Type::Clock, Value::Clock(clock_ms(*clock))))
            }
            Tree::Text(text) => Some(constant(span, Type::Text, Value::Text(text.as_str().into()))),
            Tree::Flag(flag) => Some(constant(span, Type::Flag, Value::Flag(*flag))),
            Tree::Set(_) => {
                self.world.report.error(id::OUT_OF_PLACE, span, "a set can only stand after `in`")
            }
            Tree::Path(name) => self.path(name, span),
            Tree::Now => Some(Expr { span, ty: Type::Instant, kind: ExprKind::Now }),
            Tree::Age(of) => self.age(of, span),
            Tree::Group(inner) => self.value(inner).map(|expr| Expr { span, ..expr }),
            Tree::Arith(op, a, b) => self.arith(*op, a, b, span),
            Tree::PercentOf(a, b) => self.percent_of(a, b, span),
            Tree::AsPercentOf(a, b) => {
                let (a, b) = self.same_numeric(a, b, span)?;
                Some(Expr { span, ty: PERCENTAGE, kind: ExprKind::AsPercentOf(Box::new(a), Box::new(b)) })
            }
            Tree::Larger(a, b) | Tree::Smaller(a, b) => {
                let (a, b) = self.same_ordered(a, b, span)?;
                let (ty, a, b) = (a.ty, Box::new(a), Box::new(b));
                let larger = matches!(tree.kind, Tree::Larger(..));
                let kind = if larger { ExprKind::Larger(a, b) } else { ExprKind::Smaller(a, b) };
                Some(Expr { span, ty, kind })
            }
            Tree::Call(name, args) => self.call(name, args, span),
            Tree::Stat(stat) => self.stat(stat, span),
            _ => self.condition_kind(tree),
        }
    }

    fn number(&mut self, decimal: Decimal, span: Span) -> Option<Expr> {
        let den = 10_i128.checked_pow(u32::from(decimal.scale));
        match den.and_then(|den| Ratio::new(i128::from(decimal.mantissa), den)) {
            Some(ratio) => Some(constant(span, Type::Number, Value::Number(ratio.reduced()))),
            None => self.world.report.error(id::BAD_VALUE, span, "this number has too many decimals"),
        }
    }

    fn quantity(&mut self, decimal: Decimal, unit: &Name, span: Span) -> Option<Expr> {
        let (ty, keep) = self.world.unit_of_quantity(unit)?;
        let steps = self.world.steps(decimal, keep, &unit.node, span)?;
        Some(constant(span, ty, Value::Number(Ratio::whole(steps))))
    }

    fn instant(&mut self, date: ast::DateLit, second: u32, span: Span) -> Option<Expr> {
        self.world.report.needs_zone(span);
        match super::time::instant(date, second, &self.world.set) {
            Some(instant) => Some(constant(span, Type::Instant, Value::Instant(instant))),
            None => self.world.report.error(id::BAD_VALUE, span, "there is no such time"),
        }
    }

    fn age(&mut self, of: &'a ast::Expr, span: Span) -> Option<Expr> {
        let Tree::Path(name) = &of.kind else {
            return self.world.report.error(id::OUT_OF_PLACE, of.span, "only a signal or an item has an age");
        };
        let ty = Type::Duration;
        if let Some(slot) = self.slot_names.get(name.as_str()).copied() {
            self.need_bound(Slots::NONE.with(slot), of.span)?;
            self.slot(slot)?.stream?;
            return Some(Expr { span, ty, kind: ExprKind::ItemAge(slot) });
        }
        let found = self.path(name, of.span)?;
        match found.kind {
            ExprKind::Signal(signal) => Some(Expr { span, ty, kind: ExprKind::SignalAge(signal) }),
            _ => {
                let message = format!("`{name}` has no age; a signal or an item has");
                self.world.report.error(id::OUT_OF_PLACE, of.span, message)
            }
        }
    }

    fn percent_of(&mut self, a: &'a ast::Expr, b: &'a ast::Expr, span: Span) -> Option<Expr> {
        let (a, b) = (self.value(a), self.value(b));
        let (a, b) = (a?, b?);
        if a.ty != PERCENTAGE {
            return self.world.mismatch(a.span, a.ty, PERCENTAGE);
        }
        let ty = self.numeric(&b)?;
        Some(Expr { span, ty, kind: ExprKind::PercentOf(Box::new(a), Box::new(b)) })
    }

    fn numeric(&mut self, expr: &Expr) -> Option<Type> {
        if expr.ty.is_numeric() {
            return Some(expr.ty);
        }
        let message = format!("this is {}, and a number is needed", self.describe(expr.ty));
        self.world.report.error(id::UNIT_MISMATCH, expr.span, message)
    }

    fn same_numeric(&mut self, a: &'a ast::Expr, b: &'a ast::Expr, span: Span) -> Option<(Expr, Expr)> {
        let (a, b) = self.same_ordered(a, b, span)?;
        self.numeric(&a)?;
        Some((a, b))
    }

    fn same_ordered(&mut self, a: &'a ast::Expr, b: &'a ast::Expr, span: Span) -> Option<(Expr, Expr)> {
        let (a, b) = (self.value(a), self.value(b));
        let (a, b) = (a?, b?);
        if a.ty != b.ty {
            return self.differ(&a, &b, span);
        }
        if a.ty.is_numeric() || a.ty.is_time() {
            return Some((a, b));
        }
        self.numeric(&a)?;
        None
    }

    /// Reports two values that do not go together.
    pub(super) fn differ<T>(&mut self, a: &Expr, b: &Expr, span: Span) -> Option<T> {
        let message = format!("{} and {} do not go together", self.describe(a.ty), self.describe(b.ty));
        let error = Diagnostic::error(id::UNIT_MISMATCH, span, message);
        let unit = match (a.ty, b.ty) {
            (Type::Number, other) | (other, Type::Number) if other.is_numeric() => self.unit_word(other),
            _ => None,
        };
        self.world.report.fail(match unit {
            Some(word) => error.help(format!("write the unit after the number: `{word}`")),
            None => error,
        })
    }

    fn unit_word(&self, ty: Type) -> Option<String> {
        match ty {
            Type::Quantity(unit) => {
                self.world.set.units.get(usize::from(unit.0)).map(|info| info.word.to_string())
            }
            Type::Money(currency) => Some(currency.code().to_owned()),
            Type::Duration => Some("min".to_owned()),
            _ => None,
        }
    }

    fn arith(&mut self, op: ArithOp, a: &'a ast::Expr, b: &'a ast::Expr, span: Span) -> Option<Expr> {
        if let Tree::Span(dates) = b.kind {
            return self.date_shift(op, a, (dates, b.span), span);
        }
        let (a, b) = (self.value(a), self.value(b));
        let (a, b) = (a?, b?);
        let ty = match (op, a.ty, b.ty) {
            (ArithOp::Add | ArithOp::Sub, x, y) if x == y && x.is_numeric() => Some(x),
            (ArithOp::Add | ArithOp::Sub, Type::Instant, Type::Duration) => Some(Type::Instant),
            (ArithOp::Add, Type::Duration, Type::Instant) => Some(Type::Instant),
            (ArithOp::Sub, Type::Instant, Type::Instant) => Some(Type::Duration),
            (ArithOp::Mul, Type::Number, x) | (ArithOp::Mul | ArithOp::Div, x, Type::Number)
                if x.is_numeric() =>
            {
                Some(x)
            }
            (ArithOp::Div, x, y) if x == y && x.is_numeric() => Some(Type::Number),
            _ => None,
        };
        match ty {
            Some(ty) => Some(Expr { span, ty, kind: ExprKind::Arith(op, Box::new(a), Box::new(b)) }),
            None => self.differ(&a, &b, span),
        }
    }

    /// `date + 2 days`; the count of days is held as a plain number.
    fn date_shift(
        &mut self,
        op: ArithOp,
        a: &'a ast::Expr,
        (dates, place): (ast::CalendarSpan, Span),
        span: Span,
    ) -> Option<Expr> {
        let a = self.value(a)?;
        if a.ty != Type::Date || !matches!(op, ArithOp::Add | ArithOp::Sub) {
            let message = format!("a count of dates goes with a date, and this is {}", self.describe(a.ty));
            let error = Diagnostic::error(id::UNIT_MISMATCH, span, message);
            return self.world.report.fail(error.help("write a duration, such as `48h`"));
        }
        let days = constant(place, Type::Number, Value::Number(Ratio::whole(i64::from(dates.days()))));
        Some(Expr { span, ty: Type::Date, kind: ExprKind::Arith(op, Box::new(a), Box::new(days)) })
    }

    fn stat(&mut self, stat: &'a ast::Stat, span: Span) -> Option<Expr> {
        let window = self.stat_window(stat);
        let signal = self.world.find_signal(&stat.signal);
        let otherwise = stat.otherwise.as_ref().map(|tree| self.value(tree));
        let Some(needs) = &stat.needs else {
            let message = "a statistic says how many values it needs";
            return self.world.missing(span, message, "write `, needs K` after the window");
        };
        let (window, signal) = (window?, signal?);
        if let WindowSpan::Days { days, .. } = window
            && needs.node > days
        {
            let message = format!("{days} dates never have {} values", needs.node);
            return self.world.report.error(id::BAD_VALUE, needs.span, message);
        }
        let of = self.world.set.signals.get(signal.0 as usize)?.ty;
        let ty = match stat.kind.node {
            StatKind::Count => Type::Number,
            _ if of.is_numeric() => of,
            _ => {
                let message = format!(
                    "this statistic needs numbers, and `{}` is {}",
                    stat.signal.node,
                    self.describe(of)
                );
                return self.world.report.error(id::UNIT_MISMATCH, stat.signal.span, message);
            }
        };
        let otherwise = match otherwise {
            None => None,
            Some(value) => {
                let value = value?;
                if value.ty != ty {
                    return self.world.mismatch(value.span, value.ty, ty);
                }
                Some(Box::new(value))
            }
        };
        let window = self.world.window(WindowDef { signal, kind: stat.kind.node, span: window });
        Some(Expr { span, ty, kind: ExprKind::Window { window, needs: needs.node, otherwise } })
    }

    fn stat_window(&mut self, stat: &ast::Stat) -> Option<WindowSpan> {
        if let StatKind::Percentile(percent) = stat.kind.node
            && percent > 100
        {
            return self.world.report.error(
                id::BAD_VALUE,
                stat.kind.span,
                "a percentile lies between 0 and 100",
            );
        }
        let empty = "the window must be longer than nothing";
        match stat.window.node {
            StatWindow::Over(span) => {
                self.world.report.needs_zone(stat.window.span);
                match span.days() {
                    0 => self.world.report.error(id::BAD_VALUE, stat.window.span, empty),
                    days => Some(WindowSpan::Days { days, with_today: stat.with_today.is_some() }),
                }
            }
            StatWindow::Within(ms) => match stat.with_today {
                Some(place) => {
                    let message = "`with today` goes with `over N days`; `within last` ends now anyway";
                    self.world.report.error(id::OUT_OF_PLACE, place, message)
                }
                None if ms <= 0 => self.world.report.error(id::BAD_VALUE, stat.window.span, empty),
                None => Some(WindowSpan::Within(ms)),
            },
        }
    }

    fn call(&mut self, name: &'a Name, args: &'a [ast::Expr], span: Span) -> Option<Expr> {
        let values: Vec<Option<Expr>> = args.iter().map(|arg| self.value(arg)).collect();
        let values = values.into_iter().collect::<Option<Vec<Expr>>>();
        if self.world.names.get(&name.node).is_none() {
            return self.builtin(name, values, span);
        }
        let index = FunctionId(self.world.names.find(&mut self.world.report, name, Kind::Function)?);
        let values = values?;
        let function = self.world.set.functions.get(index.index())?;
        let (ty, params): (Type, Vec<(Arc<str>, Type)>) = (function.returns, function.params.clone());
        if params.len() != values.len() {
            let message =
                format!("`{}` takes {} values, and {} are given", name.node, params.len(), values.len());
            return self.world.report.error(id::UNIT_MISMATCH, span, message);
        }
        let mut fits = true;
        for (value, (_, needed)) in values.iter().zip(&params) {
            if value.ty != *needed {
                self.world.mismatch::<()>(value.span, value.ty, *needed);
                fits = false;
            }
        }
        fits.then_some(Expr { span, ty, kind: ExprKind::Script(index, values) })
    }

    fn builtin(&mut self, name: &Name, values: Option<Vec<Expr>>, span: Span) -> Option<Expr> {
        let Some(row) = functions::lookup(&name.node) else {
            let builtin = functions::FUNCTIONS.iter().map(|row| row.name);
            let World { names, report, .. } = &mut *self.world;
            let error =
                report.unknown(name.span, "function", &name.node, names.of(Kind::Function).chain(builtin));
            return report.fail(error);
        };
        let values = values?;
        let types: Vec<Type> = values.iter().map(|value| value.ty).collect();
        if types.contains(&Type::Instant) {
            self.world.report.needs_zone(span);
        }
        match functions::check(row, &types) {
            Ok(ty) => Some(Expr { span, ty, kind: ExprKind::Builtin(row, values) }),
            Err(message) => self.world.report.error(id::UNIT_MISMATCH, span, message),
        }
    }
}
