//! Any line of a recorded day: all of JSON, every kind of record, and what is wrong with a bad one.
//!
//! Values stay JSON text until their type is known, so numbers keep their digits and errors their place.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::field;
use super::form::{shown, text_of};
use super::{LineError, Read, Reader};
use crate::engine::nearest::nearest;
use crate::engine::record::{Record, RecordKind, Scalar};
use crate::engine::rule_set::RULES_FIRED_NAME;
use crate::engine::time::{Instant, Zone, parse_instant};

/// Every key that a record may have; others are ignored.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Line<'a> {
    #[serde(borrow)]
    pub(crate) at: Option<&'a RawValue>,
    pub(crate) observed: Option<&'a RawValue>,
    pub(crate) signal: Option<&'a RawValue>,
    pub(crate) value: Option<&'a RawValue>,
    pub(crate) event: Option<&'a RawValue>,
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) fields: Option<&'a RawValue>,
    pub(crate) removed: Option<&'a RawValue>,
    zone: Option<&'a RawValue>,
    down: Option<&'a RawValue>,
    restart: Option<&'a RawValue>,
    tick: Option<&'a RawValue>,
    seen: Option<&'a RawValue>,
    feedback: Option<&'a RawValue>,
    verdict: Option<&'a RawValue>,
    missed: Option<&'a RawValue>,
    snooze: Option<&'a RawValue>,
    quiet: Option<&'a RawValue>,
    until: Option<&'a RawValue>,
    handover: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    approved: Option<&'a RawValue>,
    rejected: Option<&'a RawValue>,
}

/// What is wrong, and with which part of the line.
#[derive(Debug)]
pub(super) struct Fault<'l> {
    pub(super) part: &'l str,
    pub(super) reason: String,
}

impl<'l> Fault<'l> {
    pub(super) fn expected(part: &'l str, expected: &str) -> Self {
        Self { part, reason: format!("found {}, expected {expected}", shown(part)) }
    }
}

impl<'a> Line<'a> {
    /// The keys that say what a record is; exactly one of them stands in it.
    const fn heads(&self) -> [(&'static str, Option<&'a RawValue>); 14] {
        [
            ("signal", self.signal),
            ("event", self.event),
            ("zone", self.zone),
            ("down", self.down),
            ("restart", self.restart),
            ("tick", self.tick),
            ("seen", self.seen),
            ("feedback", self.feedback),
            ("missed", self.missed),
            ("snooze", self.snooze),
            ("quiet", self.quiet),
            ("handover", self.handover),
            ("approved", self.approved),
            ("rejected", self.rejected),
        ]
    }

    /// True when it says, perhaps among other things, more than what was measured or which items there are.
    pub(crate) fn acts(&self) -> bool {
        let facts = ["signal", "event"];
        self.heads().iter().any(|(name, value)| value.is_some() && !facts.contains(name))
    }

    fn head(&self, line: &'a str) -> Result<(&'static str, &'a str), Fault<'a>> {
        let mut present =
            self.heads().into_iter().filter_map(|(name, value)| value.map(|value| (name, value.get())));
        let head = present.next().ok_or_else(|| no_head(line, &self.heads()))?;
        match present.next() {
            None => Ok(head),
            Some((other, part)) => {
                let reason = format!("found both `{}` and `{other}`, expected one of them", head.0);
                Err(Fault { part, reason })
            }
        }
    }
}

/// The line says nothing that is known: names the nearest key, if one is near.
fn no_head<'l>(line: &'l str, heads: &[(&'static str, Option<&RawValue>)]) -> Fault<'l> {
    let names = || heads.iter().map(|(name, _)| *name);
    let keys: BTreeMap<Cow<'_, str>, IgnoredAny> = serde_json::from_str(line).unwrap_or_default();
    let slip = keys.keys().filter(|key| *key != "at").find_map(|key| Some((key, nearest(key, names())?)));
    let list = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let reason = match slip {
        Some((key, name)) => format!("found `{key}`, expected one of {list}; the nearest is `{name}`"),
        None => format!("found nothing that happened, expected one of {list}"),
    };
    Fault { part: line, reason }
}

/// When a line was learnt, without reading anything else; `None` when that cannot be told.
#[must_use]
pub fn instant_of(line: &[u8]) -> Option<Instant> {
    #[derive(Deserialize)]
    struct OnlyAt<'a> {
        #[serde(borrow)]
        at: &'a RawValue,
    }
    if let Some(rest) = line.strip_prefix(b"{\"at\":\"") {
        let end = memchr::memchr(b'"', rest)?;
        return known_instant(rest.get(..end)?);
    }
    let only: OnlyAt<'_> = serde_json::from_slice(line).ok()?;
    known_instant(text_of(only.at.get())?.as_bytes())
}

impl Reader<'_> {
    /// Reads a line that is not a plain reading.
    pub(super) fn read_any(&self, bytes: &[u8]) -> Result<Read, LineError> {
        let whole = std::str::from_utf8(bytes).map_err(|error| LineError {
            reason: "found bytes that are no UTF-8 text".to_owned(),
            column: error.valid_up_to().saturating_add(1),
        })?;
        let line = whole.trim_matches([' ', '\t', '\r', '\n']);
        if line.is_empty() {
            return Ok(Read::Empty);
        }
        self.read_object(line).map_err(|fault| {
            // Parts are pieces of the line itself, so their addresses tell where they stand.
            let place = fault.part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
            LineError { reason: fault.reason, column: place.min(whole.len()).saturating_add(1) }
        })
    }

    fn read_object<'l>(&self, text: &'l str) -> Result<Read, Fault<'l>> {
        if !text.starts_with('{') {
            return Err(Fault::expected(text, "a record such as `{\"at\":\"…\",\"tick\":true}`"));
        }
        let line: Line<'l> = serde_json::from_str(text).map_err(|error| json_fault(text, &error))?;
        let at = instant(required(line.at, "at", text)?)?;
        let (head, value) = line.head(text)?;
        let kind = match head {
            "signal" => return self.reading(at, value, &line, text),
            "event" => return self.item(at, value, &line, text),
            "zone" => RecordKind::Zone(zone(value)?),
            "down" => only_true(value, RecordKind::Down)?,
            "restart" => only_true(value, RecordKind::Restart)?,
            "tick" => only_true(value, RecordKind::Tick)?,
            "seen" => RecordKind::Seen(shared(value)?),
            "feedback" => {
                let useful = feedback(required(line.verdict, "verdict", text)?)?;
                RecordKind::Feedback { decision: shared(value)?, useful }
            }
            "missed" => RecordKind::Missed(shared(value)?),
            "snooze" => {
                let rule = Some(shared(value)?).filter(|rule| &**rule != "*");
                RecordKind::Snooze { rule, until: instant(required(line.until, "until", text)?)? }
            }
            "quiet" => {
                let until = instant(required(line.until, "until", text)?)?;
                only_true(value, RecordKind::Quiet { until })?
            }
            "handover" => {
                let decision = shared(value)?;
                match &*words(required(line.result, "result", text)?)? {
                    "failed" => RecordKind::HandoverFailed(decision),
                    // Without a failure a hand-over worked, which the engine assumes anyway.
                    _ => RecordKind::Tick,
                }
            }
            "approved" => RecordKind::Approved(shared(value)?),
            _ => RecordKind::Rejected(shared(value)?),
        };
        Ok(Read::Record(Record { at, kind }))
    }

    fn reading<'l>(
        &self,
        at: Instant,
        name: &'l str,
        line: &Line<'l>,
        text: &'l str,
    ) -> Result<Read, Fault<'l>> {
        let name = words(name)?;
        let observed = line.observed.map_or(Ok(at), |observed| instant(observed.get()))?;
        let Some(signal) = self.signals.get(name.as_bytes()) else {
            let value = required(line.value, "value", text)?;
            // Every successful read of a connector writes `source.NAME`; rules need not name it.
            if name.starts_with("source.") {
                only_true(value, RecordKind::Tick)?;
                return Ok(Read::Record(Record { at, kind: RecordKind::Tick }));
            }
            return Ok(Read::Undeclared { at, name: name.into() });
        };
        let value = required(line.value, "value", text)?;
        let value = if signal.builtin {
            only_true(value, RecordKind::Tick)?;
            Scalar::Flag(true)
        } else {
            signal.form.scalar(value).map_err(|reason| Fault { part: value, reason })?
        };
        Ok(Read::Record(Record { at, kind: RecordKind::Reading { signal: signal.id, observed, value } }))
    }

    fn item<'l>(
        &self,
        at: Instant,
        name: &'l str,
        line: &Line<'l>,
        text: &'l str,
    ) -> Result<Read, Fault<'l>> {
        let part = name;
        let name = words(name)?;
        let observed = line.observed.map(|observed| instant(observed.get())).transpose()?;
        if name == RULES_FIRED_NAME {
            let reason = format!("found `{name}`, which the engine makes itself, expected another stream");
            return Err(Fault { part, reason });
        }
        let part = required(line.id, "id", text)?;
        let id = item_id(part).map_err(|reason| Fault { part, reason })?;
        let Some(stream) = self.streams.get(&*name) else {
            return Ok(Read::Undeclared { at, name: name.into() });
        };
        let removed = match line.removed.map(RawValue::get) {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => return Err(Fault::expected(other, "true")),
        };
        let kind = if removed {
            RecordKind::Removed { stream: stream.id, id }
        } else {
            let fields = field::fields(line.fields.map_or("{}", RawValue::get), &stream.fields)?;
            RecordKind::Item { stream: stream.id, id, observed, fields }
        };
        Ok(Read::Record(Record { at, kind }))
    }
}

fn required<'l>(value: Option<&'l RawValue>, key: &str, line: &'l str) -> Result<&'l str, Fault<'l>> {
    let missing = || Fault { part: line, reason: format!("found no `{key}`, expected one") };
    value.map(RawValue::get).ok_or_else(missing)
}

fn words(json: &str) -> Result<Cow<'_, str>, Fault<'_>> {
    text_of(json).ok_or_else(|| Fault::expected(json, "a text in quotes"))
}

fn shared(json: &str) -> Result<Arc<str>, Fault<'_>> {
    words(json).map(Arc::from)
}

/// What tells one item from another, in every log line about it: from JSON text, or the reason why it is
/// none.
///
/// # Errors
/// Anything but a text that is not empty and has no control characters.
pub fn item_id(json: &str) -> Result<Arc<str>, String> {
    match text_of(json) {
        None => Err(format!("found {}, expected a text in quotes", shown(json))),
        Some(id) if id.is_empty() || id.contains(char::is_control) => Err(format!(
            "found {}, expected an id: a text that is not empty and has no control characters",
            shown(json)
        )),
        Some(id) => Ok(Arc::from(id)),
    }
}

/// Years that every zone can write with four digits: 1 to 9998.
const INSTANTS: RangeInclusive<Instant> = Instant(-62_135_596_800_000)..=Instant(253_370_764_799_999);

/// An instant as bytes; `None` where [`read_instant`] has to say why.
#[inline]
pub(super) fn known_instant(text: &[u8]) -> Option<Instant> {
    let at = parse_instant(std::str::from_utf8(text).ok()?).ok()?;
    INSTANTS.contains(&at).then_some(at)
}

/// An instant from JSON text, or the reason why it is none.
///
/// # Errors
/// Anything else, and years that a record cannot have.
pub fn read_instant(json: &str) -> Result<Instant, String> {
    let Some(text) = text_of(json) else {
        return Err(format!("found {}, expected a time such as `2026-09-26T07:00:00-04:00`", shown(json)));
    };
    let at = parse_instant(&text).map_err(|error| error.to_string())?;
    let far = || format!("found {}, expected a time of the years 1 to 9998", shown(json));
    if INSTANTS.contains(&at) { Ok(at) } else { Err(far()) }
}

fn instant(json: &str) -> Result<Instant, Fault<'_>> {
    read_instant(json).map_err(|reason| Fault { part: json, reason })
}

fn zone(json: &str) -> Result<Zone, Fault<'_>> {
    let name = words(json)?;
    Zone::parse(&name).ok_or_else(|| {
        let near = Zone::suggest(&name);
        let hint = near.map_or_else(String::new, |near| format!("; the nearest is `{near}`"));
        let reason = format!("found {}, expected a zone such as `America/Toronto`{hint}", shown(json));
        Fault { part: json, reason }
    })
}

fn only_true(json: &str, kind: RecordKind) -> Result<RecordKind, Fault<'_>> {
    if json == "true" { Ok(kind) } else { Err(Fault::expected(json, "true")) }
}

fn feedback(json: &str) -> Result<bool, Fault<'_>> {
    match &*words(json)? {
        "useful" => Ok(true),
        "noise" => Ok(false),
        _ => Err(Fault::expected(json, "`useful` or `noise`")),
    }
}

/// A fault of the JSON itself, in words.
pub(super) fn json_fault<'l>(json: &'l str, error: &serde_json::Error) -> Fault<'l> {
    let part = json.get(error.column().saturating_sub(1)..).unwrap_or(json);
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let reason = if error.is_eof() {
        "the line ends in the middle of the record".to_owned()
    } else if let Some(key) = message.strip_prefix("duplicate field ") {
        format!("found {key} twice, expected it once")
    } else {
        format!("found no valid JSON ({message}), expected an object in one line")
    };
    Fault { part, reason }
}
