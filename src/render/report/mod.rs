//! How the rules fared over some days: sums by rule, as text, JSON and a picture.
//!
//! Sums are handed in; nothing here reads a journal or a clock. The same report gives the same bytes.

mod svg;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use serde::Serialize;

pub use svg::svg;
pub use text::text;

/// A report. Key order is field order; counts are of triggers that ended in the period.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RulesReport {
    /// First date.
    pub from: String,
    /// Last date, included.
    pub to: String,
    /// By rule; rules that did nothing too.
    pub rules: BTreeMap<String, RuleSums>,
    /// Runs of schedules that did not happen, by schedule.
    pub missed: BTreeMap<String, u64>,
    /// Milliseconds of the period in which the watch ran.
    pub up_ms: i64,
    /// Milliseconds of the period since the first start in it.
    pub period_ms: i64,
}

/// Sums of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuleSums {
    /// Triggers.
    pub fired: u64,
    /// Handed over.
    pub delivered: u64,
    /// Told in a digest.
    pub digested: u64,
    /// Too late, or no longer true.
    pub expired: u64,
    /// Stopped, by gate.
    pub suppressed: BTreeMap<String, u64>,
    /// Rated `useful`.
    pub useful: u64,
    /// Rated `noise`.
    pub noise: u64,
    /// Median milliseconds from when the newest thing that it learnt was true to when the message was shown.
    pub delay_ms: Option<i64>,
}

impl RuleSums {
    /// Of what was rated, the useful part in per cent, rounded down; nothing where nothing was rated.
    #[must_use]
    pub fn precision(&self) -> Option<u64> {
        let rated = self.useful.saturating_add(self.noise);
        self.useful.saturating_mul(100).checked_div(rated)
    }

    /// Stopped by any gate.
    #[must_use]
    pub fn stopped(&self) -> u64 {
        self.suppressed.values().sum()
    }
}

impl RulesReport {
    /// Tenths of a per cent of the period in which the watch ran; nothing for an empty period.
    #[must_use]
    pub fn up_tenths(&self) -> Option<i64> {
        self.up_ms.saturating_mul(1000).checked_div(self.period_ms)
    }
}

/// The middle one; of an even count the mean of the two, rounded down.
#[must_use]
pub fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    let upper = values.len().checked_div(2)?;
    let high = *values.get(upper)?;
    if values.len() % 2 == 1 {
        return Some(high);
    }
    let low = *values.get(upper.checked_sub(1)?)?;
    Some(low.saturating_add(high.saturating_sub(low) / 2))
}
