//! `round(x, step)`

use super::row::{FunctionDefRow, Gives, MISFIT, OVERFLOW, Takes};
use crate::engine::value::{Ratio, Value};

/// The row.
pub(super) const ROW: FunctionDefRow = FunctionDefRow {
    name: "round",
    params: &[("x", Takes::Numeric), ("step", Takes::SameAsFirst)],
    returns: Gives::SameAsFirst,
    doc: "The nearest multiple of the step; of two that are as near, the even multiple",
    examples: &[
        ("round(437, 50)", "450"),
        ("round(25, 10)", "20"),
        ("round(-35, 10)", "-40"),
        ("round(57.4bpm, 5bpm)", "55.0bpm"),
        ("round(5h10m, 15min)", "5h15m"),
        ("round(12.37 EUR, 0.05 EUR)", "12.35 EUR"),
    ],
    eval: |args, _| match args {
        [Value::Number(_), Value::Number(step)] if *step <= Ratio::ZERO => Err("the step is not above zero"),
        [Value::Number(x), Value::Number(step)] => nearest(*x, *step).map(Value::Number).ok_or(OVERFLOW),
        _ => Err(MISFIT),
    },
};

fn nearest(x: Ratio, step: Ratio) -> Option<Ratio> {
    Ratio::new(x.checked_div(step)?.rounded(0)?, 1)?.checked_mul(step)
}
