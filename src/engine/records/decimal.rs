//! Numbers of JSON to whole steps, exactly.
//!
//! Any number of digits, no float, no allocation; most numbers take a short path.

use crate::engine::value::decimal::{Digits, exponent, leading_digits};

/// Why digits are no steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalError {
    /// Not written as JSON writes a number.
    NotANumber,
    /// More steps than 64 bits hold.
    TooLarge,
}

/// A number of few digits and without exponent; `None` where [`steps`] has to decide.
#[inline]
pub(super) fn few(digits: &[u8], scale: u8) -> Option<i64> {
    let (negative, unsigned) = match digits {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, digits),
    };
    if unsigned.len() > 17 || matches!(unsigned, [] | [b'0', b'0'..=b'9', ..] | [b'.', ..] | [.., b'.']) {
        return None;
    }
    let mut mantissa = 0_i64;
    let mut decimals = None;
    for byte in unsigned {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa.checked_mul(10)?.checked_add(i64::from(byte & 15))?;
                decimals = decimals.map(|count: u8| count.saturating_add(1));
            }
            b'.' if decimals.is_none() => decimals = Some(0),
            _ => return None,
        }
    }
    let missing = scale.checked_sub(decimals.unwrap_or(0))?;
    let steps = mantissa.checked_mul(10_i64.checked_pow(u32::from(missing))?)?;
    Some(if negative { -steps } else { steps })
}

/// A JSON number, times `10^scale`, rounded half to even.
pub(super) fn steps(number: &[u8], scale: u8) -> Result<i64, DecimalError> {
    json_digits(number).ok_or(DecimalError::NotANumber)?.steps(scale).ok_or(DecimalError::TooLarge)
}

/// A number as JSON writes it: no `+`, no leading zeros, a digit on both sides of the point.
fn json_digits(number: &[u8]) -> Option<Digits<'_>> {
    let (negative, rest) = match number {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, number),
    };
    let (whole, rest) = leading_digits(rest);
    if matches!(whole, [] | [b'0', _, ..]) {
        return None;
    }
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => Some(leading_digits(rest)).filter(|(digits, _)| !digits.is_empty())?,
        _ => (&[][..], rest),
    };
    let exponent = match rest {
        [] => 0,
        [b'e' | b'E', digits @ ..] => exponent(digits)?,
        _ => return None,
    };
    Some(Digits { negative, whole, fraction, exponent })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{DecimalError, few, steps};

    #[test]
    fn rounds_half_to_even() {
        for (number, scale, expected) in [
            ("31.5", 1, 315),
            ("31.45", 1, 314),
            ("31.55", 1, 316),
            ("31.4500001", 1, 315),
            ("-31.45", 1, -314),
            ("-0.05", 1, 0),
            ("-0.15", 1, -2),
            ("0.05", 1, 0),
            ("0.5", 0, 0),
            ("1.5", 0, 2),
            ("0.049e0", 1, 0),
            ("5e-2", 1, 0),
            ("5.1E-2", 1, 1),
            ("1e3", 1, 10_000),
            ("9e-99999999999999999999", 6, 0),
            ("0e99999999999999999999", 6, 0),
            ("-9223372036854775808", 0, i64::MIN),
            ("0.00000000000000000000000000000000001", 6, 0),
        ] {
            assert_eq!(steps(number.as_bytes(), scale), Ok(expected), "{number}");
        }
    }

    #[test]
    fn refuses_what_json_refuses() {
        for number in
            ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1_000", "NaN", "1 ", "--1", "1.2.3"]
        {
            assert_eq!(steps(number.as_bytes(), 1), Err(DecimalError::NotANumber), "{number}");
            assert_eq!(few(number.as_bytes(), 1), None, "{number}");
        }
        for number in ["9223372036854775808", "1e19", "922337203685477580.8e1", "1e999999999999"] {
            assert_eq!(steps(number.as_bytes(), 0), Err(DecimalError::TooLarge), "{number}");
        }
    }

    proptest! {
        #[test]
        fn few_digits_give_the_same(number in "-?[0-9]{0,12}[.]?[0-9]{0,9}", scale in 0_u8..7) {
            if let Some(value) = few(number.as_bytes(), scale) {
                prop_assert_eq!(steps(number.as_bytes(), scale), Ok(value));
            }
        }

        #[test]
        fn equals_the_exact_ratio(
            number in -1_000_000_000_000_i128..1_000_000_000_000,
            decimals in 0_u32..9,
            scale in 0_u8..7,
        ) {
            let ten = 10_i128.pow(decimals);
            let sign = if number < 0 { "-" } else { "" };
            let (whole, rest) = (number.abs() / ten, number.abs() % ten);
            let text = if decimals == 0 {
                format!("{sign}{whole}")
            } else {
                format!("{sign}{whole}.{rest:0width$}", width = decimals as usize)
            };
            let ratio = crate::engine::value::Ratio::new(number, ten).unwrap();
            let expected = i64::try_from(ratio.rounded(u32::from(scale)).unwrap()).unwrap();
            prop_assert_eq!(steps(text.as_bytes(), scale), Ok(expected));
            if let Some(value) = few(text.as_bytes(), scale) {
                prop_assert_eq!(value, expected);
            }
        }
    }
}
