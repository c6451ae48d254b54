//! Suppressions: `# allow: ID reason [until DATE]` on the line above a finding.
//!
//! One comment silences one finding. What the resolver reports cannot be silenced, since the set cannot be
//! run without it.

use std::collections::BTreeMap;

use super::lint::{Explain, Lint, explain};
use crate::engine::diagnostic::{Diagnostic, Severity};
use crate::engine::source::{SourceFile, Sources, Span};
use crate::engine::syntax::ast::{self, Comment};
use crate::engine::time::{Date, parse_date};

/// The row of an `allow` that gives no reason.
pub(super) const ALLOW_WITHOUT_REASON: Lint = Lint {
    id: "allow-without-reason",
    severity: Severity::Error,
    summary: "an `allow` comment without a reason",
    explain: Explain {
        what: "A comment `# allow: ID` names a lint and no reason, or nothing at all.",
        why: "Whoever reads the file later cannot know whether the reason still holds.",
        example: "# allow: never-true",
    },
    check: None,
};

/// The row of an `allow` that does nothing.
pub(super) const UNUSED_ALLOW: Lint = Lint {
    id: "unused-allow",
    severity: Severity::Warning,
    summary: "an `allow` comment that silences nothing",
    explain: Explain {
        what: "On the line or in the definition below a comment `# allow: ID …` there is no finding of \
               that kind, or the kind cannot be silenced.",
        why: "It would silence a later finding that nobody has looked at.",
        example: "# allow: never-true kept for the autumn\nlist training = \"gym\"",
    },
    check: None,
};

/// A suppression that was read.
struct Allow<'a> {
    id: &'a str,
    span: Span,
    until: Option<Date>,
    /// Bytes in which a finding must begin.
    from: u32,
    to: u32,
}

/// A file, and for the first byte of each comment on a line of its own where the text below it begins.
struct Place<'f> {
    file: &'f ast::File,
    source: &'f SourceFile,
    below: BTreeMap<u32, u32>,
}

/// From the last comment to the first, so that a block of comments is walked once.
fn below(file: &ast::File, source: &SourceFile) -> BTreeMap<u32, u32> {
    let mut below = BTreeMap::new();
    for comment in file.comments.iter().rev().filter(|comment| comment.own_line) {
        let rest = source.text.get(comment.span.end as usize..).unwrap_or("");
        let blank = rest.len().saturating_sub(rest.trim_start().len());
        let next = comment.span.end.saturating_add(u32::try_from(blank).unwrap_or(0));
        let text = below.get(&next).copied().unwrap_or(next);
        below.insert(comment.span.start, text);
    }
    below
}

/// Leaves out what is allowed; adds what is wrong with the suppressions.
pub(super) fn apply(
    files: &[ast::File],
    sources: &Sources,
    mut found: Vec<Diagnostic>,
    today: Option<Date>,
) -> Vec<Diagnostic> {
    found.sort_by(|a, b| (a.span, a.id).cmp(&(b.span, b.id)));
    let mut said = Vec::new();
    for file in files {
        let Some(source) = sources.get(file.id) else { continue };
        let place = Place { file, source, below: below(file, source) };
        for comment in &file.comments {
            let Some(text) = comment.text.trim_start().strip_prefix("allow:") else { continue };
            match read(comment, text, &place) {
                Ok(allow) => silence(&allow, &mut found, &mut said, today),
                Err(error) => said.push(error),
            }
        }
    }
    found.append(&mut said);
    found
}

fn read<'a>(comment: &Comment, text: &'a str, place: &Place<'_>) -> Result<Allow<'a>, Diagnostic> {
    let span = comment.span;
    let (id, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let Some(lint) = explain(id) else {
        if id.is_empty() {
            return Err(ALLOW_WITHOUT_REASON
                .at(span, "`allow` names no lint")
                .help("write `# allow: ID reason`"));
        }
        let known = super::LINTS.iter().map(|lint| lint.id);
        return Err(crate::engine::resolve::unknown(span, "lint", id, known));
    };
    let (reason, until) = match rest.rsplit_once("until ") {
        Some((reason, date)) if reason.is_empty() || reason.ends_with(char::is_whitespace) => {
            (reason, parse_date(date.trim()).ok())
        }
        _ => (rest, None),
    };
    if reason.trim().is_empty() {
        let error = ALLOW_WITHOUT_REASON.at(span, format!("`allow: {id}` gives no reason"));
        return Err(error.help("say after the name why this is all right"));
    }
    if lint.check.is_none() {
        let error = UNUSED_ALLOW.at(span, format!("`{id}` cannot be silenced"));
        return Err(error.help("the rules cannot be run while it is there"));
    }
    let (from, to) = if comment.own_line { covered(span, place) } else { (span.end, span.end) };
    Ok(Allow { id, span, until, from, to })
}

/// The bytes that a comment speaks of: the next line with text, or the definition that begins there.
fn covered(span: Span, Place { file, source, below }: &Place<'_>) -> (u32, u32) {
    let next = below.get(&span.start).copied().unwrap_or(span.end);
    let rest = source.text.get(next as usize..).unwrap_or("");
    let line = u32::try_from(rest.find('\n').unwrap_or(rest.len())).unwrap_or(0);
    let line_end = next.saturating_add(line);
    let first = file.items.partition_point(|item| item.span.start < next);
    let item = file.items.get(first).filter(|item| item.span.start == next);
    (next, item.map_or(line_end, |item| item.span.end.max(line_end)))
}

fn silence(allow: &Allow<'_>, found: &mut Vec<Diagnostic>, said: &mut Vec<Diagnostic>, today: Option<Date>) {
    let place = |finding: &Diagnostic| (finding.span.file, finding.span.start);
    let first = found.partition_point(|finding| place(finding) < (allow.span.file, allow.from));
    let behind = found.partition_point(|finding| place(finding) < (allow.span.file, allow.to));
    let at =
        found.get(first..behind.max(first)).and_then(|part| part.iter().position(|one| one.id == allow.id));
    let Some(at) = at.map(|at| first.saturating_add(at)) else {
        let message = format!("`allow: {}` silences nothing", allow.id);
        said.push(UNUSED_ALLOW.at(allow.span, message).help("remove it"));
        return;
    };
    let expired = matches!((allow.until, today), (Some(until), Some(today)) if today >= until);
    if !expired {
        found.remove(at);
    } else if let Some(finding) = found.get_mut(at) {
        finding.related.push((allow.span, "the `allow` has run out".to_owned()));
    }
}
