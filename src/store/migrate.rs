//! The schema by numbered files, each applied in one transaction together with its number.
//!
//! INVARIANT: a file's text never changes once it was released; a fresh database is made by the same files as
//! an old one is brought up by, so both are equal.

use rusqlite::Connection;

use super::error::StoreError;

/// All of them, in order; the first one's number is 1.
pub(super) const MIGRATIONS: &[&str] =
    &[include_str!("migrations/0001_journal.sql"), include_str!("migrations/0002_watch.sql")];

/// `Vrgr`: whose file it is.
pub(super) const APPLICATION_ID: i64 = 0x5672_6772;

fn number(db: &Connection, pragma: &str) -> Result<i64, StoreError> {
    Ok(db.pragma_query_value(None, pragma, |row| row.get(0))?)
}

fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Refuses what is not ours, before anything is written to it.
pub(super) fn check(db: &Connection) -> Result<(), StoreError> {
    let (id, found) = (number(db, "application_id")?, number(db, "user_version")?);
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let fresh = id == 0 && found == 0 && tables == 0;
    if id != APPLICATION_ID && !fresh {
        return Err(StoreError::Foreign(id));
    }
    if found > known() {
        return Err(StoreError::Newer { found, known: known() });
    }
    Ok(())
}

/// Refuses a schema that is not this program's.
pub(super) fn check_current(db: &Connection) -> Result<(), StoreError> {
    let found = number(db, "user_version")?;
    if found == known() { Ok(()) } else { Err(StoreError::Older { found, known: known() }) }
}

/// Applies what is missing.
pub(super) fn migrate(db: &mut Connection) -> Result<(), StoreError> {
    for (number_of, text) in (1_i64..).zip(MIGRATIONS) {
        let step = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // Asked inside of the transaction, since another process may have been faster.
        if number(&step, "user_version")? < number_of {
            step.execute_batch(text)?;
            super::fault::point();
            step.pragma_update(None, "user_version", number_of)?;
            step.pragma_update(None, "application_id", APPLICATION_ID)?;
        }
        super::fault::point();
        step.commit()?;
        super::fault::point();
    }
    Ok(())
}
