//! What the commands answer: why a value is missing, what was left out, what to do next.

use super::{folder, ran};

const RULES: &str = r#"
zone home = "America/Toronto"
signal a.x bpm sampled fresh 20h range 0bpm to 100bpm
signal a.y bpm sampled fresh 20h
signal a.z bpm sampled fresh 20h
stream c.e { title text, start instant, end instant } timed start to end
stream m.i { subject text }
quiet nights = 23:00 to 07:00
schedule often = every 1h
budget cautions = 3 per day
function loopy (x bpm) -> bpm from "loopy.rhai"

rule ratio "Ratio"
  let q = a.x / (a.y - a.y)
  when q > 2
  then tell within cautions
  once per day
rule direct "Direct"
  when a.x / (a.y - a.y) > 2
  then note
  once per day
rule loops "Loops"
  when loopy(a.y) > 2bpm
  then note
  once per day
rule absent "Absent"
  when a.z > 2bpm or mean of a.z within last 24h, needs 3 > 2bpm
  then note
  once per day
rule agenda "Agenda"
  when some e in c.e today where (e.title has "exam" and a.y > 5bpm)
  then note
  once per day
rule letter "Letter"
  on m.i as m
  when m.subject has "x"
  then note
"#;

const LOOPY: &str = "fn loopy(x) { let n = 0; while true { n += 1; } x }";

const DAYS: &str = r#"{"at":"2026-09-26T07:00:00-04:00","signal":"a.x","value":50}
{"at":"2026-09-26T07:00:00-04:00","signal":"a.x","value":150}
{"at":"2026-09-26T07:00:00-04:00","signal":"a.y","value":6,"observed":"2026-09-26T07:20:00-04:00"}
{"at":"2026-09-26T07:01:00-04:00","signal":"a.y","value":6}
{"at":"2026-09-26T07:02:00-04:00","signal":"b.x","value":6}
{"at":"2026-09-26T07:02:00-04:00","signal":"b.x","value":6}
{"at":"2026-09-26T07:02:00-04:00","event":"b.y","id":"a"}
{"at":"2026-09-26T07:03:00-04:00","event":"c.e","id":"one","fields":{"title":"yoga","start":"2026-09-26T09:00:00-04:00","end":"2026-09-26T10:00:00-04:00"}}
{"at":"2026-09-26T07:03:00-04:00","event":"c.e","id":"two","fields":{"title":"exam","start":"2026-09-26T11:00:00-04:00","end":"2026-09-26T12:00:00-04:00"}}
{"at":"2026-09-26T07:04:00-04:00","snooze":"away","until":"2026-09-27T07:00:00-04:00"}
{"at":"2026-09-26T07:04:00-04:00","seen":"nothing"}
{"at":"2026-09-26T07:04:00-04:00","feedback":"nothing","verdict":"noise"}
{"at":"2026-09-26T07:04:00-04:00","handover":"nothing","result":"failed"}
{"at":"2026-09-27T12:00:00-04:00","tick":true}
"#;

/// Runs a command line over the files above, `DAYS` and `RULES` standing for their paths.
fn said(command: &str) -> (u8, String, String) {
    said_of(command, RULES)
}

fn said_of(command: &str, rules: &str) -> (u8, String, String) {
    let folder = folder(&[
        ("rules/a.rule", rules.as_bytes()),
        ("rules/loopy.rhai", LOOPY.as_bytes()),
        ("d.jsonl", DAYS.as_bytes()),
    ]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let words: Vec<String> = command
        .split(' ')
        .map(|word| match word {
            "DAYS" => path("d.jsonl"),
            "RULES" => path("rules"),
            "RULE" => path("rules/a.rule"),
            _ => word.replace('_', " "),
        })
        .collect();
    let (code, out, err) = ran(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let base = folder.path().display().to_string();
    (code, out.replace(&base, ""), err.replace(&base, ""))
}

fn why(rule: &str, at: &str) -> String {
    let (code, out, err) = said(&format!("why {rule} --at {at} DAYS --rules RULES"));
    assert_eq!(code, 0, "{err}");
    out
}

#[test]
fn a_missing_value_has_its_reason() {
    let seven = "2026-09-26_07:30";
    for (rule, at, line) in [
        ("ratio", seven, "q: unknown (division by zero)"),
        ("direct", seven, "a.x / (a.y - a.y): unknown (division by zero)"),
        ("loops", seven, "loopy(a.y): unknown (the function ran out of fuel)"),
        ("absent", seven, "a.z: unknown (no value yet)"),
        ("absent", seven, "mean of a.z within last 24h, needs 3: unknown (0 of the 3 values it needs)"),
        ("direct", "2026-09-27_11:00", "a.x: unknown (too old, fresh 20h)"),
        ("letter", seven, "m.subject: unknown (no item of `m.i` yet)"),
    ] {
        let text = why(rule, at);
        assert!(text.lines().any(|found| found.trim() == line), "{rule}: {line}\n{text}");
        let (name, value) = line.split_once(": ").unwrap();
        let (_, json, _) = said(&format!("why {rule} --at {at} DAYS --rules RULES --json"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let values = json.pointer("/clauses/0/values").unwrap();
        assert_eq!(values[name], value, "{json}");
    }
    // What is known has none, and what is missing is said where it is missing.
    assert!(!why("direct", "2026-09-27_11:00").contains("a.x / (a.y - a.y): "));
}

#[test]
fn items_are_named_with_what_decided_them() {
    let text = why("agenda", "2026-09-26_07:30");
    let lines: Vec<&str> = text.lines().skip(2).map(str::trim).collect();
    assert_eq!(
        lines.get(..3).unwrap(),
        [
            "some e in c.e today where (e.title has \"exam\" and a.y > 5bpm): 2 items in the window",
            "e two: true, e.title: exam, a.y: 6.0bpm, a.y age: 29min, a.y set aside: 6.0bpm at 2026-09-26 07:00 \
             (observed after it was learnt)",
            "e one: false, e.title: yoga, a.y: 6.0bpm, a.y age: 29min, a.y set aside: 6.0bpm at 2026-09-26 07:00 \
             (observed after it was learnt)",
        ]
    );
}

/// Every question about items, over a stream without items and one with more than are named.
#[test]
fn each_question_names_the_items_that_decide() {
    let none = ["no item of `m.i` yet"];
    let exams =
        ["5 items in the window, 3 of them here", "e b: true, e.title: exam", "e d: true, e.title: exam"];
    let yoga =
        ["5 items in the window, 3 of them here", "e a: false, e.title: yoga", "e c: false, e.title: yoga"];
    for (word, at_items) in [("some", exams), ("each", exams), ("no", exams), ("every", yoga)] {
        for (question, expected) in [
            (format!("{word} e in c.e today where e.title has \"exam\""), &at_items[..]),
            (format!("{word} m in m.i today where m.subject has \"x\""), &none[..]),
            (format!("{word} m in m.i today"), &none[..]),
        ] {
            let text = asked(&question);
            let mut lines = text.lines().skip(2).map(str::trim);
            let first = lines.next().and_then(|line| line.strip_prefix(&format!("{question}: ")));
            let found: Vec<&str> = first.into_iter().chain(lines).take(expected.len()).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
    // Items that lie outside of the window are no missing stream.
    // A window without items is told from a stream without any.
    assert!(asked("no e in c.e within last 1h").contains("within last 1h: 0 items in the window\n"));
}

/// What `why` says of a rule with one question, on a day with five items of `c.e`.
fn asked(question: &str) -> String {
    let rules = format!("{RULES}\nrule asks \"Asks\"\n  when {question}\n  then note\n");
    let item = |(id, title): (&str, &str)| {
        let span = r#""start":"2026-09-26T09:00:00-04:00","end":"2026-09-26T10:00:00-04:00""#;
        let fields = format!(r#"{{"title":"{title}",{span}}}"#);
        format!(r#"{{"at":"2026-09-26T07:00:00-04:00","event":"c.e","id":"{id}","fields":{fields}}}"#) + "\n"
    };
    let titles = [("a", "yoga"), ("b", "exam"), ("c", "yoga"), ("d", "exam"), ("e", "yoga")];
    let days: String = titles.into_iter().map(item).collect();
    let folder = folder(&[
        ("rules/a.rule", rules.as_bytes()),
        ("rules/loopy.rhai", LOOPY.as_bytes()),
        ("d.jsonl", days.as_bytes()),
    ]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let at = "2026-09-26T07:30:00-04:00";
    let (code, out, err) = ran(&["why", "asks", "--at", at, &path("d.jsonl"), "--rules", &path("rules")]);
    assert_eq!(code, 0, "{question}: {err}");
    out
}

#[test]
fn what_was_set_aside_is_said() {
    let (_, _, err) = said("dry-run DAYS --rules RULES");
    let line = "2 values set aside: a.x 150.0bpm at 2026-09-26 07:00 (outside its range 0.0bpm to 100.0bpm), \
                a.y 6.0bpm at 2026-09-26 07:00 (observed after it was learnt)\n";
    assert!(err.contains(line), "{err}");
    // `why` names what was known by then, and keeps it off the answer.
    let (_, out, err) = said("why ratio --at 2026-09-26_07:30 DAYS --rules RULES --json");
    assert!(err.contains(line) && serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{err}{out}");
    assert_eq!(said("why ratio --at 2026-09-26_07:30 DAYS --rules RULES --quiet").2, "");
    let text = why("ratio", "2026-09-26_07:30");
    let line = "a.x set aside: 150.0bpm at 2026-09-26 07:00 (outside its range 0.0bpm to 100.0bpm)\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn records_of_unknown_names_are_counted_in_one_line_a_kind() {
    let (code, _, err) = said("dry-run DAYS --rules RULES");
    assert_eq!(code, 0);
    let lines = "no rule file declares `b.x` (2 records), `b.y` (1 record)\n\
                 `feedback` names nothing that was decided: `nothing` (1 record)\n\
                 `handover` names nothing that was decided: `nothing` (1 record)\n\
                 `seen` names nothing that was decided: `nothing` (1 record)\n\
                 `snooze` names no rule of the set: `away` (1 record)\n";
    assert!(err.starts_with(lines), "{err}");
    assert_eq!(said("dry-run DAYS --rules RULES --quiet").2, "");
}

#[test]
fn many_unknown_names_are_cut() {
    let day = |name: usize| {
        format!(r#"{{"at":"2026-09-26T07:00:00-04:00","signal":"b.n{name:02}","value":1}}"#) + "\n"
    };
    let days: String = (0..25).map(day).collect();
    let folder = folder(&[
        ("rules/a.rule", RULES.as_bytes()),
        ("rules/loopy.rhai", LOOPY.as_bytes()),
        ("d.jsonl", days.as_bytes()),
    ]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (_, _, err) = ran(&["dry-run", &path("d.jsonl"), "--rules", &path("rules")]);
    assert!(err.lines().count() == 1 && err.ends_with("`b.n19` (1 record) and 5 more names\n"), "{err}");
}

#[test]
fn times_outside_of_the_days_are_no_question() {
    for at in ["2026-09-28T00:00:00-04:00", "2027-01-01_00:00", "9998-01-01T00:00:00Z"] {
        let (code, out, err) = said(&format!("why ratio --at {at} DAYS --rules RULES"));
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        let line = format!("error: the days end on 2026-09-27, before `{}`\n", at.replace('_', " "));
        assert!(err.ends_with(&line), "{err}");
    }
    assert_eq!(said("why ratio --at 2026-09-26T06:59:59-04:00 DAYS --rules RULES").0, 2);
    // The first instant belongs to the days, and so does all of the last date.
    for at in ["2026-09-26T07:00:00-04:00", "2026-09-27T12:00:00-04:00", "2026-09-27_23:59"] {
        assert_eq!(said(&format!("why ratio --at {at} DAYS --rules RULES")).0, 0);
    }
}

#[test]
fn a_time_may_leave_out_its_seconds() {
    let whole = why("ratio", "2026-09-26T11:30:00Z");
    for at in ["2026-09-26T11:30Z", "2026-09-26T07:30-04:00", "2026-09-26T07:30", "2026-09-26_07:30"] {
        assert_eq!(why("ratio", at), whole, "{at}");
    }
    for at in ["2026-09-26T11Z", "2026-09-26T11:30:Z", "2026-09-26T11:3Z", "2026-09-26T24:30Z", "now"] {
        assert_eq!(said(&format!("why ratio --at {at} DAYS --rules RULES")).0, 2, "{at}");
    }
}

#[test]
fn dates_that_show_nothing_are_explained() {
    let (code, out, err) = said("dry-run DAYS --rules RULES --from 2026-09-28 --to 2026-09-27");
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(err, "error: `--from 2026-09-28` is later than `--to 2026-09-27`\n");
    let notes = |dates: &str| said(&format!("dry-run DAYS --rules RULES {dates}")).2;
    assert!(notes("--from 2026-09-28").contains("\nthe days end on 2026-09-27\n"));
    assert!(notes("--to 2026-09-25").contains("\nthe days begin on 2026-09-26\n"));
    assert!(!notes("--from 2026-09-26 --to 2026-09-27").contains("the days "));
}

#[test]
fn a_failed_test_can_be_held_against_what_was_expected() {
    let rules = format!(
        "{RULES}\ntest letter\n  given m.i \"one\" subject \"x\" at 2026-09-26 07:00\n  \
         expect 2026-09-26 07:00:30 letter note delivered per \"two\" says \"a\\n\\\"b\\\"\"\n"
    );
    let (code, out, _) = said_of("test RULES", &rules);
    let expected = "  expected  2026-09-26 07:00:30 letter note delivered per \"two\" says \"a\\n\\\"b\\\"\"\n  \
                    got       2026-09-26 07:00 letter note delivered says \"Letter\"\n            \
                    without `per`: the rule has no `once per`\n";
    assert!(code == 1 && out.contains(expected), "{out}");
}

#[test]
fn a_schedule_is_read_at_a_glance() {
    let (_, out, _) = said("schedule --rules RULES --from 2026-11-01 --days 1");
    let expected = "\nSun 2026-11-01\n  00:00  often  every hour, 25 runs\n  07:00  quiet hours nights end\n  23:00  \
                    quiet hours nights begin\n\nNext clock changes\n  America/Toronto  2026-11-01 02:00 becomes 01:00\n";
    assert_eq!(out, expected);
    let few = RULES.replace("every 1h", "daily at 01:30").replace("Toronto\"", "Toronto\", fold both");
    let (code, out, err) = said_of("schedule --rules RULES --from 2026-11-01 --days 1", &few);
    assert!(code == 0 && out.contains("  01:30 -04:00  often\n  01:30 -05:00  often\n"), "{out}{err}");
}

#[test]
fn a_budget_is_explained_with_its_size_and_other_names_with_their_kind() {
    let (_, out, _) = said("explain ratio --rules RULES");
    assert!(out.contains("as long as the budget `cautions` lasts (3 per day)."), "{out}");
    for (name, kind) in [
        ("loopy", "function"),
        ("a.x", "signal"),
        ("c.e", "stream"),
        ("nights", "quiet window"),
        ("often", "schedule"),
        ("cautions", "budget"),
        ("home", "zone"),
    ] {
        let (code, _, err) = said(&format!("explain {name} --rules RULES"));
        assert_eq!((code, err), (2, format!("error: `{name}` is a {kind}, not a rule\n")));
    }
}

#[test]
fn what_to_do_next_is_said() {
    let empty = folder(&[]);
    let home = empty.path().display().to_string();
    for (command, by) in [
        (&["lint"][..], "`PATHS`"),
        (&["fmt"], "`PATHS`"),
        (&["test"], "`PATHS`"),
        (&["explain", "r"], "`--rules DIR`"),
        (&["dry-run", "-"], "`--rules DIR`"),
    ] {
        let words: Vec<&str> = ["--home", &home].into_iter().chain(command.iter().copied()).collect();
        let (code, _, err) = ran(&words);
        let advice = format!("run it beside a folder `rules`, or name one with {by} or `--home DIR`\n");
        assert!(
            code == 2 && err.starts_with("error: there is no folder `") && err.ends_with(&advice),
            "{err}"
        );
    }
    let (code, _, err) = ran(&["lint", "--explain", "zzzzzzzzzzzz"]);
    assert!(code == 2 && err.contains("expected one of") && err.contains("`unknown-name`"), "{err}");
    let (code, _, err) = said("test RULE");
    assert!(code == 2 && err.contains("\nhelp: name the whole folder"), "{err}");
    assert!(said("lint RULE").2.contains("help: name the whole folder"));
    assert!(!said("lint RULES").2.contains("help:"));
    assert!(said_of("lint RULES", "list l = \"a\"\n").2.starts_with("0 rules, 0 errors, "));
}
