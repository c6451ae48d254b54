//! Records to lines, one canonical way: keys in the order of the contract, numbers without trailing zeros.
//!
//! INVARIANT: reading a written line gives the record again.

use std::cmp::Ordering;

use super::form::Form;
use crate::engine::record::{Field, Record, RecordKind, Scalar, SignalId, StreamId};
use crate::engine::rule_set::{RuleSet, StreamDef};
use crate::engine::time::{Instant, Zone, clock_of_ms, format_clock, format_duration, format_instant};
use crate::engine::value::decimal::{fixed_decimal, short_decimal};
use crate::engine::value::{NUMBER_DECIMALS, Type, Value};

/// The canonical line of a record, without a line break; times carry the zone's offset.
///
/// Names come from the rule set that the record was read against; with another one the line has empty names.
#[must_use]
pub fn write(record: &Record, set: &RuleSet, zone: Zone) -> String {
    let mut line = Line { out: String::with_capacity(96), set, zone };
    line.out.push_str("{\"at\":");
    line.instant(record.at);
    line.kind(record);
    line.out.push('}');
    line.out
}

/// Sorts the records of one instant, so that it does not matter from which files and lines they came.
///
/// For one `observed` of one signal, and for one item, the order is that of the canonical lines: the last
/// wins.
pub fn sort(records: &mut [Record], set: &RuleSet) {
    let is_reading = |record: &Record| matches!(record.kind, RecordKind::Reading { .. });
    if records.len() < 2 {
        return;
    }
    if records.iter().all(is_reading) {
        records.sort_by(|a, b| order(a, b, set));
    } else {
        records.sort_by_cached_key(|record| (readings_first(record), canonical(record, set)));
    }
}

/// The order of two readings; writes only where signal and times are the same.
fn order(a: &Record, b: &Record, set: &RuleSet) -> Ordering {
    readings_first(a)
        .cmp(&readings_first(b))
        .then_with(|| if a == b { Ordering::Equal } else { canonical(a, set).cmp(&canonical(b, set)) })
}

fn readings_first(record: &Record) -> (Instant, bool, Option<(SignalId, Instant)>) {
    match &record.kind {
        RecordKind::Reading { signal, observed, .. } => (record.at, false, Some((*signal, *observed))),
        _ => (record.at, true, None),
    }
}

fn canonical(record: &Record, set: &RuleSet) -> String {
    write(record, set, Zone(chrono_tz::UTC))
}

struct Line<'a> {
    out: String,
    set: &'a RuleSet,
    zone: Zone,
}

impl Line<'_> {
    fn kind(&mut self, record: &Record) {
        match &record.kind {
            RecordKind::Reading { signal, observed, value } => {
                if *observed != record.at {
                    self.time("observed", *observed);
                }
                self.reading(*signal, value);
            }
            RecordKind::Item { stream, id, observed, fields } => {
                if let Some(observed) = observed {
                    self.time("observed", *observed);
                }
                self.event(*stream, id);
                self.fields(*stream, fields);
            }
            RecordKind::Removed { stream, id } => {
                self.event(*stream, id);
                self.key("removed").push_str("true");
            }
            RecordKind::Zone(zone) => self.text("zone", zone.0.name()),
            RecordKind::Down => self.key("down").push_str("true"),
            RecordKind::Restart => self.key("restart").push_str("true"),
            RecordKind::Tick => self.key("tick").push_str("true"),
            RecordKind::Seen(decision) => self.text("seen", decision),
            RecordKind::Feedback { decision, useful } => {
                self.text("feedback", decision);
                self.text("verdict", if *useful { "useful" } else { "noise" });
            }
            RecordKind::Missed(text) => self.text("missed", text),
            RecordKind::Snooze { rule, until } => {
                self.text("snooze", rule.as_deref().unwrap_or("*"));
                self.time("until", *until);
            }
            RecordKind::Quiet { until } => {
                self.key("quiet").push_str("true");
                self.time("until", *until);
            }
            RecordKind::HandoverFailed(decision) => {
                self.text("handover", decision);
                self.text("result", "failed");
            }
            RecordKind::Approved(terms) => self.text("approved", terms),
            RecordKind::Rejected(terms) => self.text("rejected", terms),
        }
    }

    fn key(&mut self, key: &str) -> &mut String {
        self.out.push_str(",\"");
        self.out.push_str(key);
        self.out.push_str("\":");
        &mut self.out
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.quoted(text);
    }

    fn time(&mut self, key: &str, at: Instant) {
        self.key(key);
        self.instant(at);
    }

    fn quoted(&mut self, text: &str) {
        self.out.push_str(&serde_json::to_string(text).unwrap_or_default());
    }

    fn instant(&mut self, at: Instant) {
        let text = format_instant(self.zone, at);
        self.quoted(&text);
    }

    fn reading(&mut self, signal: SignalId, value: &Scalar) {
        let set = self.set;
        let Some(signal) = usize::try_from(signal.0).ok().and_then(|index| set.signals.get(index)) else {
            self.text("signal", "");
            return;
        };
        self.text("signal", &signal.name);
        self.key("value");
        match value {
            Scalar::Fixed(steps) => self.steps(Form::new(signal.ty, set), i128::from(*steps)),
            Scalar::Text(text) => self.quoted(text),
            Scalar::Flag(flag) => self.flag(*flag),
        }
    }

    fn stream(&self, stream: StreamId) -> Option<&StreamDef> {
        self.set.streams.get(usize::try_from(stream.0).ok()?)
    }

    fn event(&mut self, stream: StreamId, id: &str) {
        let name = self.stream(stream).map(|stream| stream.name.clone()).unwrap_or_default();
        self.text("event", &name);
        self.text("id", id);
    }

    fn fields(&mut self, stream: StreamId, fields: &[Option<Field>]) {
        let set = self.set;
        let index = usize::try_from(stream.0).unwrap_or(usize::MAX);
        let declared = set.streams.get(index).map(|stream| &*stream.fields).unwrap_or_default();
        self.key("fields").push('{');
        let mut mark = "";
        for ((name, ty), value) in declared.iter().zip(fields) {
            let Some(value) = value else { continue };
            self.out.push_str(mark);
            self.quoted(name);
            self.out.push(':');
            self.field(Form::new(*ty, set), value);
            mark = ",";
        }
        self.out.push('}');
    }

    fn field(&mut self, form: Form<'_>, value: &Value) {
        match value {
            Value::Number(number) => {
                // A plain number is itself, everything else counts whole steps.
                let digits = if form.ty == Type::Number { u32::from(NUMBER_DECIMALS) } else { 0 };
                let steps = number.rounded(digits).unwrap_or_default();
                self.steps(form, steps);
            }
            Value::Instant(at) => self.instant(*at),
            Value::Date(date) => self.quoted(&date.to_string()),
            Value::Clock(ms) => self.quoted(&format_clock(clock_of_ms(*ms))),
            Value::Text(text) => self.quoted(text),
            Value::Flag(flag) => self.flag(*flag),
        }
    }

    fn flag(&mut self, flag: bool) {
        self.out.push_str(if flag { "true" } else { "false" });
    }

    fn steps(&mut self, form: Form<'_>, steps: i128) {
        match form.ty {
            Type::Duration => {
                let text = format_duration(i64::try_from(steps).unwrap_or_default());
                self.quoted(&text);
            }
            Type::Money(_) => {
                let text = format!("{} {}", fixed_decimal(steps, form.scale), form.unit);
                self.quoted(&text);
            }
            _ => self.out.push_str(&short_decimal(steps, form.scale)),
        }
    }
}
