//! Decimal digits to whole steps and back, exactly: 43.5 in tenths is 435 steps.
//!
//! More decimals than are kept round half to even. No binary float, any number of digits. Which forms of a
//! number are allowed is for those who read one, see [`Digits`].

/// The digits of a number, cut by whoever knows its form. Bytes that are no digits give a wrong number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Digits<'a> {
    /// True with a `-`.
    pub negative: bool,
    /// Digits before the point.
    pub whole: &'a [u8],
    /// Digits after the point.
    pub fraction: &'a [u8],
    /// Power of ten.
    pub exponent: i64,
}

impl Digits<'_> {
    /// The number times `10^scale`, rounded half to even; `None` when 64 bits do not hold it.
    #[must_use]
    pub fn steps(&self, scale: u8) -> Option<i64> {
        let digits = || self.whole.iter().chain(self.fraction).map(|byte| i64::from(byte & 15));
        let length = self.whole.len().saturating_add(self.fraction.len());
        let point = i64::try_from(self.whole.len()).unwrap_or(i64::MAX);
        let kept = point.saturating_add(self.exponent).saturating_add(i64::from(scale));
        if kept < 0 {
            return Some(0);
        }
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        let mut value = 0_i64;
        // Negative all along, since there is one more negative number than there are positive ones.
        let push = |value: i64, digit: i64| value.checked_mul(10)?.checked_sub(digit);
        for digit in digits().take(kept) {
            value = push(value, digit)?;
        }
        if value != 0 {
            for _ in length..kept {
                value = push(value, 0)?;
            }
        }
        let mut dropped = digits().skip(kept);
        let first = dropped.next().unwrap_or(0);
        let up = first > 5 || (first == 5 && (dropped.any(|digit| digit != 0) || value % 2 != 0));
        let value = if up { value.checked_sub(1)? } else { value };
        if self.negative { Some(value) } else { value.checked_neg() }
    }
}

/// The digits at the beginning of a text, and what follows them.
#[must_use]
pub fn leading_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, &[]))
}

/// What follows an `e`, its sign included. Saturates: beyond a few thousand every exponent is alike.
#[must_use]
pub fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value =
        digits.iter().fold(0_i64, |sum, byte| sum.saturating_mul(10).saturating_add(i64::from(byte & 15)));
    Some(if negative { value.saturating_neg() } else { value })
}

/// Steps with all their decimals: 12345 with two is `123.45`, 600 with one is `60.0`.
#[must_use]
pub fn fixed_decimal(steps: i128, scale: u8) -> String {
    let width = usize::from(scale);
    let sign = if steps < 0 { "-" } else { "" };
    let digits = format!("{:0>1$}", steps.unsigned_abs(), width.saturating_add(1));
    match digits.split_at_checked(digits.len().saturating_sub(width)) {
        Some((whole, fraction)) if width > 0 => format!("{sign}{whole}.{fraction}"),
        _ => format!("{sign}{digits}"),
    }
}

/// Steps with the decimals that they need: 600 with one is `60`.
#[must_use]
pub fn short_decimal(steps: i128, scale: u8) -> String {
    let fixed = fixed_decimal(steps, scale);
    if scale == 0 { fixed } else { fixed.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// `value / unit` as a whole number, half to even; `unit` above zero.
#[must_use]
pub fn half_even(value: i64, unit: i64) -> i64 {
    let (floor, rest) = (value.div_euclid(unit), value.rem_euclid(unit));
    let twice = rest.saturating_mul(2);
    floor + i64::from(twice > unit || (twice == unit && floor % 2 != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_place() {
        for (steps, scale, fixed, short) in [
            (435, 1, "43.5", "43.5"),
            (-5, 2, "-0.05", "-0.05"),
            (600, 1, "60.0", "60"),
            (0, 3, "0.000", "0"),
            (700, 0, "700", "700"),
            (
                i128::MIN,
                0,
                "-170141183460469231731687303715884105728",
                "-170141183460469231731687303715884105728",
            ),
        ] {
            assert_eq!(fixed_decimal(steps, scale), fixed);
            assert_eq!(short_decimal(steps, scale), short);
        }
    }

    #[test]
    fn halves_go_to_the_even_neighbour() {
        for (value, whole) in [(5, 0), (6, 1), (15, 2), (25, 2), (-5, 0), (-15, -2), (-16, -2), (-4, 0)] {
            assert_eq!(half_even(value, 10), whole, "{value}");
        }
    }
}
