//! One line of a recorded day, as importers make it and section 12 of the contract writes it.
//!
//! Not the engine's record: names are not yet known to any rule set. Never reads lines, only writes them.

use std::fmt::Write as _;

use chrono::{DateTime, FixedOffset, NaiveDate, SecondsFormat};

use super::decimal::Decimal;

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
        ReadingValue::Duration(nanoseconds) => format!("\"{}\"", duration_text(nanoseconds)),
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

/// `5h10m`, `5h10m30s`, `45min`, `12m30s`, `1h0m0.25s`, `0s`: what the contract reads as the same
/// milliseconds.
#[must_use]
pub fn duration_text(nanoseconds: i64) -> String {
    let ms = half_even(nanoseconds, 1_000_000);
    let sign = if ms < 0 { "-" } else { "" };
    let ms = ms.unsigned_abs();
    let (hours, minutes, seconds, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
    let mut text = sign.to_owned();
    if hours > 0 {
        push(&mut text, format_args!("{hours}h"));
    }
    let has_seconds = seconds > 0 || rest > 0;
    if minutes > 0 || (hours > 0 && has_seconds) {
        let unit = if hours > 0 || has_seconds { "m" } else { "min" };
        push(&mut text, format_args!("{minutes}{unit}"));
    }
    if rest > 0 {
        let fraction = format!("{rest:03}");
        push(&mut text, format_args!("{seconds}.{}s", fraction.trim_end_matches('0')));
    } else if has_seconds || ms == 0 {
        push(&mut text, format_args!("{seconds}s"));
    }
    text
}

/// `value / unit` as a whole number, half to even; `unit` above zero.
pub(super) fn half_even(value: i64, unit: i64) -> i64 {
    let (floor, rest) = (value.div_euclid(unit), value.rem_euclid(unit));
    let twice = rest.saturating_mul(2);
    floor + i64::from(twice > unit || (twice == unit && floor % 2 != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339(text).unwrap()
    }

    #[test]
    fn durations_lose_no_millisecond() {
        for (ms, text) in [
            (18_600_000, "5h10m"),
            (18_630_000, "5h10m30s"),
            (750_000, "12m30s"),
            (85_000, "1m25s"),
            (2_700_000, "45min"),
            (3_600_000, "1h"),
            (3_601_000, "1h0m1s"),
            (25_841_883, "7h10m41.883s"),
            (250, "0.25s"),
            (0, "0s"),
        ] {
            assert_eq!(duration_text(ms * 1_000_000), text);
        }
        assert_eq!(duration_text(1_499_999), "0.001s");
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
