//! The second pass: parses the files, merges them by time and hands over chunks.
//!
//! A file in order is streamed; one that goes back in time is parsed whole and sorted. A line of an
//! undeclared name becomes no record, but the first and the last line of all days count as ticks, since
//! days begin and end with them whatever the rule set declares.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::mpsc::SyncSender;
use std::vec;

use super::lines::{BLOCK_MAX, LINE_MAX, Lines};
use super::survey::{Plan, Surveyed};
use super::{BAD_LINES_MAX, BadLine, DaysError, Message, Options, Summary};
use crate::engine::record::{Record, RecordKind};
use crate::engine::records::{self, Read, Reader};
use crate::engine::rule_set::RuleSet;
use crate::engine::time::Instant;

/// Records a chunk, at least.
const CHUNK: usize = 1024;

/// Bytes of all blocks together, when many files run side by side.
const BLOCKS_BYTES: usize = 32 << 20;

/// Names of undeclared signals and streams that are counted apart; more are counted together.
const UNDECLARED_MAX: usize = 1000;

/// Where records go.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) sender: SyncSender<Message>,
    /// DAYS as given.
    pub(super) path: String,
    /// Bytes of files that are sorted in memory, at most.
    pub(super) held_max: u64,
}

/// Why reading ends before the last line.
enum Stop {
    Failed(DaysError),
    /// Enough bad lines.
    Full,
    /// Nobody listens any more.
    Unheard,
}

/// One line's worth.
enum Entry {
    Record(Record),
    Undeclared(Instant),
}

impl Entry {
    const fn at(&self) -> Instant {
        match self {
            Self::Record(record) => record.at,
            Self::Undeclared(at) => *at,
        }
    }
}

/// Reads everything and says how it ended.
pub(super) fn run(plan: &Plan, names: &RuleSet, options: Options, way: Way) {
    let block = BLOCKS_BYTES.checked_div(plan.0.len()).unwrap_or(BLOCK_MAX).clamp(4096, BLOCK_MAX);
    let parser = Parser { reader: Reader::new(names), options, summary: Summary::default(), block };
    let chunk = Vec::with_capacity(CHUNK);
    let out = Out { sender: &way.sender, names, chunk, instant: 0, last: None, trailing: None };
    let mut merge = Merge { parser, out, heap: BinaryHeap::new(), open: Vec::new(), held: (0, way.held_max) };
    let stop = merge.run(plan).and_then(|()| merge.out.finish());
    let mut summary = merge.parser.summary;
    summary.skipped_lines.sort();
    let message = match stop {
        Err(Stop::Unheard) => return,
        Err(Stop::Failed(error)) => Message::Failed(error),
        Err(Stop::Full) => Message::Failed(DaysError::Bad { lines: summary.skipped_lines, more: true }),
        Ok(()) if summary.skipped > 0 && !options.skip_bad => {
            Message::Failed(DaysError::Bad { lines: summary.skipped_lines, more: false })
        }
        Ok(()) if merge.out.last.is_none() => Message::Failed(DaysError::Empty { path: way.path }),
        Ok(()) => Message::End(summary),
    };
    // An error means that nobody listens, who then needs no answer.
    let _ = way.sender.send(message);
}

/// Lines to entries, and what is to be said about them.
struct Parser<'r> {
    reader: Reader<'r>,
    options: Options,
    summary: Summary,
    block: usize,
}

impl Parser<'_> {
    /// The next entry of a file; `None` at its end.
    fn next(&mut self, lines: &mut Lines<'_>, file: &Surveyed) -> Result<Option<Entry>, Stop> {
        loop {
            let failed = |error| Stop::Failed(DaysError::Read { file: file.file.shown.clone(), error });
            let Some(line) = lines.next().map_err(failed)? else { return Ok(None) };
            let Some(text) = line.text else {
                self.bad(file, line.number, 1, format!("longer than {LINE_MAX} bytes"))?;
                continue;
            };
            match self.reader.read_line(text) {
                Ok(Read::Record(record)) => {
                    self.summary.records = self.summary.records.saturating_add(1);
                    return Ok(Some(Entry::Record(record)));
                }
                Ok(Read::Undeclared { at, name }) => {
                    self.undeclared(name);
                    return Ok(Some(Entry::Undeclared(at)));
                }
                Ok(Read::Empty) => {}
                Err(error) => {
                    let before = text.get(..error.column.saturating_sub(1)).unwrap_or(text);
                    let column = String::from_utf8_lossy(before).chars().count().saturating_add(1);
                    self.bad(file, line.number, column, error.reason)?;
                }
            }
        }
    }

    fn bad(&mut self, file: &Surveyed, line: u64, column: usize, reason: String) -> Result<(), Stop> {
        self.summary.skipped = self.summary.skipped.saturating_add(1);
        if self.summary.skipped_lines.len() < BAD_LINES_MAX {
            self.summary.skipped_lines.push(BadLine { file: file.file.shown.clone(), line, column, reason });
        } else if !self.options.skip_bad {
            return Err(Stop::Full);
        }
        Ok(())
    }

    fn undeclared(&mut self, name: Box<str>) {
        let counts = &mut self.summary.undeclared;
        let full = counts.len() >= UNDECLARED_MAX && !counts.contains_key(&name);
        let count = counts.entry(if full { "and others".into() } else { name }).or_default();
        *count = count.saturating_add(1);
    }

    /// True when what was read will be used.
    const fn is_well(&self) -> bool {
        self.options.skip_bad || self.summary.skipped == 0
    }
}

/// A file that is being read, with its next entry.
struct Open<'f> {
    file: &'f Surveyed,
    rest: Rest<'f>,
    head: Entry,
}

enum Rest<'f> {
    Streamed(Lines<'f>),
    Sorted(vec::IntoIter<Entry>),
}

impl Rest<'_> {
    fn next(&mut self, parser: &mut Parser<'_>, file: &Surveyed) -> Result<Option<Entry>, Stop> {
        match self {
            Self::Streamed(lines) => parser.next(lines, file),
            Self::Sorted(entries) => Ok(entries.next()),
        }
    }
}

struct Merge<'a, 'f> {
    parser: Parser<'a>,
    out: Out<'a>,
    /// The next instant of each open file, and the file's place in `open`.
    heap: BinaryHeap<Reverse<(Instant, usize)>>,
    open: Vec<Option<Open<'f>>>,
    /// Bytes of the files that are sorted in memory, and how many they may be.
    held: (u64, u64),
}

impl<'f> Merge<'_, 'f> {
    fn run(&mut self, plan: &'f Plan) -> Result<(), Stop> {
        let mut waiting = plan.0.iter().peekable();
        loop {
            while let Some(file) = waiting.next_if(|file| self.next().is_none_or(|next| file.first <= next)) {
                self.start(file)?;
            }
            let Some(Reverse((_, place))) = self.heap.pop() else { return Ok(()) };
            let limit = self.next().into_iter().chain(waiting.peek().map(|file| file.first)).min();
            let Some(open) = self.open.get_mut(place).and_then(Option::take) else { continue };
            if let Some(open) = self.drain(open, limit)? {
                self.heap.push(Reverse((open.head.at(), place)));
                if let Some(slot) = self.open.get_mut(place) {
                    *slot = Some(open);
                }
            }
        }
    }

    /// The earliest instant of the open files.
    fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }

    /// Opens a file and reads its first entry.
    fn start(&mut self, file: &'f Surveyed) -> Result<(), Stop> {
        let mut lines = Lines::new(&file.file, self.parser.block);
        let mut rest = if file.ordered {
            Rest::Streamed(lines)
        } else {
            let (held, held_max) = &mut self.held;
            *held = held.saturating_add(file.bytes);
            if *held > *held_max {
                let file = file.file.shown.clone();
                return Err(Stop::Failed(DaysError::Unsorted { file, held_max: *held_max }));
            }
            let mut entries = Vec::new();
            while let Some(entry) = self.parser.next(&mut lines, file)? {
                entries.push(entry);
            }
            entries.sort_by_key(Entry::at);
            Rest::Sorted(entries.into_iter())
        };
        if let Some(head) = rest.next(&mut self.parser, file)? {
            self.heap.push(Reverse((head.at(), self.open.len())));
            self.open.push(Some(Open { file, rest, head }));
        }
        Ok(())
    }

    /// Hands over a file's entries up to the instant at which another file has its say; `None` at its end.
    fn drain(&mut self, mut open: Open<'f>, limit: Option<Instant>) -> Result<Option<Open<'f>>, Stop> {
        loop {
            let at = open.head.at();
            let Some(next) = open.rest.next(&mut self.parser, open.file)? else {
                if let Rest::Sorted(_) = open.rest {
                    self.held.0 = self.held.0.saturating_sub(open.file.bytes);
                }
                self.hand_over(open.head)?;
                return Ok(None);
            };
            self.hand_over(std::mem::replace(&mut open.head, next))?;
            if open.head.at() < at {
                return Err(Stop::Failed(DaysError::Changed { file: open.file.file.shown.clone() }));
            }
            if limit.is_some_and(|limit| limit < open.head.at()) {
                return Ok(Some(open));
            }
        }
    }

    fn hand_over(&mut self, entry: Entry) -> Result<(), Stop> {
        // After a bad line the rest is read only to name the other bad lines.
        if self.parser.is_well() { self.out.take(entry) } else { Ok(()) }
    }
}

/// Gathers chunks.
struct Out<'a> {
    sender: &'a SyncSender<Message>,
    names: &'a RuleSet,
    chunk: Vec<Record>,
    /// Where the records of the newest instant begin in the chunk.
    instant: usize,
    /// The newest instant handed over.
    last: Option<Instant>,
    /// The newest line of an undeclared name.
    trailing: Option<Instant>,
}

impl Out<'_> {
    fn take(&mut self, entry: Entry) -> Result<(), Stop> {
        let record = match entry {
            Entry::Record(record) => record,
            Entry::Undeclared(at) if self.last.is_none() => Record { at, kind: RecordKind::Tick },
            Entry::Undeclared(at) => {
                self.trailing = Some(at);
                return Ok(());
            }
        };
        if self.last != Some(record.at) {
            self.last = Some(record.at);
            self.end_instant()?;
        }
        self.chunk.push(record);
        Ok(())
    }

    fn end_instant(&mut self) -> Result<(), Stop> {
        records::sort(self.chunk.get_mut(self.instant..).unwrap_or_default(), self.names);
        if self.chunk.len() >= CHUNK {
            self.send()?;
        }
        self.instant = self.chunk.len();
        Ok(())
    }

    fn send(&mut self) -> Result<(), Stop> {
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK));
        self.sender.send(Message::Chunk(chunk)).map_err(|_| Stop::Unheard)
    }

    fn finish(&mut self) -> Result<(), Stop> {
        if let Some(at) = self.trailing
            && self.last.is_some_and(|last| last < at)
        {
            self.take(Entry::Record(Record { at, kind: RecordKind::Tick }))?;
        }
        self.end_instant()?;
        if self.chunk.is_empty() { Ok(()) } else { self.send() }
    }
}
