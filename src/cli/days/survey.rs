//! The first pass: where each file begins in time, and whether its lines are in order.
//!
//! Reads nothing but `at`. Lines without a time it can read are left to the second pass, which says what is wrong.

use super::DaysError;
use super::files::DayFile;
use super::lines::{BLOCK_MAX, Lines};
use crate::engine::records::instant_of;
use crate::engine::time::Instant;

/// What the second pass needs to know of a file.
#[derive(Debug)]
pub(super) struct Surveyed {
    pub(super) file: DayFile,
    /// Earliest and latest `at`.
    pub(super) range: Option<(Instant, Instant)>,
    /// No line is earlier than the one before it.
    pub(super) ordered: bool,
    has_lines: bool,
}

impl Surveyed {
    /// Not later than anything in it; a file without times comes first, so that its errors do.
    pub(super) fn first(&self) -> Instant {
        self.range.map_or(Instant(i64::MIN), |(first, _)| first)
    }
}

/// All files, by their beginning.
#[derive(Debug)]
pub(super) struct Plan(pub(super) Vec<Surveyed>);

impl Plan {
    pub(super) fn has_lines(&self) -> bool {
        self.0.iter().any(|file| file.has_lines)
    }

    pub(super) fn range(&self) -> Option<(Instant, Instant)> {
        let ranges = || self.0.iter().filter_map(|file| file.range);
        Some((ranges().map(|(first, _)| first).min()?, ranges().map(|(_, last)| last).max()?))
    }
}

/// Looks through every file.
pub(super) fn survey(files: Vec<DayFile>) -> Result<Plan, DaysError> {
    let mut plan = files.into_iter().map(look).collect::<Result<Vec<_>, _>>()?;
    plan.sort_by_key(Surveyed::first);
    Ok(Plan(plan))
}

fn look(file: DayFile) -> Result<Surveyed, DaysError> {
    let mut range: Option<(Instant, Instant)> = None;
    let (mut ordered, mut has_lines) = (true, false);
    let mut last = None;
    let mut lines = Lines::new(&file, BLOCK_MAX);
    loop {
        let line = match lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => return Err(DaysError::Read { file: file.shown, error }),
        };
        has_lines = has_lines || line.text.is_none_or(|text| !text.trim_ascii().is_empty());
        let Some(at) = line.text.and_then(instant_of) else { continue };
        ordered = ordered && last.is_none_or(|last| last <= at);
        last = Some(at);
        range = Some(range.map_or((at, at), |(first, latest)| (first.min(at), latest.max(at))));
    }
    Ok(Surveyed { file, range, ordered, has_lines })
}
