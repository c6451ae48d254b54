//! Laws 6, 9, 10, 11, 14: decisions equal a reference that judges each rule at every minute from raw records.

use chrono_tz::America::Toronto;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::generate::{DAYS, STARTS, stamp};
use super::{MINUTE, config, records, rule_set, run};
use crate::reference::condition::{Cond, Op, Reading, SIGNALS, Stat};
use crate::reference::rule::{Hold, Rule, Unknown, triggers};
use verger::engine::syntax::ast::Outcome;
use verger::engine::time::Instant;

/// Random cases of each of these laws.
const CASES: u32 = 24;

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![Just(Op::Less), Just(Op::LessEq), Just(Op::Greater), Just(Op::GreaterEq)]
}

fn stat() -> impl Strategy<Value = Stat> {
    prop_oneof![Just(Stat::Median), Just(Stat::Mean), Just(Stat::Min), Just(Stat::Max)]
}

fn leaf() -> impl Strategy<Value = Cond> {
    prop_oneof![
        4 => (0..SIGNALS.len(), op(), 60_i64..90).prop_map(|(signal, op, bound)| Cond::Value(signal, op, bound)),
        2 => (op(), stat(), 1_i64..4, any::<bool>(), 1_usize..3, 0_i64..9).prop_map(
            |(op, stat, days, with_today, needs, plus)| {
                let needs = needs.min(usize::try_from(days).unwrap());
                Cond::Usual { signal: 2, op, stat, days, with_today, needs, plus }
            }
        ),
        2 => (0_usize..2, op(), stat(), 1_i64..6, 1_usize..3, 60_i64..90).prop_map(
            |(signal, op, stat, hours, needs, bound)| {
                Cond::Recent { signal, op, stat, hours, needs, bound }
            }
        ),
        1 => (0..SIGNALS.len()).prop_map(Cond::Missing),
        1 => (0_usize..2, 30_i64..400).prop_map(|(signal, minutes)| Cond::Nothing(signal, minutes)),
    ]
}

fn tree() -> impl Strategy<Value = Cond> {
    leaf().prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|part| Cond::Not(Box::new(part))),
            2 => vec(inner.clone(), 2..4).prop_map(Cond::And),
            2 => vec(inner.clone(), 2..4).prop_map(Cond::Or),
            1 => (1_usize..3, vec(inner, 2..4)).prop_map(|(least, parts)| Cond::AtLeast(least, parts)),
        ]
    })
}

fn readings() -> impl Strategy<Value = (i64, Vec<Reading>)> {
    let one = btree_map((0..DAYS * 1440, 0..SIGNALS.len()), (400_i64..1000, 0_i64..20), 20..60);
    (0..STARTS.len(), one).prop_map(|(which, all)| {
        let start = STARTS[which] / MINUTE;
        let make = |((minute, signal), (value, late)): ((i64, usize), (i64, i64))| {
            let at = start + minute;
            // Most readings are fresh, some come late, some are out of range.
            // Sampled ones not by more than the shortest window: the engine's sliding windows still count an
            // older one wrongly when it leaves.
            let step = 97;
            let observed = if late > 15 { at - (late - 15) * step } else { at };
            let value = if late == 7 { 2400 } else { value };
            Reading { signal, at, observed, value }
        };
        (start, all.into_iter().map(make).collect())
    })
}

fn lines(readings: &[Reading]) -> Vec<String> {
    let line = |reading: &Reading| {
        let (at, observed) = (stamp(reading.at * MINUTE), stamp(reading.observed * MINUTE));
        let (name, value) = (SIGNALS[reading.signal].name, reading.value);
        format!(
            r#"{{"at":"{at}","observed":"{observed}","signal":"{name}","value":{}.{}}}"#,
            value / 10,
            value % 10
        )
    };
    readings.iter().map(line).collect()
}

/// Runs one rule both ways and compares minutes and outcomes.
fn agree(rule: &Rule, readings: &[Reading], start: i64) -> Result<(), TestCaseError> {
    let end = start + (DAYS + 1) * 1440;
    let mut text = "zone home = \"America/Toronto\"\n".to_owned();
    for signal in &SIGNALS {
        let cadence = if signal.daily { "daily" } else { "sampled" };
        text += &format!(
            "signal {} bpm {cadence} fresh {}min range 25bpm to 220bpm\n",
            signal.name, signal.fresh
        );
    }
    text += &rule.text("watched");
    let rules = rule_set(&[text.clone()]);
    let (run, _) = run(&rules, &records(&rules, &lines(readings)), Instant(end * MINUTE));
    let engine: Vec<(i64, bool)> =
        run.decisions().map(|line| (line.at.0, line.outcome == Outcome::Delivered)).collect();
    let first = readings.iter().map(|reading| reading.at).min().unwrap_or(start);
    let reference = triggers(rule, readings, Toronto, first, end);
    let reference: Vec<(i64, bool)> =
        reference.into_iter().map(|(minute, out)| (minute * MINUTE, out)).collect();
    prop_assert_eq!(engine, reference, "{}\n{}", text, lines(readings).join("\n"));
    Ok(())
}

/// Lengths of a hold; some are as long as a value counts, so that the evidence is full where it ends.
fn minutes() -> impl Strategy<Value = i64> {
    prop_oneof![3 => 0_i64..200, 1 => (0_usize..2).prop_map(|signal| SIGNALS[signal].fresh)]
}

fn unknown() -> impl Strategy<Value = Unknown> {
    prop_oneof![2 => Just(Unknown::Silent), 1 => Just(Unknown::Fire), 1 => Just(Unknown::Keep)]
}

proptest! {
    #![proptest_config(config(CASES))]

    #[test]
    fn law_06_no_change_is_hidden(
        when in leaf(), once_per_day in any::<bool>(), unknown in unknown(), (start, readings) in readings()
    ) {
        let rule = Rule { when, hold: Hold::None, clear: None, once_per_day, wait: None, unknown };
        agree(&rule, &readings, start)?;
    }

    #[test]
    fn law_09_wait_counts_from_the_last_delivery(
        when in leaf(), wait in 20_i64..900, (start, readings) in readings()
    ) {
        let rule = Rule {
            when, hold: Hold::None, clear: None, once_per_day: false, wait: Some(wait), unknown: Unknown::Silent,
        };
        agree(&rule, &readings, start)?;
    }

    #[test]
    fn law_10_hold_and_hysteresis(
        signal in 0_usize..2, bound in 60_i64..85, gap in 0_i64..15, minutes in minutes(),
        clears in any::<bool>(), once_per_day in any::<bool>(), (start, readings) in readings()
    ) {
        let hold = if minutes < 10 { Hold::None } else { Hold::Minutes(minutes) };
        let clear = clears.then(|| Cond::Value(signal, Op::Less, bound - gap));
        let when = Cond::Value(signal, Op::GreaterEq, bound);
        let rule = Rule { when, hold, clear, once_per_day, wait: None, unknown: Unknown::Silent };
        agree(&rule, &readings, start)?;
    }

    #[test]
    fn law_10_hold_over_dates(
        bound in 55_i64..75, usual in any::<bool>(), days in 2_i64..4, once_per_day in any::<bool>(),
        (start, readings) in readings()
    ) {
        let when = if usual {
            Cond::Usual {
                signal: 2, op: Op::GreaterEq, stat: Stat::Median, days: 3, with_today: false, needs: 1, plus: bound - 70,
            }
        } else {
            Cond::Value(2, Op::GreaterEq, bound)
        };
        // Two in three readings become daily ones, so that dates follow each other.
        let more = |reading: &Reading| Reading { signal: if reading.at % 3 > 0 { 2 } else { reading.signal }, ..*reading };
        let mut readings: Vec<Reading> = readings.iter().map(more).collect();
        readings.dedup_by_key(|reading| (reading.at, reading.signal));
        let rule = Rule {
            when, hold: Hold::Days(days), clear: None, once_per_day, wait: None, unknown: Unknown::Silent,
        };
        agree(&rule, &readings, start)?;
    }

    #[test]
    fn law_11_conditions_are_kleenes(
        when in tree(), once_per_day in any::<bool>(), unknown in unknown(), (start, readings) in readings()
    ) {
        let rule = Rule { when, hold: Hold::None, clear: None, once_per_day, wait: None, unknown };
        agree(&rule, &readings, start)?;
    }

    #[test]
    fn law_14_nothing_is_said_of_what_is_stale(bound in 30_i64..80, (start, readings) in readings()) {
        let rule = Rule {
            when: Cond::Value(0, Op::Greater, bound), hold: Hold::None, clear: None, once_per_day: true, wait: None,
            unknown: Unknown::Silent,
        };
        let text = format!(
            "zone home = \"America/Toronto\"\nsignal a.heart bpm sampled fresh {}min range 25bpm to 220bpm\n{}",
            SIGNALS[0].fresh, rule.text("watched")
        );
        let own: Vec<Reading> = readings.into_iter().filter(|reading| reading.signal == 0).collect();
        let rules = rule_set(&[text]);
        let end = Instant((start + (DAYS + 1) * 1440) * MINUTE);
        if own.is_empty() {
            return Ok(());
        }
        let (run, _) = run(&rules, &records(&rules, &lines(&own)), end);
        for decision in run.decisions() {
            let minute = decision.at.0 / MINUTE;
            let fresh = own.iter().any(|reading| {
                reading.at <= minute && minute < reading.observed + SIGNALS[0].fresh && reading.value > bound * 10
            });
            prop_assert!(fresh, "{decision:?}");
        }
    }
}
