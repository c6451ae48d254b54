//! `verger log`: what was decided, oldest first.

use std::collections::VecDeque;

use clap::Args;

use super::journal::{self, Walk};
use super::working_folder::DataArgs;
use crate::cli::selection::Selection;
use crate::cli::timeline::Timeline;
use crate::cli::{CommandDef, Context, Exit, Run, arguments};
use crate::engine::decision::Line;
use crate::engine::time::Date;
use crate::render::log;

/// The row.
pub(super) const DEF: CommandDef = CommandDef::of::<LogArgs>("log", "List what was decided");

/// Arguments of `log`.
#[derive(Debug, Args)]
struct LogArgs {
    #[command(flatten)]
    data: DataArgs,
    /// First date that is shown
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    from: Option<Date>,
    /// Last date that is shown, included
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    to: Option<Date>,
    /// Show one rule only
    #[arg(long = "rule", value_name = "NAME")]
    rule: Option<String>,
    /// Show only the newest so many
    #[arg(long, value_name = "NUMBER")]
    last: Option<usize>,
    /// One decision a line, as JSON
    #[arg(long)]
    json: bool,
}

impl Run for LogArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let selection = Selection::new(self.from, self.to, self.rule.as_deref())?;
        let store = journal::read(&self.data, context)?;
        let zone = journal::rules(&store)?.home();
        let mut lines: VecDeque<(Line, String)> = VecDeque::new();
        store.log(|row| -> Result<(), Walk> {
            let Some(line) = log::read(&row.line) else { return Ok(()) };
            if selection.shows(&line, zone) {
                lines.push_back((line, row.line));
                if self.last.is_some_and(|last| lines.len() > last) {
                    lines.pop_front();
                }
            }
            Ok(())
        })?;
        let mut timeline = Timeline::new(zone);
        for (line, json) in &lines {
            let text = if self.json { format!("{json}\n") } else { timeline.line(line) };
            context.console.print(text)?;
        }
        if !self.json {
            context.console.print(timeline.end())?;
        }
        Ok(Exit::Fine)
    }
}
