//! Statistics of a bag of whole steps, exact.

use super::bag::Bag;
use crate::engine::syntax::ast::StatKind;
use crate::engine::value::Ratio;

/// 1.4826 makes the median absolute deviation an estimate of the standard deviation of a normal distribution
/// (1 / Φ⁻¹(3/4), Rousseeuw and Croux 1993).
const SPREAD: (i128, i128) = (14_826, 10_000);

/// A square root is rounded half-even at so many decimals of the unit; it is exact from there.
const ROOT_DECIMALS: u32 = 6;

/// The statistic of the numbers of a bag; `newest` is the last by time, `scale` the decimals of the unit that
/// the numbers are steps of. `None` when there is none, as of an empty bag.
#[must_use]
pub fn statistic(kind: StatKind, bag: &Bag, newest: Option<i64>, scale: u8) -> Option<Ratio> {
    match kind {
        StatKind::Median => bag.median(),
        StatKind::Mean => Ratio::new(bag.sum(), i128::try_from(bag.len()).ok()?),
        StatKind::Min => bag.min().map(Ratio::whole),
        StatKind::Max => bag.max().map(Ratio::whole),
        StatKind::Sum => (!bag.is_empty()).then(|| Ratio::new(bag.sum(), 1)).flatten(),
        StatKind::Count => i64::try_from(bag.len()).ok().map(Ratio::whole),
        StatKind::Last => newest.map(Ratio::whole),
        StatKind::Percentile(percent) => bag.percentile(percent),
        StatKind::Sd => deviation(bag, scale),
        StatKind::Spread => bag.median_deviation()?.checked_mul(Ratio::new(SPREAD.0, SPREAD.1)?),
    }
}

/// The sample standard deviation (n − 1): `√((n·Σx² − (Σx)²) / (n·(n−1)))`.
fn deviation(bag: &Bag, scale: u8) -> Option<Ratio> {
    let (scaled, n) = bag.variance_parts()?;
    let below = n.checked_mul(n.checked_sub(1)?)?;
    if below <= 0 {
        return None;
    }
    // One step is 10^-scale of the unit, so 10^-6 of the unit are 10^(scale - 6) steps.
    let finer = 10_i128.checked_pow(ROOT_DECIMALS.checked_sub(u32::from(scale))?)?;
    // The wanted whole number is √(scaled · finer² / below), rounded half-even.
    let (num, den) = reduce(scaled.checked_mul(finer)?.checked_mul(finer)?, below);
    Ratio::new(rounded_root(num, den)?, finer)
}

fn reduce(num: i128, den: i128) -> (i128, i128) {
    match Ratio::new(num, den) {
        Some(ratio) => (ratio.reduced().num(), ratio.reduced().den()),
        None => (num, den),
    }
}

/// `√(num / den)` rounded half-even to a whole number.
fn rounded_root(num: i128, den: i128) -> Option<i128> {
    let floor = num.checked_div(den)?.checked_isqrt()?;
    // Is the root at or above floor + 1/2? That is 4·num against (2·floor + 1)²·den.
    let middle = floor.checked_mul(2)?.checked_add(1)?;
    let order = num.checked_mul(4)?.cmp(&middle.checked_mul(middle)?.checked_mul(den)?);
    Some(match order {
        std::cmp::Ordering::Less => floor,
        std::cmp::Ordering::Greater => floor.checked_add(1)?,
        std::cmp::Ordering::Equal => floor.checked_add(floor & 1)?,
    })
}
