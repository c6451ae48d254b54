//! What a source gave, as the engine is told it: only what is new or changed since it gave it last.

use std::collections::{BTreeMap, BTreeSet};

use super::{Agent, Order};
use crate::connectors::given::{self, Given, NotGiven, given};
use crate::connectors::source::{Failure, Reading, ShowsAll};
use crate::engine::record::{Record, RecordKind, Scalar};
use crate::engine::records::{Read, Reader, instant_of};
use crate::engine::rule_set::RuleSet;
use crate::engine::time::{Instant, Zone};
use crate::store::{Beside, GivenRow, SourceUpdate, StoreError};

/// Notes of one read that are kept, and characters of each.
const NOTES_MAX: usize = 20;
const NOTE_MAX: usize = 300;
/// Names that a note lists.
const NAMED_MAX: usize = 5;

/// What a reading comes to.
#[derive(Default)]
struct News {
    records: Vec<Record>,
    update: SourceUpdate,
    /// Keys of everything that the source shows.
    shown: BTreeSet<String>,
    undeclared: BTreeSet<String>,
    refused: usize,
    bad: Option<String>,
    bad_count: usize,
}

impl Agent {
    pub(super) fn read(
        &mut self,
        now: Instant,
        name: &str,
        result: Result<Reading, Failure>,
    ) -> Result<(), StoreError> {
        if !self.sources.contains_key(name) {
            // It was taken out of the settings while it was being read.
            return Ok(());
        }
        let failures = self.session.store().source(name)?.failures;
        match result {
            Ok(reading) => {
                self.take_reading(now, name, reading)?;
                if failures > 0 {
                    self.orders.push(Order::Say(format!("source `{name}` works again")));
                }
                self.orders.push(Order::Received(name.to_owned()));
                self.plan_next(now, name, None);
            }
            Err(failure) => {
                self.session.store().source_failed(name, now, &failure)?;
                if failures == 0 {
                    self.orders.push(Order::Say(format!("source `{name}`: {failure}")));
                }
                self.plan_next(now, name, Some((&failure, failures.saturating_add(1))));
            }
        }
        Ok(())
    }

    fn take_reading(&mut self, now: Instant, name: &str, reading: Reading) -> Result<(), StoreError> {
        let Some(rules) = self.session.rules() else { return Ok(()) };
        let at = self.at(now)?;
        let mut news = self.news(rules, at, name, &reading)?;
        if let Some(all) = &reading.shows_all {
            self.gone(rules, at, all, &mut news)?;
        }
        if let Some(signal) = rules.signal_named(&format!("source.{name}"))
            && !reading.nothing_came
        {
            let kind = RecordKind::Reading { signal, observed: at, value: Scalar::Flag(true) };
            news.records.push(Record { at, kind });
        }
        news.update.notes = tidy([reading.notes, news.notes()].concat());
        news.update.memory = reading.memory;
        if news.records.is_empty() {
            return self.session.note_read(at, &news.update);
        }
        let News { mut records, update, .. } = news;
        self.take_beside(at, &mut records, Beside { source: Some(&update), inbox: &[] })
    }

    fn news(&self, rules: &RuleSet, at: Instant, name: &str, reading: &Reading) -> Result<News, StoreError> {
        let mut news = News {
            update: SourceUpdate { name: name.to_owned(), ..SourceUpdate::default() },
            ..News::default()
        };
        let names = self.sources.get(name).map(|run| run.source.names.clone()).unwrap_or_default();
        let mut reader = Reader::new(rules);
        for given in newest_of_each(&reading.lines, (at, rules.home()), &names, &mut news) {
            let row = GivenRow::of(&given.key, given.starts, &given.content);
            let known = !self.session.store().is_news(name, &row)?;
            news.shown.insert(given.key);
            if known {
                continue;
            }
            match reader.read_line(given.line.as_bytes()) {
                Ok(Read::Record(record)) => {
                    news.records.push(record);
                    if given.removed {
                        news.update.gone.push(row.key);
                    } else {
                        news.update.given.push(row);
                    }
                }
                Ok(Read::Undeclared { .. }) => {
                    news.undeclared.insert(given.name);
                }
                Ok(Read::Empty) => {}
                Err(error) => news.bad(error.reason),
            }
        }
        Ok(news)
    }

    /// What a source that shows everything does not show any more.
    fn gone(&self, rules: &RuleSet, at: Instant, all: &ShowsAll, news: &mut News) -> Result<(), StoreError> {
        let source = &news.update.name;
        let names = self.sources.get(source).map(|run| &run.source.names);
        let stream = names.and_then(|names| names.get(all.stream)).map_or(all.stream, String::as_str);
        let prefix = format!("{stream}#");
        let window = all.from.timestamp_millis()..all.to.timestamp_millis();
        let mut reader = Reader::new(rules);
        let mut removed = Vec::new();
        for (key, starts) in self.session.store().given_by(source, &prefix)? {
            if news.shown.contains(&key) || starts.is_some_and(|starts| starts >= window.end) {
                continue;
            }
            let is_past = starts.is_some_and(|starts| starts < window.start);
            if !is_past && !self.session.store().given_by_another(source, &key)? {
                let id = key.get(prefix.len()..).unwrap_or_default();
                let line = given::removed(stream, id, at, rules.home());
                if let Ok(Read::Record(record)) = reader.read_line(line.as_bytes()) {
                    removed.push(record);
                }
            }
            news.update.gone.push(key);
        }
        news.records.extend(removed);
        Ok(())
    }
}

/// Of the lines about one thing the one that was learnt last, of those the last: what a recorded day would
/// make of them. In the order in which they were learnt.
fn newest_of_each(
    lines: &[String],
    (at, zone): (Instant, Zone),
    names: &BTreeMap<String, String>,
    news: &mut News,
) -> Vec<Given> {
    let mut newest: BTreeMap<String, (Option<Instant>, usize, Given)> = BTreeMap::new();
    for (place, line) in lines.iter().enumerate() {
        let given = match given(line, at, zone, names) {
            Ok(given) => given,
            Err(NotGiven::Reserved) => continue,
            Err(NotGiven::NotAReading) => {
                news.refused = news.refused.saturating_add(1);
                continue;
            }
            Err(NotGiven::Bad(reason)) => {
                news.bad(reason);
                continue;
            }
        };
        let learnt = instant_of(line.as_bytes());
        if newest.get(&given.key).is_none_or(|(known, ..)| *known <= learnt) {
            newest.insert(given.key.clone(), (learnt, place, given));
        }
    }
    let mut newest: Vec<_> = newest.into_values().collect();
    newest.sort_by_key(|(learnt, place, _)| (*learnt, *place));
    newest.into_iter().map(|(.., given)| given).collect()
}

impl News {
    fn bad(&mut self, reason: String) {
        self.bad.get_or_insert(reason);
        self.bad_count = self.bad_count.saturating_add(1);
    }

    /// What was passed over, in sentences.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.undeclared.is_empty() {
            let named: Vec<_> =
                self.undeclared.iter().take(NAMED_MAX).map(|name| format!("`{name}`")).collect();
            let more = self.undeclared.len().saturating_sub(named.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            notes.push(format!("no rule file declares {}{more}", named.join(", ")));
        }
        if self.refused > 0 {
            notes.push(format!("{} refused: {}", lines(self.refused), NotGiven::NotAReading));
        }
        if let Some(reason) = &self.bad {
            notes.push(format!("{} cannot be read, the first: {reason}", lines(self.bad_count)));
        }
        notes
    }
}

/// Each sentence once, and not without end.
fn tidy(notes: Vec<String>) -> Vec<String> {
    let mut tidied: Vec<String> = Vec::new();
    for note in notes {
        let note: String = note.chars().take(NOTE_MAX).collect();
        if tidied.len() < NOTES_MAX && !tidied.contains(&note) {
            tidied.push(note);
        }
    }
    tidied
}

fn lines(count: usize) -> String {
    format!("{count} line{}", if count == 1 { "" } else { "s" })
}
