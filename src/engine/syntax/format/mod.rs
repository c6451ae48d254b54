//! The one canonical text of a file, from its tree.
//!
//! Never changes what a file says, never wraps a line, never moves a definition: it sets blanks, the order
//! of a rule's clauses and the spelling of literals. Comments go where the tree says that they belong.
//!
//! Neighbouring lines line up: the `=` of definitions and of `let`s, the columns of signals, the fields of
//! streams. A blank line, a comment on a line of its own, or a definition with lines ends the run, so that a
//! new definition moves only its neighbours.
//!
//! INVARIANT: formatting is idempotent, and the tree of the text differs only in places and in the order
//! of clauses.

mod columns;
mod definition;
mod expr;
mod layout;
mod rule;
mod test_block;
#[cfg(test)]
mod tests;
mod words;

use self::layout::Columns;
use crate::engine::source::SourceFile;
use crate::engine::syntax::ast::{File, Item};

/// The canonical text of a file that was read without errors.
///
/// A definition that could not be read has no tree to print; a file with such text comes back as it is.
#[must_use]
pub fn format(file: &File, source: &SourceFile) -> String {
    if has_unread_text(file, source) {
        return source.text.to_string();
    }
    layout::write(&layout::entries(&file.items, &file.comments, source), source, Columns::Shared)
}

/// The canonical text of one definition, without its comments and with each line as if it stood alone: no
/// line shows what its neighbours are called.
#[must_use]
pub fn format_item(item: &Item, source: &SourceFile) -> String {
    layout::write(&layout::entries(std::slice::from_ref(item), &[], source), source, Columns::Apart)
}

/// True when a part of a definition was not read, or something other than blanks stands outside all
/// definitions and comments.
fn has_unread_text(file: &File, source: &SourceFile) -> bool {
    if file.items.iter().any(|item| item.broken) {
        return true;
    }
    let comments = file.comments.iter().map(|comment| comment.span);
    let mut spans: Vec<_> = file.items.iter().map(|item| item.span).chain(comments).collect();
    spans.sort_by_key(|span| span.start);
    let mut end = 0;
    for span in spans {
        if is_text(source, end, span.start) {
            return true;
        }
        end = end.max(span.end);
    }
    is_text(source, end, u32::try_from(source.text.len()).unwrap_or(u32::MAX))
}

fn is_text(source: &SourceFile, start: u32, end: u32) -> bool {
    let gap = source.text.get(start as usize..end as usize).unwrap_or("");
    // The last bar of a table may lie outside its last row; a byte order mark is nobody's.
    gap.contains(|character: char| !character.is_whitespace() && character != '|' && character != '\u{feff}')
}
