//! One VEVENT as it stands, with its times resolved.

use std::fmt;

use calcard::icalendar::{
    ICalendarComponent, ICalendarEntry, ICalendarParameterName, ICalendarProperty, ICalendarRecurrenceRule,
    ICalendarStatus, ICalendarValue,
};
use chrono::{Days, NaiveDateTime, TimeDelta};
use sha2::{Digest, Sha256};

use super::rule_text::{MARKER, Refused};
use super::value::{End, When, when, whens};
use super::zone::Zones;

/// Dates that a single event may list.
const DATES_MAX: usize = 10_000;
/// Characters that an id may have; RFC 7986 asks for at most 255.
const UID_MAX: usize = 300;
/// Characters kept of a title.
const TITLE_MAX: usize = 1_000;
/// Characters of a title that a sentence shows.
const TITLE_SHOWN_MAX: usize = 60;

/// What is to be said of an event that is read all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remark {
    /// A rule was refused: its place among the refused ones of the text.
    Rule(usize),
    /// It, or a period of its dates, ends before it starts.
    EndsBefore,
    /// There is a UID and nothing in it; that there is none is common in cut calendars, and not said.
    EmptyUid,
    OddUid,
}

/// A VEVENT.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// Its UID, or one made of its start and title.
    pub(super) uid: String,
    /// The higher replaces the lower.
    pub(super) version: (i64, Option<NaiveDateTime>, usize),
    /// Which occurrence it replaces.
    pub(super) replaces: Option<When>,
    /// And all later ones.
    pub(super) and_future: bool,
    pub(super) start: When,
    pub(super) end: Option<End>,
    pub(super) rules: Vec<ICalendarRecurrenceRule>,
    pub(super) added: Vec<(When, Option<End>)>,
    pub(super) removed: Vec<When>,
    pub(super) title: Option<String>,
    pub(super) status: &'static str,
    pub(super) remarks: Vec<Remark>,
}

impl Event {
    /// `order` is its place in the file. An error is a reason to leave it out.
    pub(super) fn of(
        component: &ICalendarComponent,
        order: usize,
        zones: &mut Zones,
    ) -> Result<Self, &'static str> {
        let mut parts = Parts::default();
        for entry in &component.entries {
            parts.take(entry, zones);
        }
        let start = parts.start.or_else(|| parts.replaces.clone()).ok_or("it has no start")?;
        if parts.added.len() + parts.removed.len() > DATES_MAX {
            return Err("it lists more than 10,000 dates");
        }
        let title = parts.title.map(tidy).filter(|title| !title.is_empty());
        let end = parts.end.or(parts.duration.map(End::After));
        let mut remarks = parts.remarks;
        let mut ends_before = end.as_ref().is_some_and(|end| end.is_before(&start));
        for (start, end) in &mut parts.added {
            if end.as_ref().is_some_and(|end| end.is_before(start)) {
                *end = Some(End::After(TimeDelta::zero()));
                ends_before = true;
            }
        }
        remarks.extend(ends_before.then_some(Remark::EndsBefore));
        let uid = match parts.uid {
            Some(uid) if uid.is_empty() => {
                remarks.push(Remark::EmptyUid);
                made_uid(&start, title.as_deref())
            }
            Some(uid) if is_plain(&uid) => uid,
            Some(uid) => {
                remarks.push(Remark::OddUid);
                short(&uid)
            }
            None => made_uid(&start, title.as_deref()),
        };
        Ok(Self {
            uid,
            version: (parts.sequence, parts.modified, order),
            replaces: parts.replaces,
            and_future: parts.and_future,
            start,
            end,
            rules: parts.rules,
            added: parts.added,
            removed: parts.removed,
            title,
            status: parts.status.unwrap_or("confirmed"),
            remarks,
        })
    }

    /// A rule of it was refused.
    pub(super) fn lost_a_rule(&self) -> bool {
        self.remarks.iter().any(|remark| matches!(remark, Remark::Rule(_)))
    }

    /// A sentence about it, with its title.
    pub(super) fn note(&self, what: impl fmt::Display) -> String {
        let title = self.title.as_deref().unwrap_or("an event without a title");
        format!("`{}`: {what}", title.chars().take(TITLE_SHOWN_MAX).collect::<String>())
    }

    /// The sentence of a remark; none for a rule that the text does not have.
    pub(super) fn said(&self, remark: Remark, refused: &[Refused]) -> Option<String> {
        Some(match remark {
            Remark::Rule(place) => self.note(refused.get(place)?),
            Remark::EndsBefore => self.note("it ends before it starts: read as without length"),
            Remark::EmptyUid => self.note("its UID is empty: its id is made of its start and title"),
            Remark::OddUid => {
                self.note(format_args!("its UID is unprintable or longer than {UID_MAX}: its id is another"))
            }
        })
    }

    /// The end of an occurrence that starts at `start`: dates at least a day long, times never before it.
    pub(super) fn end_of(&self, start: &When) -> When {
        match start {
            When::Date(date) => {
                let length = self.length().num_days().max(1);
                When::Date(date.checked_add_days(Days::new(length.unsigned_abs())).unwrap_or(*date))
            }
            When::Time { wall, zone } => {
                // Durations are exact time, not wall time.
                let utc = zone.utc(*wall);
                let end = utc.checked_add_signed(self.length()).unwrap_or(utc);
                When::Time { wall: zone.wall(end), zone: zone.clone() }
            }
        }
    }

    /// From start to end; zero when it has none or ends before it starts.
    pub(super) fn length(&self) -> TimeDelta {
        let length = match (&self.end, &self.start) {
            (None, _) => TimeDelta::zero(),
            (Some(End::After(length)), _) => *length,
            (Some(End::At(When::Time { wall, zone })), When::Time { wall: start, zone: start_zone }) => {
                zone.utc(*wall) - start_zone.utc(*start)
            }
            (Some(End::At(end)), start) => end.wall() - start.wall(),
        };
        length.max(TimeDelta::zero())
    }
}

/// Properties as they come.
#[derive(Default)]
struct Parts {
    uid: Option<String>,
    sequence: i64,
    modified: Option<NaiveDateTime>,
    replaces: Option<When>,
    and_future: bool,
    start: Option<When>,
    end: Option<End>,
    duration: Option<TimeDelta>,
    rules: Vec<ICalendarRecurrenceRule>,
    added: Vec<(When, Option<End>)>,
    removed: Vec<When>,
    title: Option<String>,
    status: Option<&'static str>,
    remarks: Vec<Remark>,
}

impl Parts {
    fn take(&mut self, entry: &ICalendarEntry, zones: &mut Zones) {
        let time = |zones: &mut Zones| match entry.values.first() {
            Some(ICalendarValue::PartialDateTime(at)) => when(at, entry, zones),
            _ => None,
        };
        let first = entry.values.first();
        match (&entry.name, first) {
            (ICalendarProperty::Dtstart, _) => self.start = time(zones),
            (ICalendarProperty::Dtend, _) => self.end = time(zones).map(End::At),
            (ICalendarProperty::Duration, Some(ICalendarValue::Duration(length))) => {
                self.duration = length.to_time_delta();
            }
            (ICalendarProperty::RecurrenceId, _) => {
                self.replaces = time(zones);
                self.and_future = entry.parameters(&ICalendarParameterName::Range).next().is_some();
            }
            (ICalendarProperty::Rrule, Some(ICalendarValue::RecurrenceRule(rule))) => {
                self.rules.push((**rule).clone());
            }
            (ICalendarProperty::Rdate, _) => self.added.extend(whens(entry, zones)),
            (ICalendarProperty::Exdate, _) => {
                self.removed.extend(whens(entry, zones).into_iter().map(|(at, _)| at));
            }
            (ICalendarProperty::Sequence, Some(ICalendarValue::Integer(number))) => self.sequence = *number,
            (ICalendarProperty::LastModified, _) => self.modified = time(zones).map(|at| at.wall()),
            (ICalendarProperty::Status, Some(ICalendarValue::Status(status))) => self.status = word(status),
            (ICalendarProperty::Summary, Some(ICalendarValue::Text(text))) => self.title = Some(text.clone()),
            (ICalendarProperty::Uid, Some(ICalendarValue::Text(text))) => {
                self.uid = Some(text.trim().to_owned());
            }
            (ICalendarProperty::Uid, None) => self.uid = Some(String::new()),
            (ICalendarProperty::Other(name), Some(ICalendarValue::Text(place)))
                if name.eq_ignore_ascii_case(MARKER) =>
            {
                self.remarks.extend(place.parse().ok().map(Remark::Rule));
            }
            _ => {}
        }
    }
}

/// The states that an event may have; without one it is confirmed (RFC 8984, 5.1.3).
fn word(status: &ICalendarStatus) -> Option<&'static str> {
    match status {
        ICalendarStatus::Tentative => Some("tentative"),
        ICalendarStatus::Confirmed => Some("confirmed"),
        ICalendarStatus::Cancelled => Some("cancelled"),
        _ => None,
    }
}

/// One line, without control characters, of bounded length.
fn tidy(title: String) -> String {
    let plain: String = title.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE_MAX).collect()
}

/// An id that can be kept as it is.
fn is_plain(uid: &str) -> bool {
    uid.chars().count() <= UID_MAX && !uid.contains(char::is_control)
}

/// As much of an id as can be kept, and a number made of the whole.
fn short(uid: &str) -> String {
    let plain: String =
        uid.chars().map(|letter| if letter.is_control() { '?' } else { letter }).take(UID_MAX).collect();
    format!("{plain}-{}", hex(uid))
}

fn hex(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// An id for an event without one, the same in every import of the same event.
fn made_uid(start: &When, title: Option<&str>) -> String {
    format!("no-uid-{}", hex(&format!("{:?}\n{}", start.key(), title.unwrap_or(""))))
}
