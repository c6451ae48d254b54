//! Gates between a trigger and its delivery: one file each, in one order, written here once.
//!
//! A gate reads and never changes anything. The first that does not pass decides; each verdict has a reason.

mod budget;
mod expired;
mod inhibited;
mod level;
mod quiet;
mod rejected;
mod repeat;
mod snoozed;

pub(super) use budget::{budget_of, period_start};

use super::rule_set::{RuleDef, RuleSet};
use super::state::{KeptEnd, State, Trigger};
use super::time::Instant;

/// What a gate sees.
#[derive(Debug)]
pub struct GateInput<'a> {
    /// The set.
    pub rules: &'a RuleSet,
    /// The trigger's rule.
    pub rule: &'a RuleDef,
    /// The engine's memory.
    pub state: &'a State,
    /// The trigger.
    pub trigger: &'a Trigger,
    /// The instant.
    pub now: Instant,
    /// When the trigger expires.
    pub deadline: Instant,
    /// True when the rule's `unless` is known true; only then does it inhibit.
    pub inhibited: bool,
}

/// What a gate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// Go on.
    Pass,
    /// Go on as a note that uses no budget.
    Soften,
    /// Over: too late.
    Expire(String),
    /// Over: stopped.
    Suppress(String),
    /// Wait.
    Keep {
        /// Until when.
        until: Instant,
        /// What happens then.
        end: KeptEnd,
        /// Why.
        reason: String,
    },
}

/// A gate.
#[derive(Debug)]
pub struct Gate {
    /// Its word in decisions, tests and the manual.
    pub name: &'static str,
    /// What it stops, in one sentence.
    pub summary: &'static str,
    /// Looks at a trigger.
    pub judge: fn(&GateInput<'_>) -> GateVerdict,
}

/// All gates, in the one order.
pub const ORDER: &[Gate] = &[
    expired::GATE,
    repeat::GATE,
    inhibited::GATE,
    rejected::GATE,
    snoozed::GATE,
    quiet::GATE,
    budget::GATE,
    level::GATE,
];

/// Gates that a digest goes through once more at its schedule: others may have been handed over meanwhile.
pub const AT_DIGEST: &[Gate] = &[repeat::GATE, budget::GATE];

/// Words that stand in a decision's `gate` and are no gate of [`ORDER`]: what they mean.
pub const OTHER_WORDS: &[(&str, &str)] = &[
    ("superseded", "a newer kept trigger of the same rule and identity took its place"),
    ("handover", "no channel could deliver it"),
];
