//! Rows in and out.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::chain::{self, Hash};
use super::error::StoreError;
use super::rules::RuleFiles;
use crate::engine::ENGINE;
use crate::engine::time::{Instant, zone_data_version};

/// Milliseconds of which one snapshot stays: 30 days.
const BASE_MS: i64 = 30 * 24 * 3_600_000;

/// A row of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number, from 1, without holes.
    pub seq: i64,
    /// When it was taken in.
    pub at: Instant,
    /// What it is; `None` once retention emptied it.
    pub body: Option<EntryBody>,
    pub(super) kind: String,
    pub(super) digest: Hash,
    pub(super) hash: Hash,
    /// Engine and zone data that it was taken in with, where that is known.
    pub(super) program: Option<(u32, String)>,
    /// True where `forget` took something out of the body.
    pub(super) edited: bool,
}

/// What was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryBody {
    /// From here on the rule set with this hash is in force.
    Rules(String),
    /// Records, one canonical line each; empty for a tick.
    Records(String),
}

/// What the engine said, as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredDecision {
    /// Row of the journal.
    pub(super) seq: i64,
    /// Decision id; `None` for a missed run.
    pub(super) id: Option<String>,
    /// Its line of the log.
    pub(super) line: String,
}

impl EntryBody {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Rules(_) => "rules",
            Self::Records(_) => "records",
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Rules(text) | Self::Records(text) => text,
        }
    }
}

const ENTRY: &str = "SELECT seq, at, kind, body, digest, hash, engine, zones, edited
  FROM journal LEFT JOIN program ON program.id = journal.program";

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let kind: String = row.get(2)?;
    let body: Option<String> = row.get(3)?;
    let body =
        body.map(|text| if kind == "rules" { EntryBody::Rules(text) } else { EntryBody::Records(text) });
    let at = Instant(row.get(1)?);
    let engine: Option<u32> = row.get(6)?;
    Ok(Entry {
        seq: row.get(0)?,
        at,
        body,
        kind,
        digest: row.get(4)?,
        hash: row.get(5)?,
        program: engine.zip(row.get(7)?),
        edited: row.get(8)?,
    })
}

/// The newest row.
pub(super) fn head(db: &Connection) -> Result<Option<Entry>, StoreError> {
    let mut query = db.prepare_cached(&format!("{ENTRY} ORDER BY seq DESC LIMIT 1"))?;
    Ok(query.query_row([], entry).optional()?)
}

/// What a new row follows.
pub(super) struct Tip {
    pub(super) seq: i64,
    pub(super) at: Instant,
    hash: Hash,
}

/// The newest row without its body, which may be large.
pub(super) fn tip(db: &Connection) -> Result<Option<Tip>, StoreError> {
    let mut query = db.prepare_cached("SELECT seq, at, hash FROM journal ORDER BY seq DESC LIMIT 1")?;
    let tip =
        query.query_row([], |row| Ok(Tip { seq: row.get(0)?, at: Instant(row.get(1)?), hash: row.get(2)? }));
    Ok(tip.optional()?)
}

/// Hands out the rows from a number on, in order.
pub(super) fn each_from<E: From<StoreError>>(
    db: &Connection,
    seq: i64,
    mut each: impl FnMut(Entry) -> Result<(), E>,
) -> Result<(), E> {
    let sql = format!("{ENTRY} WHERE seq >= ?1 ORDER BY seq");
    let mut query = db.prepare_cached(&sql).map_err(StoreError::from)?;
    let mut rows = query.query([seq]).map_err(StoreError::from)?;
    while let Some(row) = rows.next().map_err(StoreError::from)? {
        each(entry(row).map_err(StoreError::from)?)?;
    }
    Ok(())
}

/// Adds a row; the caller commits. An instant before the newest row's is refused.
pub(super) fn append(step: &Transaction<'_>, at: Instant, body: &EntryBody) -> Result<i64, StoreError> {
    let (seq, before) = match tip(step)? {
        Some(tip) if at < tip.at => return Err(StoreError::Past { at: at.0, head: tip.at.0 }),
        Some(tip) => (tip.seq.saturating_add(1), tip.hash),
        None => (1, chain::START),
    };
    let digest = chain::digest(body.text());
    let hash = chain::hash(&before, seq, at.0, body.kind(), &digest);
    step.prepare_cached(
        "INSERT INTO journal (seq, at, kind, body, digest, hash, program) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![seq, at.0, body.kind(), body.text(), digest, hash, program(step)?])?;
    Ok(seq)
}

/// The number of this program's row.
fn program(step: &Transaction<'_>) -> Result<i64, StoreError> {
    let find = "SELECT id FROM program WHERE engine = ?1 AND zones = ?2";
    let zones = zone_data_version();
    let known = step.prepare_cached(find)?.query_row(params![ENGINE, zones], |row| row.get(0)).optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    step.execute("INSERT INTO program (engine, zones) VALUES (?1, ?2)", params![ENGINE, zones])?;
    Ok(step.last_insert_rowid())
}

/// Keeps the texts of a set under its hash.
pub(super) fn put_rules(step: &Transaction<'_>, hash: &str, files: &RuleFiles) -> Result<(), StoreError> {
    let text = serde_json::to_string(files).map_err(|error| StoreError::Rules(error.to_string()))?;
    step.execute(
        "INSERT INTO rule_set (hash, files) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        params![hash, text],
    )?;
    Ok(())
}

/// The texts of a set.
pub(super) fn rules(db: &Connection, seq: i64, hash: &str) -> Result<RuleFiles, StoreError> {
    let text: Option<String> =
        db.query_row("SELECT files FROM rule_set WHERE hash = ?1", [hash], |row| row.get(0)).optional()?;
    let damaged = |what: String| StoreError::Damaged { seq, what };
    let text = text.ok_or_else(|| damaged(format!("the texts of rule set `{hash}` are gone")))?;
    serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))
}

/// Keeps one line that was said about a row.
pub(super) fn put_decision(
    step: &Transaction<'_>,
    place: i64,
    said: &StoredDecision,
) -> Result<(), StoreError> {
    step.prepare_cached("INSERT INTO decision (seq, place, id, line) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![said.seq, place, said.id, said.line])?;
    Ok(())
}

/// What was said about a row, in order.
pub(super) fn decisions(db: &Connection, seq: i64) -> Result<Vec<StoredDecision>, StoreError> {
    let mut query = db.prepare_cached("SELECT seq, id, line FROM decision WHERE seq = ?1 ORDER BY place")?;
    let rows = query.query_map([seq], |row| {
        Ok(StoredDecision { seq: row.get(0)?, id: row.get(1)?, line: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Keeps how the engine came to what it said about a row.
pub(super) fn put_trace(step: &Transaction<'_>, seq: i64, events: &str) -> Result<(), StoreError> {
    step.prepare_cached("INSERT INTO trace (seq, events) VALUES (?1, ?2)")?.execute(params![seq, events])?;
    Ok(())
}

/// How the engine came to what it said about a row, if it said anything.
pub(super) fn trace(db: &Connection, seq: i64) -> Result<Option<String>, StoreError> {
    let mut query = db.prepare_cached("SELECT events FROM trace WHERE seq = ?1")?;
    Ok(query.query_row([seq], |row| row.get(0)).optional()?)
}

/// Keeps the engine's memory after a row. Of the older ones the first of each [`BASE_MS`] stays: one of them
/// is where recomputing begins once what lies before it is out of the history.
pub(super) fn put_snapshot(step: &Transaction<'_>, seq: i64, state: &str) -> Result<(), StoreError> {
    step.execute(
        "INSERT INTO snapshot (seq, state) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        params![seq, state],
    )?;
    step.execute(
        "DELETE FROM snapshot WHERE seq NOT IN (
           SELECT min(s.seq) FROM snapshot s JOIN journal j USING (seq) GROUP BY j.at / ?1
           UNION ALL SELECT max(seq) FROM snapshot)",
        [BASE_MS],
    )?;
    Ok(())
}

/// The newest snapshot.
pub(super) fn snapshot(db: &Connection) -> Result<Option<(i64, String)>, StoreError> {
    let sql = "SELECT seq, state FROM snapshot ORDER BY seq DESC LIMIT 1";
    Ok(db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// The hash of the set in force after a row.
pub(super) fn rules_at(db: &Connection, seq: i64) -> Result<Option<String>, StoreError> {
    let sql = "SELECT body FROM journal WHERE kind = 'rules' AND seq <= ?1 ORDER BY seq DESC LIMIT 1";
    Ok(db.query_row(sql, [seq], |row| row.get(0)).optional()?)
}

/// The oldest snapshot that only whole rows follow; `None` when all rows are whole, from the first on.
pub(super) fn base(db: &Connection) -> Result<Option<(i64, String)>, StoreError> {
    let sql = "SELECT max(seq) FROM journal WHERE body IS NULL OR edited = 1";
    let Some(cut) = db.query_row(sql, [], |row| row.get::<_, Option<i64>>(0))? else { return Ok(None) };
    let sql = "SELECT seq, state FROM snapshot WHERE seq >= ?1 ORDER BY seq LIMIT 1";
    let found = db.query_row(sql, [cut], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let what = "something was taken out of it, and no snapshot follows it".to_owned();
    found.map(Some).ok_or(StoreError::Damaged { seq: cut, what })
}

/// All snapshots, the newest first.
pub(super) fn snapshots(db: &Connection) -> Result<Vec<(i64, String)>, StoreError> {
    let mut query = db.prepare("SELECT seq, state FROM snapshot ORDER BY seq DESC")?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
