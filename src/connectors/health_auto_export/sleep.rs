//! Points of `sleep_analysis`: samples with a stage, and whole nights.

use super::payload::{Metric, Point};
use super::{Left, NO_TIME, Place, stamp};
use crate::connectors::health::nights::{Segment, Session, Stage, Totals};
use crate::connectors::health::{HealthDays, SLEEP_MS_MAX};

const WRONG_SPAN: Left = Left::Out("it ends before it starts or lasts more than 36 hours");
/// What an app's rounding may add to a sample: amounts have two decimals of an hour in some versions.
const ROUNDING_NS: i64 = 36_000_000_000;

pub(super) fn take_sample(
    days: &mut HealthDays,
    metric: Metric<'_>,
    point: &Point,
    place: Place<'_>,
) -> Result<(), Left> {
    let start = stamp(point.start.as_ref()).ok_or(NO_TIME)?;
    let end = stamp(point.end.as_ref()).ok_or(NO_TIME)?;
    if end.ms <= start.ms || end.ms - start.ms > SLEEP_MS_MAX {
        return Err(WRONG_SPAN);
    }
    let word = point.value.as_deref().unwrap_or("");
    let stage = stage(word).ok_or(Left::Out("its stage is not known"))?;
    let length_ns = (end.ms - start.ms).saturating_mul(1_000_000);
    let counted_ns = point.qty.map(|amount| nanoseconds(amount, metric.units)).transpose()?;
    if counted_ns.is_some_and(|counted| counted > length_ns.saturating_add(ROUNDING_NS)) {
        return Err(Left::Out("it counts more than lies between its start and end"));
    }
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

pub(super) fn take_night(
    days: &mut HealthDays,
    metric: Metric<'_>,
    point: &Point,
    place: Place<'_>,
) -> Result<(), Left> {
    let ends = [point.sleep_end.as_ref(), point.in_bed_end.as_ref(), point.date.as_ref()];
    let end = ends.into_iter().find_map(stamp).ok_or(NO_TIME)?;
    // Zero is how the app writes "not known".
    let amount = |written: Option<f64>| {
        let ns = written.map(|written| nanoseconds(written, metric.units)).transpose()?;
        Ok::<_, Left>(ns.filter(|ns| *ns > 0))
    };
    for written in [point.asleep, point.total_sleep] {
        amount(written)?;
    }
    let totals = Totals {
        asleep: amount(asleep_hours(point))?,
        deep: amount(point.deep)?,
        rem: amount(point.rem)?,
        core: amount(point.core)?,
        awake: amount(point.awake)?,
        in_bed: amount(point.in_bed)?,
    };
    if totals == Totals::default() {
        return Err(Left::Out("a night without any time"));
    }
    let start_ms = stamp(point.sleep_start.as_ref()).map_or(end.ms, |start| start.ms);
    if !(0..=SLEEP_MS_MAX).contains(&(end.ms - start_ms)) {
        return Err(WRONG_SPAN);
    }
    let wake_date = place(end).date(end.ms);
    let zone = days.places.zone(place(end));
    days.add_night(Session { start_ms, end_ms: end.ms, zone, wake_date, nap: false, totals })?;
    Ok(())
}

/// The whole of a night's sleep, in the metric's units: what the app calls the total; else the larger of
/// `asleep` and the stages when `asleep` holds them all, or both together when it is only what they leave
/// out.
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
fn nanoseconds(amount: f64, units: &str) -> Result<i64, Left> {
    let scale = if units.starts_with("min") { 60e9 } else { 3.6e12 };
    let exact = (amount * scale).round();
    // 36 hours, as for samples; also false for what is no number.
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked on this line")]
    let ns = (0.0..=1.296e14).contains(&exact).then_some(exact as i64);
    ns.ok_or(Left::Out("its time asleep or in bed is negative or more than 36 hours"))
}
