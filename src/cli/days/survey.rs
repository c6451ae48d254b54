//! The first pass: where each file begins in time, and whether its lines are in order.
//!
//! Reads nothing but `at`. Lines without a time it can read are left to the second pass, which says what is
//! wrong.

use std::str;

use super::DaysError;
use super::files::DayFile;
use super::lines::{BLOCK_MAX, Lines};
use crate::engine::records::instant_of;
use crate::engine::time::{Instant, parse_instant};

/// What the second pass needs to know of a file.
#[derive(Debug)]
pub(super) struct Surveyed {
    pub(super) file: DayFile,
    /// Not later than anything in it; a file without times comes first, so that its errors do.
    pub(super) first: Instant,
    /// No line is earlier than the one before it.
    pub(super) ordered: bool,
    /// How large it is.
    pub(super) bytes: u64,
    has_lines: bool,
}

/// All files, by their beginning.
#[derive(Debug)]
pub(super) struct Plan(pub(super) Vec<Surveyed>);

impl Plan {
    pub(super) fn has_lines(&self) -> bool {
        self.0.iter().any(|file| file.has_lines)
    }
}

/// Looks through every file.
pub(super) fn survey(files: Vec<DayFile>) -> Result<Plan, DaysError> {
    let mut plan = files.into_iter().map(look).collect::<Result<Vec<_>, _>>()?;
    plan.sort_by_key(|file| file.first);
    Ok(Plan(plan))
}

fn look(file: DayFile) -> Result<Surveyed, DaysError> {
    let (mut times, mut has_lines) = (Times::default(), false);
    let mut lines = Lines::new(&file, BLOCK_MAX);
    loop {
        let line = match lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => return Err(DaysError::Read { file: file.shown, error }),
        };
        has_lines = has_lines || line.text.is_none_or(|text| !text.trim_ascii().is_empty());
        if let Some(text) = line.text {
            times.add(text);
        }
    }
    let (first, bytes) = (times.first.unwrap_or(Instant(i64::MIN)), lines.offset());
    Ok(Surveyed { file, first, ordered: !times.disordered, bytes, has_lines })
}

/// What is known of the times so far.
#[derive(Debug, Default)]
struct Times {
    first: Option<Instant>,
    /// The newest time as text; empty when only `last` tells it.
    text: Vec<u8>,
    last: Option<Instant>,
    disordered: bool,
}

/// `2026-09-26T07:00:00`, before fractions and the offset.
const WHOLE_SECONDS: usize = 19;

/// The letter between date and time, which may be written differently.
const LETTER: usize = 10;

impl Times {
    fn add(&mut self, line: &[u8]) {
        let text = line.strip_prefix(b"{\"at\":\"").and_then(|rest| rest.get(..memchr::memchr(b'"', rest)?));
        if let Some(text) = text
            && self.follows(text)
        {
            self.text.clear();
            self.text.extend_from_slice(text);
            return;
        }
        let Some(at) = instant_of(line) else { return };
        if !self.text.is_empty() {
            self.last = str::from_utf8(&self.text).ok().and_then(|text| parse_instant(text).ok());
            // A text that passed but is no time hides what was before it.
            self.disordered = self.disordered || self.last.is_none();
        }
        self.disordered = self.disordered || self.last.is_some_and(|last| at < last);
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = Some(at);
        self.text.clear();
        self.text.extend_from_slice(text.unwrap_or_default());
    }

    /// True when the text itself shows that it is not earlier: same form, same offset, not less. A text
    /// that is no time may pass; it can only make a file in order look out of order, which costs time and
    /// nothing else.
    fn follows(&self, text: &[u8]) -> bool {
        let halves = |text| <[u8]>::split_at_checked(text, WHOLE_SECONDS);
        let (Some((before, before_end)), Some((after, after_end))) = (halves(&self.text), halves(text))
        else {
            return false;
        };
        !self.disordered
            && before_end == after_end
            && before.get(LETTER) == after.get(LETTER)
            && before <= after
    }
}
