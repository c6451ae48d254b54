//! Triggers on their way, and those that were handed over.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::rule_set::RuleId;
use crate::engine::syntax::ast::{Level, QuietPolicy};
use crate::engine::time::Instant;

/// Where a trigger comes from; at one instant they are let in in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TriggerClass {
    /// Kept until now.
    Release,
    /// A schedule ran, or an escalation came due.
    Schedule,
    /// A record or the passing of time.
    Record,
}

/// A trigger: a rule that wants to say something, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    /// The rule.
    pub rule: RuleId,
    /// Its level; a quiet window may have softened it.
    pub level: Level,
    /// Where it comes from.
    pub class: TriggerClass,
    /// Decision id: hash of rule, `per`, occurrence and number.
    pub id: Arc<str>,
    /// Key of the identity in the ledger.
    pub identity: Arc<str>,
    /// Key of the identity apart from the day: for `wait` and superseding.
    pub lineage: Arc<str>,
    /// Values of `once per`.
    pub per: Vec<Arc<str>>,
    /// The item's id, the date, the scheduled instant, or the episode's start.
    pub occurrence: Arc<str>,
    /// When it was made.
    pub made: Instant,
    /// Items that its variables stand for: slot, id.
    pub items: Vec<(u8, Arc<str>)>,
    /// Items that it gathered, in order.
    pub gathered: Vec<Arc<str>>,
    /// How late the run was that made it, in milliseconds.
    pub late: Option<i64>,
    /// The run of its rule's own schedule that it was made for.
    pub run: Option<Instant>,
    /// True for the louder repetition of a delivered trigger.
    pub escalation: bool,
    /// True once a quiet window made a note of it: it uses no budget.
    pub softened: bool,
    /// Facts of the moment.
    pub facts: Vec<(Arc<str>, Arc<str>)>,
    /// Text of the moment.
    pub text: Arc<str>,
}

impl Trigger {
    /// The decision id without the mark of an escalation.
    #[must_use]
    pub fn first_id(&self) -> &str {
        self.id.split('/').next().unwrap_or(&self.id)
    }
}

/// A trigger that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The trigger.
    pub trigger: Trigger,
    /// Until when it waits.
    pub until: Instant,
    /// When it expires.
    pub deadline: Instant,
    /// The gate that keeps it.
    pub gate: Arc<str>,
    /// What happens at the end.
    pub end: KeptEnd,
}

/// What happens at the end of the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeptEnd {
    /// Judged again; expires if no longer true.
    JudgeAgain,
    /// Goes through the gates again as it is.
    AsIs,
    /// Goes into the digest.
    Digest,
}

impl From<QuietPolicy> for KeptEnd {
    fn from(policy: QuietPolicy) -> Self {
        if policy == QuietPolicy::Keep { Self::AsIs } else { Self::JudgeAgain }
    }
}

/// A trigger that was handed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered {
    /// The trigger.
    pub trigger: Trigger,
    /// When.
    pub at: Instant,
    /// Message it was handed over in.
    pub message: Arc<str>,
    /// True once the person saw it.
    pub seen: bool,
    /// When its escalation is due.
    pub escalate_at: Option<Instant>,
}
