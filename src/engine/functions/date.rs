//! `date(at)`

use super::row::{FunctionDefRow, Gives, MISFIT, Takes, date_of};
use crate::engine::value::{Type, Value};

/// The row.
pub(super) const ROW: FunctionDefRow = FunctionDefRow {
    name: "date",
    params: &[("at", Takes::Instant)],
    returns: Gives::Always(Type::Date),
    doc: "The local date of an instant; of an all-day item, its date",
    examples: &[("date(2026-09-26 23:59)", "2026-09-26"), ("date(2026-09-27 00:00)", "2026-09-27")],
    eval: |args, zone| match args {
        [at] => Ok(Value::Date(date_of(at, zone)?)),
        _ => Err(MISFIT),
    },
};
