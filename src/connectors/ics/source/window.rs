//! The dates around today that a calendar is read for.

use chrono::{Days, NaiveDate, Utc};
use chrono_tz::Tz;

use crate::config::{Form, OptionDef, Settings};
use crate::connectors::ics::IcsWindow;
use crate::connectors::source::{Begin, ShowsAll};
use crate::engine::time::{Date, Zone};

/// The keys of a [`CalendarWindow`].
pub const DAYS_BACK: OptionDef =
    OptionDef::optional("days-back", Form::Number(0, 31), "Days before today that are read [default: 1]");
/// The other one.
pub const DAYS_AHEAD: OptionDef =
    OptionDef::optional("days-ahead", Form::Number(1, 400), "Days after today that are read [default: 60]");

/// The dates that are read.
#[derive(Clone, Copy, Debug)]
pub struct CalendarWindow {
    /// First date.
    pub from: NaiveDate,
    /// End date, outside.
    pub to: NaiveDate,
    /// In which they are dates.
    pub(super) zone: Tz,
}

impl CalendarWindow {
    /// From the settings `days-back` and `days-ahead`, around today in a zone.
    #[must_use]
    pub fn of(settings: &Settings, begin: &Begin) -> Self {
        let today = begin.at.with_timezone(&begin.zone).date_naive();
        let days = |key, default| Days::new(settings.number(key).unwrap_or(default).unsigned_abs());
        let from = today.checked_sub_days(days(DAYS_BACK.key, 1)).unwrap_or(today);
        let to = today.checked_add_days(days(DAYS_AHEAD.key, 60)).and_then(|last| last.succ_opt());
        Self { from, to: to.unwrap_or(today), zone: begin.zone }
    }

    /// For the importer.
    #[must_use]
    pub fn ics(&self) -> IcsWindow {
        IcsWindow { from: self.from, to: self.to, zone: Some(self.zone) }
    }

    /// That a reading shows all of it.
    #[must_use]
    pub fn shows_all(&self) -> ShowsAll {
        let midnight = |date: NaiveDate| {
            let at = Zone(self.zone).midnight(Date(date.to_epoch_days()));
            chrono::DateTime::<Utc>::from_timestamp_millis(at.0).unwrap_or_default()
        };
        ShowsAll { stream: "calendar.event", from: midnight(self.from), to: midnight(self.to) }
    }
}
