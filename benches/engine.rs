//! Speed of the engine and of `lint`; the aims stand in `docs/performance.md`.

mod support;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use support::sweeps::sweeps;
use support::{
    CALM, MINUTE, START, WAVERING, minute_records, rule_set, rule_set_of, shipped_rules, ten_thousand_rules,
    thousand_rules, twenty_rules,
};
use verger::engine::record::{Record, RecordKind, Scalar, SignalId};
use verger::engine::rule_set::RuleSet;
use verger::engine::state::State;
use verger::engine::step::{Event, Outcome, step_into};
use verger::engine::time::Instant;
use verger::engine::trace::Event as Trace;
use verger::store::{RuleFiles, Session, Store};

fn reading(signal: u32, at: Instant, value: i64) -> Record {
    let value = Scalar::Fixed(value);
    Record { at, kind: RecordKind::Reading { signal: SignalId(signal), observed: at, value } }
}

/// A value that alternates between two sides on which no rule fires: each reading takes every reader's
/// verdict out of the range within which it stands, so each is judged, and the trace says so.
fn judge(c: &mut Criterion, name: &str, rules: &RuleSet, judged: usize) {
    let mut state = State::new(rules);
    let mut outcome = Outcome::default();
    let first: Vec<_> = (0..u32::try_from(rules.signals.len()).unwrap_or(0))
        .map(|id| reading(id, Instant(START), 800))
        .collect();
    step_into(rules, &mut state, Event { at: Instant(START), records: &first }, &mut outcome);
    let mut second = 0;
    let mut once = |outcome: &mut Outcome| {
        second += 1;
        let at = Instant(START + second * 1000);
        let record = reading(0, at, if second % 2 == 0 { 800 } else { 4500 });
        step_into(rules, &mut state, Event { at, records: std::slice::from_ref(&record) }, outcome);
    };
    once(&mut outcome);
    let seen = outcome.trace.events.iter().filter(|event| matches!(event, Trace::Judged { .. })).count();
    assert_eq!(seen, judged, "{name}");
    c.bench_function(name, |bench| bench.iter(|| once(black_box(&mut outcome))));
}

fn replay(rules: &RuleSet, minutes: i64) -> usize {
    let mut state = State::new(rules);
    let mut outcome = Outcome::default();
    let mut lines = 0;
    let signal = rules.signal_named("health.heart").unwrap_or(SignalId(0));
    for record in minute_records(signal, minutes) {
        step_into(
            rules,
            &mut state,
            Event { at: record.at, records: std::slice::from_ref(&record) },
            &mut outcome,
        );
        lines += outcome.lines.len();
    }
    lines
}

fn engine(c: &mut Criterion) {
    let all = rule_set(&thousand_rules(1));
    judge(c, "judge 1000 of 1000 rules", &all, 1000);
    let some = rule_set(&thousand_rules(50));
    judge(c, "judge 20 of 1000 rules", &some, 20);
    for (name, lowest) in [("", CALM), (" that waver", WAVERING)] {
        let rules = rule_set(&twenty_rules(lowest));
        let name = format!("replay a month of minutes, 20 rules{name}");
        c.bench_function(&name, |bench| bench.iter(|| replay(&rules, 43_200)));
    }
}

/// The state after so many minutes.
fn after(rules: &RuleSet, minutes: i64) -> State {
    let (mut state, mut outcome) = (State::new(rules), Outcome::default());
    let signal = rules.signal_named("health.heart").unwrap_or(SignalId(0));
    for record in minute_records(signal, minutes) {
        let event = Event { at: record.at, records: std::slice::from_ref(&record) };
        step_into(rules, &mut state, event, &mut outcome);
    }
    state
}

/// One more record after a day, a year and ten years: the same.
fn growth(c: &mut Criterion) {
    let rules = rule_set(&twenty_rules(CALM));
    for (name, minutes) in [("a day", 1440), ("a year", 525_600), ("ten years", 5_256_000)] {
        let mut outcome = Outcome::default();
        let signal = rules.signal_named("health.heart").unwrap_or(SignalId(0));
        // Made only when this bench is run.
        let state = LazyCell::new(|| after(&rules, minutes));
        let more: Vec<_> = (0..1440)
            .map(|minute| reading(signal.0, Instant(START + (minutes + minute) * MINUTE), 600 + minute % 7))
            .collect();
        c.bench_function(&format!("a day of minutes after {name}"), |bench| {
            bench.iter_batched(
                || (*state).clone(),
                |mut state| {
                    for record in &more {
                        step_into(
                            &rules,
                            &mut state,
                            Event { at: record.at, records: std::slice::from_ref(record) },
                            &mut outcome,
                        );
                    }
                    state
                },
                BatchSize::LargeInput,
            );
        });
    }
}

/// Ten years of sweeps over the shipped rules.
fn ten_years_of_sweeps(c: &mut Criterion) {
    let rules = rule_set_of(&shipped_rules());
    // Made only when this bench is run.
    let batches = LazyCell::new(|| sweeps(&rules, 3652));
    let mut outcome = Outcome::default();
    c.bench_function("replay ten years of 15-minute sweeps, shipped rules", |bench| {
        bench.iter(|| {
            let mut state = State::new(&rules);
            let mut lines = 0;
            for batch in batches.iter() {
                let Some(first) = batch.first() else { continue };
                step_into(&rules, &mut state, Event { at: first.at, records: batch }, &mut outcome);
                lines += outcome.lines.len();
            }
            assert!(lines > 5_000, "{lines}");
            lines
        })
    });
}

/// A reading taken in, judged by twenty rules and put on the disk.
fn durable_step(c: &mut Criterion) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let files = RuleFiles {
        rules: BTreeMap::from([("twenty.rule".to_owned(), twenty_rules(WAVERING))]),
        ..RuleFiles::default()
    };
    let session = Store::open(&folder.path().join("journal.db")).and_then(Session::resume);
    assert!(session.is_ok(), "{session:?}");
    let Ok(mut session) = session else { return };
    assert!(session.load(Instant(0), &files).is_ok());
    let signal = session.rules().and_then(|rules| rules.signal_named("health.heart")).unwrap_or(SignalId(0));
    let mut minute = 0;
    c.bench_function("one durable step", |bench| {
        bench.iter(|| {
            minute += 1;
            let at = Instant(START + minute * MINUTE);
            let value = Scalar::Fixed(600 + minute % 7 * 40);
            let kind = RecordKind::Reading { signal, observed: at, value };
            assert!(session.take(at, &mut [Record { at, kind }]).is_ok());
        });
    });
}

fn lint(c: &mut Criterion) {
    let files = ten_thousand_rules();
    c.bench_function("lint 10000 rules", |bench| bench.iter(|| black_box(rule_set_of(&files))));
}

fn ten_years(c: &mut Criterion) {
    for (name, lowest) in [("", CALM), (" that waver", WAVERING)] {
        let rules = rule_set(&twenty_rules(lowest));
        let name = format!("replay ten years of minutes, 20 rules{name}");
        c.bench_function(&name, |bench| bench.iter(|| replay(&rules, 5_256_000)));
    }
}

criterion_group!(name = short; config = Criterion::default().measurement_time(Duration::from_secs(3)).sample_size(20); targets = engine);
criterion_group!(name = long; config = Criterion::default().sample_size(10); targets = ten_years, ten_years_of_sweeps, lint, growth, durable_step);
criterion_main!(short, long);
