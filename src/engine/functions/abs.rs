//! `abs(x)`

use super::row::{FunctionDefRow, Gives, MISFIT, OVERFLOW, Takes};
use crate::engine::value::{Ratio, Value};

/// The row.
pub(super) const ROW: FunctionDefRow = FunctionDefRow {
    name: "abs",
    params: &[("x", Takes::Numeric)],
    returns: Gives::SameAsFirst,
    doc: "The same amount without its sign",
    examples: &[
        ("abs(-3)", "3"),
        ("abs(-4.5bpm)", "4.5bpm"),
        ("abs(-1h30m)", "1h30m"),
        ("abs(2.50 EUR)", "2.50 EUR"),
    ],
    eval: |args, _| match args {
        [Value::Number(x)] if *x < Ratio::ZERO => x.checked_neg().map(Value::Number).ok_or(OVERFLOW),
        [Value::Number(x)] => Ok(Value::Number(*x)),
        _ => Err(MISFIT),
    },
};
