//! Source text and places in it.
//!
//! A span is a pair of byte offsets into one file; lines and columns are computed only when somebody
//! wants to read them. Never touches the disk: whoever opened a file hands over its path and text.
//!
//! INVARIANT: a span's ends lie on character boundaries of its file and `start <= end`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Index of a file in a [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The file the range lies in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A value with the place it was read from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// What was read.
    pub node: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Joins a value and its place.
    pub fn new(node: T, span: Span) -> Self {
        Self { node, span }
    }
}

/// One file as its owner named it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path as given by the user, for messages.
    pub path: String,
    /// Whole text.
    pub text: Arc<str>,
    /// Byte offset of the start of each line; the first is 0.
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Prepares a file for look-ups.
    pub fn new(path: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        for (index, byte) in text.bytes().enumerate() {
            if byte == b'\n' {
                line_starts.push(u32::try_from(index + 1).unwrap_or(u32::MAX));
            }
        }
        Self { path: path.into(), text, line_starts }
    }

    /// Line and column of a byte, both from 1, columns in Unicode scalars.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_of(offset);
        let start = self.line_starts.get(line as usize - 1).copied().unwrap_or(0);
        let head = self.text.get(start as usize..offset as usize).unwrap_or("");
        let column = head.chars().count() + 1;
        (line, u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// Line of a byte, from 1.
    pub fn line_of(&self, offset: u32) -> u32 {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// Text of a line (from 1) without its line break.
    pub fn line(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let start = self.line_starts.get(index).copied().unwrap_or(0) as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |end| *end as usize);
        self.text.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// The text under a span with single blanks and no line breaks.
    pub fn on_one_line(&self, span: Span) -> String {
        self.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The text under a span.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// All files of one rule set, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file and names it.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// The file with this name, if it is one of these sources.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file.0 as usize)
    }

    /// Files that lie in a folder `local`: their plans override others field by field.
    pub fn local(&self) -> BTreeSet<FileId> {
        let is_local = |path: &str| Path::new(path).parent().is_some_and(|folder| folder.ends_with("local"));
        self.iter().filter(|(_, file)| is_local(&file.path)).map(|(id, _)| id).collect()
    }

    /// All files with their names.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files
            .iter()
            .enumerate()
            .map(|(index, file)| (FileId(u32::try_from(index).unwrap_or(u32::MAX)), file))
    }
}
