//! Replaces a file as a whole: who reads it sees the old text or the new one, never half of it.
//!
//! The text is written beside its place and put there by a rename; a crash leaves at most a hidden `.part`,
//! which no command reads as a rule file or a day.

#![expect(clippy::disallowed_methods, reason = "writes the files that commands make")]

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Puts what `write` writes in the place of a file. Whether it must outlive a loss of power is for `write` to
/// say, by syncing.
pub(super) fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".part");
    let part = path.with_file_name(name);
    let made =
        File::create(&part).and_then(|mut file| write(&mut file)).and_then(|()| fs::rename(&part, path));
    if made.is_err() {
        // What is left of it is of no use; that it cannot be removed is not the news.
        let _ = fs::remove_file(&part);
    }
    made
}
