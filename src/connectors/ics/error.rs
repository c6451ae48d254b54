//! Why a calendar file is refused as a whole.

use chrono::NaiveDate;

use super::{EVENTS_MAX, OCCURRENCES_MAX, TEXT_BYTES_MAX, YEARS};

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IcsError {
    /// Size.
    #[error("the file is larger than {} MiB", TEXT_BYTES_MAX >> 20)]
    TooLarge,
    /// Something else.
    #[error("no `BEGIN:VCALENDAR` and no `BEGIN:VEVENT`: this is not an iCalendar file")]
    NotACalendar,
    /// Cut off.
    #[error("the file ends inside an event: it is truncated; download it again")]
    Truncated,
    /// Number of events.
    #[error("more than {EVENTS_MAX} events")]
    TooManyEvents,
    /// Number of occurrences.
    #[error("more than {OCCURRENCES_MAX} occurrences; choose a shorter window")]
    TooManyOccurrences,
    /// No zone is known.
    #[error("the file names no zone for its dates; choose one, such as `--zone America/Toronto`")]
    NoZone,
    /// The window is far away.
    #[error("a window from {from} to {to}, expected the years {} to {}", YEARS.start(), YEARS.end())]
    FarWindow {
        /// First date.
        from: NaiveDate,
        /// Last date, inside.
        to: NaiveDate,
    },
    /// The window is empty.
    #[error("the window ends on {to}, before it starts on {from}")]
    EmptyWindow {
        /// First date.
        from: NaiveDate,
        /// Last date, inside.
        to: NaiveDate,
    },
}
