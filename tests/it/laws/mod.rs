//! The engine's laws, one test a law, over random rule sets and random days; `docs/laws.md` numbers them.
//!
//! A law either compares two runs of the engine, or the engine with a plain reference (`super::reference`)
//! that was written from the contract. Nothing here starts the program or reads a file.

mod conditions;
mod gates;
mod generate;
mod metamorphic;
mod registry;
mod transparency;

use proptest::test_runner::Config as ProptestConfig;
use verger::engine::decision::{Decision, Line};
use verger::engine::record::Record;
use verger::engine::records::{Read, Reader};
use verger::engine::resolve::{Inputs, resolve};
use verger::engine::rule_set::RuleSet;
use verger::engine::source::{FileId, SourceFile, Sources};
use verger::engine::state::State;
use verger::engine::step::{Event, step};
use verger::engine::syntax::parse;
use verger::engine::time::Instant;
use verger::engine::trace::Trace;

/// One minute in milliseconds.
pub(crate) const MINUTE: i64 = 60_000;

/// Random cases a law; small, since each is several days of a whole rule set.
pub(crate) const CASES: u32 = 40;

/// So many cases, and no file of failures: a failing case is printed and belongs into a test of its own.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A rule set out of several files, which must resolve.
pub(crate) fn rule_set(files: &[String]) -> RuleSet {
    let mut sources = Sources::default();
    let (mut trees, mut wrong) = (Vec::new(), Vec::new());
    for (place, text) in files.iter().enumerate() {
        let file = SourceFile::new(format!("{place}.rule"), text.as_str());
        let (tree, broken) = parse(&file, FileId(u32::try_from(place).unwrap()));
        wrong.extend(broken);
        trees.push(tree);
        sources.add(file);
    }
    let resolved = resolve(&trees, &sources, &Inputs::default());
    wrong.extend(resolved.diagnostics);
    assert!(wrong.is_empty(), "{wrong:#?}\n{}", files.join("\n"));
    resolved.rules
}

/// Lines of recorded days, typed and by time; lines of one instant stay in their order.
pub(crate) fn records(rules: &RuleSet, lines: &[String]) -> Vec<Record> {
    let mut reader = Reader::new(rules);
    let read = |line: &String| match reader.read_line(line.as_bytes()) {
        Ok(Read::Record(record)) => record,
        other => panic!("{line}: {other:?}"),
    };
    let mut records: Vec<Record> = lines.iter().map(read).collect();
    records.sort_by_key(|record| record.at);
    records
}

/// Everything that a run said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) lines: Vec<Line>,
    pub(crate) traces: Vec<Trace>,
}

impl Run {
    /// The decisions, without missed runs.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.lines.iter().filter_map(|line| match line {
            Line::Decision(decision) => Some(&**decision),
            Line::Missed { .. } => None,
        })
    }
}

/// Groups of records of one instant, and a last tick at `end`.
pub(crate) fn events(records: &[Record], end: Instant) -> Vec<(Instant, Vec<Record>)> {
    let mut events: Vec<(Instant, Vec<Record>)> = Vec::new();
    for record in records {
        match events.last_mut() {
            Some((at, group)) if *at == record.at => group.push(record.clone()),
            _ => events.push((record.at, vec![record.clone()])),
        }
    }
    events.push((end, Vec::new()));
    events
}

/// Runs all records up to `end`; `between` may replace the state after each event.
pub(crate) fn run_with(
    rules: &RuleSet,
    records: &[Record],
    end: Instant,
    mut between: impl FnMut(usize, State) -> State,
) -> (Run, State) {
    let mut state = State::new(rules);
    let mut run = Run::default();
    for (place, (at, group)) in events(records, end).into_iter().enumerate() {
        let outcome = step(rules, &mut state, Event { at, records: &group });
        run.lines.extend(outcome.lines);
        run.traces.push(outcome.trace);
        state = between(place, state);
    }
    (run, state)
}

/// Runs all records up to `end`.
pub(crate) fn run(rules: &RuleSet, records: &[Record], end: Instant) -> (Run, State) {
    run_with(rules, records, end, |_, state| state)
}
