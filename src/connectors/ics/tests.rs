//! The calendars of the shared oracles, bug reports A18 to A20, and what else calendars do.

use chrono::{DateTime, TimeDelta};

use super::*;
use crate::connectors::recorded_day::FieldValue;
use crate::oracles;

fn window(from: &str, to: &str, zone: Tz) -> IcsWindow {
    IcsWindow { from: from.parse().unwrap(), to: to.parse().unwrap(), zone: Some(zone) }
}

fn days(body: &str, from: &str, to: &str, zone: Tz) -> IcsDays {
    let text = format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n", body.replace('\n', "\r\n"));
    read(&text, window(from, to, zone)).unwrap()
}

fn event(lines: &str) -> String {
    format!("BEGIN:VEVENT\nUID:u\nSUMMARY:Talk\n{lines}\nEND:VEVENT\n")
}

/// A field of an item.
fn field<'r>(record: &'r DayRecord, name: &str) -> Option<&'r FieldValue> {
    let DayRecordKind::Item { fields, .. } = &record.kind else { panic!("{record:?}") };
    fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn shown_field(record: &DayRecord, name: &str) -> String {
    match field(record, name) {
        Some(FieldValue::Instant(at)) => at.to_rfc3339(),
        Some(FieldValue::Date(date)) => date.to_string(),
        Some(FieldValue::Text(text)) => text.clone(),
        Some(FieldValue::Flag(flag)) => flag.to_string(),
        None => String::new(),
    }
}

fn starts(days: &IcsDays) -> Vec<String> {
    days.records.iter().map(|record| shown_field(record, "start")).collect()
}

#[test]
fn oracle_calendars() {
    let Some(text) = oracles::text("ics/expected_occurrences.json") else { return };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(cases.len(), 17);
    for case in cases {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("None").to_owned();
        let name = text(&case["file"]);
        let calendar = oracles::text(&format!("ics/{name}")).unwrap();
        let wanted = window(&text(&case["window"][0]), &text(&case["window"][1]), Tz::UTC);
        let got = read(&calendar, wanted).unwrap();
        let mut want: Vec<_> = case["occurrences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|occurrence| {
                let (start, end) = (text(&occurrence["start"]), text(&occurrence["end"]));
                let summary = text(&occurrence["summary"]).split_whitespace().collect::<Vec<_>>().join(" ");
                let status = occurrence["status"].as_str().unwrap_or("confirmed").to_lowercase();
                match occurrence["utc"].as_str() {
                    Some(utc) => (utc.to_owned(), String::new(), summary, status),
                    None => (start, end, summary, status),
                }
            })
            .collect();
        let mut found: Vec<_> = got
            .records
            .iter()
            .map(|record| {
                let title = field(record, "title")
                    .map_or_else(|| "None".to_owned(), |_| shown_field(record, "title"));
                let all_day = field(record, "all-day") == Some(&FieldValue::Flag(true));
                let end = if all_day { shown_field(record, "end") } else { String::new() };
                (shown_field(record, "start"), end, title, shown_field(record, "status"))
            })
            .collect();
        want.sort();
        found.sort();
        assert_eq!(found, want, "{name}");
        assert_eq!(got.notes, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn bug_a18_all_day_ends_at_local_midnight() {
    let Some(bug) = oracles::bug("A18") else { return };
    let zone: Tz = bug["input"]["zone"].as_str().unwrap().parse().unwrap();
    let of = &bug["input"]["event"];
    let body = event(&format!(
        "DTSTART;VALUE=DATE:{}\nDTEND;VALUE=DATE:{}",
        of["DTSTART;VALUE=DATE"].as_str().unwrap(),
        of["DTEND;VALUE=DATE"].as_str().unwrap()
    ));
    let got = days(&body, "2026-04-01", "2026-04-30", zone);
    let date = |name: &str| match field(&got.records[0], name) {
        Some(FieldValue::Date(date)) => EventZone::Named(zone).utc(date.and_time(chrono::NaiveTime::MIN)),
        other => panic!("{other:?}"),
    };
    let active: Vec<_> = bug["input"]["query_at"]
        .as_array()
        .unwrap()
        .iter()
        .map(|at| {
            let at = DateTime::parse_from_str(at.as_str().unwrap(), "%Y-%m-%dT%H:%M%:z").unwrap().naive_utc();
            date("start") <= at && at < date("end")
        })
        .collect();
    assert_eq!(serde_json::json!(active), bug["right"]["active"]);
    // The day after does not hold it.
    assert!(days(&body, "2026-04-06", "2026-04-07", zone).records.is_empty());
}

#[test]
fn bug_a19_wall_time_stays_in_summer() {
    let Some(bug) = oracles::bug("A19") else { return };
    let input = |key: &str| bug["input"][key].as_str().unwrap();
    let start = input("DTSTART;TZID=America/Tijuana");
    let body = event(&format!("DTSTART;TZID=America/Tijuana:{start}\nRRULE:{}", input("RRULE")));
    let got = days(&body, "2014-04-14", "2014-04-15", chrono_tz::America::Tijuana);
    assert_eq!(starts(&got), ["2014-04-14T09:30:00-07:00"]);
}

#[test]
fn bug_a20_a_moved_instance_is_where_it_is_now() {
    let Some(bug) = oracles::bug("A20") else { return };
    let lines = |of: &serde_json::Value| {
        let lines =
            of.as_object().unwrap().iter().map(|(key, value)| format!("{key}:{}\n", value.as_str().unwrap()));
        format!("BEGIN:VEVENT\n{}END:VEVENT\n", lines.collect::<String>())
    };
    let body = lines(&bug["input"]["master"]) + lines(&bug["input"]["override"]).as_str();
    let counts: Vec<_> = bug["input"]["queries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|query| {
            // The report's dates are both inside.
            let to = query[1].as_str().unwrap().parse::<NaiveDate>().unwrap().succ_opt().unwrap().to_string();
            days(&body, query[0].as_str().unwrap(), &to, Tz::UTC).records.len()
        })
        .collect();
    assert_eq!(serde_json::json!(counts), bug["right"]["results"]);
}

#[test]
fn lines_are_known_from_the_start_of_the_window() {
    let body = event("DTSTART:20260926T180000Z\nDTEND:20260926T200000Z\nSTATUS:CANCELLED");
    let got = days(&body, "2026-09-20", "2026-10-01", chrono_tz::America::Toronto);
    assert_eq!(
        got.records[0].to_json_line(),
        r#"{"at":"2026-09-20T00:00:00-04:00","event":"calendar.event","id":"u","fields":{"title":"Talk","start":"2026-09-26T14:00:00-04:00","end":"2026-09-26T16:00:00-04:00","all-day":false,"status":"cancelled"}}"#
    );
}

#[test]
fn an_id_survives_moving() {
    let master = event("DTSTART:20260901T090000Z\nRRULE:FREQ=WEEKLY");
    let moved = event("RECURRENCE-ID:20260908T090000Z\nDTSTART:20260909T100000Z");
    let id = |days: &IcsDays| id(&days.records[0]).to_owned();
    let before = id(&days(&master, "2026-09-08", "2026-09-09", Tz::UTC));
    let after = days(&(master.clone() + moved.as_str()), "2026-09-09", "2026-09-10", Tz::UTC);
    assert_eq!((before.as_str(), id(&after).as_str()), ("u/20260908T090000Z", "u/20260908T090000Z"));
}

#[test]
fn ends_durations_and_missing_ends() {
    let one = |lines: &str| {
        let got = days(&event(lines), "2026-03-01", "2026-04-01", chrono_tz::America::Toronto);
        (shown_field(&got.records[0], "start"), shown_field(&got.records[0], "end"))
    };
    let pair = |start: &str, end: &str| (start.to_owned(), end.to_owned());
    assert_eq!(one("DTSTART;VALUE=DATE:20260310"), pair("2026-03-10", "2026-03-11"));
    assert_eq!(
        one("DTSTART;VALUE=DATE:20260310\nDTEND;VALUE=DATE:20260310"),
        pair("2026-03-10", "2026-03-11")
    );
    assert_eq!(one("DTSTART;VALUE=DATE:20260310\nDURATION:P3D"), pair("2026-03-10", "2026-03-13"));
    let nine = "2026-03-10T09:00:00-04:00";
    assert_eq!(one("DTSTART:20260310T090000"), pair(nine, nine));
    assert_eq!(one("DTSTART:20260310T130000Z\nDTEND:20260310T120000Z"), pair(nine, nine));
    assert_eq!(one("DTSTART:20260310T130000Z\nDURATION:PT90M"), pair(nine, "2026-03-10T10:30:00-04:00"));
    // An hour over the spring gap is an hour.
    assert_eq!(
        one("DTSTART;TZID=America/Toronto:20260308T013000\nDURATION:PT1H"),
        pair("2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00")
    );
}

#[test]
fn the_window_is_half_open_and_holds_what_reaches_into_it() {
    let body = event("DTSTART:20260901T220000Z\nDTEND:20260903T000000Z");
    let count = |from, to| days(&body, from, to, Tz::UTC).records.len();
    assert_eq!(count("2026-09-02", "2026-09-03"), 1);
    assert_eq!(count("2026-09-03", "2026-09-04"), 0);
    assert_eq!(count("2026-08-31", "2026-09-01"), 0);
    let point = event("DTSTART:20260902T000000Z");
    assert_eq!(days(&point, "2026-09-02", "2026-09-03", Tz::UTC).records.len(), 1);
    assert_eq!(days(&point, "2026-09-01", "2026-09-02", Tz::UTC).records.len(), 0);
    let empty = read("BEGIN:VCALENDAR\nEND:VCALENDAR", window("2026-09-02", "2026-09-02", Tz::UTC));
    assert!(matches!(empty, Err(IcsError::EmptyWindow { .. })));
}

#[test]
fn this_and_all_later_ones_move() {
    let body = event("DTSTART:20260901T090000Z\nDTEND:20260901T100000Z\nRRULE:FREQ=WEEKLY;COUNT=4")
        + event(
            "RECURRENCE-ID;RANGE=THISANDFUTURE:20260915T090000Z\nDTSTART:20260916T110000Z\nDTEND:20260916T113000Z",
        )
        .as_str();
    let got = days(&body, "2026-09-01", "2026-10-01", Tz::UTC);
    assert_eq!(
        starts(&got),
        [
            "2026-09-01T09:00:00+00:00",
            "2026-09-08T09:00:00+00:00",
            "2026-09-16T11:00:00+00:00",
            "2026-09-23T11:00:00+00:00"
        ]
    );
    assert_eq!(shown_field(&got.records[3], "end"), "2026-09-23T11:30:00+00:00");
}

#[test]
fn hourly_works_and_minutely_is_refused_with_a_reason() {
    let hourly = days(
        &event("DTSTART:20260901T090000Z\nRRULE:FREQ=HOURLY;INTERVAL=6"),
        "2026-09-10",
        "2026-09-11",
        Tz::UTC,
    );
    assert_eq!(hourly.records.len(), 4);
    let minutely =
        days(&event("DTSTART:20260901T090000Z\nRRULE:FREQ=MINUTELY"), "2026-09-10", "2026-09-11", Tz::UTC);
    assert_eq!(minutely.notes, ["`Talk`: refused: it repeats by the second or minute"]);
    assert!(minutely.records.is_empty());
}

#[test]
fn the_first_occurrence_of_a_rule_that_is_not_followed_stays() {
    for (rule, note) in [
        ("FREQ=MINUTELY", "refused: it repeats by the second or minute"),
        (
            "FREQ=DAILY;COUNT=0",
            "its rule in line 7 is left out: `COUNT=0` was found, expected 1 to 4294967295",
        ),
        (
            "FREQ=YEARLY;BYMONTH=13",
            "its rule in line 7 is left out: `BYMONTH=13` was found, expected 1 to 12",
        ),
        ("RSCALE=CHINESE;FREQ=YEARLY", "left out: its calendar scale is not the Gregorian"),
    ] {
        let got = days(
            &event(&format!("DTSTART:20260901T090000Z\nRRULE:{rule}")),
            "2026-09-01",
            "2026-10-01",
            Tz::UTC,
        );
        assert_eq!(starts(&got), ["2026-09-01T09:00:00+00:00"], "{rule}");
        assert_eq!(id(&got.records[0]), "u/20260901T090000Z", "{rule}");
        assert_eq!(got.notes, [format!("`Talk`: {note}")]);
    }
    // The other rule of the event is followed, and an exception holds.
    let body = event(
        "DTSTART:20260901T090000Z\nRRULE:FREQ=DAILY;COUNT=2;BYHOUR=10\nRRULE:FREQ=DAILY;BYHOUR=25\nEXDATE:20260902T100000Z",
    );
    let got = days(&body, "2026-09-01", "2026-10-01", Tz::UTC);
    assert_eq!(starts(&got), ["2026-09-01T09:00:00+00:00", "2026-09-01T10:00:00+00:00"]);
    // Who writes the mark itself changes nothing.
    let body = event("DTSTART:20260901T090000Z\nX-REFUSED-RRULE:0\nX-REFUSED-RRULE:x");
    assert_eq!(days(&body, "2026-09-01", "2026-10-01", Tz::UTC).notes, Vec::<String>::new());
}

#[test]
fn an_end_before_the_start_is_said_and_no_length() {
    let nine = "2026-09-01T09:00:00+00:00";
    for lines in [
        "DTSTART:20260901T090000Z\nDTEND:20260901T080000Z",
        "DTSTART:20260901T090000Z\nDURATION:-PT1H",
        "DTSTART:20260901T090000Z\nRDATE;VALUE=PERIOD:20260901T090000Z/20260901T080000Z",
        "DTSTART:20260901T090000Z\nRDATE;VALUE=PERIOD:20260901T090000Z/-PT1H",
    ] {
        let got = days(&event(lines), "2026-09-01", "2026-09-02", Tz::UTC);
        assert_eq!(
            (starts(&got), shown_field(&got.records[0], "end")),
            (vec![nine.to_owned()], nine.to_owned())
        );
        assert_eq!(got.notes, ["`Talk`: it ends before it starts: read as without length"], "{lines}");
    }
    let date = event("DTSTART;VALUE=DATE:20260901\nDTEND;VALUE=DATE:20260831");
    let got = days(&date, "2026-09-01", "2026-09-02", Tz::UTC);
    assert_eq!((shown_field(&got.records[0], "end"), got.notes.len()), ("2026-09-02".to_owned(), 1));
    // The hour that is there twice: its wall clock goes back, its time does not.
    let twice = event("DTSTART;TZID=America/Toronto:20261101T013000\nDTEND:20261101T061000Z");
    assert_eq!(days(&twice, "2026-11-01", "2026-11-02", Tz::UTC).notes, Vec::<String>::new());
}

#[test]
fn unknown_zones_are_read_at_home_and_said() {
    let body = event("DTSTART;TZID=Customized Time Zone:20260910T090000");
    let got = days(&body, "2026-09-10", "2026-09-11", chrono_tz::Europe::Paris);
    assert_eq!(starts(&got), ["2026-09-10T09:00:00+02:00"]);
    assert_eq!(got.notes, ["the zone `Customized Time Zone` is unknown: read as Europe/Paris"]);
}

#[test]
fn the_zone_comes_from_the_file_when_none_is_given() {
    let read =
        |text: &str| read(text, IcsWindow { zone: None, ..window("2026-09-01", "2026-10-01", Tz::UTC) });
    let own = "BEGIN:VCALENDAR\nX-WR-TIMEZONE:Asia/Tokyo\nEND:VCALENDAR\n";
    assert_eq!(read(own).unwrap().zone, chrono_tz::Asia::Tokyo);
    let only =
        format!("BEGIN:VCALENDAR\n{}END:VCALENDAR\n", event("DTSTART;TZID=Europe/Paris:20260910T090000"));
    assert_eq!(read(&only).unwrap().zone, chrono_tz::Europe::Paris);
    let none = format!("BEGIN:VCALENDAR\n{}END:VCALENDAR\n", event("DTSTART:20260910T090000Z"));
    assert_eq!(read(&none).unwrap_err(), IcsError::NoZone);
}

#[test]
fn what_is_no_whole_calendar_is_refused() {
    let read = |text: &str| read(text, window("2026-09-01", "2026-10-01", Tz::UTC)).unwrap_err();
    for text in ["", "<html></html>", "BEGIN:VCARD\nEND:VCARD\n", "BEGIN:VTODO\nEND:VTODO\n"] {
        assert_eq!(read(text), IcsError::NotACalendar, "{text}");
    }
    assert_eq!(read("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260910T0900"), IcsError::Truncated);
    assert_eq!(read("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\n"), IcsError::Truncated);
}

#[test]
fn titles_are_one_clean_line_and_odd_events_are_left_out() {
    let body = "BEGIN:VEVENT\nSUMMARY:Two\\nlines\\, and a \u{7}bell\nDTSTART:20260910T090000Z\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:x\nSUMMARY:No start\nEND:VEVENT\n";
    let got = days(body, "2026-09-10", "2026-09-11", Tz::UTC);
    assert_eq!(shown_field(&got.records[0], "title"), "Two lines, and a bell");
    assert!(id(&got.records[0]).starts_with("no-uid-"));
    assert_eq!(got.notes, ["1 events left out: it has no start"]);
}

#[test]
fn a_dense_year_is_cut_with_a_note() {
    let got =
        days(&event("DTSTART:20260101T000000Z\nRRULE:FREQ=HOURLY"), "2026-01-01", "2027-01-01", Tz::UTC);
    assert!(got.records.len() <= recur::INSTANCES_MAX);
    assert_eq!(got.notes, ["`Talk`: only its first 2000 occurrences were taken"]);
    assert!(got.records.len() as i64 > TimeDelta::days(80).num_hours());
}

#[test]
fn the_calendar_was_read_once_also_when_it_gives_nothing() {
    let paris = chrono_tz::Europe::Paris;
    let body = event("DTSTART:20260401T090000Z") + "BEGIN:VTODO\nUID:t\nSUMMARY:Buy milk\nEND:VTODO\n";
    for (from, to, items) in [("2026-04-01", "2026-04-02", 1), ("2026-05-01", "2026-06-01", 0)] {
        let got = days(&body, from, to, paris);
        let read = format!(r#"{{"at":"{from}T00:00:00+02:00","signal":"source.calendar","value":true}}"#);
        assert_eq!((got.read.to_json_line(), got.records.len(), got.events), (read, items, 1));
        assert_eq!(got.notes, ["left out: 1 of VTODO"]);
    }
}

#[test]
fn ids_are_bounded_and_stay_apart() {
    let body = |uid: &str| event("DTSTART:20260401T090000Z").replace("UID:u", &format!("UID:{uid}"));
    let [long, longer] = [10_000, 10_001].map(|count| "u".repeat(count));
    let text: String = [&*long, &longer, "a\u{7f}b", "a?b", "plain@example.org"].map(body).concat();
    let got = days(&text, "2026-04-01", "2026-04-02", Tz::UTC);
    let ids: std::collections::BTreeSet<_> = got.records.iter().map(id).collect();
    assert_eq!(ids.len(), 5, "{ids:?}");
    assert!(ids.contains("plain@example.org") && ids.contains("a?b"));
    let odd = "`Talk`: its UID is unprintable or longer than 300: its id is another";
    assert_eq!(got.notes, [odd; 3]);
    for empty in ["", "  "] {
        let got = days(&body(empty), "2026-04-01", "2026-04-02", Tz::UTC);
        assert!(id(&got.records[0]).starts_with("no-uid-"));
        assert_eq!(got.notes, ["`Talk`: its UID is empty: its id is made of its start and title"]);
    }
    assert!(ids.iter().all(|id| id.chars().count() <= 320 && !id.contains(char::is_control)), "{ids:?}");
}

#[test]
fn times_far_away_are_written_as_far_as_a_record_can() {
    let body = event("DTSTART;VALUE=DATE:00010101\nDTEND;VALUE=DATE:99991231")
        + event("UID:v\nDTSTART:00010101T000000Z\nDTEND:99991231T235959Z").as_str();
    let got = days(&body, "2026-04-01", "2026-04-02", chrono_tz::Asia::Tokyo);
    let times = |record: &DayRecord| [shown_field(record, "start"), shown_field(record, "end")];
    let mut found: Vec<_> = got.records.iter().map(times).collect();
    found.sort();
    assert_eq!(
        found,
        [["0002-01-01", "9997-12-31"], ["0002-01-01T09:18:59+09:19", "9998-01-01T08:59:59+09:00"]]
    );
    for (from, to) in [("0001-01-01", "2026-04-02"), ("2026-04-01", "9999-12-31")] {
        let text = format!("BEGIN:VCALENDAR\n{body}END:VCALENDAR\n");
        let error = read(&text, window(from, to, Tz::UTC)).unwrap_err().to_string();
        assert!(error.ends_with("expected the years 1900 to 2999"), "{error}");
    }
}

#[test]
fn a_zone_of_the_file_that_makes_no_sense_is_unknown() {
    let zone = |inside: &str| {
        format!(
            "BEGIN:VTIMEZONE\nTZID:Odd\nBEGIN:STANDARD\nDTSTART:19700101T000000\n{inside}END:STANDARD\nEND:VTIMEZONE\n"
        )
    };
    let dates: String = (0..5_000).map(|n| format!("RDATE:{:04}0101T000000\n", 1970 + n)).collect();
    for inside in [
        "TZOFFSETFROM:+9900\nTZOFFSETTO:-9900\n".to_owned(),
        format!("TZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n{dates}"),
    ] {
        let body = zone(&inside) + event("DTSTART;TZID=Odd:20260401T090000").as_str();
        let got = days(&body, "2026-04-01", "2026-04-02", Tz::UTC);
        assert_eq!(starts(&got), ["2026-04-01T09:00:00+00:00"]);
        assert_eq!(got.notes, ["the zone `Odd` is unknown: read as UTC"]);
    }
}

#[test]
fn zones_of_a_file_share_one_budget() {
    let never = "TZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\n";
    let zone = |n| {
        format!(
            "BEGIN:VTIMEZONE\nTZID:Z{n}\nBEGIN:STANDARD\nDTSTART:19700101T000000\n{never}END:STANDARD\nEND:VTIMEZONE\n"
        )
    };
    let zones: String = (0..3_000).map(zone).collect();
    let got = days(
        &(zones + event("DTSTART;TZID=Z2999:20260401T090000").as_str()),
        "2026-04-01",
        "2026-04-02",
        Tz::UTC,
    );
    // What the zone says without its rule.
    assert_eq!(starts(&got), ["2026-04-01T07:00:00+00:00"]);
}
