//! The sums of a report, from the journal.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cli::live::journal::{self, Walk};
use crate::engine::decision::Line;
use crate::engine::syntax::ast::Outcome;
use crate::engine::time::{Instant, parse_instant};
use crate::render::log;
use crate::render::report::{RuleSums, RulesReport, median};
use crate::shell::agent::GAP_MS;
use crate::shell::alarm::now;
use crate::store::Store;

/// What a record of the journal may say that counts here.
#[derive(Deserialize)]
struct Speaks {
    at: String,
    observed: Option<String>,
    feedback: Option<String>,
    verdict: Option<String>,
    #[serde(default)]
    down: bool,
    #[serde(default)]
    restart: bool,
}

/// What the records of the journal say.
#[derive(Default)]
struct Records {
    /// Newest verdict by decision: true for useful.
    rated: BTreeMap<String, bool>,
    /// When the newest thing of a row was true, by the row's instant.
    observed: BTreeMap<Instant, Instant>,
    /// When nobody watched.
    outages: Vec<(Instant, Instant)>,
    down: Option<Instant>,
}

/// What became of a trigger.
struct Fate {
    rule: String,
    learnt: Instant,
    outcome: Outcome,
    gate: Option<String>,
    handed_at: Option<Instant>,
}

/// The report over the last so many days of the set's zone, today included.
pub(super) fn report(store: &Store, days: u16) -> anyhow::Result<RulesReport> {
    let moment = journal::present(store)?;
    let (zone, end) = (moment.rules.home(), now());
    let (first, last) = (zone.date(end).plus_days(1 - i32::from(days)), zone.date(end));
    let from = zone.midnight(first);
    let records = records(store, end)?;
    let mut report = RulesReport { from: first.to_string(), to: last.to_string(), ..RulesReport::default() };
    for rule in &moment.rules.rules {
        report.rules.insert(rule.name.to_string(), RuleSums::default());
    }
    let (fates, missed) = fates(store, from, &records)?;
    report.missed = missed;
    let mut delays: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for (id, fate) in fates {
        let sums = report.rules.entry(fate.rule.clone()).or_default();
        add(sums, &fate, records.rated.get(&id).copied());
        if let Some(handed) = fate.handed_at {
            delays.entry(fate.rule).or_default().push(handed.0.saturating_sub(fate.learnt.0).max(0));
        }
    }
    for (rule, delays) in delays {
        report.rules.entry(rule).or_default().delay_ms = median(delays);
    }
    let begun = moment.state.since.map_or(end, |since| since.max(from));
    report.period_ms = end.0.saturating_sub(begun.0);
    let down =
        records.outages.iter().map(|(down, up)| up.0.min(end.0).saturating_sub(down.0.max(begun.0)).max(0));
    report.up_ms = report.period_ms.saturating_sub(down.sum());
    Ok(report)
}

fn add(sums: &mut RuleSums, fate: &Fate, useful: Option<bool>) {
    let one = |count: &mut u64| *count = count.saturating_add(1);
    one(&mut sums.fired);
    match fate.outcome {
        Outcome::Delivered => one(&mut sums.delivered),
        Outcome::Digested => one(&mut sums.digested),
        Outcome::Expired => one(&mut sums.expired),
        Outcome::Kept => {}
        Outcome::Suppressed => one(sums.suppressed.entry(fate.gate.clone().unwrap_or_default()).or_default()),
    }
    match useful {
        Some(true) => one(&mut sums.useful),
        Some(false) => one(&mut sums.noise),
        None => {}
    }
}

fn records(store: &Store, end: Instant) -> anyhow::Result<Records> {
    let mut records = Records::default();
    store.records(|at, line| -> Result<(), Walk> {
        let Ok(speaks) = serde_json::from_str::<Speaks>(line) else { return Ok(()) };
        if let (Some(id), Some(verdict)) = (speaks.feedback, speaks.verdict) {
            records.rated.insert(id, verdict == "useful");
        } else if speaks.down {
            records.down = Some(at);
        } else if speaks.restart {
            records.outages.extend(records.down.take().map(|down| (down, at)));
        } else if let Ok(when) = parse_instant(speaks.observed.as_deref().unwrap_or(&speaks.at)) {
            let newest = records.observed.entry(at).or_insert(when);
            *newest = when.max(*newest);
        }
        Ok(())
    })?;
    // Whoever does not watch now is down until now.
    let beat = store.heartbeat()?;
    if let Some(beat) = beat.filter(|beat| beat.ended || end.0.saturating_sub(beat.at.0) > GAP_MS) {
        records.outages.push((beat.at, end));
    }
    Ok(records)
}

type Fates = (BTreeMap<String, Fate>, BTreeMap<String, u64>);

fn fates(store: &Store, from: Instant, records: &Records) -> anyhow::Result<Fates> {
    let (mut fates, mut missed): Fates = Fates::default();
    store.log(|row| -> Result<(), Walk> {
        let Some(line) = log::read(&row.line) else { return Ok(()) };
        match line {
            Line::Missed { at, schedule } if at >= from => {
                let count = missed.entry(schedule.to_string()).or_default();
                *count = count.saturating_add(1);
            }
            Line::Decision(decision) if decision.at >= from => {
                let learnt = records.observed.get(&row.at).copied().unwrap_or(decision.at);
                let fate = fates.entry(decision.id.to_string()).or_insert_with(|| Fate {
                    rule: decision.rule.to_string(),
                    learnt: learnt.min(decision.at),
                    outcome: decision.outcome,
                    gate: None,
                    handed_at: None,
                });
                fate.outcome = decision.outcome;
                fate.gate = decision.gate.as_deref().map(str::to_owned);
                fate.handed_at = row.handed_at;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((fates, missed))
}
