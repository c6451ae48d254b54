//! Texts with values in them: `"You slept {health.asleep}."`
//!
//! `{…}` holds a value in the language of conditions, `{{` and `}}` stand for the braces themselves. Each hole
//! is parsed on its own, so a broken one is one finding at its place. No value is looked up here.

use super::ast::{Expr, ExprKind, Template, TemplatePart};
use super::cut;
use super::grammar::{Rule, tokens};
use super::parse::Reader;
use super::report::stumble;

/// What may stand after a backslash, for messages.
pub(super) const ESCAPES: &str = "a backslash stands before `\"`, `\\`, `n` or `t`";

/// The character that a backslash and `escaped` stand for.
pub(super) fn escape(escaped: char) -> Option<char> {
    match escaped {
        '"' | '\\' => Some(escaped),
        'n' => Some('\n'),
        't' => Some('\t'),
        _ => None,
    }
}

/// Headline for any other escape.
pub(super) fn unknown_escape(escaped: char) -> String {
    format!("unknown escape `\\{escaped}`")
}

/// Reads a quoted text that starts at byte `start` of its file. All broken holes are reported; then `None`.
pub(super) fn read(quoted: &str, start: usize, reader: &mut Reader<'_>) -> Option<Template> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut sound = true;
    let mut at = 1;
    let inner_end = quoted.len().saturating_sub(1);
    let place = |from: usize, to: usize| cut::span(reader.file, start + from, start + to);
    let (whole, file) = (place(0, quoted.len()), reader.file);
    let place = |from: usize, to: usize| cut::span(file, start + from, start + to);
    while at < inner_end {
        let rest = quoted.get(at..inner_end)?;
        let special = rest.find(['{', '}', '\\']).unwrap_or(rest.len());
        plain.push_str(rest.get(..special)?);
        at += special;
        let Some(rest) = quoted.get(at..inner_end).filter(|rest| !rest.is_empty()) else { break };
        if rest.starts_with("{{") || rest.starts_with("}}") {
            plain.push_str(rest.get(..1)?);
            at += 2;
        } else if let Some(tail) = rest.strip_prefix('\\') {
            let escaped = tail.chars().next()?;
            match escape(escaped) {
                Some(meant) => plain.push(meant),
                None => {
                    sound = false;
                    let place = place(at, at + 1 + escaped.len_utf8());
                    reader.problems.error(place, unknown_escape(escaped), Some(ESCAPES.to_owned()));
                }
            }
            at += 1 + escaped.len_utf8();
        } else if rest.starts_with('}') {
            sound = false;
            let help = Some("write `}}` for the brace itself".to_owned());
            reader.problems.error(place(at, at + 1), "this `}` closes nothing", help);
            at += 1;
        } else {
            let Some(close) = rest.find('}') else {
                let help = Some("close it with `}`, or write `{{` for the brace itself".to_owned());
                reader.problems.error(place(at, at + 1), "this `{` is not closed", help);
                return None;
            };
            if !plain.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
            }
            match hole(rest.get(1..close)?, start + at + 1, reader) {
                Some(part) => parts.push(part),
                None => sound = false,
            }
            at += close + 1;
        }
    }
    if !plain.is_empty() {
        parts.push(TemplatePart::Text(plain));
    }
    sound.then_some(Template { span: whole, parts })
}

/// Reads what stands between two braces.
fn hole(text: &str, start: usize, reader: &mut Reader<'_>) -> Option<TemplatePart> {
    let trimmed = text.trim_matches([' ', '\t']);
    let start = start + text.find(trimmed)?;
    let place = cut::span(reader.file, start, start + trimmed.len());
    if trimmed.is_empty() {
        let place = cut::span(reader.file, start.saturating_sub(1), start + text.len() + 1);
        reader.problems.error(place, "nothing stands between these braces", Some("name a value".to_owned()));
        return None;
    }
    if trimmed == "fired" {
        return Some(TemplatePart::Fired(place));
    }
    if trimmed.contains('\\') {
        let help = Some("name the value with `let`".to_owned());
        reader.problems.error(place, "a value in a text cannot hold a quote", help);
        return None;
    }
    if is_plain_path(trimmed) {
        return Some(TemplatePart::Value(Expr { span: place, kind: ExprKind::Path(trimmed.to_owned()) }));
    }
    match tokens(Rule::hole, trimmed) {
        Ok(mut pairs) => {
            let mut inner = Reader { base: start, file: reader.file, problems: reader.problems };
            inner
                .build(pairs.next()?, |reader, node| reader.condition(node.into_inner().next()?))
                .map(TemplatePart::Value)
        }
        Err(error) => {
            let found = stumble(&error, trimmed, "value");
            let place = cut::span(reader.file, start + found.at, start + found.end);
            reader.problems.error(place, found.message, found.help);
            None
        }
    }
}

/// True for a dotted name in small letters, which cannot be anything else. Spares most holes the grammar.
fn is_plain_path(text: &str) -> bool {
    text.contains('.')
        && text.split(['.', '-']).all(|part| {
            part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}
