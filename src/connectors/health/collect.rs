//! Holds the samples of one import in compact form and yields their recorded days.
//!
//! One reading a night or day for sleep, resting rate and steps; one a sample for the vitals; and the reads
//! of the source. Sorted by local date, then time.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::vec::IntoIter;

use chrono::NaiveDate;

use super::Dropped;
use super::nights::{Segment, Session, Totals, nights, sessions};
use super::places::Places;
use super::reads::{self, reads};
use super::steps::{StepSpan, daily};
use crate::connectors::decimal::Decimal;
use crate::connectors::left_out::LeftOut;
use crate::connectors::recorded_day::{DayRecord, DayRecordKind, ReadingValue};

/// Samples that one import may hold: two decades of a phone and a watch, and under 100 MB of memory.
pub const SAMPLES_MAX: usize = 3_000_000;

/// Why an import stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HealthError {
    /// Too many samples of the kinds that are read.
    #[error("more than {SAMPLES_MAX} samples of sleep, steps and vitals; import the years one by one")]
    TooManySamples,
}

/// A vital that is read sample by sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vital {
    /// Heart rate variability (SDNN) in ms.
    Hrv,
    /// Breaths a minute.
    Respiratory,
    /// Blood oxygen in per cent.
    Oxygen,
    /// Beats a minute at rest, from a source that hands out readings instead of one value a day.
    Resting,
}

impl Vital {
    fn signal(self) -> &'static str {
        match self {
            Self::Hrv => "health.hrv",
            Self::Respiratory => "health.respiratory",
            Self::Oxygen => "health.oxygen",
            Self::Resting => "health.resting",
        }
    }

    /// The most that a body can have; what a rule believes is its signal's `range`.
    fn most(self) -> i64 {
        match self {
            Self::Hrv => 2_000,
            Self::Respiratory => 200,
            Self::Oxygen => 100,
            Self::Resting => RESTING_MAX,
        }
    }
}

/// The most beats a minute of a resting heart.
const RESTING_MAX: i64 = 400;
/// Why a value gives no reading.
const IMPOSSIBLE: &str = "its value is impossible";

fn is_possible(value: Decimal, most: i64) -> bool {
    value > Decimal::default() && Decimal::whole(most).is_some_and(|most| value <= most)
}

/// A value at the end of its measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// End in milliseconds since 1970.
    pub end_ms: i64,
    /// Zone, see [`Places::zone`].
    pub zone: u16,
    /// The value in the signal's unit.
    pub value: Decimal,
}

/// Compact: 16 bytes, see [`SAMPLES_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    end_s: u32,
    vital: Vital,
    zone: u16,
    value: Decimal,
}

/// What was read so far.
#[derive(Debug, Default)]
pub struct HealthDays {
    /// Zones and devices.
    pub places: Places,
    /// Samples that gave no reading.
    pub dropped: Dropped,
    /// Kinds that are not read.
    pub left_out: LeftOut,
    sleep: Vec<Segment>,
    nights: Vec<Session>,
    steps: Vec<StepSpan>,
    /// Days on which the counts lie.
    step_days: usize,
    resting: BTreeMap<NaiveDate, (i64, Sample)>,
    vitals: Vec<Held>,
}

impl HealthDays {
    fn room(&self) -> Result<(), HealthError> {
        // A sleep segment takes the space of three others.
        let held = self.sleep.len() * 3 + self.step_days + self.vitals.len() + self.nights.len() * 3;
        if held < SAMPLES_MAX { Ok(()) } else { Err(HealthError::TooManySamples) }
    }

    /// A sleep sample.
    ///
    /// # Errors
    /// When the limit is reached.
    pub fn add_sleep(&mut self, segment: Segment) -> Result<(), HealthError> {
        self.room()?;
        self.sleep.push(segment);
        Ok(())
    }

    /// A night that the source has already added up.
    ///
    /// # Errors
    /// When the limit is reached.
    pub fn add_night(&mut self, night: Session) -> Result<(), HealthError> {
        self.room()?;
        self.nights.push(night);
        Ok(())
    }

    /// A step count.
    ///
    /// # Errors
    /// When the limit is reached.
    pub fn add_steps(&mut self, span: StepSpan) -> Result<(), HealthError> {
        self.room()?;
        self.step_days += 1 + usize::try_from(span.seconds / 86_400).unwrap_or(usize::MAX);
        self.steps.push(span);
        Ok(())
    }

    /// A vital; counted as dropped when nobody can have it.
    ///
    /// # Errors
    /// When the limit is reached.
    pub fn add_vital(&mut self, vital: Vital, sample: Sample) -> Result<(), HealthError> {
        self.room()?;
        let Some(end_s) =
            u32::try_from(sample.end_ms / 1000).ok().filter(|_| is_possible(sample.value, vital.most()))
        else {
            self.dropped.add(IMPOSSIBLE, &format!("{} {}", vital.signal(), sample.value));
            return Ok(());
        };
        self.vitals.push(Held { end_s, vital, zone: sample.zone, value: sample.value });
        Ok(())
    }

    /// A resting rate in beats a minute. It is rewritten in the course of its day: of one date the value
    /// written last wins (`written` in ms since 1970), then the one that ends last, then the larger. Counted
    /// as dropped when nobody can have it.
    pub fn add_resting(&mut self, sample: Sample, written: i64) {
        if !is_possible(sample.value, RESTING_MAX) {
            self.dropped.add(IMPOSSIBLE, &format!("health.resting {}", sample.value));
            return;
        }
        let date = self.places.zone_of(sample.zone).date(sample.end_ms);
        let rank = |written: i64, sample: &Sample| (written, sample.end_ms, sample.value);
        let held = self.resting.entry(date).or_insert((written, sample));
        if rank(written, &sample) > rank(held.0, &held.1) {
            *held = (written, sample);
        }
    }

    /// How many samples are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sleep.len() + self.nights.len() + self.steps.len() + self.vitals.len() + self.resting.len()
    }

    /// True when nothing was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The recorded days.
    #[must_use]
    pub fn finish(mut self) -> HealthRecords {
        let mut given = std::mem::take(&mut self.nights);
        given.extend(sessions(std::mem::take(&mut self.sleep), &self.places));
        let mut few = Few { places: &self.places, records: Vec::new(), dates: BTreeSet::new() };
        for night in nights(&given).values() {
            few.night(night);
        }
        for day in daily(std::mem::take(&mut self.steps), &self.places) {
            if let Some(value) = Decimal::whole(day.steps) {
                few.reading((day.end_ms, day.zone), "health.steps", ReadingValue::Number(value));
            }
        }
        for (_, sample) in std::mem::take(&mut self.resting).into_values() {
            let value = ReadingValue::Number(sample.value);
            few.reading((sample.end_ms, sample.zone), "health.resting", value);
        }
        let mut vitals = std::mem::take(&mut self.vitals);
        let places = &self.places;
        vitals.sort_unstable_by_key(|held| {
            (places.zone_of(held.zone).date(i64::from(held.end_s) * 1000), *held)
        });
        vitals.dedup();
        let mut last = None;
        for held in &vitals {
            let date = (places.zone_of(held.zone).date(i64::from(held.end_s) * 1000), held.zone);
            if last.replace(date) != Some(date) {
                few.dates.insert(date);
            }
        }
        let few = few.finish();
        HealthRecords {
            places: self.places,
            dropped: self.dropped,
            left_out: self.left_out,
            few: few.into_iter().peekable(),
            vitals: vitals.into_iter().peekable(),
        }
    }
}

/// The records of which there are few, and on which dates there is any.
struct Few<'p> {
    places: &'p Places,
    records: Vec<DayRecord>,
    dates: BTreeSet<(NaiveDate, u16)>,
}

impl Few<'_> {
    fn night(&mut self, night: &Session) {
        let Totals { asleep, deep, rem, core, awake, in_bed } = night.totals;
        for (signal, amount) in [
            ("health.asleep", asleep),
            ("health.deep", deep),
            ("health.rem", rem),
            ("health.core", core),
            ("health.awake", awake),
            ("health.in-bed", in_bed),
        ] {
            if let Some(amount) = amount {
                self.reading((night.end_ms, night.zone), signal, ReadingValue::Duration(amount));
            }
        }
    }

    fn reading(&mut self, at: (i64, u16), signal: &'static str, value: ReadingValue) {
        self.dates.insert((self.places.zone_of(at.1).date(at.0), at.1));
        self.records.push(reading(self.places, at, signal, value));
    }

    /// With the reads of the source, by date and time.
    fn finish(self) -> Vec<DayRecord> {
        let read = |at| reading(self.places, at, reads::SIGNAL, ReadingValue::Flag(true));
        let mut records = self.records;
        records.extend(reads(&self.dates, self.places).into_iter().map(read));
        records.sort_by_cached_key(order);
        records
    }
}

fn reading(
    places: &Places,
    (at_ms, zone): (i64, u16),
    signal: &'static str,
    value: ReadingValue,
) -> DayRecord {
    let at = places.zone_of(zone).local(at_ms);
    DayRecord { at, observed: None, kind: DayRecordKind::Reading { signal, value } }
}

fn order(record: &DayRecord) -> (NaiveDate, i64) {
    (record.date(), record.at.timestamp_millis())
}

/// Recorded days by local date, then time.
#[derive(Debug)]
pub struct HealthRecords {
    places: Places,
    dropped: Dropped,
    left_out: LeftOut,
    few: Peekable<IntoIter<DayRecord>>,
    vitals: Peekable<IntoIter<Held>>,
}

impl HealthRecords {
    /// Samples that gave no reading.
    #[must_use]
    pub fn dropped(&self) -> &Dropped {
        &self.dropped
    }

    /// What was left out and why, in sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.left_out.note().into_iter().chain(self.dropped.notes()).collect()
    }
}

#[cfg(test)]
impl HealthRecords {
    /// Without the reads of the source.
    pub(crate) fn readings(self) -> impl Iterator<Item = DayRecord> {
        let is_read =
            |kind: &DayRecordKind| matches!(kind, DayRecordKind::Reading { signal: reads::SIGNAL, .. });
        self.filter(move |record| !is_read(&record.kind))
    }
}

impl Iterator for HealthRecords {
    type Item = DayRecord;

    fn next(&mut self) -> Option<DayRecord> {
        let vital = self.vitals.peek().map(|held| {
            let value = ReadingValue::Number(held.value);
            reading(&self.places, (i64::from(held.end_s) * 1000, held.zone), held.vital.signal(), value)
        });
        match (self.few.peek(), vital) {
            (Some(few), Some(vital)) if order(few) <= order(&vital) => self.few.next(),
            (_, Some(vital)) => {
                self.vitals.next();
                Some(vital)
            }
            (_, None) => self.few.next(),
        }
    }
}

#[cfg(test)]
#[path = "collect_tests.rs"]
mod tests;
