//! From a true verdict to a trigger: identity, text and facts of the moment.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Settle;
use super::judge::{evaluate, newest_date};
use crate::engine::eval::{Scope, render_facts, render_say};
use crate::engine::facts::Item;
use crate::engine::rule_set::{Gather, Key, RuleDef, RuleId, Slot};
use crate::engine::state::{Trigger, TriggerClass};
use crate::engine::syntax::ast::Period;
use crate::engine::time::{Instant, format_instant, period_of};

/// Hex digits of a decision id.
const ID_DIGITS: usize = 16;

/// Parts of a key are joined by this, which no name or id may hold.
const JOINER: char = '\u{1f}';
/// Marks a joiner, or itself, inside a part: texts from outside may hold anything.
const ESCAPE: char = '\u{1e}';

/// A trigger in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// Variables that stand for one item.
    pub(super) pins: Vec<(Slot, Arc<Item>)>,
    /// Values of `once per`.
    pub(super) per: Vec<Arc<str>>,
    /// `per` without what belongs to the calendar.
    pub(super) lasting: Vec<Arc<str>>,
    /// Item, date, scheduled instant or episode.
    pub(super) occurrence: Option<Arc<str>>,
    /// Items gathered by `gather … at`.
    pub(super) gathered: Option<Vec<Arc<Item>>>,
    /// True when the text collects items with `gather x in`.
    pub(super) gathers_text: bool,
    /// How late the run was.
    pub(super) late: Option<i64>,
    /// The run of the rule's own schedule that it is judged for.
    pub(super) run: Option<Instant>,
    pub(super) identity: Arc<str>,
    pub(super) facts: Vec<(Arc<str>, Arc<str>)>,
    pub(super) text: Arc<str>,
    /// Items that variables stand for, by id.
    pub(super) items: Vec<(u8, Arc<str>)>,
}

impl Settle<'_> {
    /// Completes a draft; `None` when its identity is taken.
    pub(super) fn draft(
        &self,
        rule: &RuleDef,
        start: &Draft,
        identify: impl Fn(&Self, &mut Scope<'_>, &mut Draft),
    ) -> Option<Draft> {
        let facts = self.facts();
        if is_keyed_by_pins(rule, &start.pins) {
            // Whether it is taken is known without looking at the condition again.
            let mut draft = start.clone();
            identify(self, &mut self.pinned_scope(rule, &facts, &draft), &mut draft);
            let identity = key_of(rule, draft.per.iter().chain(&draft.occurrence));
            if self.state.ledger.is_taken(&identity) {
                return None;
            }
        }
        let mut draft = start.clone();
        let mut scope = self.told_scope(rule, &facts, &draft);
        identify(self, &mut scope, &mut draft);
        draft.identity = key_of(rule, draft.per.iter().chain(&draft.occurrence));
        if self.state.ledger.is_taken(&draft.identity) {
            return None;
        }
        self.tell(&mut scope, &mut draft);
        Some(draft)
    }

    /// Text, facts and bound items of the moment.
    pub(super) fn tell(&self, scope: &mut Scope<'_>, draft: &mut Draft) {
        let bound = scope.bound.iter().zip(0_u8..);
        draft.items =
            bound.filter_map(|(item, slot)| item.as_ref().map(|item| (slot, item.id.clone()))).collect();
        draft.facts = render_facts(scope);
        let items = match (&draft.gathered, &scope.rule.gather) {
            (Some(items), _) => Some(items.clone()),
            (None, Some(Gather::Text { slot, stream, window, filter })) if draft.gathers_text => {
                Some(scope.gathered(*slot, *stream, *window, filter.as_ref()))
            }
            _ => None,
        };
        draft.text = if scope.rule.say.text.is_empty() && scope.rule.say.each.is_none() {
            scope.rule.title.clone()
        } else {
            render_say(scope, items.as_deref()).into()
        };
    }

    /// A scope in which `when` was judged, so that its items are bound and its firings known.
    pub(super) fn told_scope<'s>(
        &'s self,
        rule: &'s RuleDef,
        facts: &'s crate::engine::eval::Facts<'s>,
        draft: &Draft,
    ) -> Scope<'s> {
        let mut scope = self.pinned_scope(rule, facts, draft);
        if draft.gathered.is_none() {
            let _ = evaluate(&mut scope, rule, |_| {});
        }
        scope
    }

    fn pinned_scope<'s>(
        &'s self,
        rule: &'s RuleDef,
        facts: &'s crate::engine::eval::Facts<'s>,
        draft: &Draft,
    ) -> Scope<'s> {
        let mut scope = Scope::new(self.rules, rule, facts);
        for (slot, item) in &draft.pins {
            scope.pin(*slot, item.clone());
        }
        scope.run = draft.run;
        scope
    }

    /// Identity of a rule that is true or not: `once per`, else the episode.
    pub(super) fn state_identity(
        &self,
        id: RuleId,
        scope: &mut Scope<'_>,
        draft: &mut Draft,
        item: Option<&Arc<Item>>,
    ) {
        let state = self.state.rule_states.get(id.index());
        let episode = match item {
            Some(item) => state.and_then(|state| state.episodes.get(&item.id).copied()),
            None => state.and_then(|state| state.active),
        };
        draft.occurrence = Some(self.instant_text(episode.unwrap_or(self.now)));
        if let Some(item) = item
            && !scope.rule.once_per.iter().any(|key| matches!(key, Key::Item(_)))
        {
            draft.per.push(item.id.clone());
            draft.lasting.push(item.id.clone());
        }
        self.keyed_identity(scope, draft);
    }

    /// Adds the values of `once per`, if the rule has any; then they, not the occurrence, tell triggers
    /// apart.
    pub(super) fn keyed_identity(&self, scope: &mut Scope<'_>, draft: &mut Draft) {
        if draft.lasting.is_empty() {
            draft.lasting.clone_from(&draft.per);
        }
        let rule = scope.rule;
        if rule.once_per.is_empty() {
            if matches!(rule.cause, crate::engine::rule_set::Cause::Item(_)) && draft.gathered.is_none() {
                draft.lasting.extend(draft.occurrence.clone());
            }
            return;
        }
        let mut date = None;
        for key in &rule.once_per {
            let (text, lasts) = match key {
                Key::Period(period) => (self.period_text(scope, *period), false),
                Key::Item(slot) => {
                    (scope.item(*slot).map_or_else(|| "unknown".into(), |item| item.id.clone()), true)
                }
                Key::Value(expr) => (Arc::from(scope.shown(expr)), true),
            };
            if !lasts && date.is_none() {
                date = Some(text.clone());
            }
            if lasts {
                draft.lasting.push(text.clone());
            }
            draft.per.push(text);
        }
        draft.occurrence = date.or_else(|| draft.per.first().cloned());
    }

    /// `day`: the date of the newest daily or nightly value that was judged, else of the instant.
    fn period_text(&self, scope: &Scope<'_>, period: Period) -> Arc<str> {
        let zone = self.state.zone(self.rules, self.rules.default_zone);
        let start = || period_of(zone, self.now, period).0;
        match period {
            Period::Day => newest_date(scope).unwrap_or(self.today.0).to_string().into(),
            // With its offset: an hour that exists twice is two hours.
            Period::Hour => format_instant(zone, start()).into(),
            Period::Week => zone.date(start()).to_string().into(),
            Period::Month => zone.date(start()).to_string().chars().take(7).collect::<String>().into(),
        }
    }

    pub(super) fn instant_text(&self, at: Instant) -> Arc<str> {
        format_instant(self.state.zone(self.rules, self.rules.default_zone), at).into()
    }

    /// Takes the identity and lets the trigger wait for the gates.
    pub(super) fn commit(&mut self, id: RuleId, draft: Option<Draft>, class: TriggerClass) {
        let Some(draft) = draft else { return };
        let Some(rule) = self.rule_def(id) else { return };
        let number = self.state.ledger.take(&draft.identity, self.now);
        let lineage = key_of(rule, draft.lasting.iter());
        let trigger = Trigger {
            rule: id,
            level: rule.then.level,
            class,
            id: decision_id(&draft.identity, number),
            identity: draft.identity,
            lineage,
            per: draft.per,
            occurrence: draft.occurrence.unwrap_or_default(),
            made: self.now,
            items: draft.items,
            gathered: draft.gathered.iter().flatten().map(|item| item.id.clone()).collect(),
            late: draft.late,
            run: draft.run,
            escalation: false,
            softened: false,
            facts: draft.facts,
            text: draft.text,
        };
        self.fired(&trigger);
        let deadline = self.own_deadline(rule, trigger.made);
        self.candidates.push((trigger, deadline));
    }

    /// A trigger was made: `fired today` is true from now on.
    fn fired(&mut self, trigger: &Trigger) {
        self.out
            .trace
            .push(crate::engine::trace::Event::Triggered { rule: trigger.rule, id: trigger.id.clone() });
        if let Some(fired) = self.state.fired.get_mut(trigger.rule.index()) {
            *fired = Some(self.now);
        }
        let readers = self.rules.index.fired.get(trigger.rule.index()).map_or(&[][..], Vec::as_slice);
        self.mark(readers);
    }
}

/// A rule's name and these values as one text, different for different values.
fn key_of<'k>(rule: &RuleDef, parts: impl Iterator<Item = &'k Arc<str>>) -> Arc<str> {
    let mut key = rule.name.to_string();
    for part in parts {
        key.push(JOINER);
        for letter in part.chars() {
            if letter == JOINER || letter == ESCAPE {
                key.push(ESCAPE);
                key.push(if letter == JOINER { '1' } else { '0' });
            } else {
                key.push(letter);
            }
        }
    }
    key.into()
}

/// True when `once per` asks for no item but those that are pinned.
fn is_keyed_by_pins(rule: &RuleDef, pins: &[(Slot, Arc<Item>)]) -> bool {
    rule.once_per.iter().all(|key| match key {
        Key::Period(_) => true,
        Key::Item(slot) => pins.iter().any(|(pinned, _)| pinned == slot),
        Key::Value(_) => false,
    })
}

/// The first digits of SHA-256 over identity and number: of rule, `per`, occurrence and `#n`, never of time
/// or rule set.
fn decision_id(identity: &str, number: u32) -> Arc<str> {
    let digest = Sha256::digest(format!("{identity}#{number}"));
    let mut id = String::with_capacity(ID_DIGITS);
    for byte in digest.iter().take(ID_DIGITS / 2) {
        id.push_str(&format!("{byte:02x}"));
    }
    id.into()
}
