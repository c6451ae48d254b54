//! Resolved definitions that are not rules.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::record::{SignalId, StreamId};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{Cadence, Clock, Fold, Gap, Late, Period, StatKind, Weekday};
use crate::engine::time::Zone;
use crate::engine::value::{Currency, Type};

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

index! {
    /// Index of a rule.
    RuleId,
    /// Index of a zone.
    ZoneId,
    /// Index of a list.
    ListId,
    /// Index of a quiet window.
    QuietId,
    /// Index of a budget.
    BudgetId,
    /// Index of a schedule.
    ScheduleId,
    /// Index of a Rhai function.
    FunctionId,
    /// Index of a window over a signal.
    WindowId,
}

/// A zone by name, or where the person is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ZoneRef {
    /// A declared zone.
    Named(ZoneId),
    /// `here`: the last `zone` record, else the default.
    #[default]
    Here,
}

/// A declared zone.
#[derive(Clone, Debug)]
pub struct ZoneDef {
    /// Name in the set.
    pub name: Arc<str>,
    /// The IANA zone.
    pub zone: Zone,
    /// A local time that does not exist.
    pub gap: Gap,
    /// A local time that exists twice.
    pub fold: Fold,
}

/// A signal.
#[derive(Clone, Debug)]
pub struct SignalDef {
    /// Dotted name.
    pub name: Arc<str>,
    /// Type of its values.
    pub ty: Type,
    /// How often it comes.
    pub cadence: Cadence,
    /// Milliseconds from `observed` on during which a value counts; `None` for built-in signals.
    pub fresh_ms: Option<i64>,
    /// Smallest and largest believable value in steps, both included.
    pub range: Option<(i64, i64)>,
    /// Never sent to a model outside the machine.
    pub private: bool,
    /// True for `source.NAME`.
    pub builtin: bool,
    /// Place of the definition; of the first use for built-in signals.
    pub span: Span,
}

impl SignalDef {
    /// True when it has one value a date.
    pub fn is_dated(&self) -> bool {
        matches!(self.cadence, Cadence::Daily | Cadence::Nightly)
    }
}

/// A stream of items.
#[derive(Clone, Debug)]
pub struct StreamDef {
    /// Dotted name.
    pub name: Arc<str>,
    /// Field names and types, in declaration order.
    pub fields: Vec<(Arc<str>, Type)>,
    /// Index of the field that holds the start, and of the one that holds the end.
    pub timed: Option<(usize, Option<usize>)>,
    /// Never sent to a model outside the machine.
    pub private: bool,
    /// Place of the definition.
    pub span: Span,
}

/// A list of words and phrases.
#[derive(Clone, Debug)]
pub struct ListDef {
    /// Name in the set.
    pub name: Arc<str>,
    /// Entries as written.
    pub entries: Vec<Arc<str>>,
    /// Prepared for matching.
    pub matcher: crate::engine::text_match::Matcher,
}

/// Quiet hours.
#[derive(Clone, Debug)]
pub struct QuietDef {
    /// Name in the set.
    pub name: Arc<str>,
    /// Days (empty: every other day), first minute inside, first minute outside.
    pub windows: Vec<(Vec<Weekday>, Clock, Clock)>,
    /// Zone of the clock times.
    pub zone: ZoneRef,
    /// Place of the definition.
    pub span: Span,
}

/// A budget.
#[derive(Clone, Debug)]
pub struct BudgetDef {
    /// Name in the set; counts are kept under it.
    pub name: Arc<str>,
    /// How many a period.
    pub count: u32,
    /// The period.
    pub per: Period,
    /// Zone of the period.
    pub zone: ZoneRef,
}

/// A schedule.
#[derive(Clone, Debug)]
pub struct ScheduleDef {
    /// Name in the set.
    pub name: Arc<str>,
    /// When it runs.
    pub kind: ScheduleDefKind,
    /// Zone of the clock times.
    pub zone: ZoneRef,
    /// What happens to a missed run.
    pub late: Late,
    /// Place of the definition.
    pub span: Span,
}

/// When a schedule runs.
#[derive(Clone, Debug)]
pub enum ScheduleDefKind {
    /// By the calendar.
    Calendar(crate::engine::syntax::ast::ScheduleKind),
    /// That many milliseconds before each item of a stream starts.
    Before(i64, StreamId),
}

/// A function written in Rhai.
#[derive(Clone, Debug)]
pub struct FunctionDef {
    /// Name in the set.
    pub name: Arc<str>,
    /// Parameter names and types.
    pub params: Vec<(Arc<str>, Type)>,
    /// Type of the result.
    pub returns: Type,
    /// Path as written and the script's text.
    pub script: (Arc<str>, Arc<str>),
    /// The compiled script.
    pub compiled: crate::engine::functions::Script,
    /// Place of the definition.
    pub span: Span,
}

/// A window over a signal, shared by all expressions that name the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowDef {
    /// The signal.
    pub signal: SignalId,
    /// The statistic.
    pub kind: StatKind,
    /// Which readings.
    pub span: WindowSpan,
}

/// Which readings a window takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WindowSpan {
    /// One value a date.
    Days {
        /// How many dates.
        days: u32,
        /// True when the newest value's own date is the last of them.
        with_today: bool,
    },
    /// Every reading of so many milliseconds.
    Within(i64),
}

/// A plan, fields by name.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanDef {
    /// Name in the set.
    pub name: Arc<str>,
    /// Currency of its amounts.
    pub currency: Option<Currency>,
    /// Field words and values, in the order of the manual.
    pub fields: Vec<(&'static str, PlanValue)>,
}

/// A value of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanValue {
    /// A date.
    Date(crate::engine::time::Date),
    /// Whole years.
    Years(u32),
    /// Minor units, once or a month.
    Money(i64),
    /// Tenths of a percent.
    Percent(i64),
}
