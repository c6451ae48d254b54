//! Cuts a file into pieces that can be parsed, and can fail, each on its own.
//!
//! A definition word in column 0 opens a piece. Inside rules, tests, tables and plans each clause, line or row
//! is a chunk. Strings end at the end of their line, so an unclosed quote spoils one chunk and no more. What
//! only a scan of characters can see is found here: comments, invisible characters, nesting.
//!
//! Never reads the meaning of anything but first words. The cut is here because a grammar gives up at its
//! first error, and because depth must be known before anything recurses.
//!
//! INVARIANT: every chunk lies in one piece, starts at a character that is no blank and ends after one, and
//! a chunk that is not `broken` nests at most [`NESTING_MAX`] deep.

use super::ast::Comment;
use super::report::Problems;
use super::{DEFINITION_BYTES_MAX, NESTING_MAX};
use crate::engine::source::{FileId, Span};

/// Words that open a definition.
pub(super) const DEFINITIONS: &[&str] = &[
    "zone", "keep", "quiet", "budget", "unit", "signal", "stream", "list", "schedule", "function", "rule",
    "table", "plan", "test",
];

/// Words that will open one some day.
pub(super) const RESERVED: &[&str] = &["scene", "score", "watch", "tool"];

/// Words that open a clause of a rule.
pub(super) const CLAUSES: &[&str] = &[
    "off", "let", "on", "when", "and", "or", "unless", "for", "clear", "gather", "then", "once", "wait",
    "expires", "quiet", "unknown", "say",
];

/// Words that open a line of a test.
pub(super) const TEST_LINES: &[&str] = &["zone", "given", "expect"];

/// How a piece is made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One chunk.
    Line,
    /// A head and clauses.
    Rule,
    /// A head and lines.
    Test,
    /// A head and rows.
    Table,
    /// A head and fields.
    Plan,
    /// A word that is reserved.
    Reserved,
    /// A word that opens nothing.
    Unknown,
}

/// One definition, or what stands in the place of one.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// How it is made up.
    pub(super) shape: Shape,
    /// Index of its first chunk.
    pub(super) first: usize,
    /// One past its last chunk.
    pub(super) last: usize,
}

/// One clause, row, head or whole definition of a line.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// First byte.
    pub(super) start: usize,
    /// One past the last byte that is neither blank nor comment.
    pub(super) end: usize,
    /// Index of the first comment that may lie inside.
    pub(super) comment: usize,
    /// True when something was already reported that makes parsing pointless.
    pub(super) broken: bool,
}

/// A file in pieces.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// Pieces in file order.
    pub(super) pieces: Vec<Piece>,
    /// Chunks of all pieces in file order.
    pub(super) chunks: Vec<Chunk>,
    /// All comments in file order.
    pub(super) comments: Vec<Comment>,
}

/// Cuts a whole file.
pub(super) fn cut(text: &str, file: FileId, problems: &mut Problems) -> Cut {
    let mut scanner =
        Scanner { text, file, problems, out: Cut::default(), nesting: Nesting::default(), comma: false };
    let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while start < text.len() {
        let rest = text.as_bytes().get(start..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(text.len(), |at| start + at);
        scanner.line(start, end);
        start = end + 1;
    }
    scanner.finish()
}

/// Depth of what is open, so that nothing later recurses too deeply.
#[derive(Debug, Default)]
struct Nesting {
    /// Depth and operators at each open bracket.
    open: Vec<(usize, usize)>,
    /// Brackets and words that take the rest (`not`, `of`) around the place.
    depth: usize,
    /// Arithmetic operators in the chain at the place; each makes the tree one deeper.
    operators: usize,
    /// True when it was reported for this chunk.
    reported: bool,
}

impl Nesting {
    fn open(&mut self) {
        if self.open.len() <= NESTING_MAX {
            self.open.push((self.depth, self.operators));
            self.depth += self.operators + 1;
            self.operators = 0;
        }
    }

    fn close(&mut self) {
        if let Some((depth, operators)) = self.open.pop() {
            (self.depth, self.operators) = (depth, operators);
        }
    }

    fn comma(&mut self) {
        self.depth = self.open.last().map_or(0, |(depth, operators)| depth + operators + 1);
        self.operators = 0;
    }

    fn too_deep(&self) -> bool {
        self.depth + self.operators > NESTING_MAX
    }
}

struct Scanner<'a> {
    text: &'a str,
    file: FileId,
    problems: &'a mut Problems,
    out: Cut,
    nesting: Nesting,
    /// True when the last code character was a comma.
    comma: bool,
}

impl Scanner<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        span(self.file, start, end)
    }

    /// Reads the line from `start` to `end`, its line break not included.
    fn line(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end && matches!(self.byte(at), b' ' | b'\t' | b'\r') {
            at += 1;
        }
        if at == end {
            return;
        }
        if self.byte(at) == b'#' {
            return self.comment(at, end, true);
        }
        self.begin(at, at == start);
        self.code(at, end);
    }

    /// Decides what a line of code belongs to.
    fn begin(&mut self, at: usize, column_zero: bool) {
        let word = word_at(self.text, at);
        let shape = self.out.pieces.last().map(|piece| piece.shape);
        if column_zero && (DEFINITIONS.contains(&word) || RESERVED.contains(&word)) {
            return self.begin_piece(at, shape_of(word));
        }
        let Some(shape) = shape else { return self.begin_piece(at, Shape::Unknown) };
        let open = !self.nesting.open.is_empty();
        let opens_chunk = match shape {
            Shape::Rule => {
                let goes_on = open && matches!(word, "and" | "or") || self.comma && word == "then";
                CLAUSES.contains(&word) && !goes_on
            }
            Shape::Test => TEST_LINES.contains(&word),
            Shape::Table => self.byte(at) == b'|',
            Shape::Plan => true,
            Shape::Line | Shape::Reserved | Shape::Unknown => false,
        };
        if opens_chunk {
            self.begin_chunk(at);
        } else if column_zero && !word.is_empty() && !open {
            self.begin_piece(at, Shape::Unknown);
        }
    }

    fn begin_piece(&mut self, at: usize, shape: Shape) {
        self.end_piece();
        let first = self.out.chunks.len();
        self.out.pieces.push(Piece { shape, first, last: first });
        self.begin_chunk(at);
    }

    fn begin_chunk(&mut self, at: usize) {
        self.nesting = Nesting::default();
        self.comma = false;
        self.out.chunks.push(Chunk { start: at, end: at, comment: self.out.comments.len(), broken: false });
    }

    fn end_piece(&mut self) {
        let Some(piece) = self.out.pieces.last_mut() else { return };
        piece.last = self.out.chunks.len();
        let chunks = self.out.chunks.get_mut(piece.first..).unwrap_or_default();
        let (Some(start), Some(end)) = (chunks.first().map(|c| c.start), chunks.last().map(|c| c.end)) else {
            return;
        };
        if end - start > DEFINITION_BYTES_MAX {
            for chunk in chunks {
                chunk.broken = true;
            }
            let head = start + word_at(self.text, start).len();
            let place = self.span(start, head);
            self.problems.error(place, "this definition is longer than 64 KiB", Some("split it".to_owned()));
        }
    }

    fn finish(mut self) -> Cut {
        self.end_piece();
        self.out
    }

    /// Marks the chunk that is being read as already reported.
    fn spoil(&mut self) {
        if let Some(chunk) = self.out.chunks.last_mut() {
            chunk.broken = true;
        }
    }

    fn comment(&mut self, start: usize, end: usize, own_line: bool) {
        let whole = self.text.get(start..end).unwrap_or_default().trim_end();
        self.hidden(start, start + whole.len(), true);
        let text = whole.strip_prefix('#').unwrap_or_default().to_owned();
        self.out.comments.push(Comment { span: self.span(start, start + whole.len()), text, own_line });
    }

    /// Reads code up to the end of the line or a comment.
    fn code(&mut self, start: usize, end: usize) {
        let mut at = start;
        let mut code_end = start;
        while at < end {
            let byte = self.byte(at);
            let from = at;
            at += 1;
            match byte {
                b' ' | b'\t' | b'\r' => continue,
                b'#' => {
                    self.comment(from, end, false);
                    break;
                }
                b'"' => at = self.quoted(from, end),
                b'(' | b'{' => self.nesting.open(),
                b')' | b'}' => self.nesting.close(),
                b',' => self.nesting.comma(),
                b'+' | b'-' | b'*' | b'/' => self.nesting.operators += 1,
                b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => at = self.word(from, end),
                0..0x20 | 0x7f.. => at = self.odd(from),
                _ => {}
            }
            self.comma = byte == b',';
            code_end = at;
            if self.nesting.too_deep() && !self.nesting.reported {
                self.nesting.reported = true;
                let help = Some("name a part of it with `let`".to_owned());
                self.problems.error(self.span(from, at), "nested more than 64 deep", help);
                self.spoil();
            }
        }
        if let Some(chunk) = self.out.chunks.last_mut() {
            chunk.end = code_end;
        }
    }

    /// Reads a word or number; returns its end.
    fn word(&mut self, start: usize, end: usize) -> usize {
        let mut at = start + 1;
        while at < end {
            match self.byte(at) {
                b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => at += 1,
                b'-' | b'.' if self.byte(at + 1).is_ascii_alphanumeric() => at += 2,
                _ => break,
            }
        }
        match self.text.as_bytes().get(start..at) {
            Some(b"not" | b"of") => self.nesting.depth += 1,
            Some(b"and" | b"or") => self.nesting.operators = 0,
            _ => {}
        }
        at
    }

    /// Reads a character that is not printable ASCII; returns its end.
    fn odd(&mut self, start: usize) -> usize {
        let character = self.text.get(start..).and_then(|rest| rest.chars().next());
        let end = start + character.map_or(1, char::len_utf8);
        if character.is_some_and(is_hidden) {
            self.hidden(start, end, false);
            self.spoil();
        }
        end
    }

    /// Reads a quoted text; returns its end.
    fn quoted(&mut self, start: usize, end: usize) -> usize {
        let mut at = start + 1;
        let mut plain = true;
        while at < end {
            match self.byte(at) {
                b'"' => {
                    if !plain {
                        self.hidden(start, at, true);
                    }
                    return at + 1;
                }
                b'\\' => at += 1,
                byte => plain &= (0x20..0x7f).contains(&byte),
            }
            at += 1;
        }
        let close = self.text.get(start..end).map_or(end, |rest| start + rest.trim_end().len());
        let help = Some("close it with `\"` on the same line".to_owned());
        self.problems.error(self.span(start, close), "this quote is not closed", help);
        self.spoil();
        end
    }

    /// Reports the first invisible character of a range. Joiners and variation selectors, which emoji
    /// need, may stand in quotes and comments.
    fn hidden(&mut self, start: usize, end: usize, joiners: bool) {
        let range = self.text.get(start..end).unwrap_or_default();
        let found = range.char_indices().find(|(_, c)| is_hidden(*c) && !(joiners && is_joiner(*c)));
        if let Some((at, character)) = found {
            let place = self.span(start + at, start + at + character.len_utf8());
            let message = format!("invisible or control character U+{:04X}", u32::from(character));
            self.problems.error(place, message, Some("delete it".to_owned()));
        }
    }
}

/// A span from byte offsets of a text whose length was checked.
pub(super) fn span(file: FileId, start: usize, end: usize) -> Span {
    let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { file, start: short(start), end: short(end) }
}

/// The word that starts at a place: letters, digits, hyphens and underscores; empty when there is none.
pub(super) fn word_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    if !rest.starts_with(char::is_alphabetic) {
        return "";
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

fn shape_of(word: &str) -> Shape {
    match word {
        "rule" => Shape::Rule,
        "test" => Shape::Test,
        "table" => Shape::Table,
        "plan" => Shape::Plan,
        word if RESERVED.contains(&word) => Shape::Reserved,
        _ => Shape::Line,
    }
}

/// What shows emoji and some scripts correctly and hides nothing by itself.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Characters that print nothing or turn the direction of what is read.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}'
        | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
