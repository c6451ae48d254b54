//! Values of expressions that are not conditions.

use super::known::{Known, Missing, Timed};
use super::scope::{Guard, Scope};
use crate::engine::record::{Scalar, SignalId};
use crate::engine::rule_set::{Expr, ExprKind, Slot, WindowDef, WindowId, WindowSpan};
use crate::engine::syntax::ast::{ArithOp, CompareOp, StatKind};
use crate::engine::time::{Date, Instant};
use crate::engine::value::{NUMBER_STEPS, PERCENT_STEPS, Ratio, Type, Value};

const MS_PER_MINUTE: i64 = 60_000;

impl Scope<'_> {
    /// The value of an expression.
    ///
    /// # Errors
    /// Why it is missing.
    pub fn value(&mut self, expr: &Expr) -> Result<Known, Missing> {
        self.burn()?;
        match &expr.kind {
            ExprKind::Const(value) => Ok(Known::from_value(value)),
            ExprKind::Signal(signal) => self.signal_value(*signal),
            ExprKind::Field(slot, field) => self.field(*slot, *field),
            ExprKind::Let(id) => match self.rule.lets.get(usize::from(id.0)) {
                Some(definition) => self.value(&definition.expr),
                None => Err(Missing::Absent),
            },
            ExprKind::Script(function, args) => {
                let args = self.arguments(args)?;
                let function = self.rules.functions.get(function.index()).ok_or(Missing::Absent)?;
                let result = function.compiled.call(&args);
                result
                    .map(|value| Known::from_value(&value))
                    .map_err(|fault| Missing::Function(fault.to_string().into()))
            }
            ExprKind::Builtin(row, args) => {
                let args = self.arguments(args)?;
                let result = crate::engine::functions::eval(*row, &args, self.default_zone());
                result
                    .map(|value| Known::from_value(&value))
                    .map_err(|reason| Missing::Function(reason.into()))
            }
            kind if is_counted(kind) => self.number(expr).map(Known::Number),
            _ => match self.truth(expr) {
                super::Truth::Unknown => Err(Missing::Absent),
                known => Ok(Known::Flag(known.is_true())),
            },
        }
    }

    /// The value of an expression that is counted. What can only be a number is computed here, not in
    /// [`Scope::value`]: nearly every comparison takes this way, and a bare number is cheaper to hand on.
    pub(super) fn number(&mut self, expr: &Expr) -> Result<Timed, Missing> {
        self.burn()?;
        match &expr.kind {
            ExprKind::Const(Value::Number(number)) => Ok(Timed::fixed(*number)),
            ExprKind::Let(id) => {
                let definition = self.rule.lets.get(usize::from(id.0)).ok_or(Missing::Absent)?;
                self.number(&definition.expr)
            }
            ExprKind::SignalAge(signal) => self.signal_age(*signal),
            ExprKind::ItemAge(slot) => self.item_age(*slot),
            ExprKind::Window { window, needs, otherwise } => {
                match (self.window(*window, *needs), otherwise) {
                    (Err(_), Some(otherwise)) => self.number(otherwise),
                    (found, _) => found.map(Timed::fixed),
                }
            }
            ExprKind::Now => Ok(Timed { now: Ratio::whole(self.facts.now.0), slope: Ratio::whole(1) }),
            ExprKind::Arith(op, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                self.arithmetic(*op, left, right)
            }
            ExprKind::PercentOf(percent, of) => {
                let (percent, of) = (self.number(percent)?, self.number(of)?);
                let share = Timed::fixed(Ratio::whole(PERCENT_STEPS));
                let scaled = self.arithmetic(ArithOp::Mul, percent, of)?;
                self.arithmetic(ArithOp::Div, scaled, share)
            }
            ExprKind::AsPercentOf(part, whole) => {
                let (part, whole) = (self.number(part)?, self.number(whole)?);
                let scaled = self.arithmetic(ArithOp::Mul, part, Timed::whole(PERCENT_STEPS))?;
                self.arithmetic(ArithOp::Div, scaled, whole)
            }
            ExprKind::Larger(left, right) => self.extreme(left, right, CompareOp::Greater),
            ExprKind::Smaller(left, right) => self.extreme(left, right, CompareOp::Less),
            _ => match self.value(expr)? {
                Known::Number(number) => Ok(number),
                Known::Text(_) | Known::Flag(_) => Err(Missing::Absent),
            },
        }
    }

    fn arguments(&mut self, args: &[Expr]) -> Result<Vec<Value>, Missing> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let value = self.value(arg)?;
            if matches!(&value, Known::Number(number) if number.moves()) {
                // What a function makes of a moving value cannot be foreseen.
                self.ask_next_minute();
            }
            values.push(match self.all_day(arg) {
                Some(date) => Value::Date(date),
                None => value.into_value(arg.ty)?,
            });
        }
        Ok(values)
    }

    fn ask_next_minute(&mut self) {
        let minute = self.facts.now.0.div_euclid(MS_PER_MINUTE).saturating_add(1);
        self.edge(Instant(minute.saturating_mul(MS_PER_MINUTE)));
    }

    /// A product or quotient of what moves does not move evenly, so when it turns is not computed: it is
    /// asked anew each minute.
    fn arithmetic(&mut self, op: ArithOp, left: Timed, right: Timed) -> Result<Timed, Missing> {
        let uneven = match op {
            ArithOp::Add | ArithOp::Sub => false,
            ArithOp::Mul => left.moves() && right.moves(),
            ArithOp::Div => right.moves(),
        };
        if uneven {
            self.ask_next_minute();
            return arithmetic(op, Timed::fixed(left.now), Timed::fixed(right.now));
        }
        arithmetic(op, left, right)
    }

    /// The date of an all-day item's instant, which has no clock time.
    pub(super) fn all_day(&self, expr: &Expr) -> Option<Date> {
        match &expr.kind {
            ExprKind::Field(slot, field) if expr.ty == Type::Instant => {
                match self.item(*slot)?.fields.get(usize::from(*field))?.as_ref()? {
                    Value::Date(date) => Some(*date),
                    _ => None,
                }
            }
            ExprKind::Let(id) => self.all_day(&self.rule.lets.get(usize::from(id.0))?.expr),
            _ => None,
        }
    }

    fn signal_value(&mut self, signal: SignalId) -> Result<Known, Missing> {
        let read = self.fresh_reading(signal);
        let exact = match &read {
            Ok(Scalar::Fixed(steps)) => Guard { low: *steps, high: *steps },
            _ => Guard::SHUT,
        };
        self.guard(signal, exact);
        Ok(match read? {
            Scalar::Fixed(steps) => Known::Number(Timed::fixed(self.in_steps(signal, steps))),
            Scalar::Text(text) => Known::Text(text),
            Scalar::Flag(flag) => Known::Flag(flag),
        })
    }

    /// Plain numbers are kept in millionths; everything else in whole steps of its unit.
    fn in_steps(&self, signal: SignalId, steps: i64) -> Ratio {
        let plain = self.rules.signals.get(signal.0 as usize).is_some_and(|def| def.ty == Type::Number);
        if plain {
            Ratio::new(i128::from(steps), i128::from(NUMBER_STEPS)).unwrap_or(Ratio::ZERO)
        } else {
            Ratio::whole(steps)
        }
    }

    /// A signal's current value if it still counts. Its going stale is an edge that the state watches for all
    /// rules at once, so none is noted here.
    pub(super) fn fresh_reading(&self, signal: SignalId) -> Result<Scalar, Missing> {
        self.fresh(signal).cloned()
    }

    /// As [`Scope::fresh_reading`], in steps; a value that is not counted is absent.
    pub(super) fn fresh_steps(&self, signal: SignalId) -> Result<i64, Missing> {
        match self.fresh(signal)? {
            Scalar::Fixed(steps) => Ok(*steps),
            Scalar::Text(_) | Scalar::Flag(_) => Err(Missing::Absent),
        }
    }

    fn fresh(&self, signal: SignalId) -> Result<&Scalar, Missing> {
        if let Some(value) = self.newest(signal) {
            return Ok(value);
        }
        let facts = self.signal(signal).ok_or(Missing::Absent)?;
        if let Some(date) = self.anchor
            && facts.newest_date() != Some(date)
        {
            return facts.value_on(date).map(|reading| &reading.value).ok_or(Missing::NoValueThatDate);
        }
        Err(if facts.current().is_some() { Missing::Stale } else { Missing::Absent })
    }

    /// The newest value of a signal, if that is the one asked for and it is not stale.
    #[inline]
    pub(super) fn newest(&self, signal: SignalId) -> Option<&Scalar> {
        let facts = self.signal(signal)?;
        if self.anchor.is_some() && facts.newest_date() != self.anchor {
            return None;
        }
        let reading = facts.current()?;
        let fresh = self.rules.signals.get(signal.0 as usize).and_then(|def| def.fresh_ms);
        let age = self.facts.now.0.saturating_sub(reading.observed.0);
        fresh.is_none_or(|fresh| age < fresh).then_some(&reading.value)
    }

    fn signal_age(&mut self, signal: SignalId) -> Result<Timed, Missing> {
        self.guard(signal, Guard::SHUT);
        let reading = self.signal(signal).and_then(|facts| facts.current()).ok_or(Missing::Absent)?;
        Ok(self.since(reading.observed))
    }

    fn item_age(&mut self, slot: Slot) -> Result<Timed, Missing> {
        let item = self.item(slot).ok_or(Missing::NoItem)?;
        let seen = item.span.map_or(item.learnt, |span| span.start);
        Ok(self.since(seen))
    }

    fn since(&self, then: Instant) -> Timed {
        Timed { now: Ratio::whole(self.facts.now.0.saturating_sub(then.0)), slope: Ratio::whole(1) }
    }

    fn field(&mut self, slot: Slot, field: u16) -> Result<Known, Missing> {
        let item = self.item(slot).ok_or(Missing::NoItem)?;
        let value = item.fields.get(usize::from(field)).and_then(Option::as_ref).ok_or(Missing::NoField)?;
        let stream = self
            .rule
            .slots
            .get(usize::from(slot.0))
            .and_then(|(_, stream)| self.rules.streams.get(stream.0 as usize));
        let declared = stream.and_then(|stream| stream.fields.get(usize::from(field)));
        match (value, declared) {
            // An all-day instant is the first instant of its date.
            (Value::Date(date), Some((_, Type::Instant))) => {
                Ok(Known::Number(Timed::whole(self.default_zone().midnight(*date).0)))
            }
            _ => Ok(Known::from_value(value)),
        }
    }

    /// A window's value with enough values in it.
    pub(super) fn window(&self, id: WindowId, needs: u32) -> Result<Ratio, Missing> {
        let def = *self.rules.windows.get(id.index()).ok_or(Missing::Absent)?;
        let facts = self.signal(def.signal).ok_or(Missing::Absent)?;
        let (count, value) = match (def.span, self.anchor) {
            (WindowSpan::Days { days, with_today }, Some(date)) if facts.newest_date() != Some(date) => {
                let end = Date(date.0.saturating_add(i32::from(with_today)));
                facts.baseline(def.kind, days, end, self.window_scale(def))
            }
            _ => facts.window(self.rules.index.window_slot(id)),
        };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if count < needs {
            return Err(Missing::TooFew(count, needs));
        }
        // A deviation needs two values, whatever the rule says.
        let least = if def.kind == StatKind::Sd { 2 } else { 1 };
        let reason = if count < least { Missing::TooFew(count, least) } else { Missing::Overflow };
        value.map(|value| self.window_steps(def, value)).ok_or(reason)
    }

    fn window_scale(&self, def: WindowDef) -> u8 {
        self.rules.signals.get(def.signal.0 as usize).map_or(0, |signal| self.rules.decimals(signal.ty))
    }

    /// Plain numbers are kept in millionths, except that a count counts.
    fn window_steps(&self, def: WindowDef, value: Ratio) -> Ratio {
        let plain =
            self.rules.signals.get(def.signal.0 as usize).is_some_and(|signal| signal.ty == Type::Number);
        if plain && def.kind != StatKind::Count {
            return value.checked_div(Ratio::whole(NUMBER_STEPS)).unwrap_or(value);
        }
        value
    }

    fn extreme(&mut self, left: &Expr, right: &Expr, op: CompareOp) -> Result<Timed, Missing> {
        let (left, right) = (self.number(left)?, self.number(right)?);
        let first = self.holds(op, left, right)?;
        Ok(if first { left } else { right })
    }
}

/// True for what can only be a number.
fn is_counted(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::SignalAge(_)
            | ExprKind::ItemAge(_)
            | ExprKind::Window { .. }
            | ExprKind::Now
            | ExprKind::Arith(..)
            | ExprKind::PercentOf(..)
            | ExprKind::AsPercentOf(..)
            | ExprKind::Larger(..)
            | ExprKind::Smaller(..)
    )
}

/// Arithmetic on moving numbers; what moves may be added, subtracted and scaled.
fn arithmetic(op: ArithOp, left: Timed, right: Timed) -> Result<Timed, Missing> {
    if op == ArithOp::Div && right.now.num() == 0 {
        return Err(Missing::DivisionByZero);
    }
    let combined = match op {
        ArithOp::Add => combine(left, right, Ratio::checked_add),
        ArithOp::Sub => combine(left, right, Ratio::checked_sub),
        ArithOp::Mul if !right.moves() => scale(left, right.now, Ratio::checked_mul),
        ArithOp::Mul if !left.moves() => scale(right, left.now, Ratio::checked_mul),
        ArithOp::Div if !right.moves() => scale(left, right.now, Ratio::checked_div),
        ArithOp::Mul | ArithOp::Div => None,
    };
    combined.ok_or(Missing::Overflow)
}

fn combine(left: Timed, right: Timed, op: fn(Ratio, Ratio) -> Option<Ratio>) -> Option<Timed> {
    let slope = if left.moves() || right.moves() { op(left.slope, right.slope)? } else { Ratio::ZERO };
    Some(Timed { now: op(left.now, right.now)?, slope })
}

fn scale(moving: Timed, by: Ratio, op: fn(Ratio, Ratio) -> Option<Ratio>) -> Option<Timed> {
    let slope = if moving.moves() { op(moving.slope, by)? } else { Ratio::ZERO };
    Some(Timed { now: op(moving.now, by)?, slope })
}
