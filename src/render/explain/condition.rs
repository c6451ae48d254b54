//! Expressions as statements: `x < 6h` is "`x` is below 6h".

use super::value::{list, value, window};
use super::{name, quoted};
use crate::engine::syntax::ast::{CompareOp, Expr, ExprKind, Join, Name, Quantifier};
use crate::engine::time::format_duration;

/// An expression as a statement that is true or not.
pub(super) fn condition(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Group(inner) if is_condition(inner) => match inner.kind {
            ExprKind::And(_) | ExprKind::Or(_) => format!("({})", condition(inner)),
            _ => condition(inner),
        },
        ExprKind::Not(inner) => negation(inner),
        ExprKind::And(parts) => statements(parts, "and"),
        ExprKind::Or(parts) => statements(parts, "or"),
        ExprKind::Compare(op, left, right) => format!("{} {} {}", value(left), comparison(*op), value(right)),
        ExprKind::Has(text, what) => format!("{} mentions {}", value(text), mentioned(what)),
        ExprKind::In(left, set) => format!("{} is {}", value(left), members(set)),
        ExprKind::Between(left, low, high) => {
            format!("{} is between {} and {}, both included", value(left), value(low), value(high))
        }
        ExprKind::IsMissing(of) => format!("{} is missing", value(of)),
        ExprKind::AtLeast(count, parts) => {
            let parts: Vec<String> = parts.iter().map(condition).collect();
            format!("at least {} of these hold ({})", count.node, parts.join("; "))
        }
        ExprKind::Nothing(sources, ms) => {
            format!("nothing has come from {} for {}", names(sources, "or"), format_duration(ms.node))
        }
        ExprKind::Fired(rules) => match rules.as_slice() {
            [only] => format!("{} fired today", name(only)),
            rules => format!("any of {} fired today", names(rules, "or")),
        },
        ExprKind::Join(join) => question(join),
        ExprKind::Flag(true) => "true holds, which is always so".to_owned(),
        ExprKind::Flag(false) => "false holds, which is never so".to_owned(),
        ExprKind::Number(_)
        | ExprKind::Quantity(..)
        | ExprKind::Duration(_)
        | ExprKind::Span(_)
        | ExprKind::Instant(..)
        | ExprKind::Date(_)
        | ExprKind::Clock(_)
        | ExprKind::Text(_)
        | ExprKind::Set(_)
        | ExprKind::Path(_)
        | ExprKind::Now
        | ExprKind::Age(_)
        | ExprKind::Group(_)
        | ExprKind::Arith(..)
        | ExprKind::PercentOf(..)
        | ExprKind::AsPercentOf(..)
        | ExprKind::Larger(..)
        | ExprKind::Smaller(..)
        | ExprKind::Call(..)
        | ExprKind::Stat(_) => format!("{} is true", value(expr)),
    }
}

/// True for what can only be a statement; a name may be either.
pub(super) fn is_condition(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Group(inner) => is_condition(inner),
        ExprKind::Not(_)
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Compare(..)
        | ExprKind::Has(..)
        | ExprKind::In(..)
        | ExprKind::Between(..)
        | ExprKind::IsMissing(_)
        | ExprKind::AtLeast(..)
        | ExprKind::Nothing(..)
        | ExprKind::Fired(_)
        | ExprKind::Join(_) => true,
        _ => false,
    }
}

/// The statement turned round where English has a short way to say so.
fn negation(inner: &Expr) -> String {
    match &inner.kind {
        ExprKind::Has(text, what) => format!("{} does not mention {}", value(text), mentioned(what)),
        ExprKind::In(left, set) => match &set.kind {
            ExprKind::Set(items) if items.len() > 1 => {
                let items: Vec<String> = items.iter().map(value).collect();
                format!("{} is none of {}", value(left), list(&items, "and"))
            }
            _ => format!("{} is not {}", value(left), members(set)),
        },
        ExprKind::Between(left, low, high) => {
            format!("{} is not between {} and {}, both included", value(left), value(low), value(high))
        }
        ExprKind::IsMissing(of) => format!("{} is known", value(of)),
        ExprKind::Fired(rules) => match rules.as_slice() {
            [only] => format!("{} has not fired today", name(only)),
            rules => format!("none of {} fired today", names(rules, "and")),
        },
        ExprKind::Path(_) | ExprKind::Call(..) => format!("{} is not true", value(inner)),
        ExprKind::Group(group) if !matches!(group.kind, ExprKind::And(_) | ExprKind::Or(_)) => {
            negation(group)
        }
        _ => format!("it is not so that {}", condition(inner)),
    }
}

fn statements(parts: &[Expr], joiner: &str) -> String {
    parts.iter().map(condition).collect::<Vec<_>>().join(&format!(" {joiner} "))
}

fn comparison(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Less => "is below",
        CompareOp::LessEq => "is at most",
        CompareOp::Greater => "is above",
        CompareOp::GreaterEq => "is at least",
        CompareOp::Equal => "is exactly",
        CompareOp::NotEqual => "is not",
        CompareOp::Before => "is before",
        CompareOp::After => "is after",
    }
}

/// The right side of `has`.
fn mentioned(what: &Expr) -> String {
    match &what.kind {
        ExprKind::Path(list) => format!("something of the list `{list}`"),
        ExprKind::Text(text) => quoted(text),
        _ => value(what),
    }
}

/// The right side of `in`.
fn members(set: &Expr) -> String {
    match &set.kind {
        ExprKind::Path(list) => format!("on the list `{list}`"),
        _ => value(set),
    }
}

fn names(names: &[Name], joiner: &str) -> String {
    list(&names.iter().map(name).collect::<Vec<_>>(), joiner)
}

/// `some e in …`
fn question(join: &Join) -> String {
    let window = join.window.as_ref().map(|found| window(&found.node)).unwrap_or_default();
    let items = format!("{} of {}{window}", name(&join.var), name(&join.stream));
    let filter = join.filter.as_ref().map(|filter| match &filter.kind {
        // The group is only there to hold the filter together.
        ExprKind::Group(inner) => condition(inner),
        _ => condition(filter),
    });
    let which = |filter: &Option<String>| {
        filter.as_ref().map(|filter| format!(" for which {filter}")).unwrap_or_default()
    };
    match join.quantifier.node {
        Quantifier::Some => format!("there is an item {items}{}", which(&filter)),
        Quantifier::No => format!("there is no item {items}{}", which(&filter)),
        Quantifier::Each => {
            format!("there is an item {items}{} (each such item counts on its own)", which(&filter))
        }
        Quantifier::Every => match filter {
            Some(filter) => format!("for every item {items} it is so that {filter}"),
            None => format!("every item {items} counts"),
        },
    }
}
