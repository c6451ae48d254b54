//! What a clause read: every name with its value, and why there is none.

use std::sync::Arc;

use super::{ReadValue, place, set_aside};
use crate::engine::eval::{Missing, Scope, Truth};
use crate::engine::facts::Item;
use crate::engine::record::{SignalId, StreamId};
use crate::engine::rule_set::{Cause, Expr, ExprKind, Join, RuleId, Slot, WindowId};
use crate::engine::source::{Sources, Span};
use crate::engine::state::State;
use crate::engine::syntax::ast::Quantifier;
use crate::engine::time::show_duration;
use crate::engine::value::Type;

/// Items that are named for a question about items.
const ITEMS_MAX: usize = 3;

/// Collects what an expression reads.
pub(super) struct Reader<'r, 'a> {
    scope: &'r mut Scope<'a>,
    state: &'r State,
    sources: &'r Sources,
    out: Vec<ReadValue>,
}

impl<'r, 'a> Reader<'r, 'a> {
    pub(super) fn new(scope: &'r mut Scope<'a>, state: &'r State, sources: &'r Sources) -> Self {
        Self { scope, state, sources, out: Vec::new() }
    }

    /// Names and values of everything that an expression reads, in reading order, without repeats.
    pub(super) fn values(mut self, expr: &Expr) -> Vec<ReadValue> {
        self.read(expr);
        self.out
    }

    fn read(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Signal(signal) => {
                let name = self.signal_name(*signal);
                self.value(name.clone(), expr);
                if self.state.signals.get(signal.0 as usize).is_some_and(|facts| facts.current().is_some()) {
                    let kind = ExprKind::SignalAge(*signal);
                    let age = Expr { span: Span::default(), ty: Type::Duration, kind };
                    self.value(format!("{name} age").into(), &age);
                }
                self.set_aside(*signal);
            }
            ExprKind::Let(id) => {
                let Some(definition) = self.scope.rule.lets.get(usize::from(id.0)) else { return };
                self.value(definition.name.clone(), &definition.expr);
                self.read(&definition.expr);
            }
            ExprKind::Window { window: WindowId(id), .. } => {
                self.named(expr);
                if let Some(window) = self.scope.rules.windows.get(*id as usize) {
                    self.set_aside(window.signal);
                }
            }
            ExprKind::SignalAge(_) | ExprKind::ItemAge(_) | ExprKind::Field(..) => self.named(expr),
            ExprKind::Now => self.value("now".into(), expr),
            ExprKind::Fired(rules) => rules.iter().for_each(|rule| self.fired(*rule)),
            ExprKind::Join(join) => self.items(expr, join),
            ExprKind::Script(..) => {
                self.named(expr);
                self.parts(expr);
            }
            _ => {
                if self.fails_by_itself(expr) {
                    self.named(expr);
                }
                self.parts(expr);
            }
        }
    }

    fn parts(&mut self, expr: &Expr) {
        let mut parts = Vec::new();
        expr.each_part(&mut |part| parts.push(part));
        for part in parts {
            self.read(part);
        }
    }

    /// A computed value that is missing although all that it is computed from is there.
    fn fails_by_itself(&mut self, expr: &Expr) -> bool {
        if expr.ty == Type::Flag || matches!(expr.kind, ExprKind::Const(_)) {
            return false;
        }
        let mut parts = Vec::new();
        expr.each_part(&mut |part| parts.push(part));
        self.scope.value(expr).is_err() && parts.iter().all(|part| self.scope.value(part).is_ok())
    }

    fn signal_name(&self, signal: SignalId) -> Arc<str> {
        self.scope.rules.signals.get(signal.0 as usize).map(|def| def.name.clone()).unwrap_or_default()
    }

    /// A value under its own text.
    fn named(&mut self, expr: &Expr) {
        let name = place(self.sources, expr.span).0;
        self.value(name.into(), expr);
    }

    fn value(&mut self, name: Arc<str>, expr: &Expr) {
        let value = self.scope.shown(expr);
        let is_condition = expr.ty == Type::Flag
            && !matches!(expr.kind, ExprKind::Signal(_) | ExprKind::Field(..) | ExprKind::Const(_));
        let missing = if is_condition { None } else { self.scope.value(expr).err() };
        let value = match missing.map(|missing| self.reason(expr, &missing)) {
            Some(reason) => format!("{value} ({reason})"),
            None => value,
        };
        self.say(name, value);
    }

    /// Why a value is missing, with what the reader of the rule needs to see that it is.
    fn reason(&self, expr: &Expr, missing: &Missing) -> String {
        let fresh = |signal: SignalId| self.scope.rules.signals.get(signal.0 as usize)?.fresh_ms;
        match (&expr.kind, missing, self.scope.rule.cause) {
            (ExprKind::Signal(signal), Missing::Stale, _) => match fresh(*signal) {
                Some(fresh) => format!("{missing}, fresh {}", show_duration(fresh)),
                None => missing.to_string(),
            },
            (
                ExprKind::Field(Slot(0), _) | ExprKind::ItemAge(Slot(0)),
                Missing::NoItem,
                Cause::Item(stream),
            ) => self.no_item_yet(stream),
            _ => missing.to_string(),
        }
    }

    fn say(&mut self, name: Arc<str>, value: impl Into<Arc<str>>) {
        if !self.out.iter().any(|known| known.name == name) {
            self.out.push(ReadValue { name, value: value.into() });
        }
    }

    /// The newest reading of a signal that was set aside: it may be the one that the person has in mind.
    fn set_aside(&mut self, signal: SignalId) {
        let rules = self.scope.rules;
        let newest = self.state.set_aside.iter().rev().find(|reading| reading.signal == signal);
        if let (Some(reading), Some(def)) = (newest, rules.signals.get(signal.0 as usize)) {
            let words = set_aside::words(rules, self.scope.default_zone(), def, reading);
            self.say(format!("{} set aside", def.name).into(), words);
        }
    }

    fn fired(&mut self, rule: RuleId) {
        let Some(def) = self.scope.rules.rules.get(rule.index()) else { return };
        let last = self.scope.facts.fired.get(rule.index()).copied().flatten();
        let today = last.is_some_and(|at| at >= self.scope.facts.today.1);
        self.say(def.name.clone(), if today { "fired today" } else { "not fired today" });
    }

    /// How many items a question looked at, and a few of them with what was read: first those that decide,
    /// then those that cannot be told.
    fn items(&mut self, expr: &Expr, join: &Join) {
        let bound = self.scope.bound.clone();
        let items = self.scope.gathered(join.slot, join.stream, join.window, None);
        let name = place(self.sources, expr.span).0;
        let looked_at = self.looked_at(join.stream, items.len());
        self.say(name.into(), looked_at);
        let mut judged: Vec<(Truth, Arc<Item>)> = Vec::new();
        for item in items {
            self.bind(join.slot, &item);
            let verdict = join.filter.as_ref().map_or(Truth::True, |filter| self.scope.truth(filter));
            judged.push((verdict, item));
        }
        // All must be as asked for `every`, so the one that is not decides.
        let deciding = if join.quantifier == Quantifier::Every { Truth::False } else { Truth::True };
        judged.sort_by_key(|(verdict, _)| match verdict {
            verdict if *verdict == deciding => 0,
            Truth::Unknown => 1,
            _ => 2,
        });
        judged.truncate(ITEMS_MAX);
        for (verdict, item) in judged {
            self.bind(join.slot, &item);
            self.item(join, verdict, &item);
        }
        self.scope.bound = bound;
    }

    fn looked_at(&self, stream: StreamId, count: usize) -> String {
        if count == 0
            && self.state.streams.get(stream.0 as usize).is_none_or(|items| items.newest().is_none())
        {
            return self.no_item_yet(stream);
        }
        let noun = if count == 1 { "item" } else { "items" };
        let of = if count > ITEMS_MAX { format!(", {ITEMS_MAX} of them here") } else { String::new() };
        format!("{count} {noun} in the window{of}")
    }

    fn no_item_yet(&self, stream: StreamId) -> String {
        let stream = self.scope.rules.streams.get(stream.0 as usize);
        format!("no item of `{}` yet", stream.map_or("", |stream| &*stream.name))
    }

    fn bind(&mut self, slot: Slot, item: &Arc<Item>) {
        if let Some(place) = self.scope.bound.get_mut(usize::from(slot.0)) {
            *place = Some(item.clone());
        }
    }

    fn item(&mut self, join: &Join, verdict: Truth, item: &Item) {
        let var = self.scope.rule.slots.get(usize::from(join.slot.0)).map_or("", |(var, _)| &**var);
        let Some(filter) = &join.filter else {
            self.say(format!("{var} {}", item.id).into(), "in the window");
            return;
        };
        let before = std::mem::take(&mut self.out);
        self.read(filter);
        let read = std::mem::replace(&mut self.out, before);
        let mut words = vec![verdict.word().to_owned()];
        words.extend(read.iter().map(|ReadValue { name, value }| format!("{name}: {value}")));
        self.say(format!("{var} {}", item.id).into(), words.join(", "));
    }
}
