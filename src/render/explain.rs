//! A rule in plain English: one sentence a clause, made from the tree alone.
//!
//! Says what the rule does, not what it should do; of other definitions it knows only the budgets, so names
//! stay as they are written, in backticks. Cut from the engine because nothing is decided by these words.
//!
//! INVARIANT: total and deterministic; every clause and every form of expression has words, and a clause that
//! is not written is named only where its default would surprise.

mod condition;
mod reads;
mod value;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::engine::syntax::ast::{
    Clause, ClauseKind, Escalate, Expr, ExprKind, Gather, Length, Level, Name, Period, Quantifier,
    QuietPolicy, Rule, Say, Template, TemplatePart, Then, UnknownPolicy,
};
use crate::engine::time::format_duration;
use crate::engine::value::quoted;

/// Sizes of budgets by name, such as `3 per day`.
pub type Budgets<'b> = BTreeMap<&'b str, String>;

/// The rule as sentences, one a line, the last without a line break.
#[must_use]
pub fn explain(rule: &Rule, budgets: &Budgets<'_>) -> String {
    let mut sentences = vec![heading(rule)];
    let clauses = || rule.clauses.iter().map(|clause| &clause.kind);
    sentences.extend(clauses().filter(|kind| **kind == ClauseKind::Off).map(|_| OFF.to_owned()));
    sentences.push(cause(rule));
    sentences.push(condition(rule));
    sentences.extend(clauses().filter_map(name_of_value));
    sentences.extend(clauses().filter_map(limit_of_truth));
    sentences.extend(clauses().filter_map(silence));
    sentences.extend(clauses().filter_map(gathering));
    sentences.extend(clauses().filter_map(|clause| delivery(clause, budgets)));
    sentences.push(repetition(rule));
    sentences.extend(clauses().filter_map(limit_of_delivery));
    let names_quiet = clauses().any(|clause| matches!(clause, ClauseKind::Quiet(..)));
    sentences.push(quiet_default(if names_quiet { "all other quiet hours" } else { "quiet hours" }));
    sentences.push(text(rule));
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join("\n")
}

const OFF: &str = "It is switched off: nothing of what follows happens.";

/// What windows do that the rule does not name, those that a person asks for among them.
fn quiet_default(windows: &str) -> String {
    format!("In {windows} it is kept until they end, and dropped if it is no longer true then.")
}

fn heading(rule: &Rule) -> String {
    match &rule.title {
        Some(title) => format!("Rule {} is called {}.", name(&rule.name), quoted(&title.node)),
        None => format!("Rule {} has no title.", name(&rule.name)),
    }
}

/// What a rule is judged by. Streams are dotted, schedules are not.
enum Cause<'a> {
    State,
    Item(&'a Name, Option<&'a Name>),
    Schedule(&'a Name, Option<&'a Name>),
}

fn cause_of(rule: &Rule) -> Cause<'_> {
    let on = rule.clauses.iter().find_map(|clause| match &clause.kind {
        ClauseKind::On(source, var) => Some((source, var.as_ref())),
        _ => None,
    });
    match on {
        None => Cause::State,
        Some((source, var)) if source.node.contains('.') => Cause::Item(source, var),
        Some((source, var)) => Cause::Schedule(source, var),
    }
}

fn cause(rule: &Rule) -> String {
    match cause_of(rule) {
        Cause::State => {
            let time = "whenever time alone can change the answer";
            match reads::changes(rule) {
                Some(changes) => format!("It is looked at whenever {changes}, and {time}."),
                None => format!("It is looked at {time}."),
            }
        }
        Cause::Item(stream, var) => {
            let called = var.map(|var| format!(", called {} here", name(var))).unwrap_or_default();
            format!("It is looked at once for each new item of {}{called}.", name(stream))
        }
        Cause::Schedule(schedule, var) => {
            let called =
                var.map(|var| format!(" for an item, called {} here", name(var))).unwrap_or_default();
            format!("It is looked at each time that the schedule {} runs{called}.", name(schedule))
        }
    }
}

/// `when` and its `and` or `or` lines, as one sentence.
fn condition(rule: &Rule) -> String {
    let mut words = String::new();
    for Clause { kind, .. } in &rule.clauses {
        let (joiner, line) = match kind {
            ClauseKind::When(line) | ClauseKind::And(line) => (", and ", line),
            ClauseKind::Or(line) => (", or ", line),
            _ => continue,
        };
        if !words.is_empty() {
            words.push_str(joiner);
        }
        words.push_str(&condition::condition(line));
    }
    match (words.is_empty(), cause_of(rule)) {
        (false, _) => format!("It is true when {words}."),
        (true, Cause::State) => "It has no condition.".to_owned(),
        (true, Cause::Item(..)) => "Every new item counts.".to_owned(),
        (true, Cause::Schedule(..)) => "Every run counts.".to_owned(),
    }
}

/// `let`
fn name_of_value(clause: &ClauseKind) -> Option<String> {
    let ClauseKind::Let(name, expr) = clause else { return None };
    let name = self::name(name);
    Some(if condition::is_condition(expr) {
        format!("Here {name} means that {}.", condition::condition(expr))
    } else {
        format!("Here {name} is {}.", value::value(expr))
    })
}

/// `unless`
fn silence(clause: &ClauseKind) -> Option<String> {
    let ClauseKind::Unless(expr) = clause else { return None };
    Some(format!("Even then it says nothing if {}.", condition::condition(expr)))
}

/// `for`, `clear when`, `unknown`
fn limit_of_truth(clause: &ClauseKind) -> Option<String> {
    Some(match clause {
        ClauseKind::For(length) => match length.node {
            Length::Exact(ms) => format!("The condition must have held for {}.", format_duration(ms)),
            Length::Calendar(span) => format!("The condition must have held on {span} in a row."),
        },
        ClauseKind::ClearWhen(expr) => {
            format!("Once true, it counts as true until {}.", condition::condition(expr))
        }
        ClauseKind::Unknown(policy) => match policy.node {
            UnknownPolicy::Silent => "If it cannot tell, it says nothing.".to_owned(),
            UnknownPolicy::Fire => "If it cannot tell, it acts as if it were true.".to_owned(),
            UnknownPolicy::Keep => "If it cannot tell, its last answer stays.".to_owned(),
        },
        _ => return None,
    })
}

fn gathering(clause: &ClauseKind) -> Option<String> {
    let ClauseKind::Gather(gather) = clause else { return None };
    Some(match gather {
        Gather::Items { at_most, at, newest_first } => {
            let most = at_most.as_ref().map(|most| format!(", at most {} at a time", most.node));
            let order = if newest_first.is_some() { "newest first" } else { "oldest first" };
            format!(
                "Items are collected and handed over together when {} runs{}, {order}.",
                name(at),
                most.unwrap_or_default()
            )
        }
        Gather::Text { var, stream, window, filter } => {
            let window = window.as_ref().map(|window| value::window(&window.node)).unwrap_or_default();
            let filter = filter.as_ref().map(|filter| format!(" for which {}", condition::condition(filter)));
            format!(
                "For its text it collects the items of {}{window}{}, each called {} here.",
                name(stream),
                filter.unwrap_or_default(),
                name(var)
            )
        }
    })
}

fn delivery(clause: &ClauseKind, budgets: &Budgets<'_>) -> Option<String> {
    let ClauseKind::Then(Then { level, within, at, escalate }) = clause else { return None };
    let at = at.as_ref().map(|at| format!(" at the schedule {}", name(at))).unwrap_or_default();
    let first = format!("Then it {}{at}{}.", act(level.node), budget(within.as_ref(), budgets));
    let Some(Escalate { level, within, after, unless_seen }) = escalate else { return Some(first) };
    let after = format_duration(after.node);
    let seen = if *unless_seen { ", unless you have seen it" } else { "" };
    Some(format!("{first}\n{after} later it {}{seen}{}.", act(level.node), budget(within.as_ref(), budgets)))
}

fn act(level: Level) -> &'static str {
    match level {
        Level::Digest => "waits for the digest",
        Level::Note => "leaves a note on this machine and sends nothing",
        Level::Tell => "sends you a message without sound",
        Level::Ring => "sends you a message with sound",
    }
}

fn budget(within: Option<&Name>, budgets: &Budgets<'_>) -> String {
    let Some(budget) = within else { return String::new() };
    let size = budgets.get(budget.node.as_str()).map(|size| format!(" ({size})")).unwrap_or_default();
    format!(", as long as the budget {} lasts{size}", name(budget))
}

/// `once per`, and what is the case without it.
fn repetition(rule: &Rule) -> String {
    let keys = rule.clauses.iter().find_map(|clause| match &clause.kind {
        ClauseKind::OncePer(keys) => Some(keys),
        _ => None,
    });
    if let Some(keys) = keys {
        let words: Vec<String> = keys.iter().map(key).collect();
        return format!("It speaks at most once for {}.", value::list(&words, "and"));
    }
    let gathers = |clause: &Clause| matches!(clause.kind, ClauseKind::Gather(Gather::Items { .. }));
    match cause_of(rule) {
        Cause::State if has_each(rule) => {
            "It speaks of each item once each time that it becomes true of it.".to_owned()
        }
        Cause::State => {
            "It speaks once each time that it becomes true, and not again until it was false.".to_owned()
        }
        Cause::Item(..) if rule.clauses.iter().any(gathers) => "It speaks once of each item.".to_owned(),
        Cause::Item(..) => "It speaks at most once for each item.".to_owned(),
        Cause::Schedule(..) => "It speaks at most once for each run.".to_owned(),
    }
}

/// True when each item that its condition finds is a trigger of its own.
fn has_each(rule: &Rule) -> bool {
    let mut found = false;
    for clause in &rule.clauses {
        if let ClauseKind::When(condition) | ClauseKind::And(condition) = &clause.kind {
            condition.walk(&mut |part| {
                let ExprKind::Join(join) = &part.kind else { return };
                found |= join.quantifier.node == Quantifier::Each;
            });
        }
    }
    found
}

/// Periods are words, everything else is a name.
fn key(key: &Name) -> String {
    match Period::named(&key.node) {
        Some(period) => format!("each {}", period.word()),
        None => format!("each {}", name(key)),
    }
}

/// `wait`, `expires`, `quiet`
fn limit_of_delivery(clause: &ClauseKind) -> Option<String> {
    Some(match clause {
        ClauseKind::Wait(length) => {
            format!("After a delivery it waits {} before it speaks again.", self::length(length.node))
        }
        ClauseKind::Expires(length) => {
            format!("What could not be delivered within {} is dropped.", self::length(length.node))
        }
        ClauseKind::Quiet(window, policy) => format!(
            "In the quiet hours {} {}.",
            name(window),
            match policy.node {
                QuietPolicy::Drop => "it is dropped",
                QuietPolicy::KeepIfTrue =>
                    "it is kept until their end, and dropped if it is no longer true then",
                QuietPolicy::Keep => "it is kept until their end",
                QuietPolicy::Soften => "it becomes a note on this machine",
                QuietPolicy::Pass => "it is delivered all the same",
            }
        ),
        _ => return None,
    })
}

fn length(length: Length) -> String {
    match length {
        Length::Exact(ms) => format_duration(ms),
        Length::Calendar(span) => span.to_string(),
    }
}

fn text(rule: &Rule) -> String {
    let say = rule.clauses.iter().find_map(|clause| match &clause.kind {
        ClauseKind::Say(say) => Some(say),
        _ => None,
    });
    let Some(Say { text, each, otherwise }) = say else {
        return "It says its title.".to_owned();
    };
    let mut words = format!("It says {}", template(text));
    if let Some(each) = each {
        words.push_str(&format!(", then for each item {}", template(each)));
    }
    if let Some(otherwise) = otherwise {
        words.push_str(&format!(", or if there is none {}", template(otherwise)));
    }
    // The text's own end stop ends the sentence too.
    let ended = [".\"", "!\"", "?\""].iter().any(|end| words.ends_with(end));
    if ended { words } else { words + "." }
}

fn template(template: &Template) -> String {
    let parts: String = template
        .parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(text) => text.replace('{', "{{").replace('}', "}}"),
            TemplatePart::Value(Expr { kind: ExprKind::Path(path), .. }) => format!("{{{path}}}"),
            TemplatePart::Value(expr) => format!("{{{}}}", value::value(expr)),
            TemplatePart::Fired(_) => "{the titles of the rules that fired}".to_owned(),
        })
        .collect();
    quoted(&parts)
}

fn name(name: &Name) -> String {
    format!("`{}`", name.node)
}
