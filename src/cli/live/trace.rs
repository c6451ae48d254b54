//! `verger trace`: how one decision came about: the judgement with its clauses, then gate by gate.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::journal;
use super::working_folder::DataArgs;
use crate::cli::replay::DaysArgs;
use crate::cli::rule_files::RulesDir;
use crate::cli::timeline::Timeline;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::engine::decision::Line;
use crate::engine::rule_set::RuleSet;
use crate::engine::source::Sources;
use crate::engine::step::Outcome;
use crate::render::terminal::shown_lines;
use crate::render::trace::{StoryStep, story, text};
use crate::render::{json_line, log};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<TraceArgs>("trace", "Show how a decision came about, gate by gate");

/// Arguments of `trace`.
#[derive(Debug, Args)]
struct TraceArgs {
    /// The decision's id, or its beginning
    id: String,
    /// Recorded days: a file, a folder, or `-` [default: the live journal]
    days: Option<PathBuf>,
    #[command(flatten)]
    rules: RulesDir,
    #[command(flatten)]
    data: DataArgs,
    /// One step of it a line, as JSON
    #[arg(long)]
    json: bool,
}

impl Run for TraceArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        match &self.days {
            Some(days) => self.recorded(days.clone(), context)?,
            None => self.live(context)?,
        }
        Ok(Exit::Fine)
    }
}

impl TraceArgs {
    fn live(&self, context: &mut Context<'_, '_>) -> anyhow::Result<()> {
        let store = journal::read(&self.data, context)?;
        let id = journal::decision(&store, &self.id)?;
        for seq in store.rows_of(&id)? {
            let Some(moment) = store.after_row(seq)? else { continue };
            let sources = journal::texts(&moment.files);
            self.show(&id, &moment.outcome, (&moment.rules, &sources), context)?;
        }
        Ok(())
    }

    fn recorded(&self, days: PathBuf, context: &mut Context<'_, '_>) -> anyhow::Result<()> {
        let files = self.rules.load(context)?;
        let days = DaysArgs { days, skip_bad: false };
        let mut told: Vec<(String, Outcome)> = Vec::new();
        days.replay_outcomes(&files.rules, context, |outcome| {
            let id = outcome.lines.iter().find_map(|line| match line {
                Line::Decision(decision) if decision.id.starts_with(&self.id) => {
                    Some(decision.id.to_string())
                }
                _ => None,
            });
            told.extend(id.map(|id| (id, outcome.clone())));
        })?;
        let Some((first, _)) = told.first() else { bail!("no decision has the id `{}`", self.id) };
        if told.iter().any(|(id, _)| id.split('/').next() != first.split('/').next()) {
            bail!("several decisions have ids that begin with `{}`: write more of it", self.id);
        }
        for (id, outcome) in &told {
            self.show(id, outcome, (&files.rules, &files.sources), context)?;
        }
        Ok(())
    }

    fn show(
        &self,
        id: &str,
        outcome: &Outcome,
        (rules, sources): (&RuleSet, &Sources),
        context: &mut Context<'_, '_>,
    ) -> anyhow::Result<()> {
        let steps: Vec<StoryStep> = story(id, &outcome.trace, rules, sources);
        let lines = outcome.lines.iter().filter(|line| match line {
            Line::Decision(decision) => *decision.id == *id,
            Line::Missed { .. } => false,
        });
        if self.json {
            for step in &steps {
                context.console.print(json_line(step) + "\n")?;
            }
            for line in lines {
                context.console.print(log::line(line, rules.home(), &rules.hash) + "\n")?;
            }
            return Ok(());
        }
        let mut timeline = Timeline::new(rules.home());
        let told: String = lines.map(|line| timeline.line(line)).collect();
        context.console.print(told)?;
        context.console.print(shown_lines(&text(&steps)))?;
        Ok(())
    }
}
