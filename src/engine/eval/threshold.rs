//! The short way to a line's verdict, see [`Threshold`]: the same answer, guard and kind of fuel, without
//! walking the expression.

use std::cmp::Ordering;

use super::condition::{in_order, stands_around};
use super::scope::Scope;
use super::truth::Truth;
use crate::engine::record::Scalar;
use crate::engine::rule_set::{Bound, Line, Threshold};

impl Scope<'_> {
    /// The verdict of a line.
    pub fn line(&mut self, line: &Line) -> Truth {
        let quick = line.threshold.as_ref().and_then(|threshold| self.threshold(threshold));
        quick.unwrap_or_else(|| self.truth(&line.expr))
    }

    /// `None` when anything is missing, too large or out of fuel: then nothing is noted.
    fn threshold(&mut self, threshold: &Threshold) -> Option<Truth> {
        let Scalar::Fixed(steps) = *self.newest(threshold.signal)? else { return None };
        let (num, den) = self.bound(&threshold.bound)?;
        self.fuel = self.fuel.checked_sub(threshold.cost)?;
        let floor = if den == 1 { num } else { num.checked_div_euclid(den)? };
        let exact = den == 1 || floor.checked_mul(den) == Some(num);
        // A whole number is above a bound that is not whole when it is above the bound's floor.
        let order = if exact || steps > floor { steps.cmp(&floor) } else { Ordering::Less };
        self.guard(threshold.signal, stands_around(threshold.op, steps, floor, exact));
        Some(in_order(threshold.op, order).into())
    }

    /// Numerator and denominator, above zero.
    fn bound(&self, bound: &Bound) -> Option<(i64, i64)> {
        let Some((window, needs, otherwise)) = bound.window else { return Some((bound.add, bound.div)) };
        let (num, den) = match self.window(window, needs) {
            Ok(value) => value.small()?,
            Err(_) => (otherwise?, 1),
        };
        let num = num.checked_mul(bound.mul)?.checked_add(bound.add.checked_mul(den)?)?;
        Some((num, den.checked_mul(bound.div)?))
    }
}

#[cfg(test)]
mod tests;
