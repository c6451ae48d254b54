//! One `Record` element to one sample.

use quick_xml::events::BytesStart;

use super::AppleHealthError;
use crate::connectors::decimal::Decimal;
use crate::connectors::health::nights::{Segment, Stage};
use crate::connectors::health::places::ReadingZone;
use crate::connectors::health::stamp::{Stamp, parse_stamp};
use crate::connectors::health::steps::{SPAN_SECONDS_MAX, StepSpan};
use crate::connectors::health::{HealthDays, SLEEP_MS_MAX, Sample, Vital, oxygen_percent};

/// What the caller chose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Zone of records that name none.
    pub(super) zone: Option<ReadingZone>,
}

/// What a record's type says, for the types that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sleep,
    Resting,
    Steps,
    Vital(Vital),
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "HKCategoryTypeIdentifierSleepAnalysis" => Self::Sleep,
            "HKQuantityTypeIdentifierRestingHeartRate" => Self::Resting,
            "HKQuantityTypeIdentifierStepCount" => Self::Steps,
            "HKQuantityTypeIdentifierHeartRateVariabilitySDNN" => Self::Vital(Vital::Hrv),
            "HKQuantityTypeIdentifierRespiratoryRate" => Self::Vital(Vital::Respiratory),
            "HKQuantityTypeIdentifierOxygenSaturation" => Self::Vital(Vital::Oxygen),
            _ => return None,
        })
    }
}

/// A record whose element is still open: its zone may follow.
pub(super) struct Draft {
    kind: Kind,
    start: Stamp,
    end: Stamp,
    written: Option<Stamp>,
    source: u16,
    value: Reading,
    zone: Option<ReadingZone>,
}

enum Reading {
    Stage(Stage),
    Number(Decimal),
}

impl Draft {
    /// `None` for a type that is not read, and for a record that is left out (which is counted).
    pub(super) fn of(tag: &BytesStart<'_>, days: &mut HealthDays) -> Option<Self> {
        let mut attributes = tag.attributes();
        attributes.with_checks(false);
        let mut kind = None;
        let [mut start, mut end, mut written, mut value, mut unit, mut source] = [const { None }; 6];
        for attribute in attributes.flatten() {
            let slot = match attribute.key.as_ref() {
                "type" => {
                    kind = Kind::of(&attribute.value);
                    if kind.is_none() {
                        days.left_out.add(short(&attribute.value), 1);
                        return None;
                    }
                    continue;
                }
                "startDate" => &mut start,
                "endDate" => &mut end,
                "creationDate" => &mut written,
                "value" => &mut value,
                "unit" => &mut unit,
                "sourceName" => &mut source,
                _ => continue,
            };
            *slot = Some(attribute.value);
        }
        let Some(kind) = kind else {
            days.left_out.add("Record without a type", 1);
            return None;
        };
        let stamp = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().and_then(parse_stamp);
        let (Some(start_at), Some(end_at)) = (stamp(&start), stamp(&end)) else {
            days.dropped.add("its start or end is no time", end.as_deref().unwrap_or("nothing"));
            return None;
        };
        let text = value.as_deref().unwrap_or("nothing");
        let Some(reading) = read_value(kind, text, unit.as_deref().unwrap_or("")) else {
            days.dropped.add("its value or unit is not known", text);
            return None;
        };
        // An entity that cannot be resolved only makes the name odd.
        let source = source.unwrap_or_default();
        let name = quick_xml::escape::unescape(&source).unwrap_or(std::borrow::Cow::Borrowed(&source));
        Some(Self {
            kind,
            start: start_at,
            end: end_at,
            written: stamp(&written),
            source: days.places.source(&name),
            value: reading,
            zone: None,
        })
    }

    /// Keeps the zone, if the entry is it.
    pub(super) fn read_metadata(&mut self, tag: &BytesStart<'_>) {
        let is_zone = |key: &str| tag.try_get_attribute(key).ok().flatten();
        if is_zone("key").is_some_and(|key| key.value == "HKTimeZone")
            && let Some(zone) = is_zone("value")
        {
            self.zone = zone.value.trim().parse().ok().map(ReadingZone::Named);
        }
    }

    /// Hands the sample in.
    pub(super) fn finish(self, options: Options, days: &mut HealthDays) -> Result<(), AppleHealthError> {
        let (start_ms, end_ms) = (self.start.ms, self.end.ms);
        if end_ms < start_ms {
            days.dropped.add("it ends before it starts", &self.end.to_string());
            return Ok(());
        }
        let zone = self.zone.or(options.zone).unwrap_or(ReadingZone::Fixed(self.end.offset));
        let zone = days.places.zone(zone);
        match (self.kind, self.value) {
            (Kind::Sleep, Reading::Stage(stage)) => {
                if end_ms - start_ms > SLEEP_MS_MAX {
                    days.dropped.add("a sleep of more than 36 hours", &self.end.to_string());
                    return Ok(());
                }
                let source = self.source;
                days.add_sleep(Segment { start_ms, end_ms, counted_ns: None, stage, source, zone })?;
            }
            (Kind::Resting, Reading::Number(value)) => {
                let written = self.written.map_or(end_ms, |written| written.ms);
                days.add_resting(Sample { end_ms, zone, value }, written);
            }
            (Kind::Steps, Reading::Number(value)) => match step_span(start_ms, end_ms, value) {
                Some((start_s, seconds, thousandths)) => {
                    let source = self.source;
                    days.add_steps(StepSpan { start_s, seconds, thousandths, source, zone })?;
                }
                None => days.dropped.add("its count or length is impossible", &value.to_string()),
            },
            (Kind::Vital(vital), Reading::Number(value)) => {
                days.add_vital(vital, Sample { end_ms, zone, value })?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// A type without what most types begin with.
fn short(name: &str) -> &str {
    let tail = |prefix| name.strip_prefix(prefix).filter(|tail: &&str| !tail.is_empty());
    tail("HKQuantityTypeIdentifier").or_else(|| tail("HKCategoryTypeIdentifier")).unwrap_or(name)
}

/// Start and length in seconds and steps in thousandths.
fn step_span(start_ms: i64, end_ms: i64, value: Decimal) -> Option<(u32, u32, u32)> {
    let seconds =
        u32::try_from((end_ms - start_ms) / 1000).ok().filter(|length| *length <= SPAN_SECONDS_MAX)?;
    let thousandths = u32::try_from(value.billionths() / 1_000_000).ok()?;
    Some((u32::try_from(start_ms / 1000).ok()?, seconds, thousandths))
}

fn read_value(kind: Kind, text: &str, unit: &str) -> Option<Reading> {
    if kind == Kind::Sleep {
        return stage(text).map(Reading::Stage);
    }
    let value = Decimal::parse(text)?;
    if value < Decimal::default() {
        return None;
    }
    let value = match (kind, unit) {
        (Kind::Steps, "count")
        | (Kind::Resting | Kind::Vital(Vital::Respiratory), "count/min")
        | (Kind::Vital(Vital::Hrv), "ms") => value,
        (Kind::Resting | Kind::Vital(Vital::Respiratory), "count/s") => value.times(60)?,
        (Kind::Vital(Vital::Hrv), "s") => value.times(1000)?,
        (Kind::Vital(Vital::Oxygen), "%") => oxygen_percent(value)?,
        _ => return None,
    };
    // A rate of nothing was not measured.
    (kind == Kind::Steps || value > Decimal::default()).then_some(Reading::Number(value))
}

fn stage(value: &str) -> Option<Stage> {
    Some(match value.strip_prefix("HKCategoryValueSleepAnalysis")? {
        "InBed" => Stage::InBed,
        "Asleep" | "AsleepUnspecified" => Stage::Asleep,
        "Awake" => Stage::Awake,
        "AsleepCore" => Stage::Core,
        "AsleepDeep" => Stage::Deep,
        "AsleepREM" => Stage::Rem,
        _ => return None,
    })
}
