//! Values and conditions as text. Parentheses are those of the tree: a tree that was parsed needs no others.

use super::words::{
    calendar_span, clock, commas, date, decimal, duration, instant, names, quantity, quoted, suffix,
};
use crate::engine::syntax::ast::{
    ArithOp, CompareOp, Expr, ExprKind, ItemWindow, ItemWindowKind, Join, Quantifier, Stat, StatKind,
    StatWindow,
};

pub(super) fn expr(node: &Expr) -> String {
    match &node.kind {
        ExprKind::Group(inner) => format!("({})", expr(inner)),
        ExprKind::Not(inner) => format!("not {}", expr(inner)),
        ExprKind::And(parts) => joined(parts, " and "),
        ExprKind::Or(parts) => joined(parts, " or "),
        ExprKind::Compare(op, left, right) => binary(left, compare_op(*op), right),
        ExprKind::Has(left, right) => binary(left, "has", right),
        ExprKind::In(left, right) => binary(left, "in", right),
        ExprKind::Between(value, low, high) => format!("{} in {} to {}", expr(value), expr(low), expr(high)),
        ExprKind::IsMissing(inner) => format!("{} is missing", expr(inner)),
        ExprKind::Arith(op, left, right) => binary(left, arith_op(*op), right),
        ExprKind::PercentOf(left, right) => binary(left, "of", right),
        ExprKind::AsPercentOf(left, right) => binary(left, "as % of", right),
        ExprKind::Larger(left, right) => format!("larger of {}", binary(left, "and", right)),
        ExprKind::Smaller(left, right) => format!("smaller of {}", binary(left, "and", right)),
        ExprKind::AtLeast(count, parts) => format!("at least {} of ({})", count.node, joined(parts, ", ")),
        ExprKind::Call(name, arguments) => format!("{}({})", name.node, joined(arguments, ", ")),
        ExprKind::Stat(stat) => statistic(stat),
        ExprKind::Nothing(sources, span) => {
            format!("nothing from {} for {}", names(sources), duration(span.node))
        }
        ExprKind::Fired(rules) if rules.len() == 1 => format!("{} fired today", names(rules)),
        ExprKind::Fired(rules) => format!("any of {} fired today", names(rules)),
        ExprKind::Join(join) => question(join),
        ExprKind::Age(inner) => format!("{} age", expr(inner)),
        ExprKind::Set(parts) => format!("{{{}}}", joined(parts, ", ")),
        literal => atom(literal),
    }
}

fn atom(kind: &ExprKind) -> String {
    match kind {
        ExprKind::Number(number) => decimal(*number),
        ExprKind::Quantity(number, unit) => quantity(*number, &unit.node),
        ExprKind::Duration(ms) => duration(*ms),
        ExprKind::Span(span) => calendar_span(*span),
        ExprKind::Instant(day, second) => instant(*day, *second),
        ExprKind::Date(day) => date(*day),
        ExprKind::Clock(minute) => clock(*minute),
        ExprKind::Text(text) => quoted(text),
        ExprKind::Flag(flag) => flag.to_string(),
        ExprKind::Path(path) => path.clone(),
        // Everything else has parts and is written above.
        _ => "now".into(),
    }
}

fn joined(parts: &[Expr], between: &str) -> String {
    parts.iter().map(expr).collect::<Vec<_>>().join(between)
}

fn binary(left: &Expr, operator: &str, right: &Expr) -> String {
    format!("{} {operator} {}", expr(left), expr(right))
}

fn compare_op(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Less => "<",
        CompareOp::LessEq => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterEq => ">=",
        CompareOp::Equal => "=",
        CompareOp::NotEqual => "!=",
        CompareOp::Before => "before",
        CompareOp::After => "after",
    }
}

fn arith_op(op: ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "+",
        ArithOp::Sub => "-",
        ArithOp::Mul => "*",
        ArithOp::Div => "/",
    }
}

fn statistic(stat: &Stat) -> String {
    let kind = match stat.kind.node {
        StatKind::Median => "median".into(),
        StatKind::Mean => "mean".into(),
        StatKind::Min => "min".into(),
        StatKind::Max => "max".into(),
        StatKind::Sum => "sum".into(),
        StatKind::Count => "count".into(),
        StatKind::Last => "last".into(),
        StatKind::Percentile(rank) => format!("percentile {rank}"),
        StatKind::Sd => "sd".into(),
        StatKind::Spread => "spread".into(),
    };
    let window = match stat.window.node {
        StatWindow::Over(span) => format!("over {}", calendar_span(span)),
        StatWindow::Within(ms) => format!("within last {}", duration(ms)),
    };
    let mut parts = vec![format!("{kind} of {} {window}", stat.signal.node)];
    if stat.with_today.is_some() {
        parts.push("with today".into());
    }
    if let Some(needs) = &stat.needs {
        parts.push(format!("needs {}", needs.node));
    }
    if let Some(value) = &stat.otherwise {
        parts.push(format!("else {}", expr(value)));
    }
    commas(parts.into_iter())
}

fn question(join: &Join) -> String {
    let quantifier = match join.quantifier.node {
        Quantifier::Some => "some",
        Quantifier::Each => "each",
        Quantifier::No => "no",
        Quantifier::Every => "every",
    };
    let window = join.window.as_ref().map(|window| &window.node);
    let items = items(&join.var.node, &join.stream.node, window, join.filter.as_ref());
    format!("{quantifier} {items}")
}

/// `e in calendar.event rest of today where …`
pub(super) fn items(var: &str, stream: &str, window: Option<&ItemWindow>, filter: Option<&Expr>) -> String {
    let mut out = format!("{var} in {stream}");
    if let Some(window) = window {
        out.push(' ');
        out.push_str(&item_window(window));
    }
    if let Some(filter) = filter {
        out.push_str(" where ");
        out.push_str(&expr(filter));
    }
    out
}

fn item_window(window: &ItemWindow) -> String {
    let span = match &window.kind {
        ItemWindowKind::Today => "today".into(),
        ItemWindowKind::RestOfToday => "rest of today".into(),
        ItemWindowKind::Now => "now".into(),
        ItemWindowKind::LastNight => "last night".into(),
        ItemWindowKind::ThisWeek => "this week".into(),
        ItemWindowKind::ThisMonth => "this month".into(),
        ItemWindowKind::Over(span) => format!("over {}", calendar_span(*span)),
        ItemWindowKind::WithinLast(ms) => format!("within last {}", duration(*ms)),
        ItemWindowKind::WithinNext(ms) => format!("within next {}", duration(*ms)),
        ItemWindowKind::Since(schedule) => format!("since {}", schedule.node),
    };
    format!("{span}{}", suffix("in", window.zone.as_ref()))
}
