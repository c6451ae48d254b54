//! `test` blocks: what is given becomes records, the engine runs, what is expected is compared.
//!
//! A test begins at its earliest instant and ends one day after its latest. Kept lines are interim: an
//! `expect nothing else` overlooks one whose trigger has an expected end.

mod given;
mod literal;

use std::sync::Arc;

use super::decision::{Decision, Line};
use super::record::Record;
use super::rule_set::RuleSet;
use super::source::Span;
use super::state::State;
use super::step::{Event, step};
use super::syntax::ast::{Expect, Outcome, Test, TestLineKind};
use super::time::{Instant, MS_PER_DAY, Zone};
use super::value::quoted;
use given::Givens;

/// What came of a test.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the test, as written after `test`.
    pub name: Arc<str>,
    /// Its title.
    pub title: Option<Arc<str>>,
    /// Place of the name.
    pub span: Span,
    /// How many expectations it has.
    pub expectations: usize,
    /// What went wrong; empty when it passed.
    pub failures: Vec<Failure>,
    /// Zone in which its times are read.
    pub zone: Zone,
}

/// One expectation that was not met, or a line that nobody expected.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Place of the expectation.
    pub span: Span,
    /// What was expected, in the words of the test.
    pub expected: String,
    /// What the rule did instead: its lines of that day, or the unexpected line.
    pub got: Vec<Decision>,
    /// The rule, when one can be asked why.
    pub rule: Option<Arc<str>>,
    /// When to ask.
    pub at: Instant,
    /// True when values of `once per` were expected.
    pub asks_per: bool,
}

/// A test laid out as records in time order. Those that name a decision (`given seen RULE`) are made while
/// running.
#[derive(Debug)]
struct Scenario {
    /// Records by instant, in time order.
    batches: Vec<(Instant, Vec<Record>)>,
    /// The last instant.
    end: Instant,
    /// Zone in which the test's times are read.
    zone: Zone,
}

/// Runs a test.
pub fn run(rules: &RuleSet, test: &Test) -> Report {
    let givens = Givens::read(rules, test);
    let answers = givens.answers.clone();
    let scenario = givens.into_scenario();
    let lines = play(rules, &scenario, &answers, scenario.end);
    let decisions: Vec<Decision> = lines
        .into_iter()
        .filter_map(|line| match line {
            Line::Decision(decision) => Some(*decision),
            Line::Missed { .. } => None,
        })
        .collect();
    judge(rules, test, &scenario, &decisions)
}

/// The state of a test at an instant, for asking why.
pub fn state_at(rules: &RuleSet, test: &Test, at: Instant) -> State {
    let givens = Givens::read(rules, test);
    let answers = givens.answers.clone();
    let scenario = givens.into_scenario();
    let mut state = State::new(rules);
    let _ = play_into(rules, &scenario, &answers, at, &mut state);
    state
}

/// A record about what a rule said last, to be addressed once that is known.
#[derive(Clone, Debug)]
struct Answer {
    at: Instant,
    rule: Arc<str>,
    make: fn(Arc<str>) -> super::record::RecordKind,
}

fn play(rules: &RuleSet, scenario: &Scenario, answers: &[Answer], until: Instant) -> Vec<Line> {
    play_into(rules, scenario, answers, until, &mut State::new(rules))
}

fn play_into(
    rules: &RuleSet,
    scenario: &Scenario,
    answers: &[Answer],
    until: Instant,
    state: &mut State,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut answers: Vec<_> = answers.to_vec();
    answers.sort_by_key(|answer| answer.at);
    let ends = [(until, Vec::new())];
    for (at, records) in scenario.batches.iter().chain(&ends) {
        if *at > until {
            continue;
        }
        let due = answers.iter().take_while(|answer| answer.at <= *at).count();
        for answer in answers.drain(..due) {
            lines.extend(step(rules, state, Event { at: answer.at, records: &[] }).lines);
            if let Some(id) = last_id(&lines, &answer.rule) {
                let record = Record { at: answer.at, kind: (answer.make)(id) };
                lines.extend(step(rules, state, Event { at: answer.at, records: &[record] }).lines);
            }
        }
        lines.extend(step(rules, state, Event { at: *at, records }).lines);
    }
    lines
}

fn last_id(lines: &[Line], rule: &str) -> Option<Arc<str>> {
    lines.iter().rev().find_map(|line| match line {
        Line::Decision(decision) if &*decision.rule == rule => Some(decision.id.clone()),
        _ => None,
    })
}

fn judge(rules: &RuleSet, test: &Test, scenario: &Scenario, decisions: &[Decision]) -> Report {
    let expects: Vec<&Expect> = test
        .lines
        .iter()
        .filter_map(|line| match &line.kind {
            TestLineKind::Expect(expect) => Some(&**expect),
            _ => None,
        })
        .collect();
    let mut met = vec![false; decisions.len()];
    let mut failures = Vec::new();
    for expect in &expects {
        let at = given::instant(scenario.zone, expect.at.node);
        let found =
            decisions.iter().zip(&met).position(|(decision, met)| !met && matches(expect, at, decision));
        match found.and_then(|place| met.get_mut(place)) {
            Some(met) => *met = true,
            None => failures.push(unmet(expect, at, decisions)),
        }
    }
    // A test names rules by its own name and in what it expects.
    let own = rules.rule_named(&test.name.node).map(|_| test.name.node.as_str());
    let names: Vec<&str> = expects.iter().map(|expect| expect.rule.node.as_str()).chain(own).collect();
    for line in &test.lines {
        if line.kind == TestLineKind::NothingElse {
            failures.extend(unexpected(&names, line.span, decisions, &met));
        }
    }
    let expectations = test
        .lines
        .iter()
        .filter(|line| matches!(line.kind, TestLineKind::Expect(_) | TestLineKind::NothingElse))
        .count();
    Report {
        name: test.name.node.as_str().into(),
        title: test.title.as_ref().map(|title| title.node.as_str().into()),
        span: test.name.span,
        expectations,
        failures,
        zone: scenario.zone,
    }
}

fn matches(expect: &Expect, at: Instant, decision: &Decision) -> bool {
    decision.at.0.div_euclid(1000) == at.0.div_euclid(1000)
        && *decision.rule == *expect.rule.node
        && decision.outcome == expect.outcome.node
        && expect.level.as_ref().is_none_or(|level| level.node == decision.level)
        && expect.gate.as_ref().is_none_or(|gate| decision.gate.as_deref() == Some(gate.node.as_str()))
        && expect.per.iter().all(|value| decision.per.iter().any(|per| **per == *value.node))
        && expect.says.as_ref().is_none_or(|says| *says.node == *decision.text)
}

fn unmet(expect: &Expect, at: Instant, decisions: &[Decision]) -> Failure {
    let near = |decision: &&Decision| {
        *decision.rule == *expect.rule.node
            && decision.at.0.saturating_sub(at.0).saturating_abs() <= MS_PER_DAY
    };
    Failure {
        span: expect.span,
        expected: in_words(expect),
        got: decisions.iter().filter(near).cloned().collect(),
        rule: Some(expect.rule.node.as_str().into()),
        at,
        asks_per: !expect.per.is_empty(),
    }
}

fn in_words(expect: &Expect) -> String {
    let mut words = expect.rule.node.clone();
    if let Some(level) = &expect.level {
        words.push(' ');
        words.push_str(level.node.word());
    }
    words.push(' ');
    words.push_str(expect.outcome.node.word());
    if let Some(gate) = &expect.gate {
        words.push_str(&format!(" by {}", gate.node));
    }
    for per in &expect.per {
        words.push_str(&format!(" per {}", quoted(&per.node)));
    }
    if let Some(says) = &expect.says {
        words.push_str(&format!(" says {}", quoted(&says.node)));
    }
    words
}

/// A decision in the words of a test, so that it can be held against what was expected.
#[must_use]
pub fn decision_in_words(decision: &Decision) -> String {
    let level = decision.level.word();
    let mut words = format!("{} {level} {}", decision.rule, decision.outcome.word());
    if let Some(gate) = &decision.gate {
        words.push_str(&format!(" by {gate}"));
    }
    for per in &decision.per {
        words.push_str(&format!(" per {}", quoted(per)));
    }
    words.push_str(&format!(" says {}", quoted(&decision.text)));
    words
}

/// Lines of these rules, or of all when none is named, that nobody expected.
fn unexpected(names: &[&str], span: Span, decisions: &[Decision], met: &[bool]) -> Vec<Failure> {
    let named = |decision: &Decision| names.is_empty() || names.contains(&&*decision.rule);
    let ended = |id: &str| decisions.iter().zip(met).any(|(other, met)| *met && *other.id == *id);
    let left = decisions.iter().zip(met).filter(|(decision, met)| {
        !**met && named(decision) && !(decision.outcome == Outcome::Kept && ended(&decision.id))
    });
    left.map(|(decision, _)| Failure {
        span,
        expected: "nothing else".to_owned(),
        got: vec![decision.clone()],
        rule: Some(decision.rule.clone()),
        at: decision.at,
        asks_per: false,
    })
    .collect()
}
