//! How values enter a script and leave it. No float is made on the way, and nothing is rounded that has an
//! end within the decimals kept.

use rhai::Dynamic;
use rust_decimal::Decimal;

use super::{ScriptFault, sandbox};
use crate::engine::time::MS_PER_MINUTE;
use crate::engine::value::{Ratio, Type, UnitInfo, Value};

/// Decimals of a number, and of a fraction that has no end.
const DECIMALS_MAX: u32 = 12;

/// The form in which a type crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crossing {
    /// A decimal that is this many steps when it is 1.
    Steps(i64),
    /// A decimal as it is.
    Number,
    Text,
    Flag,
}

impl Crossing {
    /// The form for a type; else the type in words.
    pub(super) fn of(ty: Type, units: &[UnitInfo]) -> Result<Self, &'static str> {
        let scaled = |decimals: u8| 10_i64.checked_pow(u32::from(decimals)).map(Self::Steps);
        match ty {
            Type::Duration => Ok(Self::Steps(MS_PER_MINUTE)),
            Type::Quantity(unit) => units
                .get(usize::from(unit.0))
                .and_then(|unit| scaled(unit.scale))
                .ok_or("of a unit that is not known"),
            Type::Money(currency) => scaled(currency.decimals()).ok_or("of a currency that is not known"),
            Type::Number => Ok(Self::Number),
            Type::Text | Type::Word => Ok(Self::Text),
            Type::Flag => Ok(Self::Flag),
            Type::Instant => Err("an instant"),
            Type::Date => Err("a date"),
            Type::Clock => Err("a clock time"),
        }
    }

    /// The kind of value, in words.
    fn kind(self) -> &'static str {
        match self {
            Self::Steps(_) | Self::Number => "a number",
            Self::Text => "a text",
            Self::Flag => "true or false",
        }
    }

    /// A value of the engine as a value of the script.
    pub(super) fn enter(self, value: &Value, name: &str) -> Result<Dynamic, ScriptFault> {
        match (self, value) {
            (Self::Steps(steps), Value::Number(ratio)) => ratio
                .checked_div(Ratio::whole(steps))
                .and_then(decimal)
                .map(Dynamic::from_decimal)
                .ok_or(ScriptFault::Overflow),
            (Self::Number, Value::Number(ratio)) => {
                decimal(*ratio).map(Dynamic::from_decimal).ok_or(ScriptFault::Overflow)
            }
            (Self::Text, Value::Text(text)) if text.len() > sandbox::STRING_BYTES_MAX => {
                Err(ScriptFault::TooLarge(format!("`{name}`")))
            }
            (Self::Text, Value::Text(text)) => Ok(Dynamic::from((**text).to_owned())),
            (Self::Flag, Value::Flag(flag)) => Ok(Dynamic::from_bool(*flag)),
            _ => Err(ScriptFault::WrongArguments { expected: format!("{} as `{name}`", self.kind()) }),
        }
    }

    /// The script's result as a value of the engine.
    pub(super) fn leave(self, result: &Dynamic) -> Result<Value, ScriptFault> {
        let wrong = || ScriptFault::WrongResult { found: found(result), expected: self.kind() };
        match self {
            Self::Text => match result.as_immutable_string_ref() {
                Ok(text) => Ok(Value::Text(text.as_str().into())),
                Err(_) => Err(wrong()),
            },
            Self::Flag => result.as_bool().map(Value::Flag).map_err(|_| wrong()),
            Self::Number => {
                let decimal = number(result).ok_or_else(wrong)?.round_dp(DECIMALS_MAX);
                ratio(decimal).map(|ratio| Value::Number(ratio.reduced())).ok_or(ScriptFault::Overflow)
            }
            Self::Steps(steps) => {
                let decimal = number(result).ok_or_else(wrong)?;
                ratio(decimal)
                    .and_then(|ratio| ratio.checked_mul(Ratio::whole(steps))?.rounded(0))
                    .and_then(|steps| i64::try_from(steps).ok())
                    .map(|steps| Value::Number(Ratio::whole(steps)))
                    .ok_or(ScriptFault::Overflow)
            }
        }
    }
}

/// A script's number, whole or not.
fn number(value: &Dynamic) -> Option<Decimal> {
    value.as_int().map(Decimal::from).or_else(|_| value.as_decimal()).ok()
}

/// With as few decimals as it needs, rounded half-even when 12 are not enough.
fn decimal(ratio: Ratio) -> Option<Decimal> {
    let ratio = ratio.reduced();
    for decimals in 0..=DECIMALS_MAX {
        let shifted = ratio.num().checked_mul(10_i128.checked_pow(decimals)?)?;
        if shifted.checked_rem(ratio.den())? == 0 {
            return Decimal::try_from_i128_with_scale(shifted.checked_div(ratio.den())?, decimals).ok();
        }
    }
    let rounded = ratio.rounded(DECIMALS_MAX)?;
    Decimal::try_from_i128_with_scale(rounded, DECIMALS_MAX).ok().map(|decimal| decimal.normalize())
}

fn ratio(decimal: Decimal) -> Option<Ratio> {
    let decimal = decimal.normalize();
    Ratio::new(decimal.mantissa(), 10_i128.checked_pow(decimal.scale())?)
}

/// What came back, in words.
fn found(value: &Dynamic) -> String {
    if value.is_unit() {
        "nothing".to_owned()
    } else if value.is_string() || value.is_char() {
        "a text".to_owned()
    } else if value.is_bool() {
        "true or false".to_owned()
    } else if number(value).is_some() {
        "a number".to_owned()
    } else if value.is_array() {
        "an array".to_owned()
    } else if value.is_map() {
        "a map".to_owned()
    } else {
        "something else".to_owned()
    }
}
