//! `for` and `clear when` against the state sequences of the shared oracles (`rules/for_state_oracle.json`).
//!
//! The sequences are another engine's. Where the contract decides otherwise, the case is here all the same,
//! with what the contract says and why.

use serde_json::Value;
use verger::engine::rule_set::RuleSet;
use verger::engine::state::State;
use verger::engine::step::{Event, step};
use verger::engine::time::{Instant, Zone, format_instant};

use crate::laws::{MINUTE, events, records, rule_set};

/// 2026-03-02T12:00:00Z
const START: i64 = 1_772_452_800_000;

/// A rule over `v`, whose values count for longer than the time between two of them.
fn rules(fresh: &str, clauses: &str) -> RuleSet {
    let text = format!(
        "zone home = \"UTC\"\nsignal v number sampled fresh {fresh}\nrule watched\n{clauses}\n  then note\n"
    );
    rule_set(&[text])
}

/// What happens to the engine.
enum Happens {
    Sample(i64),
    Down,
    Restart,
}

/// The rule's state after everything up to and including each of some minutes: `none`, or `pending` or
/// `firing` with the minute since which it is; what happens is told with its second.
fn states(rules: &RuleSet, happens: &[(i64, Happens)], minutes: &[i64]) -> Vec<String> {
    let line = |(second, what): &(i64, Happens)| {
        let at = format_instant(Zone::parse("UTC").unwrap(), Instant(START + second * 1000));
        match what {
            Happens::Sample(value) => format!(r#"{{"at":"{at}","signal":"v","value":{value}}}"#),
            Happens::Down => format!(r#"{{"at":"{at}","down":true}}"#),
            Happens::Restart => format!(r#"{{"at":"{at}","restart":true}}"#),
        }
    };
    let records = records(rules, &happens.iter().map(line).collect::<Vec<_>>());
    let shown = |minute: &i64| {
        let until = Instant(START + minute * MINUTE);
        let mut state = State::new(rules);
        for (at, group) in events(&records, until).into_iter().filter(|(at, _)| *at <= until) {
            let _ = step(rules, &mut state, Event { at, records: &group });
        }
        let rule = &state.rule_states[0];
        let minute = |at: Instant| (at.0 - START) / MINUTE;
        match (rule.active, rule.evidence.true_since) {
            (Some(since), _) => format!("firing since {}", minute(since)),
            (None, Some(since)) => {
                format!("pending since {}", minute(since) - rule.evidence.held_ms / MINUTE)
            }
            (None, None) => "none".to_owned(),
        }
    };
    minutes.iter().map(shown).collect()
}

fn series(case: &Value, name: &str) -> Vec<i64> {
    case["series"][name].as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect()
}

/// One sample each `every` minutes.
fn sampled(values: &[i64], every: i64) -> Vec<(i64, Happens)> {
    let samples = values.iter().zip(0..);
    samples.map(|(value, place)| (60 * every * place, Happens::Sample(*value))).collect()
}

/// A time down between two minutes; it begins half a minute later, after the sample of its first minute.
fn down(from: i64, to: i64) -> [(i64, Happens); 2] {
    [(60 * from + 30, Happens::Down), (60 * to, Happens::Restart)]
}

#[test]
fn sequences_of_another_engine() {
    let Some(folder) = crate::oracles::folder("rules: states of `for`") else { return };
    let text = std::fs::read_to_string(folder.join("rules/for_state_oracle.json")).unwrap();
    let oracle: Value = serde_json::from_str(&text).unwrap();
    let mut judged = 0;
    for case in oracle["cases"].as_array().unwrap() {
        match case["name"].as_str().unwrap() {
            "TestKeepFiringFor" => keep_firing(case),
            "TestForStateRestore outage tolerance" => long_outage(case),
            "TestForStateRestore no active alerts" => false_after_the_outage(case),
            "TestForStateRestore grace" => grace(case),
            "promtool unittest" => up_is_zero(case),
            other => panic!("`{other}` is not known here"),
        }
        judged += 1;
    }
    assert_eq!(judged, 5);
}

/// `value > 50, for 1m, keep_firing_for 1m`: to go on for a minute after the last true value is to clear when
/// no value of two minutes, sampled each minute, was true.
fn keep_firing(case: &Value) {
    let rules = rules(
        "5min",
        "  when v > 50\n  for 1min\n  let top = max of v within last 2min, needs 1\n  clear when top <= 50",
    );
    let wanted = case["states"]["0"].as_array().unwrap();
    let minutes: Vec<i64> = (0..).take(wanted.len()).collect();
    let got = states(&rules, &sampled(&series(case, "0"), 1), &minutes);
    for (got, wanted) in got.iter().zip(wanted) {
        let word = wanted.as_str().unwrap().split(' ').next().unwrap();
        assert_eq!(got.split(' ').next(), Some(word), "{got} {wanted}");
    }
}

/// 35 minutes down, more than is tolerated: the time begins anew at the restart. Here a gap longer than the
/// time itself starts over, and the 29 minutes for which no value counted are longer than 25.
fn long_outage(case: &Value) {
    let rules = rules("6min", "  when v < 100\n  for 25min");
    assert_eq!(case["expect"], "not restored: activeAt = restart time");
    for name in ["0", "1"] {
        let mut happens = sampled(&series(case, name), 5);
        happens.extend(down(5, 40));
        assert_eq!(states(&rules, &happens, &[5, 40, 45])[1..], ["pending since 40", "pending since 40"]);
    }
}

/// The value is 120 or 130 at the restart.
fn false_after_the_outage(case: &Value) {
    let rules = rules("6min", "  when v < 100\n  for 25min");
    assert_eq!(case["expect"], "no alerts");
    for name in ["0", "1"] {
        let mut happens = sampled(&series(case, name), 5);
        happens.extend(down(5, 50));
        assert_eq!(states(&rules, &happens, &[50]), ["none"]);
    }
}

/// The oracle makes a rule whose time is over at the restart wait 10 more minutes. The contract contradicts:
/// state survives a restart, so what held for 25 minutes is active at the restart, and what held for 20 is
/// five minutes later. (Report A05 asks for the same.)
fn grace(case: &Value) {
    let rules = rules("6min", "  when v < 100\n  for 25min");
    assert!(case["expect"].as_str().unwrap().contains("must still wait the 10m grace"));
    for (name, matures) in [("0", 25), ("1", 30)] {
        let mut happens = sampled(&series(case, name), 5);
        happens.extend(down(20, 25));
        let got = states(&rules, &happens, &[20, matures - 1, matures]);
        let since = matures - 25;
        // While the engine is down, what it knew last.
        assert_eq!(got[0], format!("pending since {since}"));
        assert!(got[1].starts_with("pending"), "{got:?}");
        assert_eq!(got[2], format!("firing since {matures}"));
    }
}

/// `up == 0 for 5m`
fn up_is_zero(case: &Value) {
    let rules = rules("2min", "  when v = 0\n  for 5min");
    assert_eq!(case["series"]["up"], "0 for 1440 minutes");
    let happens = sampled(&[0; 1440], 1);
    let got = states(&rules, &happens, &[0, 4, 5, 6, 1439]);
    assert_eq!(case["states"]["4m"], "pending");
    assert_eq!(case["states"]["5m and later"], "firing");
    let expected =
        ["pending since 0", "pending since 0", "firing since 5", "firing since 5", "firing since 5"];
    assert_eq!(got, expected);
}
