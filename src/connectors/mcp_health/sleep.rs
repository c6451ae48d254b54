//! Records of sleep to segments, and what was seen of them over the reads.
//!
//! The bridge keeps seven days. What slides out of its window is remembered here until its night is a week
//! old, so that a night never loses its beginning. The oldest night of a first read may have lost some
//! already, so it is not told, nor is any before it.
//!
//! Invariants: start and end count, never the bridge's own length of a record; a night that was told is told
//! again as long as it was or longer, unless the bridge corrects a segment (the same device, stage and start
//! with another end) while it still holds it. Bounds: [`DAYS`], [`SEGMENTS_MAX`].

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::AHEAD_MS;
use super::answer::{FUTURE, NO_NUMBER, NO_RECORD, NO_TIME, number, object, stamp, text};
use crate::connectors::decimal::Decimal;
use crate::connectors::health::nights::{Segment, Stage, sessions};
use crate::connectors::health::places::{Places, ReadingZone};
use crate::connectors::health::{HealthDays, HealthError, SLEEP_MS_MAX};
use crate::engine::time::MS_PER_HOUR;

/// The signals of a night.
pub(super) const SIGNALS: &[&str] =
    &["health.asleep", "health.deep", "health.rem", "health.core", "health.awake", "health.in-bed"];

/// Days before today whose segments are remembered.
const DAYS: u64 = 8;
/// Segments that are remembered.
const SEGMENTS_MAX: usize = 5_000;
/// A first read's oldest night is taken to be whole when it is not older than this: the bridge keeps seven.
const WHOLE_DAYS: u64 = 5;
/// Without a read for this long something may have come and gone in between.
const GAP_MS: i64 = 5 * 24 * MS_PER_HOUR;
/// Characters of a device's name.
const SOURCE_MAX: usize = 100;

const WRONG_SPAN: &str = "it ends before it starts or lasts more than 36 hours";

/// A segment of sleep by its identity. Ordered by end, so that the oldest go first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct SleepRecord {
    end_ms: i64,
    start_ms: i64,
    stage: Word,
    source: String,
}

/// A stage as the bridge writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    InBed,
    Awake,
    AsleepCore,
    AsleepDeep,
    AsleepRem,
    AsleepUnspecified,
}

impl Word {
    fn stage(self) -> Stage {
        match self {
            Self::InBed => Stage::InBed,
            Self::Awake => Stage::Awake,
            Self::AsleepCore => Stage::Core,
            Self::AsleepDeep => Stage::Deep,
            Self::AsleepRem => Stage::Rem,
            Self::AsleepUnspecified => Stage::Asleep,
        }
    }
}

impl SleepRecord {
    /// Reads a record; an error is the reason to leave it out.
    pub(super) fn read(record: &RawValue, now_ms: i64) -> Result<Self, &'static str> {
        #[derive(Deserialize)]
        struct Shape<'a> {
            #[serde(borrow)]
            value: Option<&'a RawValue>,
            #[serde(borrow)]
            unit: Option<&'a RawValue>,
            #[serde(borrow)]
            stage: Option<&'a RawValue>,
            #[serde(borrow)]
            started_at: Option<&'a RawValue>,
            #[serde(borrow)]
            sampled_at: Option<&'a RawValue>,
            #[serde(borrow)]
            source_device: Option<&'a RawValue>,
        }
        let shape: Shape<'_> = object(record.get()).ok_or(NO_RECORD)?;
        let end_ms = stamp(shape.sampled_at).ok_or(NO_TIME)?.ms;
        let length = shape.value.map(|raw| number(raw).ok_or(NO_NUMBER)).transpose()?;
        if length.is_some_and(|length| length < Decimal::default()) {
            return Err("its length is negative");
        }
        let start_ms = match (stamp(shape.started_at), length) {
            (Some(start), _) => start.ms,
            (None, Some(_)) if text(shape.unit).is_some_and(|unit| !unit.starts_with("min")) => {
                return Err("its unit is not minutes, and it has no start");
            }
            (None, Some(length)) => end_ms.checked_sub(minutes_ms(length)).ok_or(WRONG_SPAN)?,
            (None, None) => return Err("it has no start and no length"),
        };
        if end_ms <= start_ms || end_ms.saturating_sub(start_ms) > SLEEP_MS_MAX {
            return Err(WRONG_SPAN);
        }
        if end_ms > now_ms.saturating_add(AHEAD_MS) {
            return Err(FUTURE);
        }
        let stage = shape.stage.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let source = text(shape.source_device).unwrap_or_else(|| "unknown".to_owned());
        let source = source.chars().take(SOURCE_MAX).collect();
        Ok(Self { end_ms, start_ms, stage: stage.ok_or("its stage is not known")?, source })
    }

    /// What tells it from others, but for its end: that may still be corrected.
    fn beginning(&self) -> (&str, Word, i64) {
        (&self.source, self.stage, self.start_ms)
    }

    fn segment(&self, places: &mut Places, zone: u16) -> Segment {
        Segment {
            start_ms: self.start_ms,
            end_ms: self.end_ms,
            counted_ns: None,
            stage: self.stage.stage(),
            source: places.source(&self.source),
            zone,
        }
    }
}

/// Minutes in whole milliseconds.
fn minutes_ms(minutes: Decimal) -> i64 {
    let ms = i128::from(minutes.billionths()) * 60_000 / 1_000_000_000;
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// What the reads saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// When the last one was, in milliseconds since 1970.
    read_ms: i64,
    /// The first wake date whose night is whole; none before any sleep was seen.
    whole_from: Option<NaiveDate>,
    sleep: BTreeSet<SleepRecord>,
    /// The watch's last upload that was seen, in milliseconds since 1970.
    #[serde(default)]
    pub(super) uploaded_ms: Option<i64>,
}

impl Seen {
    /// With what a read saw. What is too old is counted in `days`.
    pub(super) fn with(
        mut self,
        slept: Vec<SleepRecord>,
        now_ms: i64,
        zone: ReadingZone,
        days: &mut HealthDays,
    ) -> Self {
        if now_ms.saturating_sub(self.read_ms) > GAP_MS {
            self = Self::default();
        }
        self.read_ms = now_ms;
        let today = zone.date(now_ms);
        let back = |days| today.checked_sub_days(Days::new(days)).unwrap_or(today);
        let edge_ms = zone.day_start(back(DAYS));
        let slept: BTreeSet<SleepRecord> = slept.into_iter().collect();
        let beginnings: BTreeSet<_> = slept.iter().map(SleepRecord::beginning).collect();
        self.sleep.retain(|held| held.end_ms > edge_ms && !beginnings.contains(&held.beginning()));
        drop(beginnings);
        let (new, old): (BTreeSet<_>, BTreeSet<_>) =
            slept.into_iter().partition(|record| record.end_ms > edge_ms);
        days.left_out.add("sleep of more than a week ago", old.len() as u64);
        self.sleep.extend(new);
        let first = self.whole_from.or_else(|| {
            let oldest = self.oldest(zone)?;
            if oldest < back(WHOLE_DAYS) { oldest.succ_opt() } else { Some(oldest) }
        });
        // The night before the first remembered one may have begun beyond the edge.
        self.whole_from = first.map(|first| first.max(back(DAYS - 1)));
        self.bound(zone, days);
        self
    }

    /// The wake date of the oldest stretch of sleep.
    fn oldest(&self, zone: ReadingZone) -> Option<NaiveDate> {
        let mut places = Places::default();
        let zone = places.zone(zone);
        let segments: Vec<_> = self.sleep.iter().map(|held| held.segment(&mut places, zone)).collect();
        sessions(segments, &places).first().map(|session| session.wake_date)
    }

    /// The oldest go first, and with them their nights.
    fn bound(&mut self, zone: ReadingZone, days: &mut HealthDays) {
        while self.sleep.len() > SEGMENTS_MAX {
            let Some(gone) = self.sleep.pop_first() else { return };
            days.left_out.add("sleep beyond what can be remembered", 1);
            // What ends in the evening belongs to the night before the next date.
            let night = zone.date(gone.end_ms.saturating_add(6 * MS_PER_HOUR));
            self.whole_from = self.whole_from.max(night.succ_opt());
        }
    }

    /// True when the night of a wake date has all its segments.
    pub(super) fn is_whole(&self, date: NaiveDate) -> bool {
        self.whole_from.is_some_and(|first| date >= first)
    }

    /// Hands over everything that was seen.
    pub(super) fn add_to(&self, days: &mut HealthDays, zone: ReadingZone) -> Result<(), HealthError> {
        let zone = days.places.zone(zone);
        for held in &self.sleep {
            let segment = held.segment(&mut days.places, zone);
            days.add_sleep(segment)?;
        }
        Ok(())
    }
}
