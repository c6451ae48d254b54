//! Lines of a test.

use pest::iterators::Pair;

use super::clause::level;
use super::definition::cadence;
use super::expr::atom;
use super::literal::{clock, date, instant, text};
use super::{Context, Kids, Made, Rule};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{Expect, Expr, LocalTime, Outcome, TestLine, TestLineKind};

/// Reads the line that `word` begins; `None` when no line of a test begins with it.
pub(in crate::engine::syntax) fn line(context: &Context<'_>, word: &str) -> Option<Made<TestLine>> {
    let rest = context.after(word.len());
    let kind = match word {
        "zone" => zone(&rest),
        "given" => given(&rest),
        "expect" => expect(&rest),
        _ => return None,
    };
    Some(kind.map(|kind| TestLine { span: context.whole(), kind }))
}

fn zone(context: &Context<'_>) -> Made<TestLineKind> {
    let mut kids = context.run(Rule::t_zone)?;
    Ok(TestLineKind::Zone(text(context, &kids.need(Rule::text)?)?))
}

/// The next date and time.
fn time(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Spanned<LocalTime>> {
    instant(context, kids.need(Rule::instant)?)
}

fn given(context: &Context<'_>) -> Made<TestLineKind> {
    let mut line = context.run(Rule::t_given)?;
    let form = line.next()?;
    let rule = form.as_rule();
    let mut kids = Kids::of(context, form);
    Ok(match rule {
        Rule::g_zone => {
            TestLineKind::Travel(text(context, &kids.need(Rule::text)?)?, time(context, &mut kids)?)
        }
        Rule::g_down => TestLineKind::Down(time(context, &mut kids)?, time(context, &mut kids)?),
        Rule::g_restart => TestLineKind::Restart(time(context, &mut kids)?),
        Rule::g_seen => TestLineKind::Seen(kids.name()?, time(context, &mut kids)?),
        Rule::g_rejected => TestLineKind::Rejected(kids.name()?, time(context, &mut kids)?),
        Rule::g_handover => TestLineKind::HandoverFailed(kids.name()?, time(context, &mut kids)?),
        Rule::g_snooze => {
            kids.need(Rule::k_snooze)?;
            let rule = if kids.take(Rule::k_all).is_some() { None } else { Some(kids.name()?) };
            TestLineKind::Snooze(rule, time(context, &mut kids)?, time(context, &mut kids)?)
        }
        Rule::g_quiet => TestLineKind::Quiet(time(context, &mut kids)?, time(context, &mut kids)?),
        Rule::g_item => item(context, &mut kids)?,
        Rule::g_series => series(context, &mut kids)?,
        _ => TestLineKind::Reading {
            signal: kids.name()?,
            value: atom(context, kids.need(Rule::atom)?)?,
            at: time(context, &mut kids)?,
            observed: kids.find(Rule::instant).map(|pair| instant(context, pair)).transpose()?,
        },
    })
}

fn item(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<TestLineKind> {
    let stream = kids.name()?;
    let id = text(context, &kids.need(Rule::text)?)?;
    let removed = kids.take(Rule::removed).is_some();
    let mut fields = Vec::new();
    while let Some(pair) = kids.take(Rule::item_field) {
        let mut parts = Kids::of(context, pair);
        fields.push((parts.name()?, atom(context, parts.need(Rule::atom)?)?));
    }
    let at = match kids.take(Rule::item_at) {
        Some(pair) => Some(time(context, &mut Kids::of(context, pair))?),
        None => None,
    };
    Ok(TestLineKind::Item { stream, id, fields, at, removed })
}

fn series(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<TestLineKind> {
    let signal = kids.name()?;
    let cadence = cadence(context, kids.need(Rule::cadence)?)?;
    let at = match kids.take(Rule::k_at) {
        Some(_) => Some(clock(context, &kids.need(Rule::clock)?, false)?),
        None => None,
    };
    let from = date(context, &kids.need(Rule::date)?)?;
    let mut values = Vec::new();
    while let Some(pair) = kids.find(Rule::series_value) {
        values.push(repeated(context, pair)?);
    }
    Ok(TestLineKind::Series { signal, cadence, at, from, values })
}

/// `7h x14`, `missing`
fn repeated(context: &Context<'_>, pair: Pair<'_, Rule>) -> Made<(Option<Expr>, u32)> {
    let mut kids = Kids::of(context, pair);
    let first = kids.next()?;
    let value = if first.as_rule() == Rule::atom { Some(atom(context, first)?) } else { None };
    let Some(repeat) = kids.find(Rule::repeat) else { return Ok((value, 1)) };
    let count =
        repeat.as_str().trim_start_matches('x').parse().ok().filter(|count| (1..=10_000).contains(count));
    count.map(|count| (value, count)).ok_or_else(|| {
        Diagnostic::error("syntax", context.place(&repeat), "a value may be repeated 1 to 10000 times")
    })
}

fn expect(context: &Context<'_>) -> Made<TestLineKind> {
    let mut line = context.run(Rule::t_expect)?;
    let Some(pair) = line.find(Rule::expected) else { return Ok(TestLineKind::NothingElse) };
    let mut kids = Kids::of(context, pair);
    let at = time(context, &mut kids)?;
    let rule = kids.name()?;
    let level = kids.take(Rule::level).map(|pair| level(context, &pair));
    let outcome = outcome(context, &kids.need(Rule::outcome)?);
    let gate = match kids.take(Rule::k_by) {
        Some(_) => Some(gate(context, &kids.need(Rule::gate)?)),
        None => None,
    };
    let mut per = Vec::new();
    if let Some(pair) = kids.take(Rule::expect_per) {
        let mut texts = Kids::of(context, pair);
        while let Some(pair) = texts.find(Rule::text) {
            per.push(text(context, &pair)?);
        }
    }
    let says = kids.find(Rule::text).map(|pair| text(context, &pair)).transpose()?;
    let span = context.whole();
    Ok(TestLineKind::Expect(Box::new(Expect { at, rule, level, outcome, gate, per, says, span })))
}

/// The word of a gate; one of them is two words.
fn gate(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Spanned<String> {
    let words: Vec<&str> = pair.as_str().split_whitespace().collect();
    Spanned::new(words.join(" "), context.place(pair))
}

fn outcome(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Spanned<Outcome> {
    let outcome = match pair.as_str() {
        "kept" => Outcome::Kept,
        "digested" => Outcome::Digested,
        "suppressed" => Outcome::Suppressed,
        "expired" => Outcome::Expired,
        _ => Outcome::Delivered,
    };
    Spanned::new(outcome, context.place(pair))
}
