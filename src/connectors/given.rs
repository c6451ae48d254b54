//! The one place where what a source says becomes what the engine is told.
//!
//! Text from outside may tell what was measured or what is planned. It may never choose an action: a line
//! that would snooze, approve, move the owner or the clock is refused whatever else it says, and so are the
//! names that this program writes itself. Everything that is said is learnt now; when it was true stays.
//!
//! Never here: rule sets and types (that is `engine::records`), what was given before (that is the shell's).
//!
//! Invariants: a given line is one line, canonical but for its values, whose text is that of the source;
//! what the engine would refuse for its form, whatever the types, is refused here.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::engine::records::{RecordLine, item_id, read_instant, text_of};
use crate::engine::rule_set::RULES_FIRED_NAME;
use crate::engine::time::{Instant, Zone, format_instant, parse_date};

/// Bytes of a line.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// What a line gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// What tells it from others: `health.hrv@1790420400000` (when it was true, in milliseconds since 1970)
    /// or `calendar.event#id`; with the name that it has here.
    pub key: String,
    /// The signal or stream, as it is called here.
    pub name: String,
    /// The line for the engine, learnt now.
    pub line: String,
    /// What it says beside its key: the same whenever and wherever it is learnt.
    pub content: String,
    /// True when it says that an item is gone.
    pub removed: bool,
    /// When an item begins, in milliseconds since 1970: its field `start`; a date begins at midnight.
    pub starts: Option<i64>,
}

/// Why a line is not given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotGiven {
    /// It is something that only the owner or this program may say.
    #[error("a source may only give readings and items")]
    NotAReading,
    /// Its name is one that this program writes itself.
    #[error("`source.…` and `{RULES_FIRED_NAME}` are written by the watch itself")]
    Reserved,
    /// It cannot be read.
    #[error("{0}")]
    Bad(String),
}

/// The field of an item that says when it begins.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Start<'a> {
    #[serde(borrow)]
    start: Option<&'a RawValue>,
}

/// Reads a line of a source and tells it anew, as learnt `now`. `names` is what signals and streams are
/// called here, by what the source calls them.
///
/// When a reading was true is `observed`, else `at`, also when that lies in the future: the engine sets such
/// readings aside.
///
/// # Errors
/// A line that is no reading and no item, has a reserved name, or cannot be read.
pub fn given(
    line: &str,
    now: Instant,
    zone: Zone,
    names: &BTreeMap<String, String>,
) -> Result<Given, NotGiven> {
    let text = line.trim_matches([' ', '\t', '\r', '\n']);
    let parsed = parse(text)?;
    if parsed.acts() {
        return Err(NotGiven::NotAReading);
    }
    let at = instant(parsed.at, "at")?.ok_or_else(|| missing("at"))?;
    let observed = instant(parsed.observed, "observed")?;
    let teller = Teller { now, zone, names };
    match (parsed.signal, parsed.event) {
        (Some(_), Some(_)) => Err(bad("found both `signal` and `event`, expected one of them")),
        (Some(signal), None) => teller.reading(signal, observed.unwrap_or(at), &parsed),
        (None, Some(event)) => teller.item(event, observed, &parsed),
        (None, None) => Err(NotGiven::NotAReading),
    }
}

fn parse(text: &str) -> Result<RecordLine<'_>, NotGiven> {
    if text.len() > LINE_BYTES_MAX {
        return Err(NotGiven::Bad(format!("is longer than {} KiB", LINE_BYTES_MAX >> 10)));
    }
    if text.contains(['\n', '\r']) {
        return Err(bad("has a line break inside"));
    }
    // A list would be taken for an object by the order of its values.
    if !text.starts_with('{') {
        return Err(bad("is no JSON object"));
    }
    serde_json::from_str(text).map_err(|error| NotGiven::Bad(json_reason(&error)))
}

fn json_reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    match message.strip_prefix("duplicate field ") {
        Some(key) => format!("has {key} twice"),
        None if error.is_eof() => "ends in the middle".to_owned(),
        None => format!("is no valid JSON: {message} in column {}", error.column()),
    }
}

/// What lines are told anew with.
struct Teller<'n> {
    now: Instant,
    zone: Zone,
    names: &'n BTreeMap<String, String>,
}

impl Teller<'_> {
    fn reading(
        &self,
        signal: &RawValue,
        observed: Instant,
        line: &RecordLine<'_>,
    ) -> Result<Given, NotGiven> {
        let name = self.name(signal, "signal")?;
        let value = line.value.ok_or_else(|| missing("value"))?.get();
        if !is_scalar(value) {
            return Err(bad("has a `value` that is no number, text, `true` or `false`"));
        }
        let told = Some(observed).filter(|observed| *observed != self.now);
        Ok(Given {
            key: format!("{name}@{}", observed.0),
            line: format!("{},\"signal\":{},\"value\":{value}}}", self.times(told), quoted(&name)),
            content: value.to_owned(),
            name,
            removed: false,
            starts: None,
        })
    }

    fn item(
        &self,
        event: &RawValue,
        observed: Option<Instant>,
        line: &RecordLine<'_>,
    ) -> Result<Given, NotGiven> {
        let name = self.name(event, "event")?;
        let id = line.id.ok_or_else(|| missing("id"))?;
        let id = item_id(id.get()).map_err(|reason| NotGiven::Bad(format!("`id`: {reason}")))?;
        let removed = match line.removed.map(RawValue::get) {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => return Err(bad("has a `removed` that is neither `true` nor `false`")),
        };
        if removed {
            return Ok(Given {
                key: format!("{name}#{id}"),
                line: self::removed(&name, &id, self.now, self.zone),
                content: "removed".to_owned(),
                name,
                removed,
                starts: None,
            });
        }
        let fields = line.fields.ok_or_else(|| missing("fields"))?.get();
        let starts = start_of(fields)?.start.and_then(|start| self.begins(start.get()));
        let times = self.times(observed);
        let observed = observed.map(|at| format!("@{}", at.0)).unwrap_or_default();
        Ok(Given {
            key: format!("{name}#{id}"),
            line: format!("{times},\"event\":{},\"id\":{},\"fields\":{fields}}}", quoted(&name), quoted(&id)),
            content: format!("{fields}{observed}"),
            name,
            removed,
            starts,
        })
    }

    /// The name here, of a text in quotes.
    fn name(&self, json: &RawValue, key: &str) -> Result<String, NotGiven> {
        let name = text_of(json.get()).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| NotGiven::Bad(format!("has a `{key}` that is no name in quotes")))?;
        let own = self.names.get(&*name).map_or(name, Cow::from);
        if own.starts_with("source.") || own == RULES_FIRED_NAME {
            return Err(NotGiven::Reserved);
        }
        Ok(own.into_owned())
    }

    fn times(&self, observed: Option<Instant>) -> String {
        times(self.now, observed, self.zone)
    }

    /// What is neither an instant nor a date begins at no known time.
    fn begins(&self, json: &str) -> Option<i64> {
        let text = text_of(json)?;
        match parse_date(&text) {
            Ok(date) => Some(self.zone.midnight(date).0),
            Err(_) => read_instant(json).ok().map(|at| at.0),
        }
    }
}

/// The line that says that an item is gone, learnt now.
#[must_use]
pub fn removed(stream: &str, id: &str, now: Instant, zone: Zone) -> String {
    let times = times(now, None, zone);
    format!("{times},\"event\":{},\"id\":{},\"removed\":true}}", quoted(stream), quoted(id))
}

/// How every line begins.
fn times(now: Instant, observed: Option<Instant>, zone: Zone) -> String {
    let at = |at| quoted(&format_instant(zone, at));
    let observed = observed.map(|observed| format!(",\"observed\":{}", at(observed))).unwrap_or_default();
    format!("{{\"at\":{}{observed}", at(now))
}

fn start_of(fields: &str) -> Result<Start<'_>, NotGiven> {
    if !fields.starts_with('{') {
        return Err(bad("has `fields` that are no object"));
    }
    serde_json::from_str(fields).map_err(|error| NotGiven::Bad(json_reason(&error)))
}

fn instant(json: Option<&RawValue>, key: &str) -> Result<Option<Instant>, NotGiven> {
    let read = |json: &RawValue| {
        read_instant(json.get()).map_err(|reason| NotGiven::Bad(format!("`{key}`: {reason}")))
    };
    json.map(read).transpose()
}

/// A number, a text, or a flag.
fn is_scalar(json: &str) -> bool {
    match json.as_bytes().first() {
        Some(b'"') => text_of(json).is_some(),
        Some(b'{' | b'[' | b'n') | None => false,
        Some(_) => true,
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn missing(key: &str) -> NotGiven {
    NotGiven::Bad(format!("has no `{key}`"))
}

fn bad(reason: &str) -> NotGiven {
    NotGiven::Bad(reason.to_owned())
}

#[cfg(test)]
mod tests;
