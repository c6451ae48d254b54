//! The clauses of a rule, each in its place: what is written twice, what is not written.

use super::id;
use super::report::Report;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{
    self, ClauseKind, Expr, ExprKind, Length, Name, QuietPolicy, UnknownPolicy,
};

/// A clause with its place.
pub(super) type At<'a, T> = Option<(&'a T, Span)>;

/// A rule's clauses by kind.
#[derive(Debug, Default)]
pub(super) struct Clauses<'a> {
    pub(super) off: Option<Span>,
    pub(super) lets: Vec<(&'a Name, &'a Expr)>,
    pub(super) on: Option<(&'a Name, Option<&'a Name>, Span)>,
    /// `when`, then its `and` or `or` lines.
    pub(super) when: Vec<(&'a Expr, Span)>,
    /// Place of the first `or` line.
    pub(super) any: Option<Span>,
    pub(super) unless: At<'a, Expr>,
    pub(super) hold: At<'a, Spanned<Length>>,
    pub(super) clear: At<'a, Expr>,
    pub(super) gather: At<'a, ast::Gather>,
    pub(super) then: At<'a, ast::Then>,
    pub(super) once_per: At<'a, Vec<Name>>,
    pub(super) wait: At<'a, Spanned<Length>>,
    pub(super) expires: At<'a, Spanned<Length>>,
    pub(super) quiet: Vec<(&'a Name, &'a Spanned<QuietPolicy>)>,
    pub(super) unknown: At<'a, Spanned<UnknownPolicy>>,
    pub(super) say: At<'a, ast::Say>,
    /// Conditions of clauses that are written twice: only their names are looked at.
    pub(super) spare: Vec<&'a Expr>,
}

/// Puts a clause in its place; a second one of its kind is reported.
fn once<'a, T>(place: &mut At<'a, T>, found: &'a T, span: Span, report: &mut Report) {
    match place {
        Some((_, first)) => report.push(twice(span, *first)),
        None => *place = Some((found, span)),
    }
}

fn twice(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(id::OUT_OF_PLACE, span, "a rule has only one clause of this kind")
        .related(first, "the first")
}

impl<'a> Clauses<'a> {
    /// Sorts the clauses of a rule.
    pub(super) fn sort(rule: &'a ast::Rule, report: &mut Report) -> Self {
        let mut sorted = Self::default();
        let mut and: Option<Span> = None;
        for clause in &rule.clauses {
            let span = clause.span;
            match &clause.kind {
                ClauseKind::When(expr) if sorted.when.is_empty() => sorted.when.push((expr, span)),
                ClauseKind::When(expr) => {
                    sorted.spare.push(expr);
                    let first = sorted.when.first().map_or(span, |(_, first)| *first);
                    report.push(twice(span, first).help("write `and` or `or` instead of the second `when`"));
                }
                ClauseKind::And(expr) | ClauseKind::Or(expr) => {
                    let joins_any = matches!(clause.kind, ClauseKind::Or(_));
                    let other = if joins_any { and } else { sorted.any };
                    if let Some(first) = other {
                        let message = "`and` and `or` lines are mixed";
                        let error = Diagnostic::error(id::OUT_OF_PLACE, span, message)
                            .related(first, "the other kind");
                        report.push(error.help("write one group on one line, in parentheses"));
                    }
                    let place = if joins_any { &mut sorted.any } else { &mut and };
                    *place = place.or(Some(span));
                    if sorted.when.is_empty() {
                        let error =
                            Diagnostic::error(id::OUT_OF_PLACE, span, "a condition begins with `when`");
                        report.push(error);
                    }
                    sorted.when.push((expr, span));
                }
                _ => sorted.other(clause, report),
            }
        }
        sorted.refuse_mix(and.is_some(), report);
        sorted
    }

    /// A line that joins otherwise than its lines are joined would need a precedence.
    fn refuse_mix(&self, joins_all: bool, report: &mut Report) {
        for (expr, _) in &self.when {
            let other = match expr.kind {
                ExprKind::Or(_) => joins_all,
                ExprKind::And(_) => self.any.is_some(),
                _ => false,
            };
            if other {
                let error = Diagnostic::error(id::OUT_OF_PLACE, expr.span, "`and` and `or` are mixed");
                report.push(error.help("put parentheses around this group"));
            }
        }
    }

    fn other(&mut self, clause: &'a ast::Clause, report: &mut Report) {
        let span = clause.span;
        match &clause.kind {
            ClauseKind::Off => match self.off {
                Some(first) => report.push(twice(span, first)),
                None => self.off = Some(span),
            },
            ClauseKind::Let(name, value) => self.lets.push((name, value)),
            ClauseKind::On(cause, var) => match self.on {
                Some((_, _, first)) => report.push(twice(span, first)),
                None => self.on = Some((cause, var.as_ref(), span)),
            },
            ClauseKind::Unless(found) | ClauseKind::ClearWhen(found) => {
                let unless = matches!(clause.kind, ClauseKind::Unless(_));
                let place = if unless { &mut self.unless } else { &mut self.clear };
                if place.is_some() {
                    self.spare.push(found);
                }
                once(place, found, span, report);
            }
            ClauseKind::For(found) => once(&mut self.hold, found, span, report),
            ClauseKind::Gather(found) => once(&mut self.gather, found, span, report),
            ClauseKind::Then(found) => once(&mut self.then, found, span, report),
            ClauseKind::OncePer(found) => once(&mut self.once_per, found, span, report),
            ClauseKind::Wait(found) => once(&mut self.wait, found, span, report),
            ClauseKind::Expires(found) => once(&mut self.expires, found, span, report),
            ClauseKind::Quiet(name, policy) => self.quiet.push((name, policy)),
            ClauseKind::Unknown(found) => once(&mut self.unknown, found, span, report),
            ClauseKind::Say(found) => once(&mut self.say, found, span, report),
            ClauseKind::When(_) | ClauseKind::And(_) | ClauseKind::Or(_) => {}
        }
    }

    /// All expressions that may bind items, in canonical order.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &'a Expr> {
        let lets = self.lets.iter().map(|(_, value)| *value);
        let when = self.when.iter().map(|(expr, _)| *expr);
        let unless = self.unless.iter().map(|(expr, _)| *expr);
        let clear = self.clear.iter().map(|(expr, _)| *expr);
        let gather = self.gather.iter().filter_map(|(gather, _)| match gather {
            ast::Gather::Text { filter, .. } => filter.as_ref(),
            ast::Gather::Items { .. } => None,
        });
        let all: Vec<&'a Expr> = when
            .chain(lets)
            .chain(unless)
            .chain(clear)
            .chain(gather)
            .chain(self.spare.iter().copied())
            .collect();
        all.into_iter()
    }
}
