//! A made-up Apple Health export of any size, written as it is made up.
//!
//! The mix of records follows a real export: mostly heart rate and energy, then steps of a phone and a watch
//! that overlap, oxygen, breathing, HRV, and some thirty sleep stages a night beside the phone's in-bed time.
//! The same size gives the same bytes.

use std::io::{self, Write};

use chrono::{Duration, NaiveDate, NaiveDateTime};

/// What a real export begins with, in short.
const PROLOG: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>\n]>\n<HealthData locale=\"en_CA\">\n <ExportDate value=\"2026-09-26 10:00:00 -0400\"/>\n";

const DEVICE: &str = "&lt;&lt;HKDevice: 0x3012772a0&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7, software:10.2&gt;";

/// Writes at least `bytes` bytes; after twenty years of days it begins again with the first.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(out: impl Write, bytes: u64) -> io::Result<()> {
    let mut export = Export { out, written: 0, random: 0x2545_f491_4f6c_dd1d };
    export.raw(PROLOG)?;
    let first = NaiveDate::from_ymd_opt(2006, 1, 1).unwrap_or_default();
    let mut day = 0;
    while export.written < bytes {
        export.day(first.and_time(chrono::NaiveTime::MIN) + Duration::days(day % 7_300))?;
        day += 1;
    }
    export.raw("</HealthData>\n")
}

struct Export<W> {
    out: W,
    written: u64,
    random: u64,
}

impl<W: Write> Export<W> {
    fn raw(&mut self, text: &str) -> io::Result<()> {
        self.written += text.len() as u64;
        self.out.write_all(text.as_bytes())
    }

    /// Below `limit`.
    fn next(&mut self, limit: i64) -> i64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        i64::try_from(self.random >> 33).unwrap_or(0) % limit
    }

    fn record(&mut self, kind: &str, unit: &str, span: (NaiveDateTime, i64), value: &str) -> io::Result<()> {
        self.from("Ann\u{2019}s Apple\u{a0}Watch", kind, unit, span, value, None)
    }

    #[expect(clippy::too_many_arguments, reason = "the attributes of the element")]
    fn from(
        &mut self,
        source: &str,
        kind: &str,
        unit: &str,
        (start, seconds): (NaiveDateTime, i64),
        value: &str,
        zone: Option<&str>,
    ) -> io::Result<()> {
        let stamp = |at: NaiveDateTime| at.format("%Y-%m-%d %H:%M:%S -0400");
        let (start, end) = (stamp(start), stamp(start + Duration::seconds(seconds)));
        let tail = zone.map_or_else(
            || "/>".to_owned(),
            |zone| format!(">\n  <MetadataEntry key=\"HKTimeZone\" value=\"{zone}\"/>\n </Record>"),
        );
        self.raw(&format!(
            " <Record type=\"{kind}\" sourceName=\"{source}\" sourceVersion=\"10.2\" device=\"{DEVICE}\" unit=\"{unit}\" creationDate=\"{end}\" startDate=\"{start}\" endDate=\"{end}\" value=\"{value}\"{tail}\n"
        ))
    }

    fn day(&mut self, midnight: NaiveDateTime) -> io::Result<()> {
        let at = |minutes: i64| midnight + Duration::minutes(minutes);
        for slot in 0..288 {
            let beat = 50 + self.next(90);
            let kind = "HKQuantityTypeIdentifierHeartRate";
            self.record(kind, "count/min", (at(slot * 5), 0), &beat.to_string())?;
            let energy = self.next(9000);
            let kind = "HKQuantityTypeIdentifierActiveEnergyBurned";
            self.record(
                kind,
                "kcal",
                (at(slot * 5), 280),
                &format!("{}.{:03}", energy / 1000, energy % 1000),
            )?;
        }
        for slot in 0..96 {
            let steps = self.next(400);
            let kind = "HKQuantityTypeIdentifierStepCount";
            self.record(kind, "count", (at(420 + slot * 9), 500), &steps.to_string())?;
            let phone = steps * 9 / 10;
            self.from("iPhone", kind, "count", (at(421 + slot * 9), 540), &phone.to_string(), None)?;
        }
        for slot in 0..24 {
            let value = self.next(8);
            let time = (at(slot * 17), 60);
            self.record("HKQuantityTypeIdentifierOxygenSaturation", "%", time, &format!("0.{}", 92 + value))?;
            let kind = "HKQuantityTypeIdentifierRespiratoryRate";
            self.record(kind, "count/min", time, &format!("{}.5", 12 + value))?;
        }
        for slot in 0..6 {
            let value = format!("{}.{}", 20 + self.next(60), self.next(100_000));
            self.record(
                "HKQuantityTypeIdentifierHeartRateVariabilitySDNN",
                "ms",
                (at(slot * 200), 60),
                &value,
            )?;
        }
        let resting = 50 + self.next(15);
        let kind = "HKQuantityTypeIdentifierRestingHeartRate";
        self.record(kind, "count/min", (at(1), 80_000), &resting.to_string())?;
        self.night(at(-60))
    }

    fn night(&mut self, bedtime: NaiveDateTime) -> io::Result<()> {
        let kind = "HKCategoryTypeIdentifierSleepAnalysis";
        let zone = Some("America/Toronto");
        let in_bed = "HKCategoryValueSleepAnalysisInBed";
        self.from("iPhone", kind, "", (bedtime, 8 * 3600), in_bed, zone)?;
        let mut minute = 12;
        while minute < 460 {
            let length = 4 + self.next(24);
            let stage = ["AsleepCore", "AsleepCore", "AsleepDeep", "AsleepREM", "Awake"];
            let index = usize::try_from(self.next(5)).unwrap_or(0);
            let value = format!("HKCategoryValueSleepAnalysis{}", stage.get(index).unwrap_or(&"AsleepCore"));
            let span = (bedtime + Duration::minutes(minute), length * 60);
            self.from("Ann\u{2019}s Apple\u{a0}Watch", kind, "", span, &value, zone)?;
            minute += length;
        }
        Ok(())
    }
}
