//! A resolved payment table: rows that narrow what may be spent. Evaluation fails closed.

use std::sync::Arc;

use crate::engine::record::StreamId;
use crate::engine::source::Span;
use crate::engine::value::Currency;

/// A payment table.
#[derive(Clone, Debug)]
pub struct TableDef {
    /// Name in the set.
    pub name: Arc<str>,
    /// Currency of the amounts.
    pub currency: Currency,
    /// Stream of requests.
    pub stream: StreamId,
    /// True when the first row that matches decides; else rows may not overlap.
    pub first_match: bool,
    /// Rows in order.
    pub rows: Vec<TableRowDef>,
    /// Place of the definition.
    pub span: Span,
}

/// One row.
#[derive(Clone, Debug)]
pub struct TableRowDef {
    /// Name of the row.
    pub name: Arc<str>,
    /// Conditions, one a column that is not `any`.
    pub tests: Vec<CellTest>,
    /// What it says.
    pub then: Ruling,
    /// Place of the row.
    pub span: Span,
}

/// A condition of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellTest {
    /// What is looked at.
    pub column: Column,
    /// What it must be.
    pub test: CellMatch,
}

/// What a column looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// A text or word field of the request, by index.
    Field(u16),
    /// The amount.
    Amount,
    /// Today's total after this payment, reserved and settled amounts counted.
    TodayAfter,
    /// This week's total after this payment.
    WeekAfter,
    /// This month's total after this payment.
    MonthAfter,
}

/// What a cell accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellMatch {
    /// Minor units, both ends included.
    Range(i64, i64),
    /// Exactly this word or text.
    Word(Arc<str>),
}

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ruling {
    /// Not paid.
    Refuse,
    /// The person is asked.
    Ask,
    /// Paid without asking, still within the wallet's caps.
    Allow,
}
