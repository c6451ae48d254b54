//! Records that commands wrote while another process holds the engine: lines without a time, which they get
//! when they are taken in.

use rusqlite::Transaction;

use super::Store;
use super::error::StoreError;

impl Store {
    /// Adds a line: a record as in recorded days. It is on the disk when this returns.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn post(&self, line: &str) -> Result<(), StoreError> {
        self.db.execute("INSERT INTO inbox (line) VALUES (?1)", [line])?;
        Ok(())
    }

    /// The lines that wait, by number, in the order in which they came.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn posted(&self) -> Result<Vec<(i64, String)>, StoreError> {
        let mut query = self.db.prepare_cached("SELECT id, line FROM inbox ORDER BY id")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Takes lines out.
pub(super) fn take_out(step: &Transaction<'_>, ids: &[i64]) -> Result<(), StoreError> {
    let mut delete = step.prepare_cached("DELETE FROM inbox WHERE id = ?1")?;
    for id in ids {
        delete.execute([id])?;
    }
    Ok(())
}
