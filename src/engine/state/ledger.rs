//! What was spent: identities, budgets, waits. Keyed by names, never by place in a file, so that editing a
//! rule refills nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::time::Instant;

/// The fate of an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consumed {
    /// Number of the last trigger with this identity, from 1.
    pub number: u32,
    /// True while no further trigger may be made: it is kept, or was delivered, digested or suppressed.
    pub taken: bool,
    /// When that was decided, for forgetting.
    pub at: Instant,
}

/// What was spent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Identities by key.
    pub identities: BTreeMap<Arc<str>, Consumed>,
    /// The last use and how often the period around it was used, by budget name. Not the period's start:
    /// travel or an edit may move it, and must not refill the budget.
    pub budgets: BTreeMap<Arc<str>, (Instant, u32)>,
    /// Last delivery by lineage.
    pub waits: BTreeMap<Arc<str>, Instant>,
    /// Terms that the person rejected.
    pub rejected: BTreeSet<Arc<str>>,
}

impl Ledger {
    /// True while no trigger with this identity may be made.
    #[must_use]
    pub fn is_taken(&self, identity: &str) -> bool {
        self.identities.get(identity).is_some_and(|consumed| consumed.taken)
    }

    /// Takes an identity for a new trigger; its number, from 1.
    pub fn take(&mut self, identity: &Arc<str>, at: Instant) -> u32 {
        let number = self.number(identity).saturating_add(1);
        self.identities.insert(identity.clone(), Consumed { number, taken: true, at });
        number
    }

    /// Gives an identity free again.
    pub fn release(&mut self, identity: &str) {
        if let Some(consumed) = self.identities.get_mut(identity) {
            consumed.taken = false;
        }
    }

    /// Number of the last trigger with this identity; 0 before the first.
    #[must_use]
    pub fn number(&self, identity: &str) -> u32 {
        self.identities.get(identity).map_or(0, |consumed| consumed.number)
    }

    /// How much of a budget the period that started there has used by now.
    #[must_use]
    pub fn used(&self, budget: &str, period: Instant) -> u32 {
        self.budgets.get(budget).filter(|(last, _)| *last >= period).map_or(0, |(_, count)| *count)
    }

    /// Uses one of a budget.
    pub fn spend(&mut self, budget: &Arc<str>, period: Instant, now: Instant) {
        let used = self.used(budget, period).saturating_add(1);
        self.budgets.insert(budget.clone(), (now, used));
    }

    /// Returns one to a budget, if the period that started there still runs.
    pub fn refund(&mut self, budget: &str, period: Instant) {
        if let Some((last, used)) = self.budgets.get_mut(budget)
            && *last >= period
        {
            *used = used.saturating_sub(1);
        }
    }

    /// Forgets identities and waits that were decided before an instant. What they name is older than the
    /// kept history, and older records make no trigger.
    pub fn forget_before(&mut self, instant: Instant) {
        self.identities.retain(|_, consumed| consumed.at >= instant);
        self.waits.retain(|_, at| *at >= instant);
    }
}
