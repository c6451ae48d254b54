//! When a filing was accepted.
//!
//! `acceptanceDateTime` ends in `Z`, but for many companies it is the time of New York's clocks with a wrong
//! mark (reported for 181 of 808 companies; so is all of Tesla's file). Nothing in the value tells which, so
//! it is held against what is known of the filing system: it accepts from 06:00 to 22:00 New York time; what
//! comes until 17:30 is filed that day, what comes later the next business day (reports of holdings and some
//! others still that day); and nothing is accepted in the future.
//!
//! Decision: the readings are counted over the whole file, since a company's values are of one kind; the
//! one that alone explains more rows is the company's, New York's clock where they are equal. A row that
//! contradicts it and fits the other is read the other way. Read wrongly, a time is four or five hours off.
//!
//! Never asks for the time; never moves a filing into the future.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _, Timelike as _, Utc};
use chrono_tz::America::New_York;

/// Hours of New York in which filings are accepted.
const OPEN: std::ops::Range<u32> = 6..22;
/// Seconds of the day at which the next business day begins for most filings: 17:30.
const CUT_OFF_S: u32 = (17 * 60 + 30) * 60;
/// Days to the next business day, at most: a weekend and two holidays.
const DAYS_MAX: i64 = 5;
/// Minutes by which two clocks may differ.
const SKEW_MINUTES: i64 = 5;
/// Beginnings of forms that are filed the same day until the evening.
const LATE: &[&str] = &["3", "4", "5", "144", "SC 13", "SC TO", "S-1MEF", "S-3MEF", "CORRESP", "UPLOAD"];

/// How a value is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// As the time of New York's clocks.
    NewYork,
    /// As it says.
    Utc,
}

/// A filing's times, as they are written.
#[derive(Clone, Debug)]
pub(super) struct Written<'r> {
    /// In its usual name.
    pub(super) form: &'r str,
    /// `filingDate`.
    pub(super) filed: NaiveDate,
    /// `acceptanceDateTime`.
    pub(super) accepted: &'r str,
}

impl Written<'_> {
    fn wall(&self) -> Option<NaiveDateTime> {
        let text = self.accepted.trim().trim_end_matches(['Z', 'z']);
        NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok()
    }

    fn instant(&self, clock: Clock) -> Option<DateTime<Utc>> {
        let wall = self.wall()?;
        match clock {
            Clock::NewYork => Some(New_York.from_local_datetime(&wall).earliest()?.to_utc()),
            Clock::Utc => Some(wall.and_utc()),
        }
    }

    /// True when nothing that is known contradicts this reading.
    fn fits(&self, clock: Clock, now: DateTime<Utc>) -> bool {
        let Some(at) = self.instant(clock) else { return false };
        let local = at.with_timezone(&New_York).naive_local();
        let days = self.filed.signed_duration_since(local.date()).num_days();
        let late = local.num_seconds_from_midnight() > CUT_OFF_S;
        let first = LATE.iter().any(|form| match self.form.strip_prefix(form) {
            // `4` is no beginning of `424B2`.
            Some(rest) => rest.is_empty() || rest.starts_with('/') || form.len() > 3,
            None => false,
        });
        let dated = match (late, first) {
            (false, _) => days == 0,
            (true, true) => (0..=DAYS_MAX).contains(&days),
            (true, false) => (1..=DAYS_MAX).contains(&days),
        };
        OPEN.contains(&local.hour()) && dated && at <= skewed(now)
    }

    /// When it was accepted. A value that cannot be read gives the hour at which its day opened.
    pub(super) fn at(&self, usual: Clock, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let other = if usual == Clock::NewYork { Clock::Utc } else { Clock::NewYork };
        let clock = if !self.fits(usual, now) && self.fits(other, now) { other } else { usual };
        let opened = || {
            let opens = self.filed.and_time(NaiveTime::from_hms_opt(OPEN.start, 0, 0)?);
            Some(New_York.from_local_datetime(&opens).earliest()?.to_utc())
        };
        Some(self.instant(clock).or_else(opened)?.min(now))
    }
}

fn skewed(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_add_signed(TimeDelta::minutes(SKEW_MINUTES)).unwrap_or(now)
}

/// The reading that explains a company's file.
pub(super) fn usual(rows: &[Written<'_>], now: DateTime<Utc>) -> Clock {
    let alone =
        |clock, other| rows.iter().filter(|row| row.fits(clock, now) && !row.fits(other, now)).count();
    if alone(Clock::Utc, Clock::NewYork) > alone(Clock::NewYork, Clock::Utc) {
        Clock::Utc
    } else {
        Clock::NewYork
    }
}
