//! A span as people count: file, lines and columns.

use crate::engine::source::{Sources, Span};

/// Where a span lies. Lines and columns count from 1, columns in Unicode scalars; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// Path as given; empty when the file is none of the sources.
    pub file: &'a str,
    /// First line.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column behind the last character.
    pub end_column: u32,
}

impl<'a> Place<'a> {
    /// Looks a span up; the file's first character when the file is none of the sources.
    #[must_use]
    pub fn of(span: Span, sources: &'a Sources) -> Self {
        let Some(source) = sources.get(span.file) else {
            return Self { file: "", line: 1, column: 1, end_line: 1, end_column: 1 };
        };
        let (line, column) = source.line_column(span.start);
        let (end_line, end_column) = source.line_column(span.end.max(span.start));
        Self { file: &source.path, line, column, end_line, end_column }
    }
}
