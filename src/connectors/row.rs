//! The row of a format that can be imported, and what goes into a reading and comes out of it.

use std::error::Error;
use std::fmt;
use std::io::{Read, Seek};

use super::recorded_day::DayRecord;
use crate::engine::time::{Date, Zone};

/// Everything about one format.
#[derive(Clone, Copy, Debug)]
pub struct ImportKind {
    /// The word on the command line and in the names of the day files.
    pub name: &'static str,
    /// One line for people, without a period.
    pub about: &'static str,
    /// What its file is called in help.
    pub file: &'static str,
    /// What choosing a zone means for it.
    pub zone: &'static str,
    /// Signals and streams that it may write.
    pub gives: &'static [&'static str],
    /// True when it is read between two dates.
    pub dated: bool,
    /// True when a file always holds everything, so that a newer one takes the place of all before.
    pub complete: bool,
    /// Reads a file.
    pub read: fn(&mut dyn Input, &ImportOptions) -> Result<Imported, ImportError>,
}

/// What is read: a file, or anything else that can go back to its beginning.
pub trait Input: Read + Seek {}

impl<T: Read + Seek> Input for T {}

/// What the person chose.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportOptions {
    /// A zone, see [`ImportKind::zone`].
    pub zone: Option<Zone>,
    /// First and last date, both included, for a format that is read between two.
    pub dates: Option<(Date, Date)>,
}

/// What a file gave.
pub struct Imported {
    /// Records by date.
    pub records: Box<dyn Iterator<Item = DayRecord>>,
    /// What was left out and why, in sentences.
    pub notes: Vec<String>,
}

impl fmt::Debug for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imported").field("notes", &self.notes).finish_non_exhaustive()
    }
}

/// Why a file cannot be read, in the words of its format.
pub type ImportError = Box<dyn Error + Send + Sync>;
