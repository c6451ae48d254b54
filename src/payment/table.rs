//! What a payment table rules on one request.
//!
//! A row matches when all its cells do. Limits are inclusive and are tested on the total after the payment.
//! With `first match` the first row that matches decides; without, exactly one may match, and a second is an
//! error. A row that may match, because something is unknown, refuses: a later row could be more generous.

use std::sync::Arc;

use crate::engine::record::Field;
use crate::engine::rule_set::{CellMatch, CellTest, Column, Ruling, TableDef, TableRowDef};
use crate::engine::value::{Currency, Value};

/// A payment that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Fields of the request's item, in the order of the table's stream; `None` is missing.
    pub fields: &'a [Option<Field>],
    /// In minor units of the currency.
    pub amount_minor: i64,
    /// Must be the table's.
    pub currency: Currency,
    /// What was reserved or settled before.
    pub totals: Totals,
}

/// Reserved and settled amounts before a payment, in minor units of its currency; `None` is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Of the local day.
    pub today_minor: Option<i64>,
    /// Of the local week.
    pub week_minor: Option<i64>,
    /// Of the local month.
    pub month_minor: Option<i64>,
}

/// What a table says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRuling {
    /// The ruling.
    pub ruling: Ruling,
    /// Why.
    pub reason: Reason,
}

/// Why a table rules as it does. Every reason but the first refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// This row decided.
    #[error("row `{0}`")]
    Row(Arc<str>),
    /// Nothing matched.
    #[error("no row matches")]
    NoRow,
    /// Two rows of a table without `first match`.
    #[error("rows `{0}` and `{1}` both match")]
    Overlap(Arc<str>, Arc<str>),
    /// A row cannot be judged.
    #[error("row `{row}` cannot be judged: {what} is unknown")]
    Unknown {
        /// The row.
        row: Arc<str>,
        /// What is missing.
        what: &'static str,
    },
    /// A sum does not fit.
    #[error("the total after the payment does not fit")]
    Overflow,
    /// Zero or less.
    #[error("the amount is not above zero")]
    NotPositive,
    /// A total below zero cannot be right.
    #[error("a total is below zero")]
    NegativeTotal,
    /// Another currency than the table's.
    #[error("the amount is in {found}, the table in {expected}")]
    OtherCurrency {
        /// Code of the request's currency.
        found: String,
        /// Code of the table's currency.
        expected: String,
    },
}

/// Rules on a request.
#[must_use]
pub fn judge(table: &TableDef, request: &Request<'_>) -> TableRuling {
    decide(table, request).unwrap_or_else(|reason| TableRuling { ruling: Ruling::Refuse, reason })
}

fn decide(table: &TableDef, request: &Request<'_>) -> Result<TableRuling, Reason> {
    if request.currency != table.currency {
        return Err(Reason::OtherCurrency {
            found: request.currency.code().to_owned(),
            expected: table.currency.code().to_owned(),
        });
    }
    if request.amount_minor <= 0 {
        return Err(Reason::NotPositive);
    }
    let after = Totals {
        today_minor: total_after(request.totals.today_minor, request.amount_minor)?,
        week_minor: total_after(request.totals.week_minor, request.amount_minor)?,
        month_minor: total_after(request.totals.month_minor, request.amount_minor)?,
    };
    let mut decided: Option<&TableRowDef> = None;
    for row in &table.rows {
        if !row_matches(row, request, &after)? {
            continue;
        }
        match decided {
            Some(first) => return Err(Reason::Overlap(first.name.clone(), row.name.clone())),
            None => decided = Some(row),
        }
        if table.first_match {
            break;
        }
    }
    let row = decided.ok_or(Reason::NoRow)?;
    Ok(TableRuling { ruling: row.then, reason: Reason::Row(row.name.clone()) })
}

fn total_after(before: Option<i64>, amount: i64) -> Result<Option<i64>, Reason> {
    match before {
        None => Ok(None),
        Some(before) if before < 0 => Err(Reason::NegativeTotal),
        Some(before) => before.checked_add(amount).map(Some).ok_or(Reason::Overflow),
    }
}

/// A cell that is known not to match settles the row, whatever else is unknown.
fn row_matches(row: &TableRowDef, request: &Request<'_>, after: &Totals) -> Result<bool, Reason> {
    let mut unknown = None;
    for test in &row.tests {
        match cell_matches(test, request, after) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(what) => unknown = unknown.or(Some(what)),
        }
    }
    unknown.map_or(Ok(true), |what| Err(Reason::Unknown { row: row.name.clone(), what }))
}

/// `Err` names what is unknown.
fn cell_matches(test: &CellTest, request: &Request<'_>, after: &Totals) -> Result<bool, &'static str> {
    let number = match test.column {
        Column::Field(index) => {
            let field = request.fields.get(usize::from(index)).and_then(Option::as_ref);
            return match (field, &test.test) {
                (Some(Value::Text(found)), CellMatch::Word(word)) => Ok(found == word),
                _ => Err("a field of the request"),
            };
        }
        Column::Amount => request.amount_minor,
        Column::TodayAfter => after.today_minor.ok_or("today's total")?,
        Column::WeekAfter => after.week_minor.ok_or("this week's total")?,
        Column::MonthAfter => after.month_minor.ok_or("this month's total")?,
    };
    match test.test {
        CellMatch::Range(low, high) => Ok((low..=high).contains(&number)),
        CellMatch::Word(_) => Err("a limit"),
    }
}

#[cfg(test)]
mod tests;
