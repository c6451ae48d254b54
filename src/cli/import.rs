//! `verger import`: a foreign file to recorded days in a folder.
//!
//! Opens, shows progress and writes; what a file means is the connectors' business. One file a day, named by
//! date and import, so that imports share a folder: `apple-health` (an export always holds everything), and
//! for the others the kind with the name of the file that was read. An import replaces all day files of its
//! own name, also those of dates that it no longer speaks of, so that what was deleted at the source is gone
//! here too; it never touches another import's. What it leaves out is said on standard error, by kind.

mod day_files;
mod input;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use chrono_tz::Tz;
use clap::{Args, Subcommand};

use self::day_files::{DayFiles, Written};
use self::input::{Progress, peek, read};
use super::{CommandDef, Context, Exit, Run};
use crate::connectors::health::HealthRecords;
use crate::connectors::health::places::ReadingZone;
use crate::connectors::ics::{IcsWindow, TEXT_BYTES_MAX};
use crate::connectors::{apple_health, health_auto_export, ics};
use crate::render::terminal::shown;

/// Sentences about what was left out.
const NOTES_MAX: usize = 20;

/// Arguments of `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(subcommand)]
    format: Format,
}

#[derive(Debug, Subcommand)]
enum Format {
    /// Apple Health's export.xml or export.zip
    AppleHealth {
        /// The export
        file: PathBuf,
        #[command(flatten)]
        into: Into,
        /// Zone of readings that name none, such as `America/Toronto`; without it the export's own offset
        #[arg(long, value_name = "ZONE", value_parser = parse_zone)]
        zone: Option<Tz>,
    },
    /// A JSON file of the app Health Auto Export
    HealthAutoExport {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        into: Into,
        /// Zone in which dates are read; without it the offsets in the file
        #[arg(long, value_name = "ZONE", value_parser = parse_zone)]
        zone: Option<Tz>,
    },
    /// The events of an iCalendar file between two dates
    Ics {
        /// The calendar
        file: PathBuf,
        /// First date; the events are known from its midnight on
        #[arg(long, value_name = "DATE")]
        from: NaiveDate,
        /// Last date, included
        #[arg(long, value_name = "DATE")]
        to: NaiveDate,
        #[command(flatten)]
        into: Into,
        /// Your zone; without it the one that the file names
        #[arg(long, value_name = "ZONE", value_parser = parse_zone)]
        zone: Option<Tz>,
    },
}

#[derive(Debug, Args)]
struct Into {
    /// Folder for the recorded days; made when it is not there
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

fn parse_zone(text: &str) -> Result<Tz, String> {
    text.parse().map_err(|_| "expected an IANA zone such as `America/Toronto`".to_owned())
}

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<ImportArgs>("import", "Turn exports of other programs into recorded days");

impl Run for ImportArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let (written, notes) = run(&self)?;
        let notes = tallied(notes);
        for note in notes.iter().take(NOTES_MAX) {
            // Titles and names of devices come from outside.
            context.console.note(format!("note: {}", shown(note)))?;
        }
        if let Some(more) = notes.len().checked_sub(NOTES_MAX).filter(|more| *more > 0) {
            context.console.note(format!("note: and {more} more of the like"))?;
        }
        context.console.line(written)?;
        Ok(Exit::Fine)
    }
}

/// Each sentence once, in their order, with how often it was said.
fn tallied(notes: Vec<String>) -> Vec<String> {
    let mut counts: BTreeMap<String, (usize, u64)> = BTreeMap::new();
    for (place, note) in notes.into_iter().enumerate() {
        counts.entry(note).or_insert((place, 0)).1 += 1;
    }
    let mut notes: Vec<_> = counts.into_iter().map(|(note, (place, count))| (place, note, count)).collect();
    notes.sort_unstable();
    let times = |(_, note, count)| if count == 1 { note } else { format!("{note} ({count} times)") };
    notes.into_iter().map(times).collect()
}

/// Reads the file and writes its days: what was written, and what is to be said of it.
fn run(args: &ImportArgs) -> anyhow::Result<(Written, Vec<String>)> {
    Ok(match &args.format {
        Format::AppleHealth { file, into, zone } => {
            let days = read(file, |input| read_apple_health(input, zone.map(ReadingZone::Named)))?;
            write_health(days, DayFiles::new(&into.output, &apple_health::KIND, None)?)?
        }
        Format::HealthAutoExport { file, into, zone } => {
            let zone = zone.map(ReadingZone::Named);
            let days = read(file, |input| {
                Ok(health_auto_export::read(BufReader::with_capacity(128 << 10, input), zone)?)
            })?;
            write_health(days, DayFiles::new(&into.output, &health_auto_export::KIND, Some(file))?)?
        }
        Format::Ics { file, from, to, into, zone } => import_ics(file, (*from, *to), *zone, &into.output)?,
    })
}

/// An archive or the bare XML, by its first bytes.
fn read_apple_health(input: &mut Progress, zone: Option<ReadingZone>) -> anyhow::Result<HealthRecords> {
    if peek(input)?.starts_with(b"PK") {
        Ok(apple_health::read_archive(input, zone)?)
    } else {
        Ok(apple_health::read_xml(BufReader::with_capacity(128 << 10, input), zone)?)
    }
}

fn write_health(mut days: HealthRecords, mut files: DayFiles) -> anyhow::Result<(Written, Vec<String>)> {
    for record in days.by_ref() {
        files.add(&record)?;
    }
    Ok((files.finish()?, days.notes()))
}

fn import_ics(
    file: &Path,
    (from, to): (NaiveDate, NaiveDate),
    zone: Option<Tz>,
    folder: &Path,
) -> anyhow::Result<(Written, Vec<String>)> {
    let days = read(file, |input| {
        let mut bytes = Vec::new();
        // One byte beyond the limit is enough to be refused for it.
        input.take((TEXT_BYTES_MAX as u64) + 1).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let to = to.succ_opt().unwrap_or(to);
        Ok(ics::read(&text, IcsWindow { from, to, zone })?)
    })?;
    let mut files = DayFiles::new(folder, &ics::KIND, Some(file))?;
    for record in std::iter::once(&days.read).chain(&days.records) {
        files.add(record)?;
    }
    let mut notes = days.notes;
    if days.records.is_empty() {
        let events = days.events;
        notes.push(format!("no event lies between {from} and {to}; the file holds {events}"));
    }
    Ok((files.finish()?, notes))
}
