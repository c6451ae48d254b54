//! Where and by what a sample was taken: zones and devices, each kept once and named by a number.
//!
//! An export's time stamps carry the offset of the phone when it exported, not of the place. Only a zone that
//! the sample itself names says which local date it belongs to.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, FixedOffset, LocalResult, NaiveDate, Offset, TimeZone, Timelike};
use chrono_tz::Tz;

/// The zone of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingZone {
    /// An IANA zone.
    Named(Tz),
    /// A bare offset, all that the source says.
    Fixed(FixedOffset),
}

impl ReadingZone {
    /// UTC, where nothing says where it was.
    #[must_use]
    pub fn utc() -> Self {
        Self::Named(Tz::UTC)
    }

    /// From seconds east of UTC, if below a day.
    #[must_use]
    pub fn east(seconds: i32) -> Option<Self> {
        FixedOffset::east_opt(seconds).map(Self::Fixed)
    }

    /// The local time of an instant in milliseconds since 1970, with its offset.
    #[must_use]
    pub fn local(self, ms: i64) -> DateTime<FixedOffset> {
        let utc = DateTime::from_timestamp_millis(ms).unwrap_or_default();
        match self {
            Self::Named(zone) => {
                let local = utc.with_timezone(&zone);
                local.with_timezone(&local.offset().fix())
            }
            Self::Fixed(offset) => utc.with_timezone(&offset),
        }
    }

    /// The local date of an instant in milliseconds since 1970.
    #[must_use]
    pub fn date(self, ms: i64) -> NaiveDate {
        self.local(ms).date_naive()
    }

    /// The local hour, 0 to 23.
    #[must_use]
    pub fn hour(self, ms: i64) -> u32 {
        self.local(ms).hour()
    }

    /// The first instant of a local date, in milliseconds since 1970: midnight, or the end of the gap when
    /// the clocks jump over it.
    #[must_use]
    pub fn day_start(self, date: NaiveDate) -> i64 {
        let midnight = date.and_time(chrono::NaiveTime::MIN);
        match self {
            Self::Fixed(offset) => {
                (midnight.and_utc() - Duration::seconds(offset.local_minus_utc().into())).timestamp_millis()
            }
            // Gaps are at most a few hours long and end on a quarter of an hour.
            Self::Named(zone) => (0..96)
                .find_map(|quarter| {
                    match zone.from_local_datetime(&(midnight + Duration::minutes(15 * quarter))) {
                        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => {
                            Some(at.timestamp_millis())
                        }
                        LocalResult::None => None,
                    }
                })
                .unwrap_or_else(|| midnight.and_utc().timestamp_millis()),
        }
    }
}

/// Zones and devices of one import.
#[derive(Debug, Default)]
pub struct Places {
    zones: Vec<ReadingZone>,
    numbers: BTreeMap<(Option<&'static str>, i32), u16>,
    sources: BTreeMap<String, u16>,
    names: Vec<String>,
}

impl Places {
    /// The number of a zone; the last one stands for all beyond 65,535.
    pub fn zone(&mut self, zone: ReadingZone) -> u16 {
        let key = match zone {
            ReadingZone::Named(zone) => (Some(zone.name()), 0),
            ReadingZone::Fixed(offset) => (None, offset.local_minus_utc()),
        };
        *self.numbers.entry(key).or_insert_with(|| {
            self.zones.push(zone);
            u16::try_from(self.zones.len() - 1).unwrap_or(u16::MAX)
        })
    }

    /// The zone with this number.
    #[must_use]
    pub fn zone_of(&self, number: u16) -> ReadingZone {
        self.zones.get(usize::from(number)).copied().unwrap_or(ReadingZone::utc())
    }

    /// The number of a device or app. Blanks of all kinds count as one, so that a renamed no-break space
    /// does not split a device.
    pub fn source(&mut self, name: &str) -> u16 {
        if let Some(number) = self.sources.get(name) {
            return *number;
        }
        let tidy = name.split_whitespace().collect::<Vec<_>>().join(" ").replace('\u{2019}', "'");
        let number = match self.sources.get(&tidy) {
            Some(number) => *number,
            None => {
                let number = u16::try_from(self.names.len()).unwrap_or(u16::MAX);
                self.names.push(tidy.clone());
                self.sources.insert(tidy, number);
                number
            }
        };
        // Spellings are remembered so that the common one costs a single look-up; their number is bounded.
        if self.sources.len() < usize::from(u16::MAX) {
            self.sources.insert(name.to_owned(), number);
        }
        number
    }

    /// The name of a source, for orders that do not depend on where it stood in the file.
    #[must_use]
    pub fn source_name(&self, number: u16) -> &str {
        self.names.get(usize::from(number)).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_offset_is_not_the_place() {
        let amsterdam = ReadingZone::Named(chrono_tz::Europe::Amsterdam);
        let instant = DateTime::parse_from_rfc3339("2024-01-01T00:55:28+02:00").unwrap().timestamp_millis();
        assert_eq!(amsterdam.local(instant).to_rfc3339(), "2023-12-31T23:55:28+01:00");
        assert_eq!(amsterdam.date(instant), NaiveDate::from_ymd_opt(2023, 12, 31).unwrap());
    }

    #[test]
    fn a_day_without_midnight_starts_after_the_gap() {
        let cairo = ReadingZone::Named(chrono_tz::Africa::Cairo);
        let date = NaiveDate::from_ymd_opt(2024, 4, 26).unwrap();
        assert_eq!(cairo.local(cairo.day_start(date)).to_rfc3339(), "2024-04-26T01:00:00+03:00");
    }

    #[test]
    fn one_device_in_two_spellings_is_one() {
        let mut places = Places::default();
        let plain = places.source("Alexandre's Apple Watch");
        assert_eq!(places.source("Alexandre\u{2019}s Apple\u{a0}Watch"), plain);
        assert_ne!(places.source("Alexandre's iPhone"), plain);
    }
}
