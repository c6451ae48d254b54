//! Values and conditions. One kind of node for both, since a parenthesis may open either; the resolver
//! tells them apart by type.

use std::fmt;

use super::{CalendarSpan, Clock, Decimal, Name};
use crate::engine::source::{Span, Spanned};

/// An expression with its place (trailing blanks left out).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Place.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

impl Expr {
    /// Calls `see` with each direct part, in written order.
    pub fn each_part<'e>(&'e self, see: &mut dyn FnMut(&'e Self)) {
        match &self.kind {
            ExprKind::Set(list)
            | ExprKind::And(list)
            | ExprKind::Or(list)
            | ExprKind::AtLeast(_, list)
            | ExprKind::Call(_, list) => list.iter().for_each(see),
            ExprKind::Age(a) | ExprKind::Group(a) | ExprKind::Not(a) | ExprKind::IsMissing(a) => see(a),
            ExprKind::Compare(_, a, b)
            | ExprKind::Arith(_, a, b)
            | ExprKind::Has(a, b)
            | ExprKind::In(a, b)
            | ExprKind::PercentOf(a, b)
            | ExprKind::AsPercentOf(a, b)
            | ExprKind::Larger(a, b)
            | ExprKind::Smaller(a, b) => [a, b].into_iter().for_each(|part| see(part)),
            ExprKind::Between(a, b, c) => [a, b, c].into_iter().for_each(|part| see(part)),
            ExprKind::Stat(stat) => stat.otherwise.iter().for_each(see),
            ExprKind::Join(join) => join.filter.iter().for_each(see),
            ExprKind::Number(_)
            | ExprKind::Quantity(..)
            | ExprKind::Duration(_)
            | ExprKind::Span(_)
            | ExprKind::Instant(..)
            | ExprKind::Date(_)
            | ExprKind::Clock(_)
            | ExprKind::Text(_)
            | ExprKind::Flag(_)
            | ExprKind::Path(_)
            | ExprKind::Now
            | ExprKind::Nothing(..)
            | ExprKind::Fired(_) => {}
        }
    }

    /// Calls `see` with the expression and everything in it, parents first, in written order.
    pub fn walk<'e>(&'e self, see: &mut dyn FnMut(&'e Self)) {
        see(self);
        self.each_part(&mut |part| part.walk(see));
    }
}

/// A calendar date as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateLit {
    /// Year.
    pub year: i32,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31, valid for the month.
    pub day: u8,
}

/// `2026-03-16`
impl fmt::Display for DateLit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// All forms of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// `3`, `0.8`
    Number(Decimal),
    /// `56bpm`, `8000 steps`, `12.50 EUR`, `97%`; the unit may also be a currency
    Quantity(Decimal, Name),
    /// `1h30m`, in milliseconds
    Duration(i64),
    /// `2 days`; only where a calendar span may stand
    Span(CalendarSpan),
    /// `2026-03-16 09:00`, seconds of the day
    Instant(DateLit, u32),
    /// `2026-03-16`
    Date(DateLit),
    /// `09:00`
    Clock(Clock),
    /// `"…"` (escapes resolved)
    Text(String),
    /// `true`, `false`
    Flag(bool),
    /// `{"8-K", open}`
    Set(Vec<Expr>),
    /// A name: `usual`, `health.hrv`, `e.title`, or a bare word
    Path(String),
    /// `now`
    Now,
    /// `X age`
    Age(Box<Expr>),
    /// `( … )`
    Group(Box<Expr>),
    /// `not …`
    Not(Box<Expr>),
    /// `a and b and c`
    And(Vec<Expr>),
    /// `a or b or c`
    Or(Vec<Expr>),
    /// `a < b`, `a before b`
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `a has b`: the right side is a text or a list's name
    Has(Box<Expr>, Box<Expr>),
    /// `a in {…}`: the right side is a set or a list's name
    In(Box<Expr>, Box<Expr>),
    /// `a in low to high`, both ends included
    Between(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a is missing`
    IsMissing(Box<Expr>),
    /// `a + b`
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    /// `80% of x`
    PercentOf(Box<Expr>, Box<Expr>),
    /// `x as % of y`
    AsPercentOf(Box<Expr>, Box<Expr>),
    /// `larger of a and b`
    Larger(Box<Expr>, Box<Expr>),
    /// `smaller of a and b`
    Smaller(Box<Expr>, Box<Expr>),
    /// `at least 2 of (a, b, c)`
    AtLeast(Spanned<u32>, Vec<Expr>),
    /// `strain(a, b)`
    Call(Name, Vec<Expr>),
    /// `median of health.hrv over 14 days, needs 3, else 7h`
    Stat(Box<Stat>),
    /// `nothing from a, b for 12h`
    Nothing(Vec<Name>, Spanned<i64>),
    /// `a fired today`, `any of a, b fired today`
    Fired(Vec<Name>),
    /// `some e in calendar.event rest of today where …`
    Join(Box<Join>),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum CompareOp {
    /// `<`
    Less,
    /// `<=`
    LessEq,
    /// `>`
    Greater,
    /// `>=`
    GreaterEq,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `before`: `<` on instants, dates and clock times
    Before,
    /// `after`: `>` on instants, dates and clock times
    After,
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ArithOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

/// A statistic over a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Which, with its place.
    pub kind: Spanned<StatKind>,
    /// The signal.
    pub signal: Name,
    /// Over which readings.
    pub window: Spanned<StatWindow>,
    /// Place of `with today`.
    pub with_today: Option<Span>,
    /// `needs K`
    pub needs: Option<Spanned<u32>>,
    /// `else V`
    pub otherwise: Option<Expr>,
}

/// The statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum StatKind {
    /// Of an even count, the mean of the middle two.
    Median,
    /// Arithmetic mean.
    Mean,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// Sum.
    Sum,
    /// How many values.
    Count,
    /// The newest.
    Last,
    /// `percentile N`, 0 to 100, linear between ranks.
    Percentile(u8),
    /// Sample standard deviation.
    Sd,
    /// 1.4826 × the median absolute deviation.
    Spread,
}

/// Which readings a statistic takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatWindow {
    /// `over 14 days`: one value a date
    Over(CalendarSpan),
    /// `within last 24h`, in milliseconds: every reading
    Within(i64),
}

/// A question about the items of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// Which question.
    pub quantifier: Spanned<Quantifier>,
    /// Name that stands for the item.
    pub var: Name,
    /// The stream.
    pub stream: Name,
    /// Which items; all that are kept when absent.
    pub window: Option<Spanned<ItemWindow>>,
    /// `where …`
    pub filter: Option<Expr>,
}

/// How many items must qualify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Quantifier {
    /// At least one; binds the earliest.
    Some,
    /// Each that does makes a trigger.
    Each,
    /// None.
    No,
    /// All.
    Every,
}

/// Which items of a stream are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemWindow {
    /// The span of time.
    pub kind: ItemWindowKind,
    /// `in ZONE`
    pub zone: Option<Name>,
}

/// Spans of time for items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemWindowKind {
    /// `today`
    Today,
    /// `rest of today`: end after now, start before the next midnight
    RestOfToday,
    /// `now`: start at or before now, end after
    Now,
    /// `last night`: 18:00 yesterday to 12:00 today
    LastNight,
    /// `this week`, from Monday
    ThisWeek,
    /// `this month`
    ThisMonth,
    /// `over N days`: that many dates, today the last
    Over(CalendarSpan),
    /// `within last D`, in milliseconds
    WithinLast(i64),
    /// `within next D`, in milliseconds
    WithinNext(i64),
    /// `since SCHEDULE`
    Since(Name),
}
