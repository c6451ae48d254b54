//! Tree to text: the one canonical form.
//!
//! Definitions keep their order, clauses take the canonical one, columns line up, and every comment stays: on
//! its own line above what it preceded, or behind the line that it followed; one inside a line moves above
//! it. At most one blank line is kept between definitions and between lines of a test. Never called for a
//! file with syntax errors.
//!
//! INVARIANT: formatting is idempotent, and the text gives the same tree (up to places and clause order).

mod block;
mod definition;
mod expression;

use self::block::{Line, block};
use self::definition::{Columns, columns};
use super::ast::{Comment, File, Item, ItemKind};
use crate::engine::source::SourceFile;

/// Columns after which a list goes on in a further line.
const WIDTH_MAX: usize = 100;

/// The canonical text of a file that was parsed without a finding.
pub fn format(file: &File, source: &SourceFile) -> String {
    let mut blocks: Vec<Block<'_>> = file.items.iter().map(Block::new).collect();
    let mut layout = Layout { text: &source.text, at: 0, started: false };
    let mut comments = file.comments.iter().peekable();
    let mut gap = Vec::new();
    for (index, block) in blocks.iter_mut().enumerate() {
        let start = file.items.get(index).map_or(0, |item| item.span.start);
        while let Some(comment) = comments.next_if(|comment| comment.span.start < start) {
            gap.push(layout.comment(comment));
        }
        block.gap = std::mem::take(&mut gap);
        block.blank = layout.reach(start, start);
        let end = file.items.get(index + 1).map_or(u32::MAX, |item| item.span.start);
        while let Some(comment) = comments.next_if(|comment| comment.span.start < end) {
            if !gap.is_empty() {
                gap.push(layout.comment(comment));
            } else if let Some(left) = block.take(comment, &mut layout) {
                gap.push(left);
            }
        }
        block.pass_to(u32::MAX, &mut layout);
    }
    gap.extend(comments.map(|comment| layout.comment(comment)));
    print(&mut blocks, &gap)
}

/// A comment and whether a blank line stood before it.
type Remark<'a> = (&'a Comment, bool);

/// Walks the source to see where blank lines stand.
struct Layout<'a> {
    text: &'a str,
    /// End of what was passed last.
    at: u32,
    /// False until something was passed.
    started: bool,
}

impl Layout<'_> {
    /// Passes what lies from `start` to `end`; true when a blank line stands before it.
    fn reach(&mut self, start: u32, end: u32) -> bool {
        let between = self.text.get(self.at as usize..start as usize).unwrap_or_default();
        let blank = self.started && between.matches('\n').count() > 1;
        self.started = true;
        self.at = self.at.max(end);
        blank
    }

    fn comment<'c>(&mut self, comment: &'c Comment) -> Remark<'c> {
        (comment, self.reach(comment.span.start, comment.span.end))
    }

    /// True when blanks stand before a comment on its line.
    fn is_indented(&self, comment: &Comment) -> bool {
        let before = self.text.get(..comment.span.start as usize).unwrap_or_default();
        before.ends_with([' ', '\t'])
    }
}

/// One definition with what belongs to it.
struct Block<'a> {
    /// Comments above it, on lines of their own.
    gap: Vec<Remark<'a>>,
    /// A blank line stood before it.
    blank: bool,
    /// Definition of one line, in columns.
    columns: Option<Columns>,
    /// True for tests, which keep blank lines.
    airy: bool,
    /// Head and lines in the order of the source.
    lines: Vec<Entry<'a>>,
    /// How many lines were passed.
    passed: usize,
    /// Comments below the last line.
    tail: Vec<&'a Comment>,
}

/// A line with its comments.
struct Entry<'a> {
    line: Line,
    above: Vec<Remark<'a>>,
    behind: Option<&'a Comment>,
    blank: bool,
}

impl<'a> Block<'a> {
    fn new(item: &'a Item) -> Self {
        let entry = |line: Line| Entry { line, above: Vec::new(), behind: None, blank: false };
        let (columns, lines) = match block(item) {
            Some((head, lines)) => (None, std::iter::once(head).chain(lines).map(entry).collect()),
            None => (columns(item), vec![entry(Line { span: item.span, text: String::new(), rank: 0 })]),
        };
        let airy = matches!(item.kind, ItemKind::Test(_));
        Self { gap: Vec::new(), blank: false, columns, airy, lines, passed: 0, tail: Vec::new() }
    }

    /// Passes the lines that start before a place.
    fn pass_to(&mut self, place: u32, layout: &mut Layout<'_>) {
        while let Some(entry) = self.lines.get_mut(self.passed).filter(|entry| entry.line.span.start < place)
        {
            entry.blank = layout.reach(entry.line.span.start, entry.line.span.end);
            self.passed += 1;
        }
    }

    /// Takes a comment that follows the definition's start; gives it back when it belongs to what follows.
    fn take(&mut self, comment: &'a Comment, layout: &mut Layout<'_>) -> Option<Remark<'a>> {
        self.pass_to(comment.span.start, layout);
        let last = self.passed == self.lines.len();
        let is_block = self.columns.is_none();
        let head = self.passed == 1;
        let remark = layout.comment(comment);
        let Some(entry) = self.lines.get_mut(self.passed.saturating_sub(1)) else { return Some(remark) };
        if comment.span.start < entry.line.span.end {
            let above = if head { &mut self.gap } else { &mut entry.above };
            above.push((comment, false));
        } else if !comment.own_line && entry.behind.is_none() {
            entry.behind = Some(comment);
        } else if !last {
            if let Some(next) = self.lines.get_mut(self.passed) {
                next.above.push(remark);
            }
        } else if is_block && !remark.1 && layout.is_indented(comment) {
            self.tail.push(comment);
        } else {
            return Some(remark);
        }
        None
    }
}

/// Prints all blocks, then the comments that follow the last.
fn print(blocks: &mut [Block<'_>], rest: &[Remark<'_>]) -> String {
    let mut out = String::new();
    let mut start = 0;
    while start < blocks.len() {
        let end = group_end(blocks, start);
        let previous_is_block = start
            .checked_sub(1)
            .and_then(|before| blocks.get(before))
            .is_some_and(|block| block.columns.is_none());
        let Some(group) = blocks.get_mut(start..end) else { break };
        let widths = Widths::of(group);
        for (index, block) in group.iter_mut().enumerate() {
            let is_block = block.columns.is_none();
            let airless = !block.blank && block.gap.iter().all(|(_, blank)| !blank);
            if index == 0 && (previous_is_block || is_block && airless) {
                match block.gap.first_mut() {
                    Some((_, blank)) => *blank = true,
                    None => block.blank = true,
                }
            }
            remarks(&mut out, &block.gap, "", true);
            if block.blank && !out.is_empty() {
                out.push('\n');
            }
            print_block(&mut out, block, &widths);
        }
        start = end;
    }
    let after_block = blocks.last().is_some_and(|block| block.columns.is_none());
    for (index, (comment, blank)) in rest.iter().enumerate() {
        if !out.is_empty() && (*blank || index == 0 && after_block) {
            out.push('\n');
        }
        out.push_str(&format!("#{}\n", comment.text));
    }
    out
}

/// One past the last definition that lines up with the one at `start`: neighbours of one line each.
fn group_end(blocks: &[Block<'_>], start: usize) -> usize {
    let joins = |block: &Block<'_>| {
        block.columns.is_some() && !block.blank && block.gap.iter().all(|(_, blank)| !blank)
    };
    let alone = blocks.get(start).is_some_and(|block| block.columns.is_none());
    let follow = blocks.iter().skip(start + 1).take_while(|block| !alone && joins(block)).count();
    start + 1 + follow
}

fn remarks(out: &mut String, remarks: &[Remark<'_>], indent: &str, airy: bool) {
    for (comment, blank) in remarks {
        if *blank && airy && !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{indent}#{}\n", comment.text));
    }
}

fn print_block(out: &mut String, block: &mut Block<'_>, widths: &Widths) {
    let airy = block.airy;
    if let Some(columns) = &block.columns {
        widths.print(out, columns);
        end_line(out, block.lines.first().and_then(|entry| entry.behind));
        return;
    }
    block.lines.sort_by_key(|entry| entry.line.rank);
    let Some((head, lines)) = block.lines.split_first() else { return };
    out.push_str(&head.line.text);
    end_line(out, head.behind);
    for (index, entry) in lines.iter().enumerate() {
        let first = index == 0;
        remarks(out, &entry.above, "  ", airy && !first);
        if entry.blank && airy && !first {
            out.push('\n');
        }
        out.push_str("  ");
        out.push_str(&entry.line.text);
        end_line(out, entry.behind);
    }
    for comment in &block.tail {
        out.push_str(&format!("  #{}\n", comment.text));
    }
}

fn end_line(out: &mut String, behind: Option<&Comment>) {
    if let Some(comment) = behind {
        out.push_str(&format!("  #{}", comment.text));
    }
    out.push('\n');
}

/// Widths of the columns of neighbours.
#[derive(Default)]
struct Widths {
    name: usize,
    cells: Vec<(&'static str, Vec<usize>)>,
}

impl Widths {
    fn of(group: &[Block<'_>]) -> Self {
        let mut widths = Self::default();
        for columns in group.iter().filter_map(|block| block.columns.as_ref()) {
            match columns {
                Columns::Assigned { name, .. } => widths.name = widths.name.max(name.chars().count()),
                Columns::Cells(keyword, cells) => widths.fit(keyword, cells),
                Columns::Plain(_) => {}
            }
        }
        widths
    }

    fn fit(&mut self, keyword: &'static str, cells: &[String]) {
        let row = match self.cells.iter_mut().find(|(known, _)| *known == keyword) {
            Some((_, row)) => row,
            None => {
                self.cells.push((keyword, Vec::new()));
                let Some((_, row)) = self.cells.last_mut() else { return };
                row
            }
        };
        row.resize(row.len().max(cells.len()), 0);
        for (width, cell) in row.iter_mut().zip(cells) {
            *width = (*width).max(cell.chars().count());
        }
    }

    fn print(&self, out: &mut String, columns: &Columns) {
        match columns {
            Columns::Plain(text) => out.push_str(text),
            Columns::Assigned { keyword, name, values } => {
                let head = format!("{}{} = ", pad(keyword, 9), pad(name, self.name));
                let indent = head.chars().count();
                let mut column = indent;
                out.push_str(&head);
                for (index, value) in values.iter().enumerate() {
                    let width = value.chars().count() + 2;
                    if index > 0 && column + width > WIDTH_MAX {
                        out.push_str(&format!(",\n{}", " ".repeat(indent)));
                        column = indent;
                    } else if index > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(value);
                    column += width;
                }
            }
            Columns::Cells(keyword, cells) => {
                let row =
                    self.cells.iter().find(|(known, _)| known == keyword).map(|(_, row)| row.as_slice());
                let padded = cells.iter().zip(row.unwrap_or_default()).filter(|(_, width)| **width > 0);
                let padded: Vec<String> = padded.map(|(cell, width)| pad(cell, *width)).collect();
                out.push_str(&pad(keyword, 9));
                out.push_str(padded.join("  ").trim_end());
            }
        }
    }
}

/// A word with blanks up to a width.
fn pad(word: &str, width: usize) -> String {
    format!("{word:<width$}")
}
