//! Rules: the clauses in canonical order, each on its line.

use super::columns::Line;
use super::expr::{expr, items};
use super::layout::Piece;
use super::words::{duration, escaped, keyword, length, level, names, quoted, suffix};
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{
    Clause, ClauseKind, Gather, Name, QuietPolicy, Rule, Say, Template, TemplatePart, Then, UnknownPolicy,
};

/// Head and clauses of a rule.
pub(super) fn rule(node: &Rule, span: Span) -> Vec<Piece> {
    let head = titled("rule", &node.name, node.title.as_ref(), span);
    std::iter::once(head).chain(node.clauses.iter().map(clause)).collect()
}

/// `rule NAME  "Title"`
pub(super) fn titled(word: &str, name: &Name, title: Option<&Spanned<String>>, span: Span) -> Piece {
    let text = title.map_or_else(String::new, |title| format!("  {}", quoted(&title.node)));
    let end = title.map_or(name.span, |title| title.span);
    Piece::head(span, end, Line::alone(format!("{word} {}{text}", name.node)))
}

fn clause(node: &Clause) -> Piece {
    let line = match &node.kind {
        ClauseKind::Let(name, value) => Line::assigned(keyword("let", &name.node), &expr(value)),
        kind => Line::alone(clause_text(kind)),
    };
    Piece::line(node.span, line).ranked(rank(&node.kind))
}

/// Place of a clause among the others; clauses of one rank keep their order.
pub(super) fn rank(kind: &ClauseKind) -> u8 {
    match kind {
        ClauseKind::Off => 1,
        ClauseKind::Let(..) => 2,
        ClauseKind::On(..) => 3,
        ClauseKind::When(_) | ClauseKind::And(_) | ClauseKind::Or(_) => 4,
        ClauseKind::Unless(_) => 5,
        ClauseKind::For(_) => 6,
        ClauseKind::ClearWhen(_) => 7,
        ClauseKind::Gather(_) => 8,
        ClauseKind::Then(_) => 9,
        ClauseKind::OncePer(_) => 10,
        ClauseKind::Wait(_) => 11,
        ClauseKind::Expires(_) => 12,
        ClauseKind::Quiet(..) => 13,
        ClauseKind::Unknown(_) => 14,
        ClauseKind::Say(_) => 15,
    }
}

pub(super) fn clause_text(kind: &ClauseKind) -> String {
    match kind {
        ClauseKind::Off => "off".into(),
        ClauseKind::Let(name, value) => keyword("let", &format!("{} = {}", name.node, expr(value))),
        ClauseKind::On(cause, var) => keyword("on", &format!("{}{}", cause.node, suffix("as", var.as_ref()))),
        ClauseKind::When(condition) => keyword("when", &expr(condition)),
        ClauseKind::And(condition) => keyword("and", &expr(condition)),
        ClauseKind::Or(condition) => keyword("or", &expr(condition)),
        ClauseKind::Unless(condition) => keyword("unless", &expr(condition)),
        ClauseKind::For(hold) => keyword("for", &length(hold.node)),
        ClauseKind::ClearWhen(condition) => keyword("clear when", &expr(condition)),
        ClauseKind::Gather(gather) => keyword("gather", &gather_text(gather)),
        ClauseKind::Then(then) => keyword("then", &then_text(then)),
        ClauseKind::OncePer(keys) => keyword("once per", &names(keys)),
        ClauseKind::Wait(wait) => keyword("wait", &length(wait.node)),
        ClauseKind::Expires(expires) => keyword("expires", &length(expires.node)),
        ClauseKind::Quiet(window, policy) => {
            keyword("quiet", &format!("{}: {}", window.node, quiet_policy(policy.node)))
        }
        ClauseKind::Unknown(policy) => keyword("unknown", unknown_policy(policy.node)),
        ClauseKind::Say(say) => keyword("say", &say_text(say)),
    }
}

fn gather_text(gather: &Gather) -> String {
    match gather {
        Gather::Items { at_most, at, newest_first } => {
            let most = at_most.as_ref().map_or_else(String::new, |most| format!("at most {} ", most.node));
            let order = if newest_first.is_some() { "newest" } else { "oldest" };
            format!("{most}at {}, {order} first", at.node)
        }
        Gather::Text { var, stream, window, filter } => {
            let window = window.as_ref().map(|window| &window.node);
            items(&var.node, &stream.node, window, filter.as_ref())
        }
    }
}

fn then_text(then: &Then) -> String {
    let mut out = String::from(level(then.level.node));
    out.push_str(&suffix("within", then.within.as_ref()));
    out.push_str(&suffix("at", then.at.as_ref()));
    if let Some(escalate) = &then.escalate {
        out.push_str(", then ");
        out.push_str(level(escalate.level.node));
        out.push_str(&suffix("within", escalate.within.as_ref()));
        out.push_str(" after ");
        out.push_str(&duration(escalate.after.node));
        if escalate.unless_seen {
            out.push_str(" unless seen");
        }
    }
    out
}

fn quiet_policy(policy: QuietPolicy) -> &'static str {
    match policy {
        QuietPolicy::Drop => "drop",
        QuietPolicy::KeepIfTrue => "keep until end, drop if no longer true",
        QuietPolicy::Keep => "keep until end",
        QuietPolicy::Soften => "soften",
        QuietPolicy::Pass => "pass",
    }
}

fn unknown_policy(policy: UnknownPolicy) -> &'static str {
    match policy {
        UnknownPolicy::Silent => "silent",
        UnknownPolicy::Fire => "fire",
        UnknownPolicy::Keep => "keep",
    }
}

fn say_text(say: &Say) -> String {
    let mut out = template(&say.text);
    if let Some(each) = &say.each {
        out.push_str(" each ");
        out.push_str(&template(each));
    }
    if let Some(otherwise) = &say.otherwise {
        out.push_str(" else ");
        out.push_str(&template(otherwise));
    }
    out
}

fn template(node: &Template) -> String {
    let mut out = String::from("\"");
    for part in &node.parts {
        match part {
            TemplatePart::Text(text) => {
                out.push_str(&escaped(text).replace('{', "{{").replace('}', "}}"));
            }
            TemplatePart::Value(value) => {
                out.push('{');
                // The quotes of texts in it would end the text around it.
                out.push_str(&escaped(&expr(value)));
                out.push('}');
            }
            TemplatePart::Fired(_) => out.push_str("{fired}"),
        }
    }
    out.push('"');
    out
}
