//! Rules, tests, tables and plans to lines.

use super::definition::{cadence_words, period};
use super::expression::{
    clock, date_of, decimal, duration, expr, instant, items, length, names, template, text,
};
use super::pad;
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{
    Cell, Clause, ClauseKind, Expect, Gather, Item, ItemKind, Level, LocalTime, Name, Outcome, Plan,
    QuietPolicy, Rule, Say, Table, Test, TestLineKind, Then, UnknownPolicy,
};

/// A line of a block, with the place it comes from.
pub(super) struct Line {
    /// Where it stood.
    pub(super) span: Span,
    /// Its canonical text without indentation.
    pub(super) text: String,
    /// Lines are printed by rank, then as they stood.
    pub(super) rank: u8,
}

/// A block: its head and its lines in the order of the source; `None` for a definition of one line.
pub(super) fn block(item: &Item) -> Option<(Line, Vec<Line>)> {
    match &item.kind {
        ItemKind::Rule(rule) => {
            Some((head("rule", &rule.name, rule.title.as_ref(), item.span), clauses(rule)))
        }
        ItemKind::Test(test) => {
            Some((head("test", &test.name, test.title.as_ref(), item.span), test_lines(test)))
        }
        ItemKind::Table(table) => Some((table_head(table, item.span), table_rows(table))),
        ItemKind::Plan(plan) => Some((head("plan", &plan.name, None, item.span), plan_lines(plan))),
        _ => None,
    }
}

fn head(word: &str, name: &Name, title: Option<&Spanned<String>>, item: Span) -> Line {
    let mut out = format!("{word} {}", name.node);
    let mut end = name.span.end;
    if let Some(title) = title {
        out.push_str("  ");
        text(&mut out, &title.node);
        end = title.span.end;
    }
    Line { span: Span { end, ..item }, text: out, rank: 0 }
}

fn clauses(rule: &Rule) -> Vec<Line> {
    let name_width = |clause: &Clause| match &clause.kind {
        ClauseKind::Let(name, _) => name.node.chars().count(),
        _ => 0,
    };
    let width = rule.clauses.iter().map(name_width).max().unwrap_or(0);
    rule.clauses
        .iter()
        .map(|clause| {
            let (rank, word) = rank(&clause.kind);
            let mut out = if word.len() < 9 { pad(word, 9) } else { format!("{word}  ") };
            clause_text(&mut out, &clause.kind, width);
            Line { span: clause.span, text: out.trim_end().to_owned(), rank }
        })
        .collect()
}

/// The place of a clause in the canonical order, and its words.
fn rank(kind: &ClauseKind) -> (u8, &'static str) {
    match kind {
        ClauseKind::Off => (0, "off"),
        ClauseKind::Let(..) => (1, "let"),
        ClauseKind::On(..) => (2, "on"),
        ClauseKind::When(_) => (3, "when"),
        ClauseKind::And(_) => (4, "and"),
        ClauseKind::Or(_) => (4, "or"),
        ClauseKind::Unless(_) => (5, "unless"),
        ClauseKind::For(_) => (6, "for"),
        ClauseKind::ClearWhen(_) => (7, "clear when"),
        ClauseKind::Gather(_) => (8, "gather"),
        ClauseKind::Then(_) => (9, "then"),
        ClauseKind::OncePer(_) => (10, "once per"),
        ClauseKind::Wait(_) => (11, "wait"),
        ClauseKind::Expires(_) => (12, "expires"),
        ClauseKind::Quiet(..) => (13, "quiet"),
        ClauseKind::Unknown(_) => (14, "unknown"),
        ClauseKind::Say(_) => (15, "say"),
    }
}

fn clause_text(out: &mut String, kind: &ClauseKind, width: usize) {
    match kind {
        ClauseKind::Off => {}
        ClauseKind::Let(name, value) => {
            out.push_str(&format!("{} = ", pad(&name.node, width)));
            expr(out, value);
        }
        ClauseKind::On(source, item) => {
            out.push_str(&source.node);
            if let Some(item) = item {
                out.push_str(&format!(" as {}", item.node));
            }
        }
        ClauseKind::When(value)
        | ClauseKind::And(value)
        | ClauseKind::Or(value)
        | ClauseKind::Unless(value)
        | ClauseKind::ClearWhen(value) => expr(out, value),
        ClauseKind::For(value) | ClauseKind::Wait(value) | ClauseKind::Expires(value) => {
            length(out, value.node)
        }
        ClauseKind::Gather(gather) => gather_text(out, gather),
        ClauseKind::Then(then) => then_text(out, then),
        ClauseKind::OncePer(values) => out.push_str(&names(values)),
        ClauseKind::Quiet(window, policy) => {
            let policy = match policy.node {
                QuietPolicy::Drop => "drop",
                QuietPolicy::KeepIfTrue => "keep until end, drop if no longer true",
                QuietPolicy::Keep => "keep until end",
                QuietPolicy::Soften => "soften",
                QuietPolicy::Pass => "pass",
            };
            out.push_str(&format!("{}: {policy}", window.node));
        }
        ClauseKind::Unknown(policy) => out.push_str(match policy.node {
            UnknownPolicy::Silent => "silent",
            UnknownPolicy::Fire => "fire",
            UnknownPolicy::Keep => "keep",
        }),
        ClauseKind::Say(say) => say_text(out, say),
    }
}

fn gather_text(out: &mut String, gather: &Gather) {
    match gather {
        Gather::Items { at_most, at, newest_first } => {
            if let Some(count) = at_most {
                out.push_str(&format!("at most {} ", count.node));
            }
            let order = if newest_first.is_some() { "newest" } else { "oldest" };
            out.push_str(&format!("at {}, {order} first", at.node));
        }
        Gather::Text { var, stream, window, filter } => {
            items(out, var, stream, window.as_ref().map(|window| &window.node), filter.as_ref());
        }
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Digest => "digest",
        Level::Note => "note",
        Level::Tell => "tell",
        Level::Ring => "ring",
    }
}

fn then_text(out: &mut String, then: &Then) {
    let part = |out: &mut String, word: &str, name: Option<&Name>| {
        if let Some(name) = name {
            out.push_str(&format!(" {word} {}", name.node));
        }
    };
    out.push_str(level(then.level.node));
    part(out, "within", then.within.as_ref());
    part(out, "at", then.at.as_ref());
    if let Some(second) = &then.escalate {
        out.push_str(&format!(", then {}", level(second.level.node)));
        part(out, "within", second.within.as_ref());
        out.push_str(" after ");
        duration(out, second.after.node);
        if second.unless_seen {
            out.push_str(" unless seen");
        }
    }
}

fn say_text(out: &mut String, say: &Say) {
    template(out, &say.text);
    if let Some(each) = &say.each {
        out.push_str(" each ");
        template(out, each);
    }
    if let Some(otherwise) = &say.otherwise {
        out.push_str(" else ");
        template(out, otherwise);
    }
}

fn table_head(table: &Table, item: Span) -> Line {
    let mut out = format!("table {}  in {}  on {}", table.name.node, table.currency.node, table.stream.node);
    let mut end = table.stream.span.end;
    if let Some(place) = table.first_match {
        out.push_str("  first match");
        end = place.end;
    }
    Line { span: Span { end, ..item }, text: out, rank: 0 }
}

fn table_rows(table: &Table) -> Vec<Line> {
    let cell = |cell: &Spanned<Cell>| {
        let mut out = String::new();
        match &cell.node {
            Cell::Any => out.push_str("any"),
            Cell::To(limit) => {
                out.push_str("to ");
                decimal(&mut out, *limit);
            }
            Cell::Range(low, high) => {
                decimal(&mut out, *low);
                out.push_str(" to ");
                decimal(&mut out, *high);
            }
            Cell::Words(words) => out.push_str(words),
        }
        out
    };
    let mut rows: Vec<(Span, Vec<String>)> = Vec::with_capacity(table.rows.len() + 1);
    if let (Some(first), Some(last)) = (table.columns.first(), table.columns.last()) {
        let heads = table.columns.iter().map(|name| name.node.clone()).collect();
        rows.push((first.span.to(last.span), heads));
    }
    rows.extend(table.rows.iter().map(|row| (row.span, row.cells.iter().map(cell).collect())));
    let mut widths: Vec<usize> = Vec::new();
    for (_, cells) in &rows {
        widths.resize(widths.len().max(cells.len()), 0);
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |(span, cells): (Span, Vec<String>)| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("| {} ", pad(cell, *width)));
        Line { span, text: padded.collect::<String>() + "|", rank: 0 }
    };
    rows.into_iter().map(line).collect()
}

fn plan_lines(plan: &Plan) -> Vec<Line> {
    let width = plan.fields.iter().map(|field| field.name.node.chars().count()).max().unwrap_or(0) + 2;
    let line = |field: &crate::engine::syntax::ast::PlanField| {
        let mut out = pad(&field.name.node, width);
        expr(&mut out, &field.value);
        let mut span = field.name.span.to(field.value.span);
        if let Some(per) = &field.per {
            out.push_str(&format!(" per {}", period(per.node)));
            span = span.to(per.span);
        }
        Line { span, text: out, rank: 0 }
    };
    plan.fields.iter().map(line).collect()
}

fn test_lines(test: &Test) -> Vec<Line> {
    let line = |line: &crate::engine::syntax::ast::TestLine| {
        let word = match &line.kind {
            TestLineKind::Zone(_) => "zone",
            TestLineKind::Expect(_) | TestLineKind::NothingElse => "expect",
            _ => "given",
        };
        let mut out = pad(word, 9);
        test_line(&mut out, &line.kind);
        Line { span: line.span, text: out, rank: 0 }
    };
    test.lines.iter().map(line).collect()
}

fn at(out: &mut String, word: &str, time: &Spanned<LocalTime>) {
    out.push_str(word);
    instant(out, time.node);
}

fn test_line(out: &mut String, kind: &TestLineKind) {
    match kind {
        TestLineKind::Zone(name) => text(out, &name.node),
        TestLineKind::Series { .. } => series(out, kind),
        TestLineKind::Reading { signal, value, at: time, observed } => {
            out.push_str(&format!("{} ", signal.node));
            expr(out, value);
            at(out, " at ", time);
            if let Some(observed) = observed {
                at(out, " observed ", observed);
            }
        }
        TestLineKind::Item { stream, id, fields, at: time, removed } => {
            out.push_str(&format!("{} ", stream.node));
            text(out, &id.node);
            for (name, value) in fields {
                out.push_str(&format!(" {} ", name.node));
                expr(out, value);
            }
            out.push_str(if *removed { " removed" } else { "" });
            if let Some(time) = time {
                at(out, " at ", time);
            }
        }
        TestLineKind::Travel(zone, time) => {
            out.push_str("zone ");
            text(out, &zone.node);
            at(out, " at ", time);
        }
        TestLineKind::Down(from, to) => {
            at(out, "down from ", from);
            at(out, " to ", to);
        }
        TestLineKind::Restart(time) => at(out, "restart at ", time),
        TestLineKind::Seen(rule, time) => at(out, &format!("seen {} at ", rule.node), time),
        TestLineKind::HandoverFailed(rule, time) => {
            at(out, &format!("handover {} failed at ", rule.node), time)
        }
        TestLineKind::Rejected(rule, time) => at(out, &format!("rejected {} at ", rule.node), time),
        TestLineKind::Snooze(rule, from, until) => {
            let rule = rule.as_ref().map_or("all", |rule| rule.node.as_str());
            at(out, &format!("snooze {rule} at "), from);
            at(out, " until ", until);
        }
        TestLineKind::Quiet(from, until) => {
            at(out, "quiet at ", from);
            at(out, " until ", until);
        }
        TestLineKind::Expect(expected) => expect(out, expected),
        TestLineKind::NothingElse => out.push_str("nothing else"),
    }
}

fn series(out: &mut String, kind: &TestLineKind) {
    let TestLineKind::Series { signal, cadence, at, from, values } = kind else { return };
    out.push_str(&format!("{} {}", signal.node, cadence_words(cadence.node)));
    if let Some(time) = at {
        out.push_str(" at ");
        clock(out, time.node);
    }
    out.push_str(" from ");
    date_of(out, from.node);
    for (index, (value, count)) in values.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { ": " });
        match value {
            Some(value) => expr(out, value),
            None => out.push_str("missing"),
        }
        if *count != 1 {
            out.push_str(&format!(" x{count}"));
        }
    }
}

fn expect(out: &mut String, expected: &Expect) {
    instant(out, expected.at.node);
    out.push_str(&format!(" {} ", expected.rule.node));
    if let Some(of) = &expected.level {
        out.push_str(&format!("{} ", level(of.node)));
    }
    out.push_str(match expected.outcome.node {
        Outcome::Delivered => "delivered",
        Outcome::Kept => "kept",
        Outcome::Digested => "digested",
        Outcome::Suppressed => "suppressed",
        Outcome::Expired => "expired",
    });
    if let Some(gate) = &expected.gate {
        out.push_str(&format!(" by {}", gate.node));
    }
    for (index, value) in expected.per.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { " per " });
        text(out, &value.node);
    }
    if let Some(says) = &expected.says {
        out.push_str(" says ");
        text(out, &says.node);
    }
}
