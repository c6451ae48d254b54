//! Health samples to readings: what every health format has in common.
//!
//! Decoders hand in samples as they meet them; [`HealthDays`] keeps them in a compact form and yields the
//! recorded days at the end, in order of time. It never guesses a value and never turns absence into zero.
//!
//! Beside the readings it says when the source was read, which rules about silence ask for; see [`reads`].
//!
//! Invariants: the order of the samples does not matter; at most [`SAMPLES_MAX`] samples are held.

mod collect;
pub mod nights;
pub mod places;
pub mod reads;
pub mod stamp;
pub mod steps;

pub use collect::{HealthDays, HealthError, HealthRecords, SAMPLES_MAX, Sample, Vital};

use std::collections::BTreeMap;

use super::Imported;
use super::decimal::Decimal;
use crate::engine::time::MS_PER_HOUR;

/// The signals that health importers write.
pub const SIGNALS: &[&str] = &[
    "health.asleep",
    "health.deep",
    "health.rem",
    "health.core",
    "health.awake",
    "health.in-bed",
    "health.resting",
    "health.hrv",
    "health.respiratory",
    "health.oxygen",
    "health.steps",
    reads::SIGNAL,
];

/// No sleep sample is longer than this; importers leave such out.
pub const SLEEP_MS_MAX: i64 = 36 * MS_PER_HOUR;

/// Blood oxygen in per cent. Apple, and some versions of other apps, write a fraction of one; nobody lives
/// with one per cent.
#[must_use]
pub fn oxygen_percent(written: Decimal) -> Option<Decimal> {
    if written <= Decimal::whole(1)? { written.times(100) } else { Some(written) }
}

impl From<HealthRecords> for Imported {
    fn from(records: HealthRecords) -> Self {
        Self { notes: records.notes(), records: Box::new(records) }
    }
}

/// Samples of the kinds that are read which gave no reading, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    reasons: BTreeMap<&'static str, (u64, String)>,
}

impl Dropped {
    /// Counts one sample that is left out; the first of each reason is kept as an example.
    pub fn add(&mut self, reason: &'static str, example: &str) {
        let entry = self.reasons.entry(reason).or_insert_with(|| (0, example.chars().take(80).collect()));
        entry.0 = entry.0.saturating_add(1);
    }

    /// Sentences for people: how many, why, and the first one.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let sentence = |(reason, (count, example)): (&&str, &(u64, String))| {
            format!("{count} left out: {reason}, such as `{example}`")
        };
        self.reasons.iter().map(sentence).collect()
    }

    /// How many were left out for this reason.
    #[must_use]
    pub fn count(&self, reason: &str) -> u64 {
        self.reasons.get(reason).map_or(0, |(count, _)| *count)
    }
}
