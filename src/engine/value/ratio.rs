//! Exact rational numbers with checked arithmetic.
//!
//! INVARIANT: `den > 0`. A ratio need not be in lowest terms; equality and order are by value.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// `num / den`, exact.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ratio {
    num: i128,
    den: i128,
}

impl Ratio {
    /// Zero.
    pub const ZERO: Self = Self { num: 0, den: 1 };

    /// A whole number.
    #[must_use]
    pub const fn whole(num: i64) -> Self {
        Self { num: num as i128, den: 1 }
    }

    /// A fraction; `None` when the denominator is zero or cannot be negated.
    #[must_use]
    pub fn new(num: i128, den: i128) -> Option<Self> {
        match den.cmp(&0) {
            Ordering::Equal => None,
            Ordering::Greater => Some(Self { num, den }),
            Ordering::Less => Some(Self { num: num.checked_neg()?, den: den.checked_neg()? }),
        }
    }

    /// Numerator.
    #[must_use]
    pub const fn num(self) -> i128 {
        self.num
    }

    /// Denominator, above zero.
    #[must_use]
    pub const fn den(self) -> i128 {
        self.den
    }

    /// Numerator and denominator, where both are small.
    #[must_use]
    pub fn small(self) -> Option<(i64, i64)> {
        Some((i64::try_from(self.num).ok()?, i64::try_from(self.den).ok()?))
    }

    /// The whole number it is, if it is one and fits.
    #[must_use]
    pub fn as_whole(self) -> Option<i64> {
        if self.num.checked_rem(self.den)? != 0 {
            return None;
        }
        i64::try_from(self.num.checked_div(self.den)?).ok()
    }

    /// The largest whole number at or below it, if that fits, and whether it is that number.
    #[must_use]
    pub fn floor(self) -> Option<(i64, bool)> {
        // 64-bit division is many times faster, and nearly all values fit.
        if let Some((num, den)) = self.small() {
            return Some((num.checked_div_euclid(den)?, num.checked_rem_euclid(den)? == 0));
        }
        let floor = self.num.checked_div_euclid(self.den)?;
        Some((i64::try_from(floor).ok()?, self.num.checked_rem_euclid(self.den)? == 0))
    }

    /// In lowest terms.
    #[must_use]
    pub fn reduced(self) -> Self {
        let divisor = gcd(self.num.unsigned_abs(), self.den.unsigned_abs());
        match i128::try_from(divisor) {
            Ok(divisor) if divisor > 1 => Self {
                num: self.num.checked_div(divisor).unwrap_or(self.num),
                den: self.den.checked_div(divisor).unwrap_or(self.den),
            },
            _ => self,
        }
    }

    /// Sum.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        if self.den == other.den {
            return Some(Self { num: self.num.checked_add(other.num)?, den: self.den });
        }
        self.add_crossed(other).or_else(|| self.reduced().add_crossed(other.reduced())).map(Self::tidied)
    }

    fn add_crossed(self, other: Self) -> Option<Self> {
        let left = self.num.checked_mul(other.den)?;
        let right = other.num.checked_mul(self.den)?;
        Some(Self { num: left.checked_add(right)?, den: self.den.checked_mul(other.den)? })
    }

    /// The opposite.
    #[must_use]
    pub fn checked_neg(self) -> Option<Self> {
        Some(Self { num: self.num.checked_neg()?, den: self.den })
    }

    /// Difference.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(other.checked_neg()?)
    }

    /// Product.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let crossed =
            |a: Self, b: Self| Some(Self { num: a.num.checked_mul(b.num)?, den: a.den.checked_mul(b.den)? });
        crossed(self, other).or_else(|| crossed(self.reduced(), other.reduced())).map(Self::tidied)
    }

    /// Quotient; `None` also when dividing by zero.
    #[must_use]
    pub fn checked_div(self, other: Self) -> Option<Self> {
        self.checked_mul(Self::new(other.den, other.num)?)
    }

    /// Keeps fractions small, so that long chains do not overflow needlessly.
    fn tidied(self) -> Self {
        if self.den > 1 << 40 { self.reduced() } else { self }
    }

    /// Multiplied by `10^digits` and rounded half-even to a whole number.
    #[must_use]
    pub fn rounded(self, digits: u32) -> Option<i128> {
        let num = self.num.checked_mul(10_i128.checked_pow(digits)?)?;
        let floor = num.checked_div_euclid(self.den)?;
        let rest = num.checked_rem_euclid(self.den)?;
        match rest.checked_mul(2)?.cmp(&self.den) {
            Ordering::Less => Some(floor),
            Ordering::Greater => floor.checked_add(1),
            Ordering::Equal => floor.checked_add(floor & 1),
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        let rest = a.checked_rem(b).unwrap_or(0);
        a = b;
        b = rest;
    }
    a
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    /// Exact: cross-multiplied, and by continued fractions where that would overflow.
    fn cmp(&self, other: &Self) -> Ordering {
        if self.den == other.den {
            return self.num.cmp(&other.num);
        }
        match (self.num.checked_mul(other.den), other.num.checked_mul(self.den)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => compare_by_parts(*self, *other),
        }
    }
}

/// Compares whole parts, then the reciprocals of what is left; ends since denominators shrink.
fn compare_by_parts(mut a: Ratio, mut b: Ratio) -> Ordering {
    let mut flipped = false;
    loop {
        let whole = |r: Ratio| (r.num.div_euclid(r.den), r.num.rem_euclid(r.den));
        let ((a_whole, a_rest), (b_whole, b_rest)) = (whole(a), whole(b));
        let order = match a_whole.cmp(&b_whole) {
            Ordering::Equal => match (a_rest, b_rest) {
                (0, 0) => Ordering::Equal,
                (0, _) => Ordering::Less,
                (_, 0) => Ordering::Greater,
                _ => {
                    (a, b) = (Ratio { num: a.den, den: a_rest }, Ratio { num: b.den, den: b_rest });
                    flipped = !flipped;
                    continue;
                }
            },
            order => order,
        };
        return if flipped { order.reverse() } else { order };
    }
}

impl std::hash::Hash for Ratio {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let reduced = self.reduced();
        reduced.num.hash(state);
        reduced.den.hash(state);
    }
}
