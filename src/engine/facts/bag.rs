//! A multiset of whole numbers that knows its order.
//!
//! Sorted runs of at most [`RUN_MAX`] numbers: an insertion moves a short run, a rank walks the few runs
//! before it. That is O(√n) with constants so small that it beats a balanced tree at every size that a
//! window has (ten years of dates, a week of minutes), and it is saved as plain lists.
//!
//! INVARIANT: runs are sorted, none is empty, and no number of a run is above one of the next.

use serde::{Deserialize, Serialize};

use crate::engine::value::Ratio;

/// Most numbers in a run; a full one is halved.
const RUN_MAX: usize = 128;

/// The multiset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bag {
    runs: Vec<Vec<i64>>,
    len: usize,
    sum: i128,
    squares: i128,
}

impl Bag {
    /// How many numbers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True without any number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Their sum.
    #[must_use]
    pub fn sum(&self) -> i128 {
        self.sum
    }

    /// The sum of their squares. It wraps where `n·x²` leaves 128 bits, so that taking numbers out again
    /// makes it right; [`Self::variance_parts`] does not use it there.
    #[must_use]
    pub fn squares(&self) -> i128 {
        self.squares
    }

    /// The run that a number belongs to.
    fn place(&self, number: i64) -> usize {
        let after = self.runs.partition_point(|run| run.first().is_some_and(|first| *first <= number));
        after.saturating_sub(1)
    }

    /// Adds a number.
    pub fn insert(&mut self, number: i64) {
        self.len = self.len.saturating_add(1);
        self.sum = self.sum.wrapping_add(i128::from(number));
        self.squares = self.squares.wrapping_add(i128::from(number).wrapping_mul(i128::from(number)));
        let place = self.place(number);
        let Some(run) = self.runs.get_mut(place) else {
            self.runs.push(vec![number]);
            return;
        };
        let at = run.partition_point(|other| *other <= number);
        run.insert(at, number);
        if run.len() > RUN_MAX {
            let upper = run.split_off(RUN_MAX / 2);
            self.runs.insert(place.saturating_add(1), upper);
        }
    }

    /// Takes a number out; false when it is not there.
    pub fn remove(&mut self, number: i64) -> bool {
        // Equal numbers may have been split over two runs: the last run that begins at or below it has one.
        let place = self.place(number);
        let Some(run) = self.runs.get_mut(place) else { return false };
        let Ok(at) = run.binary_search(&number) else { return false };
        run.remove(at);
        if run.is_empty() {
            self.runs.remove(place);
        }
        self.len = self.len.saturating_sub(1);
        self.sum = self.sum.wrapping_sub(i128::from(number));
        self.squares = self.squares.wrapping_sub(i128::from(number).wrapping_mul(i128::from(number)));
        true
    }

    /// The number of a rank, from 0 for the smallest.
    #[must_use]
    pub fn kth(&self, mut rank: usize) -> Option<i64> {
        for run in &self.runs {
            match run.get(rank) {
                Some(number) => return Some(*number),
                None => rank = rank.saturating_sub(run.len()),
            }
        }
        None
    }

    /// How many numbers are below another.
    fn below(&self, number: i64) -> usize {
        let mut count = 0_usize;
        for run in &self.runs {
            if run.last().is_some_and(|last| *last < number) {
                count = count.saturating_add(run.len());
            } else {
                return count.saturating_add(run.partition_point(|other| *other < number));
            }
        }
        count
    }

    /// The smallest.
    #[must_use]
    pub fn min(&self) -> Option<i64> {
        self.runs.first()?.first().copied()
    }

    /// The largest.
    #[must_use]
    pub fn max(&self) -> Option<i64> {
        self.runs.last()?.last().copied()
    }

    /// The value below which `percent` of the numbers lie, linear between ranks: rank `percent/100 · (n−1)`.
    #[must_use]
    pub fn percentile(&self, percent: u8) -> Option<Ratio> {
        let span = self.len.checked_sub(1)?;
        let scaled = span.checked_mul(usize::from(percent.min(100)))?;
        let (rank, rest) = (scaled.checked_div(100)?, scaled.checked_rem(100)?);
        let low = i128::from(self.kth(rank)?);
        if rest == 0 {
            return Ratio::new(low, 1);
        }
        let high = i128::from(self.kth(rank.saturating_add(1))?);
        let part = high.checked_sub(low)?.checked_mul(i128::try_from(rest).ok()?)?;
        Ratio::new(low.checked_mul(100)?.checked_add(part)?, 100)
    }

    /// The middle number; of an even count, the mean of the middle two.
    #[must_use]
    pub fn median(&self) -> Option<Ratio> {
        self.percentile(50)
    }

    /// The median of the absolute deviations from the median.
    ///
    /// Deviations to the left and to the right of the median are two sorted lists; their k-th smallest is
    /// found by halving how many come from the left.
    #[must_use]
    pub fn median_deviation(&self) -> Option<Ratio> {
        let twice = self.median()?.checked_mul(Ratio::whole(2))?.as_whole()?;
        let last = self.len.checked_sub(1)?;
        let low = self.deviation(twice, last / 2)?;
        let high = if self.len.is_multiple_of(2) { self.deviation(twice, last / 2 + 1)? } else { low };
        // Deviations are held doubled, and the mean of two is wanted.
        Ratio::new(low.checked_add(high)?, 4)
    }

    /// The k-th smallest of `|2x − twice|`.
    fn deviation(&self, twice: i64, rank: usize) -> Option<i128> {
        let middle = self.below(twice.div_euclid(2).saturating_add(i64::from(twice.rem_euclid(2) != 0)));
        let left = |n: usize| -> Option<i128> {
            let at = middle.checked_sub(n.checked_add(1)?)?;
            i128::from(twice).checked_sub(i128::from(self.kth(at)?).checked_mul(2)?)
        };
        let right = |n: usize| -> Option<i128> {
            let value = i128::from(self.kth(middle.checked_add(n)?)?).checked_mul(2)?;
            value.checked_sub(i128::from(twice))
        };
        // How many of the `rank + 1` smallest come from the left.
        let take = rank.checked_add(1)?;
        let (mut low, mut high) = (take.saturating_sub(self.len.saturating_sub(middle)), take.min(middle));
        while low < high {
            let mid = low.midpoint(high);
            let goes_on = match (left(mid), right(take.saturating_sub(mid).saturating_sub(1))) {
                (Some(left), Some(right)) => left < right,
                (Some(_), None) => true,
                _ => false,
            };
            if goes_on { low = mid.saturating_add(1) } else { high = mid }
        }
        let from_left = low.checked_sub(1).and_then(left);
        let from_right = take.checked_sub(low).and_then(|n| n.checked_sub(1)).and_then(right);
        from_left.into_iter().chain(from_right).max()
    }

    /// The sample variance times `n · (n − 1)`, exact: `n·Σx² − (Σx)²`; and `n`. `None` where it does not
    /// fit.
    #[must_use]
    pub fn variance_parts(&self) -> Option<(i128, i128)> {
        let n = i128::try_from(self.len).ok()?;
        let largest = i128::from(self.min()?.unsigned_abs().max(self.max()?.unsigned_abs()));
        largest.checked_mul(largest)?.checked_mul(n)?;
        let scaled = self.squares.checked_mul(n)?.checked_sub(self.sum.checked_mul(self.sum)?)?;
        Some((scaled, n))
    }
}
