//! Laws 7 and 8: budgets per local period and quiet hours, also on days of 23 and 25 hours.

use chrono_tz::America::Toronto;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use verger::engine::time::Instant;

use super::generate::{DAYS, STARTS, stamp};
use super::{CASES, MINUTE, config, records, rule_set, run};
use crate::reference::delivery::{Limits, Period, Policy, Way, deliver};

fn ways() -> impl Strategy<Value = Vec<Way>> {
    let policy = prop_oneof![
        Just(Policy::Drop),
        Just(Policy::KeepIfTrue),
        Just(Policy::Keep),
        Just(Policy::Soften),
        Just(Policy::Pass)
    ];
    vec((policy, any::<bool>()).prop_map(|(policy, within)| Way { policy, within }), 1..4)
}

fn limits() -> impl Strategy<Value = Limits> {
    let period = prop_oneof![Just(Period::Hour), Just(Period::Day), Just(Period::Week), Just(Period::Month)];
    let window =
        (0_i64..1440, 0_i64..1440).prop_filter("an empty window is refused", |(from, to)| from != to);
    (period, 1_usize..6, window).prop_map(|(period, count, quiet)| Limits {
        zone: Toronto,
        quiet,
        count,
        period,
    })
}

fn text(limits: &Limits, ways: &[Way]) -> String {
    let clock = |minute: i64| format!("{:02}:{:02}", minute / 60, minute % 60);
    let mut text = format!(
        "zone home = \"America/Toronto\"\nquiet nights = {} to {} in home\nbudget few = {} per {} in home\n\
         stream note.item {{ title text }}\n",
        clock(limits.quiet.0),
        clock(limits.quiet.1),
        limits.count,
        format!("{:?}", limits.period).to_lowercase(),
    );
    for (place, way) in ways.iter().enumerate() {
        let within = if way.within { " within few" } else { "" };
        text += &format!(
            "rule r{place}\n  on note.item as n\n  then tell{within}\n  expires 48h\n  quiet nights: {}\n",
            way.policy.word()
        );
    }
    text
}

proptest! {
    #![proptest_config(config(CASES))]

    #[test]
    fn law_07_and_08_budgets_and_quiet_hours(
        limits in limits(), ways in ways(), which in 0..STARTS.len(), minutes in btree_set(0..DAYS * 1440, 5..50)
    ) {
        let start = STARTS[which] / MINUTE;
        let items: Vec<i64> = minutes.into_iter().map(|minute| start + minute).collect();
        let lines: Vec<String> = items.iter().map(|item| {
            let at = stamp(item * MINUTE);
            format!(r#"{{"at":"{at}","event":"note.item","id":"{item}","fields":{{"title":"t"}}}}"#)
        }).collect();
        let text = text(&limits, &ways);
        let rules = rule_set(std::slice::from_ref(&text));
        let end = start + (DAYS + 2) * 1440;
        let (run, _) = run(&rules, &records(&rules, &lines), Instant(end * MINUTE));
        let engine: Vec<_> = run.decisions().map(|line| {
            let word = line.outcome.word().to_owned();
            (line.at.0 / MINUTE, line.rule.to_string(), line.occurrence.to_string(), word)
        }).collect();
        let reference: Vec<_> = deliver(&limits, &ways, &items, end).into_iter().map(|(minute, rule, item, word)| {
            (minute, format!("r{rule}"), item.to_string(), word.to_owned())
        }).collect();
        prop_assert_eq!(engine, reference, "{}", text);
    }
}
