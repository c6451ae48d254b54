//! The resources of all calendars to one reading.
//!
//! Each resource is decoded by itself, so that one that is broken spoils no other; all share one budget. What
//! stands in several calendars under one id is one item, as the first of them says it.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};

use super::RESOURCES_MAX;
use super::multistatus::{Resource, Words};
use crate::connectors::ics::source::CalendarWindow;
use crate::connectors::ics::{Budget, OCCURRENCES_MAX, read_within};
use crate::connectors::recorded_day::{DayRecord, DayRecordKind};
use crate::connectors::source::{Failure, Memory, Reading};

/// Sentences of a reading.
const NOTES_MAX: usize = 50;

/// What was read so far.
#[derive(Debug)]
pub(super) struct Gathered {
    window: CalendarWindow,
    at: DateTime<FixedOffset>,
    budget: Budget,
    items: BTreeMap<String, DayRecord>,
    /// Items that another resource or calendar had already.
    twice: usize,
    notes: Vec<String>,
    /// Sentences beyond the limit.
    unsaid: usize,
    /// Calendars that were read, also in part.
    read: usize,
    failed: Option<Failure>,
    full: bool,
}

impl Gathered {
    pub(super) fn new(window: CalendarWindow, at: DateTime<FixedOffset>) -> Self {
        Self {
            window,
            at,
            budget: Budget::default(),
            items: BTreeMap::new(),
            twice: 0,
            notes: Vec::new(),
            unsaid: 0,
            read: 0,
            failed: None,
            full: true,
        }
    }

    /// Something that stays unread, with a sentence about it.
    pub(super) fn miss(&mut self, note: String) {
        self.full = false;
        self.note(note);
    }

    /// A calendar that cannot be read.
    pub(super) fn fail(&mut self, name: &str, failure: Failure) {
        self.miss(format!("the calendar `{name}` was not read: {failure}"));
        self.failed.get_or_insert(failure);
    }

    /// The resources of a calendar.
    pub(super) fn take(&mut self, name: &str, mut resources: Vec<Resource>) -> Result<(), Failure> {
        // A server may list them in any order, and which of two counts must not depend on that.
        resources.sort_by(|a, b| a.href.cmp(&b.href));
        if resources.len() > RESOURCES_MAX {
            self.miss(format!("only the first {RESOURCES_MAX} entries of `{name}` were read"));
        }
        let mut unread: Option<(usize, String)> = None;
        for resource in resources.into_iter().take(RESOURCES_MAX) {
            if let Err(reason) = self.decode(&resource) {
                unread.get_or_insert((0, reason)).0 += 1;
            }
            if self.items.len() > OCCURRENCES_MAX {
                let most = format!("more than {OCCURRENCES_MAX} events: read fewer days or calendars");
                return Err(Failure::NotUnderstood(most));
            }
        }
        if let Some((count, reason)) = unread {
            let entries = if count == 1 { "entry" } else { "entries" };
            self.miss(format!("{count} {entries} of `{name}` cannot be read, the first: {reason}"));
        }
        self.read = self.read.saturating_add(1);
        Ok(())
    }

    fn decode(&mut self, resource: &Resource) -> Result<(), String> {
        if let Some(status) = resource.status.filter(|status| !(200..300).contains(status)) {
            return Err(format!("the server says {status}"));
        }
        let data = resource.property(Words::CalDav, "calendar-data");
        let text = data.ok_or("the server does not hand it out")?.text();
        let days =
            read_within(text, self.window.ics(), &mut self.budget).map_err(|error| error.to_string())?;
        for note in days.notes {
            self.note(note);
        }
        for mut record in days.records {
            let DayRecordKind::Item { id, .. } = &record.kind else { continue };
            if self.items.contains_key(id) {
                self.twice = self.twice.saturating_add(1);
                continue;
            }
            record.at = self.at;
            self.items.insert(id.clone(), record);
        }
        Ok(())
    }

    fn note(&mut self, note: String) {
        if self.notes.contains(&note) {
            return;
        }
        if self.notes.len() < NOTES_MAX {
            self.notes.push(note);
        } else {
            self.unsaid = self.unsaid.saturating_add(1);
        }
    }

    /// Why the first calendar could not be read.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failed.clone()
    }

    /// All of it; a failure when no calendar could be read.
    pub(super) fn finish(&mut self) -> Result<Reading, Failure> {
        if let Some(failure) = self.failed.take().filter(|_| self.read == 0) {
            return Err(failure);
        }
        let mut notes = std::mem::take(&mut self.notes);
        let twice = match self.twice {
            0 => None,
            1 => Some("1 event stands in several places: the first one counts".to_owned()),
            more => Some(format!("{more} events stand in several places: the first one counts")),
        };
        notes.extend(twice);
        if self.unsaid > 0 {
            notes.push(format!("and {} more such sentences", self.unsaid));
        }
        let lines = self.items.values().map(DayRecord::to_json_line).collect();
        let shows_all = self.full.then(|| self.window.shows_all());
        Ok(Reading { lines, notes, memory: Memory::default(), shows_all, nothing_came: false })
    }
}
