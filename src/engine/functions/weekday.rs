//! `weekday(day)`

use super::row::{FunctionDefRow, Gives, MISFIT, Takes, date_of};
use crate::engine::value::{Type, Value};

/// The row.
pub(super) const ROW: FunctionDefRow = FunctionDefRow {
    name: "weekday",
    params: &[("day", Takes::Day)],
    returns: Gives::Always(Type::Word),
    doc: "Its day of the week: Mon, Tue, Wed, Thu, Fri, Sat or Sun",
    examples: &[
        ("weekday(2026-09-26)", "Sat"),
        ("weekday(2026-09-27 23:30)", "Sun"),
        ("weekday(2026-09-28 00:00)", "Mon"),
    ],
    eval: |args, zone| match args {
        [day] => Ok(Value::Text(date_of(day, zone)?.weekday().word().into())),
        _ => Err(MISFIT),
    },
};
