//! One line of a recorded day, as importers make it and section 12 of the contract writes it.
//!
//! Not the engine's record: names are not yet known to any rule set. Never reads lines, only writes them.

use std::fmt::Write as _;

use chrono::{DateTime, FixedOffset, NaiveDate, SecondsFormat};

use super::decimal::Decimal;
use crate::engine::time::format_duration;
use crate::engine::value::decimal::half_even;

/// A line: when it was learnt, and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct DayRecord {
    /// When it was learnt, with the offset of the place.
    pub at: DateTime<FixedOffset>,
    /// When it was true, if that is another time.
    pub observed: Option<DateTime<FixedOffset>>,
    /// What it says.
    pub kind: DayRecordKind,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub enum DayRecordKind {
    /// A reading of a signal.
    Reading {
        /// Dotted name, such as `health.hrv`.
        signal: &'static str,
        /// The value in the signal's usual unit.
        value: ReadingValue,
    },
    /// An item of a stream.
    Item {
        /// Dotted name, such as `calendar.event`.
        stream: &'static str,
        /// Its id, stable over imports.
        id: String,
        /// Its fields; what is absent is not listed.
        fields: Vec<(&'static str, FieldValue)>,
    },
}

/// A value of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingValue {
    /// A bare number in the signal's unit.
    Number(Decimal),
    /// A duration in nanoseconds; written in whole milliseconds, rounded half to even.
    Duration(i64),
    /// Yes or no.
    Flag(bool),
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Text or a word.
    Text(String),
    /// A point in time.
    Instant(DateTime<FixedOffset>),
    /// A date: the start or the exclusive end of an all-day item.
    Date(NaiveDate),
    /// Yes or no.
    Flag(bool),
}

impl DayRecord {
    /// The date of the file that it belongs in: that of `at`, where it was learnt.
    #[must_use]
    pub fn date(&self) -> NaiveDate {
        self.at.date_naive()
    }

    /// Compact JSON without a line break.
    #[must_use]
    pub fn to_json_line(&self) -> String {
        let mut line = format!("{{\"at\":\"{}\"", rfc3339(&self.at));
        if let Some(observed) = &self.observed {
            push(&mut line, format_args!(",\"observed\":\"{}\"", rfc3339(observed)));
        }
        match &self.kind {
            DayRecordKind::Reading { signal, value } => {
                push(&mut line, format_args!(",\"signal\":\"{signal}\",\"value\":{}", value_json(*value)));
            }
            DayRecordKind::Item { stream, id, fields } => {
                push(&mut line, format_args!(",\"event\":\"{stream}\",\"id\":{},\"fields\":{{", quoted(id)));
                for (index, (name, value)) in fields.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    push(&mut line, format_args!("{comma}\"{name}\":{}", field_json(value)));
                }
                line.push('}');
            }
        }
        line.push('}');
        line
    }
}

fn push(line: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = line.write_fmt(text);
}

fn rfc3339(at: &DateTime<FixedOffset>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, false)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn value_json(value: ReadingValue) -> String {
    match value {
        ReadingValue::Number(number) => number.to_string(),
        ReadingValue::Duration(nanoseconds) => {
            format!("\"{}\"", format_duration(half_even(nanoseconds, 1_000_000)))
        }
        ReadingValue::Flag(flag) => flag.to_string(),
    }
}

fn field_json(value: &FieldValue) -> String {
    match value {
        FieldValue::Text(text) => quoted(text),
        FieldValue::Instant(at) => format!("\"{}\"", rfc3339(at)),
        FieldValue::Date(date) => format!("\"{date}\""),
        FieldValue::Flag(flag) => flag.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339(text).unwrap()
    }

    #[test]
    fn durations_are_rounded_to_the_millisecond() {
        let json = |nanoseconds| value_json(ReadingValue::Duration(nanoseconds));
        assert_eq!(json(18_600_000_000_000), "\"5h10m\"");
        assert_eq!(json(25_841_883_000_000), "\"7h10m41.883s\"");
        assert_eq!(json(1_499_999), "\"0.001s\"");
        assert_eq!(json(1_500_000), "\"0.002s\"");
    }

    #[test]
    fn lines_are_those_of_the_contract() {
        let slept = DayRecord {
            at: at("2026-09-26T07:00:00-04:00"),
            observed: None,
            kind: DayRecordKind::Reading {
                signal: "health.asleep",
                value: ReadingValue::Duration(18_600_000_000_000),
            },
        };
        assert_eq!(
            slept.to_json_line(),
            r#"{"at":"2026-09-26T07:00:00-04:00","signal":"health.asleep","value":"5h10m"}"#
        );
        let hrv = DayRecord {
            at: at("2026-09-26T07:00:00-04:00"),
            observed: Some(at("2026-09-26T06:40:00-04:00")),
            kind: DayRecordKind::Reading {
                signal: "health.hrv",
                value: ReadingValue::Number(Decimal::parse("31.5").unwrap()),
            },
        };
        assert_eq!(
            hrv.to_json_line(),
            r#"{"at":"2026-09-26T07:00:00-04:00","observed":"2026-09-26T06:40:00-04:00","signal":"health.hrv","value":31.5}"#
        );
        let exam = DayRecord {
            at: at("2026-09-25T20:00:00-04:00"),
            observed: None,
            kind: DayRecordKind::Item {
                stream: "calendar.event",
                id: "e\"1\n".to_owned(),
                fields: vec![
                    ("title", FieldValue::Text("Final exam".to_owned())),
                    ("start", FieldValue::Date(NaiveDate::from_ymd_opt(2026, 9, 26).unwrap())),
                    ("all-day", FieldValue::Flag(true)),
                ],
            },
        };
        assert_eq!(
            exam.to_json_line(),
            r#"{"at":"2026-09-25T20:00:00-04:00","event":"calendar.event","id":"e\"1\n","fields":{"title":"Final exam","start":"2026-09-26","all-day":true}}"#
        );
    }
}
