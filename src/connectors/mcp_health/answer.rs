//! What the bridge's tools answer: JSON, of which every part may be missing or odd.
//!
//! Numbers are read from their text, so that 31.46 stays 31.46.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{AHEAD_MS, STALE_MS};
use crate::connectors::decimal::Decimal;
use crate::connectors::health::places::ReadingZone;
use crate::connectors::health::stamp::{Stamp, parse_stamp};
use crate::connectors::health::{Sample, Vital, oxygen_percent};
use crate::connectors::source::Failure;

/// Characters of a strange answer that are shown.
const SHOWN_MAX: usize = 80;

/// Why a record gives nothing.
pub(super) const NO_RECORD: &str = "it is not a record";
pub(super) const NO_TIME: &str = "its time is missing or not a time";
pub(super) const FUTURE: &str = "it lies in the future";
pub(super) const NO_NUMBER: &str = "its value is missing or not a number";

/// An answer that is not what it should be.
pub(super) fn not_understood(tool: &str, text: &str) -> Failure {
    let plain: String =
        text.chars().take(SHOWN_MAX).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let shown = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    Failure::NotUnderstood(format!("the tool `{tool}` answered with something else: `{shown}`"))
}

/// The text that a value holds, if it is one.
pub(super) fn text(raw: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(raw?.get()).ok()
}

/// The time that a value holds, if it is one.
pub(super) fn stamp(raw: Option<&RawValue>) -> Option<Stamp> {
    parse_stamp(&text(raw)?)
}

/// The number that a value holds, if it is one.
pub(super) fn number(raw: &RawValue) -> Option<Decimal> {
    Decimal::parse(raw.get())
}

/// The newest readings.
#[derive(Debug)]
pub(super) struct Latest<'a> {
    connected: bool,
    pub(super) uploaded: Option<Stamp>,
    pub(super) metrics: BTreeMap<String, &'a RawValue>,
}

impl<'a> Latest<'a> {
    pub(super) fn read(json: &'a str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Shape<'a> {
            #[serde(borrow)]
            connected: Option<&'a RawValue>,
            #[serde(borrow)]
            uploaded_at: Option<&'a RawValue>,
            #[serde(borrow)]
            metrics: Option<BTreeMap<String, &'a RawValue>>,
        }
        let shape: Shape<'_> = object(json)?;
        let connected = shape.connected.is_none_or(|raw| raw.get() != "false");
        // A bridge without a watch has nothing to say of metrics.
        let metrics = if connected { shape.metrics? } else { shape.metrics.unwrap_or_default() };
        Some(Self { connected, uploaded: stamp(shape.uploaded_at), metrics })
    }

    /// That the watch does not upload, when it does not.
    pub(super) fn note(&self, at: DateTime<Utc>, zone: ReadingZone) -> Option<String> {
        let now_ms = at.timestamp_millis();
        // A time that is still to come says nothing.
        let uploaded = self.uploaded.filter(|stamp| stamp.ms <= now_ms.saturating_add(AHEAD_MS));
        let since = uploaded.map(|stamp| zone.local(stamp.ms).format("%Y-%m-%d %H:%M"));
        match (self.connected, since) {
            (false, None) => Some("the watch is not connected".to_owned()),
            (false, Some(since)) => {
                Some(format!("the watch is not connected: it has not uploaded since {since}"))
            }
            (true, None) => Some("the bridge does not say when the watch uploaded".to_owned()),
            (true, Some(since)) => {
                let is_stale = uploaded.is_some_and(|stamp| now_ms.saturating_sub(stamp.ms) > STALE_MS);
                is_stale.then(|| format!("the watch has not uploaded since {since}"))
            }
        }
    }
}

/// What is kept, by metric.
#[derive(Debug)]
pub(super) struct Metrics<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Metrics<'a> {
    pub(super) fn read(json: &'a str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Shape<'a> {
            #[serde(borrow)]
            connected: Option<&'a RawValue>,
            #[serde(borrow)]
            history: Option<BTreeMap<String, &'a RawValue>>,
        }
        let shape: Shape<'_> = object(json)?;
        let connected = shape.connected.is_none_or(|raw| raw.get() != "false");
        if connected { shape.history.map(Self) } else { Some(Self(shape.history.unwrap_or_default())) }
    }

    /// What is kept of a metric; a metric of which nothing is kept may be missing or `null`.
    pub(super) fn of(&self, metric: &str) -> Option<&'a RawValue> {
        self.0.get(metric).copied().filter(|raw| raw.get() != "null")
    }
}

/// The records of a list.
pub(super) fn records(list: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(list.get()).ok()
}

/// A shape from an object; serde would take a list for one too.
pub(super) fn object<'a, T: Deserialize<'a>>(json: &'a str) -> Option<T> {
    json.trim_start().starts_with('{').then(|| serde_json::from_str(json).ok())?
}

/// The vital that a metric is, of those that are read.
pub(super) fn vital(metric: &str) -> Option<Vital> {
    Some(match metric {
        "resting_heart_rate" => Vital::Resting,
        "hrv_sdnn" => Vital::Hrv,
        "respiratory_rate" => Vital::Respiratory,
        "oxygen_saturation" => Vital::Oxygen,
        _ => return None,
    })
}

/// One reading of a vital.
pub(super) fn reading(
    record: &RawValue,
    vital: Vital,
    zone: u16,
    now_ms: i64,
) -> Result<Sample, &'static str> {
    #[derive(Deserialize)]
    struct Shape<'a> {
        #[serde(borrow)]
        value: Option<&'a RawValue>,
        #[serde(borrow)]
        sampled_at: Option<&'a RawValue>,
    }
    let shape: Shape<'_> = object(record.get()).ok_or(NO_RECORD)?;
    let end_ms = stamp(shape.sampled_at).ok_or(NO_TIME)?.ms;
    if end_ms > now_ms.saturating_add(AHEAD_MS) {
        return Err(FUTURE);
    }
    let value = shape.value.and_then(number).ok_or(NO_NUMBER)?;
    let value = match vital {
        Vital::Oxygen => oxygen_percent(value).ok_or(NO_NUMBER)?,
        Vital::Hrv | Vital::Respiratory | Vital::Resting => value,
    };
    Ok(Sample { end_ms, zone, value })
}
