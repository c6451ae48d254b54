//! The contract of the rule language as documents: each file of `tests/corpus/engine` is a rule set of its
//! own whose tests restate one sentence each.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use verger::engine::diagnostic::Severity;
use verger::engine::resolve::{Inputs, resolve};
use verger::engine::rule_set::RuleSet;
use verger::engine::scenario;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::syntax::ast::{Outcome, Test, TestLineKind};
use verger::engine::syntax::parse;

use crate::support::root;

/// The files, by name.
fn files() -> Vec<PathBuf> {
    let folder = root().join("tests/corpus/engine");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rule"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The scripts that functions name.
fn scripts() -> BTreeMap<String, String> {
    let folder = fs::read_dir(root().join("tests/corpus/engine/lib")).unwrap();
    let paths = folder.map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        let name = format!("lib/{}", path.file_name().unwrap().to_str().unwrap());
        (name, fs::read_to_string(path).unwrap())
    };
    paths.map(named).collect()
}

/// A file as a rule set without errors.
fn rule_set(path: &PathBuf) -> RuleSet {
    let mut sources = Sources::default();
    let file = SourceFile::new(path.display().to_string(), fs::read_to_string(path).unwrap());
    let id = sources.add(file.clone());
    let (tree, mut found) = parse(&file, id);
    let resolved = resolve(&[tree], &sources, &Inputs { scripts: scripts(), ..Inputs::default() });
    found.extend(resolved.diagnostics);
    let errors: Vec<_> = found.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
    resolved.rules
}

fn title(test: &Test) -> &str {
    test.title.as_ref().map_or(test.name.node.as_str(), |title| title.node.as_str())
}

#[test]
fn every_sentence_of_the_contract_holds() {
    let mut wrong = Vec::new();
    for path in files() {
        let rules = rule_set(&path);
        assert!(!rules.tests.is_empty(), "{} holds no test", path.display());
        for test in &rules.tests {
            let report = scenario::run(&rules, test);
            if report.expectations == 0 || !report.failures.is_empty() {
                wrong.push(format!("{}: {}: {:?}", path.display(), title(test), report.failures));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_changed_expectation_fails() {
    for path in files() {
        let rules = rule_set(&path);
        for test in &rules.tests {
            for place in 0..test.lines.len() {
                let mut changed = test.clone();
                // A second that the expected line does not have.
                let TestLineKind::Expect(expect) = &mut changed.lines[place].kind else { continue };
                expect.at.node.second = (expect.at.node.second + 1) % 86_400;
                let report = scenario::run(&rules, &changed);
                assert!(!report.failures.is_empty(), "{}: {}: line {place}", path.display(), title(test));
            }
        }
    }
}

#[test]
fn nothing_else_fails_when_an_expectation_is_taken_away() {
    let mut taken = 0;
    for path in files() {
        let rules = rule_set(&path);
        let strict = |test: &&Test| test.lines.iter().any(|line| line.kind == TestLineKind::NothingElse);
        for test in rules.tests.iter().filter(strict) {
            for place in 0..test.lines.len() {
                let TestLineKind::Expect(expect) = &test.lines[place].kind else { continue };
                if expect.rule.node != test.name.node || expect.outcome.node == Outcome::Kept {
                    continue;
                }
                let mut changed = test.clone();
                // A restart changes nothing, but keeps the test as long as it was.
                changed.lines[place].kind = TestLineKind::Restart(expect.at.clone());
                let report = scenario::run(&rules, &changed);
                assert!(!report.failures.is_empty(), "{}: {}: line {place}", path.display(), title(test));
                taken += 1;
            }
        }
    }
    assert!(taken > 0);
}
