//! Tests: their lines in the order in which they were written.

use super::columns::Line;
use super::expr::expr;
use super::layout::Piece;
use super::rule::titled;
use super::words::{cadence, clock, commas, date, keyword, level, local_time as local, outcome, quoted};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{Expect, Expr, ExprKind, Name, Test, TestLine, TestLineKind};

/// Head and lines of a test.
pub(super) fn test(node: &Test, span: Span) -> Vec<Piece> {
    let head = titled("test", &node.name, node.title.as_ref(), span);
    std::iter::once(head).chain(node.lines.iter().map(line)).collect()
}

fn line(node: &TestLine) -> Piece {
    Piece::line(node.span, Line::alone(line_text(&node.kind)))
}

pub(super) fn line_text(kind: &TestLineKind) -> String {
    match kind {
        TestLineKind::Zone(iana) => keyword("zone", &quoted(&iana.node)),
        TestLineKind::Expect(expected) => keyword("expect", &expect(expected)),
        TestLineKind::NothingElse => keyword("expect", "nothing else"),
        given => keyword("given", &given_text(given)),
    }
}

fn given_text(kind: &TestLineKind) -> String {
    match kind {
        TestLineKind::Series { signal, cadence: step, at, from, values } => {
            let at = at.as_ref().map_or_else(String::new, |at| format!(" at {}", clock(at.node)));
            let values = commas(values.iter().map(repeated));
            format!("{} {}{at} from {}: {values}", signal.node, cadence(step.node), date(from.node))
        }
        TestLineKind::Reading { signal, value, at, observed } => {
            let seen = observed.as_ref().map_or_else(String::new, |at| format!(" observed {}", local(at)));
            format!("{} {} at {}{seen}", signal.node, expr(value), local(at))
        }
        TestLineKind::Item { stream, id, fields, at, removed } => {
            let mut out = format!("{} {}{}", stream.node, quoted(&id.node), item_fields(fields));
            if *removed {
                out.push_str(" removed");
            }
            if let Some(at) = at {
                out.push_str(&format!(" at {}", local(at)));
            }
            out
        }
        TestLineKind::Travel(iana, at) => format!("zone {} at {}", quoted(&iana.node), local(at)),
        TestLineKind::Down(from, to) => format!("down from {} to {}", local(from), local(to)),
        TestLineKind::Restart(at) => format!("restart at {}", local(at)),
        TestLineKind::Seen(rule, at) => format!("seen {} at {}", rule.node, local(at)),
        TestLineKind::HandoverFailed(rule, at) => format!("handover {} failed at {}", rule.node, local(at)),
        TestLineKind::Rejected(rule, at) => format!("rejected {} at {}", rule.node, local(at)),
        TestLineKind::Snooze(rule, at, until) => {
            let rule = rule.as_ref().map_or("all", |rule| rule.node.as_str());
            format!("snooze {rule} at {} until {}", local(at), local(until))
        }
        TestLineKind::Quiet(at, until) => format!("quiet at {} until {}", local(at), local(until)),
        // Written by the caller.
        TestLineKind::Zone(_) | TestLineKind::Expect(_) | TestLineKind::NothingElse => String::new(),
    }
}

/// ` title "Final exam" start 2026-09-26 14:00`
///
/// One blank between a bare number and a word would make a unit of the word, so two are written there,
/// unless what follows the word shows that it is a field.
fn item_fields(fields: &[(Name, Expr)]) -> String {
    let mut out = String::new();
    let mut after_number = false;
    for (name, value) in fields {
        let text = expr(value);
        let plain = text.starts_with(|first: char| first.is_ascii_digit() || first == '"');
        let blank = if after_number && !plain { "  " } else { " " };
        out.push_str(&format!("{blank}{} {text}", name.node));
        after_number = matches!(value.kind, ExprKind::Number(_));
    }
    out
}

/// One value of a series: `7h x14`, `missing`.
fn repeated((value, times): &(Option<Expr>, u32)) -> String {
    let value = value.as_ref().map_or_else(|| "missing".into(), expr);
    if *times == 1 { value } else { format!("{value} x{times}") }
}

fn expect(node: &Expect) -> String {
    let mut out = format!("{} {}", local(&node.at), node.rule.node);
    if let Some(word) = &node.level {
        out.push_str(&format!(" {}", level(word.node)));
    }
    out.push_str(&format!(" {}", outcome(node.outcome.node)));
    if let Some(gate) = &node.gate {
        out.push_str(&format!(" by {}", gate.node));
    }
    if !node.per.is_empty() {
        out.push_str(&format!(" per {}", commas(node.per.iter().map(|per| quoted(&per.node)))));
    }
    if let Some(says) = &node.says {
        out.push_str(&format!(" says {}", quoted(&says.node)));
    }
    out
}
