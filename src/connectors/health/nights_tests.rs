//! Nights from made and from published sleep: bug reports A22 and A24, Welltory's sleep table.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDateTime;
use proptest::prelude::*;

use super::*;
use crate::connectors::health::places::ReadingZone;
use crate::oracles;

const HOUR: i64 = 3_600_000_000_000;
const MINUTE: i64 = HOUR / 60;

fn places() -> Places {
    let mut places = Places::default();
    places.zone(ReadingZone::utc());
    places.source("watch");
    places.source("phone");
    places
}

fn ms(text: &str) -> i64 {
    let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M"];
    let parsed = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    parsed.unwrap().and_utc().timestamp_millis()
}

fn segment(source: u16, stage: Stage, from: &str, to: &str) -> Segment {
    Segment { start_ms: ms(from), end_ms: ms(to), counted_ns: None, stage, source, zone: 0 }
}

fn night(segments: &[Segment], date: &str) -> Option<Totals> {
    nights(&sessions(segments.to_vec(), &places())).get(&date.parse().unwrap()).map(|night| night.totals)
}

#[test]
fn bug_a22_phone_and_watch_overlap_counts_once() {
    let Some(bug) = oracles::bug("A22") else { return };
    let spans = bug["input"]["in_bed"].as_array().unwrap();
    let segments: Vec<_> = spans
        .iter()
        .map(|span| {
            let text = |index: usize| span[index].as_str().unwrap();
            segment(u16::from(text(0) == "iPhone"), Stage::InBed, text(1), text(2))
        })
        .collect();
    let got = night(&segments, "2023-12-18").unwrap();
    let minutes = got.in_bed.unwrap() as f64 / MINUTE as f64;
    assert!((minutes - bug["right"]["union_min"].as_f64().unwrap()).abs() < 0.001, "{minutes}");
    assert_eq!(got.asleep, None);
    assert_eq!(night(&segments, "2023-12-17").unwrap().in_bed, Some(54 * MINUTE));
}

#[test]
fn bug_a24_growing_partial_sessions_are_one_night() {
    let Some(bug) = oracles::bug("A24") else { return };
    for stage in [Stage::Asleep, Stage::Core, Stage::InBed] {
        let sessions = bug["input"]["sessions"].as_array().unwrap().iter().map(|span| {
            let end = format!("2026-03-02T{}", span[1].as_str().unwrap());
            segment(0, stage, &format!("2026-03-01T{}", span[0].as_str().unwrap()), &end)
        });
        let got = night(&sessions.collect::<Vec<_>>(), "2026-03-02").unwrap();
        let right = bug["right"]["asleep_or_in_bed_min"].as_i64().unwrap() * MINUTE;
        assert_eq!(if stage == Stage::InBed { got.in_bed } else { got.asleep }, Some(right));
    }
}

#[test]
fn the_more_specific_stage_wins_each_minute() {
    let got = night(
        &[
            segment(1, Stage::InBed, "2026-03-01T22:30", "2026-03-02T07:15"),
            segment(1, Stage::Asleep, "2026-03-01T23:00", "2026-03-02T07:00"),
            segment(0, Stage::Core, "2026-03-01T23:30", "2026-03-02T02:00"),
            segment(0, Stage::Deep, "2026-03-02T02:00", "2026-03-02T03:00"),
            segment(0, Stage::Awake, "2026-03-02T03:00", "2026-03-02T03:20"),
            segment(0, Stage::Rem, "2026-03-02T03:20", "2026-03-02T04:20"),
        ],
        "2026-03-02",
    );
    assert_eq!(
        got,
        Some(Totals {
            asleep: Some(8 * HOUR - 20 * MINUTE),
            deep: Some(HOUR),
            rem: Some(HOUR),
            core: Some(150 * MINUTE),
            awake: Some(20 * MINUTE),
            in_bed: Some(8 * HOUR + 45 * MINUTE),
        })
    );
}

#[test]
fn one_preferred_source_a_minute() {
    // Both stage; the watch saw more of the night, so where they disagree it is right.
    let got = night(
        &[
            segment(0, Stage::Core, "2026-03-01T23:00", "2026-03-02T06:00"),
            segment(1, Stage::Deep, "2026-03-02T05:00", "2026-03-02T07:00"),
        ],
        "2026-03-02",
    )
    .unwrap();
    assert_eq!((got.core, got.deep, got.asleep), (Some(7 * HOUR), Some(HOUR), Some(8 * HOUR)));
}

#[test]
fn in_bed_is_not_asleep_and_absent_is_not_zero() {
    let got =
        night(&[segment(1, Stage::InBed, "2026-03-01T23:00", "2026-03-02T07:00")], "2026-03-02").unwrap();
    assert_eq!(got, Totals { in_bed: Some(8 * HOUR), ..Totals::default() });
    let only =
        night(&[segment(0, Stage::Core, "2026-03-01T23:00", "2026-03-02T07:00")], "2026-03-02").unwrap();
    let core = Some(8 * HOUR);
    assert_eq!(only, Totals { asleep: core, core, ..Totals::default() });
    assert!(
        night(&[segment(0, Stage::Awake, "2026-03-02T01:00", "2026-03-02T02:00")], "2026-03-02").is_none()
    );
}

#[test]
fn naps_are_not_the_night() {
    let main = segment(0, Stage::Core, "2026-03-01T23:30", "2026-03-02T06:40");
    let nap = segment(0, Stage::Core, "2026-03-02T14:00", "2026-03-02T15:30");
    let evening = segment(0, Stage::Core, "2026-03-02T18:30", "2026-03-02T19:45");
    let next = segment(0, Stage::Core, "2026-03-02T23:00", "2026-03-03T05:00");
    let all = [main, nap, evening, next];
    assert_eq!(night(&all, "2026-03-02").unwrap().asleep, Some(430 * MINUTE));
    assert_eq!(night(&all, "2026-03-03").unwrap().asleep, Some(6 * HOUR));
    // A nap alone is not a short night either.
    assert_eq!(night(&[nap], "2026-03-02"), None);
    // A day sleeper's main sleep is one.
    let shift = segment(0, Stage::Core, "2026-03-02T09:00", "2026-03-02T15:00");
    assert_eq!(night(&[shift], "2026-03-02").unwrap().asleep, Some(6 * HOUR));
}

#[test]
fn a_bad_night_stays_one_night_and_a_morning_nap_stays_out() {
    let early = segment(0, Stage::Core, "2026-03-01T22:30", "2026-03-02T01:30");
    let late = segment(0, Stage::Core, "2026-03-02T04:00", "2026-03-02T07:00");
    let again = segment(0, Stage::Core, "2026-03-02T09:00", "2026-03-02T10:00");
    assert_eq!(night(&[early, late, again], "2026-03-02").unwrap().asleep, Some(6 * HOUR));
}

#[test]
fn a_source_may_count_less_than_the_clock() {
    let mut counted = segment(0, Stage::Core, "2026-03-01T23:00", "2026-03-02T06:00");
    counted.counted_ns = Some(6 * HOUR + 1);
    assert_eq!(night(&[counted], "2026-03-02").unwrap().core, Some(6 * HOUR + 1));
    let hidden = segment(1, Stage::Deep, "2026-03-02T00:00", "2026-03-02T01:00");
    assert_eq!(night(&[counted, hidden], "2026-03-02").unwrap().asleep, Some(6 * HOUR + 1));
}

/// Rows of a CSV whose cells hold no comma, by column name.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines().map(|line| line.split(',').map(|cell| cell.trim_matches('"').to_owned()));
    let header: Vec<_> = lines.next().unwrap().collect();
    lines.map(|cells| header.iter().cloned().zip(cells).collect()).collect()
}

#[test]
fn welltory_sleep_hours_by_wake_date() {
    let (Some(sleep), Some(daily)) = (
        oracles::text("health/welltory_hrv_covid19/sleep.csv"),
        oracles::text("health/welltory_daily_baseline_oracle.csv"),
    ) else {
        return;
    };
    // The table's own sum counts the nine nights twice that were written twice, an hour apart; the union
    // does not.
    let mut rewritten = BTreeSet::new();
    let mut compared = 0;
    for day in rows(&daily).iter().filter(|day| !day["sleep_h"].is_empty()) {
        let of_user = rows(&sleep).into_iter().filter(|row| row["user_code"] == day["user"]);
        let segments: Vec<_> =
            of_user.map(|row| segment(0, Stage::Asleep, &row["sleep_begin"], &row["sleep_end"])).collect();
        let date = day["day"].parse::<NaiveDate>().unwrap();
        let on_date = |segment: &&Segment| ReadingZone::utc().date(segment.end_ms) == date;
        let sum: i64 = segments.iter().filter(on_date).map(|row| row.end_ms - row.start_ms).sum();
        let right: f64 = day["sleep_h"].parse().unwrap();
        assert!((sum as f64 / 3_600_000.0 - right).abs() < 6e-5, "{day:?}");
        let here: Vec<_> =
            sessions(segments, &places()).into_iter().filter(|s| s.wake_date == date).collect();
        let union: i64 = here.iter().filter_map(|session| session.totals.asleep).sum();
        if (union as f64 / HOUR as f64 - right).abs() > 6e-5 {
            assert!((union as f64) < right * HOUR as f64, "{day:?}: {here:?}");
            rewritten.insert((day["user"].clone(), day["day"].clone()));
        }
        compared += 1;
    }
    assert_eq!(compared, 105);
    assert_eq!(rewritten.len(), 9, "{rewritten:?}");
}

proptest! {
    #[test]
    fn every_moment_belongs_to_one_sample(
        spans in prop::collection::vec((0_u16..2, 0_usize..6, 0_i64..600, 1_i64..300), 1..30),
    ) {
        let stages = [Stage::Deep, Stage::Rem, Stage::Core, Stage::Awake, Stage::Asleep, Stage::InBed];
        let base = ms("2026-03-01T21:00");
        let segments: Vec<_> = spans.iter().map(|(source, stage, from, length)| Segment {
            start_ms: base + from * 60_000,
            end_ms: base + (from + length) * 60_000,
            counted_ns: None,
            stage: stages[*stage],
            source: *source,
            zone: 0,
        }).collect();
        let got = sessions(segments.clone(), &places());
        let minutes = |wanted: fn(Stage) -> bool| {
            let held: BTreeSet<i64> = segments.iter().filter(|s| wanted(s.stage))
                .flat_map(|s| (s.start_ms / 60_000)..(s.end_ms / 60_000)).collect();
            held.len() as i64 * MINUTE
        };
        let sum = |of: fn(&Totals) -> Option<i64>| got.iter().filter_map(|s| of(&s.totals)).sum::<i64>();
        let parts = sum(|t| t.asleep) + sum(|t| t.awake);
        prop_assert!(parts <= minutes(|stage| stage != Stage::InBed));
        prop_assert_eq!(sum(|t| t.in_bed), minutes(|stage| stage == Stage::InBed));
        let mut backwards = segments;
        backwards.reverse();
        prop_assert_eq!(sessions(backwards, &places()), got);
    }
}
