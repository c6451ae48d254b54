//! `day-of-month(day)`

use super::row::{FunctionDefRow, Gives, MISFIT, Takes, date_of};
use crate::engine::value::{Ratio, Type, Value};

/// The row.
pub(super) const ROW: FunctionDefRow = FunctionDefRow {
    name: "day-of-month",
    params: &[("day", Takes::Day)],
    returns: Gives::Always(Type::Number),
    doc: "Its day of the month, 1 to 31",
    examples: &[("day-of-month(2026-09-26)", "26"), ("day-of-month(2026-10-01 00:00)", "1")],
    eval: |args, zone| match args {
        [day] => {
            let (_, _, day) = date_of(day, zone)?.ymd();
            Ok(Value::Number(Ratio::whole(i64::from(day))))
        }
        _ => Err(MISFIT),
    },
};
