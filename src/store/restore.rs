//! Puts a copy in the place of the journal. The one that was there stays beside it.
#![expect(clippy::disallowed_methods, reason = "moves the store's own files")]

use std::fs;
use std::path::{Path, PathBuf};

use super::Store;
use super::error::StoreError;

/// Makes `journal` a copy of `from`, whole or not at all, and returns where the journal that was there lies
/// now. Nobody else may use either meanwhile: the caller holds the lock.
///
/// # Errors
/// When `from` is no journal of ours or its chain does not hold, or the files cannot be written.
pub fn restore(from: &Path, journal: &Path) -> Result<Option<PathBuf>, StoreError> {
    let source = Store::read(from)?;
    let new = beside(journal, "restoring");
    remove(&new)?;
    source.backup(&new)?;
    fs::File::open(&new)?.sync_all()?;
    let kept = if journal.exists() { Some(keep(journal)?) } else { None };
    // There is a journal at every moment: the old one until here, the new one from here on.
    fs::rename(&new, journal)?;
    Ok(kept)
}

/// Gives the journal a second name, whole in one file, and takes away what would be read into the new one.
fn keep(journal: &Path) -> Result<PathBuf, StoreError> {
    // One that is damaged cannot be brought together; then what stands beside it is kept too.
    let whole = Store::open(journal).and_then(|store| {
        store.db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok(())
    });
    let mut number = 1_u32;
    let mut kept = beside(journal, "before-restore");
    while kept.exists() {
        number = number.saturating_add(1);
        kept = beside(journal, &format!("before-restore-{number}"));
    }
    fs::hard_link(journal, &kept).or_else(|_| fs::copy(journal, &kept).map(|_| ()))?;
    for end in ["-wal", "-shm"] {
        let log = with_end(journal, end);
        if whole.is_err() && log.exists() {
            fs::copy(&log, with_end(&kept, end))?;
        }
        remove(&log)?;
    }
    Ok(kept)
}

fn beside(path: &Path, end: &str) -> PathBuf {
    with_end(path, &format!(".{end}"))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
