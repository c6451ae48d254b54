//! `verger schedule`: the coming runs, the edges of quiet hours and the next clock changes.

use anyhow::bail;
use clap::Args;

use super::output::counted;
use super::rule_files::RulesDir;
use super::{CommandDef, Context, Exit, Run, arguments};
use crate::engine::rule_set::{RuleSet, ScheduleDefKind};
use crate::engine::state::State;
use crate::engine::syntax::ast::{Fold, Gap};
use crate::engine::time::{Date, Instant, Zone, format_duration, format_instant, show_clock};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<ScheduleArgs>("schedule", "Show the coming runs and the next clock changes");

/// Most lines of one schedule a day; more runs are summed up in one.
const RUNS_MAX: usize = 6;

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
        let starts: Vec<Instant> =
            std::iter::successors(runs.next_after(start.plus_ms(-1)), |at| runs.next_after(*at))
                .take_while(|at| *at < end)
                .collect();
        if starts.len() > RUNS_MAX {
            let first = starts.first().copied().unwrap_or(start);
            lines.push((first, format!("{}  {}", def.name, summed_up(&starts))));
        } else {
            lines.extend(starts.into_iter().map(|at| (at, def.name.to_string())));
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
    lines.into_iter().map(|(at, what)| format!("  {}  {what}", clock(zone, at))).collect()
}

fn clock_changes(rules: &RuleSet, zone: Zone, after: Instant) -> String {
    let mut zones: Vec<Zone> = rules.zones.iter().map(|def| def.zone).chain([zone]).collect();
    zones.sort_by_key(|zone| zone.name());
    zones.dedup();
    let mut text = String::new();
    for zone in zones {
        let Some(change) = zone.next_transition(after) else {
            text.push_str(&format!("  {}  none in the next two years\n", zone.name()));
            continue;
        };
        let (before, then) = (wall(change.at, change.before_s), wall(change.at, change.after_s));
        text.push_str(&format!(
            "  {}  {} {} becomes {}{}\n",
            zone.name(),
            before.0,
            before.1,
            if before.0 == then.0 { String::new() } else { format!("{} ", then.0) },
            then.1
        ));
    }
    text
}

/// What the clock on the wall shows at an offset, in seconds ahead of UTC.
fn wall(at: Instant, offset_s: i32) -> (Date, String) {
    let utc = Zone(chrono_tz::UTC);
    let shown = at.plus_ms(i64::from(offset_s).saturating_mul(1000));
    (utc.date(shown), show_clock(utc, shown))
}

/// `every hour, 25 runs`
fn summed_up(starts: &[Instant]) -> String {
    let gaps = || starts.iter().zip(starts.iter().skip(1)).map(|(a, b)| b.0.saturating_sub(a.0));
    let runs = counted(starts.len(), "run");
    match gaps().next().filter(|first| gaps().all(|gap| gap == *first)) {
        Some(HOUR_MS) => format!("every hour, {runs}"),
        Some(MINUTE_MS) => format!("every minute, {runs}"),
        Some(gap) => format!("every {}, {runs}", format_duration(gap)),
        None => format!("from here on {runs}"),
    }
}

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// A clock time; with its offset where the clock shows it twice on that date.
fn clock(zone: Zone, at: Instant) -> String {
    let local = zone.local(at);
    let twice = zone.resolve(local.date, local.ms_of_day, Gap::Skip, Fold::Both).second().is_some();
    let offset =
        if twice { format_instant(zone, at).chars().skip(OFFSET_AT).collect() } else { String::new() };
    let blank = if twice { " " } else { "" };
    format!("{}{blank}{offset}", show_clock(zone, at))
}

/// Where the offset stands in `2026-11-01T01:00:00-04:00`.
const OFFSET_AT: usize = 19;
