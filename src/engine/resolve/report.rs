//! Where findings are collected while resolving.

use super::id;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::nearest::did_you_mean;
use crate::engine::source::Span;

/// Nearest spellings are looked for only so often, since a look compares with every known name.
const SUGGESTIONS_MAX: u32 = 100;

/// Findings so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) diagnostics: Vec<Diagnostic>,
    suggested: u32,
    /// The first place that needs a zone, by file and position.
    zone_needed: Option<Span>,
}

impl Report {
    /// Adds a finding.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Adds a finding where a value was expected.
    pub(super) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }

    /// Adds an error without help where a value was expected.
    pub(super) fn error<T>(&mut self, id: &'static str, span: Span, message: impl Into<String>) -> Option<T> {
        self.fail(Diagnostic::error(id, span, message))
    }

    /// Of the findings since there were `before`, keeps those that `keep` picks.
    pub(super) fn keep_since(&mut self, before: usize, keep: impl FnMut(&Diagnostic) -> bool) {
        let found = self.diagnostics.split_off(before.min(self.diagnostics.len()));
        self.diagnostics.extend(found.into_iter().filter(keep));
    }

    /// Remembers that this place needs a zone.
    pub(super) fn needs_zone(&mut self, span: Span) {
        let earliest = self.zone_needed.map_or(span, |known| known.min(span));
        self.zone_needed = Some(earliest);
    }

    /// The first place that needs a zone.
    pub(super) fn zone_needed(&self) -> Option<Span> {
        self.zone_needed
    }

    /// An error about an unknown name, with the nearest known one as help.
    pub(super) fn unknown<'n>(
        &mut self,
        span: Span,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) -> Diagnostic {
        if self.suggested >= SUGGESTIONS_MAX {
            return unknown(span, what, name, []);
        }
        self.suggested = self.suggested.saturating_add(1);
        unknown(span, what, name, known)
    }
}

/// An error about an unknown name, with the nearest known one as help.
pub(crate) fn unknown<'n>(
    span: Span,
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Diagnostic {
    let error = Diagnostic::error(id::UNKNOWN_NAME, span, format!("unknown {what} `{name}`"));
    Diagnostic { help: did_you_mean(name, known), ..error }
}
