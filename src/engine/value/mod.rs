//! Quantities, money, instants, dates: values that cannot be wrong by construction.
//!
//! Numbers are exact rationals of whole steps of their unit; no binary float exists here. Whatever
//! overflows or divides by zero is *missing* with a reason, never a wrong number and never a panic.

pub mod decimal;
mod ratio;
mod show;
mod types;

pub use ratio::Ratio;
pub use show::{Display, quoted, show};
pub use types::{
    BUILTIN_UNITS, CURRENCIES, Currency, NUMBER_DECIMALS, NUMBER_STEPS, PERCENT_STEPS, Type, UnitId, UnitInfo,
};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::time::{Date, Instant};

/// A known value. What a number counts (milliseconds, tenths of a beat, cents) is the static type's
/// business, see [`Type`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Value {
    /// Durations in ms, quantities in steps of their unit, money in minor units, numbers and counts.
    Number(Ratio),
    /// A point on the time line.
    Instant(Instant),
    /// A calendar date.
    Date(Date),
    /// A time of day, in ms since local midnight.
    Clock(i64),
    /// Text or a word.
    Text(Arc<str>),
    /// True or false.
    Flag(bool),
}
