//! The row of a built-in function, and how its types are checked.
//!
//! Types are simple patterns, no full generics: a later argument or the result may be of the first's type.

use std::fmt;

use crate::engine::time::{Date, Instant, Zone};
use crate::engine::value::{Type, Value};

/// Reason when the resolver let something through that does not fit; no rule set that was checked shows it.
pub(super) const MISFIT: &str = "the arguments do not fit the function";
/// Reason when a number grows too large.
pub(super) const OVERFLOW: &str = "the number does not fit";

/// Everything about one function.
pub struct FunctionDefRow {
    /// As it is written.
    pub name: &'static str,
    /// Name and pattern of each argument.
    pub params: &'static [(&'static str, Takes)],
    /// The result.
    pub returns: Gives,
    /// One line of help, without its end stop.
    pub doc: &'static str,
    /// Calls and their shown results, in the zone America/Toronto; run as tests.
    pub examples: &'static [(&'static str, &'static str)],
    /// Computes it; the reason when there is no value.
    pub eval: fn(&[Value], Zone) -> Result<Value, &'static str>,
}

/// What an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A duration, quantity, amount of money or number.
    Numeric,
    /// The type of the first argument.
    SameAsFirst,
    /// A text or a word.
    Text,
    /// An instant.
    Instant,
    /// An instant or a date.
    Day,
}

/// What the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// The type of the first argument.
    SameAsFirst,
    /// Always this type.
    Always(Type),
}

impl FunctionDefRow {
    /// The type of a call's result, else why the arguments do not fit.
    pub(super) fn check(&self, args: &[Type]) -> Result<Type, String> {
        if args.len() != self.params.len() {
            let takes = match self.params {
                [_] => "1 value".to_owned(),
                params => format!("{} values", params.len()),
            };
            return Err(format!("`{self}` takes {takes}, found {}", args.len()));
        }
        let first = args.first().copied();
        for (ty, (name, takes)) in args.iter().zip(self.params) {
            if !takes.fits(*ty, first) {
                return Err(format!("`{name}` of `{self}` is {}, found {}", takes.words(), words(*ty)));
            }
        }
        match (self.returns, first) {
            (Gives::Always(ty), _) | (Gives::SameAsFirst, Some(ty)) => Ok(ty),
            (Gives::SameAsFirst, None) => Err(MISFIT.to_owned()),
        }
    }
}

impl fmt::Display for FunctionDefRow {
    /// `round(x, step)`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.params.iter().map(|(name, _)| *name).collect();
        write!(formatter, "{}({})", self.name, names.join(", "))
    }
}

impl fmt::Debug for FunctionDefRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl Takes {
    fn fits(self, ty: Type, first: Option<Type>) -> bool {
        match self {
            Self::Numeric => ty.is_numeric(),
            Self::SameAsFirst => Some(ty) == first,
            Self::Text => ty.is_textual(),
            Self::Instant => ty == Type::Instant,
            Self::Day => matches!(ty, Type::Instant | Type::Date),
        }
    }

    /// As it is said in messages and in the manual.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Numeric => "a number, a quantity, a duration or money",
            Self::SameAsFirst => "of the first value's type and unit",
            Self::Text => "a text or a word",
            Self::Instant => "an instant",
            Self::Day => "an instant or a date",
        }
    }
}

fn words(ty: Type) -> &'static str {
    match ty {
        Type::Duration => "a duration",
        Type::Quantity(_) => "a quantity",
        Type::Number => "a number",
        Type::Money(_) => "money",
        Type::Instant => "an instant",
        Type::Date => "a date",
        Type::Clock => "a clock time",
        Type::Text => "a text",
        Type::Word => "a word",
        Type::Flag => "true or false",
    }
}

/// The date of an instant or a date; all-day items carry dates where others carry instants.
pub(super) fn date_of(value: &Value, zone: Zone) -> Result<Date, &'static str> {
    match value {
        Value::Instant(at) => Ok(zone.date(*at)),
        Value::Date(date) => Ok(*date),
        _ => Err(MISFIT),
    }
}

/// A point on the time line, if the value is one.
pub(super) fn instant_of(value: &Value) -> Result<Instant, &'static str> {
    match value {
        Value::Instant(at) => Ok(*at),
        Value::Date(_) => Err("an all-day item has no clock time"),
        _ => Err(MISFIT),
    }
}
