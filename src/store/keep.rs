//! What becomes old: `keep history` of the rule set says how long the past can be computed again.
//!
//! Rows stay for ever with their digests, so that the chain has no hole; their bodies, decisions and traces
//! go. The cut is always at a snapshot, from which everything later is computed again.

use rusqlite::params;

use super::error::StoreError;
use super::session::Session;
use super::sources::forget_given;
use crate::engine::time::{Instant, MS_PER_DAY};

impl Session {
    /// Takes out what is older than the history of the set in force; how many rows were emptied. Without a
    /// set nothing is old.
    ///
    /// # Errors
    /// When the database refuses; then nothing was taken out.
    pub fn retain(&mut self, now: Instant) -> Result<usize, StoreError> {
        let Some(days) = self.rules().map(|rules| i64::from(rules.history_days)) else { return Ok(0) };
        let before = now.0.saturating_sub(days.saturating_mul(MS_PER_DAY));
        let step = self.transaction()?;
        let cut: Option<i64> = step.query_row(
            "SELECT max(s.seq) FROM snapshot s JOIN journal j USING (seq) WHERE j.at < ?1",
            [before],
            |row| row.get(0),
        )?;
        let Some(cut) = cut else { return Ok(0) };
        let emptied = step.execute(
            "UPDATE journal SET body = NULL WHERE seq <= ?1 AND kind = 'records' AND body IS NOT NULL",
            [cut],
        )?;
        for sql in [
            "DELETE FROM decision WHERE seq <= ?1",
            "DELETE FROM trace WHERE seq <= ?1",
            "DELETE FROM snapshot WHERE seq < ?1",
            "DELETE FROM outbox WHERE seq <= ?1 AND state NOT IN ('queued', 'sending')",
        ] {
            step.execute(sql, params![cut])?;
        }
        forget_given(&step, Instant(before))?;
        step.commit()?;
        Ok(emptied)
    }
}
