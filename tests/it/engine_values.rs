//! Values, missing ones and time where a `test` block cannot look: reasons, what is set aside, what is
//! private, moments to the millisecond, what the machine around it is set to.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use verger::engine::decision::{Decision, Line};
use verger::engine::record::Scalar;
use verger::engine::rule_set::RuleSet;
use verger::engine::state::State;
use verger::engine::step::{Effect, Event, step};
use verger::engine::time::Instant;

use crate::laws::{Run, events, records, rule_set, run};
use crate::support::{program, verger_in};

/// A folder with rules and days; scripts by name.
fn folder(rules: &str, scripts: &[(&str, &str)], lines: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("rules/lib")).unwrap();
    fs::write(folder.path().join("rules/all.rule"), rules).unwrap();
    for (name, text) in scripts {
        fs::write(folder.path().join("rules/lib").join(name), text).unwrap();
    }
    fs::write(folder.path().join("days.jsonl"), lines.join("\n") + "\n").unwrap();
    folder
}

/// The JSON lines that a command printed.
fn printed(folder: &Path, args: &[&str]) -> Vec<Value> {
    let ran = verger_in(folder, args, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What a rule set says of lines, up to a day after 2026-03-02.
fn said(rules: &str, lines: &[&str]) -> Run {
    let rules = rule_set(&[rules.to_owned()]);
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    run(&rules, &records(&rules, &lines), END).0
}

/// `12:00:00.000 rule` of each decision, in UTC.
fn moments(run: &Run) -> Vec<String> {
    let shown = |decision: &Decision| {
        let ms = decision.at.0.rem_euclid(86_400_000);
        let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        format!("{hour:02}:{minute:02}:{second:02}.{:03} {}", ms % 1000, decision.rule)
    };
    run.decisions().map(shown).collect()
}

/// 2026-03-03T12:00:00Z
const END: Instant = Instant(1_772_539_200_000);

const REASONS: &str = r#"
zone     home = "UTC"
signal   a number sampled fresh 1h
signal   b number sampled fresh 1h
signal   never number sampled fresh 1h
signal   daily number daily fresh 24h
signal   spent EUR daily fresh 24h
stream   event { title text, start instant, end instant } timed start to end
function endless (n number) -> number from "lib/endless.rhai"
function picky (n number) -> number from "lib/picky.rhai"

rule numbers  "Numbers"
  let   usual = mean of daily over 7 days, needs 3
  let   wobble = sd of daily over 7 days, needs 1
  let   deal = sd of spent over 7 days, needs 2
  when  (a / b) > 0
  or    (a * a * a * a * a * a * a * a) > 0
  or    (a as % of b) > 0%
  or    (never + a) > 0
  or    usual > 0
  or    wobble > 0
  or    deal > 0.00 EUR
  or    endless(a) > 0
  or    picky(b) > 0
  or    round(a, 0) > 0
  then  note

rule items  "Items"
  on    event as e
  when  clock(e.start) before 09:00
  or    e.title has "exam"
  then  note

rule stale  "Stale"
  when  a > 0
  then  note
"#;

#[test]
fn why_names_the_reason_of_each_missing_value() {
    let scripts = [
        ("endless.rhai", "fn endless(n) { loop { } }"),
        ("picky.rhai", "fn picky(n) {\n  throw \"no such day\"\n}"),
    ];
    let lines = [
        r#"{"at":"2026-03-02T12:00:00Z","signal":"a","value":9000000000000}"#,
        r#"{"at":"2026-03-02T12:00:00Z","signal":"b","value":0}"#,
        r#"{"at":"2026-02-27T12:00:00Z","signal":"daily","value":5}"#,
        r#"{"at":"2026-03-02T12:00:00Z","signal":"daily","value":5}"#,
        r#"{"at":"2026-02-27T12:00:00Z","signal":"spent","value":"-80000000000000000.00 EUR"}"#,
        r#"{"at":"2026-02-28T12:00:00Z","signal":"spent","value":"80000000000000000.00 EUR"}"#,
        r#"{"at":"2026-03-02T12:00:00Z","signal":"spent","value":"1.00 EUR"}"#,
        r#"{"at":"2026-03-02T12:00:00Z","event":"event","id":"e","fields":{"start":"2026-03-02","end":"2026-03-03"}}"#,
        r#"{"at":"2026-03-02T14:00:00Z","tick":true}"#,
    ];
    let folder = folder(REASONS, &scripts, &lines);
    let values = |rule: &str, at: &str| {
        let told = printed(folder.path(), &["why", rule, "--at", at, "days.jsonl", "--json"]);
        let mut all = serde_json::Map::new();
        for clause in told[0]["clauses"].as_array().unwrap() {
            assert_eq!(clause["verdict"], "unknown", "{clause}");
            all.extend(clause["values"].as_object().unwrap().clone());
        }
        all
    };
    let numbers = values("numbers", "2026-03-02 12:00");
    for (name, value) in [
        ("(a / b)", "unknown (division by zero)"),
        ("a * a * a", "unknown (the result is too large)"),
        ("(a as % of b)", "unknown (division by zero)"),
        ("never", "unknown (no value yet)"),
        ("usual", "unknown (1 of the 3 values it needs)"),
        ("wobble", "unknown (1 of the 2 values it needs)"),
        ("deal", "unknown (the result is too large)"),
        ("endless(a)", "unknown (the function ran out of fuel)"),
        ("picky(b)", "unknown (the function says: no such day (line 2))"),
        ("round(a, 0)", "unknown (the step is not above zero)"),
    ] {
        assert_eq!(numbers.get(name), Some(&Value::from(value)), "{name}: {numbers:#?}");
    }
    // Where a part is missing, the part is named and not the whole.
    assert!(!numbers.contains_key("never + a"), "{numbers:#?}");
    let items = values("items", "2026-03-02 12:00");
    assert_eq!(items["clock(e.start)"], "unknown (an all-day item has no clock time)");
    assert_eq!(items["e.title"], "unknown (not given)");
    assert_eq!(values("stale", "2026-03-02 13:00")["a"], "unknown (too old, fresh 1h)");
}

#[test]
fn an_error_in_one_rule_never_changes_anothers_result() {
    let sound = "zone home = \"UTC\"\nsignal a number sampled fresh 1h\nsignal b number sampled fresh 1h\nstream post { title text }\n\
        rule plain \"Plain\"\n  when a > 1\n  then note\n  say \"{a} {b}\"\n\
        rule after \"After\"\n  when plain fired today\n  then note\n\
        rule posts \"Posts\"\n  on post as p\n  then note\n";
    let broken = "function endless (n number) -> number from \"lib/endless.rhai\"\n\
        rule aaa \"First\"\n  when endless(a) > 1\n  then note\n\
        rule plain-too \"Fuel\"\n  when endless(a) > 1\n  then note\n  unknown fire\n  say \"{endless(b)}\"\n\
        rule zzz \"Last\"\n  on post as p\n  when endless(a) > 1 or (a / b) > 1\n  then note\n";
    let lines = [
        r#"{"at":"2026-03-02T12:00:00Z","signal":"a","value":2}"#,
        r#"{"at":"2026-03-02T12:00:00Z","signal":"b","value":0}"#,
        r#"{"at":"2026-03-02T12:10:00Z","event":"post","id":"p","fields":{"title":"x"}}"#,
        r#"{"at":"2026-03-02T12:20:00Z","signal":"a","value":0}"#,
        r#"{"at":"2026-03-02T12:30:00Z","signal":"a","value":3}"#,
    ];
    let told = |rules: &str| -> Vec<Value> {
        let folder = folder(rules, &[("endless.rhai", "fn endless(n) { loop { } }")], &lines);
        let mut lines = printed(folder.path(), &["dry-run", "days.jsonl", "--json"]);
        lines.retain(|line| ["plain", "after", "posts"].iter().any(|rule| line["rule"] == *rule));
        lines.iter_mut().for_each(|line| line["rules"] = Value::Null);
        lines
    };
    let alone = told(sound);
    assert_eq!(alone.len(), 4, "{alone:#?}");
    assert_eq!(told(&format!("{sound}{broken}")), alone);
}

#[test]
fn what_is_set_aside_is_kept_listed_and_never_used() {
    let rules = rule_set(&["zone home = \"UTC\"\nsignal v number sampled fresh 9h range 10 to 20\nrule any \"Any\"\n  when v > 0\n  then note\n  once per v\nrule silent \"Silent\"\n  when nothing from v for 1h\n  then note\n".to_owned()]);
    let line = |minute: u32, seen: &str, value: &str| {
        format!(
            r#"{{"at":"2026-03-02T12:{minute:02}:00Z","observed":"2026-03-02T{seen}Z","signal":"v","value":{value}}}"#
        )
    };
    let lines = [
        line(1, "12:01:00", "9.999999"),
        line(2, "12:02:00", "20.000001"),
        line(3, "12:08:00.001", "15"),
        line(4, "12:04:00", "10"),
        line(5, "12:05:00", "20"),
        line(6, "12:11:00", "16"),
    ];
    let (run, state) = run(&rules, &records(&rules, &lines), END);
    let aside: Vec<(i64, &Scalar, &str)> = state
        .set_aside
        .iter()
        .map(|aside| ((aside.at.0 / 60_000) % 60, &aside.value, &*aside.reason))
        .collect();
    let fixed = |steps| Scalar::Fixed(steps);
    assert_eq!(
        aside,
        [
            (1, &fixed(9_999_999), "outside its range"),
            (2, &fixed(20_000_001), "outside its range"),
            (3, &fixed(15_000_000), "observed after it was learnt"),
        ]
    );
    // Both ends are inside; what was set aside made no noise and broke no silence.
    let told = moments(&run);
    let any: Vec<&str> = told.iter().filter_map(|line| line.strip_suffix(" any")).collect();
    assert_eq!(any, ["12:04:00.000", "12:05:00.000", "12:06:00.000"]);
    assert!(told.contains(&"13:06:00.000 silent".to_owned()), "{told:?}");
}

#[test]
fn what_is_private_is_known_as_such_and_decides_like_anything_else() {
    let text = |private: &str| {
        format!(
            "zone home = \"UTC\"\nsignal v number sampled fresh 1h range 0 to 99{private}\nsignal w number sampled fresh 1h\nstream diary {{ title text }}{private}\n\
             rule high \"High\"\n  when v > 10\n  then tell\n  say \"v is {{v}}\"\nrule wrote \"Wrote\"\n  on diary as d\n  then tell\n  say \"{{d.title}}\"\n"
        )
    };
    let of = |private: &str| rule_set(&[text(private)]);
    let flags = |rules: &RuleSet| -> Vec<(String, bool)> {
        let signals = rules.signals.iter().map(|signal| (signal.name.to_string(), signal.private));
        signals.chain(rules.streams.iter().map(|stream| (stream.name.to_string(), stream.private))).collect()
    };
    let all = |private: bool| {
        [("v", private), ("w", false), ("rules.fired", false), ("diary", private)]
            .map(|(name, private)| (name.to_owned(), private))
    };
    assert_eq!((flags(&of(" private")), flags(&of(""))), (all(true).to_vec(), all(false).to_vec()));
    let lines = [
        r#"{"at":"2026-03-02T12:00:00Z","signal":"v","value":42}"#.to_owned(),
        r#"{"at":"2026-03-02T12:10:00Z","event":"diary","id":"d1","fields":{"title":"Dear diary"}}"#
            .to_owned(),
    ];
    let said = |rules: &RuleSet| {
        let mut state = State::new(rules);
        let (mut told, mut effects) = (Vec::new(), Vec::new());
        for (at, group) in events(&records(rules, &lines), END) {
            let outcome = step(rules, &mut state, Event { at, records: &group });
            told.extend(outcome.lines);
            effects.extend(outcome.effects);
        }
        (told, effects)
    };
    let (told, effects) = said(&of(" private"));
    // The template speaks, on this machine.
    let texts: Vec<&str> = told
        .iter()
        .filter_map(|line| match line {
            Line::Decision(decision) => Some(&*decision.text),
            Line::Missed { .. } => None,
        })
        .collect();
    assert_eq!(texts, ["v is 42", "Dear diary"]);
    assert_eq!(said(&of("")).0, told);
    // What is asked of the outside names decisions; it carries no value and no text.
    assert_eq!(effects.len(), 2);
    for (effect, line) in effects.iter().zip(&told) {
        let (Effect::HandOver { decisions, .. }, Line::Decision(line)) = (effect, line) else { panic!() };
        assert_eq!(decisions, std::slice::from_ref(&line.id));
        let shown = serde_json::to_string(effect).unwrap();
        assert!(!shown.contains("42") && !shown.contains("diary"), "{shown}");
    }
}

#[test]
fn comparisons_with_now_turn_to_the_millisecond() {
    let rules = "zone home = \"UTC\"\nsignal a number sampled fresh 90h\n\
        stream event { title text, start instant, end instant } timed start to end\n\
        rule at-three \"At\"\n  when a age >= 3h\n  then note\n\
        rule beyond-three \"Beyond\"\n  when a age > 3h\n  then note\n\
        rule third \"Third\"\n  when 3 * a age > 10001s\n  then note\n\
        rule close \"Close\"\n  when some e in event today where e.start - now < 1h\n  then note\n\
        rule at-most \"At most\"\n  when some e in event today where e.start - now <= 1h\n  then note\n\
        rule after-four \"After four\"\n  when now after 16:00\n  then note\n\
        rule from-four \"From four\"\n  when not now before 16:00\n  then note\n";
    let lines = [
        r#"{"at":"2026-03-02T12:00:00Z","signal":"a","value":1}"#,
        r#"{"at":"2026-03-02T12:00:00Z","event":"event","id":"e","fields":{"start":"2026-03-02T18:00:00Z","end":"2026-03-02T19:00:00Z"}}"#,
    ];
    let mut told = moments(&said(rules, &lines));
    // The next day has its own four o'clock; the run ends before it.
    told.sort();
    assert_eq!(
        told,
        [
            "12:55:33.667 third",
            "15:00:00.000 at-three",
            "15:00:00.001 beyond-three",
            "16:00:00.000 from-four",
            "16:00:00.001 after-four",
            "17:00:00.000 at-most",
            "17:00:00.001 close",
        ]
    );
}

#[test]
fn an_untimed_item_is_when_it_was_observed() {
    let rules = "zone home = \"UTC\"\nschedule noon = daily at 12:30\nstream post { title text }\n\
        rule recent \"Recent\"\n  on noon\n  when some p in post within last 1h\n  then note\n  say \"{p.title} {p age}\"\n";
    let item = |id: &str, observed: &str| {
        format!(
            r#"{{"at":"2026-03-02T12:00:00Z",{observed}"event":"post","id":"{id}","fields":{{"title":"{id}"}}}}"#
        )
    };
    let texts = |lines: &[&str]| -> Vec<String> {
        said(rules, lines).decisions().map(|decision| decision.text.to_string()).collect()
    };
    let seen = item("seen", "\"observed\":\"2026-03-02T11:45:00Z\",");
    let long_ago = item("long-ago", "\"observed\":\"2026-03-02T11:30:00Z\",");
    assert_eq!(texts(&[&seen]), ["seen 45min"]);
    assert_eq!(texts(&[&long_ago]), Vec::<String>::new());
    assert_eq!(texts(&[&item("learnt", "")]), ["learnt 30min"]);
}

#[test]
fn a_decision_uses_only_what_was_known_by_then() {
    let rules = "zone home = \"UTC\"\nsignal v number daily fresh 24h\nstream post { title text }\n\
        schedule often = every 10min\n\
        rule high \"High\"\n  let usual = mean of v over 3 days, needs 1, else 5\n  when v > usual\n  then note\n  once per day\n  say \"{v} {usual}\"\n\
        rule posts \"Posts\"\n  on often\n  when some p in post today\n  then note\n  once per day\n  say \"{p.title}\"\n";
    let lines = [
        r#"{"at":"2026-03-01T12:00:00Z","signal":"v","value":10}"#,
        r#"{"at":"2026-03-02T12:00:00Z","signal":"v","value":11}"#,
        // Learnt later, true before: it changes what is said from then on, and nothing before.
        r#"{"at":"2026-03-02T13:00:00Z","observed":"2026-03-01T13:00:00Z","signal":"v","value":20}"#,
        r#"{"at":"2026-03-02T13:05:00Z","observed":"2026-03-02T11:00:00Z","event":"post","id":"p","fields":{"title":"p"}}"#,
        r#"{"at":"2026-03-03T09:00:00Z","signal":"v","value":30}"#,
    ];
    let decisions = |lines: &[&str]| -> Vec<Decision> { said(rules, lines).decisions().cloned().collect() };
    let all = decisions(&lines);
    let texts: Vec<&str> = all.iter().map(|decision| &*decision.text).collect();
    assert_eq!(texts, ["10 5", "11 10", "p", "30 15.5"]);
    for known in 1..lines.len() {
        let at = records(&rule_set(&[rules.to_owned()]), &[lines[known].to_owned()])[0].at;
        let before = |decisions: &[Decision]| -> Vec<Decision> {
            decisions.iter().filter(|decision| decision.at < at).cloned().collect()
        };
        assert_eq!(before(&decisions(&lines[..known])), before(&all), "{known} lines");
    }
}

#[test]
fn the_machines_zone_is_never_used() {
    let rules = "zone home = \"America/Toronto\"\nsignal v number sampled fresh 90h\nschedule noon = daily at 12:00\n\
        rule midday \"Midday\"\n  on noon\n  then note\n  say \"{now} {clock(now)}\"\n\
        rule daily \"Daily\"\n  when v > 1 and now after 09:00\n  then note\n  once per day\n";
    let lines = [
        r#"{"at":"2026-03-02T12:00:00Z","signal":"v","value":2}"#,
        r#"{"at":"2026-03-03T22:00:00Z","tick":true}"#,
    ];
    let folder = folder(rules, &[], &lines);
    let told = |zone: &str| {
        let mut command = program(folder.path());
        command.env("TZ", zone).args(["dry-run", "days.jsonl"]);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let toronto = told("America/Toronto");
    assert!(toronto.contains("12:00"), "{toronto}");
    for zone in ["UTC", "Asia/Tokyo", "Pacific/Apia", ""] {
        assert_eq!(told(zone), toronto, "{zone}");
    }
}

#[test]
fn a_judgement_out_of_fuel_is_unknown_and_alone_in_it() {
    let rules = "zone home = \"UTC\"\nsignal v number sampled fresh 9h\nstream a { title text }\nstream b { title text }\n\
        rule pairs \"Pairs\"\n  when some x in a today where (some y in b today where x.title = y.title)\n  then note\n\
        rule pairs-fire \"Fire\"\n  when no x in a today where (some y in b today where x.title = y.title)\n  then note\n  unknown fire\n\
        rule plain \"Plain\"\n  when v > 1\n  then note\n";
    let item = |stream: &str, place: u32, minute: u32| {
        format!(
            r#"{{"at":"2026-03-02T12:{minute:02}:00Z","event":"{stream}","id":"{stream}{place}","fields":{{"title":"{stream}{place}"}}}}"#
        )
    };
    let lines = |count: u32| -> Vec<String> {
        let both = (0..count).flat_map(|place| [item("a", place, 0), item("b", place, 0)]);
        both.chain([r#"{"at":"2026-03-02T12:00:00Z","signal":"v","value":2}"#.to_owned()]).collect()
    };
    let few = lines(20);
    let told = moments(&said(rules, &few.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(
        told,
        ["12:00:00.000 pairs-fire", "12:00:00.000 plain"],
        "20 × 20 pairs are looked at, none is equal"
    );
    let set = rule_set(&[rules.to_owned()]);
    let many = lines(600);
    let mut state = State::new(&set);
    let records = records(&set, &many);
    let outcome = step(&set, &mut state, Event { at: records[0].at, records: &records });
    let judged: Vec<_> = outcome
        .trace
        .events
        .iter()
        .filter_map(|event| match event {
            verger::engine::trace::Event::Judged { rule, verdict, .. } => {
                Some((rule.index(), verdict.word()))
            }
            _ => None,
        })
        .collect();
    // 600 × 600 pairs are more than a judgement may look at; each rule begins anew and has its own policy.
    assert_eq!(judged, [(0, "unknown"), (1, "true"), (2, "true")]);
    let folder = folder(rules, &[], &many.iter().map(String::as_str).collect::<Vec<_>>());
    let why = printed(folder.path(), &["why", "pairs", "--at", "2026-03-02 12:00", "days.jsonl", "--json"]);
    assert_eq!(why[0]["clauses"][0]["values"]["fuel"], "unknown (out of fuel)", "{}", why[0]);
}

#[test]
fn the_coming_runs_and_the_next_clock_changes_are_previewed() {
    let rules = "zone home = \"America/Toronto\", default\nzone berlin = \"Europe/Berlin\", fold both\nzone utc = \"UTC\"\n\
        quiet nights = 23:00 to 07:00 in home\nstream event { title text, begins instant } timed begins\n\
        schedule brief = daily at 07:30 in home\nschedule lost = daily at 02:30 in home\nschedule twice = daily at 02:30 in berlin\n\
        schedule soon = 30min before event\nrule x \"X\"\n  on brief\n  then note\n";
    let folder = folder(rules, &[], &[]);
    let shown = |from: &str| {
        let ran = verger_in(folder.path(), &["schedule", "--from", from, "--days", "1"], "");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout
    };
    assert_eq!(
        shown("2026-03-08"),
        "\nSun 2026-03-08\n  03:00  lost\n  07:00  quiet hours nights end\n  07:30  brief\n  21:30  twice\n  23:00  quiet hours nights begin\n\
         \nsoon runs before items, when there are any\n\
         \nNext clock changes\n  America/Toronto  2026-03-08 02:00 becomes 03:00\n  Europe/Berlin  2026-03-29 02:00 becomes 03:00\n  UTC  none in the next two years\n"
    );
    let autumn = shown("2026-10-24");
    assert!(
        autumn.contains("  20:30  twice\n  21:30  twice\n"),
        "the fold of Berlin is seen from home: {autumn}"
    );
}

#[test]
fn the_scripts_of_a_single_file_lie_beside_it() {
    let rules = "zone home = \"UTC\"\nsignal v number sampled fresh 1h\nfunction twice (n number) -> number from \"lib/twice.rhai\"\n\
        rule high \"High\"\n  when twice(v) > 10\n  then note\n  say \"{twice(v)}\"\n\
        test high \"twice six\"\n  given v 6 at 2026-03-02 12:00\n  expect 2026-03-02 12:00 high note delivered says \"12\"\n";
    let folder = folder(rules, &[("twice.rhai", "fn twice(n) { n * 2 }")], &["{}"]);
    for path in ["rules", "rules/all.rule"] {
        let ran = verger_in(folder.path(), &["test", path], "");
        assert_eq!((ran.code, ran.stdout.contains("1 passed")), (0, true), "{path}: {ran:?}");
    }
    fs::copy(folder.path().join("rules/all.rule"), folder.path().join("alone.rule")).unwrap();
    let ran = verger_in(folder.path(), &["test", "alone.rule"], "");
    assert_eq!((ran.code, ran.stderr.contains("unknown script `lib/twice.rhai`")), (2, true), "{ran:?}");
}
