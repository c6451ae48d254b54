//! Order and identity of what comes out, and Welltory's resting rates.

use super::*;
use crate::connectors::health::nights::Stage;
use crate::connectors::health::places::ReadingZone;

fn sample(end: &str, value: &str) -> Sample {
    let end_ms = chrono::DateTime::parse_from_rfc3339(end).unwrap().timestamp_millis();
    Sample { end_ms, zone: 0, value: Decimal::parse(value).unwrap() }
}

fn days() -> HealthDays {
    let mut days = HealthDays::default();
    days.places.zone(ReadingZone::utc());
    days
}

#[test]
fn records_come_by_time_whatever_order_they_went_in() {
    let mut days = days();
    days.add_vital(Vital::Oxygen, sample("2026-03-03T04:00:00Z", "97")).unwrap();
    days.add_vital(Vital::Hrv, sample("2026-03-02T04:00:00Z", "43")).unwrap();
    days.add_vital(Vital::Hrv, sample("2026-03-02T04:00:00Z", "43")).unwrap();
    let night = |from: &str, to: &str, stage| Segment {
        start_ms: sample(from, "0").end_ms,
        end_ms: sample(to, "0").end_ms,
        counted_ns: None,
        stage,
        source: 0,
        zone: 0,
    };
    days.add_sleep(night("2026-03-01T23:00:00Z", "2026-03-02T06:00:00Z", Stage::Core)).unwrap();
    days.add_resting(sample("2026-03-02T22:00:00Z", "57"), 2);
    days.add_resting(sample("2026-03-02T23:00:00Z", "61"), 1);
    let lines: Vec<_> = days.finish().readings().map(|record| record.to_json_line()).collect();
    assert_eq!(
        lines,
        [
            r#"{"at":"2026-03-02T04:00:00+00:00","signal":"health.hrv","value":43}"#,
            r#"{"at":"2026-03-02T06:00:00+00:00","signal":"health.asleep","value":"7h"}"#,
            r#"{"at":"2026-03-02T06:00:00+00:00","signal":"health.core","value":"7h"}"#,
            r#"{"at":"2026-03-02T22:00:00+00:00","signal":"health.resting","value":57}"#,
            r#"{"at":"2026-03-03T04:00:00+00:00","signal":"health.oxygen","value":97}"#,
        ]
    );
}

#[test]
fn welltory_resting_rate_by_day() {
    let Some(root) = crate::oracles::folder("welltory") else { return };
    let read = |name: &str| std::fs::read_to_string(root.join("health").join(name));
    let wearables = read("welltory_hrv_covid19/wearables.csv").unwrap();
    let daily = read("welltory_daily_baseline_oracle.csv").unwrap();
    let rows = |text: &str| -> Vec<Vec<String>> {
        text.lines().skip(1).map(|l| l.split(',').map(|c| c.trim_matches('"').to_owned()).collect()).collect()
    };
    let mut compared = 0;
    for user in ["6be5033971", "fcf3ea75b0"] {
        let mut days = days();
        for row in rows(&wearables).iter().filter(|row| row[0] == user && !row[2].is_empty()) {
            days.add_resting(sample(&format!("{}T23:59:59Z", row[1]), &row[2]), 0);
        }
        let got: BTreeMap<_, _> =
            days.finish().readings().map(|record| (record.date().to_string(), record)).collect();
        for row in rows(&daily).iter().filter(|row| row[1] == user) {
            let value = got.get(&row[0]).map(|record| match record.kind {
                DayRecordKind::Reading { value: ReadingValue::Number(value), .. } => value,
                ref other => panic!("{other:?}"),
            });
            // An empty cell is a day without a reading, never a zero.
            assert_eq!(value, Decimal::parse(&row[2]), "{user} {}", row[0]);
            compared += usize::from(value.is_some());
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_date_with_any_reading_was_read_and_others_were_not() {
    let mut days = days();
    days.add_vital(Vital::Oxygen, sample("2026-03-03T04:00:00Z", "97")).unwrap();
    days.add_resting(sample("2026-03-01T22:00:00Z", "57"), 2);
    let lines: Vec<_> = days.finish().map(|record| record.to_json_line()).collect();
    let read =
        |at: &str| format!(r#"{{"at":"2026-03-{at}:00:00+00:00","signal":"source.health","value":true}}"#);
    assert_eq!(
        lines,
        [
            read("01T00"),
            read("01T06"),
            read("01T12"),
            read("01T18"),
            r#"{"at":"2026-03-01T22:00:00+00:00","signal":"health.resting","value":57}"#.to_owned(),
            read("03T00"),
            r#"{"at":"2026-03-03T04:00:00+00:00","signal":"health.oxygen","value":97}"#.to_owned(),
            read("03T06"),
            read("03T12"),
            read("03T18"),
        ]
    );
}
