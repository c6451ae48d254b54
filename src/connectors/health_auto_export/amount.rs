//! Points with one amount: steps, resting rate, vitals.

use super::payload::{Metric, Point};
use super::{Left, NO_TIME, Place, stamp};
use crate::connectors::decimal::Decimal;
use crate::connectors::health::places::ReadingZone;
use crate::connectors::health::stamp::Stamp;
use crate::connectors::health::steps::StepSpan;
use crate::connectors::health::{HealthDays, Sample, Vital, oxygen_percent};

pub(super) fn take_amount(
    days: &mut HealthDays,
    metric: Metric<'_>,
    point: &Point,
    place: Place<'_>,
) -> Result<(), Left> {
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
        "blood_oxygen_saturation" => {
            let value = oxygen_percent(value).unwrap_or(value);
            return Ok(days.add_vital(Vital::Oxygen, Sample { value, ..sample })?);
        }
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

fn is_midnight(zone: ReadingZone, at: Stamp) -> bool {
    zone.day_start(zone.date(at.ms)) == at.ms
}
