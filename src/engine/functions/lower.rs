//! `lower(text)`

use super::row::{FunctionDefRow, Gives, MISFIT, Takes};
use crate::engine::value::{Type, Value};

/// The row.
pub(super) const ROW: FunctionDefRow = FunctionDefRow {
    name: "lower",
    params: &[("text", Takes::Text)],
    returns: Gives::Always(Type::Text),
    doc: "The text in small letters, for `=`; `has` needs none of it",
    examples: &[("lower(\"8-K Filed\")", "8-k filed"), ("lower(\"ÉTÉ\")", "été")],
    eval: |args, _| match args {
        [Value::Text(text)] => Ok(Value::Text(text.to_lowercase().into())),
        _ => Err(MISFIT),
    },
};
