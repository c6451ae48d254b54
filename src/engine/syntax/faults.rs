//! Findings of one file, of which only so many are kept: a hostile file gives no million lines.

use super::cut::place;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::FileId;

/// Most findings that one reading of a file gives.
pub(super) const FAULTS_MAX: usize = 200;

/// Findings so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    kept: Vec<Diagnostic>,
    /// Of all, kept or not.
    count: usize,
}

impl Faults {
    /// Adds a finding.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        self.count += 1;
        if self.kept.len() < FAULTS_MAX {
            self.kept.push(finding);
        }
    }

    /// How many there were.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Both together in file order; one more finding says how many are left out.
    pub(super) fn with(mut self, other: Self, file: FileId) -> Vec<Diagnostic> {
        let count = self.count + other.count;
        self.kept.extend(other.kept);
        self.kept.sort_by_key(|finding| finding.span.start);
        let first_left_out = self.kept.get(FAULTS_MAX).map(|finding| finding.span);
        self.kept.truncate(FAULTS_MAX);
        let more = count - self.kept.len();
        if more > 0 {
            let last = self.kept.last().map(|finding| finding.span);
            let span = first_left_out.or(last).unwrap_or(place(file, 0, 0));
            let message = format!("{more} further mistakes in this file are not listed");
            self.kept.push(Diagnostic::error("syntax", span, message).help("mend those above first"));
        }
        self.kept
    }
}
