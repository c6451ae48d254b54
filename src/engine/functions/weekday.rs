//! `weekday(day)`

use super::row::{FunctionDefRow, Gives, MISFIT, Takes, date_of};
use crate::engine::syntax::ast::Weekday;
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
        [day] => Ok(Value::Text(word(date_of(day, zone)?.weekday()).into())),
        _ => Err(MISFIT),
    },
};

fn word(day: Weekday) -> &'static str {
    match day {
        Weekday::Mon => "Mon",
        Weekday::Tue => "Tue",
        Weekday::Wed => "Wed",
        Weekday::Thu => "Thu",
        Weekday::Fri => "Fri",
        Weekday::Sat => "Sat",
        Weekday::Sun => "Sun",
    }
}
