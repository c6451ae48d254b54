//! What the engine is told: one record, already typed against a rule set.
//!
//! Reading text into records is `records/`; nothing here parses.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::time::{Instant, Zone};
use super::value::Value;

/// Index of a signal in a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SignalId(pub u32);

/// Index of a stream in a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StreamId(pub u32);

/// One record: when it was learnt, and what it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When the engine learnt it.
    pub at: Instant,
    /// What it says.
    pub kind: RecordKind,
}

/// All that a recorded day may hold, see section 12 of the contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RecordKind {
    /// A reading of a signal.
    Reading {
        /// Which signal.
        signal: SignalId,
        /// When it was true; equals the record's `at` when not written.
        observed: Instant,
        /// The value: numbers in steps of the signal's unit.
        value: Scalar,
    },
    /// An item of a stream, new or changed.
    Item {
        /// Which stream.
        stream: StreamId,
        /// Its id.
        id: Arc<str>,
        /// When it was true, if written.
        observed: Option<Instant>,
        /// One value a declared field, in declaration order.
        fields: Arc<[Option<Field>]>,
    },
    /// An item is gone.
    Removed {
        /// Which stream.
        stream: StreamId,
        /// Its id.
        id: Arc<str>,
    },
    /// The person is now in another zone.
    Zone(Zone),
    /// The engine stopped running.
    Down,
    /// The engine runs again; without `Down` before it, nothing.
    Restart,
    /// Time passes.
    Tick,
    /// The person saw the message of this decision.
    Seen(Arc<str>),
    /// The person rated this decision.
    Feedback {
        /// Decision id.
        decision: Arc<str>,
        /// True for `useful`, false for `noise`.
        useful: bool,
    },
    /// The person missed something.
    Missed(Arc<str>),
    /// Nothing from this rule (or any, when `None`) until then.
    Snooze {
        /// Rule name.
        rule: Option<Arc<str>>,
        /// End, outside.
        until: Instant,
    },
    /// Quiet until then.
    Quiet {
        /// End, outside.
        until: Instant,
    },
    /// A hand-over failed for good.
    HandoverFailed(Arc<str>),
    /// Terms were approved.
    Approved(Arc<str>),
    /// Terms were rejected.
    Rejected(Arc<str>),
}

/// A value of a signal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scalar {
    /// Steps of the unit, milliseconds, minor units; plain numbers in millionths.
    Fixed(i64),
    /// A word or a text.
    Text(Arc<str>),
    /// A flag.
    Flag(bool),
}

/// A value of an item's field: an all-day instant is a [`Value::Date`].
pub type Field = Value;
