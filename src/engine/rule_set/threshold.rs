//! Thresholds: the short form of what most lines of most rules are, a signal against a number that is a
//! window's value, scaled and shifted, or nothing but a number.
//!
//! Holds always: where a threshold gives an answer it is the one that its line's expression gives, with the
//! same guard; where it gives none (a missing value, too large a number), the expression is asked. So a
//! threshold may leave any form out, and does leave out all but the frequent ones.

use super::{Expr, ExprKind, LetDef, WindowId};
use crate::engine::record::SignalId;
use crate::engine::syntax::ast::{ArithOp, CompareOp};
use crate::engine::value::{PERCENT_STEPS, Type, Value};

/// `signal op bound`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// Whose current value.
    pub signal: SignalId,
    /// The comparison.
    pub op: CompareOp,
    /// With what.
    pub bound: Bound,
    /// Fuel that the expression would burn at most: its nodes.
    pub cost: u32,
}

/// `(window · mul + add) / div`, in steps of the signal's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The window, its fewest values, and what counts when it has fewer.
    pub window: Option<(WindowId, u32, Option<i64>)>,
    /// Factor of the window.
    pub mul: i64,
    /// Steps above it.
    pub add: i64,
    /// Divisor, above zero.
    pub div: i64,
}

impl Threshold {
    /// The short form of a condition, if it has one.
    #[must_use]
    pub fn of(expr: &Expr, lets: &[LetDef]) -> Option<Self> {
        let ExprKind::Compare(op, left, right) = &expr.kind else { return None };
        let ExprKind::Signal(signal) = left.kind else { return None };
        // Plain numbers are kept in millionths, text and flags are no numbers.
        if !left.ty.is_numeric() || left.ty == Type::Number {
            return None;
        }
        let mut cost = 1;
        let bound = Bound::of(right, lets, &mut cost)?;
        Some(Self { signal, op: *op, bound, cost })
    }
}

impl Bound {
    const fn constant(add: i64, div: i64) -> Self {
        Self { window: None, mul: 0, add, div }
    }

    fn of(expr: &Expr, lets: &[LetDef], cost: &mut u32) -> Option<Self> {
        *cost = cost.checked_add(1)?;
        match &expr.kind {
            ExprKind::Const(Value::Number(number)) => {
                let (num, den) = number.reduced().small()?;
                Some(Self::constant(num, den))
            }
            ExprKind::Let(id) => Self::of(&lets.get(usize::from(id.0))?.expr, lets, cost),
            ExprKind::Window { window, needs, otherwise } if expr.ty != Type::Number => {
                let otherwise = match otherwise {
                    None => None,
                    Some(otherwise) => Some(Self::of(otherwise, lets, cost)?.whole()?),
                };
                Some(Self { window: Some((*window, *needs, otherwise)), mul: 1, add: 0, div: 1 })
            }
            ExprKind::Arith(op, left, right) => {
                let (left, right) = (Self::of(left, lets, cost)?, Self::of(right, lets, cost)?);
                match op {
                    ArithOp::Add => left.plus(right),
                    ArithOp::Sub => left.plus(right.times(-1, 1)?),
                    ArithOp::Mul => match (left.window, right.window) {
                        (_, None) => left.times(right.add, right.div),
                        (None, _) => right.times(left.add, left.div),
                        _ => None,
                    },
                    ArithOp::Div if right.window.is_none() && right.add > 0 => {
                        left.times(right.div, right.add)
                    }
                    ArithOp::Div => None,
                }
            }
            ExprKind::PercentOf(percent, of) => {
                let (percent, of) = (Self::of(percent, lets, cost)?, Self::of(of, lets, cost)?);
                let share = percent.window.is_none().then(|| percent.div.checked_mul(PERCENT_STEPS))??;
                of.times(percent.add, share)
            }
            _ => None,
        }
    }

    fn whole(self) -> Option<i64> {
        (self.window.is_none() && self.div == 1).then_some(self.add)
    }

    /// The sum; one of them has no window.
    fn plus(self, other: Self) -> Option<Self> {
        if self.window.is_some() && other.window.is_some() {
            return None;
        }
        let own = |part: i64| part.checked_mul(other.div);
        let others = |part: i64| part.checked_mul(self.div);
        Some(Self {
            window: self.window.or(other.window),
            mul: own(self.mul)?.checked_add(others(other.mul)?)?,
            add: own(self.add)?.checked_add(others(other.add)?)?,
            div: self.div.checked_mul(other.div)?,
        })
    }

    fn times(self, num: i64, den: i64) -> Option<Self> {
        Some(Self {
            window: self.window,
            mul: self.mul.checked_mul(num)?,
            add: self.add.checked_mul(num)?,
            div: self.div.checked_mul(den)?,
        })
    }
}
