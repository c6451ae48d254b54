//! What can be said about a text before any grammar reads it: comments, characters that do not show,
//! unclosed quotes, and where definitions and clauses begin.
//!
//! The text is cut so that each broken line costs one diagnostic and the lines around it survive.

use std::ops::Range;

use super::ast::Comment;
use super::faults::Faults;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::{FileId, Span};

/// A file after the first pass.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// The text with comments and invisible characters as blanks, byte for byte as long.
    pub(super) blank: String,
    /// All comments.
    pub(super) comments: Vec<Comment>,
    /// What was found.
    pub(super) faults: Faults,
    /// First bytes of quotes that are not closed on their line.
    pub(super) unclosed: Vec<usize>,
}

/// Reads the whole text once.
pub(super) fn scan(text: &str, file: FileId) -> Scanned {
    let mut scanned = Scanned { blank: String::with_capacity(text.len()), ..Scanned::default() };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        scan_line(line, start, file, &mut scanned);
        start += line.len();
    }
    scanned
}

/// Reads one line, its line break included.
fn scan_line(line: &str, start: usize, file: FileId, scanned: &mut Scanned) {
    let body = line.trim_end_matches(['\n', '\r']);
    let mut quote: Option<usize> = None;
    let mut escaped = false;
    // Up to where invisible characters have been reported; odd blanks are reported once a line.
    let mut said = 0;
    let mut blank_said = false;
    for (index, character) in body.char_indices() {
        let within = quote.is_some();
        if character == '#' && !within {
            comment(line, index, start, file, scanned);
            scanned.blank.push_str(line.get(body.len()..).unwrap_or(""));
            return;
        }
        if invisible(character, within) {
            if index >= said && !(blank_said && odd_blank(character)) {
                blank_said |= odd_blank(character);
                let rest = body.get(index..).unwrap_or("");
                said = index + unseen(rest, start + index, within, file, &mut scanned.faults);
            }
            scanned.blank.extend(std::iter::repeat_n(' ', character.len_utf8()));
            escaped = false;
            continue;
        }
        scanned.blank.push(character);
        match character {
            '"' if !escaped => quote = if within { None } else { Some(index) },
            _ => {}
        }
        escaped = within && character == '\\' && !escaped;
    }
    scanned.blank.push_str(line.get(body.len()..).unwrap_or(""));
    if let Some(index) = quote {
        let span = place(file, start + index, start + body.trim_end().len().max(index + 1));
        scanned.unclosed.push(start + index);
        scanned.faults.push(
            Diagnostic::error("syntax", span, "this text has no closing quote")
                .help("close it with `\"` on the same line"),
        );
    }
}

/// Reports the invisible characters that stand together at the beginning of `rest`, which is at byte `at` of
/// the file; gives the bytes of them.
fn unseen(rest: &str, at: usize, within: bool, file: FileId, faults: &mut Faults) -> usize {
    let length = rest.find(|c: char| !invisible(c, within)).unwrap_or(rest.len());
    let span = place(file, at, at + length);
    let first = rest.chars().next().map_or(0, u32::from);
    let error = if at == 0 && first == 0xFEFF {
        Diagnostic::error("syntax", span, "this file begins with a byte order mark")
            .help("save it as UTF-8 without one")
    } else {
        let more = rest.get(..length).unwrap_or("").chars().count().saturating_sub(1);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let name = name_of(first);
        Diagnostic::error("syntax", span, format!("invisible character U+{first:04X}{name}{more}"))
            .help(if rest.starts_with(odd_blank) { "write an ordinary space" } else { "delete it" })
    };
    faults.push(error);
    length
}

/// What a character does that people are tricked or puzzled by.
fn name_of(code: u32) -> &'static str {
    match code {
        0x0D => " (a carriage return without a line break)",
        0xA0 | 0x202F => " (a non-breaking space)",
        0x3000 => " (a wide space)",
        0xAD => " (a soft hyphen)",
        0x200B => " (a blank without width)",
        0x061C | 0x200E | 0x200F | 0x202A..=0x202E | 0x2066..=0x2069 => " (it turns the direction of text)",
        0xFEFF => " (a byte order mark)",
        _ => "",
    }
}

/// Keeps a comment and puts blanks in its place.
fn comment(line: &str, index: usize, start: usize, file: FileId, scanned: &mut Scanned) {
    let whole = line.trim_end_matches(['\n', '\r']);
    let words = whole.get(index + 1..).unwrap_or("");
    let mut at = index + 1;
    while let Some(rest) = whole.get(at..)
        && let Some(next) = rest.find(|c: char| invisible(c, true))
    {
        at += next;
        at += unseen(whole.get(at..).unwrap_or(""), start + at, true, file, &mut scanned.faults);
    }
    scanned.blank.extend(std::iter::repeat_n(' ', whole.len() - index));
    scanned.comments.push(Comment {
        span: place(file, start + index, start + whole.len()),
        text: words.trim_end().to_owned(),
        own_line: line.get(..index).unwrap_or("").trim().is_empty(),
    });
}

/// Characters that change how a line looks without being seen. Joined emoji and their variants are text.
fn invisible(character: char, within_text: bool) -> bool {
    match character {
        '\t' => false,
        '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => !within_text,
        '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{00AD}'
        | '\u{061C}'
        | '\u{180E}'
        | '\u{FEFF}' => true,
        // Blanks that no keyboard has come with what was copied from elsewhere; in a text they may be meant.
        other => other.is_control() || (!within_text && odd_blank(other)),
    }
}

/// Blanks that look like a space and are none.
fn odd_blank(character: char) -> bool {
    !character.is_ascii() && character.is_whitespace() && !character.is_control()
}

/// A place from byte offsets.
pub(super) fn place(file: FileId, start: usize, end: usize) -> Span {
    let offset = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    Span { file, start: offset(start), end: offset(end) }
}

/// Where each definition stands: from a line that begins in column 0 to the next such line. A row of a
/// table belongs to the definition above it wherever it begins.
pub(super) fn definitions(text: &str) -> Vec<Range<usize>> {
    let first = text.len() - text.trim_start_matches('\u{FEFF}').len();
    pieces(text, first, |line| line.starts_with(|c: char| !c.is_whitespace() && c != '|'))
}

/// Cuts a text before each line for which `begins` says so. What stands before the first is a piece too.
fn pieces(text: &str, from: usize, mut begins: impl FnMut(&str) -> bool) -> Vec<Range<usize>> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut start = from;
    for line in text.get(from..).unwrap_or("").split_inclusive('\n') {
        let end = start + line.len();
        let filled = !line.trim().is_empty();
        match cuts.last_mut() {
            Some(piece) if !(filled && begins(line)) => {
                if filled {
                    piece.end = end;
                }
            }
            None if !filled => {}
            None => {
                begins(line);
                cuts.push(start..end);
            }
            Some(_) => cuts.push(start..end),
        }
        start = end;
    }
    cuts.into_iter().map(|piece| trimmed(text, piece)).collect()
}

/// Without the blanks at either end.
fn trimmed(text: &str, piece: Range<usize>) -> Range<usize> {
    let part = text.get(piece.clone()).unwrap_or("");
    let start = piece.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The head of a definition and its clauses. A line begins a clause when its first word is one of `words`,
/// when it is a row of a table, or when it is indented no further than the first line and is a word.
pub(super) fn clauses(text: &str, words: &[&str]) -> Vec<Range<usize>> {
    let mut indent: Option<usize> = None;
    let mut head = true;
    pieces(text, 0, |line| {
        if std::mem::take(&mut head) {
            return true;
        }
        let bare = line.trim_start();
        let width = line.len() - bare.len();
        let word = first_word(bare);
        let level = *indent.get_or_insert(width);
        let joined = matches!(word, "each" | "else");
        bare.starts_with('|') || words.contains(&word) || (!word.is_empty() && width <= level && !joined)
    })
}

/// The word at the beginning of a text, or nothing.
pub(super) fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_' || c == '.'));
    text.get(..end.unwrap_or(text.len())).unwrap_or("")
}

/// Where a text nests deeper than `most`, if it does: by parentheses and braces, or by words after which
/// a value may hold a further value without any.
pub(super) fn depth_of(text: &str, most: usize) -> Option<usize> {
    let (mut depth, mut words) = (0_usize, 0_usize);
    let (mut quoted, mut escaped) = (false, false);
    let mut word_start: Option<usize> = None;
    for (index, byte) in text.bytes().enumerate() {
        let in_word = !quoted && (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
        if in_word {
            word_start.get_or_insert(index);
        } else if let Some(start) = word_start.take() {
            let word = text.get(start..index).unwrap_or("");
            words += usize::from(matches!(word, "of" | "not" | "where" | "else"));
        }
        match byte {
            b'"' if !escaped => quoted = !quoted,
            b'(' | b'{' if !quoted => depth += 1,
            b')' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        escaped = quoted && byte == b'\\' && !escaped;
        if depth > most || words > most {
            return text.is_char_boundary(index).then_some(index).or(Some(0));
        }
    }
    None
}
