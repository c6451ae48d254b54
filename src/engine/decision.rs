//! What the engine says: one line a trigger, in the shape of section 12 of the contract.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::syntax::ast::{Level, Outcome};
use super::time::Instant;

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Line {
    /// What became of a trigger.
    Decision(Box<Decision>),
    /// A run of a schedule that did not happen.
    Missed {
        /// The scheduled instant.
        at: Instant,
        /// Name of the schedule.
        schedule: Arc<str>,
    },
}

impl Line {
    /// When it was said.
    pub fn at(&self) -> Instant {
        match self {
            Self::Decision(decision) => decision.at,
            Self::Missed { at, .. } => *at,
        }
    }
}

/// What became of a trigger, so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// When it was decided.
    pub at: Instant,
    /// Rule name.
    pub rule: Arc<str>,
    /// Values of `once per`, as text: ids, dates.
    pub per: Vec<Arc<str>>,
    /// The item's id, the date, the scheduled instant, or the episode's start.
    pub occurrence: Arc<str>,
    /// What became of it.
    pub outcome: Outcome,
    /// At which level.
    pub level: Level,
    /// The gate that stopped it.
    pub gate: Option<Arc<str>>,
    /// Why, in words.
    pub reason: Option<Arc<str>>,
    /// Until when it is kept.
    pub until: Option<Instant>,
    /// Id of the message it was handed over in.
    pub message: Option<Arc<str>>,
    /// Name and shown value of what was read, in the order of reading.
    pub facts: Vec<(Arc<str>, Arc<str>)>,
    /// The text.
    pub text: Arc<str>,
    /// Hash of rule, `per`, occurrence and `#n`.
    pub id: Arc<str>,
    /// How late a catch-up run was, in milliseconds.
    pub late: Option<i64>,
}
