//! Definitions of one clause, and the heads of those that have more.

use pest::iterators::Pair;

use super::expr::sum;
use super::literal::{calendar, clock, duration, int, period, text, weekday};
use super::{Context, Kids, Made, Rule, name};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    Budget, Cadence, Clock, Fold, Function, Gap, ItemKind, Keep, Late, List, Name, Plan, Quiet, QuietWindow,
    Rule as RuleItem, Schedule, ScheduleKind, Signal, Stream, Table, Test, Timed, UnitDef, Weekday, Zone,
};

/// The head of a definition whose lines are read one by one.
#[derive(Debug)]
pub(in crate::engine::syntax) enum Head {
    /// `rule`
    Rule(RuleItem),
    /// `table`
    Table(Table),
    /// `plan`
    Plan(Plan),
    /// `test`
    Test(Test),
}

/// Reads the head that `word` begins; `None` when the definition has no lines of its own.
pub(in crate::engine::syntax) fn head(context: &Context<'_>, word: &str) -> Option<Made<Head>> {
    let read: fn(&Context<'_>) -> Made<Head> = match word {
        "rule" => |context| {
            let (name, title) = titled(context, Rule::h_rule)?;
            Ok(Head::Rule(RuleItem { name, title, clauses: Vec::new() }))
        },
        "test" => |context| {
            let (name, title) = titled(context, Rule::h_test)?;
            Ok(Head::Test(Test { name, title, lines: Vec::new() }))
        },
        "plan" => {
            |context| Ok(Head::Plan(Plan { name: context.run(Rule::h_plan)?.name()?, fields: Vec::new() }))
        }
        "table" => |context| {
            let mut kids = context.run(Rule::h_table)?;
            Ok(Head::Table(Table {
                name: kids.name()?,
                currency: kids.name()?,
                stream: kids.name()?,
                first_match: kids.take(Rule::first_match).map(|pair| context.place(&pair)),
                columns: Vec::new(),
                rows: Vec::new(),
            }))
        },
        _ => return None,
    };
    Some(read(context))
}

fn titled(context: &Context<'_>, rule: Rule) -> Made<(Name, Option<Spanned<String>>)> {
    let mut kids = context.run(rule)?;
    let name = kids.name()?;
    Ok((name, kids.take(Rule::text).map(|pair| text(context, &pair)).transpose()?))
}

/// Reads the definition that `word` begins, all of it; `None` when nothing is defined with it.
pub(in crate::engine::syntax) fn plain(context: &Context<'_>, word: &str) -> Option<Made<ItemKind>> {
    let read: fn(&Context<'_>) -> Made<ItemKind> = match word {
        "zone" => |context| zone(context).map(ItemKind::Zone),
        "keep" => |context| {
            let history = context.run(Rule::d_keep)?.need(Rule::cal_span)?;
            Ok(ItemKind::Keep(Keep { history: calendar(context, history)? }))
        },
        "quiet" => |context| quiet(context).map(ItemKind::Quiet),
        "budget" => |context| budget(context).map(ItemKind::Budget),
        "unit" => |context| {
            let mut kids = context.run(Rule::d_unit)?;
            let name = name(context, &kids.need(Rule::unit_name)?);
            Ok(ItemKind::Unit(UnitDef { name, scale: int(context, &kids.need(Rule::int)?)? }))
        },
        "signal" => |context| signal(context).map(ItemKind::Signal),
        "stream" => |context| stream(context).map(ItemKind::Stream),
        "list" => |context| list(context).map(ItemKind::List),
        "schedule" => |context| schedule(context).map(ItemKind::Schedule),
        "function" => |context| function(context).map(ItemKind::Function),
        _ => return None,
    };
    Some(read(context))
}

/// The same part a second time.
fn twice(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Diagnostic {
    Diagnostic::error("syntax", context.place(pair), "this is written twice").help("delete one of them")
}

fn zone(context: &Context<'_>) -> Made<Zone> {
    let mut kids = context.run(Rule::d_zone)?;
    let name = kids.name()?;
    let iana = text(context, &kids.need(Rule::text)?)?;
    let mut zone = Zone { name, iana, default: None, gap: None, fold: None };
    while let Some(part) = kids.find(Rule::zone_part) {
        let mut words = Kids::of(context, part.clone());
        let again = match words.next()?.as_rule() {
            Rule::k_default => zone.default.replace(context.place(&part)).is_some(),
            Rule::k_gap => {
                let word = words.need(Rule::gap)?;
                let gap = if word.as_str() == "skip" { Gap::Skip } else { Gap::After };
                zone.gap.replace(Spanned::new(gap, context.place(&word))).is_some()
            }
            _ => {
                let word = words.need(Rule::fold)?;
                let fold = match word.as_str() {
                    "second" => Fold::Second,
                    "both" => Fold::Both,
                    _ => Fold::First,
                };
                zone.fold.replace(Spanned::new(fold, context.place(&word))).is_some()
            }
        };
        if again {
            return Err(twice(context, &part));
        }
    }
    Ok(zone)
}

fn quiet(context: &Context<'_>) -> Made<Quiet> {
    let mut kids = context.run(Rule::d_quiet)?;
    let name = kids.name()?;
    kids.need(Rule::eq)?;
    let mut windows = Vec::new();
    while let Some(pair) = kids.take(Rule::quiet_window) {
        let mut parts = Kids::of(context, pair);
        parts.take(Rule::k_on);
        let days = weekdays(context, &mut parts);
        let from = clock(context, &parts.need(Rule::clock)?, false)?;
        let to = clock(context, &parts.need(Rule::clock)?, true)?;
        windows.push(QuietWindow { days, from, to });
        kids.take(Rule::comma);
    }
    Ok(Quiet { name, windows, zone: kids.zone()? })
}

/// The weekdays that come next.
fn weekdays(context: &Context<'_>, kids: &mut Kids<'_>) -> Vec<Spanned<Weekday>> {
    let mut days = Vec::new();
    while let Some(pair) = kids.take(Rule::weekday) {
        days.push(weekday(context, &pair));
        kids.take(Rule::comma);
    }
    days
}

fn budget(context: &Context<'_>) -> Made<Budget> {
    let mut kids = context.run(Rule::d_budget)?;
    Ok(Budget {
        name: kids.name()?,
        count: int(context, &kids.need(Rule::int)?)?,
        per: period(context, &kids.need(Rule::period)?).node,
        zone: kids.zone()?,
    })
}

fn signal(context: &Context<'_>) -> Made<Signal> {
    let mut kids = context.run(Rule::d_signal)?;
    let mut signal = Signal {
        name: kids.name()?,
        unit: name(context, &kids.need(Rule::unit_name)?),
        cadence: None,
        fresh: None,
        range: None,
        private: None,
    };
    while let Some(part) = kids.find(Rule::signal_part) {
        let form = Kids::of(context, part.clone()).next()?;
        let again = match form.as_rule() {
            Rule::cadence => signal.cadence.replace(cadence(context, form)?).is_some(),
            Rule::fresh => {
                let length = Kids::of(context, form).need(Rule::duration)?;
                signal.fresh.replace(duration(context, &length)?).is_some()
            }
            Rule::range => {
                let mut ends = Kids::of(context, form);
                let low = sum(context, ends.need(Rule::sum)?)?;
                let high = sum(context, ends.need(Rule::sum)?)?;
                signal.range.replace((low, high)).is_some()
            }
            _ => signal.private.replace(context.place(&form)).is_some(),
        };
        if again {
            return Err(twice(context, &part));
        }
    }
    Ok(signal)
}

/// How often something comes.
pub(super) fn cadence(context: &Context<'_>, pair: Pair<'_, Rule>) -> Made<Spanned<Cadence>> {
    let span = context.place(&pair);
    let mut kids = Kids::of(context, pair);
    let cadence = match kids.next()?.as_rule() {
        Rule::k_sampled => Cadence::Sampled,
        Rule::k_hourly => Cadence::Hourly,
        Rule::k_daily => Cadence::Daily,
        Rule::k_nightly => Cadence::Nightly,
        _ => Cadence::Every(duration(context, &kids.need(Rule::duration)?)?.node),
    };
    Ok(Spanned::new(cadence, span))
}

/// Names with their types.
fn params(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Vec<(Name, Name)>> {
    let mut list = Vec::new();
    while let Some(pair) = kids.take(Rule::param) {
        let mut words = Kids::of(context, pair);
        list.push((words.name()?, name(context, &words.need(Rule::unit_name)?)));
        kids.take(Rule::comma);
    }
    Ok(list)
}

fn stream(context: &Context<'_>) -> Made<Stream> {
    let mut kids = context.run(Rule::d_stream)?;
    let name = kids.name()?;
    kids.need(Rule::brace)?;
    let fields = params(context, &mut kids)?;
    kids.need(Rule::unbrace)?;
    let mut stream = Stream { name, fields, timed: None, private: None };
    while let Ok(part) = kids.next() {
        let again = match part.as_rule() {
            Rule::timed => {
                let mut words = Kids::of(context, part.clone());
                let start = words.name()?;
                let end = words.find(Rule::name).map(|pair| super::name(context, &pair));
                stream.timed.replace(Timed { start, end }).is_some()
            }
            Rule::k_private => stream.private.replace(context.place(&part)).is_some(),
            _ => false,
        };
        if again {
            return Err(twice(context, &part));
        }
    }
    Ok(stream)
}

fn list(context: &Context<'_>) -> Made<List> {
    let mut kids = context.run(Rule::d_list)?;
    let name = kids.name()?;
    let mut entries = Vec::new();
    while let Some(pair) = kids.find(Rule::text) {
        entries.push(text(context, &pair)?);
    }
    Ok(List { name, entries })
}

fn schedule(context: &Context<'_>) -> Made<Schedule> {
    let mut kids = context.run(Rule::d_schedule)?;
    let name = kids.name()?;
    let pair = kids.need(Rule::schedule_kind)?;
    let span = context.place(&pair);
    let kind = Spanned::new(schedule_kind(context, Kids::of(context, pair).next()?)?, span);
    let zone = kids.zone()?;
    let late = kids.find(Rule::late).map(|pair| late(context, pair)).transpose()?;
    Ok(Schedule { name, kind, zone, late })
}

fn schedule_kind(context: &Context<'_>, form: Pair<'_, Rule>) -> Made<ScheduleKind> {
    let rule = form.as_rule();
    let mut kids = Kids::of(context, form);
    Ok(match rule {
        Rule::daily => ScheduleKind::Daily(clocks(context, &mut kids)?),
        Rule::weekly => {
            kids.take(Rule::k_on);
            ScheduleKind::Weekly(weekdays(context, &mut kids), clocks(context, &mut kids)?)
        }
        Rule::monthly => {
            let day = int(context, &kids.need(Rule::int)?)?;
            ScheduleKind::Monthly(day, clocks(context, &mut kids)?)
        }
        Rule::every => ScheduleKind::Every(duration(context, &kids.need(Rule::duration)?)?),
        _ => ScheduleKind::Before(duration(context, &kids.need(Rule::duration)?)?, kids.name()?),
    })
}

/// `07:30, 19:30`
fn clocks(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Vec<Spanned<Clock>>> {
    let mut times = Kids::of(context, kids.need(Rule::clocks)?);
    let mut list = Vec::new();
    while let Some(pair) = times.find(Rule::clock) {
        list.push(clock(context, &pair, false)?);
    }
    Ok(list)
}

fn late(context: &Context<'_>, pair: Pair<'_, Rule>) -> Made<Spanned<Late>> {
    let span = context.place(&pair);
    let mut kids = Kids::of(context, pair);
    let first = kids.next()?;
    let late = match first.as_rule() {
        Rule::k_until => Late::Until(clock(context, &kids.need(Rule::clock)?, false)?.node),
        Rule::k_skip => Late::Skip,
        _ => Late::Within(duration(context, &first)?.node),
    };
    Ok(Spanned::new(late, span))
}

fn function(context: &Context<'_>) -> Made<Function> {
    let mut kids = context.run(Rule::d_function)?;
    let name = kids.name()?;
    kids.need(Rule::open)?;
    let params = params(context, &mut kids)?;
    let returns = super::name(context, &kids.need(Rule::unit_name)?);
    Ok(Function { name, params, returns, from: text(context, &kids.need(Rule::text)?)? })
}
