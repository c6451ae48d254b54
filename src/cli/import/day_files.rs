//! Recorded days to files, one a date: `2026-09-26.apple-health.jsonl`.
//!
//! Each file is replaced at once, so that a reader sees the old day or the new one, never half of it. The day
//! files that an earlier run of the same import left are looked at first and removed last, when all new ones
//! are in place; an import that gives nothing removes nothing.
//!
//! Never touches another import's file, a subfolder, or a file that bears this import's name but holds
//! anything that it does not write: then the import is refused before it writes.

#![expect(clippy::disallowed_methods, reason = "writes the day files")]

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use chrono::NaiveDate;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::cli::files::replace;
use crate::connectors::ImportKind;
use crate::connectors::recorded_day::DayRecord;

/// Bytes of a line that an import writes: far more than any has.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Characters kept of the name of the file that was read.
const NAME_MAX: usize = 60;

/// Writes the days of one import; records come by date.
#[derive(Debug)]
pub(super) struct DayFiles {
    folder: PathBuf,
    suffix: String,
    earlier: BTreeSet<NaiveDate>,
    open: Option<(NaiveDate, String)>,
    written: Written,
}

/// What was written.
#[derive(Debug)]
pub(super) struct Written {
    folder: PathBuf,
    lines: u64,
    days: usize,
    span: Option<(NaiveDate, NaiveDate)>,
    /// Day files of an earlier import: removed, or left there when nothing was written.
    earlier: usize,
}

impl DayFiles {
    /// Into a folder, which is made when it is not there. The files are named by the kind, and by the file
    /// that was read where one import is not the whole of its kind.
    pub(super) fn new(folder: &Path, kind: &ImportKind, file: Option<&Path>) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
        let suffix = Self::suffix(kind, file);
        let earlier = earlier(folder, &suffix, kind)?;
        let written = Written { folder: folder.to_owned(), lines: 0, days: 0, span: None, earlier: 0 };
        Ok(Self { folder: folder.to_owned(), suffix, earlier, open: None, written })
    }

    /// What the files of an import are called after their date.
    pub(super) fn suffix(kind: &ImportKind, file: Option<&Path>) -> String {
        file.map_or_else(|| kind.name.to_owned(), |file| format!("{}-{}", kind.name, plain(file)))
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

    /// Finishes the last file and removes those of dates that the import no longer speaks of.
    pub(super) fn finish(mut self) -> anyhow::Result<Written> {
        self.close()?;
        self.written.earlier = self.earlier.len();
        if self.written.days > 0 {
            for date in &self.earlier {
                let path = self.path(*date);
                fs::remove_file(&path)
                    .with_context(|| format!("cannot remove the earlier day `{}`", path.display()))?;
            }
        }
        Ok(self.written)
    }

    fn path(&self, date: NaiveDate) -> PathBuf {
        self.folder.join(name(date, &self.suffix))
    }

    fn close(&mut self) -> anyhow::Result<()> {
        let Some((date, lines)) = self.open.take() else { return Ok(()) };
        let path = self.path(date);
        replace(&path, lines.as_bytes()).with_context(|| format!("cannot write `{}`", path.display()))?;
        self.earlier.remove(&date);
        self.written.days += 1;
        let first = self.written.span.map_or(date, |(first, _)| first.min(date));
        let last = self.written.span.map_or(date, |(_, last)| last.max(date));
        self.written.span = Some((first, last));
        Ok(())
    }
}

fn name(date: NaiveDate, suffix: &str) -> String {
    format!("{date}.{suffix}.jsonl")
}

/// The name of a file without its ending, in letters, digits, `-` and `_`. Where that is not the whole name,
/// a number made of it follows: two files never share their days.
fn plain(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    let whole = stem.to_string_lossy();
    let letter = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
    let mut name: String = whole.chars().take(NAME_MAX).map(letter).collect();
    if name != whole {
        let digest = Sha256::digest(stem.as_encoded_bytes());
        name.push('-');
        name.extend(digest.iter().take(4).map(|byte| format!("{byte:02x}")));
    }
    name
}

/// The dates of which this import has written a file before.
fn earlier(folder: &Path, suffix: &str, kind: &ImportKind) -> anyhow::Result<BTreeSet<NaiveDate>> {
    let unreadable = || format!("cannot read the folder `{}`", folder.display());
    let mut dates = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let file = entry.file_name();
        let date =
            file.to_str().and_then(|file| file.split_once('.')).and_then(|(date, _)| date.parse().ok());
        let Some(date) = date.filter(|date| file.to_str() == Some(&name(*date, suffix))) else { continue };
        let path = entry.path();
        // Of a link itself, not of what it points to.
        if !entry.metadata().with_context(unreadable)?.is_file() {
            bail!("`{}` is no file that `import` wrote: move it away, its place is needed", path.display());
        }
        let foreign =
            foreign_line(&path, kind).with_context(|| format!("cannot read `{}`", path.display()))?;
        if let Some(line) = foreign {
            let (path, kind) = (path.display(), kind.name);
            bail!(
                "`{path}` would be replaced, but its line {line} is none that `import {kind}` writes: rename it"
            );
        }
        dates.insert(date);
    }
    Ok(dates)
}

/// What tells whose line it is.
#[derive(Deserialize)]
struct Subject {
    signal: Option<String>,
    event: Option<String>,
}

/// The first line that an import of this kind does not write, from 1.
fn foreign_line(path: &Path, kind: &ImportKind) -> io::Result<Option<u64>> {
    let mut input = BufReader::new(fs::File::open(path)?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if Read::by_ref(&mut input).take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let is_ours = |subject: Subject| {
            let name = subject.signal.or(subject.event);
            name.is_some_and(|name| kind.gives.contains(&name.as_str()))
        };
        if !serde_json::from_slice(&line).is_ok_and(is_ours) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        match self.span {
            None => {
                write!(f, "Nothing to import; no day was written into `{folder}`")?;
                match self.earlier {
                    0 => Ok(()),
                    earlier => write!(f, ", {} of before stayed", files(earlier)),
                }
            }
            Some((first, last)) => {
                let lines = if self.lines == 1 { "line" } else { "lines" };
                let days = files(self.days);
                write!(f, "{} {lines} in {days}, {first} to {last}, into `{folder}`", self.lines)?;
                match self.earlier {
                    0 => Ok(()),
                    earlier => write!(f, "; {} of before removed", files(earlier)),
                }
            }
        }
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 day file".to_owned() } else { format!("{count} day files") }
}
