//! The events of one UID to its occurrences.
//!
//! Of several versions the one with the highest SEQUENCE counts, then the last modified, then the last in the
//! file. An occurrence that was moved is judged by where it is now. EXDATE beats RDATE and beats a moved
//! occurrence that is older than the EXDATE. DTSTART is an occurrence only if its rule says so, or if
//! a rule cannot be followed: then the repetition is left out, the first occurrence stays.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};

use super::event::Event;
use super::recur::{self, Budget, INSTANCES_MAX, RecurError, Series};
use super::value::{End, Key, When};
use super::zone::EventZone;

/// One occurrence.
#[derive(Clone, Debug)]
pub(super) struct Occurrence<'e> {
    /// Which version of the event says it.
    pub(super) event: &'e Event,
    /// What it was before it was moved; `None` for an event that does not repeat.
    pub(super) original: Option<Key>,
    pub(super) start: When,
    pub(super) end: When,
}

/// A half-open window of instants in UTC, and the zone in which dates are read.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) utc: Range<NaiveDateTime>,
    pub(super) home: EventZone,
}

impl Window {
    /// Half-open on both sides; what has no length counts at its start.
    fn holds(&self, occurrence: &Occurrence<'_>) -> bool {
        let (start, end) = (occurrence.start.utc(&self.home), occurrence.end.utc(&self.home));
        start < self.utc.end && (end > self.utc.start || (start == end && start >= self.utc.start))
    }

    /// Wide enough in wall time for every zone.
    fn walls(&self, reach: TimeDelta) -> Range<NaiveDateTime> {
        let slack = TimeDelta::days(2);
        let widened = reach.checked_add(&slack).unwrap_or(slack);
        let start = self.utc.start.checked_sub_signed(widened).unwrap_or(self.utc.start);
        let end = self.utc.end.checked_add_signed(widened).unwrap_or(self.utc.end);
        start..end.min(recur::far_future())
    }
}

/// The occurrences in the window and what is to be said about them.
pub(super) fn occurrences<'e>(
    versions: &'e [Event],
    window: &Window,
    budget: &mut Budget,
) -> (Vec<Occurrence<'e>>, Vec<String>) {
    let mut notes = Vec::new();
    let master = versions.iter().filter(|event| event.replaces.is_none()).max_by_key(|event| event.version);
    let mut moved: BTreeMap<Key, &Event> = BTreeMap::new();
    for event in versions {
        let Some(replaces) = &event.replaces else { continue };
        let held = moved.entry(replaces.key()).or_insert(event);
        if event.version > held.version {
            *held = event;
        }
    }
    let mut found = Vec::new();
    if let Some(master) = master {
        let mut regular = expand(master, &moved, window, budget, &mut notes);
        let removed = Exceptions::of(master, &master.removed);
        moved.retain(|key, event| !(event.version.0 < master.version.0 && removed.hold(key)));
        let replaced = Exceptions::of(master, moved.values().filter_map(|event| event.replaces.as_ref()));
        regular.retain(|key, _| !removed.hold(key) && !replaced.hold(key));
        found.extend(regular.into_values());
    }
    found.extend(moved.into_iter().map(|(key, event)| Occurrence {
        event,
        original: Some(key),
        start: event.start.clone(),
        end: event.end_of(&event.start),
    }));
    found.retain(|occurrence| window.holds(occurrence));
    (found, notes)
}

/// Which occurrences some exceptions speak of. A date speaks of all that happens on it where the series
/// lives; a time, as programs write it against a series of dates, of its date.
struct Exceptions<'e> {
    keys: BTreeSet<Key>,
    dates: BTreeSet<NaiveDate>,
    dates_of_times: BTreeSet<NaiveDate>,
    master: &'e When,
}

impl<'e> Exceptions<'e> {
    fn of<'w>(master: &'e Event, exceptions: impl IntoIterator<Item = &'w When>) -> Self {
        let (dates, dates_of_times) = (BTreeSet::new(), BTreeSet::new());
        let mut of = Self { keys: BTreeSet::new(), dates, dates_of_times, master: &master.start };
        for exception in exceptions {
            of.keys.insert(exception.key());
            let dates = if exception.is_date() { &mut of.dates } else { &mut of.dates_of_times };
            dates.insert(exception.wall().date());
        }
        of
    }

    fn hold(&self, key: &Key) -> bool {
        self.keys.contains(key)
            || match (key, self.master) {
                (Key::Date(date), _) => self.dates_of_times.contains(date),
                (Key::Instant(utc), When::Time { zone, .. }) => {
                    !self.dates.is_empty() && self.dates.contains(&zone.wall(*utc).date())
                }
                (Key::Instant(_), When::Date(_)) => false,
            }
    }
}

/// The occurrences by the rules and dates of a version, before exceptions, around the window.
fn expand<'e>(
    master: &'e Event,
    moved: &BTreeMap<Key, &'e Event>,
    window: &Window,
    budget: &mut Budget,
    notes: &mut Vec<String>,
) -> BTreeMap<Key, Occurrence<'e>> {
    let repeats = !master.rules.is_empty() || !master.added.is_empty() || master.lost_a_rule();
    let mut starts: BTreeMap<Key, (When, Option<&End>)> = BTreeMap::new();
    let mut first_stays = master.rules.is_empty() || master.lost_a_rule();
    let shifts = shifts(moved);
    let farthest = shifts.iter().map(|(_, shift, _)| shift.abs()).max().unwrap_or_default();
    let reach = shifts.iter().map(|(_, _, event)| event.length()).fold(master.length(), TimeDelta::max);
    let walls = window.walls(reach.checked_add(&farthest).unwrap_or(reach));
    for rule in &master.rules {
        let until = rule.until.as_ref().and_then(|until| last_wall(until, &master.start));
        let series = Series { start: master.start.wall(), date_only: master.start.is_date(), until };
        match recur::expand(rule, series, walls.clone(), budget) {
            Ok(instances) => {
                if instances.cut {
                    let what = format_args!("only its first {INSTANCES_MAX} occurrences were taken");
                    notes.push(master.note(what));
                }
                let whens = instances.walls.into_iter().map(|wall| master.start.at_wall(wall));
                starts.extend(whens.map(|at| (at.key(), (at, None))));
            }
            Err(error) => {
                let verb = if error == RecurError::TooOften { "refused" } else { "left out" };
                notes.push(master.note(format_args!("{verb}: {error}")));
                first_stays = true;
            }
        }
    }
    if first_stays {
        starts.insert(master.start.key(), (master.start.clone(), None));
    }
    for (at, end) in &master.added {
        starts.entry(at.key()).or_insert_with(|| (at.clone(), end.as_ref()));
    }
    let occurrence = |(key, (start, end)): (Key, (When, Option<&End>))| {
        let original = repeats.then_some(key);
        let before = shifts.partition_point(|(from, _, _)| *from < key);
        let later = shifts.get(..before).and_then(<[_]>::last);
        let occurrence = match later {
            Some((_, shift, event)) => {
                let start = start.at_wall(start.wall().checked_add_signed(*shift).unwrap_or(start.wall()));
                Occurrence { event, original, end: event.end_of(&start), start }
            }
            None => Occurrence { event: master, original, end: end_of(master, &start, end), start },
        };
        (key, occurrence)
    };
    starts.into_iter().map(occurrence).collect()
}

fn end_of(master: &Event, start: &When, end: Option<&End>) -> When {
    match end {
        Some(End::At(end)) => end.clone(),
        Some(End::After(length)) => {
            start.at_wall(start.wall().checked_add_signed(*length).unwrap_or(start.wall()))
        }
        None => master.end_of(start),
    }
}

/// From which occurrence on everything moves, by how much, and which version says so; by time.
fn shifts<'e>(moved: &BTreeMap<Key, &'e Event>) -> Vec<(Key, TimeDelta, &'e Event)> {
    let future = moved.iter().filter(|(_, event)| event.and_future);
    future
        .filter_map(|(key, event)| {
            let replaces = event.replaces.as_ref()?;
            Some((*key, event.start.wall() - replaces.wall_for(&event.start), *event))
        })
        .collect()
}

/// The last wall time of a rule. A date means its whole day.
fn last_wall(until: &calcard::common::PartialDateTime, start: &When) -> Option<NaiveDateTime> {
    let wall = super::value::wall_of(until)?;
    if !until.has_time() {
        return wall.date().and_hms_opt(23, 59, 59);
    }
    match start {
        When::Time { zone, .. } if until.has_zone() => {
            let east =
                i64::from(until.tz_hour.unwrap_or(0)) * 3600 + i64::from(until.tz_minute.unwrap_or(0)) * 60;
            let utc = wall - TimeDelta::seconds(if until.tz_minus { -east } else { east });
            Some(zone.wall(utc))
        }
        _ => Some(wall),
    }
}
