//! Lines of the log as a timeline by day that a person reads, with sums.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::engine::decision::{Decision, Line};
use crate::engine::syntax::ast::Outcome;
use crate::engine::time::{Date, Instant, Zone, show_clock, show_duration};
use crate::render::terminal::shown;

/// A timeline in the making.
#[derive(Debug)]
pub(super) struct Timeline {
    zone: Zone,
    day: Option<Date>,
    sums: Sums,
}

/// How many triggers ended in which way.
#[derive(Debug, Default)]
struct Sums {
    delivered: usize,
    digested: usize,
    expired: usize,
    missed: usize,
    late: usize,
    suppressed: BTreeMap<String, usize>,
    /// Ids whose last line says kept.
    kept: BTreeSet<String>,
}

impl Timeline {
    /// An empty timeline in a zone.
    pub(super) fn new(zone: Zone) -> Self {
        Self { zone, day: None, sums: Sums::default() }
    }

    /// The text of a line, with a heading where a day begins.
    pub(super) fn line(&mut self, line: &Line) -> String {
        let mut text = self.heading(line.at());
        self.sums.add(line);
        match line {
            Line::Missed { at, schedule } => {
                let _ = writeln!(text, "  {}  missed      {}", show_clock(self.zone, *at), shown(schedule));
            }
            Line::Decision(decision) => self.decision(decision, &mut text),
        }
        text
    }

    fn heading(&mut self, at: Instant) -> String {
        let date = self.zone.date(at);
        if self.day.replace(date) == Some(date) {
            return String::new();
        }
        format!("\n{} {date}\n", date.weekday().word())
    }

    fn decision(&self, decision: &Decision, text: &mut String) {
        let clock = show_clock(self.zone, decision.at);
        let what = match decision.outcome {
            Outcome::Delivered => decision.level.word(),
            outcome => outcome.word(),
        };
        // A carriage return at the end of a line is part of its break.
        let mut lines = decision.text.lines().map(shown);
        let first = lines.next().unwrap_or_default();
        let _ = writeln!(text, "  {clock}  {what:<10}  {}  {first}", shown(&decision.rule));
        for line in lines {
            let _ = writeln!(text, "                       {line}");
        }
        let mut notes = Vec::new();
        if let (Some(gate), Some(reason)) = (&decision.gate, &decision.reason) {
            notes.push(format!("by {gate}: {reason}"));
        }
        if let Some(until) = decision.until {
            let date = self.zone.date(until);
            let clock = show_clock(self.zone, until);
            let same = self.zone.date(decision.at) == date;
            notes.push(if same { format!("until {clock}") } else { format!("until {date} {clock}") });
        }
        if let Some(late) = decision.late {
            notes.push(format!("{} late", show_duration(late)));
        }
        if !notes.is_empty() {
            let _ = writeln!(text, "                       ({})", shown(&notes.join(", ")));
        }
    }

    /// The sums at the end.
    pub(super) fn end(&self) -> String {
        let sums = &self.sums;
        let suppressed: usize = sums.suppressed.values().sum();
        let mut text = format!(
            "\n{} delivered, {} digested, {suppressed} suppressed, {} expired, {} still kept",
            sums.delivered,
            sums.digested,
            sums.expired,
            sums.kept.len()
        );
        if !sums.suppressed.is_empty() {
            let by: Vec<_> =
                sums.suppressed.iter().map(|(gate, count)| format!("{count} by {gate}")).collect();
            let _ = write!(text, "\nsuppressed: {}", by.join(", "));
        }
        if sums.missed > 0 || sums.late > 0 {
            let _ = write!(text, "\nschedules: {} runs missed, {} caught up late", sums.missed, sums.late);
        }
        text.push('\n');
        text
    }
}

impl Sums {
    fn add(&mut self, line: &Line) {
        let Line::Decision(decision) = line else {
            self.missed += 1;
            return;
        };
        self.late += usize::from(decision.late.is_some() && decision.outcome != Outcome::Kept);
        self.kept.remove(&*decision.id);
        match decision.outcome {
            Outcome::Delivered => self.delivered += 1,
            Outcome::Digested => self.digested += 1,
            Outcome::Expired => self.expired += 1,
            Outcome::Kept => {
                self.kept.insert(decision.id.to_string());
            }
            Outcome::Suppressed => {
                let gate = decision.gate.as_deref().unwrap_or("unknown").to_owned();
                *self.suppressed.entry(gate).or_default() += 1;
            }
        }
    }
}
