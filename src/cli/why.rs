//! `verger why`: why a rule did, or did not, say something at a time of recorded days.

use anyhow::{Context as _, bail};
use clap::Args;
use serde::Serialize;
use serde::ser::SerializeMap as _;

use super::replay::DaysArgs;
use super::rule_files::RulesDir;
use super::{CommandDef, Context, Exit, Run};
use crate::engine::decision::{Decision, Line};
use crate::engine::time::{
    Instant, Zone, clock_ms, format_instant, parse_clock, parse_date, parse_instant, show_instant,
};
use crate::engine::why::{ClauseWhy, ReadValue, Why, why};
use crate::render::json_line;
use crate::render::terminal::{shown, shown_lines};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<WhyArgs>("why", "Say why a rule did or did not fire at a time");

/// Arguments of `why`.
#[derive(Debug, Args)]
struct WhyArgs {
    /// The rule
    rule: String,
    /// When: `2026-09-26T07:00:00-04:00`, or `2026-09-26 07:00` in the set's zone
    #[arg(long, value_name = "TIME")]
    at: String,
    #[command(flatten)]
    days: DaysArgs,
    #[command(flatten)]
    rules: RulesDir,
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Run for WhyArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let files = self.rules.load(context)?;
        let id = files.rule(&self.rule)?;
        let rules = &files.rules;
        let zone = rules.home();
        let at = time(&self.at, zone)?;
        let mut last: Option<Decision> = None;
        let state = self.days.replay(rules, Some(at), context, |line| {
            if let Line::Decision(decision) = line
                && *decision.rule == *self.rule
                && decision.at <= at
            {
                last = Some(*decision);
            }
            Ok(())
        })?;
        if state.since.is_none() {
            bail!("the days begin after `{}`", self.at);
        }
        if state.clock < at {
            // What nobody recorded cannot be judged: values would only seem to be old.
            bail!("the days end on {}, before `{}`", zone.date(state.clock), self.at);
        }
        let Some(found) = why(rules, &state, id, &files.sources) else {
            bail!("unknown rule `{}`", self.rule)
        };
        // What was decided on another date does not answer for this one.
        let last = last.filter(|decision| zone.date(decision.at) == zone.date(at));
        let answer = Answer { rule: &self.rule, at, zone, why: &found, last: last.as_ref() };
        let text = if self.json { json_line(&answer) + "\n" } else { shown_lines(&answer.text()) };
        context.console.print(text)?;
        Ok(Exit::Fine)
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

struct Answer<'a> {
    rule: &'a str,
    at: Instant,
    zone: Zone,
    why: &'a Why,
    last: Option<&'a Decision>,
}

impl Answer<'_> {
    /// Why there was no trigger, in the words of the clauses.
    fn reason(&self) -> Option<String> {
        if let Some(decision) = self.last {
            return decision.reason.as_ref().map(ToString::to_string);
        }
        let blocking = self.why.clauses.iter().find(|clause| !clause.verdict.is_true());
        let Some(clause) = blocking.filter(|_| !self.why.verdict.is_true()) else {
            return Some("nothing new: its identity was used up before".to_owned());
        };
        Some(format!("`{}` is {}", clause.text, clause.verdict.word()))
    }

    fn text(&self) -> String {
        let when = show_instant(self.zone, self.at, self.zone.date(self.at));
        let mut text =
            format!("{} at {} {when}: {}\n", self.rule, self.zone.date(self.at), self.why.verdict.word());
        for clause in &self.why.clauses {
            text.push_str(&format!(
                "  {:<8} {}  (line {})\n",
                clause.verdict.word(),
                clause.text,
                clause.line
            ));
            for ReadValue { name, value } in &clause.values {
                text.push_str(&shown(&format!("             {name}: {value}")));
                text.push('\n');
            }
        }
        text.push_str(&self.ending());
        text
    }

    fn ending(&self) -> String {
        let reason = self.reason().map(|reason| format!(": {reason}")).unwrap_or_default();
        match self.last {
            None => format!("no trigger{reason}\n"),
            Some(decision) => {
                let when = show_instant(self.zone, decision.at, self.zone.date(self.at));
                let outcome = decision.outcome.word();
                let gate = decision.gate.as_ref().map(|gate| format!(" by {gate}")).unwrap_or_default();
                format!("{outcome}{gate} at {when}{reason}\n")
            }
        }
    }
}

impl Serialize for Answer<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("rule", self.rule)?;
        map.serialize_entry("at", &format_instant(self.zone, self.at))?;
        map.serialize_entry("verdict", self.why.verdict.word())?;
        let clauses: Vec<_> = self.why.clauses.iter().map(Clause).collect();
        map.serialize_entry("clauses", &clauses)?;
        map.serialize_entry("outcome", &self.last.map(|decision| decision.outcome.word()))?;
        map.serialize_entry("gate", &self.last.and_then(|decision| decision.gate.as_deref()))?;
        map.serialize_entry("reason", &self.reason())?;
        map.end()
    }
}

struct Clause<'a>(&'a ClauseWhy);

impl Serialize for Clause<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("text", &self.0.text)?;
        map.serialize_entry("line", &self.0.line)?;
        map.serialize_entry("verdict", self.0.verdict.word())?;
        map.serialize_entry("values", &Values(&self.0.values))?;
        map.end()
    }
}

/// By name.
struct Values<'a>(&'a [ReadValue]);

impl Serialize for Values<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|ReadValue { name, value }| (&**name, &**value)))
    }
}
