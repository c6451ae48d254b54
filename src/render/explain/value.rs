//! Expressions as nouns: `80% of usual` is "80% of `usual`".

use super::{condition, name, quoted};
use crate::engine::syntax::ast::{
    ArithOp, Expr, ExprKind, ItemWindow, ItemWindowKind, LocalTime, Stat, StatKind, StatWindow,
};
use crate::engine::time::{format_clock, format_duration};
use crate::engine::value::{BUILTIN_UNITS, Currency};

/// An expression as a noun.
pub(super) fn value(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Number(number) => number.to_string(),
        ExprKind::Quantity(number, unit) => {
            let blank = if is_spaced(&unit.node) { " " } else { "" };
            format!("{number}{blank}{}", unit.node)
        }
        ExprKind::Duration(ms) => format_duration(*ms),
        ExprKind::Span(days) => days.to_string(),
        ExprKind::Instant(date, second) => LocalTime { date: *date, second: *second }.to_string(),
        ExprKind::Date(date) => date.to_string(),
        ExprKind::Clock(clock) => format_clock(*clock),
        ExprKind::Text(text) => quoted(text),
        ExprKind::Flag(flag) => flag.to_string(),
        ExprKind::Set(items) => values(items, "or"),
        ExprKind::Path(path) => format!("`{path}`"),
        ExprKind::Now => "now".to_owned(),
        ExprKind::Age(of) => format!("the age of {}", value(of)),
        ExprKind::Group(inner) => format!("({})", value(inner)),
        ExprKind::Arith(op, left, right) => format!("{} {} {}", value(left), operator(*op), value(right)),
        ExprKind::PercentOf(share, of) => format!("{} of {}", value(share), value(of)),
        ExprKind::AsPercentOf(part, of) => format!("{} as a percentage of {}", value(part), value(of)),
        ExprKind::Larger(left, right) => format!("the larger of {} and {}", value(left), value(right)),
        ExprKind::Smaller(left, right) => format!("the smaller of {} and {}", value(left), value(right)),
        ExprKind::Call(function, args) if args.is_empty() => format!("the result of {}", name(function)),
        ExprKind::Call(function, args) => format!("{} of {}", name(function), values(args, "and")),
        ExprKind::Stat(stat) => statistic(stat),
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
        | ExprKind::Join(_) => format!("whether {}", condition::condition(expr)),
    }
}

fn operator(op: ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "plus",
        ArithOp::Sub => "minus",
        ArithOp::Mul => "times",
        ArithOp::Div => "divided by",
    }
}

/// `a`, `a and b`, `a, b and c`
pub(super) fn list(words: &[String], joiner: &str) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} {joiner} {last}", head.join(", ")),
    }
}

fn values(items: &[Expr], joiner: &str) -> String {
    list(&items.iter().map(value).collect::<Vec<_>>(), joiner)
}

/// Currencies and some units stand after a blank; units of the rule set are glued, like most.
fn is_spaced(unit: &str) -> bool {
    Currency::parse(unit).is_some() || BUILTIN_UNITS.iter().any(|known| known.word == unit && known.spaced)
}

fn statistic(stat: &Stat) -> String {
    let window = match (stat.window.node, stat.with_today) {
        (StatWindow::Over(days), None) => format!("over the {days} before"),
        (StatWindow::Over(days), Some(_)) => format!("over {days}, today included"),
        (StatWindow::Within(ms), None) => format!("within the last {}", format_duration(ms)),
        (StatWindow::Within(ms), Some(_)) => {
            format!("within the last {}, today included", format_duration(ms))
        }
    };
    let needs = stat.needs.as_ref().filter(|needs| needs.node > 0).map(|needs| match needs.node {
        1 => "from at least 1 value".to_owned(),
        count => format!("from at least {count} values"),
    });
    let otherwise = stat.otherwise.as_ref().map(|otherwise| format!("else {}", value(otherwise)));
    let terms: Vec<String> = needs.into_iter().chain(otherwise).collect();
    let terms = if terms.is_empty() { String::new() } else { format!(" ({})", terms.join(", ")) };
    format!("the {} of {} {window}{terms}", statistic_name(stat.kind.node), name(&stat.signal))
}

fn statistic_name(kind: StatKind) -> String {
    let words = match kind {
        StatKind::Median => "median",
        StatKind::Mean => "mean",
        StatKind::Min => "smallest value",
        StatKind::Max => "largest value",
        StatKind::Sum => "sum",
        StatKind::Count => "number of values",
        StatKind::Last => "latest value",
        StatKind::Percentile(rank) => return format!("{rank}{} percentile", ordinal(rank)),
        StatKind::Sd => "standard deviation",
        StatKind::Spread => "typical spread",
    };
    words.to_owned()
}

fn ordinal(rank: u8) -> &'static str {
    match (rank % 100, rank % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

/// A window of items with its leading blank: " in the rest of today".
pub(super) fn window(window: &ItemWindow) -> String {
    let words = match &window.kind {
        ItemWindowKind::Today => "today".to_owned(),
        ItemWindowKind::RestOfToday => "in the rest of today".to_owned(),
        ItemWindowKind::Now => "going on now".to_owned(),
        ItemWindowKind::LastNight => "last night".to_owned(),
        ItemWindowKind::ThisWeek => "this week".to_owned(),
        ItemWindowKind::ThisMonth => "this month".to_owned(),
        ItemWindowKind::Over(days) => format!("in the last {days}, today included"),
        ItemWindowKind::WithinLast(ms) => format!("within the last {}", format_duration(*ms)),
        ItemWindowKind::WithinNext(ms) => format!("within the next {}", format_duration(*ms)),
        ItemWindowKind::Since(schedule) => format!("since the last run of {}", name(schedule)),
    };
    let zone = window.zone.as_ref().map(|zone| format!(" (in the zone {})", name(zone)));
    format!(" {words}{}", zone.unwrap_or_default())
}
