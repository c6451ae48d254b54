//! Built-in functions `name(args)`: one file each, one row here; and [`Script`], the functions of a rule set.
//!
//! A row says everything: name, what it takes and gives, one line of help, examples that are run as tests,
//! and how it is computed. Reference pages and completions are made from it. Functions are pure: they see
//! their arguments and the zone in force.
//!
//! To add one: a file with its `ROW`, and its two lines here.

mod row;
mod script;
#[cfg(test)]
mod tests;

mod abs;
mod clock;
mod date;
mod day_of_month;
mod days_between;
mod lower;
mod round;
mod weekday;

pub use row::{FunctionDefRow, Gives, Takes};
pub use script::{Script, ScriptError, ScriptFault};

use super::time::Zone;
use super::value::{Type, Value};

/// All built-in functions, by name.
pub const FUNCTIONS: &[FunctionDefRow] = &[
    abs::ROW,
    clock::ROW,
    date::ROW,
    day_of_month::ROW,
    days_between::ROW,
    lower::ROW,
    round::ROW,
    weekday::ROW,
];

/// The index of a built-in function, for [`check`] and [`eval`].
#[must_use]
pub fn lookup(name: &str) -> Option<usize> {
    FUNCTIONS.iter().position(|row| row.name == name)
}

/// The type of a call's result.
///
/// # Errors
/// In the user's words, when the number or the types of the arguments do not fit.
pub fn check(index: usize, args: &[Type]) -> Result<Type, String> {
    FUNCTIONS.get(index).ok_or_else(|| "no such function".to_owned())?.check(args)
}

/// The value of a call whose types passed [`check`]. Dates and clock times are those of the zone.
///
/// # Errors
/// Why the value is missing: something overflows, or an all-day item has no clock time.
pub fn eval(index: usize, args: &[Value], zone: Zone) -> Result<Value, &'static str> {
    let row = FUNCTIONS.get(index).ok_or(row::MISFIT)?;
    (row.eval)(args, zone)
}
