//! `verger schedule`: the coming runs, the edges of quiet hours and the next clock changes.

use anyhow::bail;
use clap::Args;

use super::rule_files::RulesDir;
use super::{CommandDef, Context, Exit, Run, arguments};
use crate::engine::rule_set::{RuleSet, ScheduleDefKind};
use crate::engine::state::State;
use crate::engine::time::{Date, Instant, Zone, show_clock};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<ScheduleArgs>("schedule", "Show the coming runs and the next clock changes");

/// Most lines of one schedule a day; an `every 1min` is summed up beyond.
const RUNS_MAX: usize = 24;

/// Arguments of `schedule`.
#[derive(Debug, Args)]
struct ScheduleArgs {
    #[command(flatten)]
    rules: RulesDir,
    /// First date [default: today]
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    from: Option<Date>,
    /// How many days
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
}

impl Run for ScheduleArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let files = self.rules.load(context)?;
        let rules = &files.rules;
        let state = State::new(rules);
        let zone = rules.home();
        let first = self.from.unwrap_or_else(|| today(zone));
        if rules.schedules.is_empty() && rules.quiets.is_empty() {
            bail!("the rules have no schedule and no quiet hours");
        }
        for day in 0..i32::from(self.days) {
            let date = first.plus_days(day);
            context.console.print(format!("\n{} {date}\n", date.weekday().word()))?;
            for line in day_lines(rules, &state, zone, date) {
                context.console.line(line)?;
            }
        }
        let before = rules.schedules.iter().filter(|def| matches!(def.kind, ScheduleDefKind::Before(..)));
        for def in before {
            context.console.print("\n")?;
            context.console.line(format!("{} runs before items, when there are any", def.name))?;
        }
        context
            .console
            .print(format!("\nNext clock changes\n{}", clock_changes(rules, zone, zone.midnight(first))))?;
        Ok(Exit::Fine)
    }
}

#[expect(clippy::disallowed_methods, reason = "the default of `--from` is the day on which the command runs")]
fn today(zone: Zone) -> Date {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let ms = now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
    zone.date(Instant(ms))
}

/// Runs and quiet edges of one date, in order.
fn day_lines(rules: &RuleSet, state: &State, zone: Zone, date: Date) -> Vec<String> {
    let (start, end) = zone.day_bounds(date);
    let mut lines: Vec<(Instant, String)> = Vec::new();
    for (def, runs) in rules.schedules.iter().zip(&state.zones.schedules) {
        let Some(runs) = runs else { continue };
        let mut at = start.plus_ms(-1);
        let mut count = 0_usize;
        while let Some(next) = runs.next_after(at).filter(|next| *next < end) {
            count += 1;
            if count <= RUNS_MAX {
                lines.push((next, def.name.to_string()));
            }
            at = next;
        }
        if count > RUNS_MAX {
            lines.push((at, format!("{} (… {count} runs)", def.name)));
        }
    }
    for (def, windows) in rules.quiets.iter().zip(&state.zones.quiets) {
        let mut at = start.plus_ms(-1);
        while let Some(next) = windows.next_edge(at).filter(|next| *next < end) {
            let word = if windows.contains(next) { "begin" } else { "end" };
            lines.push((next, format!("quiet hours {} {word}", def.name)));
            at = next;
        }
    }
    lines.sort();
    lines.into_iter().map(|(at, what)| format!("  {}  {what}", show_clock(zone, at))).collect()
}

fn clock_changes(rules: &RuleSet, zone: Zone, after: Instant) -> String {
    let mut zones: Vec<Zone> = rules.zones.iter().map(|def| def.zone).chain([zone]).collect();
    zones.sort_by_key(|zone| zone.name());
    zones.dedup();
    let mut text = String::new();
    for zone in zones {
        match zone.next_transition(after) {
            Some(change) => {
                let hours = f64::from(change.after_s - change.before_s) / 3600.0;
                let date = zone.date(change.at);
                text.push_str(&format!(
                    "  {}  {date} {} ({hours:+} h)\n",
                    zone.name(),
                    show_clock(zone, change.at)
                ));
            }
            None => text.push_str(&format!("  {}  none in the next two years\n", zone.name())),
        }
    }
    text
}
