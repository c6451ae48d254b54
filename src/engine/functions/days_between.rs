//! `days-between(from, to)`

use super::row::{FunctionDefRow, Gives, MISFIT, Takes, date_of};
use crate::engine::value::{Ratio, Type, Value};

/// The row.
pub(super) const ROW: FunctionDefRow = FunctionDefRow {
    name: "days-between",
    params: &[("from", Takes::Day), ("to", Takes::Day)],
    returns: Gives::Always(Type::Number),
    doc: "How many midnights lie between two days; negative when the second is earlier",
    examples: &[
        ("days-between(2026-09-26, 2026-10-01)", "5"),
        ("days-between(2026-10-01, 2026-09-26)", "-5"),
        ("days-between(2026-09-26 23:59, 2026-09-27 00:01)", "1"),
        ("days-between(2026-09-26 00:01, 2026-09-26)", "0"),
    ],
    eval: |args, zone| match args {
        [from, to] => {
            let days = date_of(to, zone)?.days_since(date_of(from, zone)?);
            Ok(Value::Number(Ratio::whole(days)))
        }
        _ => Err(MISFIT),
    },
};
