//! Definitions of one line, and the lines of tables and plans.

use super::columns::{CELL_CHARS_MAX, Form, Line};
use super::expr::expr;
use super::layout::Piece;
use super::words::{
    cadence, calendar_span, clock, commas, decimal, duration, keyword, period, quoted, suffix, weekday,
};
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{
    Budget, Cell, Clock, Fold, Function, Gap, ItemKind, Late, List, Name, Plan, PlanField, Quiet,
    QuietWindow, Schedule, ScheduleKind, Signal, Stream, Table, Weekday, Zone,
};

/// Characters that the words of a plan's field and the blanks after them take.
const FIELD_WIDTH: usize = 11;

/// A definition that stands on one line; empty for one that has lines of its own.
pub(super) fn one_line(kind: &ItemKind) -> Line {
    match kind {
        ItemKind::Zone(node) => assigned("zone", &node.name, &zone(node)),
        ItemKind::Keep(node) => {
            Line::alone(keyword("keep", &format!("history {}", calendar_span(node.history.node))))
        }
        ItemKind::Quiet(node) => assigned("quiet", &node.name, &quiet(node)),
        ItemKind::Budget(node) => assigned("budget", &node.name, &budget(node)),
        ItemKind::Unit(node) => {
            Line::alone(keyword("unit", &format!("{} scale {}", node.name.node, node.scale.node)))
        }
        ItemKind::Signal(node) => Line::cells(Form::Signal, signal(node)),
        ItemKind::Stream(node) => Line::cells(Form::Stream, stream(node)),
        ItemKind::List(node) => assigned("list", &node.name, &list(node)),
        ItemKind::Schedule(node) => assigned("schedule", &node.name, &schedule(node)),
        ItemKind::Function(node) => Line::alone(keyword("function", &function(node))),
        ItemKind::Rule(_) | ItemKind::Table(_) | ItemKind::Plan(_) | ItemKind::Test(_) => {
            Line::alone(String::new())
        }
    }
}

fn assigned(word: &str, name: &Name, value: &str) -> Line {
    Line::assigned(keyword(word, &name.node), value)
}

fn zone(node: &Zone) -> String {
    let mut out = quoted(&node.iana.node);
    if node.default.is_some() {
        out.push_str(", default");
    }
    if let Some(gap) = &node.gap {
        out.push_str(match gap.node {
            Gap::After => ", gap after",
            Gap::Skip => ", gap skip",
        });
    }
    if let Some(fold) = &node.fold {
        out.push_str(match fold.node {
            Fold::First => ", fold first",
            Fold::Second => ", fold second",
            Fold::Both => ", fold both",
        });
    }
    out
}

fn quiet(node: &Quiet) -> String {
    let windows = commas(node.windows.iter().map(quiet_window));
    format!("{windows}{}", suffix("in", node.zone.as_ref()))
}

fn quiet_window(window: &QuietWindow) -> String {
    let hours = format!("{} to {}", clock(window.from.node), clock(window.to.node));
    if window.days.is_empty() { hours } else { format!("on {}: {hours}", days(&window.days)) }
}

fn days(days: &[Spanned<Weekday>]) -> String {
    commas(days.iter().map(|day| weekday(day.node).to_owned()))
}

fn clocks(clocks: &[Spanned<Clock>]) -> String {
    commas(clocks.iter().map(|minute| clock(minute.node)))
}

fn budget(node: &Budget) -> String {
    format!("{} per {}{}", node.count.node, period(node.per), suffix("in", node.zone.as_ref()))
}

/// Cells of a signal; a part that is not written leaves its cell empty.
fn signal(node: &Signal) -> Vec<String> {
    let step = node.cadence.as_ref().map(|step| cadence(step.node));
    let fresh = node.fresh.as_ref().map(|fresh| format!("fresh {}", duration(fresh.node)));
    let range = node.range.as_ref().map(|(low, high)| format!("range {} to {}", expr(low), expr(high)));
    let private = node.private.map(|_| "private".to_owned());
    let head = [keyword("signal", &node.name.node), node.unit.node.clone()];
    let parts = [step, fresh, range, private].map(Option::unwrap_or_default);
    head.into_iter().chain(parts).collect()
}

fn typed(fields: &[(Name, Name)]) -> String {
    commas(fields.iter().map(|(name, word)| format!("{} {}", name.node, word.node)))
}

fn stream(node: &Stream) -> Vec<String> {
    let fields = if node.fields.is_empty() { " ".into() } else { format!(" {} ", typed(&node.fields)) };
    let mut out = format!("{{{fields}}}");
    if let Some(timed) = &node.timed {
        out.push_str(" timed ");
        out.push_str(&timed.start.node);
        out.push_str(&suffix("to", timed.end.as_ref()));
    }
    if node.private.is_some() {
        out.push_str(" private");
    }
    vec![keyword("stream", &node.name.node), out]
}

fn list(node: &List) -> String {
    commas(node.entries.iter().map(|entry| quoted(&entry.node)))
}

fn schedule(node: &Schedule) -> String {
    let kind = match &node.kind.node {
        ScheduleKind::Daily(at) => format!("daily at {}", clocks(at)),
        ScheduleKind::Weekly(on, at) => format!("on {} at {}", days(on), clocks(at)),
        ScheduleKind::Monthly(day, at) => format!("monthly on {} at {}", day.node, clocks(at)),
        ScheduleKind::Every(step) => format!("every {}", duration(step.node)),
        ScheduleKind::Before(ahead, stream) => format!("{} before {}", duration(ahead.node), stream.node),
    };
    let late = match node.late.as_ref().map(|late| late.node) {
        None => String::new(),
        Some(Late::Until(until)) => format!(", late until {}", clock(until)),
        Some(Late::Within(ms)) => format!(", late {}", duration(ms)),
        Some(Late::Skip) => ", late skip".into(),
    };
    format!("{kind}{}{late}", suffix("in", node.zone.as_ref()))
}

fn function(node: &Function) -> String {
    let from = quoted(&node.from.node);
    format!("{} ({}) -> {} from {from}", node.name.node, typed(&node.params), node.returns.node)
}

/// Head, columns and rows of a table, the columns aligned.
pub(super) fn table(node: &Table, span: Span) -> Vec<Piece> {
    let mut head = format!("table {}  in {}  on {}", node.name.node, node.currency.node, node.stream.node);
    let mut end = node.stream.span;
    if let Some(place) = node.first_match {
        head.push_str("  first match");
        end = place;
    }
    let heads: Vec<String> = node.columns.iter().map(|head| head.node.clone()).collect();
    let cells: Vec<Vec<String>> =
        node.rows.iter().map(|row| row.cells.iter().map(|cell| cell_text(&cell.node)).collect()).collect();
    let widths = widths(&heads, &cells);
    let mut pieces = vec![Piece::head(span, end, Line::alone(head))];
    if let (Some(first), Some(last)) = (node.columns.first(), node.columns.last()) {
        pieces.push(Piece::line(first.span.to(last.span), Line::alone(row_text(&heads, &widths))));
    }
    let rows = node.rows.iter().zip(&cells);
    pieces.extend(rows.map(|(row, cells)| Piece::line(row.span, Line::alone(row_text(cells, &widths)))));
    pieces
}

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Any => "any".into(),
        Cell::To(most) => format!("to {}", decimal(*most)),
        Cell::Range(low, high) => format!("{} to {}", decimal(*low), decimal(*high)),
        Cell::Words(words) => words.clone(),
    }
}

/// The widest text of each column, in characters; a very wide one makes no column wider.
fn widths(heads: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for row in std::iter::once(heads).chain(rows.iter().map(Vec::as_slice)) {
        for (column, text) in row.iter().enumerate() {
            let count = Some(text.chars().count()).filter(|count| *count <= CELL_CHARS_MAX).unwrap_or(0);
            match widths.get_mut(column) {
                Some(width) => *width = count.max(*width),
                None => widths.push(count),
            }
        }
    }
    widths
}

fn row_text(cells: &[String], widths: &[usize]) -> String {
    let mut out = String::from("|");
    for (text, width) in cells.iter().zip(widths) {
        let cell = format!(" {text:<width$} |");
        out.push_str(&cell);
    }
    out
}

/// Head and fields of a plan.
pub(super) fn plan(node: &Plan, span: Span) -> Vec<Piece> {
    let head = Piece::head(span, node.name.span, Line::alone(format!("plan {}", node.name.node)));
    std::iter::once(head).chain(node.fields.iter().map(plan_field)).collect()
}

fn plan_field(field: &PlanField) -> Piece {
    let mut text = format!("{:<FIELD_WIDTH$}", field.name.node);
    if !text.ends_with(' ') {
        text.push(' ');
    }
    text.push_str(&expr(&field.value));
    let mut span = field.name.span.to(field.value.span);
    if let Some(per) = &field.per {
        text.push_str(" per ");
        text.push_str(period(per.node));
        span = span.to(per.span);
    }
    Piece::line(span, Line::alone(text))
}
