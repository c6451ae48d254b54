//! DAYS: a file, a folder or `-` to records in the order of time.
//!
//! A first pass reads only the times, to learn where each file begins and whether it is in order. Then a
//! second thread reads, parses and merges, and hands over chunks; whoever asked iterates. Files are opened
//! for one block at a time, so neither their number nor their size matters; a file whose lines go back in
//! time, and what comes by a pipe, is held in memory, up to a limit. Nothing here knows what a record means.
//!
//! Cut here because this is the only part of the offline commands that reads recorded days from the disk.
//!
//! INVARIANT: batches ascend by instant, one batch an instant, the same whatever the order of files and
//! lines.

mod files;
mod lines;
mod merge;
mod survey;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::{io, thread, vec};

use anyhow::Context as _;

use crate::engine::record::Record;
use crate::engine::rule_set::RuleSet;
use crate::engine::time::Instant;

/// How to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Skip bad lines and name them in the summary, instead of failing.
    pub skip_bad: bool,
}

/// All records of one instant, in canonical order.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The instant.
    pub at: Instant,
    /// Its records, at least one.
    pub records: Vec<Record>,
}

impl Default for Batch {
    fn default() -> Self {
        Self { at: Instant(0), records: Vec::new() }
    }
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BadLine {
    /// The file as it was given or found; `-` for standard input.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: usize,
    /// What was found and what was expected.
    pub reason: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{} {}", self.file, self.line, self.column, self.reason)
    }
}

/// Why there are no more records.
#[derive(Debug, thiserror::Error)]
pub enum DaysError {
    /// Bad lines, by file and line; at most [`BAD_LINES_MAX`].
    #[error("{}", bad_lines(lines, *more).collect::<Vec<_>>().join("\n"))]
    Bad {
        /// The first of them.
        lines: Vec<BadLine>,
        /// True when reading stopped before the end.
        more: bool,
    },
    /// A file cannot be read.
    #[error("`{file}` cannot be read: {error}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// A file was written to while it was read.
    #[error("`{file}` changed while it was read, run the command again")]
    Changed {
        /// The file.
        file: String,
    },
    /// A file goes back in time and is too large to be sorted.
    #[error(
        "`{file}` goes back in time, and more than {held_max} bytes would have to be sorted: sort its lines by \
         `at`, or split it into days"
    )]
    Unsorted {
        /// The file.
        file: String,
        /// How many bytes are sorted at most.
        held_max: u64,
    },
    /// Every line was skipped.
    #[error("`{path}` holds no record that can be read")]
    Empty {
        /// DAYS as given.
        path: String,
    },
    /// The reading thread ended without a word.
    #[error("reading the recorded days broke off, which is a fault of this program")]
    BrokenOff,
}

/// How many bad lines are listed.
pub const BAD_LINES_MAX: usize = 100;

/// One text a line, and one more where reading stopped.
pub(super) fn bad_lines(lines: &[BadLine], more: bool) -> impl Iterator<Item = String> {
    let rest = more.then(|| "further lines were not read".to_owned());
    lines.iter().map(ToString::to_string).chain(rest)
}

/// What was read, known after the last batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Records handed over, ticks that stand for undeclared lines not counted.
    pub records: u64,
    /// Lines by signal or stream that the rule set does not declare.
    pub undeclared: BTreeMap<Box<str>, u64>,
    /// Bad lines that were skipped.
    pub skipped: u64,
    /// The first of them, at most [`BAD_LINES_MAX`], by file and line.
    pub skipped_lines: Vec<BadLine>,
}

/// Recorded days being read.
#[derive(Debug)]
pub struct Days {
    messages: Receiver<Message>,
    chunk: vec::IntoIter<Record>,
    ended: bool,
    summary: Summary,
}

/// What the reading thread says.
#[derive(Debug)]
enum Message {
    /// Records in order; an instant never spans two chunks.
    Chunk(Vec<Record>),
    Failed(DaysError),
    End(Summary),
}

/// Chunks that wait at most; with their size this bounds the memory between the threads.
const CHUNKS_MAX: usize = 16;

/// Begins to read recorded days against a rule set.
///
/// # Errors
/// The path cannot be read, holds no `*.jsonl` file, or nothing but blank lines.
pub fn open(path: &Path, set: &RuleSet, options: Options) -> anyhow::Result<Days> {
    open_within(path, set, options, files::HELD_MAX)
}

/// As [`open`], with another limit for what is held in memory.
fn open_within(path: &Path, set: &RuleSet, options: Options, held_max: u64) -> anyhow::Result<Days> {
    let files = files::find(path, held_max)?;
    let plan = survey::survey(files)?;
    anyhow::ensure!(plan.has_lines(), "`{}` holds no records", path.display());
    let (sender, messages) = sync_channel(CHUNKS_MAX);
    // Names, types and units are all that reading needs.
    let names = RuleSet {
        units: set.units.clone(),
        signals: set.signals.clone(),
        streams: set.streams.clone(),
        ..RuleSet::default()
    };
    let path = path.display().to_string();
    thread::Builder::new()
        .name("days".to_owned())
        .spawn(move || merge::run(&plan, &names, options, merge::Way { sender, path, held_max }))
        .context("no thread to read with")?;
    Ok(Days { messages, chunk: Vec::new().into_iter(), ended: false, summary: Summary::default() })
}

impl Days {
    /// The next batch into an old one, so that nothing is allocated; `None` at the end.
    ///
    /// # Errors
    /// Bad lines, or a file that cannot be read; nothing follows.
    pub fn next_into(&mut self, batch: &mut Batch) -> Option<Result<(), DaysError>> {
        batch.records.clear();
        while self.chunk.as_slice().is_empty() {
            if self.ended {
                return None;
            }
            match self.messages.recv() {
                Ok(Message::Chunk(records)) => self.chunk = records.into_iter(),
                Ok(Message::End(summary)) => {
                    self.ended = true;
                    self.summary = summary;
                }
                Ok(Message::Failed(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                Err(_) => {
                    self.ended = true;
                    return Some(Err(DaysError::BrokenOff));
                }
            }
        }
        batch.at = self.chunk.as_slice().first()?.at;
        while let Some(next) = self.chunk.as_slice().first()
            && next.at == batch.at
        {
            batch.records.extend(self.chunk.next());
        }
        Some(Ok(()))
    }

    /// What was read; complete after the last batch.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

impl Iterator for Days {
    type Item = Result<Batch, DaysError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut batch = Batch::default();
        let result = self.next_into(&mut batch)?;
        Some(result.map(|()| batch))
    }
}

#[cfg(test)]
mod tests;
