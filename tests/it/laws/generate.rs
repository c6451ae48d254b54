//! Random rule sets as text, and random days around the two clock changes of a year.
//!
//! Templates, not grammar: each rule is one that a person could write. All times are whole minutes, so that a
//! reference can walk over minutes and miss no edge.

use std::collections::BTreeSet;

use chrono::DateTime;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use verger::engine::gates::ORDER;
use verger::engine::time::Instant;

use super::{CASES, MINUTE, records, rule_set, run};

/// Midnight in Toronto two days before the clock goes forward, and before it goes back, in 2026.
pub(crate) const STARTS: [i64; 2] = [1_772_773_200_000, 1_793_332_800_000];

/// Days in a case.
pub(crate) const DAYS: i64 = 4;

pub(crate) const HEAD: &str = r#"zone home = "America/Toronto"
budget few = 3 per day in home
budget rare = 1 per hour in home
signal a.heart bpm sampled fresh 40min range 25bpm to 220bpm
signal a.resting bpm daily fresh 24h range 25bpm to 220bpm
signal a.asleep duration nightly fresh 20h range 0min to 16h
stream cal.event { title text, start instant, end instant } timed start to end
stream note.item { kind word, title text }
schedule morning = daily at 07:30 in home, late until 11:00
schedule small = daily at 02:30 in home
schedule often = every 3h in home
"#;

const QUIET: &str = "quiet nights = 23:00 to 07:00 in home\n";

/// A random world: definitions, one a piece, and recorded lines.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) pieces: Vec<String>,
    pub(crate) lines: Vec<String>,
    pub(crate) start: i64,
}

impl World {
    pub(crate) fn end(&self) -> Instant {
        Instant(self.start + (DAYS + 1) * 1440 * MINUTE)
    }
}

/// RFC 3339 in UTC.
pub(crate) fn stamp(ms: i64) -> String {
    DateTime::from_timestamp_millis(ms).unwrap().to_rfc3339()
}

/// A condition of a state rule, with the `let` it needs.
fn condition() -> BoxedStrategy<(String, String)> {
    let plain = |text: String| (String::new(), text);
    prop_oneof![
        (60..120).prop_map(move |v| plain(format!("a.heart > {v}bpm"))),
        (60..120).prop_map(move |v| plain(format!("not a.heart > {v}bpm"))),
        (55..80).prop_map(move |v| plain(format!("a.resting >= {v}bpm"))),
        (5..8).prop_map(move |v| plain(format!("a.asleep < {v}h"))),
        (0..9).prop_map(|v| (
            "  let usual = median of a.resting over 3 days, needs 1\n".into(),
            format!("a.resting > usual + {v}bpm")
        )),
        (1..6, 60..110).prop_map(|(h, v)| (
            format!("  let recent = mean of a.heart within last {h}h, needs 2\n"),
            format!("recent > {v}bpm")
        )),
        (1..9).prop_map(move |h| plain(format!("nothing from a.heart, note.item for {h}h"))),
        Just(plain("a.heart is missing".into())),
        (60..100).prop_map(move |v| plain(format!("at least 1 of (a.heart > {v}bpm, a.resting > {v}bpm)"))),
        Just(plain(r#"some e in cal.event rest of today where e.title has "exam""#.into())),
        Just(plain(r#"no f in cal.event now"#.into())),
    ]
    .boxed()
}

/// The clauses after the condition; each may be absent.
fn clauses() -> BoxedStrategy<String> {
    let hold = prop_oneof![3 => Just(""), 1 => Just("  for 30min\n"), 1 => Just("  for 2h\n")];
    let then = prop_oneof![
        Just("  then tell\n"),
        Just("  then tell within few\n"),
        Just("  then ring within rare\n"),
        Just("  then note\n"),
        Just("  then digest at morning\n"),
        Just("  then tell within few, then ring after 2h unless seen\n")
    ];
    let once = prop_oneof![Just(""), Just("  once per day\n"), Just("  once per hour\n")];
    let wait = prop_oneof![3 => Just(""), 1 => Just("  wait 3h\n")];
    let expires = prop_oneof![3 => Just(""), 1 => Just("  expires 5h\n")];
    let quiet = prop_oneof![
        2 => Just(""),
        1 => Just("  quiet nights: drop\n"),
        1 => Just("  quiet nights: keep until end\n"),
        1 => Just("  quiet nights: soften\n"),
        1 => Just("  quiet nights: pass\n")
    ];
    let unknown = prop_oneof![3 => Just(""), 1 => Just("  unknown fire\n"), 1 => Just("  unknown keep\n")];
    (hold, then, once, wait, expires, quiet, unknown)
        .prop_map(|(a, b, c, d, e, f, g)| [a, b, c, d, e, f, g].concat())
        .boxed()
}

/// One rule; `place` numbers it, and it may read the firings of the one before.
fn rule(place: usize) -> BoxedStrategy<String> {
    let name = format!("r{place}");
    let unless = if place == 0 { String::new() } else { format!("  unless r{} fired today\n", place - 1) };
    let inhibited = prop_oneof![3 => Just(String::new()), 1 => Just(unless)];
    let state = (condition(), condition(), 0..3, inhibited, clauses()).prop_map(
        move |((let_a, a), (let_b, b), join, unless, rest)| {
            let second = match join {
                0 => String::new(),
                // An item has one name.
                _ if a == b => String::new(),
                _ if a.contains(" e in ") && b.contains(" e in ") => String::new(),
                1 if let_a.is_empty() || let_b.is_empty() || let_a != let_b => format!("  and ({b})\n"),
                _ => format!("  or ({b})\n"),
            };
            // Two `let`s may not share a name.
            let lets = if second.is_empty() || let_a == let_b {
                let_a
            } else if let_a.split_whitespace().nth(1) == let_b.split_whitespace().nth(1) && !let_a.is_empty() {
                return format!("rule {name} \"Rule {name}\"\n{let_a}  when {a}\n{unless}{rest}  say \"{name}\"\n");
            } else {
                let_a + let_b.as_str()
            };
            format!("rule {name} \"Rule {name}\"\n{lets}  when {a}\n{second}{unless}{rest}  say \"{name} {{a.heart}}\"\n")
        },
    );
    let name = format!("r{place}");
    let other = prop_oneof![
        Just("  on note.item as n\n  then tell within few\n  say \"{n.title}\"\n".to_owned()),
        Just("  on note.item as n\n  when n.kind in {\"b\"}\n  gather at most 2 at often, oldest first\n  then tell within few\n  expires 9h\n  say \"News:\" each \"{n.title}\"\n".to_owned()),
        Just("  on small\n  then tell\n  quiet nights: pass\n  say \"Half past two\"\n".to_owned()),
        Just("  on morning\n  when a.asleep < 7h\n  then ring within few\n  say \"{a.asleep}\"\n".to_owned()),
        Just("  when each e in cal.event rest of today where e.title has \"exam\"\n  then tell within few\n  once per e\n  say \"{e.title}\"\n".to_owned()),
    ]
    .prop_map(move |rest| format!("rule {name} \"Rule {name}\"\n{rest}"));
    // The clauses of `fmt` order: `once per`, `wait`, … follow `then`.
    prop_oneof![3 => state, 2 => other].boxed()
}

/// One record as a line; times are minutes from the start.
fn line(start: i64, minute: i64, kind: u8, value: i64) -> String {
    // A removal never at the instant of the item's own record: the two have no order.
    let at = stamp(start + (minute + if kind == 13 { 5 } else { 0 }) * MINUTE);
    // Late by less than the shortest window, see `conditions`.
    let seen = stamp(start + (minute - value % 7 * 25) * MINUTE);
    match kind {
        0..=4 => {
            format!(r#"{{"at":"{at}","observed":"{seen}","signal":"a.heart","value":{}}}"#, 50 + value % 90)
        }
        5 | 6 => format!(r#"{{"at":"{at}","signal":"a.resting","value":{}}}"#, 50 + value % 40),
        7 => format!(
            r#"{{"at":"{at}","observed":"{seen}","signal":"a.asleep","value":"{}min"}}"#,
            240 + value % 300
        ),
        8 => {
            let id = value % 5;
            let from = start + (minute + value % 600) * MINUTE;
            let title = if value % 2 == 0 { "exam" } else { "lunch" };
            let (from, to) = (stamp(from), stamp(from + 90 * MINUTE));
            format!(
                r#"{{"at":"{at}","event":"cal.event","id":"e{id}","fields":{{"title":"{title}","start":"{from}","end":"{to}"}}}}"#
            )
        }
        9 => format!(
            r#"{{"at":"{at}","event":"note.item","id":"n{minute}","fields":{{"kind":"{}","title":"t{value}"}}}}"#,
            if value % 2 == 0 { "a" } else { "b" }
        ),
        10 => format!(r#"{{"at":"{at}","signal":"a.heart","value":300}}"#),
        11 => {
            format!(r#"{{"at":"{at}","snooze":"r0","until":"{}"}}"#, stamp(start + (minute + value) * MINUTE))
        }
        12 => format!(
            r#"{{"at":"{at}","quiet":true,"until":"{}"}}"#,
            stamp(start + (minute + value / 2) * MINUTE)
        ),
        13 => format!(r#"{{"at":"{at}","event":"cal.event","id":"e{}","removed":true}}"#, value % 5),
        _ if value < 500 => format!(r#"{{"at":"{at}","down":true}}"#),
        _ => format!(r#"{{"at":"{at}","restart":true}}"#),
    }
}

/// Random lines: at most one of a kind an instant.
pub(crate) fn lines(start: i64, most: usize) -> impl Strategy<Value = Vec<String>> {
    btree_map((0..DAYS * 144, 0_u8..15), 0_i64..1000, most / 2..most).prop_map(move |all| {
        all.into_iter().map(|((ten, kind), value)| line(start, ten * 10, kind, value)).collect()
    })
}

/// A whole world.
pub(crate) fn world() -> BoxedStrategy<World> {
    (0..STARTS.len())
        .prop_flat_map(|which| {
            let start = STARTS[which];
            let rules = (rule(0), rule(1), rule(2), rule(3)).prop_map(|(a, b, c, d)| vec![a, b, c, d]);
            (rules, lines(start, 120)).prop_map(move |(rules, lines)| {
                let mut pieces: Vec<String> = HEAD.lines().map(|line| format!("{line}\n")).collect();
                pieces.push(QUIET.to_owned());
                pieces.extend(rules);
                World { pieces, lines, start }
            })
        })
        .boxed()
}

/// Minutes of a case at which something is done besides.
pub(crate) fn minutes() -> impl Strategy<Value = Vec<i64>> {
    vec(0..(DAYS * 1440), 1..30)
}

/// Laws over worlds in which nothing happens would hold whatever the engine does.
#[test]
fn random_worlds_reach_every_outcome_and_gate() {
    let mut runner = TestRunner::deterministic();
    let (mut outcomes, mut gates) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..CASES {
        let world = world().new_tree(&mut runner).unwrap().current();
        let rules = rule_set(&[world.pieces.concat()]);
        let (run, _) = run(&rules, &records(&rules, &world.lines), world.end());
        for decision in run.decisions() {
            outcomes.insert(decision.outcome.word().to_owned());
            gates.extend(decision.gate.as_deref().map(str::to_owned));
        }
    }
    for outcome in ["delivered", "kept", "digested", "suppressed", "expired"] {
        assert!(outcomes.contains(outcome), "`{outcome}` is not in {outcomes:?}");
    }
    // No random day holds an answer to a decision, whose id it would have to know.
    for gate in ORDER.iter().map(|gate| gate.name).filter(|gate| *gate != "rejected before") {
        assert!(gates.contains(gate), "`{gate}` is not in {gates:?}");
    }
}
