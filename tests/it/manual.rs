//! The manual keeps up with the program: its examples are read as a user's files would be, and every row that
//! it must explain is there.

use std::fs;

use verger::engine::check::lint;
use verger::engine::functions::FUNCTIONS;
use verger::engine::gates::{ORDER, OTHER_WORDS};
use verger::engine::records::Reader;
use verger::engine::resolve::Inputs;
use verger::engine::rule_set::RuleSet;
use verger::engine::scenario;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::syntax::parse;
use verger::engine::value::BUILTIN_UNITS;

use crate::support::root;

fn manual() -> String {
    fs::read_to_string(root().join("docs/language.md")).unwrap()
}

/// The text under a heading, up to the next of its rank.
fn section(manual: &str, heading: &str) -> String {
    let (_, rest) = manual.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    rest.split_once("\n## ").map_or(rest, |(section, _)| section).to_owned()
}

/// The blocks between fences, those of a language or those without one.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fenced = text.split("\n```").skip(1).step_by(2);
    fenced
        .filter_map(|block| block.strip_prefix(&format!("{language}\n")))
        .map(|block| block.to_owned() + "\n")
        .collect()
}

/// First cells of the rows of tables that are one piece of code.
fn cells(text: &str) -> Vec<&str> {
    let cell = |line| str::strip_prefix(line, "| `")?.split_once("` |").map(|(cell, _)| cell);
    text.lines().filter_map(cell).collect()
}

/// What the parser has to say about a text.
fn faults(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let file = SourceFile::new("manual.rule", text);
    let id = sources.add(file.clone());
    parse(&file, id).1.into_iter().map(|fault| format!("{}: {text}", fault.message)).collect()
}

#[test]
fn the_first_rule_is_sound_and_passes_its_test() {
    let blocks = blocks(&section(&manual(), "A first rule"), "rule");
    assert!(!blocks.is_empty());
    for block in blocks {
        let mut sources = Sources::default();
        let file = SourceFile::new("manual.rule", block.as_str());
        let id = sources.add(file.clone());
        let (tree, mut findings) = parse(&file, id);
        let (rules, found) = lint(&[tree], &sources, &Inputs::default(), None);
        findings.extend(found);
        assert!(findings.is_empty(), "{findings:#?}\n{block}");
        assert!(!rules.tests.is_empty(), "{block}");
        for test in &rules.tests {
            let report = scenario::run(&rules, test);
            assert!(report.expectations > 0 && report.failures.is_empty(), "{:#?}", report.failures);
        }
    }
}

#[test]
fn definitions_can_be_written_as_they_are_shown() {
    let manual = manual();
    let definitions = section(&manual, "Definitions");
    let (shown, schedules) = definitions.split_once("\nSchedules:\n").unwrap();
    let whole: Vec<&str> = cells(shown).into_iter().filter(|cell| !cell.contains('…')).collect();
    assert!(whole.len() >= 10, "{whole:?}");
    let kinds = cells(schedules);
    assert!(kinds.len() >= 5, "{kinds:?}");
    let tables = blocks(&section(&manual, "Payment tables"), "rule");
    let plans = blocks(&section(&manual, "Plans"), "rule");
    assert_eq!((tables.len(), plans.len()), (1, 1));
    let texts =
        whole.into_iter().map(str::to_owned).chain(kinds.iter().map(|kind| format!("schedule s = {kind}")));
    let wrong: Vec<String> = texts.chain(tables).chain(plans).flat_map(|text| faults(&text)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn records_can_be_written_as_they_are_shown() {
    let [block] = blocks(&section(&manual(), "Recorded days"), "").try_into().unwrap();
    let rules = RuleSet::default();
    let mut reader = Reader::new(&rules);
    assert!(block.lines().count() > 10, "{block}");
    for line in block.lines() {
        assert!(reader.read_line(line.as_bytes()).is_ok(), "{line}");
    }
}

#[test]
fn every_gate_function_and_unit_is_in_the_manual() {
    let manual = manual();
    let delivery = section(&manual, "From trigger to delivery");
    let rows = delivery.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(rows.collect::<Vec<_>>(), ORDER.iter().map(|gate| gate.name).collect::<Vec<_>>());
    for (word, meaning) in OTHER_WORDS {
        assert!(delivery.contains(&format!("`{word}` ({meaning}")), "{word}");
    }
    let functions = section(&manual, "Functions");
    for row in FUNCTIONS {
        assert!(functions.contains(&format!("`{}(", row.name)), "{}", row.name);
    }
    let values = section(&manual, "Values and operators").replace('\n', " ");
    for unit in BUILTIN_UNITS {
        assert!(values.contains(&format!("`{}` {}", unit.word, unit.scale)), "{}", unit.word);
    }
}
