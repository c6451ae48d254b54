//! One at a time: an advisory lock of the system on a file of the data folder, held for the process's life.
//! A crash releases it, since the system does. What stands in the file only says who holds it.
#![expect(clippy::disallowed_methods, reason = "opens the file that is locked")]

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

/// The lock; dropping it releases it.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why it cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else has it.
    #[error("the data folder is in use by {0}")]
    Held(String),
    /// The file.
    #[error("the lock file cannot be used: {0}")]
    File(#[from] io::Error),
}

impl Lock {
    /// Takes the lock; `who` is what a second one is told, such as `verger watch (process 12)`.
    ///
    /// # Errors
    /// [`LockError::Held`] when it is taken, at once.
    pub fn take(path: &Path, who: &str) -> Result<Self, LockError> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Best effort: who holds it may be writing its name right now.
                let _ = file.take(200).read_to_string(&mut holder);
                let holder = holder.lines().next().unwrap_or_default().to_owned();
                let holder = if holder.is_empty() { "another process".to_owned() } else { holder };
                return Err(LockError::Held(holder));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{who}")?;
        Ok(Self { _file: file })
    }
}
