//! The data folder: where the journal lies, and what lies beside it. Made with the owner's rights only.
#![expect(clippy::disallowed_methods, reason = "makes the folder and the files in it")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// A folder that is there or not yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Makes it, if it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make(&self) -> io::Result<()> {
        private_folder(&self.path)?;
        private_folder(&self.bell())
    }

    /// Its own path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.db")
    }

    /// Held by whoever feeds the engine.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.path.join("lock")
    }

    /// A folder in which commands that wrote to the inbox touch a file: the watch sees that and wakes up. Not
    /// the data folder itself, which changes with each row of the journal.
    #[must_use]
    pub fn bell(&self) -> PathBuf {
        self.path.join("bell")
    }

    /// What was sent to a source's listener and not read yet.
    #[must_use]
    pub fn received(&self, source: &str) -> PathBuf {
        self.path.join("received").join(source)
    }

    /// Wakes the watch, if there is one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn ring(&self) -> io::Result<()> {
        fs::write(self.bell().join("ring"), b"")
    }
}

/// Makes a folder that only its owner may enter.
///
/// # Errors
/// When it cannot be made.
pub fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
