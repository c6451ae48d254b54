//! What the journal knows of its sources: what the last good read left, how they fare, and what they gave.
//!
//! INVARIANT: what a read leaves is stored together with the records that it gave, so that a crash neither
//! loses a record nor takes one in twice.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use sha2::{Digest as _, Sha256};

use super::Store;
use super::error::StoreError;
use crate::connectors::source::{Failure, Memory};
use crate::engine::time::Instant;

/// How a source fares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceState {
    /// What the last good read left.
    pub memory: Memory,
    /// The last good read.
    pub read_at: Option<Instant>,
    /// The last read of any kind.
    pub tried_at: Option<Instant>,
    /// Failures since the last good read.
    pub failures: u32,
    /// Why the last read did not work, if it did not.
    pub failure: Option<Failure>,
    /// What the last good read left out, in sentences.
    pub notes: Vec<String>,
}

/// One thing that a source gave: the same again is no news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenRow {
    /// `signal@observed` or `stream#id`.
    pub key: String,
    /// When an item begins, in milliseconds since 1970.
    pub starts: Option<i64>,
    /// SHA-256 of what was given, apart from when.
    pub digest: [u8; 32],
}

impl GivenRow {
    /// Of a content.
    #[must_use]
    pub fn of(key: impl Into<String>, starts: Option<i64>, content: &str) -> Self {
        Self { key: key.into(), starts, digest: Sha256::digest(content).into() }
    }
}

/// What is stored beside the records of a read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceUpdate {
    /// Name of the source.
    pub name: String,
    /// What the read left.
    pub memory: Memory,
    /// What is new or changed.
    pub given: Vec<GivenRow>,
    /// Keys that the source does not show any more.
    pub gone: Vec<String>,
    /// What was left out.
    pub notes: Vec<String>,
}

impl Store {
    /// How a source fares; a new one has done nothing yet.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn source(&self, name: &str) -> Result<SourceState, StoreError> {
        let sql = "SELECT memory, read_at, tried_at, failures, failure, notes FROM source WHERE name = ?1";
        let mut query = self.db.prepare_cached(sql)?;
        let found = query
            .query_row([name], |row| {
                let text = |column| row.get::<_, Option<String>>(column);
                let json = text(0)?.unwrap_or_default();
                Ok(SourceState {
                    // What an older program left and this one cannot read is as good as nothing.
                    memory: serde_json::from_str(&json).unwrap_or_default(),
                    read_at: row.get::<_, Option<i64>>(1)?.map(Instant),
                    tried_at: row.get::<_, Option<i64>>(2)?.map(Instant),
                    failures: row.get(3)?,
                    failure: text(4)?.and_then(|json| serde_json::from_str(&json).ok()),
                    notes: text(5)?.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default(),
                })
            })
            .optional()?;
        Ok(found.unwrap_or_default())
    }

    /// Lets every source show all again; what it gave before is still no news.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn forget_memories(&self) -> Result<(), StoreError> {
        self.db.execute("UPDATE source SET memory = 'null'", [])?;
        Ok(())
    }

    /// Notes that a read did not work.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn source_failed(&self, name: &str, at: Instant, failure: &Failure) -> Result<(), StoreError> {
        let json = serde_json::to_string(failure).unwrap_or_default();
        self.db
            .prepare_cached(
                "INSERT INTO source (name, tried_at, failures, failure) VALUES (?1, ?2, 1, ?3)
                 ON CONFLICT DO UPDATE SET tried_at = ?2, failures = failures + 1, failure = ?3",
            )?
            .execute(params![name, at.0, json])?;
        Ok(())
    }

    /// What of this is new or changed since the source gave it last.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn is_news(&self, source: &str, row: &GivenRow) -> Result<bool, StoreError> {
        let sql = "SELECT digest FROM given WHERE source = ?1 AND key = ?2";
        let known: Option<[u8; 32]> =
            self.db.prepare_cached(sql)?.query_row([source, &row.key], |row| row.get(0)).optional()?;
        Ok(known != Some(row.digest))
    }

    /// Keys of a source that begin with `prefix`, with what they start at.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn given_by(&self, source: &str, prefix: &str) -> Result<Vec<(String, Option<i64>)>, StoreError> {
        let sql = "SELECT key, starts FROM given WHERE source = ?1 AND substr(key, 1, length(?2)) = ?2
                   ORDER BY key";
        let mut query = self.db.prepare_cached(sql)?;
        let rows = query.query_map([source, prefix], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// True when another source gives this key too.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn given_by_another(&self, source: &str, key: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM given WHERE key = ?2 AND source <> ?1 LIMIT 1";
        Ok(self.db.prepare_cached(sql)?.exists([source, key])?)
    }
}

/// Stores what a good read left.
pub(super) fn put(step: &Transaction<'_>, at: Instant, update: &SourceUpdate) -> Result<(), StoreError> {
    let (memory, notes) = (
        serde_json::to_string(&update.memory).unwrap_or_default(),
        serde_json::to_string(&update.notes).unwrap_or_default(),
    );
    step.prepare_cached(
        "INSERT INTO source (name, memory, read_at, tried_at, notes) VALUES (?1, ?2, ?3, ?3, ?4)
         ON CONFLICT DO UPDATE SET memory = ?2, read_at = ?3, tried_at = ?3, notes = ?4, failures = 0,
           failure = NULL",
    )?
    .execute(params![update.name, memory, at.0, notes])?;
    let mut give = step.prepare_cached(
        "INSERT INTO given (source, key, digest, starts, at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET digest = ?3, starts = ?4, at = ?5",
    )?;
    for row in &update.given {
        give.execute(params![update.name, row.key, row.digest, row.starts, at.0])?;
    }
    let mut forget = step.prepare_cached("DELETE FROM given WHERE source = ?1 AND key = ?2")?;
    for key in &update.gone {
        forget.execute([&update.name, key])?;
    }
    Ok(())
}

/// Forgets what was given before an instant.
pub(super) fn forget_given(db: &Connection, before: Instant) -> Result<(), StoreError> {
    db.execute("DELETE FROM given WHERE at < ?1 AND coalesce(starts, at) < ?1", [before.0])?;
    Ok(())
}
