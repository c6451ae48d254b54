//! Walks over syntax trees: who mentions which name.

use crate::engine::syntax::ast::{Expr, ExprKind};

/// Calls `see` with each direct part of an expression, in written order.
fn parts<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Set(list) | ExprKind::And(list) | ExprKind::Or(list) => list.iter().for_each(see),
        ExprKind::AtLeast(_, list) | ExprKind::Call(_, list) => list.iter().for_each(see),
        ExprKind::Age(a) | ExprKind::Group(a) | ExprKind::Not(a) | ExprKind::IsMissing(a) => see(a),
        ExprKind::Compare(_, a, b) | ExprKind::Arith(_, a, b) => {
            [a, b].into_iter().for_each(|part| see(part))
        }
        ExprKind::Has(a, b)
        | ExprKind::In(a, b)
        | ExprKind::PercentOf(a, b)
        | ExprKind::AsPercentOf(a, b)
        | ExprKind::Larger(a, b)
        | ExprKind::Smaller(a, b) => [a, b].into_iter().for_each(|part| see(part)),
        ExprKind::Between(a, b, c) => [a, b, c].into_iter().for_each(|part| see(part)),
        ExprKind::Stat(stat) => stat.otherwise.iter().for_each(see),
        ExprKind::Join(join) => join.filter.iter().for_each(see),
        ExprKind::Number(_)
        | ExprKind::Quantity(..)
        | ExprKind::Duration(_)
        | ExprKind::Span(_)
        | ExprKind::Instant(..)
        | ExprKind::Date(_)
        | ExprKind::Clock(_)
        | ExprKind::Text(_)
        | ExprKind::Flag(_)
        | ExprKind::Path(_)
        | ExprKind::Now
        | ExprKind::Nothing(..)
        | ExprKind::Fired(_) => {}
    }
}

/// Calls `see` with the expression and everything in it, parents first, in written order.
pub(super) fn each<'a>(expr: &'a Expr, see: &mut dyn FnMut(&'a Expr)) {
    see(expr);
    parts(expr, &mut |part| each(part, see));
}
