//! Lines of a file, block by block, without copying them.

use std::io;

use super::files::DayFile;

/// A line, numbered from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'l> {
    pub(super) number: u64,
    /// Without its line break; `None` when it is longer than [`LINE_MAX`].
    pub(super) text: Option<&'l [u8]>,
}

/// Longest line, in bytes.
pub(super) const LINE_MAX: usize = 1 << 20;

/// Largest block, in bytes.
pub(super) const BLOCK_MAX: usize = 1 << 18;

/// Reads one file from its beginning.
#[derive(Debug)]
pub(super) struct Lines<'f> {
    file: &'f DayFile,
    /// Where the next block begins.
    offset: u64,
    buffer: Vec<u8>,
    /// What is read but not yet given, within the buffer.
    start: usize,
    end: usize,
    number: u64,
    ended: bool,
    /// In the rest of a line that is too long.
    skipping: bool,
}

impl<'f> Lines<'f> {
    pub(super) fn new(file: &'f DayFile, block: usize) -> Self {
        let buffer = vec![0; block.clamp(64, BLOCK_MAX)];
        Self { file, offset: 0, buffer, start: 0, end: 0, number: 0, ended: false, skipping: false }
    }

    /// How many bytes were read; at the end, how many there are.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut looked = 0;
        loop {
            let unread = self.buffer.get(self.start..self.end).unwrap_or_default();
            let fresh = unread.get(looked..).unwrap_or_default();
            if let Some(found) = memchr::memchr(b'\n', fresh) {
                let from = self.start;
                let to = from.saturating_add(looked).saturating_add(found);
                self.start = to.saturating_add(1);
                if std::mem::take(&mut self.skipping) {
                    looked = 0;
                    continue;
                }
                return Ok(Some(self.line(from, to)));
            }
            if self.ended {
                let (from, to) = (self.start, self.end);
                self.start = self.end;
                let nothing = from == to || std::mem::take(&mut self.skipping);
                return Ok(if nothing { None } else { Some(self.line(from, to)) });
            }
            looked = unread.len();
            if self.skipping {
                self.start = self.end;
                looked = 0;
            } else if looked >= LINE_MAX {
                self.skipping = true;
                self.start = self.end;
                self.number = self.number.saturating_add(1);
                return Ok(Some(Line { number: self.number, text: None }));
            }
            self.fill()?;
        }
    }

    fn line(&mut self, from: usize, to: usize) -> Line<'_> {
        self.number = self.number.saturating_add(1);
        let mut text = self.buffer.get(from..to).unwrap_or_default();
        if self.number == 1 {
            // Some editors begin a file with a byte order mark.
            text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        }
        Line { number: self.number, text: Some(text) }
    }

    /// Moves what is unread to the front and reads behind it.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end = self.end.saturating_sub(self.start);
        self.start = 0;
        if self.end.saturating_mul(2) > self.buffer.len() {
            self.buffer.resize(self.buffer.len().saturating_mul(2), 0);
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let wanted = room.len();
        let count = self.file.read_at(self.offset, room)?;
        self.offset = self.offset.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        self.end = self.end.saturating_add(count);
        self.ended = count < wanted;
        Ok(())
    }
}
