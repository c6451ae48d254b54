//! `verger dry-run`: what the rules would have done on recorded days. Writes nothing.

use clap::Args;

use super::replay::DaysArgs;
use super::rule_files::RulesDir;
use super::selection::Selection;
use super::timeline::Timeline;
use super::{CommandDef, Context, Exit, Run, arguments};
use crate::engine::state::State;
use crate::engine::time::{Date, Zone};
use crate::render::log;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<DryRun>("dry-run", "Replay recorded days and show what would have been said");

/// Arguments of `dry-run`.
#[derive(Debug, Args)]
struct DryRun {
    #[command(flatten)]
    days: DaysArgs,
    #[command(flatten)]
    rules: RulesDir,
    /// First date that is shown; the run always begins with the first record
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    from: Option<Date>,
    /// Last date that is shown, included
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    to: Option<Date>,
    /// Show one rule only
    #[arg(long = "rule", value_name = "NAME")]
    rule: Option<String>,
    /// One decision a line, as JSON
    #[arg(long)]
    json: bool,
}

impl Run for DryRun {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let selection = Selection::new(self.from, self.to, self.rule.as_deref())?;
        let files = self.rules.load(context)?;
        if let Some(rule) = &self.rule {
            files.rule(rule)?;
        }
        let rules = &files.rules;
        let zone = rules.home();
        let mut timeline = Timeline::new(zone);
        let mut lines = Vec::new();
        let state = self.days.replay(rules, None, context, |line| {
            if selection.shows(&line, zone) {
                lines.push(line);
            }
            Ok(())
        })?;
        for line in &lines {
            let text =
                if self.json { log::line(line, zone, &rules.hash) + "\n" } else { timeline.line(line) };
            context.console.print(text)?;
        }
        if !self.json {
            context.console.print(timeline.end())?;
        }
        self.tell_ends(&state, zone, context)?;
        Ok(Exit::Fine)
    }
}

impl DryRun {
    /// Why nothing is shown, when the dates lie outside of the days.
    fn tell_ends(&self, state: &State, zone: Zone, context: &mut Context<'_, '_>) -> anyhow::Result<()> {
        let Some(since) = state.since else { return Ok(()) };
        let (first, last) = (zone.date(since), zone.date(state.clock));
        if self.from.is_some_and(|from| from > last) {
            context.console.note(format!("the days end on {last}"))?;
        }
        if self.to.is_some_and(|to| to < first) {
            context.console.note(format!("the days begin on {first}"))?;
        }
        Ok(())
    }
}
