//! `for`: how long a condition must hold before its rule becomes active.
//!
//! An exact length counts evidence: from a true judgement until the next, or until what it read goes stale.
//! A gap pauses; a gap longer than the length itself starts over; one known false resets.
//! A count of dates is computed anew each time, each date with its own baselines.

use super::Settle;
use crate::engine::eval::Truth;
use crate::engine::rule_set::RuleDef;
use crate::engine::state::Evidence;
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
            let stale = self.evidence_ends(rule).min(self.now);
            let Some(state) = self.state.rule_states.get_mut(place) else { continue };
            let Some(since) = state.evidence.true_since.filter(|_| stale < self.now) else { continue };
            let held = stale.0.saturating_sub(since.0).max(0);
            state.evidence.held_ms = state.evidence.held_ms.saturating_add(held);
            state.evidence.true_since = None;
            state.evidence.gap_since = Some(stale.max(since));
        }
    }

    /// When the first of the signals that a rule reads goes stale.
    fn evidence_ends(&self, rule: &RuleDef) -> Instant {
        let stale = rule.reads.current.iter().filter_map(|signal| {
            let fresh = self.rules.signals.get(signal.0 as usize)?.fresh_ms?;
            let reading = self.state.signals.get(signal.0 as usize)?.current()?;
            Some(Instant(reading.observed.0.saturating_add(fresh)))
        });
        stale.min().unwrap_or(Instant(i64::MAX))
    }
}
