//! A health bridge: a server that speaks the Model Context Protocol and keeps what a watch uploads to it.
//!
//! A read asks for the newest readings and for what is kept of each metric. Vitals are told reading by
//! reading, again with every read; nights are told whole, from what this and earlier reads saw.
//!
//! Never does a bad record spoil the others, and a night never gets shorter because the bridge forgot its
//! beginning; see `sleep`. That the bridge answers does not mean that the watch uploads: a note says so.

mod answer;
mod sleep;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use serde_json::json;
use serde_json::value::RawValue;

use self::answer::{Latest, Metrics, not_understood, reading, records, vital};
use self::sleep::{Seen, SleepRecord};
use super::health::places::ReadingZone;
use super::health::{HealthDays, Vital, reads};
use super::recorded_day::{DayRecord, DayRecordKind};
use super::source::{
    Answer, Ask, Begin, Conversation, Failure, Memory, Reading, SourceKind, Step, ToolCall, unexpected,
};
use crate::config::{Form, OptionDef, Settings};
use crate::engine::time::MS_PER_HOUR;

/// Its row.
pub const SOURCE: SourceKind = SourceKind {
    name: "mcp-health",
    about: "A health bridge: a server with tools that keeps what a watch uploads",
    options: &[
        OptionDef::required("url", Form::Url, "The server; its path may be the secret, so keep it elsewhere"),
        OptionDef::optional("allow-private", Form::Flag, "The server may lie in the own network"),
    ],
    gives: &[
        "health.asleep",
        "health.deep",
        "health.rem",
        "health.core",
        "health.awake",
        "health.in-bed",
        "health.resting",
        "health.hrv",
        "health.respiratory",
        "health.oxygen",
    ],
    every: Some(900_000),
    check: |_| Ok(()),
    begin: |settings, begin| Box::new(Bridge::begin(settings, &begin)),
};

/// The tools.
const LATEST: &str = "watch_get_latest_health";
const HISTORY: &str = "watch_get_health_history";
/// The metric of which nights are made.
const SLEEP: &str = "sleep";
/// Metrics whose history is asked for.
const METRICS: [&str; 5] = [SLEEP, "resting_heart_rate", "hrv_sdnn", "respiratory_rate", "oxygen_saturation"];
/// From this age of the last upload on there is a note.
const STALE_MS: i64 = 12 * MS_PER_HOUR;
/// How far a clock of another machine may be ahead.
const AHEAD_MS: i64 = 5 * 60_000;

struct Bridge {
    url: String,
    allow_private: bool,
    at: DateTime<Utc>,
    zone: ReadingZone,
    before: Seen,
    /// Questions that were asked: the newest readings, then one a metric.
    asked: usize,
    slept: Vec<SleepRecord>,
    days: HealthDays,
    notes: Vec<String>,
    nothing_came: bool,
}

impl Bridge {
    fn begin(settings: &Settings, begin: &Begin) -> Self {
        Self {
            url: settings.text("url").unwrap_or_default().to_owned(),
            allow_private: settings.flag("allow-private"),
            at: begin.at,
            zone: ReadingZone::Named(begin.zone),
            before: begin.memory.read(),
            asked: 0,
            slept: Vec::new(),
            days: HealthDays::default(),
            notes: Vec::new(),
            nothing_came: false,
        }
    }

    fn now_ms(&self) -> i64 {
        self.at.timestamp_millis()
    }

    /// The next question, or the end.
    fn go_on(&mut self) -> Result<Step, Failure> {
        let (tool, arguments) = match self.asked.checked_sub(1) {
            None => (LATEST, json!({})),
            Some(index) => match METRICS.get(index) {
                Some(metric) => (HISTORY, json!({ "metric": metric })),
                None => return self.finish().map(Step::Done),
            },
        };
        self.asked = self.asked.saturating_add(1);
        let (url, allow_private) = (self.url.clone(), self.allow_private);
        Ok(Step::Ask(Ask::Tool(ToolCall { url, tool, arguments, allow_private })))
    }

    fn answered(&mut self, text: &str) -> Result<(), Failure> {
        match self.asked.checked_sub(2).and_then(|index| METRICS.get(index)) {
            None => self.latest(text),
            Some(metric) => self.history(metric, text),
        }
    }

    fn latest(&mut self, text: &str) -> Result<(), Failure> {
        let latest = Latest::read(text).ok_or_else(|| not_understood(LATEST, text))?;
        self.notes.extend(latest.note(self.at, self.zone));
        let uploaded = latest.uploaded.map(|stamp| stamp.ms);
        // A bridge that answers is not yet a watch that uploads.
        self.nothing_came = uploaded.is_some() && uploaded == self.before.uploaded_ms;
        self.before.uploaded_ms = uploaded;
        for (metric, record) in &latest.metrics {
            match vital(metric) {
                Some(vital) => self.vital(vital, metric, record),
                None if metric == SLEEP => {}
                None => self.days.left_out.add(metric, 1),
            }
        }
        Ok(())
    }

    fn history(&mut self, metric: &str, text: &str) -> Result<(), Failure> {
        let history = Metrics::read(text).ok_or_else(|| not_understood(HISTORY, text))?;
        let Some(list) = history.of(metric) else { return Ok(()) };
        let Some(records) = records(list) else {
            self.days.dropped.add("it is not a list of records", metric);
            return Ok(());
        };
        for record in records {
            match vital(metric) {
                Some(vital) => self.vital(vital, metric, record),
                None => match SleepRecord::read(record, self.now_ms()) {
                    Ok(slept) => self.slept.push(slept),
                    Err(reason) => self.days.dropped.add(reason, &format!("{metric} {}", record.get())),
                },
            }
        }
        Ok(())
    }

    fn vital(&mut self, vital: Vital, metric: &str, record: &RawValue) {
        let zone = self.days.places.zone(self.zone);
        let added = reading(record, vital, zone, self.now_ms())
            .and_then(|sample| self.days.add_vital(vital, sample).map_err(|_| "there are too many"));
        if let Err(reason) = added {
            self.days.dropped.add(reason, &format!("{metric} {}", record.get()));
        }
    }

    fn finish(&mut self) -> Result<Reading, Failure> {
        let slept = std::mem::take(&mut self.slept);
        let before = std::mem::take(&mut self.before);
        let seen = before.with(slept, self.now_ms(), self.zone, &mut self.days);
        seen.add_to(&mut self.days, self.zone).map_err(|error| Failure::NotUnderstood(error.to_string()))?;
        let mut notes = std::mem::take(&mut self.notes);
        let records = std::mem::take(&mut self.days).finish();
        notes.extend(records.notes());
        let local = self.zone.local(self.now_ms());
        let told = records.filter(|record| match record.kind {
            DayRecordKind::Reading { signal, .. } => {
                signal != reads::SIGNAL && (!sleep::SIGNALS.contains(&signal) || seen.is_whole(record.date()))
            }
            DayRecordKind::Item { .. } => false,
        });
        let line = |record: DayRecord| {
            DayRecord { at: local, observed: Some(record.at), kind: record.kind }.to_json_line()
        };
        let lines = told.map(line).collect();
        let nothing_came = self.nothing_came;
        Ok(Reading { lines, notes, memory: Memory::of(&seen), shows_all: None, nothing_came })
    }
}

impl Conversation for Bridge {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        match answer {
            None => {}
            Some(Answer::Tool(text)) => self.answered(&text)?,
            Some(other) => return Err(unexpected(&other)),
        }
        self.go_on()
    }
}
