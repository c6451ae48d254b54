//! Laws 13, 15, 16, 17: a change of the rules or of the days whose effect on the decisions is known.

use std::collections::BTreeSet;

use proptest::prelude::*;
use verger::engine::decision::Decision;
use verger::engine::syntax::ast::Outcome;
use verger::engine::time::Instant;

use super::generate::{DAYS, HEAD, STARTS, lines, stamp, world};
use super::{CASES, MINUTE, Run, config, records, rule_set, run};

proptest! {
    #![proptest_config(config(CASES))]

    #[test]
    fn law_13_an_unrelated_rule_changes_no_other(world in world(), bound in 50_i64..120) {
        let alone = rule_set(&[world.pieces.concat()]);
        let (without, _) = run(&alone, &records(&alone, &world.lines), world.end());
        let more = format!(
            "budget own = 2 per day in home\nsignal a.other bpm sampled fresh 1h range 25bpm to 220bpm\n\
             rule a-new-one\n  let high = max of a.heart within last 5h, needs 1\n  when high > {bound}bpm\n  \
             or a.other is missing\n  for 30min\n  then tell within own\n  once per hour\n  quiet nights: pass\n"
        );
        let both = rule_set(&[world.pieces.concat(), more]);
        let (with, _) = run(&both, &records(&both, &world.lines), world.end());
        let others = |run: &Run| -> Vec<Decision> {
            let rest = run.decisions().filter(|line| &*line.rule != "a-new-one");
            // One message may carry decisions of several rules.
            rest.map(|line| Decision { message: None, ..line.clone() }).collect()
        };
        prop_assert_eq!(others(&without), others(&with));
    }

    #[test]
    fn law_15_a_lower_threshold_says_no_less(
        low in 50_i64..100, more in 0_i64..30,
        (start, lines) in (0..STARTS.len()).prop_flat_map(|which| (Just(STARTS[which]), lines(STARTS[which], 100)))
    ) {
        let dates = |bound: i64| -> BTreeSet<String> {
            let rule = format!("rule high\n  when a.heart > {bound}bpm\n  then tell\n  once per day\n");
            let rules = rule_set(&[HEAD.to_owned(), rule]);
            let (run, _) = run(&rules, &records(&rules, &lines), Instant(start + (DAYS + 1) * 1440 * MINUTE));
            run.decisions().filter(|line| &*line.rule == "high").map(|line| line.occurrence.to_string()).collect()
        };
        let (all, fewer) = (dates(low), dates(low + more));
        prop_assert!(all.is_superset(&fewer), "{all:?} {fewer:?}");
    }

    #[test]
    fn law_16_a_unit_written_otherwise_is_the_same(
        minutes in 61_i64..600, nights in proptest::collection::vec(0_i64..960, 4..12)
    ) {
        let said = |long: bool| -> Vec<Decision> {
            let length = |minutes: i64| {
                let whole = format!("{}h{}m", minutes / 60, minutes % 60).replace("h0m", "h");
                if long && minutes > 0 { whole } else { format!("{minutes}min") }
            };
            let bound = length(minutes);
            let rule = format!(
                "rule short\n  when a.asleep < {bound}\n  for {}\n  then tell\n  expires {bound}\n",
                if long { "1h30m" } else { "90min" }
            );
            let rules = rule_set(&[HEAD.to_owned(), rule]);
            let line = |(place, minutes): (i64, &i64)| {
                let at = stamp(STARTS[0] + place * 500 * MINUTE);
                let value = length(*minutes);
                format!(r#"{{"at":"{at}","signal":"a.asleep","value":"{value}"}}"#)
            };
            let lines: Vec<String> = (0..).zip(&nights).map(line).collect();
            let (run, _) = run(&rules, &records(&rules, &lines), Instant(STARTS[0] + 9 * 1440 * MINUTE));
            run.decisions().cloned().collect()
        };
        prop_assert_eq!(said(true), said(false));
    }

    #[test]
    fn law_17_a_shifted_zone_shifts_the_decisions(world in world(), hours in 1_i64..10) {
        // Zones without clock changes; `Etc/GMT-3` is three hours ahead.
        let there = |hours: i64| -> Vec<(i64, String, String, Outcome, Option<String>)> {
            let zone = if hours == 0 { "Etc/UTC".to_owned() } else { format!("Etc/GMT-{hours}") };
            let rules = rule_set(&[world.pieces.concat().replace("America/Toronto", &zone)]);
            let ahead = hours * 60 * MINUTE;
            // Ahead of UTC, the same wall clock comes earlier.
            let lines: Vec<String> = world.lines.iter().map(|line| earlier(line, ahead)).collect();
            let (run, _) = run(&rules, &records(&rules, &lines), Instant(world.end().0 - ahead));
            run.decisions().map(|line| {
                let gate = line.gate.as_deref().map(str::to_owned);
                (line.at.0 + ahead, line.rule.to_string(), line.text.to_string(), line.outcome, gate)
            }).collect()
        };
        prop_assert_eq!(there(0), there(hours));
    }
}

/// A line with all its instants earlier.
fn earlier(line: &str, ms: i64) -> String {
    let mut parts = line.split('"').map(str::to_owned).collect::<Vec<_>>();
    for part in &mut parts {
        if let Ok(at) = chrono::DateTime::parse_from_rfc3339(part) {
            *part = stamp(at.timestamp_millis() - ms);
        }
    }
    parts.join("\"")
}
