//! Reads just enough Rust: blanks comments and strings, finds the modules that a file names.
#![expect(clippy::string_slice, reason = "cuts at places that were just found; a wrong one fails the test")]

/// The text with comments, strings and characters blanked; line breaks stay, so that lines can be counted.
pub(super) fn without_comments_and_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let blank = blank_length(rest, out.chars().next_back());
        if blank == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (gone, kept) = rest.split_at(blank);
        out.push(' ');
        out.extend(gone.chars().filter(|c| *c == '\n'));
        rest = kept;
    }
    out
}

/// Bytes of the comment, string or character that the text begins with, 0 for none.
fn blank_length(text: &str, before: Option<char>) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment(text);
    }
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        // The end of a name, as in `br"…"`: its prefix was handled with its first letter.
        return if text.starts_with('"') { quoted(text, 0) } else { 0 };
    }
    let prefix = text.find(|c| !matches!(c, 'b' | 'c' | 'r')).unwrap_or(text.len());
    let (letters, body) = text.split_at(prefix);
    let hashes = body.len() - body.trim_start_matches('#').len();
    if letters.contains('r') && body[hashes..].starts_with('"') {
        let close = format!("\"{}", "#".repeat(hashes));
        let inner = prefix + hashes + 1;
        return text[inner..].find(&close).map_or(text.len(), |end| inner + end + close.len());
    }
    if body.starts_with('"') {
        return quoted(text, prefix);
    }
    if body.starts_with('\'') { character(text, prefix) } else { 0 }
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn quoted(text: &str, open: usize) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at <= open) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A character literal; a lifetime is left alone.
fn character(text: &str, open: usize) -> usize {
    let mut inner = text[open + 1..].char_indices();
    match inner.next() {
        Some((_, '\\')) => {
            inner.next();
            inner.find(|(_, c)| *c == '\'').map_or(0, |(at, _)| open + 1 + at + 1)
        }
        Some(_) => match inner.next() {
            Some((at, '\'')) => open + 1 + at + 1,
            _ => 0,
        },
        None => 0,
    }
}

/// The names that follow `prefix`, with those of a group `{a, b::c}`.
pub(super) fn names_behind<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let behind = code[at + prefix.len()..].trim_start();
        if let Some(group) = behind.strip_prefix('{') {
            names.extend(group_names(group));
        } else {
            names.push(name(behind));
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// First names of the parts of a group, up to its closing brace.
fn group_names(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut names) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(name(group[start..at].trim_start()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(name(group[start..at].trim_start()));
                start = at + 1;
            }
            _ => {}
        }
    }
    names
}

fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Names that are reached through `super::` when it leads to the crate's root, for a file whose module lies
/// `depth` deep.
pub(super) fn names_at_root(code: &str, depth: usize) -> Vec<&str> {
    let chain = "super::".repeat(depth);
    let longer = "super::".repeat(depth + 1);
    names_behind(code, &chain)
        .into_iter()
        .chain(names_behind(code, &longer))
        .filter(|n| *n != "super")
        .collect()
}

#[test]
fn comments_and_strings_are_blanked() {
    for (text, code) in [
        ("a // crate::x\nb", "a  \nb"),
        ("a /* b /* c */ d */ e", "a   e"),
        ("f(\"a\\\"//\", 1)", "f( , 1)"),
        ("f(r#\"a\"b\"#)g", "f( )g"),
        ("f(br\"a\\\")g", "f( )g"),
        ("f('\"', '\\'', 'a')g", "f( ,  ,  )g"),
        ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
        ("\"a\nb\"c", " \nc"),
    ] {
        assert_eq!(without_comments_and_strings(text), code, "{text}");
    }
}

#[test]
fn imports_are_found_in_every_form() {
    let code =
        "use crate::a::b; use crate::{c, d::{e, f}, g as h}; pub(in crate::i) x: crate::j::K, mycrate::z";
    assert_eq!(names_behind(code, "crate::"), ["a", "c", "d", "g", "i", "j"]);
    assert_eq!(names_at_root("use super::super::cli::X; use super::own;", 2), ["cli"]);
    assert_eq!(names_at_root("use super::super::super::cli::X;", 2), ["cli"]);
}
