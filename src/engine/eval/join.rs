//! Questions about the items of a stream: `some`, `each`, `no`, `every`.

use std::sync::Arc;

use super::known::Missing;
use super::scope::Scope;
use super::truth::Truth;
use super::window::Range;
use crate::engine::facts::Item;
use crate::engine::record::StreamId;
use crate::engine::rule_set::{Expr, ItemWindow, Join, RULES_FIRED, Slot};
use crate::engine::syntax::ast::Quantifier;
use crate::engine::time::Instant;
use crate::engine::value::Value;

impl Scope<'_> {
    /// The verdict of a question; `some` binds its earliest item, `each` collects all of its items.
    pub(super) fn join(&mut self, join: &Join) -> Result<Truth, Missing> {
        if let Some(item) = self.pinned_item(join.slot).cloned() {
            return self.join_pinned(join, &item);
        }
        let (mut any, mut all) = (Truth::False, Truth::True);
        let mut first: Option<Arc<Item>> = None;
        let mut found = Vec::new();
        for item in self.items_in(join.stream, join.window) {
            self.burn()?;
            let verdict = self.filtered(join.slot, &item, join.filter.as_ref());
            if verdict.is_true() && first.is_none() {
                first = Some(item.clone());
            }
            if join.quantifier == Quantifier::Each && verdict != Truth::False {
                found.push((item, verdict));
            }
            any = any.or(verdict);
            all = all.and(verdict);
        }
        let bound = if join.quantifier == Quantifier::Some { first } else { None };
        if let Some(place) = self.bound.get_mut(usize::from(join.slot.0)) {
            *place = bound;
        }
        if join.quantifier == Quantifier::Each {
            self.each = found;
        }
        Ok(match join.quantifier {
            Quantifier::Some | Quantifier::Each => any,
            Quantifier::No => any.negate(),
            Quantifier::Every => all,
        })
    }

    /// The question about one item that was chosen before: still there, still in the window, still so?
    fn join_pinned(&mut self, join: &Join, item: &Arc<Item>) -> Result<Truth, Missing> {
        let range = self.range_of(join.window);
        let now = self.stream(join.stream).and_then(|items| items.get(&item.id)).cloned();
        let present = now.filter(|item| item.span.is_some_and(|span| span.overlaps(range.start, range.end)));
        match present {
            Some(item) => Ok(self.filtered(join.slot, &item, join.filter.as_ref())),
            None => Ok(Truth::False),
        }
    }

    fn filtered(&mut self, slot: Slot, item: &Arc<Item>, filter: Option<&Expr>) -> Truth {
        if let Some(place) = self.bound.get_mut(usize::from(slot.0)) {
            *place = Some(item.clone());
        }
        filter.map_or(Truth::True, |filter| self.truth(filter))
    }

    /// Items of a window in the order of their starts, then ids; edges at which one enters or leaves are
    /// noted. No firing of this very instant is seen, see also `RuleSet::sees_firing`.
    pub(super) fn items_in(&mut self, stream: StreamId, window: Option<ItemWindow>) -> Vec<Arc<Item>> {
        let Some(facts) = self.stream(stream) else { return Vec::new() };
        let range = self.range_of(window);
        self.edge(range.until);
        let now = self.facts.now;
        let mut items = Vec::new();
        for item in facts.overlapping(range.start, range.end) {
            if stream == RULES_FIRED {
                let by = item.fields.first().and_then(Option::as_ref);
                if matches!(by, Some(Value::Text(rule)) if !self.rules.sees_firing(self.rule, rule)) {
                    continue;
                }
                if item.span.is_some_and(|span| span.start >= now) {
                    self.edge(Instant(now.0.saturating_add(1)));
                    continue;
                }
            }
            if let (Some(offset), Some(span)) = (range.follows.0, item.span) {
                // The range's start passes the item's last millisecond.
                let last = if span.end > span.start { span.end.0 } else { span.start.0.saturating_add(1) };
                self.edge(Instant(last.saturating_sub(offset)));
            }
            items.push(item.clone());
        }
        if let Some(offset) = range.follows.1
            && let Some(next) = facts.next_start_at_or_after(range.end)
        {
            // The range's end passes the item's start.
            self.edge(Instant(next.0.saturating_sub(offset).saturating_add(1)));
        }
        items
    }

    /// The range of a window; everything without one.
    fn range_of(&self, window: Option<ItemWindow>) -> Range {
        let everything = Range {
            start: Instant(i64::MIN),
            end: Instant(i64::MAX),
            until: Instant(i64::MAX),
            follows: (None, None),
        };
        window.map_or(everything, |window| self.range(window))
    }

    /// How many items a question looks at.
    pub fn items_of(&mut self, join: &Join) -> usize {
        self.items_in(join.stream, join.window).len()
    }

    /// Items for a text, with a filter.
    pub fn gathered(
        &mut self,
        slot: Slot,
        stream: StreamId,
        window: Option<ItemWindow>,
        filter: Option<&Expr>,
    ) -> Vec<Arc<Item>> {
        let items = self.items_in(stream, window);
        items.into_iter().filter(|item| self.filtered(slot, item, filter).is_true()).collect()
    }
}
