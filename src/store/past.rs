//! Reads the past: lines of the log, and the engine as it was.

use rusqlite::OptionalExtension as _;

use super::Store;
use super::error::StoreError;
use super::rows::{self, EntryBody};
use super::rules::RuleFiles;
use super::session::{Engine, engine_at, take_in};
use crate::engine::rule_set::RuleSet;
use crate::engine::state::State;
use crate::engine::step::{Event, Outcome};
use crate::engine::time::Instant;

/// A line of the log with its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Row of the journal.
    pub seq: i64,
    /// When that row was taken in.
    pub at: Instant,
    /// The line.
    pub line: String,
    /// When the message that it went out in was handed over, if it was.
    pub handed_at: Option<Instant>,
}

/// The engine at some moment of the past.
#[derive(Debug)]
pub struct Moment {
    /// The set in force.
    pub rules: RuleSet,
    /// Its texts.
    pub files: RuleFiles,
    /// The memory.
    pub state: State,
    /// What was said last on the way.
    pub outcome: Outcome,
}

impl Store {
    /// Hands out the lines of the log, oldest first.
    ///
    /// # Errors
    /// When the journal cannot be read, or the first one of `each`.
    pub fn log<E: From<StoreError>>(&self, mut each: impl FnMut(LogLine) -> Result<(), E>) -> Result<(), E> {
        let sql = "SELECT d.seq, j.at, d.line, o.handed_at FROM decision d JOIN journal j USING (seq)
                   LEFT JOIN outbox o ON o.message = json_extract(d.line, '$.message')
                   ORDER BY d.seq, d.place";
        let mut query = self.db.prepare_cached(sql).map_err(StoreError::from)?;
        let mut rows = query.query([]).map_err(StoreError::from)?;
        while let Some(row) = rows.next().map_err(StoreError::from)? {
            let read = || -> rusqlite::Result<LogLine> {
                Ok(LogLine {
                    seq: row.get(0)?,
                    at: Instant(row.get(1)?),
                    line: row.get(2)?,
                    handed_at: row.get::<_, Option<i64>>(3)?.map(Instant),
                })
            };
            each(read().map_err(StoreError::from)?)?;
        }
        Ok(())
    }

    /// Ids that begin so; of escalations too.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn ids(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let sql =
            "SELECT DISTINCT id FROM decision WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 20";
        let mut query = self.db.prepare_cached(sql)?;
        let rows = query.query_map([prefix], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Rows of the journal in which something was said about a decision.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn rows_of(&self, id: &str) -> Result<Vec<i64>, StoreError> {
        let mut query =
            self.db.prepare_cached("SELECT DISTINCT seq FROM decision WHERE id = ?1 ORDER BY seq")?;
        let rows = query.query_map([id], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Instant of a row.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn at_of(&self, seq: i64) -> Result<Option<Instant>, StoreError> {
        let sql = "SELECT at FROM journal WHERE seq = ?1";
        Ok(self.db.query_row(sql, [seq], |row| row.get(0)).optional()?.map(Instant))
    }

    /// The set in force now; `None` before any was.
    ///
    /// # Errors
    /// When the journal cannot be read, or the set's texts are gone.
    pub fn rules_in_force(&self) -> Result<Option<RuleSet>, StoreError> {
        let Some(hash) = rows::rules_at(&self.db, i64::MAX)? else { return Ok(None) };
        Ok(Some(rows::rules(&self.db, i64::MAX, &hash)?.compile()?))
    }

    /// When the set in force came into force.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn rules_since(&self) -> Result<Option<Instant>, StoreError> {
        let sql = "SELECT max(at) FROM journal WHERE kind = 'rules'";
        Ok(self.db.query_row(sql, [], |row| row.get::<_, Option<i64>>(0))?.map(Instant))
    }

    /// Hands out the lines of all records that are still there, with the instant of their row; see
    /// [`Store::export`].
    ///
    /// # Errors
    /// When the journal cannot be read, or the first one of `each`.
    pub fn records<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(Instant, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        rows::each_from(&self.db, i64::MIN, |entry| -> Result<(), E> {
            if let Some(EntryBody::Records(lines)) = &entry.body {
                lines.lines().try_for_each(|line| each(entry.at, line))?;
            }
            Ok(())
        })
    }

    /// The engine as it was once everything up to an instant was taken in, and time had gone on to it; `None`
    /// before anything was.
    ///
    /// # Errors
    /// When the journal is damaged, or what led there was taken out of it.
    pub fn moment(&self, until: Instant) -> Result<Option<Moment>, StoreError> {
        self.replay(|at, _| at <= until, Some(until))
    }

    /// The engine right after a row.
    ///
    /// # Errors
    /// As [`Store::moment`].
    pub fn after_row(&self, last: i64) -> Result<Option<Moment>, StoreError> {
        self.replay(|_, seq| seq <= last, None)
    }

    fn replay(
        &self,
        wanted: impl Fn(Instant, i64) -> bool,
        until: Option<Instant>,
    ) -> Result<Option<Moment>, StoreError> {
        let mut engine: Option<Engine> = None;
        let mut from = 1;
        for (seq, text) in rows::snapshots(&self.db)? {
            let at = self.at_of(seq)?.unwrap_or(Instant(i64::MIN));
            // The last row itself is taken in, so that there is an outcome.
            if wanted(at, seq.saturating_add(1)) {
                engine = Some(engine_at(&self.db, seq, &text)?);
                from = seq.saturating_add(1);
                break;
            }
        }
        let mut last = from.saturating_sub(1);
        let walked = rows::each_from(&self.db, from, |entry| -> Result<(), End> {
            if !wanted(entry.at, entry.seq) {
                return Err(End::Reached);
            }
            take_in(&self.db, &mut engine, &entry)?;
            last = entry.seq;
            Ok(())
        });
        if let Err(End::Failed(error)) = walked {
            return Err(error);
        }
        let Some(mut engine) = engine else { return Ok(None) };
        if let Some(until) = until.filter(|until| engine.state.since.is_some() && *until > engine.state.clock)
        {
            engine.step(Event { at: until, records: &[] });
        }
        let hash = rows::rules_at(&self.db, last)?.ok_or(StoreError::NoRules)?;
        let files = rows::rules(&self.db, last, &hash)?;
        Ok(Some(Moment { rules: engine.rules, files, state: engine.state, outcome: engine.outcome }))
    }
}

/// Ends a walk.
enum End {
    Reached,
    Failed(StoreError),
}

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}
