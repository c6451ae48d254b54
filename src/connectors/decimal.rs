//! Decimal numbers as foreign files write them, held as whole billionths.
//!
//! Never a binary float: `0.97` stays 97 hundredths, so that a threshold means what it says. Digits beyond
//! the ninth decimal are rounded half to even; a number that does not fit is refused, not wrapped.

use std::fmt;

/// Billionths in one.
const ONE: i64 = 1_000_000_000;

/// A number in whole billionths, from about -9.2 to 9.2 thousand million.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal(i64);

impl Decimal {
    /// Reads `12`, `-0.5`, `+7.25` or `9.5e-05`; `None` for anything else and for what does not fit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, digits) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (digits, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        if !(-400..=400).contains(&exponent) {
            return None;
        }
        let mut value = Rounding::default();
        let place = i32::try_from(whole.len()).ok()?.checked_add(exponent)?;
        for (index, digit) in whole.bytes().chain(fraction.bytes()).enumerate() {
            let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
            let power = place - 1 - i32::try_from(index).ok()?;
            value.push(digit, power)?;
        }
        let billionths = value.finish()?;
        Some(Self(if negative { -billionths } else { billionths }))
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

    /// From billionths.
    #[must_use]
    pub fn from_billionths(billionths: i64) -> Self {
        Self(billionths)
    }

    /// This many times as much, if it fits.
    #[must_use]
    pub fn times(self, factor: i64) -> Option<Self> {
        self.0.checked_mul(factor).map(Self)
    }
}

/// Collects digits from the left and rounds what lies below a billionth.
#[derive(Default)]
struct Rounding {
    billionths: i64,
    below: i64,
    sticky: bool,
}

impl Rounding {
    /// `digit` times ten to the `power`.
    fn push(&mut self, digit: i64, power: i32) -> Option<()> {
        match power {
            -9.. if digit == 0 => {}
            -9..=9 => {
                let scale = 10_i64.checked_pow(u32::try_from(power + 9).ok()?)?;
                self.billionths = self.billionths.checked_add(digit.checked_mul(scale)?)?;
            }
            10.. => return None,
            -10 => self.below = digit,
            _ => self.sticky |= digit != 0,
        }
        Some(())
    }

    fn finish(self) -> Option<i64> {
        let odd = self.billionths % 2 != 0;
        let up = self.below > 5 || (self.below == 5 && (self.sticky || odd));
        self.billionths.checked_add(i64::from(up))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, fraction) =
            (self.0.unsigned_abs() / 1_000_000_000, self.0.unsigned_abs() % 1_000_000_000);
        if fraction == 0 {
            return write!(f, "{sign}{whole}");
        }
        let digits = format!("{fraction:09}");
        write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
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
