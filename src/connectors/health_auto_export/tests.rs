//! The payloads of the shared oracles with what stands beside them, and the app's other forms.

use super::payload::{Metric, Point, read_points};
use super::*;

fn lines(json: &str) -> Vec<String> {
    read(json.as_bytes(), None).unwrap().readings().map(|record| record.to_json_line()).collect()
}

fn metric(name: &str, units: &str, data: &str) -> String {
    format!(r#"{{"data":{{"metrics":[{{"name":"{name}","units":"{units}","data":[{data}]}}]}}}}"#)
}

fn points(json: &str) -> Vec<(String, String, Point)> {
    let mut points = Vec::new();
    read_points(json.as_bytes(), &mut |Metric { name, units }, point| {
        points.push((name.to_owned(), units.to_owned(), point.clone()));
        Ok(())
    })
    .unwrap();
    points
}

fn oracle() -> Option<Vec<serde_json::Value>> {
    let root = crate::oracles::folder("health auto export")?;
    let text = std::fs::read_to_string(root.join("health/apple/health_auto_export_samples.json")).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn hours(record: &crate::connectors::recorded_day::DayRecord) -> (&'static str, f64) {
    use crate::connectors::recorded_day::{DayRecordKind, ReadingValue};
    match record.kind {
        DayRecordKind::Reading { signal, value: ReadingValue::Duration(ns) } => (signal, ns as f64 / 3.6e12),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn oracle_sleep_samples() {
    let Some(samples) = oracle() else { return };
    let (expect, payload) = (&samples[0]["expect"], samples[0]["payload"].to_string());
    let point = &points(&payload)[0].2;
    assert_eq!(point.date, None);
    assert_eq!(point.value.as_deref(), expect["stage"].as_str());
    let days: Vec<_> = read(payload.as_bytes(), None).unwrap().readings().collect();
    let got: Vec<_> = days.iter().map(hours).collect();
    assert_eq!(got.iter().map(|(signal, _)| *signal).collect::<Vec<_>>(), ["health.asleep", "health.core"]);
    for (_, hours) in got {
        assert!((hours - expect["qty_h"].as_f64().unwrap()).abs() < 1e-9);
    }
    assert_eq!(days[0].at.to_rfc3339(), "2021-12-18T08:57:06+08:00");
}

#[test]
fn oracle_whole_nights() {
    let Some(samples) = oracle() else { return };
    let (expect, payload) = (&samples[1]["expect"], &samples[1]["payload"]);
    let days: Vec<_> = read(payload.to_string().as_bytes(), None).unwrap().readings().collect();
    let night = &payload["data"]["metrics"][0]["data"][0];
    let right = [
        ("health.asleep", expect["asleep_h_from_phases"].as_f64()),
        ("health.deep", night["deep"].as_f64()),
        ("health.rem", night["rem"].as_f64()),
        ("health.core", night["core"].as_f64()),
        ("health.awake", night["awake"].as_f64()),
        ("health.in-bed", night["inBed"].as_f64()),
    ];
    assert_eq!(days.len(), right.len());
    for (day, (signal, amount)) in days.iter().zip(right) {
        assert_eq!(hours(day).0, signal);
        assert!((hours(day).1 - amount.unwrap()).abs() < 1e-9, "{signal}");
        assert_eq!(day.at.to_rfc3339(), "2023-01-31T08:39:12+08:00");
    }
}

#[test]
fn oracle_metrics_and_an_empty_one() {
    let Some(samples) = oracle() else { return };
    let (expect, payload) = (&samples[2]["expect"], samples[2]["payload"].to_string());
    let got = points(&payload);
    let right = expect["active_energy_kJ"].as_array().unwrap();
    assert_eq!(got.len(), right.len());
    for ((name, units, point), right) in got.iter().zip(right) {
        assert_eq!((name.as_str(), units.as_str()), ("active_energy", "kJ"));
        let at = chrono::DateTime::parse_from_rfc3339(right[0].as_str().unwrap()).unwrap();
        assert_eq!(parse_stamp(point.date.as_ref().unwrap()).unwrap().ms, at.timestamp_millis());
        assert_eq!(point.qty, right[1].as_f64());
    }
    assert_eq!(lines(&payload), Vec::<String>::new());
    let notes = read(payload.as_bytes(), None).unwrap().notes();
    assert_eq!(notes, [format!("left out: {} of active_energy", right.len())]);
}

#[test]
fn oracle_truncated_body() {
    let Some(samples) = oracle() else { return };
    let error = read(samples[3]["raw"].as_str().unwrap().as_bytes(), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the file ends in the middle, at line 1, column 11: it is truncated; export it again"
    );
}

#[test]
fn other_json_is_refused_with_a_reason() {
    for (json, reason) in [
        ("{}", "no `data` with `metrics`"),
        ("{\"data\":{}}", "no `data` with `metrics`"),
        ("[]", "an object with `data`"),
        ("{\"data\":{\"metrics\":[{\"data\":[]}]}}", "name"),
        ("hello", "expected value"),
        ("{\"data\":{\"metrics\":[]}} x", "trailing"),
    ] {
        let error = read(json.as_bytes(), None).unwrap_err().to_string();
        assert!(error.contains(reason), "{json}: {error}");
    }
}

#[test]
fn asleep_is_the_whole_or_the_rest() {
    let night = |asleep: Option<f64>, core: Option<f64>, total: Option<f64>| {
        asleep_hours(&Point { asleep, core, total_sleep: total, ..Point::default() })
    };
    assert_eq!(night(Some(7.0), None, None), Some(7.0));
    assert_eq!(night(Some(7.0), Some(7.0), None), Some(7.0));
    assert_eq!(night(Some(0.0), Some(5.5), None), Some(5.5));
    assert_eq!(night(Some(0.5), Some(5.5), None), Some(6.0));
    assert_eq!(night(None, Some(5.5), None), Some(5.5));
    assert_eq!(night(Some(0.0), Some(5.0), Some(5.25)), Some(5.25));
    assert_eq!(night(None, None, None), None);
}

#[test]
fn what_no_body_has_is_counted_and_named() {
    let (many, other) =
        ("its time asleep or in bed is negative or more than 36 hours", "its amount is impossible");
    let (span, nothing) =
        ("it ends before it starts or lasts more than 36 hours", "a rate of nothing was not measured");
    let over = "it counts more than lies between its start and end";
    let date = r#""date":"2023-01-31 08:00:00 +0800""#;
    let sample =
        r#""value":"Core","startDate":"2023-01-31 01:00:00 +0800","endDate":"2023-01-31 02:00:00 +0800""#;
    for (name, row, reason) in [
        ("sleep_analysis", format!(r#"{date},"asleep":40"#), many),
        ("sleep_analysis", format!(r#"{date},"asleep":7,"deep":-1"#), many),
        ("sleep_analysis", format!(r#"{date},"asleep":-1,"core":7"#), many),
        ("sleep_analysis", format!(r#"{date},"totalSleep":-7,"asleep":7"#), many),
        ("sleep_analysis", format!(r#"{date},"asleep":7,"inBed":1e300"#), many),
        ("sleep_analysis", format!(r#"{date},"asleep":7,"sleepStart":"2023-01-31 09:00:00 +0800""#), span),
        ("sleep_analysis", format!(r#"{date},"asleep":7,"sleepStart":"2023-01-29 09:00:00 +0800""#), span),
        ("sleep_analysis", format!(r#"{sample},"qty":-1"#), many),
        ("sleep_analysis", format!(r#"{sample},"qty":1.5"#), over),
        ("sleep_analysis", sample.replace("31 02", "30 02"), span),
        ("sleep_analysis", sample.replace("31 02", "31 00"), span),
        ("resting_heart_rate", format!(r#"{date},"qty":-5"#), nothing),
        ("resting_heart_rate", format!(r#"{date},"qty":401"#), "its value is impossible"),
        ("heart_rate_variability", format!(r#"{date},"qty":1e300"#), other),
        ("blood_oxygen_saturation", format!(r#"{date},"qty":101"#), "its value is impossible"),
        ("respiratory_rate", format!(r#"{date},"qty":201"#), "its value is impossible"),
        ("step_count", format!(r#"{date},"qty":-1"#), other),
        ("step_count", format!(r#"{date},"qty":99999999"#), other),
    ] {
        let days = read(metric(name, "", &format!("{{{row}}}")).as_bytes(), None).unwrap();
        assert_eq!(days.dropped().count(reason), 1, "{name} {row}: {:?}", days.notes());
        assert_eq!((days.notes().len(), days.readings().count()), (1, 0), "{name} {row}");
    }
    // What is no number of JSON ends the import with a reason.
    for number in ["NaN", "Infinity", "1e400"] {
        let row = format!(r#"{{{date},"qty":{number}}}"#);
        let error = read(metric("step_count", "count", &row).as_bytes(), None).unwrap_err().to_string();
        assert!(error.starts_with("the file is not Health Auto Export's JSON: "), "{number}: {error}");
    }
    // Two decimals of an hour may be a little more than the clock says.
    let rounded = format!("{{{sample},\"qty\":1.005}}");
    assert_eq!(
        read(metric("sleep_analysis", "hr", &rounded).as_bytes(), None).unwrap().readings().count(),
        2
    );
}

#[test]
fn zero_is_not_a_night() {
    let row = r#"{"date":"2023-01-31 02:00:00 +0800","asleep":0,"deep":0,"inBed":0}"#;
    let days = read(metric("sleep_analysis", "hr", row).as_bytes(), None).unwrap();
    assert_eq!(days.dropped().count("a night without any time"), 1);
    assert_eq!(days.count(), 0);
}

#[test]
fn daily_totals_stand_at_the_end_of_their_day() {
    let row = r#"{"date":"2023-01-31 00:00:00 +0800","qty":8123.4}"#;
    assert_eq!(
        lines(&metric("step_count", "count", row)),
        [r#"{"at":"2023-01-31T23:59:59+08:00","signal":"health.steps","value":8123}"#]
    );
    let row = row.replace("8123.4", "57");
    assert_eq!(
        lines(&metric("resting_heart_rate", "count/min", &row)),
        [r#"{"at":"2023-01-31T23:59:59+08:00","signal":"health.resting","value":57}"#]
    );
}

#[test]
fn minutes_of_steps_add_up_and_repeats_do_not() {
    let rows = r#"{"date":"2023-01-31 00:00:00 +0800","qty":20},{"date":"2023-01-31 10:01:00 +0800","qty":30},
        {"date":"2023-01-31 10:01:00 +0800","qty":30}"#;
    assert_eq!(
        lines(&metric("step_count", "count", rows)),
        [r#"{"at":"2023-01-31T10:01:00+08:00","signal":"health.steps","value":50}"#]
    );
}

#[test]
fn vitals_and_words_in_any_order() {
    let json = r#"{"data":{"workouts":[{"deep":{"a":[1]}}],"metrics":[
        {"data":[{"qty":43.51,"date":"2023-01-31 10:00:00 +0800"},{"qty":null,"date":null},{"qty":0,"date":"2023-01-31 10:00:00 +0800"}],
         "units":"ms","name":"heart_rate_variability"},
        {"name":"blood_oxygen_saturation","units":"%","data":[{"qty":97,"date":"2023-01-31 10:00:00 +0800","value":3}]},
        {"name":"respiratory_rate","units":"count/min","data":[{"qty":14.5,"date":"2023-01-31 9:00:00 AM +0800"}]}]}}"#;
    assert_eq!(
        lines(json),
        [
            r#"{"at":"2023-01-31T09:00:00+08:00","signal":"health.respiratory","value":14.5}"#,
            r#"{"at":"2023-01-31T10:00:00+08:00","signal":"health.hrv","value":43.51}"#,
            r#"{"at":"2023-01-31T10:00:00+08:00","signal":"health.oxygen","value":97}"#,
        ]
    );
}

#[test]
fn what_is_not_read_is_counted_by_kind() {
    let point = r#"{"qty":70,"date":"2023-01-31 10:00:00 +0800"}"#;
    let json = format!(
        r#"{{"version":[1,2],"data":{{"workouts":[{{"a":[1,2]}},3],"symptoms":[],"note":{{"deep":[null,true,"x",1.5,-1]}},
        "metrics":[{{"data":[{point},{point},{point}],"units":"kg","name":"weight_body_mass"}},
        {{"name":"height","data":[{point}]}},{{"name":"vo2_max","data":[]}}]}}}}"#
    );
    let days = read(json.as_bytes(), None).unwrap();
    assert_eq!(days.notes(), ["left out: 3 of weight_body_mass, 2 of workouts, 1 of height"]);
}

#[test]
fn a_value_of_another_type_is_no_value_and_no_end() {
    let nested = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let rows = format!(
        r#"{{"qty":"5","date":"2023-01-31 10:00:00 +0800"}},{{"qty":5,"date":20230131}},
        {{"qty":{nested},"source":{{"a":1}},"value":false,"date":"2023-01-31 10:00:00 +0800"}},
        {{"qty":20,"source":["x"],"date":"2023-01-31 10:01:00 +0800"}}"#
    );
    let days = read(metric("step_count", "count", &rows).as_bytes(), None).unwrap();
    assert_eq!(days.dropped().count("it has no amount"), 2);
    assert_eq!(days.dropped().count("its time is missing or not a time"), 1);
    assert_eq!(days.readings().count(), 1);
}
