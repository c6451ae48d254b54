//! A text with values in it: `"You slept {health.asleep}."`.

use pest::iterators::Pair;

use super::expr::or_expr;
use super::literal::{escape, unknown_escape};
use super::{Context, Kids, Made, Rule};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::syntax::ast::{Template, TemplatePart};

/// Reads a quoted text and the values in its holes.
pub(super) fn template(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Made<Template> {
    let raw = pair.as_str();
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
    let base = pair.as_span().start() + 1;
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = inner;
    while let Some(character) = rest.chars().next() {
        let at = base + (inner.len() - rest.len());
        let after = rest.get(character.len_utf8()..).unwrap_or("");
        let (piece, next) = match character {
            '\\' => {
                let escaped = after.chars().next();
                let length = escaped.map_or(0, char::len_utf8);
                let piece = escape(escaped).ok_or_else(|| unknown_escape(context, at, 1 + length))?;
                (Some(piece), after.get(length..).unwrap_or(""))
            }
            '{' | '}' if after.starts_with(character) => (Some(character), after.get(1..).unwrap_or("")),
            '}' => return Err(single(context, at, "}")),
            '{' => {
                let end = after.find('}').ok_or_else(|| single(context, at, "{"))?;
                if !plain.is_empty() {
                    parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                }
                parts.push(hole(context, after.get(..end).unwrap_or(""), at + 1)?);
                (None, after.get(end + 1..).unwrap_or(""))
            }
            other => (Some(other), after),
        };
        plain.extend(piece);
        rest = next;
    }
    if !plain.is_empty() {
        parts.push(TemplatePart::Text(plain));
    }
    Ok(Template { span: context.place(pair), parts })
}

/// A brace without its other half.
fn single(context: &Context<'_>, at: usize, brace: &str) -> Diagnostic {
    Diagnostic::error("syntax", context.span(at, at + 1), format!("this `{brace}` stands alone"))
        .help(format!("write `{brace}{brace}` for the sign itself"))
}

/// What stands between braces, `at` being its first byte.
fn hole(context: &Context<'_>, text: &str, at: usize) -> Made<TemplatePart> {
    let bare = text.trim();
    let start = at + (text.len() - text.trim_start().len());
    let span = context.span(start, start + bare.len());
    if bare == "fired" {
        return Ok(TemplatePart::Fired(span));
    }
    if bare.is_empty() {
        let braces = context.span(at.saturating_sub(1), at + text.len() + 1);
        return Err(Diagnostic::error("syntax", braces, "expected a value between the braces"));
    }
    let inside = Context { file: context.file, base: span.start, text: bare };
    let mut kids: Kids<'_> = inside.run(Rule::hole)?;
    or_expr(&inside, kids.need(Rule::or_expr)?).map(TemplatePart::Value)
}
