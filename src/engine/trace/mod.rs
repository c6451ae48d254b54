//! What happened in a step, as flat data: always made, never prose.
//!
//! Events are numbered by their place. Those of a judgement follow it, those of a trigger carry its id.
//! Whoever wants sentences makes them; nothing here is for people.

use std::sync::Arc;

use serde::Serialize;

use super::eval::Truth;
use super::record::SignalId;
use super::rule_set::RuleId;
use super::time::Instant;

/// The trace of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Events in the order in which they happened.
    pub events: Vec<Event>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Event {
    /// All that follows happened at this instant.
    At(Instant),
    /// A rule was judged; its lines follow.
    Judged {
        /// The rule.
        rule: RuleId,
        /// The verdict of its `when`.
        verdict: Truth,
        /// True from becoming active until it clears.
        active: bool,
    },
    /// The verdict of one line of the `when` of the judgement before.
    Line {
        /// Position of the line in the rule's `when`.
        line: u16,
        /// Its verdict.
        verdict: Truth,
    },
    /// A trigger was made.
    Triggered {
        /// The rule.
        rule: RuleId,
        /// Decision id.
        id: Arc<str>,
    },
    /// A gate looked at a trigger.
    Gate {
        /// Decision id.
        id: Arc<str>,
        /// Name of the gate.
        gate: &'static str,
        /// Why it did not pass; `None` when it passed.
        stopped: Option<Arc<str>>,
    },
    /// A reading was set aside.
    SetAside {
        /// The signal.
        signal: SignalId,
        /// Why.
        reason: &'static str,
    },
    /// A run of a schedule was missed.
    Missed {
        /// Position of the schedule in the set.
        schedule: u32,
        /// When it should have been.
        at: Instant,
    },
}

impl Trace {
    pub(super) fn push(&mut self, event: Event) {
        self.events.push(event);
    }
}
