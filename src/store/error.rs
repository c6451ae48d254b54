//! Why the store could not do its work.

use std::io;

/// One reason; the caller says which file it was about.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite's own reason: busy, full, read-only, damaged and the like.
    #[error("the database refuses: {0}")]
    Database(rusqlite::Error),
    /// The file itself.
    #[error("the file cannot be used: {0}")]
    File(io::Error),
    /// A folder or pipe.
    #[error("this is not a file")]
    NotAFile,
    /// A path that SQLite cannot be told.
    #[error("the path is not UTF-8 text")]
    NotUtf8,
    /// A database of another program.
    #[error("this is a database of another program (application id {0:#x})")]
    Foreign(i64),
    /// Written by a later version.
    #[error("the journal has version {found}, and this program knows up to {known}: use the newer program")]
    Newer {
        /// What the file says.
        found: i64,
        /// The newest migration here.
        known: i64,
    },
    /// Written by an earlier version, where nothing may be written.
    #[error("the journal has version {found}, and this program has {known}: `verger watch` brings it up")]
    Older {
        /// What the file says.
        found: i64,
        /// The newest migration here.
        known: i64,
    },
    /// What the rows say cannot be.
    #[error("row {seq} of the journal is damaged: {what}")]
    Damaged {
        /// Which row.
        seq: i64,
        /// What is wrong with it.
        what: String,
    },
    /// A rule set with errors cannot be put in force.
    #[error("the rule set has errors; the first: {0}")]
    Rules(String),
    /// Records before any rule set.
    #[error("no rule set is in force yet")]
    NoRules,
    /// An input from the past.
    #[error("the input is of {at} ms, and the journal is at {head} ms already")]
    Past {
        /// The input's instant, in milliseconds since 1970.
        at: i64,
        /// The newest row's.
        head: i64,
    },
    /// An error came before, so memory and journal may differ.
    #[error("an earlier input could not be stored: resume from the journal")]
    Broken,
}

// By hand, because a source would be told a second time.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}
