//! `verger snooze`: nothing from a rule, or from any, for a while.

use clap::Args;

use super::journal;
use super::working_folder::DataArgs;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::engine::time::{Instant, format_instant, parse_duration, show_instant};
use crate::shell::alarm::now;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<SnoozeArgs>("snooze", "Keep a rule, or all of them, silent for a while");

/// Arguments of `snooze`.
#[derive(Debug, Args)]
struct SnoozeArgs {
    /// A rule, or `all`
    rule: String,
    /// How long, such as `2h` or `90min`; `0min` ends it
    #[arg(value_name = "DURATION", value_parser = duration)]
    time: i64,
    #[command(flatten)]
    data: DataArgs,
}

fn duration(text: &str) -> Result<i64, String> {
    match parse_duration(text) {
        Ok(ms) if ms >= 0 => Ok(ms),
        Ok(_) => Err("expected a time that is not negative".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

impl Run for SnoozeArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let store = journal::read(&self.data, context)?;
        let rules = journal::rules(&store)?;
        let name = if self.rule == "all" {
            "*"
        } else {
            journal::known_rule(&rules, &self.rule)?;
            &self.rule
        };
        let (now, zone) = (now(), rules.home());
        let until = Instant(now.0.saturating_add(self.time));
        let (name, end) = (serde_json::Value::from(name), format_instant(zone, until));
        journal::post(&format!("{{\"snooze\":{name},\"until\":\"{end}\"}}"), &self.data, context)?;
        context.console.note(format!("silent until {}", show_instant(zone, until, zone.date(now))))?;
        Ok(Exit::Fine)
    }
}
