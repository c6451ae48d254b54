//! Decimal numbers as foreign files write them, held as whole billionths.
//!
//! Never a binary float: `0.97` stays 97 hundredths, so that a threshold means what it says. Digits beyond
//! the ninth decimal are rounded half to even; a number that does not fit is refused, not wrapped.

use std::fmt;

use crate::engine::value::decimal::{Digits, exponent, leading_digits, short_decimal};

/// Decimals kept: billionths.
const SCALE: u8 = 9;
/// Billionths in one.
const ONE: i64 = 1_000_000_000;

/// A number in whole billionths, from about -9.2 to 9.2 thousand million.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal(i64);

impl Decimal {
    /// Reads `12`, `-0.5`, `+7.25` or `9.5e-05`; `None` for anything else and for what does not fit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().as_bytes();
        let (negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let (whole, rest) = leading_digits(rest);
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => leading_digits(rest),
            _ => (&[][..], rest),
        };
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', digits @ ..] => exponent(digits)?,
            _ => return None,
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        Digits { negative, whole, fraction, exponent }.steps(SCALE).map(Self)
    }

    /// From a whole number.
    #[must_use]
    pub fn whole(value: i64) -> Option<Self> {
        value.checked_mul(ONE).map(Self)
    }

    /// Its billionths.
    #[must_use]
    pub fn billionths(self) -> i64 {
        self.0
    }

    /// This many times as much, if it fits.
    #[must_use]
    pub fn times(self, factor: i64) -> Option<Self> {
        self.0.checked_mul(factor).map(Self)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&short_decimal(i128::from(self.0), SCALE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_health_exports_write() {
        for (text, shown) in [
            ("72", "72"),
            ("0.97", "0.97"),
            ("22.5312", "22.5312"),
            ("-3.50", "-3.5"),
            ("+1", "1"),
            (".5", "0.5"),
            ("5.", "5"),
            ("9.5e-05", "0.000095"),
            ("1.2E3", "1200"),
            ("48.74499999999999", "48.745"),
            ("0.0000000005", "0"),
            ("0.0000000015", "0.000000002"),
            ("0.00000000050000001", "0.000000001"),
            ("0000000000000000000012", "12"),
        ] {
            assert_eq!(Decimal::parse(text).map(|value| value.to_string()).as_deref(), Some(shown), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_number_or_too_large() {
        for text in ["", "-", "abc", "1,5", "1e", "NaN", "inf", "1e400000", "99999999999", "1 2", "0x10"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(billionths in any::<i64>()) {
            let value = Decimal(billionths);
            prop_assert_eq!(Decimal::parse(&value.to_string()), Some(value));
        }
    }
}
