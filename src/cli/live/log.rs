//! `verger log`: what was decided, oldest first.

use std::collections::VecDeque;

use anyhow::bail;
use clap::Args;

use super::journal::{self, Walk};
use super::working_folder::DataArgs;
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
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from > to
        {
            bail!("`--from {from}` is later than `--to {to}`");
        }
        let store = journal::read(&self.data, context)?;
        let zone = journal::present(&store)?.rules.home();
        let mut lines: VecDeque<(Line, String)> = VecDeque::new();
        store.log(|row| -> Result<(), Walk> {
            let Some(line) = log::read(&row.line) else { return Ok(()) };
            let date = zone.date(line.at());
            let shown = self.from.is_none_or(|from| date >= from) && self.to.is_none_or(|to| date <= to);
            if shown && self.is_of_rule(&line) {
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

impl LogArgs {
    fn is_of_rule(&self, line: &Line) -> bool {
        match (&self.rule, line) {
            (None, _) => true,
            (Some(rule), Line::Decision(decision)) => **rule == *decision.rule,
            (Some(_), Line::Missed { .. }) => false,
        }
    }
}
