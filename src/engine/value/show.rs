//! How values are shown to people: in messages, facts and the answers of `why`.
//!
//! Showing rounds half-even and never computes: what is shown is not read back into a decision. Each form is
//! also a form in which the language lets the value be written, so that it can be copied into a rule.
//!
//! INVARIANT: total; a value that is a whole number of its unit's steps is shown without loss (durations: of
//! minutes).

use super::decimal::{fixed_decimal, short_decimal};
use super::{NUMBER_DECIMALS, Ratio, Type, UnitInfo, Value};
use crate::engine::time::{
    Date, MS_PER_MINUTE, Zone, clock_of_ms, format_clock, show_duration, show_instant,
};

const MS_PER_SECOND: i64 = 1_000;
/// Shown when not even the whole part fits; no arithmetic of the engine gets there.
const TOO_LARGE: &str = "a number too large to show";

/// What showing depends on besides the value.
#[derive(Clone, Copy, Debug)]
pub struct Display<'a> {
    /// The rule set's units.
    pub units: &'a [UnitInfo],
    /// Zone of instants.
    pub zone: Zone,
    /// Instants of this date are shown as their clock time alone.
    pub today: Date,
    /// Decimals of a quantity beyond its unit's scale: 1 for means, else 0.
    pub extra_decimals: u8,
}

/// A value as people read it: `5h10m`, `56.0bpm`, `8000 steps`, `12.50 EUR`, `0.8`, `14:00`, `2026-09-26`.
#[must_use]
pub fn show(value: &Value, ty: Type, display: &Display<'_>) -> String {
    match value {
        Value::Number(ratio) => {
            show_number(ratio.reduced(), ty, display).unwrap_or_else(|| TOO_LARGE.to_owned())
        }
        Value::Instant(at) => show_instant(display.zone, *at, display.today),
        Value::Date(date) => date.to_string(),
        Value::Clock(ms) => format_clock(clock_of_ms(*ms)),
        Value::Text(text) => text.to_string(),
        Value::Flag(flag) => flag.to_string(),
    }
}

/// A text as the language writes it: in quotes, with `"`, `\\` and line breaks escaped.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn show_number(ratio: Ratio, ty: Type, display: &Display<'_>) -> Option<String> {
    match ty {
        Type::Duration => duration(ratio),
        Type::Quantity(unit) => {
            let unit = display.units.get(usize::from(unit.0))?;
            let extra = display.extra_decimals;
            let number = fixed_decimal(rounded(ratio, extra)?, unit.scale.checked_add(extra)?);
            let blank = if unit.spaced { " " } else { "" };
            Some(format!("{number}{blank}{}", unit.word))
        }
        Type::Money(currency) => {
            let number = fixed_decimal(rounded(ratio, 0)?, currency.decimals());
            Some(format!("{number} {}", currency.code()))
        }
        _ => Some(short_decimal(rounded(ratio, NUMBER_DECIMALS)?, NUMBER_DECIMALS)),
    }
}

/// Whole minutes; whole seconds below one minute. Each is rounded from the exact value, never twice.
fn duration(ms: Ratio) -> Option<String> {
    let whole = |unit: i64| -> Option<i64> {
        let count = ms.checked_div(Ratio::whole(unit))?.rounded(0)?;
        i64::try_from(count).ok()?.checked_mul(unit)
    };
    let seconds = whole(MS_PER_SECOND)?;
    let below_a_minute = seconds.unsigned_abs() < MS_PER_MINUTE.unsigned_abs();
    Some(show_duration(if below_a_minute { seconds } else { whole(MS_PER_MINUTE)? }))
}

/// Shifted by so many decimals and rounded half-even. A number too large for its decimals is shown whole.
fn rounded(ratio: Ratio, decimals: u8) -> Option<i128> {
    let decimals = u32::from(decimals);
    ratio.rounded(decimals).or_else(|| ratio.rounded(0)?.checked_mul(10_i128.checked_pow(decimals)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::time::{Instant, parse_date, parse_duration, parse_instant};
    use crate::engine::value::{BUILTIN_UNITS, Currency, UnitId};

    fn shown(value: &Value, ty: Type, extra_decimals: u8) -> String {
        let zone = Zone("America/Toronto".parse().unwrap());
        let today = parse_date("2026-09-26").unwrap();
        show(value, ty, &Display { units: BUILTIN_UNITS, zone, today, extra_decimals })
    }

    fn number(num: i128, den: i128, ty: Type) -> String {
        shown(&Value::Number(Ratio::new(num, den).unwrap()), ty, 0)
    }

    fn unit(word: &str) -> Type {
        let index = BUILTIN_UNITS.iter().position(|known| known.word == word).unwrap();
        Type::Quantity(UnitId(u16::try_from(index).unwrap()))
    }

    fn money(code: &str) -> Type {
        Type::Money(Currency::parse(code).unwrap())
    }

    #[test]
    fn quantities_have_their_units_decimals() {
        for (num, den, word, text) in [
            (560, 1, "bpm", "56.0bpm"),
            (435, 1, "ms", "43.5ms"),
            (8000, 1, "steps", "8000 steps"),
            (970, 1, "%", "97.0%"),
            (-5, 1, "°C", "-0.05°C"),
            (1234, 1, "km", "1.234km"),
            (0, 1, "kg", "0.00kg"),
            (1, 2, "bpm", "0.0bpm"),
            (3, 2, "bpm", "0.2bpm"),
            (-1, 2, "bpm", "0.0bpm"),
            (-3, 2, "bpm", "-0.2bpm"),
            (1001, 2000, "bpm", "0.1bpm"),
        ] {
            assert_eq!(number(num, den, unit(word)), text);
        }
    }

    #[test]
    fn means_have_one_decimal_more() {
        let mean = |num, den, ty| shown(&Value::Number(Ratio::new(num, den).unwrap()), ty, 1);
        assert_eq!(mean(1691, 3, unit("bpm")), "56.37bpm");
        assert_eq!(mean(560, 1, unit("bpm")), "56.00bpm");
        assert_eq!(mean(24_001, 3, unit("steps")), "8000.3 steps");
        assert_eq!(mean(10_001, 3, Type::Duration), "3s", "durations are in whole minutes all the same");
    }

    #[test]
    fn durations_are_whole_minutes() {
        let minutes = |minutes: i128| number(minutes * 60_000, 1, Type::Duration);
        assert_eq!(minutes(310), "5h10m");
        assert_eq!(minutes(420), "7h");
        assert_eq!(minutes(65), "1h5m");
        assert_eq!(minutes(45), "45min");
        assert_eq!(minutes(0), "0min");
        assert_eq!(minutes(-65), "-1h5m");
        assert_eq!(number(90_000, 1, Type::Duration), "2min");
        assert_eq!(number(150_000, 1, Type::Duration), "2min");
        assert_eq!(number(179_999, 2, Type::Duration), "1min", "rounded once, not to 90 s first");
        assert_eq!(number(30_000, 1, Type::Duration), "30s");
    }

    #[test]
    fn money_has_its_currencys_decimals_and_numbers_only_what_they_need() {
        assert_eq!(number(1250, 1, money("EUR")), "12.50 EUR");
        assert_eq!(number(1250, 1, money("JPY")), "1250 JPY");
        assert_eq!(number(-5, 1, money("USD")), "-0.05 USD");
        assert_eq!(number(250_000, 1, money("USDC")), "0.250000 USDC");
        assert_eq!(number(3, 1, Type::Number), "3");
        assert_eq!(number(4, 5, Type::Number), "0.8");
        assert_eq!(number(1, 3, Type::Number), "0.333333");
        assert_eq!(number(100, 1, Type::Number), "100");
        assert_eq!(number(-1, 3_000_000, Type::Number), "0");
        assert_eq!(number(i128::MAX, 1, Type::Number), TOO_LARGE);
    }

    #[test]
    fn times_and_words() {
        let at = |text: &str| Value::Instant(parse_instant(text).unwrap());
        assert_eq!(shown(&at("2026-09-26T14:00:00-04:00"), Type::Instant, 0), "14:00");
        assert_eq!(shown(&at("2026-09-27T03:59:00Z"), Type::Instant, 0), "23:59");
        assert_eq!(shown(&at("2026-09-27T04:00:00Z"), Type::Instant, 0), "2026-09-27 00:00");
        let date = Value::Date(parse_date("2026-09-26").unwrap());
        assert_eq!(shown(&date, Type::Date, 0), "2026-09-26");
        assert_eq!(shown(&date, Type::Instant, 0), "2026-09-26", "an all-day item");
        assert_eq!(shown(&Value::Clock(9 * 3_600_000), Type::Clock, 0), "09:00");
        assert_eq!(shown(&Value::Clock(86_399_999), Type::Clock, 0), "23:59");
        assert_eq!(shown(&Value::Text("8-K".into()), Type::Word, 0), "8-K");
        assert_eq!(shown(&Value::Flag(true), Type::Flag, 0), "true");
        assert!(!shown(&Value::Instant(Instant(i64::MIN)), Type::Date, 0).is_empty());
    }

    /// `-12.34bpm` in hundredths.
    fn read(text: &str, decimals: usize) -> i128 {
        let number: String =
            text.chars().filter(|sign| sign.is_ascii_digit() || "-.".contains(*sign)).collect();
        let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
        assert_eq!(fraction.len(), decimals, "{text}");
        format!("{whole}{fraction}").parse().unwrap()
    }

    proptest! {
        #[test]
        fn whole_steps_are_shown_without_loss(steps in any::<i64>(), index in 0..BUILTIN_UNITS.len()) {
            let UnitInfo { word, scale, .. } = &BUILTIN_UNITS[index];
            let text = number(i128::from(steps), 1, unit(word));
            prop_assert!(text.ends_with(&**word));
            prop_assert_eq!(read(&text, usize::from(*scale)), i128::from(steps));
        }

        #[test]
        fn whole_minutes_are_read_back(minutes in -10_000_000_i64..10_000_000) {
            let ms = minutes * MS_PER_MINUTE;
            let text = number(i128::from(ms), 1, Type::Duration);
            prop_assert_eq!(parse_duration(&text).unwrap(), ms, "{}", text);
        }

        #[test]
        fn fractions_are_shown_as_the_nearest_or_the_even(num in any::<i64>(), den in 1_i64..1000) {
            let (num, den) = (i128::from(num), i128::from(den));
            let text = number(num, den, unit("bpm"));
            let twice = 2 * (read(&text, 1) * den - num);
            prop_assert!(twice.abs() < den || (twice.abs() == den && read(&text, 1) % 2 == 0), "{}", text);
        }

        #[test]
        fn any_number_is_shown(num in any::<i128>(), den in 1..i128::MAX, extra in 0_u8..4) {
            for ty in [Type::Duration, Type::Number, unit("km"), money("KWD"), Type::Flag] {
                prop_assert!(!shown(&Value::Number(Ratio::new(num, den).unwrap()), ty, extra).is_empty());
            }
        }
    }
}
