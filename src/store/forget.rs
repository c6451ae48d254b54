//! Takes something out of the past on the owner's word: the readings of a signal or the items of a stream, or
//! what a rule said, before a date.
//!
//! What this means for replay: the memory is made anew from what is left, as if the readings had never come;
//! decisions that were made meanwhile stay as lines without text and facts, since they did happen; and
//! `verify` computes again only from here on, because the past as it is written now did not lead to them.
//! Budgets are counted anew too, from what is left.

use std::collections::BTreeSet;

use rusqlite::{Transaction, params};
use serde::Deserialize;

use super::error::StoreError;
use super::rows::{self, EntryBody};
use super::session::{Engine, Session, take_in};
use crate::engine::decision::Line;
use crate::engine::record::SignalId;
use crate::engine::rule_set::RuleSet;
use crate::engine::time::{Instant, parse_instant};
use crate::render::log;

/// What is to be forgotten, by its name in the set in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// Readings of a signal, or items of a stream.
    Facts(String),
    /// What a rule said.
    Rule(String),
}

/// What was taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForgotCount {
    /// Readings or items.
    pub records: usize,
    /// Lines of the log that have no text and no facts any more.
    pub lines: usize,
}

impl Session {
    /// Takes out what was observed (of a rule: decided) before an instant, and leaves no copy in the file.
    ///
    /// # Errors
    /// When no set is in force or the database refuses; then nothing was taken out.
    pub fn forget(&mut self, what: &Forgotten, before: Instant) -> Result<ForgotCount, StoreError> {
        let rules = self.rules().ok_or(StoreError::NoRules)?.clone();
        let base = self.base()?;
        let mut count = ForgotCount::default();
        let step = self.transaction()?;
        if let Forgotten::Facts(name) = what {
            count.records = forget_records(&step, name, before)?;
        }
        count.lines = forget_lines(&step, &rules, what, before)?;
        step.execute("DELETE FROM given WHERE key LIKE ?1 || '@%' OR key LIKE ?1 || '#%'", [what.name()])?;
        let engine = remember_anew(&step, base, what, before)?;
        step.commit()?;
        self.replace_engine(engine);
        // Freed pages would still hold what was there.
        self.store()
            .db
            .execute_batch("PRAGMA secure_delete = ON; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?;
        Ok(count)
    }
}

/// The memory from what is left, as the place where recomputing begins.
fn remember_anew(
    step: &Transaction<'_>,
    base: Option<(i64, Engine)>,
    what: &Forgotten,
    before: Instant,
) -> Result<Engine, StoreError> {
    let head = rows::head(step)?.ok_or(StoreError::NoRules)?;
    let from = base.as_ref().map_or(1, |(seq, _)| seq.saturating_add(1));
    let mut engine = base.map(|(_, engine)| engine);
    rows::each_from(step, from, |entry| take_in(step, &mut engine, &entry))?;
    let mut engine = engine.ok_or(StoreError::NoRules)?;
    for delivered in engine.state.delivered.values_mut().filter(|told| told.at < before) {
        if what.concerns(&engine.rules, rule_name(&engine.rules, delivered.trigger.rule), &[]) {
            delivered.trigger.text = "".into();
            delivered.trigger.facts.clear();
        }
    }
    let damaged = |error: serde_json::Error| StoreError::Damaged { seq: head.seq, what: error.to_string() };
    let state = serde_json::to_string(&engine.state).map_err(damaged)?;
    step.execute("DELETE FROM snapshot", [])?;
    step.execute("INSERT INTO snapshot (seq, state) VALUES (?1, ?2)", params![head.seq, state])?;
    step.execute("UPDATE journal SET edited = 1 WHERE seq = ?1", [head.seq])?;
    Ok(engine)
}

fn rule_name(rules: &RuleSet, id: crate::engine::rule_set::RuleId) -> &str {
    rules.rules.get(id.index()).map_or("", |rule| &rule.name)
}

impl Forgotten {
    fn name(&self) -> &str {
        match self {
            Self::Facts(name) | Self::Rule(name) => name,
        }
    }

    /// True when a line of a rule, with these facts, speaks of it.
    fn concerns(
        &self,
        rules: &RuleSet,
        rule: &str,
        facts: &[(std::sync::Arc<str>, std::sync::Arc<str>)],
    ) -> bool {
        match self {
            Self::Rule(name) => name == rule,
            Self::Facts(name) => facts.iter().any(|(fact, _)| **fact == **name) || reads(rules, rule, name),
        }
    }
}

/// True when a rule's verdict or text depends on a signal or stream.
fn reads(rules: &RuleSet, rule: &str, name: &str) -> bool {
    let Some(rank) = rules.rule_named(rule).and_then(|id| rules.index.rank.get(id.index())) else {
        return false;
    };
    let of = |table: &[Vec<u32>], place: u32| {
        usize::try_from(place)
            .ok()
            .and_then(|place| table.get(place))
            .is_some_and(|ranks| ranks.contains(rank))
    };
    if let Some(SignalId(signal)) = rules.signal_named(name) {
        return of(&rules.index.current, signal) || of(&rules.index.history, signal);
    }
    rules.stream_named(name).is_some_and(|stream| of(&rules.index.streams, stream.0))
}

/// A line of a row, as far as this needs it.
#[derive(Deserialize)]
struct Speaks {
    at: String,
    observed: Option<String>,
    signal: Option<String>,
    event: Option<String>,
}

fn forget_records(step: &Transaction<'_>, name: &str, before: Instant) -> Result<usize, StoreError> {
    let mut edits = Vec::new();
    let mut count = 0_usize;
    rows::each_from(step, i64::MIN, |entry| -> Result<(), StoreError> {
        let Some(EntryBody::Records(lines)) = &entry.body else { return Ok(()) };
        let left: Vec<&str> = lines.lines().filter(|line| !is_forgotten(line, name, before)).collect();
        let gone = lines.lines().count().saturating_sub(left.len());
        if gone > 0 {
            count = count.saturating_add(gone);
            edits.push((entry.seq, left.join("\n")));
        }
        Ok(())
    })?;
    let mut edit = step.prepare_cached("UPDATE journal SET body = ?2, edited = 1 WHERE seq = ?1")?;
    for (seq, body) in edits {
        edit.execute(params![seq, body])?;
    }
    Ok(count)
}

fn is_forgotten(line: &str, name: &str, before: Instant) -> bool {
    let Ok(speaks) = serde_json::from_str::<Speaks>(line) else { return false };
    let named = speaks.signal.as_deref() == Some(name) || speaks.event.as_deref() == Some(name);
    let when = speaks.observed.as_deref().unwrap_or(&speaks.at);
    named && parse_instant(when).is_ok_and(|when| when < before)
}

fn forget_lines(
    step: &Transaction<'_>,
    rules: &RuleSet,
    what: &Forgotten,
    before: Instant,
) -> Result<usize, StoreError> {
    let zone = rules.home();
    let mut edits = Vec::new();
    let mut query = step.prepare("SELECT seq, place, line FROM decision ORDER BY seq, place")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (seq, place, text): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let Some(Line::Decision(mut decision)) = log::read(&text) else { continue };
        let told = !decision.text.is_empty() || !decision.facts.is_empty();
        if told && decision.at < before && what.concerns(rules, &decision.rule, &decision.facts) {
            decision.text = "".into();
            decision.facts.clear();
            let hash = log::rules_of(&text).unwrap_or_default();
            edits.push((seq, place, log::line(&Line::Decision(decision), zone, &hash)));
        }
    }
    let seqs: BTreeSet<i64> = edits.iter().map(|(seq, _, _)| *seq).collect();
    for (seq, place, line) in &edits {
        step.prepare_cached("UPDATE decision SET line = ?3 WHERE seq = ?1 AND place = ?2")?
            .execute(params![seq, place, line])?;
    }
    for seq in seqs {
        step.prepare_cached("DELETE FROM trace WHERE seq = ?1")?.execute([seq])?;
    }
    Ok(edits.len())
}
