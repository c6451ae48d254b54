//! The JSON files of the app Health Auto Export.
//!
//! Two forms of sleep occur: samples with a stage, and whole nights that the app has added up. A night's
//! `asleep` is the whole, or only what no stage covers, or zero beside real stages, depending on the version;
//! see [`asleep_hours`]. A zero never becomes a reading, because the app also writes it for "not known".

pub mod payload;
#[cfg(test)]
mod tests;

use std::io::Read;

use self::payload::{Metric, Point, read_points};
use super::ImportKind;
use super::decimal::Decimal;
use super::health::nights::{Segment, Session, Stage, Totals};
use super::health::places::ReadingZone;
use super::health::stamp::{Stamp, parse_stamp};
use super::health::steps::StepSpan;
use super::health::{HealthDays, HealthRecords, SIGNALS, Sample, Vital};

/// Its row.
pub const KIND: ImportKind =
    ImportKind { name: "health-auto-export", about: "a JSON file of the app Health Auto Export", gives: SIGNALS };

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HealthAutoExportError {
    /// Cut off.
    #[error("the file ends in the middle, at line {line}, column {column}: it is truncated; export it again")]
    Truncated {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// Anything else that is wrong with the text.
    #[error("the file is not Health Auto Export's JSON: {0}")]
    Json(serde_json::Error),
    /// The reader failed.
    #[error("cannot read the file: {0}")]
    Read(serde_json::Error),
}

impl From<serde_json::Error> for HealthAutoExportError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_eof() {
            Self::Truncated { line: error.line(), column: error.column() }
        } else if error.is_io() {
            Self::Read(error)
        } else {
            Self::Json(error)
        }
    }
}

/// Recorded days of a file. `zone` replaces the offsets that are written, which are the phone's.
///
/// # Errors
/// When it is not the app's JSON, is cut off, or exceeds a limit.
pub fn read(input: impl Read, zone: Option<ReadingZone>) -> Result<HealthRecords, HealthAutoExportError> {
    let mut days = HealthDays::default();
    read_points(input, &mut |metric, point| take(&mut days, zone, metric, point))?;
    Ok(days.finish())
}

fn take(
    days: &mut HealthDays,
    zone: Option<ReadingZone>,
    metric: Metric<'_>,
    point: &Point,
) -> Result<(), String> {
    let place = |stamp: Stamp| zone.unwrap_or(ReadingZone::Fixed(stamp.offset));
    let result = match metric.name {
        "sleep_analysis" if point.start.is_some() => take_sample(days, metric, point, &place),
        "sleep_analysis" => take_night(days, metric, point, &place),
        "step_count" | "resting_heart_rate" | "heart_rate_variability" | "respiratory_rate"
        | "blood_oxygen_saturation" => take_amount(days, metric, point, &place),
        _ => return Ok(()),
    };
    match result {
        Ok(()) => Ok(()),
        Err(Left::Out(reason)) => {
            days.dropped.add(reason, &format!("{} {}", metric.name, point.date.as_deref().unwrap_or("")));
            Ok(())
        }
        Err(Left::Stop(error)) => Err(error),
    }
}

/// Why a point gives nothing.
enum Left {
    Out(&'static str),
    Stop(String),
}

impl From<super::health::HealthError> for Left {
    fn from(error: super::health::HealthError) -> Self {
        Self::Stop(error.to_string())
    }
}

const NO_TIME: Left = Left::Out("its time is missing or not a time");

fn stamp(text: Option<&String>) -> Option<Stamp> {
    text.and_then(|text| parse_stamp(text))
}

type Place<'p> = &'p dyn Fn(Stamp) -> ReadingZone;

fn take_sample(days: &mut HealthDays, metric: Metric<'_>, point: &Point, place: Place<'_>) -> Result<(), Left> {
    let start = stamp(point.start.as_ref()).ok_or(NO_TIME)?;
    let end = stamp(point.end.as_ref()).ok_or(NO_TIME)?;
    if end.ms <= start.ms || end.ms - start.ms > 36 * 3_600_000 {
        return Err(Left::Out("it ends before it starts or lasts more than 36 hours"));
    }
    let word = point.value.as_deref().unwrap_or("");
    let stage = stage(word).ok_or(Left::Out("its stage is not known"))?;
    let counted_ns = point.qty.and_then(|amount| nanoseconds(amount, metric.units));
    let source = days.places.source(point.source.as_deref().unwrap_or(""));
    let zone = days.places.zone(place(end));
    days.add_sleep(Segment { start_ms: start.ms, end_ms: end.ms, counted_ns, stage, source, zone })?;
    Ok(())
}

/// The stage that a sample's `value` names.
#[must_use]
pub fn stage(word: &str) -> Option<Stage> {
    Some(match word.to_lowercase().replace([' ', '_'], "").as_str() {
        "core" => Stage::Core,
        "deep" => Stage::Deep,
        "rem" => Stage::Rem,
        "awake" => Stage::Awake,
        "asleep" | "unspecified" | "asleepunspecified" => Stage::Asleep,
        "inbed" => Stage::InBed,
        _ => return None,
    })
}

fn take_night(days: &mut HealthDays, metric: Metric<'_>, point: &Point, place: Place<'_>) -> Result<(), Left> {
    let ends = [point.sleep_end.as_ref(), point.in_bed_end.as_ref(), point.date.as_ref()];
    let end = ends.into_iter().find_map(stamp).ok_or(NO_TIME)?;
    let amount = |hours: Option<f64>| hours.filter(|hours| *hours > 0.0).and_then(|h| nanoseconds(h, metric.units));
    let totals = Totals {
        asleep: amount(asleep_hours(point)),
        deep: amount(point.deep),
        rem: amount(point.rem),
        core: amount(point.core),
        awake: amount(point.awake),
        in_bed: amount(point.in_bed),
    };
    if totals == Totals::default() {
        return Err(Left::Out("a night without any time"));
    }
    let start_ms = stamp(point.sleep_start.as_ref()).map_or(end.ms, |start| start.ms);
    let wake_date = place(end).date(end.ms);
    let zone = days.places.zone(place(end));
    days.add_night(Session { start_ms, end_ms: end.ms, zone, wake_date, nap: false, totals })?;
    Ok(())
}

/// The whole of a night's sleep, in the metric's units: what the app calls the total; else the larger of
/// `asleep` and the stages when `asleep` holds them all, or both together when it is only what they leave out.
#[must_use]
pub fn asleep_hours(point: &Point) -> Option<f64> {
    if let Some(total) = point.total_sleep.filter(|total| *total > 0.0) {
        return Some(total);
    }
    let stages: f64 = [point.deep, point.rem, point.core].into_iter().flatten().sum();
    match point.asleep {
        Some(asleep) if asleep >= stages => Some(asleep),
        Some(asleep) => Some(asleep + stages),
        None => (stages > 0.0).then_some(stages),
    }
}

/// Hours (or minutes, where the units say so) in nanoseconds: 0.28 billionths of an hour.
fn nanoseconds(amount: f64, units: &str) -> Option<i64> {
    let scale = if units.starts_with("min") { 60e9 } else { 3.6e12 };
    let exact = (amount * scale).round();
    // Two days; also false for what is no number.
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked on this line")]
    (0.0..=1.8e14).contains(&exact).then_some(exact as i64)
}

fn take_amount(days: &mut HealthDays, metric: Metric<'_>, point: &Point, place: Place<'_>) -> Result<(), Left> {
    let at = stamp(point.date.as_ref()).ok_or(NO_TIME)?;
    let amount = point.qty.ok_or(Left::Out("it has no amount"))?;
    let value = Decimal::parse(&amount.to_string()).ok_or(Left::Out("its amount is impossible"))?;
    let zone = place(at);
    let number = days.places.zone(zone);
    if metric.name == "step_count" {
        let fit = |value: i64| u32::try_from(value).map_err(|_| Left::Out("its amount is impossible"));
        let (start_s, thousandths) = (fit(at.ms / 1000)?, fit(value.billionths() / 1_000_000)?);
        let source = days.places.source(point.source.as_deref().unwrap_or(""));
        days.add_steps(StepSpan { start_s, seconds: 0, thousandths, source, zone: number })?;
        return Ok(());
    }
    if value <= Decimal::default() {
        return Err(Left::Out("a rate of nothing was not measured"));
    }
    let sample = Sample { end_ms: at.ms, zone: number, value };
    let vital = match metric.name {
        "heart_rate_variability" => Vital::Hrv,
        "respiratory_rate" => Vital::Respiratory,
        "blood_oxygen_saturation" => return Ok(days.add_vital(Vital::Oxygen, per_cent(sample))?),
        _ => {
            // A value of the whole day stands at its midnight.
            let end_ms = if is_midnight(zone, at) { at.ms + 86_399_000 } else { at.ms };
            days.add_resting(Sample { end_ms, ..sample }, at.ms);
            return Ok(());
        }
    };
    days.add_vital(vital, sample)?;
    Ok(())
}

/// Some versions write a fraction of one.
fn per_cent(sample: Sample) -> Sample {
    let fraction = sample.value.billionths() <= 1_000_000_000;
    let value = if fraction { sample.value.times(100).unwrap_or(sample.value) } else { sample.value };
    Sample { value, ..sample }
}

fn is_midnight(zone: ReadingZone, at: Stamp) -> bool {
    zone.day_start(zone.date(at.ms)) == at.ms
}
