//! What `test` blocks cannot say about the engine: recorded days through `verger dry-run`, and a state that
//! is saved and read again between steps.

use serde_json::Value;
use verger::engine::decision::Line;
use verger::engine::records::{Read, Reader};
use verger::engine::resolve::{Inputs, resolve};
use verger::engine::rule_set::RuleSet;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::state::State;
use verger::engine::step::{Event, step};
use verger::engine::syntax::parse;
use verger::engine::time::Instant;

use crate::support::{Ran, verger_in};

const RULES: &str = r#"
zone     home = "America/Toronto"
quiet    nights = 23:00 to 07:00 in home
budget   nine = 9 per day in home
schedule brief = daily at 07:30 in home, late until 11:00
schedule often = every 5min in home, late 2min
signal   v number sampled fresh 12h range 0 to 100
stream   post { title text, published instant }

rule high  "High"
  when     v > 10
  then     tell
  say      "v {v}"

rule held  "Held"
  when     v > 10
  for      30min
  then     note
  quiet nights: pass

rule daily  "Daily"
  when     v > 50
  then     tell
  once per day

rule posts  "Posts"
  on       post as p
  then     tell within nine
  say      "{p.title}"

rule morning  "Morning"
  on       brief
  then     note
"#;

/// A reading of `v`; the time is on 2026-03-`day` in Toronto's winter.
fn reading(day: u32, clock: &str, value: i64) -> String {
    format!(r#"{{"at":"2026-03-{day:02}T{clock}-05:00","signal":"v","value":{value}}}"#)
}

fn observed(day: u32, clock: &str, observed: &str, value: i64) -> String {
    format!(
        r#"{{"at":"2026-03-{day:02}T{clock}-05:00","observed":"2026-03-{day:02}T{observed}-05:00","signal":"v","value":{value}}}"#
    )
}

fn word(day: u32, clock: &str, word: &str) -> String {
    format!(r#"{{"at":"2026-03-{day:02}T{clock}-05:00","{word}":true}}"#)
}

fn post(day: u32, clock: &str, id: &str) -> String {
    format!(
        r#"{{"at":"2026-03-{day:02}T{clock}-05:00","event":"post","id":"{id}","fields":{{"title":"{id}"}}}}"#
    )
}

/// `verger dry-run days.jsonl --json` with more arguments.
fn run_with(rules: &str, lines: &[String], more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("rules")).unwrap();
    std::fs::write(folder.path().join("rules/all.rule"), rules).unwrap();
    std::fs::write(folder.path().join("days.jsonl"), lines.join("\n") + "\n").unwrap();
    let mut args = vec!["dry-run", "days.jsonl", "--json"];
    args.extend(more);
    verger_in(folder.path(), &args, "")
}

/// The printed lines of a run that went well.
fn run(lines: &[String]) -> Vec<Value> {
    let ran = run_with(RULES, lines, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // What was set aside is listed; nothing else is to be said.
    assert!(ran.stderr.lines().all(|line| line.contains(" set aside: ")), "{}", ran.stderr);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `12:00 high delivered` for the lines of some rules.
fn short(lines: &[Value], rules: &[&str]) -> Vec<String> {
    let of = |line: &&Value| line["rule"].as_str().is_some_and(|rule| rules.contains(&rule));
    let text = |line: &Value| {
        let at = line["at"].as_str().unwrap();
        format!(
            "{} {} {}",
            at.get(8..16).unwrap(),
            line["rule"].as_str().unwrap(),
            line["outcome"].as_str().unwrap()
        )
    };
    lines.iter().filter(of).map(text).collect()
}

#[test]
fn the_order_of_lines_and_extra_ticks_change_nothing() {
    let mut lines = vec![
        reading(2, "12:00:00", 20),
        reading(2, "13:00:00", 5),
        post(2, "13:30:00", "a"),
        reading(2, "14:00:00", 60),
        reading(3, "09:00:00", 1),
    ];
    let straight = run(&lines);
    assert_eq!(
        short(&straight, &["high", "held", "daily"]),
        [
            "02T12:00 high delivered",
            "02T12:30 held delivered",
            "02T14:00 daily delivered",
            "02T14:00 high delivered",
            "02T14:30 held delivered",
            "03T00:00 daily kept",
            "03T07:00 daily expired"
        ]
    );
    lines.reverse();
    assert_eq!(run(&lines), straight);
    lines.swap(1, 3);
    for minute in 0..60 {
        lines.push(word(2, &format!("12:{minute:02}:30"), "tick"));
    }
    assert_eq!(run(&lines), straight);
}

#[test]
fn from_and_to_only_choose_what_is_shown() {
    let lines = [reading(2, "12:00:00", 20), reading(3, "12:00:00", 21), reading(4, "12:00:00", 1)];
    let all = run(&lines);
    let ran = run_with(RULES, &lines, &["--from", "2026-03-03", "--to", "2026-03-03"]);
    let shown: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected: Vec<&Value> =
        all.iter().filter(|line| line["at"].as_str().unwrap().starts_with("2026-03-03")).collect();
    assert!(!expected.is_empty() && expected.len() < all.len());
    assert_eq!(shown.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn the_current_value_is_the_newest_observed_not_the_newest_arrival() {
    let late = [reading(2, "12:00:00", 5), observed(2, "12:10:00", "11:00:00", 90)];
    assert_eq!(short(&run(&late), &["high"]), Vec::<String>::new());
    let newer = [reading(2, "12:00:00", 5), observed(2, "12:10:00", "12:05:00", 90)];
    assert_eq!(short(&run(&newer), &["high"]), ["02T12:10 high delivered"]);
}

#[test]
fn of_one_observed_the_largest_at_wins_then_the_last_in_canonical_order() {
    let corrected = [
        observed(2, "12:00:00", "11:00:00", 20),
        observed(2, "12:10:00", "11:00:00", 5),
        observed(2, "12:20:00", "11:00:00", 30),
    ];
    assert_eq!(short(&run(&corrected), &["high"]), ["02T12:00 high delivered", "02T12:20 high delivered"]);
    for lines in [
        [reading(2, "12:00:00", 5), reading(2, "12:00:00", 7)],
        [reading(2, "12:00:00", 7), reading(2, "12:00:00", 5)],
    ] {
        let mut lines = lines.to_vec();
        lines.push(reading(2, "12:00:00", 60));
        assert_eq!(
            run(&lines).iter().filter(|line| line["rule"] == "high").count(),
            0,
            "7 is the last as text"
        );
    }
}

#[test]
fn records_of_one_instant_are_applied_together() {
    // High for no time at all: the later text of the same instant wins before anything is judged.
    let lines =
        [reading(2, "11:00:00", 1), observed(2, "12:00:00", "11:30:00", 90), reading(2, "12:00:00", 2)];
    assert_eq!(short(&run(&lines), &["high"]), Vec::<String>::new());
}

#[test]
fn what_claims_to_be_younger_than_its_record_is_set_aside() {
    assert_eq!(
        short(&run(&[observed(2, "12:00:00", "12:05:00", 20)]), &["high"]),
        ["02T12:00 high delivered"]
    );
    assert_eq!(short(&run(&[observed(2, "12:00:00", "12:05:01", 20)]), &["high"]), Vec::<String>::new());
    assert_eq!(short(&run(&[reading(2, "12:00:00", 101)]), &["high"]), Vec::<String>::new());
}

#[test]
fn lines_have_these_keys_in_this_order() {
    let ran = run_with(RULES, &[reading(2, "12:00:00", 20)], &[]);
    let line = ran.stdout.lines().find(|line| line.contains("\"high\"")).unwrap();
    let keys = [
        "at",
        "rule",
        "per",
        "occurrence",
        "outcome",
        "level",
        "gate",
        "reason",
        "until",
        "message",
        "facts",
        "text",
        "id",
        "rules",
    ];
    let places: Vec<usize> = keys.iter().map(|key| line.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{line}");
    assert!(line.starts_with(r#"{"at":"2026-03-02T12:00:00-05:00","rule":"high","per":[],"occurrence":"2026-03-02T12:00:00-05:00","outcome":"delivered","level":"tell","gate":null,"reason":null,"until":null,"#), "{line}");
    assert!(line.contains(r#""text":"v 20""#), "{line}");
}

#[test]
fn ids_do_not_depend_on_time_zone_spelling_titles_or_text() {
    let ids = |rules: &str, lines: &[String]| -> Vec<String> {
        let ran = run_with(rules, lines, &[]);
        let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .filter(|line| line["rule"] == "high")
            .map(|line| line["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let lines = [reading(2, "12:00:00", 20)];
    let before = ids(RULES, &lines);
    assert_eq!(before.len(), 1);
    let edited = RULES.replace("\"High\"", "\"Quite high\"").replace("v {v}", "It is {v}");
    assert_eq!(ids(&edited, &lines), before);
    let spelled = [r#"{"at":"2026-03-02T17:00:00Z","signal":"v","value":20}"#.to_owned()];
    assert_eq!(ids(RULES, &spelled), before);
}

#[test]
fn what_is_released_together_is_one_message_with_a_decision_each() {
    let lines = [
        reading(2, "23:30:00", 20),
        post(2, "23:40:00", "a"),
        post(2, "23:50:00", "b"),
        word(3, "07:10:00", "tick"),
    ];
    let told = run(&lines);
    let released: Vec<&Value> = told
        .iter()
        .filter(|line| line["outcome"] == "delivered" && line["at"] == "2026-03-03T07:00:00-05:00")
        .collect();
    assert_eq!(released.len(), 3);
    assert!(released.iter().all(|line| line["message"] == released[0]["message"]), "{released:?}");
    assert!(released[0]["id"] != released[1]["id"]);
    let kept: Vec<&Value> = told.iter().filter(|line| line["outcome"] == "kept").collect();
    assert!(
        released.iter().all(|line| kept.iter().any(|kept| kept["id"] == line["id"])),
        "kept lines have the same ids"
    );
}

#[test]
fn a_failed_hand_over_is_retried_under_a_new_id() {
    let lines = vec![reading(2, "12:00:00", 60), reading(2, "12:40:00", 61)];
    let id = |lines: &[Value]| {
        let of = |line: &&Value| line["rule"] == "daily" && line["outcome"] == "delivered";
        lines.iter().filter(of).map(|line| line["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let first = id(&run(&lines));
    assert_eq!(first.len(), 1);
    let failed =
        format!(r#"{{"at":"2026-03-02T12:20:00-05:00","handover":"{}","result":"failed"}}"#, first[0]);
    let told = run(&[lines, vec![failed]].concat());
    assert_eq!(
        short(&told, &["daily"])[..2],
        ["02T12:00 daily delivered".to_owned(), "02T12:20 daily expired".to_owned()]
    );
    assert_eq!(
        told.iter().find(|line| line["rule"] == "daily" && line["outcome"] == "expired").unwrap()["gate"],
        "handover"
    );
    let both = id(&told);
    assert_eq!(both.len(), 2, "{told:?}");
    assert_eq!(both[0], first[0]);
    assert_ne!(both[0], both[1]);
}

#[test]
fn a_late_run_says_how_late_and_a_missed_one_is_a_line() {
    let lines = [
        word(2, "06:00:00", "down"),
        word(2, "08:05:00", "restart"),
        word(3, "06:00:00", "down"),
        word(3, "11:00:00", "restart"),
    ];
    let told = run(&lines);
    let late: Vec<&Value> = told.iter().filter(|line| line["rule"] == "morning").collect();
    assert_eq!(late.len(), 1, "{told:?}");
    assert_eq!(
        (&late[0]["at"], &late[0]["late"]),
        (&Value::from("2026-03-02T08:05:00-05:00"), &Value::from("35min"))
    );
    let missed: Vec<String> =
        told.iter().filter(|line| line["schedule"] == "brief").map(Value::to_string).collect();
    assert_eq!(missed, [r#"{"at":"2026-03-03T07:30:00-05:00","missed":true,"schedule":"brief"}"#]);
}

#[test]
fn after_hours_down_a_frequent_schedule_runs_once() {
    let rules = RULES.replace("  on       brief", "  on       often").replace("late 2min", "late 4min");
    let lines = [word(2, "02:00:00", "down"), word(2, "08:02:00", "restart"), word(2, "08:04:00", "tick")];
    let ran = run_with(&rules, &lines, &[]);
    let told: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let late = told.iter().filter(|line| line["late"] == "2min").count();
    let missed = told.iter().filter(|line| line["missed"] == true && line["schedule"] == "often").count();
    // The run at 02:00 came before the fall; 02:05 to 07:55 are missed, 08:00 is caught up.
    assert_eq!((late, missed), (1, 71), "{}", ran.stdout);
}

#[test]
fn a_daily_schedule_runs_once_when_the_clocks_go_back() {
    let rules = "zone home = \"Europe/Berlin\"\nschedule two = daily at 02:00 in home\nrule at-two \"Two\"\n  on two\n  then note\n";
    let start: i64 = 1_635_544_800; // 2021-10-29T22:00:00Z
    let lines: Vec<String> = (0..17_280)
        .map(|place| {
            let second = start + 10 * place;
            let (day, rest) = (29 + (second - 1_635_465_600) / 86_400, second.rem_euclid(86_400));
            format!(
                r#"{{"at":"2021-10-{day:02}T{:02}:{:02}:{:02}Z","tick":true}}"#,
                rest / 3600,
                rest / 60 % 60,
                rest % 60
            )
        })
        .collect();
    let ran = run_with(rules, &lines, &[]);
    let at: Vec<String> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["at"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(at, ["2021-10-30T02:00:00+02:00", "2021-10-31T02:00:00+02:00"]);
}

#[test]
fn a_cap_counts_the_days_of_its_zone() {
    let rules =
        RULES.replace("America/Toronto", "America/Los_Angeles").replace("23:00 to 07:00", "23:58 to 23:59");
    let line = |place: u32, hour: u32, minute: u32| {
        format!(
            r#"{{"at":"2026-09-20T{hour:02}:{minute:02}:00-07:00","event":"post","id":"p{place}","fields":{{"title":"t"}}}}"#
        )
    };
    let first = (0..20).map(|place| line(place, 15, place * 2));
    let second = (20..40).map(|place| line(place, 17, place));
    let ran = run_with(&rules, &first.chain(second).collect::<Vec<_>>(), &["--rule", "posts"]);
    assert_eq!(ran.stdout.matches("\"delivered\"").count(), 9);
    assert_eq!(ran.stdout.matches("\"gate\":\"budget\"").count(), 31);
}

#[test]
fn bad_lines_are_errors_that_can_be_skipped() {
    let lines = [
        reading(2, "12:00:00", 20),
        r#"{"at":"2026-03-02T12:10:00","signal":"v","value":5}"#.to_owned(),
        r#"{"at":"2026-03-02T12:20:00-05:00","signal":"v","value":"5h"}"#.to_owned(),
    ];
    let ran = run_with(RULES, &lines, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains(":2"), "{}", ran.stderr);
    let skipped = run_with(RULES, &lines, &["--skip-bad"]);
    assert_eq!(skipped.code, 0);
    assert!(skipped.stderr.contains(":2") && skipped.stderr.contains(":3"), "{}", skipped.stderr);
    assert_eq!(skipped.stdout, run_with(RULES, &lines[..1], &[]).stdout);
}

#[test]
fn unknown_signals_are_counted_and_unknown_fields_ignored() {
    let lines = [
        r#"{"at":"2026-03-02T12:00:00-05:00","signal":"nobody","value":1}"#.to_owned(),
        r#"{"at":"2026-03-02T12:00:00-05:00","signal":"v","value":20,"source":"x"}"#.to_owned(),
    ];
    let ran = run_with(RULES, &lines, &[]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("nobody"), "{}", ran.stderr);
    assert_eq!(ran.stdout.matches("\"high\"").count(), 1);
}

#[test]
fn what_cannot_be_done_ends_with_two() {
    assert_eq!(run_with(RULES, &[], &[]).code, 2, "empty days");
    assert_eq!(
        run_with("rule x \"X\"\n  when nonsense > 1\n  then tell\n", &[reading(2, "12:00:00", 1)], &[]).code,
        2
    );
    assert_eq!(run_with(RULES, &[reading(2, "12:00:00", 1)], &["--rule", "hihg"]).code, 2);
    let missing =
        verger_in(tempfile::tempdir().unwrap().path(), &["dry-run", "nowhere", "--rules", "nowhere"], "");
    assert_eq!(missing.code, 2);
}

/// The rules as a set.
fn rule_set() -> RuleSet {
    let mut sources = Sources::default();
    let file = SourceFile::new("all.rule", RULES);
    let id = sources.add(file.clone());
    let (tree, found) = parse(&file, id);
    assert!(found.is_empty(), "{found:?}");
    resolve(&[tree], &sources, &Inputs::default()).rules
}

#[test]
fn a_state_that_is_saved_and_read_again_after_each_step_says_the_same() {
    let rules = rule_set();
    let lines = [
        reading(2, "12:00:00", 20),
        reading(2, "12:10:00", 60),
        word(2, "12:20:00", "restart"),
        post(2, "12:25:00", "a"),
        reading(2, "12:50:00", 5),
        reading(2, "23:30:00", 70),
        word(3, "00:30:00", "down"),
        reading(3, "01:00:00", 80),
        word(3, "06:30:00", "restart"),
        word(3, "08:00:00", "tick"),
        reading(3, "21:00:00", 5),
    ];
    let play = |restart: bool| -> Vec<Line> {
        let mut reader = Reader::new(&rules);
        let mut state = State::new(&rules);
        let mut said = Vec::new();
        for line in &lines {
            let Ok(Read::Record(record)) = reader.read_line(line.as_bytes()) else { panic!("{line}") };
            said.extend(step(&rules, &mut state, Event { at: record.at, records: &[record] }).lines);
            if restart {
                let saved = serde_json::to_string(&state).unwrap();
                state = serde_json::from_str(&saved).unwrap();
                state.bind_zones(&rules);
            }
        }
        said
    };
    let straight = play(false);
    assert!(straight.len() >= 8, "{straight:?}");
    assert_eq!(play(true), straight);
}

#[test]
fn a_step_back_in_time_counts_now() {
    let rules = rule_set();
    let mut reader = Reader::new(&rules);
    let mut state = State::new(&rules);
    let mut said = Vec::new();
    for line in [reading(2, "12:00:00", 1), reading(2, "11:00:00", 90), reading(2, "12:30:00", 1)] {
        let Ok(Read::Record(record)) = reader.read_line(line.as_bytes()) else { panic!("{line}") };
        said.extend(step(&rules, &mut state, Event { at: record.at, records: &[record] }).lines);
    }
    assert_eq!(state.clock, Instant(1_772_472_600_000));
    assert!(said.is_empty(), "an older value is no current one: {said:?}");
}
