//! Recorded days to files, one a date: `2026-09-26.apple-health.jsonl`.
//!
//! Each file is written beside its place and then put there by a rename, so that a reader sees the old day or
//! the new one, never half of it. An existing file of the same date and import is replaced as a whole; no
//! other file is touched.

#![expect(clippy::disallowed_methods, reason = "writes the day files")]

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use chrono::NaiveDate;

use crate::connectors::recorded_day::DayRecord;

/// Writes the days of one import; records come by date.
#[derive(Debug)]
pub(super) struct DayFiles {
    folder: PathBuf,
    suffix: String,
    open: Option<(NaiveDate, String)>,
    written: Written,
}

/// What was written.
#[derive(Debug)]
pub(super) struct Written {
    folder: PathBuf,
    lines: u64,
    days: u64,
    span: Option<(NaiveDate, NaiveDate)>,
}

impl DayFiles {
    /// Into a folder, which is made when it is not there. Of `import` only letters, digits, `-`, `_` stay.
    pub(super) fn new(folder: &Path, import: &str) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
        let plain =
            |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
        let suffix = import.chars().take(60).map(plain).collect();
        let written = Written { folder: folder.to_owned(), lines: 0, days: 0, span: None };
        Ok(Self { folder: folder.to_owned(), suffix, open: None, written })
    }

    /// Adds a record; a new date finishes the file of the one before.
    pub(super) fn add(&mut self, record: &DayRecord) -> anyhow::Result<()> {
        let date = record.date();
        if self.open.as_ref().is_some_and(|(open, _)| *open != date) {
            self.close()?;
        }
        let (_, lines) = self.open.get_or_insert_with(|| (date, String::new()));
        lines.push_str(&record.to_json_line());
        lines.push('\n');
        self.written.lines += 1;
        Ok(())
    }

    /// Finishes the last file.
    pub(super) fn finish(mut self) -> anyhow::Result<Written> {
        self.close()?;
        Ok(self.written)
    }

    fn close(&mut self) -> anyhow::Result<()> {
        let Some((date, lines)) = self.open.take() else { return Ok(()) };
        let path = self.folder.join(format!("{date}.{}.jsonl", self.suffix));
        // Not `.jsonl`, so that a crash leaves nothing that would be read as a day.
        let part = self.folder.join(format!(".{date}.{}.part", self.suffix));
        let write = || {
            let mut file = fs::File::create(&part)?;
            file.write_all(lines.as_bytes())?;
            drop(file);
            fs::rename(&part, &path)
        };
        if let Err(error) = write() {
            // What is left of it is of no use; that it cannot be removed is not the news.
            let _ = fs::remove_file(&part);
            return Err(error).with_context(|| format!("cannot write `{}`", path.display()));
        }
        self.written.days += 1;
        let first = self.written.span.map_or(date, |(first, _)| first.min(date));
        let last = self.written.span.map_or(date, |(_, last)| last.max(date));
        self.written.span = Some((first, last));
        Ok(())
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        match self.span {
            None => write!(f, "Nothing to import; no day was written into `{folder}`"),
            Some((first, last)) => {
                let lines = if self.lines == 1 { "line" } else { "lines" };
                let days = if self.days == 1 { "day file" } else { "day files" };
                write!(
                    f,
                    "{} {lines} in {} {days}, {first} to {last}, into `{folder}`",
                    self.lines, self.days
                )
            }
        }
    }
}
