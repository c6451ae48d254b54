//! How values are shown: the only place where anything is rounded for a person, half-even.

use super::{Ratio, Type, UnitInfo, Value};
use crate::engine::time::{Date, Zone, show_duration, show_instant};

/// What showing depends on.
#[derive(Clone, Copy, Debug)]
pub struct Display<'a> {
    /// Units by id.
    pub units: &'a [UnitInfo],
    /// Zone of instants.
    pub zone: Zone,
    /// Today there: an instant of today is shown without its date.
    pub today: Date,
    /// Decimals beyond those of the unit.
    pub extra_decimals: u8,
}

/// Decimals of a plain number, at most.
const NUMBER_DECIMALS: u32 = 6;

const MS_PER_MINUTE: i64 = 60_000;

/// A value as a person reads it: `5h10m`, `56.0bpm`, `8000 steps`, `12.50 EUR`, `14:00`.
#[must_use]
pub fn show(value: &Value, ty: Type, display: &Display<'_>) -> String {
    match (value, ty) {
        (Value::Number(number), Type::Duration) => duration(*number),
        (Value::Number(number), Type::Quantity(unit)) => match display.units.get(usize::from(unit.0)) {
            Some(unit) => {
                let number = decimal(*number, unit.scale, display.extra_decimals);
                let blank = if unit.spaced { " " } else { "" };
                format!("{number}{blank}{}", unit.word)
            }
            None => decimal(*number, 0, display.extra_decimals),
        },
        (Value::Number(number), Type::Money(currency)) => {
            format!("{} {}", decimal(*number, currency.decimals(), display.extra_decimals), currency.code())
        }
        (Value::Number(number), _) => plain(*number),
        (Value::Instant(at), _) => show_instant(display.zone, *at, display.today),
        (Value::Date(date), _) => date.to_string(),
        (Value::Clock(ms), _) => {
            let minutes = ms.div_euclid(MS_PER_MINUTE);
            format!("{:02}:{:02}", minutes.div_euclid(60), minutes.rem_euclid(60))
        }
        (Value::Text(text), _) => text.to_string(),
        (Value::Flag(flag), _) => flag.to_string(),
    }
}

/// Whole minutes; below one minute, whole seconds.
fn duration(ms: Ratio) -> String {
    let minutes = ms.checked_div(Ratio::whole(MS_PER_MINUTE)).and_then(|minutes| minutes.rounded(0));
    let whole = match minutes.and_then(|minutes| i64::try_from(minutes).ok()) {
        Some(0) => ms.rounded(0).and_then(|ms| i64::try_from(ms).ok()),
        Some(minutes) => minutes.checked_mul(MS_PER_MINUTE),
        None => None,
    };
    whole.map_or_else(|| "unknown".to_owned(), show_duration)
}

/// A number of steps of `10^-scale`, with that many decimals and some more.
fn decimal(steps: Ratio, scale: u8, extra: u8) -> String {
    match steps.rounded(u32::from(extra)) {
        Some(rounded) => point(rounded, u32::from(scale.saturating_add(extra))),
        None => "unknown".to_owned(),
    }
}

/// Up to six decimals, without trailing zeros.
fn plain(number: Ratio) -> String {
    let Some(rounded) = number.rounded(NUMBER_DECIMALS) else { return "unknown".to_owned() };
    let text = point(rounded, NUMBER_DECIMALS);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Puts a decimal point before the last digits.
fn point(number: i128, decimals: u32) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let one = 10_u128.saturating_pow(decimals);
    let digits = number.unsigned_abs();
    let (whole, rest) = (digits.checked_div(one).unwrap_or(0), digits.checked_rem(one).unwrap_or(0));
    if decimals == 0 {
        return format!("{sign}{whole}");
    }
    format!("{sign}{whole}.{rest:0width$}", width = decimals as usize)
}
