//! A resolved rule.

use std::sync::Arc;

use super::RULES_FIRED;
use super::definition::{BudgetId, QuietId, RuleId, ScheduleId};
use super::expr::{Expr, ExprKind, ItemWindow, Slot};
use super::threshold::Threshold;
use crate::engine::record::{SignalId, StreamId};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{Length, Level, Period, Quantifier, QuietPolicy, UnknownPolicy};

/// A rule, ready to be judged.
#[derive(Clone, Debug)]
pub struct RuleDef {
    /// Identity.
    pub name: Arc<str>,
    /// Shown title; the name when none is written.
    pub title: Arc<str>,
    /// Place of the whole rule.
    pub span: Span,
    /// True with an `off` clause: never judged.
    pub off: bool,
    /// What causes it to be judged.
    pub cause: Cause,
    /// Item variables in the order of their slots: name, stream.
    pub slots: Vec<(Arc<str>, StreamId)>,
    /// `let`s, each after those it reads.
    pub lets: Vec<LetDef>,
    /// `when`, `and`, `or` lines; empty when left out.
    pub when: Vec<Line>,
    /// True when the lines of `when` are joined by `or`.
    pub when_any: bool,
    /// `unless …`
    pub unless: Option<Line>,
    /// `for …`
    pub hold: Option<(Hold, Span)>,
    /// `clear when …`
    pub clear: Option<Line>,
    /// `gather …`
    pub gather: Option<Gather>,
    /// `then …`
    pub then: Then,
    /// The variable of its `each`, if `when` has one: then each of its items is a trigger.
    pub each: Option<Slot>,
    /// `once per …`; empty when not written.
    pub once_per: Vec<Key>,
    /// `wait …`
    pub wait: Option<Length>,
    /// `expires …`
    pub expires: Option<Length>,
    /// `quiet NAME: POLICY`
    pub quiet: Vec<(QuietId, QuietPolicy)>,
    /// `unknown …`
    pub unknown: UnknownPolicy,
    /// `say …`; a rule without one says its title.
    pub say: Say,
    /// What the rule and its text read: shown name and value, in the order of first reading.
    pub facts: Vec<(Arc<str>, Expr)>,
    /// What causes a new judgement.
    pub reads: Reads,
    /// Hash of cause, condition, hold, clear, gather and key: state is kept while it is unchanged.
    pub state_hash: Arc<str>,
}

impl RuleDef {
    /// True when earlier triggers cause it to be judged.
    pub fn is_caused_by_firings(&self) -> bool {
        match self.cause {
            Cause::State => self.reads.streams.contains(&RULES_FIRED),
            Cause::Item(stream) => stream == RULES_FIRED,
            Cause::Schedule(_) => false,
        }
    }
}

/// What causes a rule to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A change of what it reads.
    State,
    /// A new item, bound to slot 0.
    Item(StreamId),
    /// A run of a schedule; for `before STREAM` schedules the item is bound to slot 0.
    Schedule(ScheduleId),
}

/// One line of a condition.
#[derive(Clone, Debug)]
pub struct Line {
    /// The condition.
    pub expr: Expr,
    /// Place of the line from its keyword on.
    pub span: Span,
    /// Its short form, if it has one.
    pub threshold: Option<Threshold>,
}

impl Line {
    /// A line over the `let`s of its rule.
    #[must_use]
    pub fn new(expr: Expr, span: Span, lets: &[LetDef]) -> Self {
        let threshold = Threshold::of(&expr, lets);
        Self { expr, span, threshold }
    }
}

/// A named value or condition.
#[derive(Clone, Debug)]
pub struct LetDef {
    /// Name.
    pub name: Arc<str>,
    /// What it stands for.
    pub expr: Expr,
}

/// How long a condition must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Milliseconds of evidence.
    Exact(i64),
    /// Consecutive dates.
    Dates(u32),
}

/// What a rule gathers.
#[derive(Clone, Debug)]
pub enum Gather {
    /// New items of the rule's stream, into one trigger at a schedule.
    Items {
        /// Most items in one trigger.
        at_most: Option<u32>,
        /// When.
        at: ScheduleId,
        /// Newest first; else oldest first.
        newest_first: bool,
    },
    /// Items for the text of a scheduled rule.
    Text {
        /// Where each item is bound.
        slot: Slot,
        /// The stream.
        stream: StreamId,
        /// Which items.
        window: Option<ItemWindow>,
        /// Which of them.
        filter: Option<Expr>,
    },
}

/// How a trigger is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Then {
    /// Level.
    pub level: Level,
    /// Budget.
    pub within: Option<BudgetId>,
    /// Schedule of a digest.
    pub at: Option<ScheduleId>,
    /// Escalation.
    pub escalate: Option<Escalate>,
}

/// A louder repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escalate {
    /// Level.
    pub level: Level,
    /// Budget.
    pub within: Option<BudgetId>,
    /// Milliseconds after delivery.
    pub after_ms: i64,
    /// Not when the person saw the message.
    pub unless_seen: bool,
}

/// A part of an identity.
#[derive(Clone, Debug)]
pub enum Key {
    /// `day` …: the date of the newest daily or nightly value that was judged, else of the instant;
    /// other periods by the instant.
    Period(Period),
    /// The id of a bound item.
    Item(Slot),
    /// Any other value, as text.
    Value(Expr),
}

/// The text.
#[derive(Clone, Debug, Default)]
pub struct Say {
    /// Main text.
    pub text: Vec<Part>,
    /// One line an item: the slot that is bound, and its parts.
    pub each: Option<(Slot, Vec<Part>)>,
    /// Printed when there is no item.
    pub otherwise: Option<Vec<Part>>,
}

/// A part of a text.
#[derive(Clone, Debug)]
pub enum Part {
    /// Plain text.
    Text(Arc<str>),
    /// A value.
    Value(Expr),
    /// The titles of the rules that made a `fired today` true.
    Fired,
}

/// What a rule reads, so that only what can change is judged again.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Signals whose current value or age is read, without repeats.
    pub current: Vec<SignalId>,
    /// Signals of which windows or dates are read, without repeats.
    pub history: Vec<SignalId>,
    /// Daily and nightly signals among both: their newest date is the rule's date.
    pub dated: Vec<SignalId>,
    /// Streams.
    pub streams: Vec<StreamId>,
    /// Signals and streams whose silence is read.
    pub silence: Vec<super::expr::Source>,
    /// Rules whose firing is read, in `when`, `unless`, `clear when` or a `let`.
    pub fired: Vec<RuleId>,
}

impl Reads {
    /// True when nothing is read but the clock and the item that the rule is about.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        let signals = self.current.is_empty() && self.history.is_empty();
        signals && self.streams.is_empty() && self.silence.is_empty() && self.fired.is_empty()
    }
}

/// The variable of an `each` in the lines of a `when`.
#[must_use]
pub fn each_slot(when: &[Line]) -> Option<Slot> {
    fn find(expr: &Expr) -> Option<Slot> {
        match &expr.kind {
            ExprKind::Join(join) if join.quantifier == Quantifier::Each => Some(join.slot),
            ExprKind::And(parts) => parts.iter().find_map(find),
            _ => None,
        }
    }
    when.iter().find_map(|line| find(&line.expr))
}
