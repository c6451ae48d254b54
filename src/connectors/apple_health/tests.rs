//! The exports of the shared oracles, and hostile ones.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

use super::*;

fn lines(xml: &str) -> Vec<String> {
    read_xml(xml.as_bytes(), None).unwrap().readings().map(|record| record.to_json_line()).collect()
}

fn error(xml: &[u8]) -> String {
    read_xml(xml, None).unwrap_err().to_string()
}

fn export(records: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><!DOCTYPE HealthData [<!ELEMENT HealthData ANY>]>\n<HealthData locale=\"en\">{records}</HealthData>"
    )
}

fn record(kind: &str, unit: &str, times: [&str; 2], value: &str) -> String {
    let [start, end] = times;
    format!(
        "<Record type=\"{kind}\" sourceName=\"Watch\" unit=\"{unit}\" creationDate=\"{end}\" startDate=\"{start}\" endDate=\"{end}\" value=\"{value}\"/>"
    )
}

fn oracle(name: &str) -> Option<Vec<u8>> {
    let root = crate::oracles::folder("apple health")?;
    Some(std::fs::read(root.join("health/apple").join(name)).unwrap())
}

const AMSTERDAM: [&str; 3] = [
    r#"{"at":"2024-01-01T02:40:23+01:00","signal":"health.asleep","value":"12m30s"}"#,
    r#"{"at":"2024-01-01T02:40:23+01:00","signal":"health.core","value":"12m30s"}"#,
    r#"{"at":"2024-01-01T02:40:23+01:00","signal":"health.in-bed","value":"1m25s"}"#,
];

#[test]
fn oracle_zone_of_the_record_not_of_the_export() {
    let Some(bytes) = oracle("export_small_alxdrcirilo_MIT.xml") else { return };
    let got: Vec<_> =
        read_xml(&bytes[..], None).unwrap().readings().map(|record| record.to_json_line()).collect();
    assert_eq!(got, AMSTERDAM);
}

#[test]
fn oracle_without_anything_of_ours_is_empty_not_zero() {
    let Some(bytes) = oracle("export_dogsheep_Apache2.xml") else { return };
    let days = read_xml(&bytes[..], None).unwrap();
    assert!(days.dropped().notes().is_empty());
    let note = "left out: 2 of ActivitySummary, 1 of BodyMassIndex, 1 of HeartRate, 1 of Workout";
    assert_eq!(days.notes(), [note]);
    assert_eq!(days.count(), 0);
}

#[test]
fn oracle_inside_an_archive() {
    let Some(bytes) = oracle("export_small_alxdrcirilo_MIT.xml") else { return };
    let localised = archive(&[
        ("apple_health_export/export_cda.xml", b"<ClinicalDocument/>"),
        ("apple_health_export/workout-routes/route.xml", &[b' '; 9000]),
        ("apple_health_export/\u{5bfc}\u{51fa}.xml", &bytes),
    ]);
    let got: Vec<_> =
        read_archive(Cursor::new(localised), None).unwrap().readings().map(|r| r.to_json_line()).collect();
    assert_eq!(got, AMSTERDAM);
}

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn vitals_in_their_units_at_their_end() {
    let times = ["2024-01-02 06:00:00 +0100", "2024-01-02 06:01:00 +0100"];
    let xml = export(
        &[
            record("HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "ms", times, "43.5178"),
            record("HKQuantityTypeIdentifierRespiratoryRate", "count/min", times, "14.5"),
            record("HKQuantityTypeIdentifierOxygenSaturation", "%", times, "0.97"),
            record("HKQuantityTypeIdentifierOxygenSaturation", "%", times, "0.97"),
            record("HKQuantityTypeIdentifierHeartRate", "count/min", times, "60"),
        ]
        .concat(),
    );
    let at = r#"{"at":"2024-01-02T06:01:00+01:00","signal":"health."#;
    assert_eq!(
        lines(&xml),
        [
            format!(r#"{at}hrv","value":43.5178}}"#),
            format!(r#"{at}respiratory","value":14.5}}"#),
            format!(r#"{at}oxygen","value":97}}"#),
        ]
    );
}

#[test]
fn a_resting_rate_is_rewritten_not_repeated() {
    let resting = |end: &str, written: &str, value: &str| {
        let (start, kind) = ("2024-01-02 00:01:00 +0100", "HKQuantityTypeIdentifierRestingHeartRate");
        record(kind, "count/min", [start, end], value)
            .replace(&format!("creationDate=\"{end}\""), &format!("creationDate=\"{written}\""))
    };
    let xml = export(
        &[
            resting("2024-01-02 20:00:00 +0100", "2024-01-02 20:05:00 +0100", "58"),
            resting("2024-01-02 23:00:00 +0100", "2024-01-02 23:05:00 +0100", "57"),
            resting("2024-01-02 21:00:00 +0100", "2024-01-02 21:05:00 +0100", "61"),
        ]
        .concat(),
    );
    assert_eq!(lines(&xml), [r#"{"at":"2024-01-02T23:00:00+01:00","signal":"health.resting","value":57}"#]);
}

#[test]
fn correlations_repeat_records_and_count_once() {
    let times = ["2024-01-02 06:00:00 +0100", "2024-01-02 07:00:00 +0100"];
    let steps = record("HKQuantityTypeIdentifierStepCount", "count", times, "1000");
    let xml =
        export(&format!("{steps}<Correlation type=\"x\">{}</Correlation>", steps.replace("1000", "9999")));
    assert_eq!(lines(&xml), [r#"{"at":"2024-01-02T07:00:00+01:00","signal":"health.steps","value":1000}"#]);
}

#[test]
fn bad_records_are_counted_and_the_rest_goes_on() {
    let good = ["2024-01-02 06:00:00 +0100", "2024-01-02 06:01:00 +0100"];
    let hrv = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN";
    let xml = export(
        &[
            record(hrv, "ms", good, "43"),
            record(hrv, "ms", good, "often"),
            record(hrv, "ms", good, "0"),
            record(hrv, "kg", good, "40"),
            record(hrv, "ms", ["yesterday", good[1]], "40"),
            record(hrv, "ms", [good[1], good[0]], "40"),
            record("HKCategoryTypeIdentifierSleepAnalysis", "", good, "HKCategoryValueSleepAnalysisDozing"),
            "<Record type=\"HKQuantityTypeIdentifierHeartRateVariabilitySDNN\"/>".to_owned(),
        ]
        .concat(),
    );
    let days = read_xml(xml.as_bytes(), None).unwrap();
    let counts =
        ["its value or unit is not known", "its start or end is no time", "it ends before it starts"]
            .map(|reason| days.dropped().count(reason));
    assert_eq!(counts, [4, 2, 1]);
    assert_eq!(days.readings().count(), 1);
}

#[test]
fn what_no_body_has_is_counted_and_named() {
    let good = ["2024-01-02 06:00:00 +0100", "2024-01-02 06:01:00 +0100"];
    let (resting, steps) = ("HKQuantityTypeIdentifierRestingHeartRate", "HKQuantityTypeIdentifierStepCount");
    let (breaths, oxygen) =
        ("HKQuantityTypeIdentifierRespiratoryRate", "HKQuantityTypeIdentifierOxygenSaturation");
    let hrv = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN";
    let long = ["2024-01-01 06:00:00 +0100", "2024-01-02 22:00:00 +0100"];
    let sleep = "HKCategoryTypeIdentifierSleepAnalysis";
    for (kind, unit, times, value, reason) in [
        (resting, "count/min", good, "-5", "its value or unit is not known"),
        (resting, "count/min", good, "NaN", "its value or unit is not known"),
        (resting, "count/min", good, "inf", "its value or unit is not known"),
        (resting, "count/min", good, "1e300", "its value or unit is not known"),
        (resting, "count/min", good, "401", "its value is impossible"),
        (breaths, "count/min", good, "201", "its value is impossible"),
        (oxygen, "%", good, "100.5", "its value is impossible"),
        (hrv, "ms", good, "2001", "its value is impossible"),
        (steps, "count", good, "-1", "its value or unit is not known"),
        (steps, "count", good, "99999999", "its count or length is impossible"),
        (sleep, "", long, "HKCategoryValueSleepAnalysisAsleep", "a sleep of more than 36 hours"),
        (sleep, "", [good[1], good[0]], "HKCategoryValueSleepAnalysisAsleep", "it ends before it starts"),
    ] {
        let xml = export(&record(kind, unit, times, value));
        let days = read_xml(xml.as_bytes(), None).unwrap();
        assert_eq!(days.dropped().count(reason), 1, "{kind} {value}: {:?}", days.notes());
        assert_eq!((days.notes().len(), days.readings().count()), (1, 0), "{kind} {value}");
    }
}

#[test]
fn free_text_may_hold_anything() {
    let times = ["2024-01-02 06:00:00 +0100", "2024-01-02 06:01:00 +0100"];
    let odd = record("HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "ms", times, "43").replace(
        "\"Watch\"",
        "\"Zo\u{eb}\u{2019}s & \u{1}\u{b}Watch&bomb;&lt;&#0;\" device=\"&lt;&lt;HKDevice: 0x1&gt;\"",
    );
    let mut bytes = export(&format!("Tom & Jerry &bomb;{odd}")).into_bytes();
    let watch = bytes.windows(5).position(|window| window == b"Watch").unwrap();
    bytes[watch] = 0xff;
    assert_eq!(read_xml(&bytes[..], None).unwrap().readings().count(), 1);
}

#[test]
fn hostile_files_are_refused_with_a_reason() {
    assert!(error(b"{\"data\":{}}").contains("not Apple Health"));
    assert!(error(b"").contains("not Apple Health"));
    assert!(error(b"<HealthData><Record type=\"x\"").contains("truncated"));
    assert!(error(b"<HealthData><Workout>").contains("truncated"));
    assert!(error(b"<HealthData></Workout>").contains("damaged"));
    assert!(error(format!("<HealthData>{}", "<a>".repeat(70)).as_bytes()).contains("nest deeper"));
    assert!(error(format!("<HealthData>{}", "x".repeat(3 << 20)).as_bytes()).contains("longer than"));
    assert!(error(b"<HealthData><!DOCTYPE x [<!ENTITY a \"b\">]></HealthData>").contains("document type"));
}

#[test]
fn archives_that_are_bombs_or_no_exports_are_refused() {
    let mut bomb = b"<HealthData>".to_vec();
    for _ in 0..40 {
        bomb.extend_from_slice(b"<a/>".repeat(1 << 18).as_slice());
    }
    let refused = read_archive(Cursor::new(archive(&[("export.xml", &bomb)])), None).unwrap_err().to_string();
    assert!(refused.contains("200 times"), "{refused}");
    let none = read_archive(Cursor::new(archive(&[("photo.jpg", b"x")])), None).unwrap_err().to_string();
    assert!(none.contains("no export.xml"), "{none}");
    let junk = read_archive(Cursor::new(b"PK\x03\x04 not really".to_vec()), None).unwrap_err().to_string();
    assert!(junk.starts_with("the archive cannot be read"), "{junk}");
}

#[test]
fn a_given_zone_is_used_where_a_record_names_none() {
    let times =
        ["2024-07-02 06:00:00 +0200", "2024-01-02 06:01:00 +0200"].map(|_| "2024-01-02 06:01:00 +0200");
    let xml = export(&record("HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "ms", times, "43"));
    let berlin = ReadingZone::Named(chrono_tz::Europe::Berlin);
    let got: Vec<_> =
        read_xml(xml.as_bytes(), Some(berlin)).unwrap().readings().map(|r| r.to_json_line()).collect();
    assert_eq!(got, [r#"{"at":"2024-01-02T05:01:00+01:00","signal":"health.hrv","value":43}"#]);
}

#[test]
fn what_is_not_read_is_counted_by_kind() {
    let times = ["2024-01-02 06:00:00 +0100", "2024-01-02 06:01:00 +0100"];
    let rate = record("HKQuantityTypeIdentifierHeartRate", "count/min", times, "60");
    let xml = export(&format!(
        "<ExportDate value=\"x\"/><Me/>{rate}{rate}{}<Record/><Correlation>{rate}</Correlation>\
         <Workout><WorkoutEvent/></Workout><Record type=\"\"/>",
        record("HKCategoryTypeIdentifierMindfulSession", "", times, "1"),
    ));
    let days = read_xml(xml.as_bytes(), None).unwrap();
    let note = "left out: 2 of HeartRate, 1 of MindfulSession, 1 of Record without a type, 1 of Workout, 1 of no name";
    assert_eq!(days.notes(), [note]);
}
