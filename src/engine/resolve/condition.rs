//! Conditions: comparisons, questions about texts, items, firings and silence.

use std::sync::Arc;

use super::id;
use super::names::Kind;
use super::rule::flat;
use super::scope::Scope;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::record::StreamId;
use crate::engine::rule_set::{Expr, ExprKind, ItemWindow, ItemWindowKind, Join, ListId, RuleId, Source};
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{
    self, CompareOp, ExprKind as Tree, ItemWindowKind as WindowTree, Name, Quantifier,
};
use crate::engine::text_match::Matcher;
use crate::engine::value::{Type, Value};

fn condition(span: Span, kind: ExprKind) -> Expr {
    Expr { span, ty: Type::Flag, kind }
}

impl<'a> Scope<'_, 'a> {
    /// A condition; a value of another type is reported.
    pub(super) fn condition(&mut self, tree: &'a ast::Expr) -> Option<Expr> {
        let expr = self.value(tree)?;
        if expr.ty == Type::Flag {
            return Some(expr);
        }
        let message = format!("this is {}, and a condition is needed", self.describe(expr.ty));
        let error = Diagnostic::error(id::UNIT_MISMATCH, expr.span, message);
        self.world.report.fail(error.help("compare it with something"))
    }

    /// What is always a condition.
    pub(super) fn condition_kind(&mut self, tree: &'a ast::Expr) -> Option<Expr> {
        let span = tree.span;
        let kind = match &tree.kind {
            Tree::Not(inner) => ExprKind::Not(Box::new(self.apart(|scope| scope.condition(inner))?)),
            Tree::And(list) => ExprKind::And(self.all(list)?),
            Tree::Or(list) => ExprKind::Or(self.branches(list)?),
            Tree::AtLeast(least, list) => {
                let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
                let list = self.branches(list);
                if least.node == 0 || least.node > count {
                    let message = format!("`at least {}` of {count} conditions", least.node);
                    return self.world.report.error(id::BAD_VALUE, least.span, message);
                }
                ExprKind::AtLeast(least.node, list?)
            }
            Tree::Compare(op, a, b) => return self.compare(*op, a, b, span),
            Tree::Has(a, b) => self.has(a, b)?,
            Tree::In(a, b) => self.contained(a, b)?,
            Tree::Between(a, low, high) => return self.between(a, low, high, span),
            Tree::IsMissing(a) => self.is_missing(a)?,
            Tree::Nothing(names, length) => self.nothing(names, length)?,
            Tree::Fired(rules) => {
                self.world.report.needs_zone(span);
                let found: Vec<Option<RuleId>> = rules.iter().map(|rule| self.rule(rule)).collect();
                ExprKind::Fired(found.into_iter().collect::<Option<Vec<RuleId>>>()?)
            }
            Tree::Join(join) => return self.join(join, span),
            _ => return self.world.report.error(id::OUT_OF_PLACE, span, "this cannot stand here"),
        };
        Some(condition(span, kind))
    }

    /// Resolves with nothing that is bound inside visible afterwards, and no `each`.
    pub(super) fn apart<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let (bound, each_allowed) = (self.bound, self.each_allowed);
        self.each_allowed = false;
        let result = run(self);
        (self.bound, self.each_allowed) = (bound, each_allowed);
        result
    }

    fn all(&mut self, list: &'a [ast::Expr]) -> Option<Vec<Expr>> {
        let found: Vec<Option<Expr>> = list.iter().map(|part| self.condition(part)).collect();
        found.into_iter().collect()
    }

    fn branches(&mut self, list: &'a [ast::Expr]) -> Option<Vec<Expr>> {
        let found: Vec<Option<Expr>> =
            list.iter().map(|part| self.apart(|scope| scope.condition(part))).collect();
        found.into_iter().collect()
    }

    /// Two values, where a bare word beside a word is a literal. Beside a value that is broken nobody knows
    /// whether it is one, unless `ordered` says that words cannot be meant.
    fn pair(&mut self, a: &'a ast::Expr, b: &'a ast::Expr, ordered: bool) -> Option<(Expr, Expr)> {
        if self.bare_word(a).is_some() && self.bare_word(b).is_none() {
            let b = self.value(b);
            let a = self.beside_of(a, b.as_ref(), ordered);
            return Some((a?, b?));
        }
        let a = self.value(a);
        let b = self.beside_of(b, a.as_ref(), ordered);
        Some((a?, b?))
    }

    fn beside_of(&mut self, tree: &'a ast::Expr, other: Option<&Expr>, ordered: bool) -> Option<Expr> {
        match other {
            Some(other) => self.beside(tree, other.ty),
            None if !ordered && self.bare_word(tree).is_some() => None,
            None => self.value(tree),
        }
    }

    fn bare_word(&self, tree: &'a ast::Expr) -> Option<&'a str> {
        match &tree.kind {
            Tree::Path(name) if self.is_bare_word(name) => Some(name),
            _ => None,
        }
    }

    /// A value beside one of a known type: a bare word beside a word is a literal.
    fn beside(&mut self, tree: &'a ast::Expr, ty: Type) -> Option<Expr> {
        let Some(word) = self.bare_word(tree) else { return self.value(tree) };
        match ty {
            Type::Word => Some(Expr {
                span: tree.span,
                ty: Type::Word,
                kind: ExprKind::Const(Value::Text(word.into())),
            }),
            Type::Text => {
                let error = Diagnostic::error(id::UNKNOWN_NAME, tree.span, format!("unknown value `{word}`"));
                self.world.report.fail(error.help(format!("to compare with a text, quote it: `\"{word}\"`")))
            }
            _ => self.value(tree),
        }
    }

    fn compare(&mut self, op: CompareOp, a: &'a ast::Expr, b: &'a ast::Expr, span: Span) -> Option<Expr> {
        let equality = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
        let (a, b) = self.pair(a, b, !equality)?;
        let (op, a, b) = order_times(op, a, b);
        let in_time = matches!(op, CompareOp::Before | CompareOp::After);
        match (a.ty, b.ty) {
            (Type::Instant, Type::Clock | Type::Date) if in_time => self.world.report.needs_zone(span),
            (Type::Instant, Type::Clock | Type::Date) if !equality => {
                let error = Diagnostic::error(id::UNIT_MISMATCH, span, "an instant is not a number");
                return self.world.report.fail(error.help("write `before` or `after`"));
            }
            (x, y) if x == y && x.is_time() => {}
            (x, y) if x == y && x.is_numeric() && !in_time => {}
            (x, y) if x.is_textual() && y.is_textual() && equality => {}
            (Type::Flag, Type::Flag) if equality => {}
            (x, y) if x == y || (x.is_textual() && y.is_textual()) => {
                let message = format!("{} cannot be compared in this way", self.describe(x));
                let error = Diagnostic::error(id::UNIT_MISMATCH, span, message);
                let help = if in_time { "write `<` or `>`" } else { "write `=` or `!=`" };
                return self.world.report.fail(error.help(help));
            }
            _ => return self.differ(&a, &b, span),
        }
        Some(condition(span, ExprKind::Compare(op, Box::new(a), Box::new(b))))
    }

    fn has(&mut self, a: &'a ast::Expr, b: &'a ast::Expr) -> Option<ExprKind> {
        let a = self.value(a);
        let wanted = match &b.kind {
            Tree::Text(text) if text.trim_end_matches('*').trim().is_empty() => self.world.report.error(
                id::BAD_VALUE,
                b.span,
                "a text without letters would match everything",
            ),
            Tree::Text(text) => Some(Err(Matcher::new([text.as_str()]))),
            Tree::Path(name) => {
                let name = Name::new(name.clone(), b.span);
                self.world.names.find(&mut self.world.report, &name, Kind::List).map(ListId).map(Ok)
            }
            _ => self.world.report.error(id::OUT_OF_PLACE, b.span, "`has` looks for a text or a list"),
        };
        let (a, wanted) = (a?, wanted?);
        if !a.ty.is_textual() {
            return self.world.mismatch(a.span, a.ty, Type::Text);
        }
        Some(match wanted {
            Ok(list) => ExprKind::HasList(Box::new(a), list),
            Err(matcher) => ExprKind::HasText(Box::new(a), Arc::new(matcher)),
        })
    }

    fn contained(&mut self, a: &'a ast::Expr, b: &'a ast::Expr) -> Option<ExprKind> {
        let Some(a) = self.value(a) else {
            self.names_of_set(b);
            return None;
        };
        let set = match &b.kind {
            Tree::Set(list) if list.is_empty() => {
                return self.world.report.error(id::BAD_VALUE, b.span, "nothing is in an empty set");
            }
            Tree::Set(list) => {
                let found: Vec<Option<Expr>> = list.iter().map(|part| self.element(part, a.ty)).collect();
                found.into_iter().collect::<Option<Vec<Expr>>>()?
            }
            Tree::Path(name) => self.list_entries(name, b.span, &a)?,
            _ => {
                return self.world.report.error(
                    id::OUT_OF_PLACE,
                    b.span,
                    "`in` needs a set, a list or `A to B`",
                );
            }
        };
        Some(ExprKind::In(Box::new(a), set))
    }

    /// Reports what is unknown in a set beside a value that is broken; a bare word may be a literal there.
    fn names_of_set(&mut self, set: &'a ast::Expr) {
        match &set.kind {
            Tree::Set(list) => {
                for part in list {
                    if self.bare_word(part).is_none() {
                        self.value(part);
                    }
                }
            }
            Tree::Path(name) => {
                let name = Name::new(name.clone(), set.span);
                self.world.names.find(&mut self.world.report, &name, Kind::List);
            }
            _ => {}
        }
    }

    fn element(&mut self, tree: &'a ast::Expr, ty: Type) -> Option<Expr> {
        let element = self.beside(tree, ty)?;
        if element.ty == ty || (element.ty.is_textual() && ty.is_textual()) {
            return Some(element);
        }
        self.world.mismatch(element.span, element.ty, ty)
    }

    fn list_entries(&mut self, name: &'a str, span: Span, a: &Expr) -> Option<Vec<Expr>> {
        let name = Name::new(name.to_owned(), span);
        let list = ListId(self.world.names.find(&mut self.world.report, &name, Kind::List)?);
        if !a.ty.is_textual() {
            return self.world.mismatch(a.span, a.ty, Type::Text);
        }
        let list = self.world.set.lists.get(list.index())?;
        if list.entries.iter().any(|entry| entry.ends_with('*')) {
            let message = format!("`{}` has entries with `*`, and `in` compares exactly", name.node);
            let error = Diagnostic::error(id::OUT_OF_PLACE, span, message);
            return self.world.report.fail(error.help("write `has` instead"));
        }
        let text = |entry: &Arc<str>| Expr {
            span,
            ty: Type::Text,
            kind: ExprKind::Const(Value::Text(Arc::clone(entry))),
        };
        Some(list.entries.iter().map(text).collect())
    }

    fn between(
        &mut self,
        a: &'a ast::Expr,
        low: &'a ast::Expr,
        high: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let (a, low, high) = (self.value(a), self.value(low), self.value(high));
        let (a, low, high) = (a?, low?, high?);
        if low.ty != high.ty {
            return self.differ(&low, &high, low.span.to(high.span));
        }
        if let (ExprKind::Const(from), ExprKind::Const(to)) = (&low.kind, &high.kind)
            && from > to
        {
            let error =
                Diagnostic::error(id::BAD_VALUE, low.span.to(high.span), "the range ends before it begins");
            return self.world.report.fail(error.help("write the smaller value first"));
        }
        if a.ty == low.ty && (a.ty.is_numeric() || a.ty.is_time()) {
            return Some(condition(span, ExprKind::Between(Box::new(a), Box::new(low), Box::new(high))));
        }
        if a.ty == Type::Instant && matches!(low.ty, Type::Clock | Type::Date) {
            // Both ends are included: not before the first and not after the last.
            self.world.report.needs_zone(span);
            let outside = |op, end| {
                let test = ExprKind::Compare(op, Box::new(a.clone()), Box::new(end));
                condition(span, ExprKind::Not(Box::new(condition(span, test))))
            };
            let both = vec![outside(CompareOp::Before, low), outside(CompareOp::After, high)];
            return Some(condition(span, ExprKind::And(both)));
        }
        self.differ(&a, &low, span)
    }

    fn is_missing(&mut self, a: &'a ast::Expr) -> Option<ExprKind> {
        let a = self.value(a)?;
        let stored = matches!(a.kind, ExprKind::Signal(_) | ExprKind::Field(..) | ExprKind::Let(_));
        if a.ty == Type::Flag && !stored {
            let message = "only a value can be missing; a condition is true, false or unknown";
            return self.world.report.error(id::OUT_OF_PLACE, a.span, message);
        }
        Some(ExprKind::IsMissing(Box::new(a)))
    }

    fn nothing(&mut self, names: &'a [Name], length: &Spanned<i64>) -> Option<ExprKind> {
        let found: Vec<Option<Source>> = names.iter().map(|name| self.silent(name)).collect();
        if length.node <= 0 {
            return self.world.report.error(
                id::BAD_VALUE,
                length.span,
                "silence must last longer than nothing",
            );
        }
        Some(ExprKind::Nothing(found.into_iter().collect::<Option<Vec<Source>>>()?, length.node))
    }

    fn silent(&mut self, name: &'a Name) -> Option<Source> {
        if self.world.is_stream(&name.node) {
            return self.world.find_stream(name).map(Source::Stream);
        }
        self.world.find_signal(name).map(Source::Signal)
    }

    /// A rule by name.
    pub(super) fn rule(&mut self, name: &Name) -> Option<RuleId> {
        self.world.names.find(&mut self.world.report, name, Kind::Rule).map(RuleId)
    }

    fn join(&mut self, join: &'a ast::Join, span: Span) -> Option<Expr> {
        let quantifier = join.quantifier.node;
        let allowed = if quantifier == Quantifier::Each { self.each(join.quantifier.span) } else { Some(()) };
        let slot = self.slot_names.get(join.var.node.as_str()).copied();
        let window = join.window.as_ref().map(|window| self.item_window(window));
        let filter = join.filter.as_ref().map(|tree| {
            self.apart(|scope| {
                if let Some(slot) = slot {
                    scope.bound = scope.bound.with(slot);
                }
                scope.condition(tree)
            })
        });
        let slot = allowed.and(slot)?;
        let stream: StreamId = self.slot(slot)?.stream?;
        if matches!(quantifier, Quantifier::Some | Quantifier::Each) {
            self.bound = self.bound.with(slot);
        }
        let (window, filter) = (flat(window)?, flat(filter)?);
        Some(condition(span, ExprKind::Join(Box::new(Join { quantifier, slot, stream, window, filter }))))
    }

    fn each(&mut self, span: Span) -> Option<()> {
        if !self.each_allowed {
            let message =
                "`each` stands in `when` and on every path, not under `or`, `not` or another question";
            return self
                .world
                .report
                .fail(Diagnostic::error(id::OUT_OF_PLACE, span, message).help("write `some`"));
        }
        if let Some(first) = self.each_at {
            let error =
                Diagnostic::error(id::OUT_OF_PLACE, span, "a rule makes triggers for one `each` only");
            return self
                .world
                .report
                .fail(error.related(first, "the first").help("write `some` for the other"));
        }
        self.each_at = Some(span);
        Some(())
    }

    /// A span of time for items.
    pub(super) fn item_window(&mut self, window: &Spanned<ast::ItemWindow>) -> Option<ItemWindow> {
        use WindowTree::{Now, Since, WithinLast, WithinNext};
        let dates = !matches!(&window.node.kind, Now | Since(_) | WithinLast(_) | WithinNext(_));
        let zone = match (&window.node.zone, dates) {
            (None, false) => Some(self.world.set.default_zone),
            (zone, _) => self.world.zone(zone.as_ref(), window.span),
        };
        let kind = match &window.node.kind {
            WindowTree::Today => ItemWindowKind::Today,
            WindowTree::RestOfToday => ItemWindowKind::RestOfToday,
            WindowTree::LastNight => ItemWindowKind::LastNight,
            WindowTree::ThisWeek => ItemWindowKind::ThisWeek,
            WindowTree::ThisMonth => ItemWindowKind::ThisMonth,
            WindowTree::Over(span) => ItemWindowKind::OverDays(span.days()),
            WithinLast(ms) => ItemWindowKind::WithinLast(*ms),
            WithinNext(ms) => ItemWindowKind::WithinNext(*ms),
            Since(name) => ItemWindowKind::Since(self.world.find_calendar_schedule(name, "`since`")?),
            Now => ItemWindowKind::Now,
        };
        if let ItemWindowKind::OverDays(0)
        | ItemWindowKind::WithinLast(..=0)
        | ItemWindowKind::WithinNext(..=0) = kind
        {
            let message = "the window must be longer than nothing";
            return self.world.report.error(id::BAD_VALUE, window.span, message);
        }
        Some(ItemWindow { kind, zone: zone? })
    }
}

/// An instant stands on the left of a clock time or a date, so that evaluation meets one order only.
fn order_times(op: CompareOp, a: Expr, b: Expr) -> (CompareOp, Expr, Expr) {
    if !(matches!(a.ty, Type::Clock | Type::Date) && b.ty == Type::Instant) {
        return (op, a, b);
    }
    let op = match op {
        CompareOp::Before => CompareOp::After,
        CompareOp::After => CompareOp::Before,
        other => other,
    };
    (op, b, a)
}
