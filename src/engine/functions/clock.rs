//! `clock(at)`

use super::row::{FunctionDefRow, Gives, MISFIT, Takes, instant_of};
use crate::engine::value::{Type, Value};

/// The row.
pub(super) const ROW: FunctionDefRow = FunctionDefRow {
    name: "clock",
    params: &[("at", Takes::Instant)],
    returns: Gives::Always(Type::Clock),
    doc: "What a clock on the wall shows at an instant; missing for an all-day item",
    examples: &[("clock(2026-09-26 14:05)", "14:05"), ("clock(2026-09-26 00:00)", "00:00")],
    eval: |args, zone| match args {
        [at] => Ok(Value::Clock(zone.local(instant_of(at)?).ms_of_day)),
        _ => Err(MISFIT),
    },
};
