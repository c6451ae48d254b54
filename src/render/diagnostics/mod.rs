//! Findings in the formats that people, editors and code hosts read: one file each, one row here.
//!
//! A format gets a whole report and returns a text that ends in a line break, or nothing when it has nothing
//! to say. It never sorts, drops or counts findings: order and choice are the caller's.

mod github;
mod json;
mod place;
mod sarif;
mod text;

#[cfg(test)]
mod tests;

pub use place::Place;

use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::Sources;

/// All formats; the first is the default. The command line takes its names and help from here.
pub const FORMATS: &[FormatDef] = &[text::DEF, json::DEF, github::DEF, sarif::DEF];

/// Findings that `text` and `github` write at most: nobody reads more, and a broken file has one a line.
const FINDINGS_MAX: usize = 1000;

/// A way to write findings.
#[derive(Clone, Copy, Debug)]
pub struct FormatDef {
    /// The word after `--format`.
    pub name: &'static str,
    /// One line for people, without a period.
    pub about: &'static str,
    /// How many findings are written at most, for formats that people read to the end.
    pub findings_max: Option<usize>,
    /// Writes a report.
    pub render: fn(&Report<'_>) -> String,
}

/// What a format is given.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Findings in the order in which they are to be shown.
    pub findings: &'a [Diagnostic],
    /// The files that they speak of.
    pub sources: &'a Sources,
    /// Every id that may be found; only `sarif` lists them.
    pub catalogue: &'a [CatalogueEntry<'a>],
    /// Whether `text` may use colour.
    pub color: bool,
}

/// An id with its explanation, as `lint --explain` knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueEntry<'a> {
    /// Stable id, kebab-case.
    pub id: &'a str,
    /// One line, without a period.
    pub summary: &'a str,
    /// The whole explanation, plain text.
    pub explanation: std::borrow::Cow<'a, str>,
}
