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
    /// Verdicts of the lines of `when`, judgement after judgement.
    pub lines: Vec<Truth>,
}

/// One event. Kept to 24 bytes, since a step may judge every rule of a large set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Event {
    /// All that follows happened at this instant.
    At(Instant),
    /// A rule was judged.
    Judged {
        /// The rule.
        rule: RuleId,
        /// The verdict of its `when`.
        verdict: Truth,
        /// True from becoming active until it clears.
        active: bool,
        /// Where the verdicts of its lines begin in [`Trace::lines`]; each line of its `when` has one there.
        lines: u32,
    },
    /// A trigger was made.
    Triggered {
        /// The rule.
        rule: RuleId,
        /// Decision id.
        id: Arc<str>,
    },
    /// A gate looked at a trigger.
    Gate(Box<GateEvent>),
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

/// What a gate said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GateEvent {
    /// Decision id.
    pub id: Arc<str>,
    /// Name of the gate.
    pub gate: &'static str,
    /// Why the trigger did not pass; `None` when it passed.
    pub stopped: Option<Arc<str>>,
}

impl Trace {
    /// Empties it, keeping its room.
    pub fn clear(&mut self) {
        self.events.clear();
        self.lines.clear();
    }

    pub(super) fn push(&mut self, event: Event) {
        self.events.push(event);
    }
}
