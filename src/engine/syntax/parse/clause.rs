//! Clauses of a rule.

use pest::iterators::Pair;

use super::expr::{filter, names, or_expr, window};
use super::literal::{duration, int, length};
use super::template::template;
use super::{Context, Kids, Made, Rule};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    Clause, ClauseKind, Escalate, Expr, Gather, Length, Level, Name, QuietPolicy, Say, Then, UnknownPolicy,
};

/// Reads the clause that `word` begins; `None` when no clause begins with it.
pub(in crate::engine::syntax) fn clause(context: &Context<'_>, word: &str) -> Option<Made<Clause>> {
    let read: fn(&Context<'_>) -> Made<ClauseKind> = match word {
        "off" => |rest| rest.run(Rule::c_off).map(|_| ClauseKind::Off),
        "let" => binding,
        "on" => on,
        "when" => |rest| condition(rest, Rule::condition).map(ClauseKind::When),
        "and" => |rest| condition(rest, Rule::condition).map(ClauseKind::And),
        "or" => |rest| condition(rest, Rule::condition).map(ClauseKind::Or),
        "unless" => |rest| condition(rest, Rule::condition).map(ClauseKind::Unless),
        "clear" => |rest| condition(rest, Rule::c_clear).map(ClauseKind::ClearWhen),
        "for" => |rest| lasting(rest).map(ClauseKind::For),
        "wait" => |rest| lasting(rest).map(ClauseKind::Wait),
        "expires" => |rest| lasting(rest).map(ClauseKind::Expires),
        "gather" => gather,
        "then" => then,
        "once" => once,
        "quiet" => quiet,
        "unknown" => unknown,
        "say" => say,
        _ => return None,
    };
    Some(read(&context.after(word.len())).map(|kind| Clause { span: context.whole(), kind }))
}

fn binding(context: &Context<'_>) -> Made<ClauseKind> {
    let mut kids = context.run(Rule::c_let)?;
    Ok(ClauseKind::Let(kids.name()?, or_expr(context, kids.need(Rule::or_expr)?)?))
}

fn on(context: &Context<'_>) -> Made<ClauseKind> {
    let mut kids = context.run(Rule::c_on)?;
    let source = kids.name()?;
    let variable = match kids.take(Rule::k_as) {
        Some(_) => Some(kids.name()?),
        None => None,
    };
    Ok(ClauseKind::On(source, variable))
}

fn condition(context: &Context<'_>, rule: Rule) -> Made<Expr> {
    let mut kids = context.run(rule)?;
    or_expr(context, kids.need(Rule::or_expr)?)
}

fn lasting(context: &Context<'_>) -> Made<Spanned<Length>> {
    length(context, context.run(Rule::c_length)?.need(Rule::length)?)
}

fn gather(context: &Context<'_>) -> Made<ClauseKind> {
    let mut kids = context.run(Rule::c_gather)?;
    let form = kids.next()?;
    let text = form.as_rule() == Rule::gather_text;
    let mut kids = Kids::of(context, form);
    if text {
        return Ok(ClauseKind::Gather(Gather::Text {
            var: kids.name()?,
            stream: kids.name()?,
            window: window(context, &mut kids)?,
            filter: filter(context, &mut kids)?,
        }));
    }
    kids.need(Rule::k_at)?;
    let at_most = match kids.take(Rule::k_most) {
        Some(_) => Some(int(context, &kids.need(Rule::int)?)?),
        None => None,
    };
    let at = kids.name()?;
    let newest_first = kids.find(Rule::newest).map(|pair| context.place(&pair));
    Ok(ClauseKind::Gather(Gather::Items { at_most, at, newest_first }))
}

fn then(context: &Context<'_>) -> Made<ClauseKind> {
    let mut kids = context.run(Rule::c_then)?;
    let level = level(context, &kids.need(Rule::level)?);
    let within = named(context, kids.take(Rule::budget))?;
    let at = named(context, kids.take(Rule::digest_at))?;
    let escalate = kids.take(Rule::escalate).map(|pair| escalate(context, pair)).transpose()?;
    Ok(ClauseKind::Then(Then { level, within, at, escalate }))
}

fn escalate(context: &Context<'_>, pair: Pair<'_, Rule>) -> Made<Escalate> {
    let mut kids = Kids::of(context, pair);
    Ok(Escalate {
        level: level(context, &kids.need(Rule::level)?),
        within: named(context, kids.take(Rule::budget))?,
        after: duration(context, &kids.need(Rule::duration)?)?,
        unless_seen: kids.find(Rule::unless_seen).is_some(),
    })
}

/// The name inside, if there is something.
fn named(context: &Context<'_>, pair: Option<Pair<'_, Rule>>) -> Made<Option<Name>> {
    pair.map(|pair| Kids::of(context, pair).name()).transpose()
}

/// A level word.
pub(super) fn level(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Spanned<Level> {
    let level = match pair.as_str() {
        "digest" => Level::Digest,
        "note" => Level::Note,
        "ring" => Level::Ring,
        _ => Level::Tell,
    };
    Spanned::new(level, context.place(pair))
}

fn once(context: &Context<'_>) -> Made<ClauseKind> {
    let mut kids = context.run(Rule::c_once)?;
    Ok(ClauseKind::OncePer(names(context, kids.need(Rule::names)?)))
}

fn quiet(context: &Context<'_>) -> Made<ClauseKind> {
    let mut kids = context.run(Rule::c_quiet)?;
    let window = kids.name()?;
    let pair = kids.need(Rule::quiet_policy)?;
    let span = context.place(&pair);
    let mut words = Kids::of(context, pair);
    let policy = match words.next()?.as_rule() {
        Rule::k_drop => QuietPolicy::Drop,
        Rule::k_soften => QuietPolicy::Soften,
        Rule::k_pass => QuietPolicy::Pass,
        _ if words.find(Rule::if_true).is_some() => QuietPolicy::KeepIfTrue,
        _ => QuietPolicy::Keep,
    };
    Ok(ClauseKind::Quiet(window, Spanned::new(policy, span)))
}

fn unknown(context: &Context<'_>) -> Made<ClauseKind> {
    let mut kids = context.run(Rule::c_unknown)?;
    let pair = kids.need(Rule::unknown_policy)?;
    let span = context.place(&pair);
    let policy = match Kids::of(context, pair).next()?.as_rule() {
        Rule::k_fire => UnknownPolicy::Fire,
        Rule::k_keep => UnknownPolicy::Keep,
        _ => UnknownPolicy::Silent,
    };
    Ok(ClauseKind::Unknown(Spanned::new(policy, span)))
}

fn say(context: &Context<'_>) -> Made<ClauseKind> {
    let mut kids = context.run(Rule::c_say)?;
    let text = template(context, &kids.need(Rule::text)?)?;
    let mut part = |word: Rule| match kids.take(word) {
        Some(_) => template(context, &kids.need(Rule::text)?).map(Some),
        None => Ok(None),
    };
    let each = part(Rule::k_each)?;
    let otherwise = part(Rule::k_else)?;
    Ok(ClauseKind::Say(Say { text, each, otherwise }))
}
