//! Resolved expressions. The type of each node is known; conditions have type [`Type::Flag`].

use std::sync::Arc;

use super::definition::{FunctionId, ListId, RuleId, ScheduleId, WindowId, ZoneRef};
use crate::engine::record::{SignalId, StreamId};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{ArithOp, CompareOp, Quantifier};
use crate::engine::value::{Type, Value};

/// An expression with its type and place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Place in the source, for messages and `why`.
    pub span: Span,
    /// Type of the value.
    pub ty: Type,
    /// What it is.
    pub kind: ExprKind,
}

/// The direct parts of an expression, in written order, shared or mutable as `$kind` and `$iter` are.
macro_rules! each_part {
    ($kind:expr, $iter:ident, $see:ident) => {
        match $kind {
            ExprKind::Const(_)
            | ExprKind::Signal(_)
            | ExprKind::SignalAge(_)
            | ExprKind::ItemAge(_)
            | ExprKind::Field(..)
            | ExprKind::Let(_)
            | ExprKind::Now
            | ExprKind::Nothing(..)
            | ExprKind::Fired(_) => {}
            ExprKind::Window { otherwise, .. } => otherwise.$iter().for_each(|part| $see(part)),
            ExprKind::Arith(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::PercentOf(a, b)
            | ExprKind::AsPercentOf(a, b)
            | ExprKind::Larger(a, b)
            | ExprKind::Smaller(a, b) => [a, b].into_iter().for_each(|part| $see(part)),
            ExprKind::Script(_, list)
            | ExprKind::Builtin(_, list)
            | ExprKind::And(list)
            | ExprKind::Or(list)
            | ExprKind::AtLeast(_, list) => list.$iter().for_each($see),
            ExprKind::Not(a) | ExprKind::HasList(a, _) | ExprKind::HasText(a, _) | ExprKind::IsMissing(a) => {
                $see(a)
            }
            ExprKind::Between(a, b, c) => [a, b, c].into_iter().for_each(|part| $see(part)),
            ExprKind::In(a, list) => {
                $see(a);
                list.$iter().for_each($see);
            }
            ExprKind::Join(join) => join.filter.$iter().for_each($see),
        }
    };
}

impl Expr {
    /// Calls `see` with each direct part, in written order.
    pub fn each_part<'e>(&'e self, see: &mut dyn FnMut(&'e Self)) {
        each_part!(&self.kind, iter, see);
    }

    /// Calls `see` with each direct part, to change it.
    pub fn each_part_mut(&mut self, see: &mut dyn FnMut(&mut Self)) {
        each_part!(&mut self.kind, iter_mut, see);
    }
}

/// Index of a `let` of its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LetId(pub u16);

/// Index of an item variable of its rule (`as n`, `some e`, `gather f`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u8);

/// All forms of a resolved expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant.
    Const(Value),
    /// The current value of a signal; missing when stale or absent.
    Signal(SignalId),
    /// Time since the signal's newest value was observed, however old.
    SignalAge(SignalId),
    /// Time since an item was observed (its start, `observed`, else `at`).
    ItemAge(Slot),
    /// A window's value; missing with fewer than `needs` values, unless `otherwise`.
    Window {
        /// Which window.
        window: WindowId,
        /// Fewest values.
        needs: u32,
        /// Used instead of missing.
        otherwise: Option<Box<Expr>>,
    },
    /// A field of a bound item.
    Field(Slot, u16),
    /// A `let` of the rule.
    Let(LetId),
    /// The present instant.
    Now,
    /// `a + b` …; instants and durations mix as the type says
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    /// `p% of x`; the percentage is a quantity in tenths of a percent
    PercentOf(Box<Expr>, Box<Expr>),
    /// `x as % of y`, in tenths of a percent
    AsPercentOf(Box<Expr>, Box<Expr>),
    /// `larger of a and b`
    Larger(Box<Expr>, Box<Expr>),
    /// `smaller of a and b`
    Smaller(Box<Expr>, Box<Expr>),
    /// A function of the rule set.
    Script(FunctionId, Vec<Expr>),
    /// A built-in function, by its row in `functions`.
    Builtin(usize, Vec<Expr>),

    /// `not a`
    Not(Box<Expr>),
    /// All of them.
    And(Vec<Expr>),
    /// Any of them.
    Or(Vec<Expr>),
    /// `at least k of (…)`
    AtLeast(u32, Vec<Expr>),
    /// A comparison of two values of one type.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `a in low to high`, both included
    Between(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a in {…}`
    In(Box<Expr>, Vec<Expr>),
    /// `a has list`
    HasList(Box<Expr>, ListId),
    /// `a has "text"`: the text is prepared as a one-entry list
    HasText(Box<Expr>, Arc<crate::engine::text_match::Matcher>),
    /// `a is missing`
    IsMissing(Box<Expr>),
    /// `nothing from a, b for D` (milliseconds): none of them had a record for that long
    Nothing(Vec<Source>, i64),
    /// `any of a, b fired today`
    Fired(Vec<RuleId>),
    /// `some e in …`
    Join(Box<Join>),
}

/// What can fall silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A signal.
    Signal(SignalId),
    /// A stream.
    Stream(StreamId),
}

/// A question about the items of a stream.
#[derive(Clone, Debug)]
pub struct Join {
    /// Which question.
    pub quantifier: Quantifier,
    /// Where the item is bound.
    pub slot: Slot,
    /// The stream.
    pub stream: StreamId,
    /// Which items; all that are kept when absent.
    pub window: Option<ItemWindow>,
    /// Which of them.
    pub filter: Option<Expr>,
}

/// A span of time for items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemWindow {
    /// Which span.
    pub kind: ItemWindowKind,
    /// Zone of its dates.
    pub zone: ZoneRef,
}

/// Spans of time for items, see the contract's section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in the syntax tree, where they are explained")]
pub enum ItemWindowKind {
    Today,
    RestOfToday,
    Now,
    LastNight,
    ThisWeek,
    ThisMonth,
    /// That many dates, today the last.
    OverDays(u32),
    /// Milliseconds.
    WithinLast(i64),
    /// Milliseconds.
    WithinNext(i64),
    /// From the schedule's last run before now.
    Since(ScheduleId),
}
