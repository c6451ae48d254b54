//! `test` blocks: what is given, what is expected.

use std::fmt;

use super::{Cadence, Clock, DateLit, Expr, Level, Name};
use crate::engine::source::{Span, Spanned};

/// `test NAME "title"` and its lines
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The rule under test, or a free name.
    pub name: Name,
    /// What it shows.
    pub title: Option<Spanned<String>>,
    /// Lines in order.
    pub lines: Vec<TestLine>,
}

/// One line of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestLine {
    /// Place, from the keyword on.
    pub span: Span,
    /// What it says.
    pub kind: TestLineKind,
}

/// A local time as written, in the test's zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalTime {
    /// Date.
    pub date: DateLit,
    /// Seconds of the day.
    pub second: u32,
}

/// `2026-03-16 09:00`; seconds only when there are any.
impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute, second) = (self.second / 3600, self.second / 60 % 60, self.second % 60);
        write!(f, "{} {hour:02}:{minute:02}", self.date)?;
        if second == 0 { Ok(()) } else { write!(f, ":{second:02}") }
    }
}

/// All lines of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestLineKind {
    /// `zone "America/Toronto"`: the zone in which the test's times are read
    Zone(Spanned<String>),
    /// `given health.asleep nightly at 07:00 from 2026-09-12: 7h x14, missing, 5h10m`
    Series {
        /// The signal.
        signal: Name,
        /// `nightly`, `daily`, `hourly`, `every D`: the step between values.
        cadence: Spanned<Cadence>,
        /// `at 07:00`; the default is 00:00.
        at: Option<Spanned<Clock>>,
        /// Date of the first value.
        from: Spanned<DateLit>,
        /// Values with their repeats; `None` is `missing`.
        values: Vec<(Option<Expr>, u32)>,
    },
    /// `given health.hrv 31.5ms at 2026-09-26 07:00 [observed 2026-09-26 06:40]`
    Reading {
        /// The signal.
        signal: Name,
        /// The value.
        value: Expr,
        /// When it was learnt.
        at: Spanned<LocalTime>,
        /// When it was true.
        observed: Option<Spanned<LocalTime>>,
    },
    /// `given calendar.event "e1" title "Final exam" start … end … [at …]`
    Item {
        /// The stream.
        stream: Name,
        /// Its id.
        id: Spanned<String>,
        /// Field and value.
        fields: Vec<(Name, Expr)>,
        /// When it was learnt; the test's start when absent.
        at: Option<Spanned<LocalTime>>,
        /// True for `given calendar.event "e1" removed at …`.
        removed: bool,
    },
    /// `given zone "Asia/Tokyo" at …`: travel
    Travel(Spanned<String>, Spanned<LocalTime>),
    /// `given down from … to …`
    Down(Spanned<LocalTime>, Spanned<LocalTime>),
    /// `given restart at …`
    Restart(Spanned<LocalTime>),
    /// `given seen RULE at …`: the person saw that rule's last message
    Seen(Name, Spanned<LocalTime>),
    /// `given handover RULE failed at …`
    HandoverFailed(Name, Spanned<LocalTime>),
    /// `given rejected RULE at …`
    Rejected(Name, Spanned<LocalTime>),
    /// `given snooze RULE|all at … until …`; `None` is all
    Snooze(Option<Name>, Spanned<LocalTime>, Spanned<LocalTime>),
    /// `given quiet at … until …`
    Quiet(Spanned<LocalTime>, Spanned<LocalTime>),
    /// `expect T RULE [LEVEL] OUTCOME [by GATE] [per "…"]`
    Expect(Box<Expect>),
    /// `expect nothing else`
    NothingElse,
}

/// One expected line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// When.
    pub at: Spanned<LocalTime>,
    /// Which rule.
    pub rule: Name,
    /// At which level, if it matters.
    pub level: Option<Spanned<Level>>,
    /// With which outcome.
    pub outcome: Spanned<Outcome>,
    /// Stopped by which gate, if it matters.
    pub gate: Option<Name>,
    /// For which values of `once per`, if it matters.
    pub per: Vec<Spanned<String>>,
    /// The whole text, if it matters (`says "…"`).
    pub says: Option<Spanned<String>>,
    /// Place of the whole line.
    pub span: Span,
}

/// What became of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Handed to the outbox.
    Delivered,
    /// Held for now; a later line with the same id says what became of it.
    Kept,
    /// Went into a digest.
    Digested,
    /// Stopped by a gate.
    Suppressed,
    /// Came too late, or is no longer true.
    Expired,
}

impl Outcome {
    /// Its word in tests and decisions.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Kept => "kept",
            Self::Digested => "digested",
            Self::Suppressed => "suppressed",
            Self::Expired => "expired",
        }
    }
}
