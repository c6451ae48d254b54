//! Rules: head, clauses, and what only the clauses together can show.

use super::clause::clause_rule;
use super::reader::{Node, Reader};
use super::{Chunk, Session, word_at};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::Span;
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{Clause, ClauseKind, ExprKind, ItemKind, Name, Rule};
use crate::engine::syntax::grammar;
use crate::engine::syntax::report::Problems;

impl Session<'_> {
    /// A rule; broken clauses are left out.
    pub(super) fn rule(&mut self, head: &Chunk, body: &[Chunk]) -> Option<ItemKind> {
        let named = self.chunk(head, grammar::Rule::rule_head, "rule", |reader, node| reader.head(node));
        let mut clauses = Vec::with_capacity(body.len());
        for chunk in body {
            let Some(rule) = clause_rule(word_at(self.text, chunk.start)) else { continue };
            if let Some(mut clause) = self.chunk(chunk, rule, "clause", |reader, node| reader.clause(node)) {
                clause.span = self.span(chunk.start, clause.span.end as usize);
                clauses.push(clause);
            }
        }
        let complete = clauses.len() == body.len();
        check_once(&clauses, self.problems);
        check_joiners(&clauses, complete, self.problems);
        let (name, title) = named?;
        Some(ItemKind::Rule(Rule { name, title, clauses }))
    }
}

impl Reader<'_> {
    /// `rule NAME "Title"`, `test NAME "title"`
    pub(super) fn head(&mut self, node: Node<'_>) -> Option<(Name, Option<Spanned<String>>)> {
        let (mut name, mut title) = (None, None);
        for part in node.into_inner() {
            match part.as_rule() {
                grammar::Rule::name => name = Some(self.name(&part)?),
                grammar::Rule::text => title = Some(self.text(&part)?),
                _ => {}
            }
        }
        Some((name?, title))
    }
}

/// The clause's words, when a rule may have it only once.
fn single(kind: &ClauseKind) -> Option<&'static str> {
    Some(match kind {
        ClauseKind::Off => "off",
        ClauseKind::On(..) => "on",
        ClauseKind::When(_) => "when",
        ClauseKind::Unless(_) => "unless",
        ClauseKind::For(_) => "for",
        ClauseKind::ClearWhen(_) => "clear when",
        ClauseKind::Gather(_) => "gather",
        ClauseKind::Then(_) => "then",
        ClauseKind::OncePer(_) => "once per",
        ClauseKind::Wait(_) => "wait",
        ClauseKind::Expires(_) => "expires",
        ClauseKind::Unknown(_) => "unknown",
        ClauseKind::Say(_) => "say",
        ClauseKind::Let(..) | ClauseKind::And(_) | ClauseKind::Or(_) | ClauseKind::Quiet(..) => return None,
    })
}

fn check_once(clauses: &[Clause], problems: &mut Problems) {
    let mut seen: Vec<(&str, Span)> = Vec::new();
    for clause in clauses {
        let Some(words) = single(&clause.kind) else { continue };
        match seen.iter().find(|(other, _)| *other == words) {
            None => seen.push((words, clause.span)),
            Some((_, first)) => {
                let help = match words {
                    "when" => "go on with `and` or `or`",
                    "unless" | "clear when" => "join the two with `and` or `or`",
                    _ => "delete one of the two",
                };
                let message = format!("a second `{words}` in one rule");
                let place = keyword_place(clause, words.len());
                problems.push(
                    Diagnostic::error("syntax", place, message)
                        .help(help)
                        .related(*first, "the first is here"),
                );
            }
        }
    }
}

/// `and` lines and `or` lines need a `when`, and are never mixed, nor with the words inside a line.
fn check_joiners(clauses: &[Clause], complete: bool, problems: &mut Problems) {
    let has_when = clauses.iter().any(|clause| matches!(clause.kind, ClauseKind::When(_)));
    let mut first: Option<(bool, Span)> = None;
    for clause in clauses {
        let (condition, joiner) = match &clause.kind {
            ClauseKind::When(condition) => (condition, None),
            ClauseKind::And(condition) => (condition, Some((true, keyword_place(clause, 3)))),
            ClauseKind::Or(condition) => (condition, Some((false, keyword_place(clause, 2)))),
            _ => continue,
        };
        if let (Some((conjunction, place)), false, true) = (joiner, has_when, complete) {
            let word = if conjunction { "and" } else { "or" };
            problems.error(place, format!("`{word}` without a `when`"), Some("write `when`".to_owned()));
            return;
        }
        let inside = match condition.kind {
            ExprKind::And(_) => Some((true, condition.span)),
            ExprKind::Or(_) => Some((false, condition.span)),
            _ => None,
        };
        for (conjunction, place) in [joiner, inside].into_iter().flatten() {
            let (expected, other) = *first.get_or_insert((conjunction, place));
            if expected != conjunction {
                let help = "put parentheses around one group";
                let found = Diagnostic::error("syntax", place, "`and` and `or` are mixed").help(help);
                problems.push(found.related(other, "the other one is here"));
                return;
            }
        }
    }
}

/// The place of a clause's first word or words.
fn keyword_place(clause: &Clause, length: usize) -> Span {
    let length = u32::try_from(length).unwrap_or(0);
    Span { end: clause.span.end.min(clause.span.start.saturating_add(length)), ..clause.span }
}
