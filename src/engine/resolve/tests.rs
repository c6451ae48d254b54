//! What a rule set looks like when all is well, and that order and formatting do not show in it.

use std::collections::BTreeSet;

use super::{Inputs, Resolved, resolve};
use crate::engine::record::{SignalId, StreamId};
use crate::engine::rule_set::*;
use crate::engine::source::{FileId, SourceFile, Sources};
use crate::engine::syntax;

const ZONE: &str = "zone home = \"America/Toronto\"\n";
const SIGNALS: &str = "signal health.asleep duration nightly fresh 20h range 0min to 16h\n\
                       signal health.resting bpm daily fresh 24h range 25bpm to 220bpm\n\
                       signal phone.idle duration sampled fresh 1h\n\
                       stream calendar.event { title text, start instant, end instant, all-day flag, \
                       status word } \
                       timed start to end\n\
                       list training = \"gym\", \"swim*\"\n\
                       schedule brief = daily at 07:30\n";

fn files(texts: &[&str], local: &[usize]) -> Resolved {
    let mut sources = Sources::default();
    let mut trees = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let source = SourceFile::new(format!("{index}.rule"), *text);
        let file = sources.add(source.clone());
        let (tree, diagnostics) = syntax::parse(&source, file);
        assert!(diagnostics.is_empty(), "{diagnostics:#?}");
        trees.push(tree);
    }
    let local: BTreeSet<FileId> = local.iter().map(|index| FileId(u32::try_from(*index).unwrap())).collect();
    resolve(&trees, &sources, &Inputs { local, ..Inputs::default() })
}

fn set(rules: &str) -> RuleSet {
    let resolved = files(&[ZONE, SIGNALS, rules], &[]);
    assert!(resolved.diagnostics.is_empty(), "{:#?}", resolved.diagnostics);
    resolved.rules
}

fn rule<'s>(set: &'s RuleSet, name: &str) -> &'s RuleDef {
    &set.rules[set.rule_named(name).unwrap().index()]
}

fn example() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/example.rule");
    std::fs::read_to_string(path).unwrap()
}

/// The set without places, as text.
fn without_places(set: &RuleSet) -> String {
    let text = format!("{set:#?}");
    let mut kept = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.contains("Span {") {
            let _ = lines.by_ref().take_while(|line| !line.trim_start().starts_with('}')).count();
        } else {
            kept.push(line);
        }
    }
    kept.join("\n")
}

#[test]
fn the_example_of_the_contract_resolves() {
    let resolved = files(&[&example()], &[]);
    assert!(resolved.diagnostics.is_empty(), "{:#?}", resolved.diagnostics);
    let set = resolved.rules;
    assert_eq!((set.rules.len(), set.tests.len(), set.windows.len()), (7, 1, 6));
    assert_eq!(set.streams[RULES_FIRED.0 as usize].name.as_ref(), "rules.fired");
    let hard = rule(&set, "hard-event");
    assert_eq!(hard.reads.fired.len(), 3);
    let names: Vec<&str> = set.strata.iter().map(|id| &*set.rules[id.index()].name).collect();
    let place = |name: &str| names.iter().position(|known| *known == name).unwrap();
    assert!(place("hard-event") > place("low-hrv") && place("low-hrv") > place("short-sleep"));
    let source = set.signal_named("source.health").unwrap();
    assert!(set.signals[source.0 as usize].builtin);
    assert_eq!(rule(&set, "silent-health").reads.silence, vec![Source::Signal(source)]);
}

#[test]
fn the_order_of_files_and_definitions_does_not_show() {
    let whole = example();
    let once = files(&[&whole], &[]).rules;
    let mut pieces: Vec<String> = Vec::new();
    for line in whole.lines() {
        match pieces.last_mut() {
            Some(piece) if line.starts_with(' ') => piece.push_str(&format!("\n{line}")),
            _ => pieces.push(line.to_owned()),
        }
    }
    pieces.reverse();
    let turned = files(&[&pieces.join("\n")], &[]).rules;
    let apart: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let apart = files(&apart, &[]).rules;
    assert_eq!(once.hash, turned.hash);
    assert_eq!(without_places(&once), without_places(&turned));
    assert_eq!(without_places(&once), without_places(&apart));
}

#[test]
fn formatting_and_comments_do_not_show_in_the_hash_and_content_does() {
    let plain = "rule a \"A\"\n  when health.asleep < 6h\n  then note\n";
    let other = "# why\nrule   a  \"A\"   # here\n  then    note\n\n  when   health.asleep   <   6h\n";
    let changed = "rule a \"A\"\n  when health.asleep < 7h\n  then note\n";
    let louder = "rule a \"A\"\n  when health.asleep < 6h\n  then tell\n";
    assert_eq!(set(plain).hash, set(other).hash);
    assert_eq!(set(plain).hash.len(), 32);
    assert_ne!(set(plain).hash, set(changed).hash);
    assert_ne!(set(plain).hash, set(louder).hash);
    // State depends on the condition, not on delivery.
    assert_eq!(set(plain).rules[0].state_hash, set(louder).rules[0].state_hash);
    assert_ne!(set(plain).rules[0].state_hash, set(changed).rules[0].state_hash);
    let test = format!("{plain}\ntest a \"t\"\n  expect nothing else\n");
    assert_eq!(set(plain).hash, set(&test).hash);
}

#[test]
fn facts_are_what_the_rule_and_its_text_read() {
    let set = set("rule a \"A\"\n  let usual = median of health.asleep over 14 days, needs 3\n  \
                   let short = health.asleep < 6h\n  \
                   when short\n  and health.resting > 60bpm\n  \
                   and some e in calendar.event today where e.title has training\n  \
                   and no f in calendar.event today where f.status = cancelled\n  \
                   then note\n  \
                   say \"{usual} {health.asleep   age} {health.resting} {health.asleep as % of usual} \
                   {e.start}\"\n");
    let names: Vec<&str> = set.rules[0].facts.iter().map(|(name, _)| &**name).collect();
    assert_eq!(
        names,
        [
            "health.asleep",
            "health.resting",
            "e.title",
            "usual",
            "health.asleep age",
            "health.asleep as % of usual",
            "e.start"
        ]
    );
}

#[test]
fn reads_are_what_judges_again() {
    let set = set("rule a \"A\"\n  when health.asleep < 6h\n  then note\n  say \"{phone.idle}\"\n\
                   rule b \"B\"\n  let usual = mean of health.resting over 14 days, needs 3\n  \
                   let high = health.resting > usual\n  \
                   when high\n  unless a fired today\n  clear when phone.idle > 5min\n  then note\n");
    let signal = |name: &str| set.signal_named(name).unwrap();
    let a = &rule(&set, "a").reads;
    assert_eq!((&a.current, &a.history), (&vec![signal("health.asleep")], &vec![]));
    let b = &rule(&set, "b").reads;
    assert_eq!(b.current, vec![signal("health.resting"), signal("phone.idle")]);
    assert_eq!((&b.history, &b.dated), (&vec![signal("health.resting")], &vec![signal("health.resting")]));
    assert_eq!(b.fired, vec![RuleId(0)]);
}

#[test]
fn lets_are_ordered_and_slots_are_numbered() {
    let set = set("rule a \"A\"\n  on calendar.event as n\n  let b = c + 1h\n  let c = n.end - n.start\n  \
                   when some e in calendar.event today where e.start after n.start\n  and b > 2h\n  \
                   then note\n  once per n, e, day\n");
    let rule = &set.rules[0];
    assert_eq!(rule.lets.iter().map(|def| &*def.name).collect::<Vec<_>>(), ["c", "b"]);
    let event = set.stream_named("calendar.event").unwrap();
    assert_eq!(rule.slots.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["n", "e"]);
    assert!(rule.slots.iter().all(|(_, stream)| *stream == event));
    assert_eq!(rule.cause, Cause::Item(event));
    assert!(matches!(rule.once_per.as_slice(), [Key::Item(Slot(0)), Key::Item(Slot(1)), Key::Period(_)]));
}

#[test]
fn a_broken_rule_is_left_out_and_the_rest_keeps_its_meaning() {
    let resolved = files(
        &[
            ZONE,
            SIGNALS,
            "rule a \"A\"\n  when health.aslep < 6h\n  then note\n\
             rule b \"B\"\n  when health.asleep < 6h\n  then note\n\
             rule c \"C\"\n  when any of a, b fired today\n  then note\n",
        ],
        &[],
    );
    assert_eq!(resolved.diagnostics.len(), 1);
    assert_eq!(resolved.diagnostics[0].help.as_deref(), Some("did you mean `health.asleep`?"));
    let set = resolved.rules;
    assert_eq!(set.rules.iter().map(|rule| &*rule.name).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(rule(&set, "c").reads.fired, vec![RuleId(0)]);
    assert!(
        matches!(&rule(&set, "c").when[0].expr.kind, ExprKind::Fired(rules) if *rules == vec![RuleId(0)])
    );
}

#[test]
fn a_local_plan_overrides_field_by_field() {
    let plan = "plan fire\n  currency CAD\n  born 2004-05-01\n  retire at 50\n  \
                save 1200 CAD per month\n  return 7%\n";
    let local = "plan fire\n  save 1500.50 CAD per month\n  until 95\n";
    let resolved = files(&[local, plan], &[0]);
    assert!(resolved.diagnostics.is_empty(), "{:#?}", resolved.diagnostics);
    let fields = &resolved.rules.plans[0].fields;
    let value = |wanted: &str| fields.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    assert_eq!(value("save"), Some(PlanValue::Money(150_050)));
    assert_eq!(value("until"), Some(PlanValue::Years(95)));
    assert_eq!(value("return"), Some(PlanValue::Percent(70)));
    assert_eq!(value("retire at"), Some(PlanValue::Years(50)));
    // Not local: the name is taken.
    assert_eq!(files(&[local, plan], &[]).diagnostics[0].id, "duplicate-name");
}

#[test]
fn times_of_items_compare_with_clock_times_in_one_order() {
    let set =
        set("rule a \"A\"\n  when some e in calendar.event today where (09:00 after e.start)\n  then note\n");
    let ExprKind::Join(join) = &set.rules[0].when[0].expr.kind else { panic!("a join") };
    let ExprKind::Compare(op, left, _) = &join.filter.as_ref().unwrap().kind else { panic!("a comparison") };
    assert_eq!((*op, left.ty), (syntax::ast::CompareOp::Before, crate::engine::value::Type::Instant));
}

#[test]
fn built_in_functions_are_called_by_name() {
    let set = set(
        "rule a \"A\"\n  when weekday(now) = Sun\n  and round(mean of health.resting over 7 days, needs 3, 1bpm) \
         > 60bpm\n  \
         then note\n",
    );
    let ExprKind::Compare(_, left, _) = &set.rules[0].when[0].expr.kind else { panic!("a comparison") };
    assert!(matches!(left.kind, ExprKind::Builtin(..)));
    let wrong = "rule a \"A\"\n  when rond(now) > 3\n  or round(now, now) > 3\n  then note\n\
                 function round (a bpm) -> bpm from \"a.rhai\"\n";
    let found = files(&[ZONE, SIGNALS, wrong], &[]).diagnostics;
    let ids: Vec<&str> = found.iter().map(|finding| finding.id).collect();
    assert_eq!(ids, ["duplicate-name", "unknown-name", "unit-mismatch"], "{found:#?}");
    assert_eq!(found[1].help.as_deref(), Some("did you mean `round`?"));
}

#[test]
fn equal_windows_are_one_and_sources_come_last() {
    let set = set("rule a \"A\"\n  when mean of health.asleep over 14 days, needs 3 < 6h\n  then note\n\
                   rule b \"B\"\n  when mean of health.asleep over 2 weeks, needs 5 < 5h\n  \
                   and not source.health age > 1h\n  then note\n");
    assert_eq!(set.windows.len(), 1);
    assert_eq!(set.signal_named("source.health"), Some(SignalId(3)));
    assert_eq!(set.stream_named("calendar.event"), Some(StreamId(1)));
    assert_eq!(set.default_zone, ZoneRef::Named(ZoneId(0)));
    assert_eq!(set.history_days, 400);
}
