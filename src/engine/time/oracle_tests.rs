//! Time in other tools' words: reported mistakes, and the interval tests of an alert manager.

use serde_json::Value;

use super::*;
use crate::engine::syntax::ast::{Clock, Fold, Gap, Weekday};
use crate::oracles;

fn intervals() -> Option<Value> {
    Some(serde_json::from_str(&oracles::text("rules/time_interval_oracle.json")?).unwrap())
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// The oracles leave seconds out.
fn instant(text: &str) -> Instant {
    let (minute, offset) = text.split_at(16);
    parse_instant(text).or_else(|_| parse_instant(&format!("{minute}:00{offset}"))).unwrap()
}

fn zone(value: &Value) -> Zone {
    Zone::parse(value.as_str().unwrap_or("UTC")).unwrap()
}

fn window(days: DaySet, edges: &Value) -> DailyWindow {
    let clocks: Vec<Clock> = texts(edges).into_iter().map(|text| parse_clock(text).unwrap()).collect();
    DailyWindow { days, from: clocks[0], to: clocks[1] }
}

fn quiet_report(id: &str) {
    let Some(report) = oracles::bug(id) else { return };
    let input = &report["input"];
    let quiet = QuietWindows::new(zone(&input["zone"]), vec![window(DaySet::NONE, &input["quiet"])]);
    let alerts = texts(&input["alerts_at"]);
    let (held, sent): (Vec<&str>, Vec<&str>) = alerts.iter().partition(|at| quiet.contains(instant(at)));
    // One report names instants, the other clock times.
    let agree = |got: &[&str], right: &Value| {
        let right = texts(right);
        assert_eq!(got.len(), right.len(), "{id}: {got:?}");
        for (got, right) in got.iter().zip(right) {
            assert!(got.contains(right), "{id}: {got} is not {right}");
        }
    };
    agree(&held, &report["right"]["held"]);
    agree(&sent, &report["right"]["sent"]);
}

#[test]
fn a01_quiet_hours_keep_their_local_time_in_summer() {
    quiet_report("A01");
}

#[test]
fn a02_quiet_hours_cross_midnight_without_a_hole() {
    quiet_report("A02");
}

#[test]
fn a03_a_daily_run_in_the_repeated_hour_happens_once() {
    let Some(report) = oracles::bug("A03") else { return };
    let input = &report["input"];
    let clocks = vec![parse_clock(input["at"].as_str().unwrap()).unwrap()];
    let (from, rest) = input["replay"].as_str().unwrap().split_once(" .. ").unwrap();
    let (from, to) = (instant(from), instant(rest.split_once(',').unwrap().0));
    let daily = SpecKind::Daily(clocks);
    let spec = ScheduleSpec { zone: zone(&input["zone"]), gap: Gap::After, fold: Fold::First, kind: daily };
    // Asked every ten seconds, as in the report: has a run come since the tick before?
    let ticks = (from.0..to.0).step_by(10_000).map(Instant);
    let fired =
        ticks.filter(|tick| spec.last_at_or_before(*tick) > spec.last_at_or_before(tick.plus_ms(-10_000)));
    assert_eq!(Some(fired.count()), report["right"]["fires"].as_u64().map(|count| count as usize));
}

#[test]
fn a26_a_monthly_run_does_not_drift() {
    let Some(report) = oracles::bug("A26") else { return };
    let start = parse_date(report["input"]["start"].as_str().unwrap()).unwrap();
    let zone = Zone(chrono_tz::UTC);
    let kind = SpecKind::Monthly(start.ymd().2, vec![Clock(540)]);
    let spec = ScheduleSpec { zone, gap: Gap::After, fold: Fold::First, kind };
    let first = spec.next_after(zone.midnight(start));
    let runs = std::iter::successors(first, |run| spec.next_after(*run));
    let count = report["input"]["count"].as_u64().unwrap() as usize;
    let dates: Vec<String> = runs.take(count).map(|run| zone.date(run).to_string()).collect();
    assert_eq!(dates, texts(&report["right"]["dates"]));
}

/// Days of the week as the oracle writes them.
fn days(text: &str) -> DaySet {
    match text {
        "mon-fri" => {
            [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri].into_iter().collect()
        }
        "sat,sun" => [Weekday::Sat, Weekday::Sun].into_iter().collect(),
        other => panic!("unknown days {other}"),
    }
}

/// The windows of an interval; none when it names what a quiet definition cannot say: days of the month,
/// months or years.
fn windows(interval: &Value) -> Option<QuietWindows> {
    if ["days_of_month", "months", "years"].iter().any(|key| interval.get(key).is_some()) {
        return None;
    }
    let days = interval["weekdays"].as_str().map_or(DaySet::NONE, days);
    let whole_day = vec![serde_json::json!(["00:00", "24:00"])];
    let times = interval["times"].as_array().unwrap_or(&whole_day);
    let windows = times.iter().map(|edges| window(days, edges)).collect();
    Some(QuietWindows::new(zone(&interval["location"]), windows))
}

#[test]
fn intervals_of_an_alert_manager() {
    let Some(oracle) = intervals() else { return };
    let (mut tried, mut left_out, mut instants) = (0, 0, 0);
    for case in oracle["cases"].as_array().unwrap() {
        if let Some(intervals) = case["interval_any"].as_array() {
            tried += 1;
            for (at, names) in case["muted_by"].as_object().unwrap() {
                let muting = intervals.iter().filter(|one| windows(one).unwrap().contains(instant(at)));
                let muting: Vec<&str> = muting.map(|one| one["name"].as_str().unwrap()).collect();
                assert_eq!(muting, texts(names), "{at}");
                instants += 1;
            }
            continue;
        }
        let Some(quiet) = windows(&case["interval"]) else {
            left_out += 1;
            continue;
        };
        tried += 1;
        for (list, inside) in [("inside", true), ("outside", false)] {
            for at in texts(&case[list]) {
                assert_eq!(quiet.contains(instant(at)), inside, "{at} in {}", case["interval"]);
                instants += 1;
            }
        }
    }
    // Three cases name days of the month (two of them years too), which quiet windows do not have.
    assert_eq!((tried, left_out, instants), (4, 3, 17));
}

#[test]
fn clock_times_of_an_alert_manager() {
    let Some(oracle) = intervals() else { return };
    for case in oracle["parse"].as_array().unwrap() {
        let edges: Option<Vec<Clock>> =
            case["t"].as_array().unwrap().iter().map(|text| parse_clock(text.as_str()?).ok()).collect();
        // An empty window is refused by a static check on the edges.
        let fine = edges.is_some_and(|edges| edges[0] != edges[1]);
        assert_eq!(Some(fine), case["ok"].as_bool(), "{case}");
    }
}
