//! A long time in a short one: sources that give, repeat, change and fail, an owner who edits and snoozes,
//! and a world that kills, sleeps and sets clocks. All of it follows from a seed, which a failure prints.

use std::collections::BTreeMap;

use super::*;

/// Days of one run, and how many runs; more with `VERGER_SIMULATION_DAYS`.
const DAYS: i64 = 25;
const RUNS: u64 = 4;

/// Numbers from a seed (xorshift64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn one_in(&mut self, end: u64) -> bool {
        self.below(end) == 0
    }
}

const SOURCES: &[(&str, Option<i64>)] = &[("health", Some(1_800_000)), ("calendar", Some(3_600_000))];

/// What the world is like for the sources.
#[derive(Default)]
struct Truth {
    asleep: Vec<String>,
    events: BTreeMap<String, String>,
}

impl Truth {
    fn change(&mut self, dice: &mut Dice, now: Instant) {
        let zone = crate::engine::time::Zone(chrono_tz::America::Toronto);
        if dice.one_in(20) {
            let hours = 4 + dice.below(5);
            let at = format_instant(zone, now);
            self.asleep.push(format!(r#"{{"at":"{at}","signal":"health.asleep","value":"{hours}h"}}"#));
        }
        if dice.one_in(15) {
            let id = format!("e{}", dice.below(30));
            let start = Instant(now.0 + i64::try_from(dice.below(20 * 86_400_000)).unwrap());
            let title = if dice.one_in(3) { "exam" } else { "lunch" };
            self.events.insert(id.clone(), super::event(&id, title, &format_instant(zone, start)));
        }
        if dice.one_in(40) {
            self.events.pop_last();
        }
    }

    fn reading(&self, name: &str, now: Instant) -> Reading {
        if name == "health" {
            let lines = self.asleep.iter().rev().take(30).cloned().collect();
            return Reading { lines, ..Reading::default() };
        }
        let at = |days: i64| chrono::DateTime::from_timestamp_millis(now.0 + days * 86_400_000).unwrap();
        let shows_all = ShowsAll { stream: "calendar.event", from: at(-1), to: at(60) };
        let lines = self.events.values().cloned().collect();
        Reading { lines, shows_all: Some(shows_all), ..Reading::default() }
    }
}

fn run(seed: u64, days: i64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut world = World::begin("2026-03-01T12:00:00-05:00");
    let mut truth = Truth::default();
    let end = Instant(world.now.0 + days * 86_400_000);
    world.tell(loaded(RULES, SOURCES));
    while world.now < end {
        truth.change(&mut dice, world.now);
        for name in std::mem::take(&mut world.reads) {
            let result = match dice.below(12) {
                0 => Err(Failure::TimedOut { seconds: 60 }),
                _ => Ok(truth.reading(&name, world.now)),
            };
            world.tell(Incoming::Read { name, result });
        }
        match dice.below(400) {
            0 => {
                // Killed, and back after a while.
                let away = i64::try_from(dice.below(20 * 3_600_000)).unwrap();
                let at =
                    format_instant(crate::engine::time::Zone(chrono_tz::UTC), Instant(world.now.0 + away));
                world.restart(&at, RULES, SOURCES);
            }
            1 => world.now = Instant(world.now.0 + i64::try_from(dice.below(9 * 3_600_000)).unwrap()),
            2 => world.now = Instant(world.now.0 - i64::try_from(dice.below(3 * 3_600_000)).unwrap()),
            3 => {
                let until = format_instant(
                    crate::engine::time::Zone(chrono_tz::UTC),
                    Instant(world.now.0 + i64::try_from(dice.below(8 * 3_600_000)).unwrap()),
                );
                let line = format!("{{\"snooze\":\"*\",\"until\":\"{until}\"}}");
                world.agent.session().store().post(&line).unwrap();
                world.tell(Incoming::Posted);
            }
            4 => world.tell(Incoming::Loaded(Err("broken".to_owned()))),
            _ => {
                let next = world.agent.next_wake();
                world.now = world.now.max(Instant(next.0.min(world.now.0 + 900_000)));
                world.tell(Incoming::Wake);
            }
        }
    }
    proved(&world, seed);
}

/// Nothing lost, doubled or reordered; the past says the same when it is computed and when it is exported.
fn proved(world: &World, seed: u64) {
    let store = world.agent.session().store();
    let verified = store.verify().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let verified = verified.unwrap_or_else(|difference| panic!("seed {seed}: {difference:?}"));
    let lines = world.log();
    assert!(verified.decisions > 20 && lines.len() as u64 == verified.decisions, "seed {seed}: {verified:?}");
    let mut ended: BTreeMap<String, u32> = BTreeMap::new();
    for line in &lines {
        if let Some(crate::engine::decision::Line::Decision(decision)) = crate::render::log::read(line)
            && decision.until.is_none()
        {
            *ended.entry(decision.id.to_string()).or_default() += 1;
        }
    }
    let twice: Vec<_> = ended.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "seed {seed}: ended twice: {twice:?}");
    let mut shown: BTreeMap<&str, u32> = BTreeMap::new();
    for message in &world.shown {
        *shown.entry(&message.message).or_default() += 1;
    }
    let twice: Vec<_> = shown.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "seed {seed}: shown twice: {twice:?}");
    assert_eq!(
        store.outbox().unwrap(),
        [("sent".to_owned(), i64::try_from(shown.len()).unwrap())],
        "seed {seed}"
    );
    assert_eq!(replayed(world), lines, "seed {seed}: the exported past says something else");
}

/// The lines of a dry-run over the exported journal.
fn replayed(world: &World) -> Vec<String> {
    let rules = world.agent.rules().unwrap();
    let mut batches: BTreeMap<Instant, Vec<Record>> = BTreeMap::new();
    let mut reader = Reader::new(rules);
    world
        .agent
        .session()
        .store()
        .export(rules.home(), |at, line| -> Result<(), StoreError> {
            let Ok(Read::Record(record)) = reader.read_line(line.as_bytes()) else { panic!("{line}") };
            batches.entry(at).or_default().push(record);
            Ok(())
        })
        .unwrap();
    let mut state = crate::engine::state::State::new(rules);
    let mut lines = Vec::new();
    for (at, mut records) in batches {
        crate::engine::records::sort(&mut records, rules);
        let event = crate::engine::step::Event { at, records: &records };
        let outcome = crate::engine::step::step(rules, &mut state, event);
        lines.extend(
            outcome.lines.iter().map(|line| crate::render::log::line(line, rules.home(), &rules.hash)),
        );
    }
    lines
}

#[test]
fn whatever_happens_nothing_is_lost_doubled_or_invented() {
    let days =
        std::env::var("VERGER_SIMULATION_DAYS").ok().and_then(|days| days.parse().ok()).unwrap_or(DAYS);
    let first = std::env::var("VERGER_SIMULATION_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    for seed in first..first + RUNS {
        run(seed, days);
    }
}
