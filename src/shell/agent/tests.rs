//! The watch on a virtual clock: a real journal, scripted sources, and a world that restarts, sleeps and sets
//! clocks.

mod simulation;

use std::collections::BTreeMap;

use super::*;
use crate::config::Settings;
use crate::connectors::source::ShowsAll;
use crate::engine::time::{Date, parse_instant};
use crate::store::Store;

/// A set with a schedule, a signal, a stream and the rule of silence.
pub(super) const RULES: &str = r#"
zone     home   = "America/Toronto"
quiet    nights = 23:00 to 07:00 in home
budget   few    = 3 per day in home
schedule brief  = daily at 07:30 in home, late until 11:00
signal   health.asleep  duration  nightly  fresh 20h  range 0min to 16h
stream   calendar.event { title text, start instant, end instant } timed start to end

rule short  "Short night"
  when     health.asleep < 6h
  then     tell within few
  once per day
  say      "You slept {health.asleep}."

rule exam  "Exam"
  on       calendar.event as e
  when     e.title has "exam"
  then     note
  say      "{e.title} at {e.start}"

rule silent  "No data"
  when     nothing from source.health for 12h
  then     note
  say      "No health data for {source.health age}."

rule morning  "Morning"
  on       brief
  gather   f in rules.fired since brief
  then     tell
  say      "Good morning." each "{f.title}" else "Nothing fired."
"#;

pub(super) fn rules(text: &str) -> RuleFiles {
    RuleFiles { rules: BTreeMap::from([("a.rule".to_owned(), text.to_owned())]), ..RuleFiles::default() }
}

pub(super) fn source(name: &str, every: Option<i64>) -> LiveSource {
    let entry = crate::config::Entry {
        name: name.to_owned(),
        kind: "jsonl",
        every,
        names: BTreeMap::new(),
        settings: Settings::default(),
    };
    LiveSource::of(&entry, "home".as_ref(), None, "received".as_ref()).unwrap()
}

pub(super) fn loaded(text: &str, sources: &[(&str, Option<i64>)]) -> Incoming {
    let sources = sources.iter().map(|(name, every)| source(name, *every)).collect();
    Incoming::Loaded(Ok(Box::new(Loaded { rules: rules(text), sources, ping_ms: None })))
}

/// A watch with what it said and showed.
pub(super) struct World {
    pub(super) folder: tempfile::TempDir,
    pub(super) now: Instant,
    pub(super) agent: Agent,
    pub(super) said: Vec<String>,
    pub(super) shown: Vec<Message>,
    pub(super) reads: Vec<String>,
}

impl World {
    pub(super) fn begin(at: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let now = parse_instant(at).unwrap();
        let agent = open(&folder, now);
        Self { folder, now, agent, said: Vec::new(), shown: Vec::new(), reads: Vec::new() }
    }

    pub(super) fn tell(&mut self, event: Incoming) {
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            for order in self.agent.handle(self.now, event).unwrap() {
                match order {
                    Order::Say(text) => self.said.push(text),
                    Order::Read { source, .. } => self.reads.push(source.name),
                    Order::HandOver(message) => {
                        events.push(Incoming::Handed { message: message.message.clone(), result: Ok(()) });
                        self.shown.push(message);
                    }
                    Order::Sources(_) | Order::Ping | Order::Received(_) | Order::End => {}
                }
            }
        }
    }

    /// Wakes up whenever the watch wants to, until an instant.
    pub(super) fn wait(&mut self, until: &str) {
        self.wait_until(parse_instant(until).unwrap());
    }

    pub(super) fn wait_until(&mut self, until: Instant) {
        while self.agent.next_wake() <= until {
            self.now = self.now.max(self.agent.next_wake());
            self.tell(Incoming::Wake);
        }
        self.now = until;
    }

    /// The process dies, and another one begins.
    pub(super) fn restart(&mut self, at: &str, text: &str, sources: &[(&str, Option<i64>)]) {
        self.now = parse_instant(at).unwrap();
        self.agent = open(&self.folder, self.now);
        self.tell(loaded(text, sources));
    }

    pub(super) fn read(&mut self, name: &str, lines: &[&str]) {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        self.give(name, Reading { lines, ..Reading::default() });
    }

    pub(super) fn give(&mut self, name: &str, reading: Reading) {
        self.tell(Incoming::Read { name: name.to_owned(), result: Ok(reading) });
    }

    fn texts(&self) -> Vec<String> {
        let lines = self.shown.iter().flat_map(|message| &message.lines);
        let text = |line: &String| match crate::render::log::read(line).unwrap() {
            crate::engine::decision::Line::Decision(decision) => decision.text.to_string(),
            other => format!("{other:?}"),
        };
        lines.map(text).collect()
    }

    fn log(&self) -> Vec<String> {
        let mut lines = Vec::new();
        self.agent
            .session()
            .store()
            .log(|row| -> Result<(), StoreError> {
                lines.push(row.line);
                Ok(())
            })
            .unwrap();
        lines
    }

    pub(super) fn prove(&self) {
        self.agent.session().store().verify().unwrap().unwrap();
    }
}

fn open(folder: &tempfile::TempDir, now: Instant) -> Agent {
    let store = Store::open(&folder.path().join("journal.db")).unwrap();
    Agent::new(Session::resume(store).unwrap(), now, 1).unwrap()
}

const SHORT: &str = r#"{"at":"2026-09-26T06:30:00-04:00","signal":"health.asleep","value":"5h"}"#;

#[test]
fn what_a_source_gives_is_learnt_once() {
    let mut world = World::begin("2026-09-26T08:00:00-04:00");
    world.tell(loaded(RULES, &[("health", Some(900_000))]));
    assert_eq!(world.reads, ["health"]);
    world.read("health", &[SHORT]);
    assert_eq!(world.texts(), ["You slept 5h."]);
    world.wait("2026-09-26T08:16:00-04:00");
    assert_eq!(world.reads, ["health", "health"]);
    world.read("health", &[SHORT]);
    // The read itself is a record each time, since a rule asks for it; the reading only once.
    let mut learnt = Vec::new();
    let note = |_, line: &str| -> Result<(), StoreError> {
        learnt.push(line.contains("health.asleep"));
        Ok(())
    };
    world.agent.session().store().records(note).unwrap();
    assert_eq!(learnt, [true, false, false]);
    assert_eq!(world.texts().len(), 1);
    world.prove();
}

#[test]
fn of_several_values_for_one_moment_the_one_that_was_learnt_last_counts() {
    let line = |at: &str, value: &str| {
        format!(
            r#"{{"at":"2026-09-26T{at}:00-04:00","observed":"2026-09-26T06:30:00-04:00","signal":"health.asleep","value":"{value}"}}"#
        )
    };
    let mut world = World::begin("2026-09-26T08:00:00-04:00");
    world.tell(loaded(RULES, &[("health", None)]));
    world.read("health", &[&line("07:00", "7h")]);
    // Corrected, and corrected back: what is known already is no news, and what was in between never was.
    world.read("health", &[&line("07:00", "4h"), &line("07:00", "7h")]);
    assert_eq!(world.texts(), [""; 0]);
    // The order of the lines does not matter, when they were learnt does.
    world.read("health", &[&line("07:50", "5h"), &line("07:40", "7h30m")]);
    assert_eq!(world.texts(), ["You slept 5h."]);
    world.prove();
}

#[test]
fn an_outage_is_told_and_schedules_follow_their_late_clause() {
    let mut world = World::begin("2026-09-25T12:00:00-04:00");
    world.tell(loaded(RULES, &[]));
    world.wait("2026-09-26T07:10:00-04:00");
    // Killed without a word; back before the brief is too late.
    world.restart("2026-09-26T09:00:00-04:00", RULES, &[]);
    let line = world.log().pop().unwrap();
    assert!(line.contains("\"late\":\"90min\"") || line.contains("\"late\":\"1h30m\""), "{line}");
    // The next day it comes too late.
    world.wait("2026-09-27T07:00:00-04:00");
    world.restart("2026-09-27T12:00:00-04:00", RULES, &[]);
    assert!(world.log().pop().unwrap().contains("\"missed\":true"));
    world.prove();
}

#[test]
fn a_machine_that_slept_is_an_outage_too() {
    let mut world = World::begin("2026-09-25T12:00:00-04:00");
    world.tell(loaded(RULES, &[]));
    world.wait("2026-09-26T07:10:00-04:00");
    world.now = parse_instant("2026-09-26T13:00:00-04:00").unwrap();
    world.tell(Incoming::Wake);
    assert!(world.log().pop().unwrap().contains("\"missed\":true"));
    assert_eq!(world.texts(), ["No health data for unknown."]);
    // A short break is none.
    world.wait("2026-09-27T07:29:30-04:00");
    world.now = parse_instant("2026-09-27T07:31:30-04:00").unwrap();
    world.tell(Incoming::Wake);
    assert_eq!(world.texts().pop().unwrap(), "Good morning.\nNothing fired.");
    assert!(world.log().pop().unwrap().contains("\"at\":\"2026-09-27T07:30:00-04:00\""));
    world.prove();
}

#[test]
fn a_clock_set_back_makes_time_stand() {
    let mut world = World::begin("2026-09-26T07:00:00-04:00");
    world.tell(loaded(RULES, &[("health", Some(900_000))]));
    world.wait("2026-09-26T07:31:00-04:00");
    assert_eq!(world.shown.len(), 1);
    // A day back: the brief of that day does not come again, and what is learnt is taken in.
    world.now = parse_instant("2026-09-25T07:00:00-04:00").unwrap();
    world.read("health", &[SHORT]);
    world.wait("2026-09-26T07:31:30-04:00");
    assert_eq!(world.texts(), ["Good morning.\nNothing fired.", "You slept 5h."]);
    world.wait("2026-09-27T07:31:00-04:00");
    assert_eq!(world.texts().last().unwrap(), "Good morning.\nShort night\nNo data");
    world.prove();
}

#[test]
fn a_source_that_fails_is_asked_more_and_more_rarely_and_named_once() {
    let mut world = World::begin("2026-09-26T12:00:00-04:00");
    world.tell(loaded(RULES, &[("health", Some(900_000)), ("calendar", Some(900_000))]));
    let fail = |world: &mut World| {
        let result = Err(Failure::Unreachable("connection refused".to_owned()));
        world.tell(Incoming::Read { name: "health".to_owned(), result });
    };
    let mut gaps = Vec::new();
    for _ in 0..9 {
        fail(&mut world);
        let (asked, from) = (world.reads.len(), world.now);
        while world.reads.len() == asked {
            world.now = world.agent.next_wake();
            world.tell(Incoming::Wake);
        }
        gaps.push((world.now.0 - from.0) / 1000);
    }
    assert!(gaps.windows(2).take(6).all(|pair| pair[0] < pair[1]), "{gaps:?}");
    assert!((24..=36).contains(&gaps[0]) && gaps.iter().all(|gap| *gap <= 4320), "{gaps:?}");
    let named: Vec<_> = world.said.iter().filter(|said| said.contains("refused")).collect();
    assert_eq!(named, ["source `health`: cannot be reached: connection refused"]);
    world.read("health", &[]);
    assert_eq!(world.said.last().unwrap(), "source `health` works again");
    // The other one was never asked less.
    assert_eq!(world.reads.iter().filter(|name| *name == "calendar").count(), 1);
    let busy = Failure::Busy { status: 429, retry_after: Some(7200) };
    assert_eq!(sources::patience("a", Some(1000), &busy, 1), 7_200_000);
}

#[test]
fn a_bad_file_is_named_once_and_the_last_good_set_stays() {
    let mut world = World::begin("2026-09-26T12:00:00-04:00");
    world.tell(loaded(RULES, &[("health", Some(900_000))]));
    let bad = || Incoming::Loaded(Err("the rules have errors\nline 1\n".to_owned()));
    world.tell(bad());
    world.tell(bad());
    let said = "the rules have errors\nline 1\nthe last good rule set stays in force";
    assert_eq!(world.said.iter().filter(|text| *text == said).count(), 1, "{:?}", world.said);
    world.read("health", &[SHORT]);
    assert_eq!(world.texts(), ["You slept 5h."]);
    world.tell(loaded(RULES, &[("health", Some(900_000))]));
    assert_eq!(world.said.last().unwrap(), "the files are in order again");
    world.prove();
}

#[test]
fn a_name_that_is_declared_later_makes_what_was_passed_over_news() {
    let mut world = World::begin("2026-09-26T12:00:00-04:00");
    let without = RULES.replace("health.asleep  duration", "health.slept  duration");
    let without = without.replace("health.asleep <", "health.slept <").replace("{health.asleep}", "x");
    world.tell(loaded(&without, &[("health", Some(900_000))]));
    world.read("health", &[SHORT]);
    let notes = world.agent.session().store().source("health").unwrap().notes;
    assert_eq!(notes, ["no rule file declares `health.asleep`"]);
    world.tell(loaded(RULES, &[("health", Some(900_000))]));
    assert_eq!(world.reads, ["health", "health"]);
    world.read("health", &[SHORT]);
    assert_eq!(world.texts(), ["You slept 5h."]);
    world.prove();
}

fn event(id: &str, title: &str, start: &str) -> String {
    format!(
        r#"{{"at":"2026-09-26T00:00:00Z","event":"calendar.event","id":"{id}","fields":{{"title":"{title}","start":"{start}"}}}}"#
    )
}

fn calendar(lines: &[String]) -> Reading {
    let window = ["2026-09-25T04:00:00Z", "2026-11-25T05:00:00Z"].map(|at| at.parse().unwrap());
    let shows_all = ShowsAll { stream: "calendar.event", from: window[0], to: window[1] };
    Reading { lines: lines.to_vec(), shows_all: Some(shows_all), ..Reading::default() }
}

fn events(world: &World) -> Vec<String> {
    let rules = world.agent.rules().unwrap();
    let stream = rules.stream_named("calendar.event").unwrap();
    let items = &world.agent.session().state().unwrap().streams[stream.0 as usize];
    let known = ["e1", "e2", "e3"].into_iter().filter(|id| items.get(id).is_some());
    known.map(str::to_owned).collect()
}

#[test]
fn what_a_calendar_does_not_show_any_more_is_gone_unless_another_shows_it() {
    let mut world = World::begin("2026-09-26T12:00:00-04:00");
    world.tell(loaded(RULES, &[("work", Some(900_000)), ("home", Some(900_000))]));
    let exam = event("e1", "Exam", "2026-10-01T09:00:00-04:00");
    let lunch = event("e2", "Lunch", "2026-10-02T12:00:00-04:00");
    let past = event("e3", "Past", "2026-09-24T12:00:00-04:00");
    world.give("work", calendar(&[exam.clone(), lunch.clone(), past]));
    world.give("home", calendar(std::slice::from_ref(&lunch)));
    assert_eq!(world.texts(), ["Exam at 2026-10-01 09:00"]);
    assert_eq!(events(&world), ["e1", "e2", "e3"]);
    // Only what lies in the window, and what nobody shows, is gone.
    world.give("work", calendar(&[]));
    assert_eq!(events(&world), ["e2", "e3"]);
    world.give("home", calendar(&[]));
    assert_eq!(events(&world), ["e3"]);
    // Back again, and moved: a revision, no second message.
    world.give("work", calendar(&[event("e1", "Exam", "2026-10-01T10:00:00-04:00")]));
    assert_eq!(world.texts().len(), 1);
    world.prove();
}

#[test]
fn a_source_never_chooses_an_action() {
    let mut world = World::begin("2026-09-26T12:00:00-04:00");
    world.tell(loaded(RULES, &[("health", Some(900_000))]));
    world.read(
        "health",
        &[r#"{"at":"2026-09-26T00:00:00Z","snooze":"*","until":"2030-01-01T00:00:00Z"}"#, "nonsense", SHORT],
    );
    let notes = world.agent.session().store().source("health").unwrap().notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(world.agent.session().state().unwrap().snoozes.is_empty());
    assert_eq!(world.texts(), ["You slept 5h."]);
}

#[test]
fn what_commands_write_is_taken_in_once() {
    let mut world = World::begin("2026-09-26T12:00:00-04:00");
    world.tell(loaded(RULES, &[("health", Some(900_000))]));
    let store = world.agent.session().store();
    store.post(r#"{"snooze":"*","until":"2026-09-26T13:00:00-04:00"}"#).unwrap();
    store.post("{\"nonsense\":1}").unwrap();
    world.tell(Incoming::Posted);
    assert_eq!(world.agent.session().store().posted().unwrap(), []);
    world.read("health", &[SHORT]);
    assert_eq!(world.texts(), [""; 0]);
    world.wait("2026-09-26T13:01:00-04:00");
    assert_eq!(world.texts(), ["You slept 5h."]);
    world.prove();
}

#[test]
fn silence_of_a_source_is_news() {
    let mut world = World::begin("2026-09-26T12:00:00-04:00");
    world.tell(loaded(RULES, &[("health", None)]));
    world.read("health", &[]);
    world.wait("2026-09-27T07:00:00-04:00");
    assert_eq!(world.texts(), ["No health data for 19h."]);
    let zone = world.agent.rules().unwrap().home();
    assert_eq!(zone.date(world.now), Date(20_723));
}

#[test]
fn a_look_into_an_empty_letter_box_is_no_sign_of_life() {
    let mut world = World::begin("2026-09-26T12:00:00-04:00");
    world.tell(loaded(RULES, &[("health", None)]));
    world.read("health", &[]);
    for at in ["2026-09-26T18:00:00-04:00", "2026-09-26T23:00:00-04:00", "2026-09-27T06:00:00-04:00"] {
        world.wait(at);
        world.give("health", Reading { nothing_came: true, ..Reading::default() });
    }
    world.wait("2026-09-27T07:00:00-04:00");
    assert_eq!(world.texts(), ["No health data for 19h."]);
}
