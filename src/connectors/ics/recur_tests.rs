//! The 90 rules of libical, bug reports A19 and A21, and what the bounds do.

use super::*;
use crate::oracles;
use calcard::icalendar::{ICalendarProperty, ICalendarValue};

fn wall(text: &str) -> NaiveDateTime {
    let text = text.trim_end_matches('Z');
    let time = NaiveDateTime::parse_from_str(text, "%Y%m%dT%H%M%S").ok();
    time.unwrap_or_else(|| NaiveDate::parse_from_str(text, "%Y%m%d").unwrap().into())
}

fn rule(text: &str) -> ICalendarRecurrenceRule {
    let ics = format!("BEGIN:VEVENT\nRRULE:{text}\nEND:VEVENT\n");
    let calcard::Entry::ICalendar(calendar) = calcard::Parser::new(&ics).entry() else { panic!("{text}") };
    let entry = calendar.components[0].property(&ICalendarProperty::Rrule).unwrap().values[0].clone();
    let ICalendarValue::RecurrenceRule(rule) = entry else { panic!("{text}") };
    *rule
}

/// All instances of a rule, over everything.
fn instances(text: &str, start: &str, range: Range<NaiveDateTime>) -> Result<Vec<NaiveDateTime>, RecurError> {
    let rule = rule(text);
    let until = rule.until.as_ref().map(|until| {
        let last = crate::connectors::ics::value::wall_of(until).unwrap();
        if until.has_time() { last } else { last.date().and_hms_opt(23, 59, 59).unwrap() }
    });
    let series = Series { start: wall(start), date_only: !start.contains('T'), until };
    expand(&rule, series, range, &mut Budget::default()).map(|instances| instances.walls)
}

fn always() -> Range<NaiveDateTime> {
    wall("16010101")..far_future()
}

/// Rules of the oracle on which libical and dateutil differ, and we follow dateutil: the weeks of a year
/// with an interval around New Year. (Of the nine that its README takes for advice we agree with libical on
/// the other eight: `BYWEEKNO` without `BYDAY`, `BYSETPOS` in the first week.)
const DIFFERENT: [&str; 1] = ["FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,TU;INTERVAL=3;UNTIL=20320101"];

#[test]
fn libical_rules() {
    let Some(text) = oracles::text("ics/libical_libical/icalrecur_test.txt") else { return };
    let (mut right, mut refused, mut different) = (0, 0, Vec::new());
    for block in text.split("\n\n") {
        let line = |key: &str| block.lines().find_map(|line| line.strip_prefix(key));
        let (Some(rule), Some(start), Some(want)) = (line("RRULE:"), line("DTSTART:"), line("INSTANCES:"))
        else {
            continue;
        };
        if want.contains("UNIMPLEMENTED") {
            continue;
        }
        let want: Vec<_> = want.split(',').map(wall).collect();
        let end = if rule.contains("UNTIL") || rule.contains("COUNT") {
            far_future()
        } else {
            *want.last().unwrap() + TimeDelta::seconds(1)
        };
        match instances(rule, start, wall("16010101")..end) {
            Ok(got) if got == want => right += 1,
            Ok(_) => different.push(rule),
            Err(RecurError::TooOften) => {
                assert!(rule.contains("SECONDLY") || rule.contains("MINUTELY"), "{rule}");
                refused += 1;
            }
            Err(error) => panic!("{rule}: {error}"),
        }
    }
    assert_eq!(different, DIFFERENT);
    assert_eq!((right, refused), (84, 4));
}

#[test]
fn a_window_shows_the_same_as_the_whole() {
    let Some(text) = oracles::text("ics/libical_libical/icalrecur_test.txt") else { return };
    let mut compared = 0;
    for block in text.split("\n\n") {
        let line = |key: &str| block.lines().find_map(|line| line.strip_prefix(key));
        let (Some(rule), Some(start)) = (line("RRULE:"), line("DTSTART:")) else { continue };
        let Ok(all) = instances(rule, start, always()) else { continue };
        for skip in [0, 1, all.len() / 2] {
            let Some(from) = all.get(skip) else { continue };
            let to = *from + TimeDelta::days(400);
            let want: Vec<_> = all.iter().copied().filter(|at| (*from..to).contains(at)).collect();
            assert_eq!(instances(rule, start, *from..to).unwrap(), want, "{rule} from {from}");
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn bug_a21_last_workday() {
    let Some(bug) = oracles::bug("A21") else { return };
    let input = |key: &str| bug["input"][key].as_str().unwrap();
    let want: Vec<_> = bug["right"]["instances"].as_str().unwrap().split(',').map(wall).collect();
    assert_eq!(instances(input("RRULE"), input("DTSTART"), always()).unwrap(), want);
}

#[test]
fn near_the_window_without_walking_there() {
    let from = wall("20260926T000000");
    let day = from..from + TimeDelta::days(1);
    let cases = [
        ("FREQ=DAILY", "16010101T090000", vec!["20260926T090000"]),
        (
            "FREQ=HOURLY;INTERVAL=8",
            "19700101T010000",
            vec!["20260926T010000", "20260926T090000", "20260926T170000"],
        ),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SA", "19700103T090000", vec!["20260926T090000"]),
        ("FREQ=MONTHLY;BYDAY=-1SA", "19700131T090000", vec!["20260926T090000"]),
        ("FREQ=WEEKLY;BYDAY=2SA", "19700131T090000", vec!["20260926T090000"]),
        ("FREQ=WEEKLY;BYDAY=2MO", "19700131T090000", vec![]),
        ("FREQ=YEARLY", "19040926T090000", vec!["20260926T090000"]),
        ("FREQ=YEARLY;INTERVAL=4", "19040926T090000", vec![]),
        ("FREQ=MONTHLY", "19700131T090000", vec![]),
    ];
    for (rule, start, want) in cases {
        let want: Vec<_> = want.into_iter().map(wall).collect();
        assert_eq!(instances(rule, start, day.clone()).unwrap(), want, "{rule}");
    }
}

#[test]
fn bounds() {
    let year = wall("20260101")..wall("20270101");
    let refused = |rule: &str| instances(rule, "20000101T000000", year.clone()).unwrap_err();
    assert_eq!(refused("FREQ=MINUTELY;INTERVAL=15"), RecurError::TooOften);
    assert_eq!(refused("FREQ=SECONDLY;COUNT=3"), RecurError::TooOften);
    assert_eq!(refused("FREQ=HOURLY;COUNT=4000000000"), RecurError::LongCount);
    let still = ICalendarRecurrenceRule { interval: Some(0), ..rule("FREQ=DAILY") };
    let series = Series { start: year.start, date_only: false, until: None };
    let error = expand(&still, series, year.clone(), &mut Budget::default()).unwrap_err();
    assert_eq!(error, RecurError::NoInterval);
    let wrong = ICalendarRecurrenceRule { byyearday: vec![400], ..rule("FREQ=YEARLY") };
    let error = expand(&wrong, series, year.clone(), &mut Budget::default()).unwrap_err();
    assert!(matches!(error, RecurError::Invalid(_)), "{error}");
    let long = ICalendarRecurrenceRule { bysetpos: vec![1; 500], ..rule("FREQ=DAILY") };
    let error = expand(&long, series, year.clone(), &mut Budget::default()).unwrap_err();
    assert_eq!(error, RecurError::LongList);
    let hourly = rule("FREQ=HOURLY");
    let got = expand(&hourly, series, year.clone(), &mut Budget::default()).unwrap();
    assert_eq!((got.walls.len(), got.cut), (INSTANCES_MAX, true));
}

#[test]
fn rules_that_never_happen_are_paid_for() {
    let never = rule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30");
    let series = Series { start: wall("20260101T000000"), date_only: false, until: None };
    let mut budget = Budget::default();
    let mut calls = 0;
    loop {
        match expand(&never, series, wall("20260101")..wall("20270101"), &mut budget) {
            Ok(none) => assert_eq!(none, Instances::default()),
            Err(error) => break assert_eq!(error, RecurError::Fruitless),
        }
        calls += 1;
        assert!(calls <= 32);
    }
    assert_eq!(calls, 32);
}

#[test]
fn long_counts_and_long_waits_are_paid_for() {
    // Counted from its start, and hour by hour through eleven months without an instance.
    for (text, start, most) in [
        ("FREQ=HOURLY;COUNT=90000", "20100101T000000", 60),
        ("FREQ=HOURLY;BYMONTH=12;BYMONTHDAY=31", "20100101T000000", 5_000),
    ] {
        let series = Series { start: wall(start), date_only: false, until: None };
        let mut budget = Budget::default();
        let mut calls = 0;
        loop {
            match expand(&rule(text), series, wall("20260101")..wall("20260102"), &mut budget) {
                Ok(none) => assert_eq!(none, Instances::default()),
                Err(error) => break assert_eq!(error, RecurError::Exhausted),
            }
            calls += 1;
            assert!(calls < most, "{text}");
        }
        assert!(calls > 30, "{text}: {calls}");
    }
}

#[test]
fn a_list_of_times_that_is_a_rule_by_the_minute_is_refused_as_one() {
    let list = |upto: u8| (0..upto).map(|value| value.to_string()).collect::<Vec<_>>().join(",");
    let series = Series { start: wall("20200101T000000"), date_only: false, until: None };
    let day = wall("20260101T000000")..wall("20260102T000000");
    let lists =
        |hours, minutes| format!("FREQ=YEARLY;BYDAY=MO,TH;BYHOUR={};BYMINUTE={}", list(hours), list(minutes));
    let error = expand(&rule(&lists(24, 13)), series, day.clone(), &mut Budget::default()).unwrap_err();
    assert_eq!(error, RecurError::TooOften);
    let got = expand(&rule(&lists(24, 12)), series, day.clone(), &mut Budget::default()).unwrap();
    assert_eq!(got.walls.len(), 288);
    // The period is paid for although the window is short.
    let (mut budget, mut calls) = (Budget::default(), 0);
    while expand(&rule(&lists(24, 12)), series, day.clone(), &mut budget).is_ok() {
        calls += 1;
        assert!(calls < 48);
    }
}
