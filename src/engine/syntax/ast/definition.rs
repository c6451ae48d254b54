//! Definitions that are not rules or tests.

use std::fmt;

use super::{Expr, Name};
use crate::engine::source::{Span, Spanned};
use crate::engine::value::decimal::fixed_decimal;

/// A decimal as written: `mantissa × 10^-scale`. `43.50` is (4350, 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Digits without the point, with the sign.
    pub mantissa: i64,
    /// Digits after the point.
    pub scale: u8,
}

/// As written: `43.50`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fixed_decimal(self.mantissa.into(), self.scale))
    }
}

/// `zone NAME = "IANA/Name"[, default][, gap skip|after][, fold first|second|both]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Name in the set.
    pub name: Name,
    /// IANA name.
    pub iana: Spanned<String>,
    /// Place of the word `default`.
    pub default: Option<Span>,
    /// What happens to a local time that does not exist.
    pub gap: Option<Spanned<Gap>>,
    /// What happens to a local time that exists twice.
    pub fold: Option<Spanned<Fold>>,
}

/// A local time that does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Gap {
    /// Happens at the first instant after the gap.
    #[default]
    After,
    /// Does not happen that day.
    Skip,
}

/// A local time that exists twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Fold {
    /// Happens the first time.
    #[default]
    First,
    /// Happens the second time.
    Second,
    /// Happens both times.
    Both,
}

/// `keep history 400 days`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// How long.
    pub history: Spanned<CalendarSpan>,
}

/// A count of dates: `2 days`, `3 nights`, `1 week`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CalendarSpan {
    /// How many.
    pub count: u32,
    /// Of what.
    pub unit: CalendarUnit,
}

impl CalendarSpan {
    /// The same span in days; a week has seven.
    pub fn days(self) -> u32 {
        match self.unit {
            CalendarUnit::Day | CalendarUnit::Night => self.count,
            CalendarUnit::Week => self.count.saturating_mul(7),
        }
    }
}

/// `1 day`, `3 nights`
impl fmt::Display for CalendarSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            CalendarUnit::Day => "day",
            CalendarUnit::Night => "night",
            CalendarUnit::Week => "week",
        };
        write!(f, "{} {unit}{}", self.count, if self.count == 1 { "" } else { "s" })
    }
}

/// What a calendar span counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CalendarUnit {
    /// `day`, `days`
    Day,
    /// `night`, `nights`: the same as days, for signals of the night
    Night,
    /// `week`, `weeks`
    Week,
}

/// A minute of the day, 0 to 1440 (`24:00`, only as the end of a window).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Clock(pub u16);

/// A day of the week; weeks begin on Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Weekday {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl Weekday {
    /// Its word in rules.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Mon => "Mon",
            Self::Tue => "Tue",
            Self::Wed => "Wed",
            Self::Thu => "Thu",
            Self::Fri => "Fri",
            Self::Sat => "Sat",
            Self::Sun => "Sun",
        }
    }
}

/// `quiet NAME = 23:00 to 07:00[, on Fri, Sat: 23:30 to 08:30] [in ZONE]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// Name in the set.
    pub name: Name,
    /// Windows; those with days replace the one without on those days.
    pub windows: Vec<QuietWindow>,
    /// `in ZONE`
    pub zone: Option<Name>,
}

/// One daily window; it may cross midnight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuietWindow {
    /// Days of the window's **start**; empty means every day that no other window names.
    pub days: Vec<Spanned<Weekday>>,
    /// First minute inside.
    pub from: Spanned<Clock>,
    /// First minute outside.
    pub to: Spanned<Clock>,
}

/// `budget NAME = 3 per day [in ZONE]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Name in the set; counts are kept under it.
    pub name: Name,
    /// How many a period.
    pub count: Spanned<u32>,
    /// The period.
    pub per: Period,
    /// `in ZONE`
    pub zone: Option<Name>,
}

/// A calendar period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Period {
    Hour,
    Day,
    Week,
    Month,
}

impl Period {
    /// Its word in rules.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// The period with this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        [Self::Hour, Self::Day, Self::Week, Self::Month].into_iter().find(|period| period.word() == word)
    }
}

/// `unit NAME scale N`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitDef {
    /// Name of the unit.
    pub name: Name,
    /// Decimals kept, 0 to 6.
    pub scale: Spanned<u32>,
}

/// `signal NAME UNIT CADENCE fresh D [range A to B] [private]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Dotted name.
    pub name: Name,
    /// Unit word: `duration`, a unit, a currency, `number`, `count`, `flag`, `word`, `text`.
    pub unit: Name,
    /// How often it comes.
    pub cadence: Option<Spanned<Cadence>>,
    /// How long a value counts, in milliseconds; required, so its absence is an error of the resolver.
    pub fresh: Option<Spanned<i64>>,
    /// Smallest and largest believable value, both included.
    pub range: Option<(Expr, Expr)>,
    /// Place of the word `private`.
    pub private: Option<Span>,
}

/// How often a signal comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Cadence {
    /// `sampled`: whenever
    Sampled,
    /// `hourly`
    Hourly,
    /// `daily`: one value a date
    Daily,
    /// `nightly`: one value a date, the date of waking
    Nightly,
    /// `every D`, in milliseconds
    Every(i64),
}

/// `stream NAME { field type, … } [timed A [to B]] [private]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Dotted name.
    pub name: Name,
    /// Field name and type word, in order.
    pub fields: Vec<(Name, Name)>,
    /// `timed start to end` or `timed published`
    pub timed: Option<Timed>,
    /// Place of the word `private`.
    pub private: Option<Span>,
}

/// When a stream's items are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// Field that holds the start.
    pub start: Name,
    /// Field that holds the end.
    pub end: Option<Name>,
}

/// `list NAME = "a", "b*"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// Name in the set.
    pub name: Name,
    /// Entries; one that ends in `*` matches any ending.
    pub entries: Vec<Spanned<String>>,
}

/// `schedule NAME = KIND [in ZONE][, late …]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Name in the set.
    pub name: Name,
    /// When it runs.
    pub kind: Spanned<ScheduleKind>,
    /// `in ZONE`
    pub zone: Option<Name>,
    /// What happens to a missed run; `late skip` when not written.
    pub late: Option<Spanned<Late>>,
}

/// When a schedule runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleKind {
    /// `daily at 07:30, 19:30`
    Daily(Vec<Spanned<Clock>>),
    /// `on Sun, Wed at 18:00`
    Weekly(Vec<Spanned<Weekday>>, Vec<Spanned<Clock>>),
    /// `monthly on 30 at 09:00`; a month without that day runs on its last
    Monthly(Spanned<u32>, Vec<Spanned<Clock>>),
    /// `every 1h`, in milliseconds, aligned to 00:00 of the zone
    Every(Spanned<i64>),
    /// `30min before calendar.event`, in milliseconds
    Before(Spanned<i64>, Name),
}

/// What happens to a missed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Late {
    /// `late until 11:00`
    Until(Clock),
    /// `late 20min`, in milliseconds
    Within(i64),
    /// `late skip`
    Skip,
}

/// `function NAME (a ms, b bpm) -> number from "lib/f.rhai"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name in the set.
    pub name: Name,
    /// Parameter name and type word.
    pub params: Vec<(Name, Name)>,
    /// Type word of the result.
    pub returns: Name,
    /// Path of the script, relative to the rules folder.
    pub from: Spanned<String>,
}

/// `table NAME in CURRENCY on STREAM [first match]` and its rows
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name in the set.
    pub name: Name,
    /// Currency of the amounts.
    pub currency: Name,
    /// Stream of requests it judges.
    pub stream: Name,
    /// Place of `first match`.
    pub first_match: Option<Span>,
    /// Heads of the columns, in order; `today after` is one head.
    pub columns: Vec<Name>,
    /// Rows, each with as many cells as it was written with.
    pub rows: Vec<TableRow>,
}

/// One row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// Place of the row.
    pub span: Span,
    /// Cells between the bars.
    pub cells: Vec<Spanned<Cell>>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// `any`
    Any,
    /// `to 0.25`, inclusive
    To(Decimal),
    /// `0.10 to 0.25`, both inclusive
    Range(Decimal, Decimal),
    /// Anything else: one or several words
    Words(String),
}

/// `plan NAME` and its fields
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Name in the set.
    pub name: Name,
    /// Field words (`retire at` is one name) and what follows on the line.
    pub fields: Vec<PlanField>,
}

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanField {
    /// Field words.
    pub name: Name,
    /// Value, or a bare word such as a currency (as a path).
    pub value: Expr,
    /// `per month`
    pub per: Option<Spanned<Period>>,
}
