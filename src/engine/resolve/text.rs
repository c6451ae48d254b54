//! Texts: what a rule says, and that every value in it is bound.

use std::sync::Arc;

use super::clauses::At;
use super::id;
use super::rule::flat;
use super::scope::Scope;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::rule_set::{Cause, Gather, Part, Say, Slot};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{self, Template, TemplatePart};

/// What a text stands in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'t> {
    /// Said when nothing else is written.
    pub(super) title: &'t Arc<str>,
    /// What the rule gathers; nothing inside when it is wrong, which has been reported.
    pub(super) gather: Option<Option<&'t Gather>>,
    /// What the rule is judged at.
    pub(super) cause: Option<Cause>,
}

impl<'a> Scope<'_, 'a> {
    pub(super) fn say(&mut self, say: At<'a, ast::Say>, place: Place<'_>) -> Option<Say> {
        let Some((say, _)) = say else {
            return Some(Say {
                text: vec![Part::Text(Arc::clone(place.title))],
                each: None,
                otherwise: None,
            });
        };
        let text = self.template(&say.text);
        let each = say.each.as_ref().map(|each| self.each_text(each, place));
        if let (Some(otherwise), None) = (&say.otherwise, &say.each) {
            let message = "`else` is said when `each` has no item, and there is no `each`";
            self.world.report.push(Diagnostic::error(id::OUT_OF_PLACE, otherwise.span, message));
        }
        let otherwise = say.otherwise.as_ref().map(|otherwise| self.template(otherwise));
        Some(Say { text: text?, each: flat(each)?, otherwise: flat(otherwise)? })
    }

    fn each_text(&mut self, each: &'a Template, place: Place<'_>) -> Option<(Slot, Vec<Part>)> {
        let slot = match place.gather {
            Some(Some(Gather::Items { .. })) => Slot(0),
            Some(Some(Gather::Text { slot, .. })) => *slot,
            // What is wrong has been reported.
            broken if broken.is_some() || place.cause.is_none() => {
                self.only_names(|scope| scope.template(each));
                return None;
            }
            _ => {
                self.only_names(|scope| scope.template(each));
                let message = "`each` prints one line a gathered item, and nothing is gathered";
                let error = Diagnostic::error(id::OUT_OF_PLACE, each.span, message);
                return self.world.report.fail(error.help("write a `gather` clause"));
            }
        };
        let bound = self.bound;
        self.bound = bound.with(slot);
        let parts = self.template(each);
        self.bound = bound;
        Some((slot, parts?))
    }

    fn template(&mut self, template: &'a Template) -> Option<Vec<Part>> {
        let found: Vec<Option<Part>> = template
            .parts
            .iter()
            .map(|part| match part {
                TemplatePart::Text(text) => Some(Part::Text(text.as_str().into())),
                TemplatePart::Value(tree) => self.hole(tree),
                TemplatePart::Fired(span) => self.fired(*span),
            })
            .collect();
        found.into_iter().collect()
    }

    fn hole(&mut self, tree: &'a ast::Expr) -> Option<Part> {
        let value = self.apart(|scope| scope.value(tree))?;
        if self.is_shown(value.ty, &value.kind) {
            return Some(Part::Value(value));
        }
        let error = Diagnostic::error(id::UNIT_MISMATCH, value.span, "a condition cannot be shown");
        self.world.report.fail(error.help("show the values that it compares"))
    }

    /// `{fired}`: some `fired today` must be read by the condition.
    fn fired(&mut self, span: Span) -> Option<Part> {
        if self.reads_firing {
            return Some(Part::Fired);
        }
        let error = Diagnostic::error(id::UNBOUND_VALUE, span, "`{fired}` has nothing to name in this rule");
        self.world.report.fail(error.help("it names the rules that make a `fired today` of `when` true"))
    }
}
