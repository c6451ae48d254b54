//! Messages on their way out.
//!
//! A message has one key for ever, so that a channel that lets us tell can show it once. It is `sent` only
//! when a channel said so; what was being sent when the process died is sent again under the same key.

use rusqlite::{Transaction, params};

use super::Store;
use super::error::StoreError;
use crate::engine::time::Instant;

/// A message to be handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its key.
    pub message: String,
    /// Row of the journal that made it.
    pub seq: i64,
    /// When it was made.
    pub at: Instant,
    /// `note`, `tell` or `ring`.
    pub level: String,
    /// The lines of the log that it carries, in order.
    pub lines: Vec<String>,
    /// How often it was tried before.
    pub tries: u32,
}

/// How many messages are in a state.
pub type OutboxCount = (String, i64);

impl Store {
    /// What waits, in the order in which it was made: also what was being sent when the process died.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn waiting(&self) -> Result<Vec<Message>, StoreError> {
        let sql = "SELECT o.message, o.seq, j.at, o.level, o.decisions, o.tries
                   FROM outbox o JOIN journal j USING (seq) WHERE o.state IN ('queued', 'sending')
                   ORDER BY o.seq, o.place";
        let mut query = self.db.prepare_cached(sql)?;
        let rows = query.query_map([], |row| {
            let ids: String = row.get(4)?;
            let message = Message {
                message: row.get(0)?,
                seq: row.get(1)?,
                at: Instant(row.get(2)?),
                level: row.get(3)?,
                lines: Vec::new(),
                tries: row.get(5)?,
            };
            Ok((message, ids))
        })?;
        let mut messages = Vec::new();
        for row in rows {
            let (mut message, ids) = row?;
            let mut lines = self.db.prepare_cached(
                "SELECT line FROM decision WHERE seq = ?1 AND id = ?2 ORDER BY place DESC LIMIT 1",
            )?;
            for id in ids.split(' ') {
                message.lines.extend(lines.query_row(params![message.seq, id], |row| row.get(0)).ok());
            }
            messages.push(message);
        }
        Ok(messages)
    }

    /// Notes that a message is about to be handed over.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn sending(&self, message: &str) -> Result<(), StoreError> {
        let sql = "UPDATE outbox SET state = 'sending', tries = tries + 1 WHERE message = ?1";
        super::fault::point();
        self.db.prepare_cached(sql)?.execute([message])?;
        super::fault::point();
        Ok(())
    }

    /// Notes that a channel took it.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn sent(&self, message: &str, at: Instant) -> Result<(), StoreError> {
        let sql = "UPDATE outbox SET state = 'sent', handed_at = ?2 WHERE message = ?1";
        super::fault::point();
        self.db.prepare_cached(sql)?.execute(params![message, at.0])?;
        super::fault::point();
        Ok(())
    }

    /// How many messages are in which state.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn outbox(&self) -> Result<Vec<OutboxCount>, StoreError> {
        let mut query =
            self.db.prepare_cached("SELECT state, count(*) FROM outbox GROUP BY state ORDER BY state")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// A message to be handed over; one that is there already stays as it is.
pub(super) fn put(
    step: &Transaction<'_>,
    (seq, place): (i64, i64),
    (message, level): (&str, &str),
    decisions: &str,
) -> Result<(), StoreError> {
    step.prepare_cached(
        "INSERT INTO outbox (message, seq, place, level, decisions) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO NOTHING",
    )?
    .execute(params![message, seq, place, level, decisions])?;
    Ok(())
}
