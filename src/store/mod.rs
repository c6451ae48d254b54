//! The journal: one SQLite file that holds every input, and beside each what the engine said about it.
//!
//! True always:
//! - One transaction takes an input in: the journal's row, the decisions and the messages to be handed over
//!   are there together or not at all, and are on the disk before anything leaves the machine.
//! - The engine's memory is a function of the journal: a snapshot only shortens the way there. So memory is
//!   resumed, never trusted; see [`Session`].
//! - Each row's hash covers the row and the hash before it, so that an edit shows; see `chain`.
//! - The file is the owner's alone (mode 0600), and the schema is that of its number; see `migrate`.
//!
//! Absent: a clock, a thread, a network. Who calls says what time it is, and calls from one thread.
//!
//! Bad input: a file that is no database, is damaged, is of a newer program or lacks rows is an error that
//! says which; nothing is repaired on the way.

mod chain;
mod error;
mod export;
pub(crate) mod fault;
mod forget;
mod heartbeat;
mod inbox;
mod keep;
mod migrate;
mod outbox;
mod past;
mod restore;
mod rows;
mod rules;
mod session;
mod sources;
#[cfg(test)]
mod tests;
mod verify;

pub use error::StoreError;
pub use forget::{ForgotCount, Forgotten};
pub use heartbeat::Heartbeat;
pub use outbox::{Message, OutboxCount};
pub use past::{LogLine, Moment};
pub use restore::restore;
pub use rows::{Entry, EntryBody};
pub use rules::RuleFiles;
pub use session::{Beside, Session};
pub use sources::{GivenRow, SourceState, SourceUpdate};
pub use verify::{Difference, Verified};

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::engine::time::Instant;

/// How long a write waits for another process that holds the database.
const BUSY: Duration = Duration::from_secs(5);

/// The database file, open.
#[derive(Debug)]
pub struct Store {
    db: Connection,
}

impl Store {
    /// Opens the file, makes it when it is not there, and brings its schema to this program's.
    ///
    /// # Errors
    /// When it cannot be opened or written, is no database of ours, is damaged, or is of a newer program.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        private(path)?;
        let mut db = Connection::open(path)?;
        db.busy_timeout(BUSY)?;
        db.pragma_update(None, "foreign_keys", true)?;
        migrate::check(&db)?;
        db.pragma_update(None, "journal_mode", "wal")?;
        // A commit is on the disk when it returns.
        db.pragma_update(None, "synchronous", "full")?;
        migrate::migrate(&mut db)?;
        Ok(Self { db })
    }

    /// Opens a file that is there, only to be read. Somebody else may be writing it.
    ///
    /// # Errors
    /// As [`Store::open`]; also when it is of an older program, since nothing is brought up here.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        use rusqlite::OpenFlags;
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        db.busy_timeout(BUSY)?;
        migrate::check(&db)?;
        migrate::check_current(&db)?;
        Ok(Self { db })
    }

    /// The newest row.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn head(&self) -> Result<Option<Entry>, StoreError> {
        rows::head(&self.db)
    }

    /// Instant of the newest row.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn newest(&self) -> Result<Option<Instant>, StoreError> {
        Ok(rows::tip(&self.db)?.map(|tip| tip.at))
    }

    /// A consistent copy into a new file, while others may go on writing.
    ///
    /// # Errors
    /// When the file is there already or cannot be written.
    pub fn backup(&self, path: &Path) -> Result<(), StoreError> {
        let name = path.to_str().ok_or(StoreError::NotUtf8)?;
        private_new(path)?;
        let copied = self.db.execute("VACUUM INTO ?1", [name]);
        if copied.is_err() {
            // Half a copy is none.
            let _ = remove(path);
        }
        copied?;
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the store owns its file")]
fn remove(path: &Path) -> std::io::Result<()> {
    std::fs::remove_file(path)
}

/// Makes the file with the owner's rights only, before anything is in it.
#[expect(clippy::disallowed_methods, reason = "the store owns its file")]
fn private(path: &Path) -> Result<(), StoreError> {
    match private_new(path) {
        Err(StoreError::File(error)) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            if std::fs::metadata(path)?.is_file() {
                Ok(())
            } else {
                Err(StoreError::NotAFile)
            }
        }
        made => made,
    }
}

#[expect(clippy::disallowed_methods, reason = "the store owns its file")]
fn private_new(path: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?;
    Ok(())
}
