//! A rule: clauses as written, one a line.

use super::{CalendarSpan, Expr, ItemWindow, Name};
use crate::engine::source::{Span, Spanned};

/// `rule NAME "Title"` and its clauses
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Identity.
    pub name: Name,
    /// Shown title; may change freely.
    pub title: Option<Spanned<String>>,
    /// Clauses in the order in which they were written.
    pub clauses: Vec<Clause>,
}

/// One line of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Place, from the keyword on.
    pub span: Span,
    /// What it says.
    pub kind: ClauseKind,
}

/// All clauses, in the order in which `fmt` puts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `off`
    Off,
    /// `let NAME = …`
    Let(Name, Expr),
    /// `on STREAM as x`, `on SCHEDULE [as e]`
    On(Name, Option<Name>),
    /// `when …`
    When(Expr),
    /// `and …`
    And(Expr),
    /// `or …`
    Or(Expr),
    /// `unless …`
    Unless(Expr),
    /// `for 2 days`, `for 30min`
    For(Spanned<Length>),
    /// `clear when …`
    ClearWhen(Expr),
    /// `gather …`
    Gather(Gather),
    /// `then …`
    Then(Then),
    /// `once per day`, `once per e, day`
    OncePer(Vec<Name>),
    /// `wait 6h`, `wait 2 days`
    Wait(Spanned<Length>),
    /// `expires 72h`
    Expires(Spanned<Length>),
    /// `quiet nights: drop`
    Quiet(Name, Spanned<QuietPolicy>),
    /// `unknown silent`
    Unknown(Spanned<UnknownPolicy>),
    /// `say "…" [each "…"] [else "…"]`
    Say(Say),
}

/// A length of time, either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Exact, in milliseconds.
    Exact(i64),
    /// A count of dates.
    Calendar(CalendarSpan),
}

/// What a rule gathers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gather {
    /// `gather [at most N] at SCHEDULE[, oldest first|newest first]`
    Items {
        /// Most items in one trigger.
        at_most: Option<Spanned<u32>>,
        /// The schedule at which the trigger is made.
        at: Name,
        /// Place of `newest first`; oldest first is the default.
        newest_first: Option<Span>,
    },
    /// `gather x in STREAM WINDOW [where …]`: for the text of a scheduled rule
    Text {
        /// Name that stands for the item.
        var: Name,
        /// The stream.
        stream: Name,
        /// Which items.
        window: Option<Spanned<ItemWindow>>,
        /// `where …`
        filter: Option<Expr>,
    },
}

/// `then LEVEL [within BUDGET] [at SCHEDULE][, then LEVEL [within BUDGET] after D [unless seen]]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Then {
    /// Level word.
    pub level: Spanned<Level>,
    /// Budget.
    pub within: Option<Name>,
    /// Schedule of a digest.
    pub at: Option<Name>,
    /// Escalation.
    pub escalate: Option<Escalate>,
}

/// The second half of a `then` clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escalate {
    /// Level word.
    pub level: Spanned<Level>,
    /// Budget.
    pub within: Option<Name>,
    /// How long after delivery, in milliseconds.
    pub after: Spanned<i64>,
    /// True when `unless seen` is written.
    pub unless_seen: bool,
}

/// How loudly something is said, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Waits for its schedule.
    Digest,
    /// This machine only.
    Note,
    /// A silent push.
    Tell,
    /// A push with sound.
    Ring,
}

impl Level {
    /// Its word in rules, tests and decisions.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::Note => "note",
            Self::Tell => "tell",
            Self::Ring => "ring",
        }
    }
}

/// What a quiet window does to a trigger, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum QuietPolicy {
    /// `drop`
    Drop,
    /// `keep until end, drop if no longer true` (the default)
    KeepIfTrue,
    /// `keep until end`
    Keep,
    /// `soften`: as a note, at once
    Soften,
    /// `pass`
    Pass,
}

/// What an unknown verdict does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum UnknownPolicy {
    /// Nothing (the default).
    #[default]
    Silent,
    /// Acts as if true.
    Fire,
    /// The last verdict stays.
    Keep,
}

/// `say "…" [each "…"] [else "…"]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Say {
    /// Main text.
    pub text: Template,
    /// One line an item.
    pub each: Option<Template>,
    /// Printed when there is no item.
    pub otherwise: Option<Template>,
}

/// A text with values in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Place, quotes included.
    pub span: Span,
    /// Parts in order.
    pub parts: Vec<TemplatePart>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Plain text; `{{` and `}}` are already single.
    Text(String),
    /// `{…}`
    Value(Expr),
    /// `{fired}`
    Fired(Span),
}
