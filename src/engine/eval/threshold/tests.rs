//! A threshold gives the verdict, the guard and no more than what its expression gives.

use proptest::prelude::*;

use crate::engine::eval::{Guard, Scope};
use crate::engine::record::{Record, RecordKind, Scalar, SignalId};
use crate::engine::resolve::{Inputs, resolve};
use crate::engine::rule_set::RuleSet;
use crate::engine::source::{SourceFile, Sources};
use crate::engine::state::State;
use crate::engine::step::{Event, step};
use crate::engine::syntax::parse;
use crate::engine::time::{Instant, MS_PER_DAY};

/// Lines with a short form, and whether they have one.
const LINES: [(&str, bool); 22] = [
    ("a.b < 50bpm", true),
    ("a.b >= usual", true),
    ("a.b > usual + 2.5bpm", true),
    ("a.b <= usual - 10bpm", true),
    ("a.b > 10bpm + usual", true),
    ("a.b < 90% of usual", true),
    ("a.b < (33.3% of usual) + 1bpm", true),
    ("a.b > usual * 1.2", true),
    ("a.b > (2 * usual) - 20bpm", true),
    ("a.b < usual / 3", true),
    ("a.b = usual", true),
    ("a.b != (usual / 7) + 0.1bpm", true),
    ("a.b > mean of a.b over 3 days, needs 1, else 70bpm", true),
    ("a.b > max of a.b over 2 days, needs 1", true),
    ("a.b > (sd of a.b over 3 days, needs 2) + 50bpm", true),
    ("a.slept < 6h", true),
    ("a.slept < 1.5 * nights", true),
    // Left to the expression.
    ("a.b > usual + (sd of a.b over 3 days, needs 2)", false),
    ("a.b > usual * (2 / (1 - 1))", false),
    ("a.number > 3", false),
    ("a.b > larger of usual and 50bpm", false),
    ("40bpm < a.b", false),
];

fn rules(line: &str) -> RuleSet {
    let text = format!(
        "zone home = \"Europe/Paris\"\nsignal a.b bpm sampled fresh 10h\nsignal a.slept duration daily fresh 20h\n\
         signal a.number number sampled fresh 10h\n\
         rule r\n  let usual = median of a.b over 3 days, needs 2, else 60bpm\n\
         \x20 let nights = mean of a.slept over 3 days, needs 1\n  when {line}\n  then tell\n"
    );
    let file = SourceFile::new("t.rule", text.as_str());
    let mut sources = Sources::default();
    let id = sources.add(file.clone());
    let (tree, found) = parse(&file, id);
    let resolved = resolve(&[tree], &sources, &Inputs::default());
    assert_eq!((found, resolved.diagnostics), (Vec::new(), Vec::new()), "{line}");
    resolved.rules
}

proptest! {
    #[test]
    fn the_short_way_is_the_long_way(
        which in 0..LINES.len(),
        days in prop::collection::vec((0..1200_i64, 0..12_i64), 0..6),
        now in 0..1200_i64,
        later in 0..15_i64,
    ) {
        let (line, short) = LINES[which];
        let rules = rules(line);
        let (rule, mut state) = (&rules.rules[0], State::new(&rules));
        prop_assert_eq!(rule.when[0].threshold.is_some(), short);
        let reading = |name: &str, at: i64, value: i64| Record {
            at: Instant(at),
            kind: RecordKind::Reading {
                signal: rules.signal_named(name).unwrap_or(SignalId(0)),
                observed: Instant(at),
                value: Scalar::Fixed(value),
            },
        };
        let mut at = 20_000 * MS_PER_DAY;
        for (rate, hours) in days.into_iter().chain([(now, 6)]) {
            at += MS_PER_DAY;
            let records = [reading("a.b", at, rate), reading("a.slept", at, hours * 3_600_000)];
            let _ = step(&rules, &mut state, Event { at: Instant(at), records: &records });
        }
        let _ = step(&rules, &mut state, Event { at: Instant(at + later * 3_600_000), records: &[] });
        let facts = state.facts(&rules);
        let scope = || {
            let mut scope = Scope::new(&rules, rule, &facts);
            scope.guards = vec![Guard::OPEN; rule.reads.current.len()];
            scope
        };
        let (mut quick, mut long) = (scope(), scope());
        prop_assert_eq!(quick.line(&rule.when[0]), long.truth(&rule.when[0].expr));
        prop_assert_eq!((&quick.guards, quick.until), (&long.guards, long.until));
        prop_assert!(quick.fuel <= long.fuel, "at least as much fuel");
    }
}
