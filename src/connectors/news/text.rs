//! Text from outside as one plain line: no tags, single blanks, bounded.
//!
//! Markup is taken off once and its character references are resolved once, after that. What comes out can
//! hold the letters of a tag (`<b>` that was written as `&lt;b&gt;`), but never as a tag.
//!
//! Invariants: no control characters; no `<` that could open a tag; cut at a grapheme's border, with `…`.

use unicode_segmentation::UnicodeSegmentation as _;

/// Bytes of a text that are looked at.
const BYTES_MAX: usize = 64 << 10;
/// Bytes of the name of a character reference.
const REFERENCE_MAX: usize = 32;

/// Markup as a plain line of at most `length` characters.
#[must_use]
pub fn of_markup(markup: &str, length: usize) -> String {
    of_plain(&references(&without_tags(bounded(markup))), length)
}

/// Text as a plain line of at most `length` characters.
#[must_use]
pub fn of_plain(text: &str, length: usize) -> String {
    let mut line = String::new();
    let shown = bounded(text).chars().map(meant).filter(|letter| !moves_others(*letter));
    let mut letters = shown.peekable();
    while let Some(letter) = letters.next() {
        let blank = letter.is_whitespace() || letter.is_control();
        if !blank {
            line.push(letter);
            if letter == '<' && letters.peek().is_some_and(|next| opens_tag(*next)) {
                line.push(' ');
            }
        } else if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
    }
    cut(line.trim_end(), length)
}

fn bounded(text: &str) -> &str {
    let end = text.floor_char_boundary(BYTES_MAX);
    text.get(..end).unwrap_or(text)
}

/// What turns or hides the letters beside it, or is no letter at all.
fn moves_others(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn opens_tag(next: char) -> bool {
    next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')
}

/// At most so many characters, whole graphemes, with a mark where something is gone.
#[must_use]
pub fn cut(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let mut left = length.saturating_sub(1);
    let mut out = String::new();
    for grapheme in text.graphemes(true) {
        let size = grapheme.chars().count();
        if size > left {
            break;
        }
        left = left.saturating_sub(size);
        out.push_str(grapheme);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// Elements that stand beside the text, not in it.
const APART: &[&str] = &["script", "style", "head", "noscript", "template", "svg"];
/// Elements that do not part words.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "mark", "q", "s", "small", "span", "strong",
    "sub", "sup", "u", "wbr",
];

fn without_tags(markup: &str) -> String {
    let mut out = String::with_capacity(markup.len());
    let mut rest = markup;
    let mut quotes = true;
    while let Some((before, behind)) = rest.split_once('<') {
        out.push_str(before);
        if !behind.starts_with(opens_tag) {
            out.push('<');
            rest = behind;
            continue;
        }
        if let Some(comment) = behind.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let quoted = quotes.then(|| end_of_tag(behind)).flatten();
        // A quote that does not end here ends nowhere behind, so it is looked for only once.
        quotes = quoted.is_some();
        let Some(tag_end) = quoted.or_else(|| behind.find('>')) else { return out };
        let (tag, after) = behind.split_at(tag_end);
        rest = after.strip_prefix('>').unwrap_or(after);
        let name = name_of(tag);
        if APART.contains(&name.as_str()) && !tag.starts_with('/') && !tag.ends_with('/') {
            rest = behind_end(rest, &name);
        }
        if !INLINE.contains(&name.as_str()) {
            out.push(' ');
        }
    }
    out.push_str(rest);
    out
}

/// Where a tag ends: at the first `>` that is not in quotes.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in tag.char_indices() {
        match (quote, letter) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    None
}

fn name_of(tag: &str) -> String {
    let name = tag.trim_start_matches('/');
    name.chars().take_while(char::is_ascii_alphanumeric).take(16).collect::<String>().to_ascii_lowercase()
}

/// What follows the end of an element; nothing when it does not end.
fn behind_end<'t>(text: &'t str, name: &str) -> &'t str {
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("</") {
        if name_of(behind) == name {
            return behind.split_once('>').map_or("", |(_, after)| after);
        }
        rest = behind;
    }
    ""
}

/// With its character references resolved, each once; one that is not known stays as it is written.
#[must_use]
pub fn references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        rest = behind;
        let near = behind.get(..behind.floor_char_boundary(REFERENCE_MAX)).unwrap_or_default();
        let name = near.split_once(';').map(|(name, _)| name);
        match name.and_then(|name| Some((name, reference(name)?))) {
            Some((name, resolved)) => {
                out.push_str(&resolved);
                rest = behind.strip_prefix(name).and_then(|rest| rest.strip_prefix(';')).unwrap_or(rest);
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

/// The text of the reference `&name;`.
#[must_use]
pub fn reference(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return quick_xml::escape::resolve_html5_entity(name).map(str::to_owned);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|letter| *letter != '\0').map(|letter| meant(letter).into())
}

/// The C1 controls were always meant as the letters that windows-1252 has in their place.
fn meant(letter: char) -> char {
    match u8::try_from(letter) {
        Ok(byte @ 0x80..=0x9f) => {
            let bytes = [byte];
            let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes);
            text.chars().next().unwrap_or(letter)
        }
        _ => letter,
    }
}
