//! `verger why`: why a rule did, or did not, say something: now, at a time of the live journal, or of
//! recorded days.

mod answer;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;

use self::answer::Answer;
use super::replay::DaysArgs;
use super::rule_files::RulesDir;
use super::{CommandDef, Context, Exit, Run};
use crate::engine::decision::{Decision, Line};
use crate::engine::rule_set::RuleSet;
use crate::engine::source::Sources;
use crate::engine::state::State;
use crate::engine::time::{Instant, Zone, clock_ms, parse_clock, parse_date, parse_instant};
use crate::engine::why::why;
use crate::render::json_line;
use crate::render::terminal::shown_lines;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<WhyArgs>("why", "Say why a rule did or did not fire at a time");

/// Arguments of `why`.
#[derive(Debug, Args)]
struct WhyArgs {
    /// The rule
    rule: String,
    /// Recorded days: a file, a folder, or `-` [default: the live journal]
    days: Option<PathBuf>,
    /// When: `2026-09-26T07:00:00-04:00`, or `2026-09-26 07:00` in the set's zone [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// List bad lines and skip them
    #[arg(long)]
    skip_bad: bool,
    #[command(flatten)]
    rules: RulesDir,
    #[cfg(feature = "shell")]
    #[command(flatten)]
    data: super::live::working_folder::DataArgs,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// The engine at the moment that was asked for.
struct Moment {
    rules: RuleSet,
    sources: Sources,
    state: State,
    at: Instant,
    /// What became of the rule's last trigger on that date.
    last: Option<Decision>,
}

impl Run for WhyArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let moment = match &self.days {
            Some(days) => self.recorded(days, context)?,
            None => self.live(context)?,
        };
        let Moment { rules, sources, state, at, last } = moment;
        let zone = rules.home();
        let Some(id) = rules.rule_named(&self.rule) else { bail!("unknown rule `{}`", self.rule) };
        let Some(found) = why(&rules, &state, id, &sources) else { bail!("unknown rule `{}`", self.rule) };
        // What was decided on another date does not answer for this one.
        let last = last.filter(|decision| zone.date(decision.at) == zone.date(at));
        let answer = Answer { rule: &self.rule, at, zone, why: &found, last: last.as_ref() };
        let text = if self.json { json_line(&answer) + "\n" } else { shown_lines(&answer.text()) };
        context.console.print(text)?;
        Ok(Exit::Fine)
    }
}

impl WhyArgs {
    /// From recorded days under the rules as they are now.
    fn recorded(&self, days: &Path, context: &mut Context<'_, '_>) -> anyhow::Result<Moment> {
        let files = self.rules.load(context)?;
        files.rule(&self.rule)?;
        let rules = files.rules;
        let zone = rules.home();
        let written = self.at.as_deref().context("`--at TIME` is missing: recorded days have no present")?;
        let at = time(written, zone)?;
        let mut last: Option<Decision> = None;
        let days = DaysArgs { days: days.to_owned(), skip_bad: self.skip_bad };
        let state = days.replay(&rules, Some(at), context, |line| {
            self.note(line, at, &mut last);
            Ok(())
        })?;
        if state.since.is_none() {
            bail!("the days begin after `{written}`");
        }
        if state.clock < at {
            // What nobody recorded cannot be judged: values would only seem to be old.
            bail!("the days end on {}, before `{written}`", zone.date(state.clock));
        }
        Ok(Moment { rules, sources: files.sources, state, at, last })
    }

    /// Keeps the rule's newest decision up to an instant.
    fn note(&self, line: Line, at: Instant, last: &mut Option<Decision>) {
        if let Line::Decision(decision) = line
            && *decision.rule == *self.rule
            && decision.at <= at
        {
            *last = Some(*decision);
        }
    }

    #[cfg(not(feature = "shell"))]
    fn live(&self, _: &mut Context<'_, '_>) -> anyhow::Result<Moment> {
        bail!("`DAYS` are missing: this program is built without the live journal")
    }

    /// From the live journal under the rules that were in force then.
    #[cfg(feature = "shell")]
    fn live(&self, context: &mut Context<'_, '_>) -> anyhow::Result<Moment> {
        use super::live::journal;
        let store = journal::read(&self.data, context)?;
        let present = journal::present(&store)?;
        journal::known_rule(&present.rules, &self.rule)?;
        let now = crate::shell::alarm::now();
        let (moment, at) = match &self.at {
            None => (present, now),
            Some(written) => {
                let at = time(written, present.rules.home())?;
                if at > now {
                    bail!("`{written}` lies in the future");
                }
                let before = || format!("the journal begins after `{written}`, or forgot what was then");
                (store.moment(at)?.with_context(before)?, at)
            }
        };
        let mut last = None;
        store.log(|row| -> Result<(), journal::Walk> {
            if let Some(line) = crate::render::log::read(&row.line) {
                self.note(line, at, &mut last);
            }
            Ok(())
        })?;
        let sources = journal::texts(&moment.files);
        Ok(Moment { rules: moment.rules, sources, state: moment.state, at, last })
    }
}

/// An instant with its offset, or a local time of the set's zone.
fn time(text: &str, zone: Zone) -> anyhow::Result<Instant> {
    if let Ok(at) = parse_instant(text).or_else(|error| without_seconds(text).ok_or(error)) {
        return Ok(at);
    }
    let local = text.split_once([' ', 'T']).and_then(|(date, clock)| {
        let ms = clock_ms(parse_clock(clock).ok()?);
        Some(zone.reached(parse_date(date).ok()?, ms))
    });
    local.with_context(|| {
        format!("`{text}` is no time: expected `2026-09-26T07:00:00-04:00` or `2026-09-26 07:00`")
    })
}

/// `2026-09-26T07:00-04:00`
fn without_seconds(text: &str) -> Option<Instant> {
    let (minutes, offset) = text.split_at_checked("2026-09-26T07:00".len())?;
    parse_instant(&format!("{minutes}:00{offset}")).ok()
}
