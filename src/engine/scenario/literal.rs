//! Literals of a test to values of a type; the resolver has checked that they fit.

use crate::engine::record::Scalar;
use crate::engine::rule_set::RuleSet;
use crate::engine::syntax::ast::{Decimal, Expr, ExprKind, LocalTime};
use crate::engine::time::{Date, Zone, clock_ms};
use crate::engine::value::{NUMBER_DECIMALS, Ratio, Type, Value};

/// A literal as a signal's value; numbers in steps of the type.
pub(super) fn scalar(expr: &Expr, ty: Type, rules: &RuleSet, zone: Zone) -> Option<Scalar> {
    Some(match value(expr, ty, rules, zone)? {
        Value::Number(ratio) if ty == Type::Number => {
            let steps = ratio.rounded(u32::from(NUMBER_DECIMALS))?;
            Scalar::Fixed(i64::try_from(steps).ok()?)
        }
        Value::Number(ratio) => Scalar::Fixed(i64::try_from(ratio.rounded(0)?).ok()?),
        Value::Text(text) => Scalar::Text(text),
        Value::Flag(flag) => Scalar::Flag(flag),
        Value::Instant(_) | Value::Date(_) | Value::Clock(_) => return None,
    })
}

/// A literal as a field's value.
pub(super) fn value(expr: &Expr, ty: Type, rules: &RuleSet, zone: Zone) -> Option<Value> {
    Some(match &expr.kind {
        ExprKind::Group(inner) => value(inner, ty, rules, zone)?,
        ExprKind::Number(decimal) | ExprKind::Quantity(decimal, _) => {
            Value::Number(steps(*decimal, ty, rules)?)
        }
        ExprKind::Duration(ms) => Value::Number(Ratio::whole(*ms)),
        ExprKind::Instant(date, second) => {
            Value::Instant(super::given::instant(zone, LocalTime { date: *date, second: *second }))
        }
        ExprKind::Date(date) => Value::Date(Date::of_literal(*date)?),
        ExprKind::Clock(clock) => Value::Clock(clock_ms(*clock)),
        ExprKind::Text(text) | ExprKind::Path(text) => Value::Text(text.as_str().into()),
        ExprKind::Flag(flag) => Value::Flag(*flag),
        _ => return None,
    })
}

/// A decimal in steps of its type; plain numbers stay as they are.
fn steps(decimal: Decimal, ty: Type, rules: &RuleSet) -> Option<Ratio> {
    let den = 10_i128.checked_pow(u32::from(decimal.scale))?;
    let ratio = Ratio::new(i128::from(decimal.mantissa), den)?;
    if ty == Type::Number {
        return Some(ratio);
    }
    let scale = 10_i64.checked_pow(u32::from(rules.decimals(ty)))?;
    ratio.checked_mul(Ratio::whole(scale))
}
