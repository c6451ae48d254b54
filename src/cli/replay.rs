//! Recorded days through the engine, on a virtual clock.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::Context;
use super::days::{self, Batch, Options, Summary};
use super::output::counted;
use crate::engine::decision::Line;
use crate::engine::record::{Record, RecordKind};
use crate::engine::rule_set::RuleSet;
use crate::engine::state::State;
use crate::engine::step::{Event, Outcome, step_each};
use crate::engine::time::Instant;
use crate::engine::why::set_aside;

/// Which days, and what to do with bad lines.
#[derive(Debug, Args)]
pub(super) struct DaysArgs {
    /// Recorded days: a file, a folder, or `-`
    pub(super) days: PathBuf,
    /// List bad lines and skip them
    #[arg(long)]
    pub(super) skip_bad: bool,
}

impl DaysArgs {
    /// Runs the engine over the days, up to an instant if one is given, and hands out each line as it comes.
    ///
    /// # Errors
    /// When the days cannot be read.
    pub(super) fn replay(
        &self,
        rules: &RuleSet,
        until: Option<Instant>,
        context: &mut Context<'_, '_>,
        mut each: impl FnMut(Line) -> anyhow::Result<()>,
    ) -> anyhow::Result<State> {
        self.replay_each(rules, until, context, |outcome| outcome.lines.drain(..).try_for_each(&mut each))
    }

    /// As [`DaysArgs::replay`] over all days, with everything that is said at each instant.
    ///
    /// # Errors
    /// When the days cannot be read.
    #[cfg(feature = "shell")]
    pub(super) fn replay_outcomes(
        &self,
        rules: &RuleSet,
        context: &mut Context<'_, '_>,
        mut each: impl FnMut(&Outcome),
    ) -> anyhow::Result<State> {
        self.replay_each(rules, None, context, |outcome| {
            each(outcome);
            Ok(())
        })
    }

    fn replay_each(
        &self,
        rules: &RuleSet,
        until: Option<Instant>,
        context: &mut Context<'_, '_>,
        mut each: impl FnMut(&mut Outcome) -> anyhow::Result<()>,
    ) -> anyhow::Result<State> {
        let mut days = days::open(&self.days, rules, Options { skip_bad: self.skip_bad })?;
        let mut state = State::new(rules);
        let (mut batch, mut outcome) = (Batch::default(), Outcome::default());
        let mut strangers = Strangers::default();
        let mut over = false;
        while !over {
            match days.next_into(&mut batch) {
                None => break,
                Some(read) => read?,
            }
            // Past the instant that was asked for, only time goes on up to it.
            over = until.is_some_and(|until| batch.at > until);
            if over && state.since.is_none() {
                break;
            }
            let event = match until.filter(|_| over) {
                Some(until) => Event { at: until, records: &[] },
                None => Event { at: batch.at, records: &batch.records },
            };
            strangers.look(rules, event.records);
            step_each(rules, &mut state, event, &mut outcome, |outcome| {
                outcome.lines.iter().for_each(|line| strangers.learn(line));
                each(outcome)
            })?;
        }
        // A recorded day is known to its end.
        let zone = rules.home();
        let known = |until: &Instant| state.since.is_some() && zone.date(*until) <= zone.date(state.clock);
        if let Some(until) = until.filter(|until| !over && known(until)) {
            let end = Event { at: until, records: &[] };
            step_each(rules, &mut state, end, &mut outcome, each)?;
        }
        tell_summary(days.summary(), context)?;
        for note in strangers.notes() {
            context.console.note(note)?;
        }
        tell_set_aside(rules, &state, context)?;
        Ok(state)
    }
}

fn tell_summary(summary: &Summary, context: &mut Context<'_, '_>) -> anyhow::Result<()> {
    for line in &summary.skipped_lines {
        context.console.note(format!("skipped {line}"))?;
    }
    let more = summary.skipped.saturating_sub(summary.skipped_lines.len() as u64);
    if more > 0 {
        context.console.note(format!("skipped {more} more lines"))?;
    }
    let undeclared = summary.undeclared.iter().map(|(name, count)| (&**name, *count));
    if let Some(note) = named("no rule file declares", undeclared) {
        context.console.note(note)?;
    }
    Ok(())
}

/// Readings that were set aside and are named: the newest.
const SET_ASIDE_NAMED: usize = 5;

/// A value that was kept out of all judgements is no secret.
fn tell_set_aside(rules: &RuleSet, state: &State, context: &mut Context<'_, '_>) -> anyhow::Result<()> {
    let count = usize::try_from(state.set_aside_count).unwrap_or(usize::MAX);
    if count == 0 {
        return Ok(());
    }
    let mut named: Vec<String> = set_aside(rules, state)
        .rev()
        .take(SET_ASIDE_NAMED)
        .map(|(signal, reading)| format!("{signal} {reading}"))
        .collect();
    named.reverse();
    let newest = if count > named.len() { ", the newest" } else { "" };
    context.console.note(format!("{} set aside{newest}: {}", counted(count, "value"), named.join(", ")))?;
    Ok(())
}

/// Names that are listed in one note; more are counted.
const NAMED_MAX: usize = 20;

/// `no rule file declares `a` (3 records), `b` (1 record)`; nothing when there are none.
fn named<'a>(what: &str, counts: impl Iterator<Item = (&'a str, u64)>) -> Option<String> {
    let counts: Vec<_> = counts.collect();
    let listed = counts.iter().take(NAMED_MAX).map(|(name, count)| {
        let records = counted(usize::try_from(*count).unwrap_or(usize::MAX), "record");
        format!("`{name}` ({records})")
    });
    let listed = listed.collect::<Vec<_>>().join(", ");
    let more = counts.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 { format!(" and {}", counted(more, "more name")) } else { String::new() };
    (!counts.is_empty()).then(|| format!("{what} {listed}{more}"))
}

/// Records that speak of rules, schedules and decisions which are not there: they change nothing.
#[derive(Default)]
struct Strangers {
    /// Ids of what was decided so far.
    decisions: BTreeSet<Arc<str>>,
    /// Counts by what was named.
    unknown: BTreeMap<&'static str, BTreeMap<Arc<str>, u64>>,
}

impl Strangers {
    fn learn(&mut self, line: &Line) {
        if let Line::Decision(decision) = line {
            self.decisions.insert(decision.id.clone());
        }
    }

    fn look(&mut self, rules: &RuleSet, records: &[Record]) {
        for record in records {
            let (what, name) = match &record.kind {
                RecordKind::Snooze { rule: Some(rule), .. } if rules.rule_named(rule).is_none() => {
                    ("`snooze` names no rule of the set:", rule)
                }
                RecordKind::Seen(id) if !self.decisions.contains(id) => {
                    ("`seen` names nothing that was decided:", id)
                }
                RecordKind::Feedback { decision: id, .. } if !self.decisions.contains(id) => {
                    ("`feedback` names nothing that was decided:", id)
                }
                RecordKind::HandoverFailed(id) if !self.decisions.contains(id) => {
                    ("`handover` names nothing that was decided:", id)
                }
                _ => continue,
            };
            let counts = self.unknown.entry(what).or_default();
            let full = counts.len() > NAMED_MAX && !counts.contains_key(name);
            let name = if full { Arc::from("and others") } else { name.clone() };
            let count = counts.entry(name).or_default();
            *count = count.saturating_add(1);
        }
    }

    fn notes(&self) -> impl Iterator<Item = String> {
        self.unknown
            .iter()
            .filter_map(|(what, counts)| named(what, counts.iter().map(|(name, count)| (&**name, *count))))
    }
}
