//! `for`: how long a condition must hold before its rule becomes active.
//!
//! An exact length counts evidence: from a true judgement until the next, or until what it read goes stale.
//! A gap pauses; a gap longer than the length itself starts over; one known false resets.
//! A count of dates is computed anew each time, each date with its own baselines.

use super::Settle;
use super::judge::evaluate;
use crate::engine::eval::{Facts, Scope, Truth};
use crate::engine::rule_set::RuleDef;
use crate::engine::state::Evidence;
use crate::engine::syntax::ast::UnknownPolicy;
use crate::engine::time::Instant;

/// What the evidence says.
pub(super) struct Held {
    /// True when it suffices.
    pub(super) enough: bool,
    /// When it will suffice if nothing changes.
    pub(super) matures: Option<Instant>,
}

/// Adds a judgement to the evidence.
///
/// Evidence is half-open: it covers the time from a reading up to the instant at which it goes stale. If that
/// completes the length, the condition held for all of it, so the rule becomes active at that very instant
/// although nothing is known from it on. One known false there resets all the same.
pub(super) fn weigh(evidence: &mut Evidence, verdict: Truth, now: Instant, length: i64) -> Held {
    let before = evidence.held_ms;
    if let Some(since) = evidence.true_since.take() {
        evidence.held_ms = evidence.held_ms.saturating_add(now.0.saturating_sub(since.0).max(0));
        evidence.gap_since = Some(now);
    }
    match verdict {
        Truth::False => *evidence = Evidence::default(),
        Truth::Unknown => {}
        Truth::True => {
            if evidence.gap_since.take().is_some_and(|gap| now.0.saturating_sub(gap.0) > length) {
                evidence.held_ms = 0;
            }
            evidence.true_since = Some(now);
        }
    }
    let enough = evidence.held_ms >= length;
    let rest = length.saturating_sub(evidence.held_ms);
    let matures = (verdict.is_true() && !enough).then(|| Instant(now.0.saturating_add(rest)));
    let completed = verdict == Truth::Unknown && before < length;
    Held { enough: enough && (verdict.is_true() || completed), matures }
}

impl Settle<'_> {
    /// While the engine was down, evidence counted only until what it rests on went stale.
    pub(super) fn credit_evidence_over_downtime(&mut self) {
        for (place, rule) in self.rules.rules.iter().enumerate() {
            let running = self.state.rule_states.get(place).and_then(|state| state.evidence.true_since);
            let Some(since) = running else { continue };
            let Some(end) = self.evidence_ends(rule, since) else { continue };
            let Some(state) = self.state.rule_states.get_mut(place) else { continue };
            let held = end.0.saturating_sub(since.0);
            state.evidence.held_ms = state.evidence.held_ms.saturating_add(held);
            state.evidence.true_since = None;
            state.evidence.gap_since = Some(end);
        }
    }

    /// The first instant before now at which a value went stale and the rule was no longer true without it.
    fn evidence_ends(&self, rule: &RuleDef, since: Instant) -> Option<Instant> {
        let stale = rule.reads.current.iter().filter_map(|signal| {
            let fresh = self.rules.signals.get(signal.0 as usize)?.fresh_ms?;
            let reading = self.state.signals.get(signal.0 as usize)?.current()?;
            Some(Instant(reading.observed.0.saturating_add(fresh)))
        });
        let mut edges: Vec<Instant> = stale.filter(|at| since < *at && *at < self.now).collect();
        edges.sort_unstable();
        edges.into_iter().find(|at| !self.stands_at(rule, *at))
    }

    /// True when the rule, true so far, still is at an instant of the time down.
    fn stands_at(&self, rule: &RuleDef, at: Instant) -> bool {
        let zone = self.state.zone(self.rules, self.rules.default_zone);
        let today = zone.day_of(at);
        let facts = Facts { now: at, today: (today.date, today.start, today.end), ..self.facts() };
        let mut scope = Scope::new(self.rules, rule, &facts);
        match evaluate(&mut scope, rule, |_| {}).verdict {
            Truth::True => true,
            Truth::Unknown => rule.unknown != UnknownPolicy::Silent,
            Truth::False => false,
        }
    }
}
