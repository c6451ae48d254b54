//! Laws 1–5, 12, 18, 19: what must not be seen in the decisions, and what each decision leaves behind.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;
use verger::engine::decision::Decision;
use verger::engine::gates::ORDER;
use verger::engine::state::State;
use verger::engine::syntax::ast::Outcome;
use verger::engine::time::Instant;
use verger::engine::trace::Event as TraceEvent;

use super::generate::{minutes, stamp, world};
use super::{CASES, MINUTE, Run, config, records, rule_set, run, run_with};

fn saved_and_loaded(state: &State) -> State {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(config(CASES))]

    #[test]
    fn law_01_a_restart_is_not_seen(world in world(), stops in proptest::collection::vec(any::<Index>(), 4)) {
        let rules = rule_set(&[world.pieces.concat()]);
        let records = records(&rules, &world.lines);
        let (through, _) = run(&rules, &records, world.end());
        let stops: BTreeSet<usize> = stops.iter().map(|stop| stop.index(records.len())).collect();
        let (stopped, _) = run_with(&rules, &records, world.end(), |place, state| {
            if !stops.contains(&place) {
                return state;
            }
            let mut loaded = saved_and_loaded(&state);
            loaded.bind_zones(&rules);
            loaded
        });
        prop_assert_eq!(through.lines, stopped.lines);
        prop_assert_eq!(through.traces, stopped.traces);
    }

    #[test]
    fn law_02_the_same_days_decide_the_same(world in world()) {
        let said = || {
            let rules = rule_set(&[world.pieces.concat()]);
            let (run, state) = run(&rules, &records(&rules, &world.lines), world.end());
            let ledger = serde_json::to_string(&state.ledger).unwrap();
            format!("{:?}{:?}{}{ledger}", run.lines, run.traces, rules.hash)
        };
        prop_assert_eq!(said(), said());
    }

    #[test]
    fn law_03_ticks_change_nothing(world in world(), ticks in minutes()) {
        let rules = rule_set(&[world.pieces.concat()]);
        let (quiet, _) = run(&rules, &records(&rules, &world.lines), world.end());
        let first = records(&rules, &world.lines)[0].at.0;
        let mut lines = world.lines.clone();
        for minute in ticks {
            // A tick before the first record would be a longer run, not an extra tick.
            let at = (world.start + minute * MINUTE + minute % 3 * 1234).max(first);
            lines.push(format!(r#"{{"at":"{}","tick":true}}"#, stamp(at)));
        }
        let (ticking, _) = run(&rules, &records(&rules, &lines), world.end());
        prop_assert_eq!(quiet.lines, ticking.lines);
    }

    #[test]
    fn law_04_order_is_not_seen(world in world(), seed in any::<u64>()) {
        let rules = rule_set(&[world.pieces.concat()]);
        let (straight, _) = run(&rules, &records(&rules, &world.lines), world.end());
        let mut pieces = world.pieces.clone();
        shuffle(&mut pieces, seed);
        for piece in &mut pieces {
            *piece = swap_lines_of_when(piece);
        }
        let (left, right) = pieces.split_at(pieces.len() / 2);
        let files = [left.concat(), right.concat()];
        let mut lines = world.lines.clone();
        shuffle(&mut lines, seed ^ 0x55);
        let other = rule_set(&files);
        let (shuffled, _) = run(&other, &records(&other, &lines), world.end());
        prop_assert_eq!(told(&straight), told(&shuffled));
    }

    #[test]
    fn law_05_every_trigger_ends_once(world in world()) {
        let rules = rule_set(&[world.pieces.concat()]);
        let (run, state) = run(&rules, &records(&rules, &world.lines), world.end());
        let mut lives: BTreeMap<&str, Vec<Outcome>> = BTreeMap::new();
        for decision in run.decisions() {
            lives.entry(&decision.id).or_default().push(decision.outcome);
        }
        let kept: BTreeSet<&str> = state.kept.values().map(|kept| &*kept.trigger.id).collect();
        for (id, outcomes) in &lives {
            let finals = outcomes.iter().filter(|outcome| **outcome != Outcome::Kept).count();
            prop_assert_eq!(finals, usize::from(!kept.contains(id)), "{}: {:?}", id, outcomes);
            prop_assert!(finals == 0 || outcomes.last() != Some(&Outcome::Kept), "{}: {:?}", id, outcomes);
        }
        prop_assert!(kept.iter().all(|id| lives.contains_key(id)));
        let made = run.traces.iter().flat_map(|trace| &trace.events);
        let made: Vec<&str> = made.filter_map(|event| match event {
            TraceEvent::Triggered { id, .. } => Some(&**id),
            _ => None,
        }).collect();
        let own: BTreeSet<&str> = lives.keys().copied().filter(|id| !id.contains('/')).collect();
        prop_assert_eq!(made.len(), own.len(), "each trigger has its lines");
        prop_assert_eq!(made.into_iter().collect::<BTreeSet<_>>(), own);
    }

    #[test]
    fn law_12_a_record_twice_is_a_record_once(world in world(), again in proptest::collection::vec(any::<Index>(), 10)) {
        let rules = rule_set(&[world.pieces.concat()]);
        let (once, _) = run(&rules, &records(&rules, &world.lines), world.end());
        let mut lines = world.lines.clone();
        for place in again {
            lines.push(world.lines[place.index(world.lines.len())].clone());
        }
        let (twice, _) = run(&rules, &records(&rules, &lines), world.end());
        prop_assert_eq!(once.lines, twice.lines);
    }

    #[test]
    fn law_18_an_equal_reload_is_not_seen(world in world(), reloads in proptest::collection::vec(any::<Index>(), 3)) {
        let rules = rule_set(&[world.pieces.concat()]);
        let records = records(&rules, &world.lines);
        let (through, _) = run(&rules, &records, world.end());
        // Another title is another set with the same meaning; blanks and comments are the same set.
        let titled = rule_set(&[world.pieces.concat().replace("\"Rule ", "\"Title ")]);
        let spaced = rule_set(&[world.pieces.concat().replace("\n  then", "  # a comment\n    then")]);
        prop_assert_eq!(&spaced.hash, &rules.hash);
        let reloads: BTreeSet<usize> = reloads.iter().map(|at| at.index(records.len())).collect();
        let (reloaded, _) = run_with(&rules, &records, world.end(), |place, state| {
            if !reloads.contains(&place) {
                return state;
            }
            let there = state.carry(&rules, &titled);
            there.carry(&titled, &rules).carry(&rules, &spaced)
        });
        prop_assert_eq!(through.lines, reloaded.lines);
    }

    #[test]
    fn law_19_the_trace_is_complete(world in world()) {
        let rules = rule_set(&[world.pieces.concat()]);
        let (run, _) = run(&rules, &records(&rules, &world.lines), world.end());
        let mut at = Instant(i64::MIN);
        let mut gates: BTreeMap<(Instant, String), Vec<(&str, bool)>> = BTreeMap::new();
        for event in run.traces.iter().flat_map(|trace| &trace.events) {
            match event {
                TraceEvent::At(now) => at = *now,
                TraceEvent::Gate(seen) => {
                    let trigger = gates.entry((at, seen.id.to_string())).or_default();
                    trigger.push((seen.gate, seen.stopped.is_some()));
                }
                _ => {}
            }
        }
        let order: Vec<&str> = ORDER.iter().map(|gate| gate.name).collect();
        for decision in run.decisions() {
            let seen = gates.get(&(decision.at, decision.id.to_string()));
            match (decision.outcome, decision.gate.as_deref()) {
                (Outcome::Delivered, gate) => {
                    let seen = seen.expect("a delivered trigger went through the gates");
                    prop_assert_eq!(gate, None);
                    prop_assert_eq!(&seen.iter().map(|(gate, _)| *gate).collect::<Vec<_>>(), &order);
                }
                (Outcome::Kept, Some(gate)) => {
                    let seen = seen.expect("a kept trigger went through the gates");
                    prop_assert_eq!(seen.last(), Some(&(gate, true)));
                }
                (Outcome::Suppressed, Some(gate)) if gate != "superseded" => {
                    let seen = seen.expect("a suppressed trigger went through the gates");
                    prop_assert_eq!(seen.last(), Some(&(gate, true)));
                }
                (Outcome::Digested, gate) => prop_assert_eq!(gate, None),
                (_, gate) => prop_assert!(gate.is_some() && decision.reason.is_some()),
            }
        }
    }
}

/// What a run said; facts stand in the order of reading, which is that of the lines of a `when`.
fn told(run: &Run) -> Vec<Decision> {
    let mut all: Vec<Decision> = run.decisions().cloned().collect();
    for decision in &mut all {
        decision.facts.sort();
    }
    all
}

/// A fixed permutation by a seed.
fn shuffle<T>(all: &mut [T], mut seed: u64) {
    for place in (1..all.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(seed >> 33).unwrap() % (place + 1);
        all.swap(place, other);
    }
}

/// The two lines of a `when`, the other way round.
fn swap_lines_of_when(rule: &str) -> String {
    let mut lines: Vec<String> = rule.lines().map(str::to_owned).collect();
    let Some(first) = lines.iter().position(|line| line.starts_with("  when ")) else {
        return rule.to_owned();
    };
    let Some(second) = lines.get(first + 1).cloned() else { return rule.to_owned() };
    let Some((word, rest)) = second.trim_start().split_once(' ') else { return rule.to_owned() };
    // A quantifier binds its item for the text; only conditions that bind nothing may change places.
    if !matches!(word, "and" | "or") || rest.contains(" in ") || lines[first].contains(" in ") {
        return rule.to_owned();
    }
    let one = lines[first].trim_start().trim_start_matches("when ").to_owned();
    lines[first] = format!("  when {rest}");
    lines[first + 1] = format!("  {word} ({one})");
    lines.join("\n") + "\n"
}
