//! `verger status`: how things stand right now. Reads the journal; a watch may be running.

mod shape;
mod text;

use clap::Args;

use self::shape::{
    Budget, Count, InForce, Kept, NextRun, SetAsideStatus, Silenced, SourceStatus, Status, Watching,
};
use super::journal;
use super::working_folder::{DataArgs, FolderArgs};
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::engine::rule_set::RuleSet;
use crate::engine::state::State;
use crate::engine::status::{budgets, kept, silenced};
use crate::engine::time::{Instant, Zone, format_instant};
use crate::engine::why::set_aside;
use crate::render::json_line;
use crate::shell::agent::GAP_MS;
use crate::shell::alarm::now;
use crate::store::{Moment, Store};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<StatusArgs>("status", "Show how things stand: rules, sources, budgets, what is kept");

/// Coming runs that are listed.
const RUNS_MAX: usize = 8;
/// Readings set aside that are listed: the newest.
const SET_ASIDE_MAX: usize = 5;

/// Arguments of `status`.
#[derive(Debug, Args)]
struct StatusArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Run for StatusArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let data: &DataArgs = self.folder.data();
        let store = journal::read(data, context)?;
        let moment = journal::present(&store)?;
        let at = now();
        let zone = moment.rules.home();
        let files = self.folder.folder(context).map_err(|error| format!("{error:#}"));
        let files = files.and_then(|folder| folder.load().map(|working| working.file));
        let (names, complaint) = match &files {
            Ok(sources) => {
                (sources.sources.iter().map(|source| (source.name.clone(), source.kind.name)).collect(), None)
            }
            Err(report) => (Vec::new(), report.lines().next().map(str::to_owned)),
        };
        let status = Status {
            rules: rules_in_force(&store, &moment, zone, complaint)?,
            watch: watch(&store, at, zone)?,
            sources: sources(&store, &names, at, zone)?,
            budgets: budgets(&moment.rules, &moment.state)
                .into_iter()
                .map(|budget| Budget { name: budget.name.to_string(), used: budget.used, of: budget.count })
                .collect(),
            kept: kept_triggers(&moment, zone),
            silenced: silenced(&moment.state)
                .into_iter()
                .map(|(what, until)| Silenced { what: what.to_string(), until: format_instant(zone, until) })
                .collect(),
            next: next_runs(&moment.rules, &moment.state, zone),
            outbox: store.outbox()?.into_iter().map(|(state, count)| Count { state, count }).collect(),
            inbox: store.posted()?.len(),
            set_aside: aside(&moment),
        };
        let text = if self.json { json_line(&status) + "\n" } else { text::text(&status, zone, at) };
        context.console.print(text)?;
        Ok(Exit::Fine)
    }
}

fn rules_in_force(
    store: &Store,
    moment: &Moment,
    zone: Zone,
    complaint: Option<String>,
) -> anyhow::Result<InForce> {
    let since = store.rules_since()?.map(|at| format_instant(zone, at));
    let rules = &moment.rules;
    Ok(InForce { hash: rules.hash.to_string(), count: rules.rules.len(), since, complaint })
}

fn watch(store: &Store, at: Instant, zone: Zone) -> anyhow::Result<Watching> {
    let beat = store.heartbeat()?;
    let age = beat.as_ref().map(|beat| at.0.saturating_sub(beat.at.0));
    Ok(Watching {
        alive: age.is_some_and(|age| age <= GAP_MS) && beat.as_ref().is_some_and(|beat| !beat.ended),
        beat: beat.as_ref().map(|beat| format_instant(zone, beat.at)),
        age_ms: age,
        started: beat.as_ref().map(|beat| format_instant(zone, beat.started)),
        pid: beat.as_ref().map(|beat| beat.pid),
        version: beat.map(|beat| beat.version),
    })
}

fn sources(
    store: &Store,
    names: &[(String, &'static str)],
    at: Instant,
    zone: Zone,
) -> anyhow::Result<Vec<SourceStatus>> {
    let mut sources = Vec::new();
    for (name, kind) in names {
        let state = store.source(name)?;
        let word = match (&state.failure, state.read_at) {
            (Some(_), _) => "failing",
            (None, Some(_)) => "well",
            (None, None) => "not read yet",
        };
        sources.push(SourceStatus {
            name: name.clone(),
            kind,
            state: word,
            read: state.read_at.map(|read| format_instant(zone, read)),
            age_ms: state.read_at.map(|read| at.0.saturating_sub(read.0)),
            failures: state.failures,
            failure: state.failure.map(|failure| failure.to_string()),
            notes: state.notes,
        });
    }
    Ok(sources)
}

fn kept_triggers(moment: &Moment, zone: Zone) -> Vec<Kept> {
    let kept = kept(&moment.rules, &moment.state).into_iter();
    kept.map(|kept| Kept {
        rule: kept.rule.to_string(),
        id: kept.id.to_string(),
        by: kept.gate.to_string(),
        until: format_instant(zone, kept.until),
        text: kept.text.to_string(),
    })
    .collect()
}

fn next_runs(rules: &RuleSet, state: &State, zone: Zone) -> Vec<NextRun> {
    let mut runs: Vec<(Instant, &str)> = rules
        .schedules
        .iter()
        .zip(&state.zones.schedules)
        .filter_map(|(def, runs)| Some((runs.as_ref()?.next_after(state.clock)?, &*def.name)))
        .collect();
    runs.sort_unstable();
    let run = |(at, schedule): (Instant, &str)| NextRun {
        at: format_instant(zone, at),
        schedule: schedule.to_owned(),
    };
    runs.into_iter().take(RUNS_MAX).map(run).collect()
}

fn aside(moment: &Moment) -> SetAsideStatus {
    let (rules, state) = (&moment.rules, &moment.state);
    let newest = set_aside(rules, state).rev().take(SET_ASIDE_MAX);
    SetAsideStatus {
        count: state.set_aside_count,
        newest: newest.map(|(signal, reading)| format!("{signal} {reading}")).collect(),
    }
}
