//! The text of a calendar file to its events, by UID.
//!
//! calcard closes at the end of the text what is still open, so a file that was cut off is noticed here.

use std::collections::{BTreeMap, BTreeSet};

use calcard::icalendar::{ICalendar, ICalendarComponentType, ICalendarProperty, ICalendarValue};
use calcard::{Entry, Parser};
use chrono_tz::Tz;

use super::event::Event;
use super::rule_text::Refused;
use super::zone::Zones;
use super::{EVENTS_MAX, IcsError};
use crate::connectors::left_out::LeftOut;

/// All calendars of the text; bare events count as one each.
pub(super) fn parse(text: &str) -> Result<Vec<ICalendar>, IcsError> {
    let count =
        |wanted: &str| text.lines().filter(|line| line.trim_end().eq_ignore_ascii_case(wanted)).count();
    let (begun, ended) = (count("BEGIN:VEVENT"), count("END:VEVENT"));
    if begun > EVENTS_MAX {
        return Err(IcsError::TooManyEvents);
    }
    let whole = count("BEGIN:VCALENDAR") <= count("END:VCALENDAR");
    let mut parser = Parser::new(text);
    let mut calendars = Vec::new();
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => calendars.push(calendar),
            Entry::Eof => break,
            Entry::TooManyComponents => return Err(IcsError::TooManyEvents),
            Entry::UnterminatedComponent(_) => return Err(IcsError::Truncated),
            _ => {}
        }
    }
    let of_interest = [
        ICalendarComponentType::VCalendar,
        ICalendarComponentType::VEvent,
        ICalendarComponentType::VTimezone,
    ];
    let kinds = calendars.iter().flat_map(|calendar| calendar.components.first());
    if !kinds.into_iter().any(|component| of_interest.contains(&component.component_type)) {
        return Err(IcsError::NotACalendar);
    }
    if begun > ended || !whole { Err(IcsError::Truncated) } else { Ok(calendars) }
}

/// The zone that a file lives in: what it says of itself, else the only one that its events name.
pub(super) fn zone_of(calendars: &[ICalendar]) -> Option<Tz> {
    let mut named = BTreeSet::new();
    for component in calendars.iter().flat_map(|calendar| &calendar.components) {
        for entry in &component.entries {
            let own = matches!(&entry.name, ICalendarProperty::Other(name) if name.eq_ignore_ascii_case("X-WR-TIMEZONE"));
            if own
                && let Some(ICalendarValue::Text(name)) = entry.values.first()
                && let Some(zone) = iana(name)
            {
                return Some(zone);
            }
            named.extend(entry.tz_id().and_then(iana).map(Tz::name));
        }
    }
    if named.len() == 1 { named.first().and_then(|name| name.parse().ok()) } else { None }
}

fn iana(name: &str) -> Option<Tz> {
    match name.trim().parse::<calcard::common::timezone::Tz>() {
        Ok(calcard::common::timezone::Tz::Tz(zone)) => Some(zone),
        _ => None,
    }
}

/// Entries that are no events; zones and alarms belong to what is read.
pub(super) fn components_left_out(calendars: &[ICalendar]) -> LeftOut {
    let mut left_out = LeftOut::default();
    for component in calendars.iter().flat_map(|calendar| &calendar.components) {
        match component.component_type {
            ICalendarComponentType::VTodo => left_out.add("VTODO", 1),
            ICalendarComponentType::VJournal => left_out.add("VJOURNAL", 1),
            ICalendarComponentType::VFreebusy => left_out.add("VFREEBUSY", 1),
            _ => {}
        }
    }
    left_out
}

/// Events by UID.
pub(super) fn events(
    calendars: &[ICalendar],
    zones: &mut Zones,
    refused: &[Refused],
    notes: &mut Vec<String>,
) -> Result<BTreeMap<String, Vec<Event>>, IcsError> {
    let mut groups: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    let mut left_out: BTreeMap<&'static str, u64> = BTreeMap::new();
    let components = calendars.iter().flat_map(|calendar| &calendar.components);
    let of_interest =
        components.filter(|component| component.component_type == ICalendarComponentType::VEvent);
    for (order, component) in of_interest.enumerate() {
        if order >= EVENTS_MAX {
            return Err(IcsError::TooManyEvents);
        }
        match Event::of(component, order, zones) {
            Ok(event) => {
                notes.extend(event.remarks.iter().filter_map(|remark| event.said(*remark, refused)));
                groups.entry(event.uid.clone()).or_default().push(event);
            }
            Err(reason) => *left_out.entry(reason).or_default() += 1,
        }
    }
    notes.extend(left_out.into_iter().map(|(reason, count)| format!("{count} events left out: {reason}")));
    Ok(groups)
}
