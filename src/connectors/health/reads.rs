//! When a health source was read, as far as its readings tell: the records `source.health`.
//!
//! A live connector writes one at every successful read. An export does not say when it was filled, but a
//! date with a reading is one on which the device measured and was in sync. So each such date counts as read
//! every six hours from its beginning, and a date without a reading as not read at all: a replay with a rule
//! about silence stays quiet over days with data and speaks in a gap of days. That a device was in sync but
//! not worn cannot be told from an export.
//!
//! Invariants: the reads of a date depend on nothing but its readings' zones, so that imports of overlapping
//! files agree; less than twelve hours lie between two reads of a date, or of neighbouring dates in one zone.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::places::Places;

/// The signal.
pub const SIGNAL: &str = "source.health";

/// Time between two reads.
const EVERY_MS: i64 = 6 * 3_600_000;
/// Reads of a date in one zone.
const PER_DATE: i64 = 4;

/// The reads, as milliseconds since 1970 and zone, of the dates that have a reading in a zone; by date, then
/// time.
#[must_use]
pub fn reads(dates: &BTreeSet<(NaiveDate, u16)>, places: &Places) -> Vec<(i64, u16)> {
    let mut by_date: BTreeMap<NaiveDate, BTreeMap<(i64, i32), u16>> = BTreeMap::new();
    for (date, number) in dates {
        let zone = places.zone_of(*number);
        let start_ms = zone.day_start(*date);
        for at_ms in (0..PER_DATE).map(|nth| start_ms + nth * EVERY_MS) {
            // By the offset and not by the number of the zone, which depends on the order of the samples.
            let key = (at_ms, zone.local(at_ms).offset().local_minus_utc());
            by_date.entry(*date).or_default().insert(key, *number);
        }
    }
    by_date.into_values().flat_map(spaced).collect()
}

/// Without those that follow another one closely, which a second zone on the same date brings.
fn spaced(candidates: BTreeMap<(i64, i32), u16>) -> Vec<(i64, u16)> {
    let mut kept: Vec<(i64, u16)> = Vec::new();
    for ((at_ms, _), zone) in candidates {
        if kept.last().is_none_or(|(before_ms, _)| at_ms - before_ms >= EVERY_MS) {
            kept.push((at_ms, zone));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connectors::health::places::ReadingZone;

    fn shown(dates: &[(&str, chrono_tz::Tz)]) -> Vec<String> {
        let mut places = Places::default();
        let dates: BTreeSet<_> = dates
            .iter()
            .map(|(date, zone)| (date.parse().unwrap(), places.zone(ReadingZone::Named(*zone))))
            .collect();
        let local = |(at_ms, zone): (i64, u16)| places.zone_of(zone).local(at_ms).to_rfc3339();
        reads(&dates, &places).into_iter().map(local).collect()
    }

    #[test]
    fn every_six_hours_of_a_date_with_a_reading_and_none_of_others() {
        let toronto = chrono_tz::America::Toronto;
        assert_eq!(
            shown(&[("2026-10-31", toronto), ("2026-11-03", toronto)]),
            [
                "2026-10-31T00:00:00-04:00",
                "2026-10-31T06:00:00-04:00",
                "2026-10-31T12:00:00-04:00",
                "2026-10-31T18:00:00-04:00",
                "2026-11-03T00:00:00-05:00",
                "2026-11-03T06:00:00-05:00",
                "2026-11-03T12:00:00-05:00",
                "2026-11-03T18:00:00-05:00",
            ]
        );
    }

    #[test]
    fn days_of_23_and_25_hours_keep_their_date() {
        let toronto = chrono_tz::America::Toronto;
        for (date, first, last) in [
            ("2026-03-08", "2026-03-08T00:00:00-05:00", "2026-03-08T19:00:00-04:00"),
            ("2026-11-01", "2026-11-01T00:00:00-04:00", "2026-11-01T17:00:00-05:00"),
        ] {
            let reads = shown(&[(date, toronto)]);
            assert_eq!((reads[0].as_str(), reads[3].as_str()), (first, last));
        }
    }

    #[test]
    fn two_zones_on_a_date_are_thinned_and_leave_no_hole() {
        let (berlin, cairo) = (chrono_tz::Europe::Berlin, chrono_tz::Africa::Cairo);
        let same_hour = shown(&[("2026-01-10", berlin), ("2026-01-10", cairo)]);
        assert_eq!(same_hour.len(), 4, "{same_hour:?}");
        let flown =
            shown(&[("2026-01-10", chrono_tz::Asia::Tokyo), ("2026-01-10", chrono_tz::America::Toronto)]);
        let times: Vec<_> =
            flown.iter().map(|at| chrono::DateTime::parse_from_rfc3339(at).unwrap()).collect();
        assert!(times.windows(2).all(|pair| (pair[1] - pair[0]).num_hours() < 12), "{flown:?}");
        assert_eq!(
            (flown[0].as_str(), flown.last().unwrap().as_str()),
            ("2026-01-10T00:00:00+09:00", "2026-01-10T18:00:00-05:00",)
        );
    }
}
