//! Lines, blanks and comments: where each definition and each comment stands in the file.
//!
//! A definition is a list of pieces, one an output line. A comment belongs to the piece at whose end it
//! stands, or to the next one; after the last piece of its definition it is the definition's tail, and
//! between definitions it is an entry of its own.
//!
//! INVARIANT: every comment is written exactly once; the pieces of a definition are in source order until
//! they are written.

use super::columns::{Line, Widths};
use super::{definition, rule, test_block};
use crate::engine::source::{SourceFile, Span};
use crate::engine::syntax::ast::{Comment, Item, ItemKind};

/// One output line of a definition and its comments.
#[derive(Debug)]
pub(super) struct Piece {
    /// Place in the source.
    span: Span,
    /// Place among the pieces of its definition; 0 is the head.
    rank: u8,
    /// The line without indentation.
    line: Line,
    /// Comments on lines of their own above.
    above: Vec<String>,
    /// The comment at the end of the line.
    beside: Option<String>,
}

impl Piece {
    /// First line of a definition, which in the source goes up to `end`.
    pub(super) fn head(item: Span, end: Span, line: Line) -> Self {
        let span = Span { end: end.end.max(item.start), ..item };
        Self { span, rank: 0, line, above: Vec::new(), beside: None }
    }

    /// An indented line.
    pub(super) fn line(span: Span, line: Line) -> Self {
        Self { span, rank: 1, line, above: Vec::new(), beside: None }
    }

    /// The same line at another place of its definition.
    pub(super) fn ranked(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    fn write(&self, out: &mut String, widths: &Widths) {
        let indent = if self.rank == 0 { "" } else { "  " };
        for comment in &self.above {
            write_line(out, indent, comment);
        }
        let text = self.line.text(widths);
        match &self.beside {
            Some(comment) => write_line(out, indent, &format!("{text}  {comment}")),
            None => write_line(out, indent, &text),
        }
    }
}

fn write_line(out: &mut String, indent: &str, text: &str) {
    out.push_str(indent);
    out.push_str(text.trim_end());
    out.push('\n');
}

/// A definition, or a comment between definitions.
#[derive(Debug)]
pub(super) struct Entry {
    first_line: u32,
    last_line: u32,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Comment(String),
    /// A definition of one line.
    Line(Piece),
    /// A definition with lines of its own, and the comments after its last line.
    Block(Vec<Piece>, Vec<String>),
}

impl Entry {
    fn of_item(item: &Item, source: &SourceFile) -> Self {
        let span = item.span;
        let body = match &item.kind {
            ItemKind::Rule(node) => Body::Block(rule::rule(node, span), Vec::new()),
            ItemKind::Table(node) => Body::Block(definition::table(node, span), Vec::new()),
            ItemKind::Plan(node) => Body::Block(definition::plan(node, span), Vec::new()),
            ItemKind::Test(node) => Body::Block(test_block::test(node, span), Vec::new()),
            kind => Body::Line(Piece::head(span, span, definition::one_line(kind))),
        };
        let (first_line, last_line) = (line_of(source, span.start), last_line(source, span));
        Self { first_line, last_line, body }
    }

    /// Takes a comment that stands in the definition or right after it; false when it is none of its own.
    fn take(&mut self, comment: &Comment, source: &SourceFile) -> bool {
        let line = line_of(source, comment.span.start);
        let inside = line <= self.last_line;
        let indented = source.line_column(comment.span.start).1 > 1;
        match &mut self.body {
            Body::Comment(_) => false,
            Body::Line(piece) => inside && place(std::slice::from_mut(piece), comment, source),
            Body::Block(pieces, tail) => {
                if inside && place(pieces, comment, source) {
                    return true;
                }
                if inside || indented {
                    tail.push(comment_text(comment));
                    self.last_line = self.last_line.max(line);
                }
                inside || indented
            }
        }
    }

    fn write(&self, out: &mut String, widths: &Widths, columns: Columns) {
        match &self.body {
            Body::Comment(text) => write_line(out, "", text),
            Body::Line(piece) => piece.write(out, widths),
            Body::Block(pieces, tail) => {
                let mut sorted: Vec<&Piece> = pieces.iter().collect();
                sorted.sort_by_key(|piece| piece.rank);
                for run in columns.runs(&sorted, |_, piece| piece.above.is_empty()) {
                    let widths = widths_of(run.iter().map(|piece| &piece.line));
                    run.iter().for_each(|piece| piece.write(out, &widths));
                }
                tail.iter().for_each(|comment| write_line(out, "  ", comment));
            }
        }
    }

    /// The line of a definition of one line.
    fn line(&self) -> Option<&Line> {
        if let Body::Line(piece) = &self.body { Some(&piece.line) } else { None }
    }

    /// True when this line follows the entry before it with neither a blank line nor a comment between.
    fn joins(&self, before: &Self, source: &SourceFile) -> bool {
        let Body::Line(piece) = &self.body else { return false };
        matches!(before.body, Body::Line(_)) && piece.above.is_empty() && !blank_between(before, self, source)
    }
}

/// Puts a comment beside the piece that ends on its line before it, else above the piece around or after it.
fn place(pieces: &mut [Piece], comment: &Comment, source: &SourceFile) -> bool {
    let start = comment.span.start;
    let next = pieces.partition_point(|piece| piece.span.end <= start);
    if !comment.own_line
        && let Some(piece) = next.checked_sub(1).and_then(|before| pieces.get_mut(before))
        && last_line(source, piece.span) == line_of(source, start)
    {
        piece.beside = Some(comment_text(comment));
        return true;
    }
    let Some(piece) = pieces.get_mut(next) else { return false };
    piece.above.push(comment_text(comment));
    true
}

fn comment_text(comment: &Comment) -> String {
    format!("#{}", comment.text)
}

fn line_of(source: &SourceFile, offset: u32) -> u32 {
    source.line_of(offset)
}

fn last_line(source: &SourceFile, span: Span) -> u32 {
    line_of(source, span.end.saturating_sub(1).max(span.start))
}

/// Definitions and the comments between them, in file order.
pub(super) fn entries(items: &[Item], comments: &[Comment], source: &SourceFile) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rest = comments.iter().peekable();
    for item in items {
        while let Some(comment) = rest.next_if(|comment| comment.span.start < item.span.start) {
            add_comment(&mut entries, comment, source);
        }
        entries.push(Entry::of_item(item, source));
    }
    for comment in rest {
        add_comment(&mut entries, comment, source);
    }
    entries
}

fn add_comment(entries: &mut Vec<Entry>, comment: &Comment, source: &SourceFile) {
    if entries.last_mut().is_some_and(|entry| entry.take(comment, source)) {
        return;
    }
    let line = line_of(source, comment.span.start);
    entries.push(Entry { first_line: line, last_line: line, body: Body::Comment(comment_text(comment)) });
}

/// Whether neighbouring lines share columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// Neighbours line up.
    Shared,
    /// Each line is as if it stood alone.
    Apart,
}

impl Columns {
    /// Cuts into runs: `joins` tells whether the second of two continues the run of the first.
    fn runs<T>(self, all: &[T], joins: impl Fn(&T, &T) -> bool) -> impl Iterator<Item = &[T]> {
        all.chunk_by(move |before, after| self == Self::Shared && joins(before, after))
    }
}

fn widths_of<'a>(lines: impl Iterator<Item = &'a Line>) -> Widths {
    let mut widths = Widths::default();
    lines.for_each(|line| widths.fit(line));
    widths
}

/// The text of all entries: a blank line where the source has some, and around definitions with lines.
pub(super) fn write(entries: &[Entry], source: &SourceFile, columns: Columns) -> String {
    let mut leads = leads_to_block(entries, source).into_iter();
    let mut out = String::new();
    let mut previous: Option<&Entry> = None;
    for run in columns.runs(entries, |before, after| after.joins(before, source)) {
        let widths = widths_of(run.iter().filter_map(Entry::line));
        for (entry, leads) in run.iter().zip(leads.by_ref()) {
            if let Some(before) = previous {
                let forced = match before.body {
                    Body::Comment(_) => false,
                    Body::Line(_) => leads,
                    Body::Block(..) => true,
                };
                if forced || blank_between(before, entry, source) {
                    out.push('\n');
                }
            }
            entry.write(&mut out, &widths, columns);
            previous = Some(entry);
        }
    }
    out
}

/// Which entries are a definition with lines, or comments right above one.
fn leads_to_block(entries: &[Entry], source: &SourceFile) -> Vec<bool> {
    let mut leads = Vec::with_capacity(entries.len());
    let mut next: Option<(&Entry, bool)> = None;
    for entry in entries.iter().rev() {
        let lead = match entry.body {
            Body::Block(..) => true,
            Body::Line(_) => false,
            Body::Comment(_) => next.is_some_and(|(next, lead)| lead && !blank_between(entry, next, source)),
        };
        leads.push(lead);
        next = Some((entry, lead));
    }
    leads.reverse();
    leads
}

fn blank_between(before: &Entry, after: &Entry, source: &SourceFile) -> bool {
    (before.last_line + 1..after.first_line).any(|line| source.line(line).trim().is_empty())
}
