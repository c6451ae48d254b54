//! The JSON files of the app Health Auto Export.
//!
//! Two forms of sleep occur: samples with a stage, and whole nights that the app has added up. A night's
//! `asleep` is the whole, or only what no stage covers, or zero beside real stages, depending on the version;
//! see [`asleep_hours`]. A zero never becomes a reading, because the app also writes it for "not known".

mod amount;
pub mod payload;
mod shape;
mod sleep;
mod source;
#[cfg(test)]
mod tests;

use std::io::{BufReader, Read};

use self::amount::take_amount;
use self::payload::{Metric, Point, read_points};
pub use self::sleep::{asleep_hours, stage};
use self::sleep::{take_night, take_sample};
pub use self::source::SOURCE;
use super::ImportKind;
use super::health::places::ReadingZone;
use super::health::stamp::{Stamp, parse_stamp};
use super::health::{HealthDays, HealthRecords, SIGNALS};

/// Its row.
pub const KIND: ImportKind = ImportKind {
    name: "health-auto-export",
    about: "A JSON file of the app Health Auto Export",
    file: "The file",
    zone: "Zone in which dates are read, such as `America/Toronto`; without it the offsets in the file",
    gives: SIGNALS,
    dated: false,
    complete: false,
    read: |input, options| {
        let zone = options.zone.map(|zone| ReadingZone::Named(zone.0));
        Ok(read(BufReader::with_capacity(128 << 10, input), zone)?.into())
    },
};

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
    let lists = read_points(input, &mut |metric, point| take(&mut days, zone, metric, point))?;
    days.left_out.extend(&lists);
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
        "step_count"
        | "resting_heart_rate"
        | "heart_rate_variability"
        | "respiratory_rate"
        | "blood_oxygen_saturation" => take_amount(days, metric, point, &place),
        other => {
            days.left_out.add(other, 1);
            return Ok(());
        }
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
