//! Values while they are being computed, and the reasons why there may be none.

use std::sync::Arc;

use crate::engine::time::{Date, Instant};
use crate::engine::value::{Ratio, Type, Value};

/// Why a value is missing, in words that a person reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing was ever read.
    Absent,
    /// The newest value is too old.
    Stale,
    /// A statistic had too few values: how many, and how many it needs.
    TooFew(u32, u32),
    /// The date has no value.
    NoValueThatDate,
    /// The item has no such field.
    NoField,
    /// The item is gone, or none is bound.
    NoItem,
    /// An all-day item has no clock time.
    AllDay,
    /// A result does not fit.
    Overflow,
    /// Divided by zero.
    DivisionByZero,
    /// The judgement used up its fuel.
    OutOfFuel,
    /// A function failed.
    Function(Arc<str>),
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absent => f.write_str("no value yet"),
            Self::Stale => f.write_str("too old"),
            Self::TooFew(count, needs) => write!(f, "{count} of the {needs} values it needs"),
            Self::NoValueThatDate => f.write_str("no value on that date"),
            Self::NoField => f.write_str("not given"),
            Self::NoItem => f.write_str("no item"),
            Self::AllDay => f.write_str("an all-day item has no clock time"),
            Self::Overflow => f.write_str("the result is too large"),
            Self::DivisionByZero => f.write_str("division by zero"),
            Self::OutOfFuel => f.write_str("out of fuel"),
            Self::Function(reason) => f.write_str(reason),
        }
    }
}

/// A number now, and how it changes with each millisecond.
///
/// Instants, dates and clock times are numbers here too (milliseconds, days, milliseconds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// Its value at the instant of evaluation.
    pub now: Ratio,
    /// Change a millisecond; zero for whatever does not move with the clock.
    pub slope: Ratio,
}

impl Timed {
    /// A number that does not move.
    #[must_use]
    pub const fn fixed(now: Ratio) -> Self {
        Self { now, slope: Ratio::ZERO }
    }

    /// A whole number that does not move.
    #[must_use]
    pub const fn whole(now: i64) -> Self {
        Self::fixed(Ratio::whole(now))
    }

    /// True when it moves with the clock.
    #[must_use]
    pub fn moves(self) -> bool {
        self.slope.num() != 0
    }
}

/// A known value while it is being computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Anything that is counted.
    Number(Timed),
    /// Text or a word.
    Text(Arc<str>),
    /// A flag.
    Flag(bool),
}

impl Known {
    /// From a stored value. An all-day date that stands for an instant is the caller's business.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        match value {
            Value::Number(ratio) => Self::Number(Timed::fixed(*ratio)),
            Value::Instant(instant) => Self::Number(Timed::whole(instant.0)),
            Value::Date(date) => Self::Number(Timed::whole(i64::from(date.0))),
            Value::Clock(clock) => Self::Number(Timed::whole(*clock)),
            Value::Text(text) => Self::Text(text.clone()),
            Value::Flag(flag) => Self::Flag(*flag),
        }
    }

    /// As a stored value of a type; instants are rounded down to whole milliseconds.
    ///
    /// # Errors
    /// [`Missing::Overflow`] when the number does not fit the type.
    pub fn into_value(self, ty: Type) -> Result<Value, Missing> {
        let whole = |timed: Timed| {
            let floor = timed.now.num().checked_div_euclid(timed.now.den()).ok_or(Missing::Overflow)?;
            i64::try_from(floor).map_err(|_| Missing::Overflow)
        };
        Ok(match (self, ty) {
            (Self::Number(timed), Type::Instant) => Value::Instant(Instant(whole(timed)?)),
            (Self::Number(timed), Type::Date) => {
                Value::Date(Date(i32::try_from(whole(timed)?).map_err(|_| Missing::Overflow)?))
            }
            (Self::Number(timed), Type::Clock) => Value::Clock(whole(timed)?),
            (Self::Number(timed), _) => Value::Number(timed.now),
            (Self::Text(text), _) => Value::Text(text),
            (Self::Flag(flag), _) => Value::Flag(flag),
        })
    }
}
