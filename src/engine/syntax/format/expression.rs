//! Values and conditions to text.
//!
//! Groups are kept as written, so no precedence is ever guessed. The tree's depth is bounded, so this may
//! recurse.

use crate::engine::syntax::ast::{
    ArithOp, CalendarSpan, CalendarUnit, Clock, CompareOp, DateLit, Decimal, Expr, ExprKind, ItemWindow,
    ItemWindowKind, Join, Length, LocalTime, Name, Quantifier, Stat, StatKind, StatWindow, Template,
    TemplatePart,
};
use crate::engine::value::{BUILTIN_UNITS, Currency};

/// Adds an expression to a line.
pub(super) fn expr(out: &mut String, value: &Expr) {
    match &value.kind {
        ExprKind::Number(number) => decimal(out, *number),
        ExprKind::Quantity(number, unit) => quantity(out, *number, &unit.node),
        ExprKind::Duration(length) => duration(out, *length),
        ExprKind::Span(span) => calendar(out, *span),
        ExprKind::Instant(date, second) => instant(out, LocalTime { date: *date, second: *second }),
        ExprKind::Date(date) => date_of(out, *date),
        ExprKind::Clock(minute) => clock(out, *minute),
        ExprKind::Text(value) => text(out, value),
        ExprKind::Flag(value) => out.push_str(if *value { "true" } else { "false" }),
        ExprKind::Set(elements) => wrapped(out, "{", elements, "}"),
        ExprKind::Path(path) => out.push_str(path),
        ExprKind::Now => out.push_str("now"),
        ExprKind::Age(of) => around(out, "", of, " age"),
        ExprKind::Group(inner) => around(out, "(", inner, ")"),
        ExprKind::Not(inner) => around(out, "not ", inner, ""),
        ExprKind::And(parts) => joined(out, parts, " and "),
        ExprKind::Or(parts) => joined(out, parts, " or "),
        ExprKind::Compare(operator, left, right) => between(out, left, compare_op(*operator), right),
        ExprKind::Has(left, right) => between(out, left, " has ", right),
        ExprKind::In(left, right) => between(out, left, " in ", right),
        ExprKind::Between(value, low, high) => {
            between(out, value, " in ", low);
            around(out, " to ", high, "");
        }
        ExprKind::IsMissing(of) => around(out, "", of, " is missing"),
        ExprKind::Arith(operator, left, right) => between(out, left, arith_op(*operator), right),
        ExprKind::PercentOf(left, right) => between(out, left, " of ", right),
        ExprKind::AsPercentOf(left, right) => between(out, left, " as % of ", right),
        ExprKind::Larger(left, right) => {
            out.push_str("larger of ");
            between(out, left, " and ", right);
        }
        ExprKind::Smaller(left, right) => {
            out.push_str("smaller of ");
            between(out, left, " and ", right);
        }
        ExprKind::AtLeast(count, parts) => {
            out.push_str(&format!("at least {} of ", count.node));
            wrapped(out, "(", parts, ")");
        }
        ExprKind::Call(name, arguments) => {
            out.push_str(&name.node);
            wrapped(out, "(", arguments, ")");
        }
        ExprKind::Stat(of) => stat(out, of),
        ExprKind::Nothing(sources, length) => {
            out.push_str(&format!("nothing from {} for ", names(sources)));
            duration(out, length.node);
        }
        ExprKind::Fired(rules) => {
            let any = if rules.len() > 1 { "any of " } else { "" };
            out.push_str(&format!("{any}{} fired today", names(rules)));
        }
        ExprKind::Join(of) => join(out, of),
    }
}

fn around(out: &mut String, before: &str, inner: &Expr, after: &str) {
    out.push_str(before);
    expr(out, inner);
    out.push_str(after);
}

fn between(out: &mut String, left: &Expr, operator: &str, right: &Expr) {
    expr(out, left);
    out.push_str(operator);
    expr(out, right);
}

fn joined(out: &mut String, parts: &[Expr], joiner: &str) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push_str(joiner);
        }
        expr(out, part);
    }
}

fn wrapped(out: &mut String, open: &str, parts: &[Expr], close: &str) {
    out.push_str(open);
    joined(out, parts, ", ");
    out.push_str(close);
}

fn compare_op(operator: CompareOp) -> &'static str {
    match operator {
        CompareOp::Less => " < ",
        CompareOp::LessEq => " <= ",
        CompareOp::Greater => " > ",
        CompareOp::GreaterEq => " >= ",
        CompareOp::Equal => " = ",
        CompareOp::NotEqual => " != ",
        CompareOp::Before => " before ",
        CompareOp::After => " after ",
    }
}

fn arith_op(operator: ArithOp) -> &'static str {
    match operator {
        ArithOp::Add => " + ",
        ArithOp::Sub => " - ",
        ArithOp::Mul => " * ",
        ArithOp::Div => " / ",
    }
}

fn stat(out: &mut String, of: &Stat) {
    match of.kind.node {
        StatKind::Percentile(rank) => out.push_str(&format!("percentile {rank}")),
        kind => out.push_str(match kind {
            StatKind::Median => "median",
            StatKind::Mean => "mean",
            StatKind::Min => "min",
            StatKind::Max => "max",
            StatKind::Sum => "sum",
            StatKind::Count => "count",
            StatKind::Last => "last",
            StatKind::Sd => "sd",
            StatKind::Spread | StatKind::Percentile(_) => "spread",
        }),
    }
    out.push_str(&format!(" of {} ", of.signal.node));
    match of.window.node {
        StatWindow::Over(span) => {
            out.push_str("over ");
            calendar(out, span);
        }
        StatWindow::Within(length) => {
            out.push_str("within last ");
            duration(out, length);
        }
    }
    if of.with_today.is_some() {
        out.push_str(", with today");
    }
    if let Some(needs) = &of.needs {
        out.push_str(&format!(", needs {}", needs.node));
    }
    if let Some(otherwise) = &of.otherwise {
        around(out, ", else ", otherwise, "");
    }
}

fn join(out: &mut String, of: &Join) {
    out.push_str(match of.quantifier.node {
        Quantifier::Some => "some ",
        Quantifier::Each => "each ",
        Quantifier::No => "no ",
        Quantifier::Every => "every ",
    });
    items(out, &of.var, &of.stream, of.window.as_ref().map(|window| &window.node), of.filter.as_ref());
}

/// `x in STREAM [WINDOW] [where …]`
pub(super) fn items(
    out: &mut String,
    var: &Name,
    stream: &Name,
    window: Option<&ItemWindow>,
    filter: Option<&Expr>,
) {
    out.push_str(&format!("{} in {}", var.node, stream.node));
    if let Some(window) = window {
        item_window(out, window);
    }
    if let Some(filter) = filter {
        around(out, " where ", filter, "");
    }
}

fn item_window(out: &mut String, window: &ItemWindow) {
    match &window.kind {
        ItemWindowKind::Today => out.push_str(" today"),
        ItemWindowKind::RestOfToday => out.push_str(" rest of today"),
        ItemWindowKind::Now => out.push_str(" now"),
        ItemWindowKind::LastNight => out.push_str(" last night"),
        ItemWindowKind::ThisWeek => out.push_str(" this week"),
        ItemWindowKind::ThisMonth => out.push_str(" this month"),
        ItemWindowKind::Over(span) => {
            out.push_str(" over ");
            calendar(out, *span);
        }
        ItemWindowKind::WithinLast(length) => {
            out.push_str(" within last ");
            duration(out, *length);
        }
        ItemWindowKind::WithinNext(length) => {
            out.push_str(" within next ");
            duration(out, *length);
        }
        ItemWindowKind::Since(schedule) => out.push_str(&format!(" since {}", schedule.node)),
    }
    in_zone(out, window.zone.as_ref());
}

/// ` in ZONE`
pub(super) fn in_zone(out: &mut String, zone: Option<&Name>) {
    if let Some(zone) = zone {
        out.push_str(&format!(" in {}", zone.node));
    }
}

/// Names with commas.
pub(super) fn names(names: &[Name]) -> String {
    names.iter().map(|name| name.node.as_str()).collect::<Vec<_>>().join(", ")
}

/// A decimal with the digits with which it was written.
pub(super) fn decimal(out: &mut String, number: Decimal) {
    let digits = number.mantissa.unsigned_abs().to_string();
    let scale = usize::from(number.scale);
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, part) = padded.split_at_checked(padded.len() - scale).unwrap_or((&padded, ""));
    let sign = if number.mantissa < 0 { "-" } else { "" };
    let point = if scale > 0 { "." } else { "" };
    out.push_str(&format!("{sign}{whole}{point}{part}"));
}

fn quantity(out: &mut String, number: Decimal, unit: &str) {
    decimal(out, number);
    let spaced = BUILTIN_UNITS.iter().any(|(word, _, spaced)| *word == unit && *spaced);
    if spaced || Currency::parse(unit).is_some() {
        out.push(' ');
    }
    out.push_str(unit);
}

/// `1h30m` from an hour on, `30min` below, `45s`, `1m30s`, `0min`.
pub(super) fn duration(out: &mut String, length: i64) {
    if length < 0 {
        out.push('-');
    }
    let all = length.unsigned_abs();
    let (hours, minutes, rest) = (all / 3_600_000, all / 60_000 % 60, all % 60_000);
    if hours == 0 && rest == 0 {
        out.push_str(&format!("{minutes}min"));
        return;
    }
    if hours > 0 {
        out.push_str(&format!("{hours}h"));
    }
    if minutes > 0 {
        out.push_str(&format!("{minutes}m"));
    }
    if rest > 0 {
        let (seconds, part) = (rest / 1000, rest % 1000);
        let part = if part == 0 { String::new() } else { format!(".{part:03}") };
        out.push_str(&format!("{seconds}{}s", part.trim_end_matches('0')));
    }
}

/// `2 days`, `1 week`
pub(super) fn calendar(out: &mut String, span: CalendarSpan) {
    let unit = match span.unit {
        CalendarUnit::Day => "day",
        CalendarUnit::Night => "night",
        CalendarUnit::Week => "week",
    };
    let plural = if span.count == 1 { "" } else { "s" };
    out.push_str(&format!("{} {unit}{plural}", span.count));
}

/// Either kind of length.
pub(super) fn length(out: &mut String, value: Length) {
    match value {
        Length::Exact(value) => duration(out, value),
        Length::Calendar(span) => calendar(out, span),
    }
}

/// `09:00`
pub(super) fn clock(out: &mut String, clock: Clock) {
    out.push_str(&format!("{:02}:{:02}", clock.0 / 60, clock.0 % 60));
}

/// `2026-03-16`
pub(super) fn date_of(out: &mut String, date: DateLit) {
    out.push_str(&format!("{:04}-{:02}-{:02}", date.year, date.month, date.day));
}

/// `2026-03-16 09:00`, with seconds where there are some.
pub(super) fn instant(out: &mut String, time: LocalTime) {
    date_of(out, time.date);
    let (minute, second) = (time.second / 60, time.second % 60);
    out.push_str(&format!(" {:02}:{:02}", minute / 60, minute % 60));
    if second > 0 {
        out.push_str(&format!(":{second:02}"));
    }
}

/// A quoted text.
pub(super) fn text(out: &mut String, value: &str) {
    out.push('"');
    escaped(out, value);
    out.push('"');
}

fn escaped(out: &mut String, value: &str) {
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
}

/// A quoted text with holes.
pub(super) fn template(out: &mut String, of: &Template) {
    out.push('"');
    for part in &of.parts {
        match part {
            TemplatePart::Text(value) => escaped(out, &value.replace('{', "{{").replace('}', "}}")),
            TemplatePart::Value(value) => around(out, "{", value, "}"),
            TemplatePart::Fired(_) => out.push_str("{fired}"),
        }
    }
    out.push('"');
}
