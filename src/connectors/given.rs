//! The one place where a source's lines become what the engine is told.
//!
//! A source may say what it measured and which items there are, and nothing else: a line that snoozes, rates
//! or approves is refused, since text from outside never chooses an action. What a source knows as `at` is
//! when something was true; we learn it now.
//!
//! INVARIANT: a line that comes out differs for one content only in its `at`; numbers keep their digits.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::engine::time::{Instant, Zone, format_instant, parse_date, parse_instant};

/// Bytes of a line.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// A line as the engine is told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// What it is about: `signal@observed` in milliseconds, or `stream#id`.
    pub key: String,
    /// The signal or stream, as the rule set calls it.
    pub name: String,
    /// The line of a recorded day, learnt now.
    pub line: String,
    /// The line without when it was learnt: equal for equal content.
    pub content: String,
    /// True when an item is gone.
    pub removed: bool,
    /// When an item starts, in milliseconds since 1970.
    pub starts: Option<i64>,
}

/// Why a line is not told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotGiven {
    /// A record that is the owner's to make.
    #[error("a source may only give readings and items")]
    NotAReading,
    /// `source.NAME` is written by whoever reads the source.
    #[error("`source.…` is written by the watch itself")]
    Reserved,
    /// Not a line at all.
    #[error("{0}")]
    Bad(String),
}

#[derive(Deserialize)]
struct Line<'a> {
    at: String,
    observed: Option<String>,
    signal: Option<String>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    event: Option<String>,
    id: Option<String>,
    #[serde(borrow)]
    fields: Option<&'a RawValue>,
    removed: Option<bool>,
}

/// Reads a source's line; `names` are other names for its signals and streams.
///
/// # Errors
/// When it is no line, or not a source's to say.
pub fn given(
    line: &str,
    now: Instant,
    zone: Zone,
    names: &BTreeMap<String, String>,
) -> Result<Given, NotGiven> {
    if line.len() > LINE_BYTES_MAX {
        return Err(NotGiven::Bad(format!("a line has more than {LINE_BYTES_MAX} bytes")));
    }
    let bad = |error: serde_json::Error| NotGiven::Bad(format!("not a line of a recorded day: {error}"));
    let read: Line<'_> = serde_json::from_str(line).map_err(bad)?;
    let instant = |text: &str| {
        parse_instant(text).map_err(|error| NotGiven::Bad(format!("`{}`: {error}", shortened(text))))
    };
    let at = instant(&read.at)?;
    let observed = read.observed.as_deref().map(instant).transpose()?;
    let renamed = |name: &str| names.get(name).map_or(name, String::as_str).to_owned();
    let parts = match (&read.signal, &read.event) {
        (Some(signal), None) if signal.starts_with("source.") => return Err(NotGiven::Reserved),
        (Some(signal), None) => reading(&renamed(signal), read.value, observed.unwrap_or(at), (now, zone))?,
        (None, Some(stream)) => item(&renamed(stream), &read, observed, zone)?,
        _ => return Err(NotGiven::NotAReading),
    };
    let line = format!("{{\"at\":{},{}", quoted(&format_instant(zone, now)), parts.content);
    Ok(Given { line, ..parts })
}

fn reading(
    name: &str,
    value: Option<&RawValue>,
    observed: Instant,
    (now, zone): (Instant, Zone),
) -> Result<Given, NotGiven> {
    let value = value.ok_or_else(|| NotGiven::Bad(format!("`{}` has no `value`", shortened(name))))?;
    // A record says when it was true only where that is not when it was learnt.
    let when = if observed == now {
        String::new()
    } else {
        format!("\"observed\":{},", quoted(&format_instant(zone, observed)))
    };
    Ok(Given {
        key: format!("{name}@{}", observed.0),
        name: name.to_owned(),
        line: String::new(),
        content: format!("{when}\"signal\":{},\"value\":{}}}", quoted(name), value.get()),
        removed: false,
        starts: None,
    })
}

fn item(name: &str, read: &Line<'_>, observed: Option<Instant>, zone: Zone) -> Result<Given, NotGiven> {
    let id = read.id.as_deref().ok_or_else(|| NotGiven::Bad("an item has no `id`".to_owned()))?;
    let removed = read.removed == Some(true);
    let body = match (removed, read.fields) {
        (true, _) => "\"removed\":true".to_owned(),
        (false, Some(fields)) => format!("\"fields\":{}", fields.get()),
        (false, None) => return Err(NotGiven::Bad("an item has no `fields`".to_owned())),
    };
    let when = observed.filter(|_| !removed);
    let when = when.map(|when| format!("\"observed\":{},", quoted(&format_instant(zone, when))));
    Ok(Given {
        key: format!("{name}#{id}"),
        name: name.to_owned(),
        line: String::new(),
        content: format!(
            "{}\"event\":{},\"id\":{},{body}}}",
            when.unwrap_or_default(),
            quoted(name),
            quoted(id)
        ),
        removed,
        starts: read.fields.filter(|_| !removed).and_then(|fields| starts(fields, zone)),
    })
}

/// A field `start`: an instant, or a date from its midnight on.
fn starts(fields: &RawValue, zone: Zone) -> Option<i64> {
    #[derive(Deserialize)]
    struct Start {
        start: Option<String>,
    }
    let start = serde_json::from_str::<Start>(fields.get()).ok()?.start?;
    let at = parse_instant(&start).ok().or_else(|| Some(zone.midnight(parse_date(&start).ok()?)))?;
    Some(at.0)
}

/// The line that says that an item is gone.
#[must_use]
pub fn removed(stream: &str, id: &str, now: Instant, zone: Zone) -> String {
    let at = quoted(&format_instant(zone, now));
    format!("{{\"at\":{at},\"event\":{},\"id\":{},\"removed\":true}}", quoted(stream), quoted(id))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TORONTO: Zone = Zone(chrono_tz::America::Toronto);

    fn told(line: &str) -> Result<Given, NotGiven> {
        let names = BTreeMap::from([("calendar.event".to_owned(), "work.event".to_owned())]);
        given(line, parse_instant("2026-09-26T08:00:00-04:00").unwrap(), TORONTO, &names)
    }

    #[test]
    fn a_reading_is_learnt_now_and_keeps_its_digits() {
        let line = r#"{"value":31.50,"signal":"health.hrv","at":"2026-09-26T06:40:00Z","more":[1]}"#;
        let given = told(line).unwrap();
        assert_eq!(
            given.line,
            r#"{"at":"2026-09-26T08:00:00-04:00","observed":"2026-09-26T02:40:00-04:00","signal":"health.hrv","value":31.50}"#
        );
        assert_eq!((given.key.as_str(), given.name.as_str()), ("health.hrv@1790404800000", "health.hrv"));
        let now = told(r#"{"at":"2026-09-26T12:00:00Z","signal":"a.b","value":"5h10m"}"#).unwrap();
        assert_eq!(now.line, r#"{"at":"2026-09-26T08:00:00-04:00","signal":"a.b","value":"5h10m"}"#);
    }

    #[test]
    fn an_item_has_its_name_here_and_its_start() {
        let item = |start: &str| {
            told(&format!(
                r#"{{"at":"2026-09-01T00:00:00Z","event":"calendar.event","id":"e1","fields":{{"start":"{start}"}}}}"#
            ))
            .unwrap()
        };
        let timed = item("2026-09-26T14:00:00-04:00");
        assert_eq!(timed.key, "work.event#e1");
        assert!(
            timed.line.starts_with(r#"{"at":"2026-09-26T08:00:00-04:00","event":"work.event","id":"e1","#)
        );
        assert_eq!(timed.starts, Some(1_790_445_600_000));
        assert_eq!(item("2026-09-26").starts, Some(1_790_395_200_000));
        assert_eq!(item("tomorrow").starts, None);
        let gone = r#"{"at":"2026-09-01T00:00:00Z","event":"calendar.event","id":"e1","removed":true}"#;
        let gone = told(gone).unwrap();
        assert!(gone.removed);
        assert_eq!(gone.line, removed("work.event", "e1", Instant(1_790_424_000_000), TORONTO));
    }

    #[test]
    fn what_is_the_owners_to_say_is_refused() {
        for line in [
            r#"{"at":"2026-09-26T08:00:00Z","snooze":"*","until":"2027-09-26T08:00:00Z"}"#,
            r#"{"at":"2026-09-26T08:00:00Z","approved":"x"}"#,
            r#"{"at":"2026-09-26T08:00:00Z","tick":true}"#,
            r#"{"at":"2026-09-26T08:00:00Z","zone":"Asia/Tokyo"}"#,
            r#"{"at":"2026-09-26T08:00:00Z","signal":"a.b","event":"c.d","value":1}"#,
        ] {
            assert_eq!(told(line), Err(NotGiven::NotAReading), "{line}");
        }
        let source = r#"{"at":"2026-09-26T08:00:00Z","signal":"source.health","value":true}"#;
        assert_eq!(told(source), Err(NotGiven::Reserved));
    }

    #[test]
    fn what_is_no_line_is_bad() {
        for line in [
            "",
            "{",
            "[]",
            r#"{"signal":"a.b","value":1}"#,
            r#"{"at":"2026-09-26T08:00:00","signal":"a.b","value":1}"#,
            r#"{"at":"2026-09-26T08:00:00Z","signal":"a.b"}"#,
            r#"{"at":"2026-09-26T08:00:00Z","event":"a.b","fields":{}}"#,
            r#"{"at":"2026-09-26T08:00:00Z","event":"a.b","id":"x"}"#,
        ] {
            assert!(matches!(told(line), Err(NotGiven::Bad(_))), "{line}");
        }
        assert!(matches!(told(&" ".repeat(LINE_BYTES_MAX + 1)), Err(NotGiven::Bad(_))));
    }
}
