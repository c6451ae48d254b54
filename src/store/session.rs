//! The engine on the journal: takes inputs in, one transaction each, and resumes where the journal ends.
//!
//! INVARIANT: what is in memory is what the journal says. When a commit fails, memory is ahead of it, so
//! nothing more is taken in until [`Session::resume`] has read the journal again.

use rusqlite::{Connection, Transaction};

use super::error::StoreError;
use super::rows::{self, Entry, EntryBody, StoredDecision};
use super::rules::RuleFiles;
use super::sources::SourceUpdate;
use super::{Store, fault, inbox, outbox, sources};
use crate::engine::decision::Line;
use crate::engine::record::Record;
use crate::engine::records::{Read, Reader, sort, write};
use crate::engine::rule_set::RuleSet;
use crate::engine::state::State;
use crate::engine::step::{Effect, Event, Outcome, step_into};
use crate::engine::time::Instant;
use crate::render::log;

/// Rows between two snapshots: resuming takes in at most so many again.
const SNAPSHOT_ROWS: i64 = 256;

/// A rule set in force and the memory that belongs to it.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) rules: RuleSet,
    pub(super) state: State,
    pub(super) outcome: Outcome,
}

impl Engine {
    pub(super) fn new(rules: RuleSet) -> Self {
        let state = State::new(&rules);
        Self { rules, state, outcome: Outcome::default() }
    }

    /// Puts another set in force; what still means the same stays.
    pub(super) fn reload(&mut self, rules: RuleSet) {
        self.state = self.state.carry(&self.rules, &rules);
        self.rules = rules;
    }

    /// Takes an event in and says what the engine says.
    pub(super) fn step(&mut self, event: Event<'_>) -> &Outcome {
        step_into(&self.rules, &mut self.state, event, &mut self.outcome);
        &self.outcome
    }

    /// Takes a row in again.
    pub(super) fn replay(&mut self, entry: &Entry, lines: &str) -> Result<&Outcome, StoreError> {
        let records = read(&self.rules, entry, lines)?;
        Ok(self.step(Event { at: entry.at, records: &records }))
    }

    /// The lines of an outcome as they are stored beside row `seq`.
    pub(super) fn said(&self, seq: i64) -> Vec<StoredDecision> {
        let zone = self.rules.home();
        let lines = self.outcome.lines.iter().map(|line| StoredDecision {
            seq,
            id: match line {
                Line::Decision(decision) => Some(decision.id.to_string()),
                Line::Missed { .. } => None,
            },
            line: log::line(line, zone, &self.rules.hash),
        });
        lines.collect()
    }

    /// How the engine came to the outcome; nothing where nothing was said.
    pub(super) fn trace(&self) -> Option<String> {
        if self.outcome.lines.is_empty() { None } else { serde_json::to_string(&self.outcome.trace).ok() }
    }
}

/// The records of a row.
fn read(rules: &RuleSet, entry: &Entry, lines: &str) -> Result<Vec<Record>, StoreError> {
    let damaged = |what: String| StoreError::Damaged { seq: entry.seq, what };
    let mut reader = Reader::new(rules);
    let mut records = Vec::new();
    for line in lines.lines() {
        match reader.read_line(line.as_bytes()) {
            Ok(Read::Record(record)) => records.push(record),
            Ok(Read::Undeclared { name, .. }) => return Err(damaged(format!("`{name}` is not declared"))),
            Ok(Read::Empty) => {}
            Err(error) => return Err(damaged(error.to_string())),
        }
    }
    Ok(records)
}

/// What is stored in the transaction of an input, beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// What the read left that gave the records.
    pub source: Option<&'a SourceUpdate>,
    /// Lines of the inbox that the records were read from.
    pub inbox: &'a [i64],
}

/// A journal with its engine.
#[derive(Debug)]
pub struct Session {
    store: Store,
    engine: Option<Engine>,
    broken: bool,
}

impl Session {
    /// Takes in again what came after the last snapshot.
    ///
    /// # Errors
    /// When the journal is damaged or cannot be read.
    pub fn resume(store: Store) -> Result<Self, StoreError> {
        let (from, mut engine) = match rows::snapshot(&store.db)? {
            Some((seq, text)) => (seq.saturating_add(1), Some(engine_at(&store.db, seq, &text)?)),
            None => (1, None),
        };
        rows::each_from(&store.db, from, |entry| take_in(&store.db, &mut engine, &entry))?;
        Ok(Self { store, engine, broken: false })
    }

    /// The set in force.
    #[must_use]
    pub fn rules(&self) -> Option<&RuleSet> {
        self.engine.as_ref().map(|engine| &engine.rules)
    }

    /// The engine's memory.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        self.engine.as_ref().map(|engine| &engine.state)
    }

    /// The journal.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Puts a rule set in force; the one that is in force already changes nothing.
    ///
    /// # Errors
    /// When it has errors, or the journal cannot take it.
    pub fn load(&mut self, at: Instant, files: &RuleFiles) -> Result<(), StoreError> {
        self.sound()?;
        let rules = files.compile()?;
        if self.rules().is_some_and(|known| known.hash == rules.hash) {
            return Ok(());
        }
        fault::point();
        let step = self.store.db.transaction()?;
        rows::put_rules(&step, &rules.hash, files)?;
        rows::append(&step, at, &EntryBody::Rules(rules.hash.to_string()))?;
        fault::point();
        step.commit()?;
        fault::point();
        match &mut self.engine {
            Some(engine) => engine.reload(rules),
            none => *none = Some(Engine::new(rules)),
        }
        Ok(())
    }

    /// Takes records in that were learnt at one instant, or a tick without any: when this returns, they, what
    /// the engine said and what is to be handed over are on the disk.
    ///
    /// # Errors
    /// When no set is in force, the instant lies before the journal's end, or the journal cannot take it; in
    /// the last case nothing was taken in, and the session has to be resumed.
    pub fn take(&mut self, at: Instant, records: &mut [Record]) -> Result<&Outcome, StoreError> {
        self.take_with(at, records, Beside::default())
    }

    /// As [`Session::take`], and stores something beside it in the same transaction.
    ///
    /// # Errors
    /// As [`Session::take`].
    pub fn take_with(
        &mut self,
        at: Instant,
        records: &mut [Record],
        beside: Beside<'_>,
    ) -> Result<&Outcome, StoreError> {
        self.sound()?;
        let engine = self.engine.as_mut().ok_or(StoreError::NoRules)?;
        if let Some(head) = rows::tip(&self.store.db)?.filter(|head| at < head.at) {
            return Err(StoreError::Past { at: at.0, head: head.at.0 });
        }
        sort(records, &engine.rules);
        let zone = engine.rules.home();
        let lines: Vec<String> = records.iter().map(|record| write(record, &engine.rules, zone)).collect();
        self.broken = true;
        engine.step(Event { at, records });
        fault::point();
        let step = self.store.db.transaction()?;
        let seq = rows::append(&step, at, &EntryBody::Records(lines.join("\n")))?;
        fault::point();
        for (place, said) in (0_i64..).zip(engine.said(seq)) {
            rows::put_decision(&step, place, &said)?;
        }
        if let Some(events) = engine.trace() {
            rows::put_trace(&step, seq, &events)?;
        }
        for (place, effect) in (0_i64..).zip(&engine.outcome.effects) {
            let Effect::HandOver { message, decisions, level } = effect;
            outbox::put(&step, (seq, place), (message, level.word()), &decisions.join(" "))?;
        }
        if let Some(update) = beside.source {
            sources::put(&step, at, update)?;
        }
        inbox::take_out(&step, beside.inbox)?;
        fault::point();
        if seq % SNAPSHOT_ROWS == 0 {
            let damaged = |error: serde_json::Error| StoreError::Damaged { seq, what: error.to_string() };
            rows::put_snapshot(&step, seq, &serde_json::to_string(&engine.state).map_err(damaged)?)?;
        }
        fault::point();
        step.commit()?;
        fault::point();
        self.broken = false;
        Ok(&engine.outcome)
    }

    /// Stores what a read left that gave nothing new.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn note_read(&mut self, at: Instant, update: &SourceUpdate) -> Result<(), StoreError> {
        fault::point();
        let step = self.transaction()?;
        sources::put(&step, at, update)?;
        fault::point();
        step.commit()?;
        fault::point();
        Ok(())
    }

    /// Drops lines of the inbox that nothing can be made of.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn drop_posted(&mut self, ids: &[i64]) -> Result<(), StoreError> {
        let step = self.transaction()?;
        inbox::take_out(&step, ids)?;
        step.commit()?;
        Ok(())
    }

    pub(super) fn transaction(&mut self) -> Result<Transaction<'_>, StoreError> {
        Ok(self.store.db.transaction()?)
    }

    /// Where computing again begins: the oldest snapshot that only whole rows follow; `None` for the first
    /// row.
    pub(super) fn base(&self) -> Result<Option<(i64, Engine)>, StoreError> {
        let found = rows::base(&self.store.db)?;
        found.map(|(seq, text)| Ok((seq, engine_at(&self.store.db, seq, &text)?))).transpose()
    }

    pub(super) fn replace_engine(&mut self, engine: Engine) {
        self.engine = Some(engine);
    }

    fn sound(&self) -> Result<(), StoreError> {
        if self.broken { Err(StoreError::Broken) } else { Ok(()) }
    }
}

/// The engine as a snapshot remembers it.
pub(super) fn engine_at(db: &Connection, seq: i64, text: &str) -> Result<Engine, StoreError> {
    let damaged = |what: String| StoreError::Damaged { seq, what };
    let hash = rows::rules_at(db, seq)?.ok_or(StoreError::NoRules)?;
    let rules = rows::rules(db, seq, &hash)?.compile()?;
    let mut state: State = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
    state.bind_zones(&rules);
    Ok(Engine { rules, state, outcome: Outcome::default() })
}

/// Takes a row in again, on the way to where the journal ends.
pub(super) fn take_in(db: &Connection, engine: &mut Option<Engine>, entry: &Entry) -> Result<(), StoreError> {
    match (&entry.body, engine) {
        (None, _) => {
            let what = "its body was removed, and no snapshot follows it".to_owned();
            Err(StoreError::Damaged { seq: entry.seq, what })
        }
        (Some(EntryBody::Rules(hash)), engine) => {
            let rules = rows::rules(db, entry.seq, hash)?.compile()?;
            match engine {
                Some(engine) => engine.reload(rules),
                none => *none = Some(Engine::new(rules)),
            }
            Ok(())
        }
        (Some(EntryBody::Records(lines)), Some(engine)) => engine.replay(entry, lines).map(|_| ()),
        (Some(EntryBody::Records(_)), None) => Err(StoreError::NoRules),
    }
}
