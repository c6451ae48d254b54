//! The one row that says that a watch is alive.

use rusqlite::{OptionalExtension as _, params};

use super::Store;
use super::error::StoreError;
use crate::engine::time::Instant;

/// When a watch was last alive, and which one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// The last beat.
    pub at: Instant,
    /// When that watch began.
    pub started: Instant,
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// True when it ended in order.
    pub ended: bool,
}

impl Store {
    /// Beats.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn beat(&self, beat: &Heartbeat) -> Result<(), StoreError> {
        super::fault::point();
        self.db
            .prepare_cached(
                "INSERT INTO heartbeat (one, at, started, pid, version, ended) VALUES (1, ?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO UPDATE SET at = ?1, started = ?2, pid = ?3, version = ?4, ended = ?5",
            )?
            .execute(params![beat.at.0, beat.started.0, beat.pid, beat.version, beat.ended])?;
        Ok(())
    }

    /// The last beat, if there ever was one.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn heartbeat(&self) -> Result<Option<Heartbeat>, StoreError> {
        let sql = "SELECT at, started, pid, version, ended FROM heartbeat";
        let row = self.db.query_row(sql, [], |row| {
            Ok(Heartbeat {
                at: Instant(row.get(0)?),
                started: Instant(row.get(1)?),
                pid: row.get(2)?,
                version: row.get(3)?,
                ended: row.get(4)?,
            })
        });
        Ok(row.optional()?)
    }
}
