//! The vectors of the bridge that this kind was made for, and what it says otherwise than that one's reader.

use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::config::{Setting, Written};
use crate::connectors::source::{converse, script::Script};

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.set("url", Setting::Text(Written::Secret("http://127.0.0.1:1/secret/mcp".to_owned())));
    settings
}

/// What a bridge keeps.
#[derive(Clone, Debug)]
struct Kept {
    latest: Value,
    history: BTreeMap<&'static str, Vec<Value>>,
}

impl Kept {
    fn of(metric: &'static str, records: Vec<Value>) -> Self {
        let latest = json!({ "connected": true, "uploaded_at": "2026-09-26T11:00:00Z", "metrics": {} });
        Self { latest, history: BTreeMap::from([(metric, records)]) }
    }

    fn answer(&self, tool: &str, arguments: &Value) -> String {
        match (tool, arguments["metric"].as_str()) {
            (LATEST, None) => self.latest.to_string(),
            (HISTORY, Some(metric)) => {
                let records = self.history.get(metric).cloned().unwrap_or_default();
                json!({ "history": { metric: records } }).to_string()
            }
            other => panic!("{other:?}"),
        }
    }

    fn read(&self) -> Reading {
        let script = Script::with_tools(|tool, arguments| Ok(self.answer(tool, arguments)));
        script.read(&SOURCE, &settings(), &Memory::default()).unwrap()
    }

    /// A read at another time and place.
    fn read_at(&self, at: &str, zone: chrono_tz::Tz, memory: &Memory) -> Reading {
        let begin = Begin { at: at.parse().unwrap(), zone, memory: memory.clone() };
        let mut conversation = (SOURCE.begin)(&settings(), begin);
        converse(&mut *conversation, &mut |ask| match ask {
            Ask::Tool(call) => Ok(Answer::Tool(self.answer(call.tool, &call.arguments))),
            other => panic!("{other:?}"),
        })
        .unwrap()
    }
}

fn slept(source: &str, stage: &str, start: &str, end: &str) -> Value {
    json!({ "value": 1, "unit": "min", "stage": stage, "started_at": start, "sampled_at": end, "source_device": source })
}

/// Signal and value of each line, with when it was observed.
fn told(reading: &Reading) -> Vec<(String, String, String)> {
    let line = |line: &String| {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| line[key].as_str().map_or_else(|| line[key].to_string(), str::to_owned);
        (text("signal"), text("value"), text("observed"))
    };
    reading.lines.iter().map(line).collect()
}

fn values(reading: &Reading, signal: &str) -> Vec<String> {
    told(reading).into_iter().filter(|(name, ..)| name == signal).map(|(_, value, _)| value).collect()
}

#[test]
fn every_signal_is_one_that_health_knows() {
    let known = crate::connectors::health::SIGNALS;
    assert!(SOURCE.gives.iter().all(|signal| known.contains(signal) && !signal.starts_with("source.")));
}

/// Core 150 and 90, deep 70, REM 110, awake 10 between 23:30 and 06:40 in Los Angeles; in bed 455.
fn watch() -> Vec<Value> {
    vec![
        slept("Watch", "in_bed", "2026-09-27T06:15:00Z", "2026-09-27T13:50:00Z"),
        slept("Watch", "asleep_core", "2026-09-27T06:30:00Z", "2026-09-27T09:00:00Z"),
        slept("Watch", "asleep_deep", "2026-09-27T09:00:00Z", "2026-09-27T10:10:00Z"),
        slept("Watch", "awake", "2026-09-27T10:10:00Z", "2026-09-27T10:20:00Z"),
        slept("Watch", "asleep_rem", "2026-09-27T10:20:00Z", "2026-09-27T12:10:00Z"),
        slept("Watch", "asleep_core", "2026-09-27T12:10:00Z", "2026-09-27T13:40:00Z"),
    ]
}

#[test]
fn the_vector_of_a_night_by_the_watch() {
    let angeles = chrono_tz::America::Los_Angeles;
    let night = |records| {
        let reading = Kept::of(SLEEP, records).read_at("2026-09-27T15:00:00Z", angeles, &Memory::default());
        let observed: Vec<_> = told(&reading).into_iter().map(|(.., observed)| observed).collect();
        assert!(observed.iter().all(|at| at == "2026-09-27T06:50:00-07:00"), "{observed:?}");
        told(&reading).into_iter().map(|(signal, value, _)| (signal, value)).collect::<Vec<_>>()
    };
    let expected = [
        ("health.asleep", "7h"),
        ("health.deep", "1h10m"),
        ("health.rem", "1h50m"),
        ("health.core", "4h"),
        ("health.awake", "10min"),
        ("health.in-bed", "7h35m"),
    ];
    let expected: Vec<_> = expected.map(|(signal, value)| (signal.to_owned(), value.to_owned())).into();
    assert_eq!(night(watch()), expected);
    // The vector takes the phone here, because its 430 minutes are more. Verger lets every moment belong to
    // the sample that says most of it, so the ten minutes awake stay awake and the stages stay known.
    let mut both = watch();
    both.push(slept("Phone", "asleep_unspecified", "2026-09-27T06:30:00Z", "2026-09-27T13:40:00Z"));
    assert_eq!(night(both), expected);
}

#[test]
fn a_night_without_stages_has_none_and_lying_in_bed_is_no_sleep() {
    // The vectors write zero for both.
    let phone = slept("Phone", "asleep_unspecified", "2026-09-26T03:30:00Z", "2026-09-26T10:40:00Z");
    let reading = Kept::of(SLEEP, vec![phone]).read();
    assert_eq!(
        reading.lines,
        [
            r#"{"at":"2026-09-26T08:00:00-04:00","observed":"2026-09-26T06:40:00-04:00","signal":"health.asleep","value":"7h10m"}"#
        ]
    );
    let in_bed = slept("Phone", "in_bed", "2026-09-26T03:30:00Z", "2026-09-26T10:40:00Z");
    let reading = Kept::of(SLEEP, vec![in_bed]).read();
    assert_eq!((values(&reading, "health.asleep").len(), values(&reading, "health.in-bed").len()), (0, 1));
}

#[test]
fn a_record_without_a_start_begins_its_minutes_before_its_end() {
    let record = json!({ "value": 90.5, "stage": "asleep_core", "sampled_at": "2026-09-26T06:00:00Z" });
    let reading = Kept::of(SLEEP, vec![record.clone(), record]).read();
    assert_eq!(values(&reading, "health.core"), ["1h30m30s"]);
}

#[test]
fn a_bad_record_is_named_and_the_others_are_read() {
    let end = "2026-09-26T06:00:00Z";
    let bad = [
        json!({ "value": -5, "stage": "awake", "started_at": "2026-09-26T05:00:00Z", "sampled_at": end }),
        json!({ "value": 2161, "stage": "asleep_core", "sampled_at": end }),
        json!({ "stage": "asleep_core", "started_at": "2026-09-26T07:00:00Z", "sampled_at": end }),
        json!({ "value": 5, "stage": "asleep_core", "sampled_at": "yesterday" }),
        json!({ "value": 5, "stage": "asleep_core" }),
        json!({ "value": "5", "stage": "asleep_core", "sampled_at": end }),
        json!({ "value": 5, "stage": "dozing", "sampled_at": end }),
        json!({ "value": 5, "sampled_at": end }),
        json!({ "stage": "awake", "sampled_at": end }),
        json!({ "value": 5, "unit": "h", "stage": "awake", "sampled_at": end }),
        json!({ "value": 5, "stage": "awake", "sampled_at": "2026-09-26T12:06:00Z" }),
        json!("asleep"),
        json!([5, "min", "awake", end, end, "x"]),
        Value::Null,
    ];
    let mut records = bad.to_vec();
    records.push(slept("Watch", "asleep_core", "2026-09-26T05:00:00Z", end));
    let reading = Kept::of(SLEEP, records).read();
    assert_eq!(values(&reading, "health.core"), ["1h"]);
    let reasons: Vec<_> =
        reading.notes.iter().map(|note| note.split(", such as").next().unwrap().to_owned()).collect();
    assert_eq!(
        reasons,
        [
            "2 left out: it ends before it starts or lasts more than 36 hours",
            "1 left out: it has no start and no length",
            "3 left out: it is not a record",
            "1 left out: it lies in the future",
            "1 left out: its length is negative",
            "2 left out: its stage is not known",
            "2 left out: its time is missing or not a time",
            "1 left out: its unit is not minutes, and it has no start",
            "1 left out: its value is missing or not a number",
        ]
    );
}

fn vital(value: Value, at: &str) -> Value {
    json!({ "value": value, "sampled_at": at })
}

#[test]
fn every_reading_is_told_once_with_its_own_time_and_digits() {
    let newest = vital(json!(64), "2026-09-26T10:00:00Z");
    let mut kept = Kept::of(
        "resting_heart_rate",
        vec![
            newest.clone(),
            vital(json!(57), "2026-09-26T08:00:00Z"),
            vital(json!(56), "2026-09-25T08:00:00Z"),
        ],
    );
    kept.history.insert("hrv_sdnn", vec![vital(json!(31.46), "2026-09-26T10:00:00.250Z")]);
    kept.history.insert("oxygen_saturation", vec![vital(json!(0.97), "2026-09-26T10:00:00Z")]);
    kept.history.insert("respiratory_rate", vec![vital(json!(0), "2026-09-26T10:00:00Z"), json!(7)]);
    kept.latest["metrics"] = json!({
        "resting_heart_rate": newest,
        "oxygen_saturation": vital(json!(98), "2026-09-26T11:00:00Z"),
        "heart_rate": vital(json!(70), "2026-09-26T11:00:00Z"),
        "vo2_max": vital(json!(44.1), "2026-09-01T11:00:00Z"),
        "hrv_sdnn": vital(json!(30), "2026-09-27T11:00:00Z"),
        "sleep": null,
    });
    let reading = kept.read();
    assert_eq!(values(&reading, "health.resting"), ["56", "57", "64"]);
    assert_eq!(values(&reading, "health.oxygen"), ["97", "98"]);
    assert!(reading.lines.contains(
        &r#"{"at":"2026-09-26T08:00:00-04:00","observed":"2026-09-26T06:00:00-04:00","signal":"health.hrv","value":31.46}"#.to_owned()
    ));
    assert_eq!(reading.lines.len(), 6);
    assert_eq!(
        reading.notes,
        [
            "left out: 1 of heart_rate, 1 of vo2_max",
            "1 left out: it is not a record, such as `respiratory_rate 7`",
            r#"1 left out: it lies in the future, such as `hrv_sdnn {"sampled_at":"2026-09-27T11:00:00Z","value":30}`"#,
            "1 left out: its value is impossible, such as `health.respiratory 0`",
        ]
    );
    assert_eq!(reading.shows_all, None);
}

#[test]
fn a_watch_that_does_not_upload_is_named() {
    let notes = |latest: Value| Kept { latest, ..Kept::of(SLEEP, Vec::new()) }.read().notes.join("\n");
    let uploaded = |at: &str| notes(json!({ "uploaded_at": at, "metrics": {} }));
    assert_eq!(uploaded("2026-09-26T00:00:00Z"), "");
    let stale = "the watch has not uploaded since 2026-09-25 19:59";
    assert_eq!(uploaded("2026-09-25T23:59:59.999Z"), stale);
    let silent = "the bridge does not say when the watch uploaded";
    for at in ["2026-09-27T00:00:00Z", "yesterday"] {
        assert_eq!(uploaded(at), silent, "{at}");
    }
    assert_eq!(notes(json!({ "metrics": {} })), silent);
    assert_eq!(notes(json!({ "connected": false })), "the watch is not connected");
    assert_eq!(
        notes(json!({ "connected": false, "uploaded_at": "2026-09-26T11:00:00Z", "metrics": {} })),
        "the watch is not connected: it has not uploaded since 2026-09-26 07:00"
    );
}

#[test]
fn an_answer_that_is_something_else_fails_the_read_and_shows_little() {
    let answered = |which: &'static str, text: &'static str| {
        let kept = Kept::of(SLEEP, Vec::new());
        let answer = move |tool: &str, arguments: &Value| {
            Ok(if tool == which { text.to_owned() } else { kept.answer(tool, arguments) })
        };
        Script::with_tools(answer).read(&SOURCE, &settings(), &Memory::default())
    };
    let long = "<html>\n\u{1b}[2J and more than eighty characters of a page that somebody put before the bridge</html>";
    let Err(Failure::NotUnderstood(words)) = answered(LATEST, long) else { panic!() };
    assert_eq!(
        words,
        "the tool `watch_get_latest_health` answered with something else: `<html> [2J and more than eighty characters of a page that somebody put before t`"
    );
    for (which, text) in [
        (LATEST, "[]"),
        (LATEST, "{}"),
        (LATEST, ""),
        (HISTORY, "{\"history\":[]}"),
        (HISTORY, "{\"error\":1}"),
        (HISTORY, "null"),
    ] {
        assert!(matches!(answered(which, text), Err(Failure::NotUnderstood(_))), "{which} {text}");
    }
    let odd = answered(HISTORY, "{\"history\":{\"sleep\":7}}").unwrap();
    assert_eq!(odd.notes, ["1 left out: it is not a list of records, such as `sleep`"]);
}

const UTC: chrono_tz::Tz = chrono_tz::UTC;

/// A night that ends on a date of September: 20 segments of 21 minutes between 23:00 and 06:00.
fn night(day: u32) -> Vec<(DateTime<Utc>, Value)> {
    let end: DateTime<Utc> = format!("2026-09-{day:02}T06:00:00Z").parse().unwrap();
    (0..20)
        .map(|nth| {
            let (start, end) =
                (end - chrono::Duration::minutes(21 * (nth + 1)), end - chrono::Duration::minutes(21 * nth));
            let stage = ["asleep_core", "asleep_deep", "asleep_rem"][usize::try_from(nth % 3).unwrap()];
            (end, slept("Watch", stage, &start.to_rfc3339(), &end.to_rfc3339()))
        })
        .collect()
}

#[test]
fn a_window_that_slides_never_lowers_a_night() {
    let all: Vec<_> = (1..=28).flat_map(night).collect();
    let mut memory = Memory::default();
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let first: DateTime<Utc> = "2026-09-09T02:00:00Z".parse().unwrap();
    // Every five hours, also in the midst of nights; what ended more than seven days ago is forgotten.
    for step in 0..90 {
        let now = first + chrono::Duration::hours(5 * step);
        let held = all.iter().filter(|(end, _)| *end <= now && *end > now - chrono::Duration::days(7));
        let kept = Kept::of(SLEEP, held.map(|(_, record)| record.clone()).collect());
        let reading = kept.read_at(&now.to_rfc3339(), UTC, &memory);
        for (signal, value, observed) in told(&reading) {
            if signal == "health.asleep" {
                seen.entry(observed.chars().take(10).collect()).or_default().push(value);
            }
        }
        memory = reading.memory;
    }
    // The first read's oldest night had lost its beginning: it is never told.
    assert_eq!(seen.keys().next().unwrap(), "2026-09-03");
    assert_eq!(seen.len(), 25);
    let ms = |value: &String| crate::engine::time::parse_duration(value).unwrap();
    for (date, values) in &seen {
        assert!(values.is_sorted_by_key(ms), "{date}: {values:?}");
        assert_eq!(values.last().unwrap(), "7h", "{date}");
    }
    // Nothing is remembered for ever.
    assert!(memory.0["sleep"].as_array().unwrap().len() <= 9 * 20);
}

#[test]
fn after_days_without_a_read_what_is_oldest_is_in_doubt_again() {
    let kept = |days: std::ops::RangeInclusive<u32>| {
        Kept::of(SLEEP, days.flat_map(night).map(|(_, record)| record).collect())
    };
    let nights = |reading: &Reading| values(reading, "health.asleep").len();
    let first = kept(20..=22).read_at("2026-09-22T09:00:00Z", UTC, &Memory::default());
    assert_eq!(nights(&first), 3);
    // Within the window nothing was missed.
    let soon = kept(20..=26).read_at("2026-09-26T09:00:00Z", UTC, &first.memory);
    assert_eq!(nights(&soon), 7);
    let late = kept(22..=28).read_at("2026-09-28T09:00:00Z", UTC, &first.memory);
    assert_eq!(nights(&late), 6);
}

#[test]
fn a_segment_that_the_bridge_corrects_is_corrected() {
    let night = |end: &str| Kept::of(SLEEP, vec![slept("Watch", "asleep_core", "2026-09-26T01:00:00Z", end)]);
    let at = "2026-09-26T12:00:00Z";
    let first = night("2026-09-26T09:00:00Z").read_at(at, UTC, &Memory::default());
    assert_eq!(values(&first, "health.asleep"), ["8h"]);
    for (end, value) in [("2026-09-26T10:00:00Z", "9h"), ("2026-09-26T08:00:00Z", "7h")] {
        assert_eq!(values(&night(end).read_at(at, UTC, &first.memory), "health.asleep"), [value]);
    }
}

#[test]
fn memory_is_bounded_and_nights_that_lost_something_are_not_told() {
    let hour =
        |nth: i64| "2026-09-20T22:00:00Z".parse::<DateTime<Utc>>().unwrap() + chrono::Duration::minutes(nth);
    let records: Vec<_> = (0..6_000)
        .map(|nth| slept("Watch", "asleep_core", &hour(nth).to_rfc3339(), &hour(nth + 1).to_rfc3339()))
        .collect();
    let reading = Kept::of(SLEEP, records).read_at("2026-09-26T12:00:00Z", UTC, &Memory::default());
    assert_eq!(reading.memory.0["sleep"].as_array().unwrap().len(), 5_000);
    assert_eq!(reading.notes, ["left out: 1000 of sleep beyond what can be remembered"]);
}
