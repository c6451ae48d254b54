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
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use self::day_files::{DayFiles, Written};
use self::input::read;
use super::{CommandDef, Context, Exit, Run, arguments};
use crate::connectors::{IMPORTS, ImportKind, ImportOptions, Imported};
use crate::engine::time::{Date, Zone};
use crate::render::terminal::shown;

/// Sentences about what was left out.
const NOTES_MAX: usize = 20;

/// Arguments of `import`: a subcommand a row of [`IMPORTS`].
#[derive(Debug)]
pub struct ImportArgs {
    kind: &'static ImportKind,
    file: FileArgs,
    dates: Option<DatesArgs>,
}

/// What every format takes; the help of `file` and `zone` is the row's.
#[derive(Debug, Args)]
struct FileArgs {
    file: PathBuf,
    /// Folder for the recorded days; made when it is not there
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[arg(long, value_name = "ZONE", value_parser = arguments::zone)]
    zone: Option<Zone>,
}

/// What a format takes that is read between two dates.
#[derive(Debug, Args)]
struct DatesArgs {
    /// First date; what is read is known from its midnight on
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    from: Date,
    /// Last date, included
    #[arg(long, value_name = "DATE", value_parser = arguments::date)]
    to: Date,
}

fn subcommand(kind: &ImportKind) -> Command {
    let command = Command::new(kind.name);
    let command = if kind.dated { DatesArgs::augment_args(command) } else { command };
    FileArgs::augment_args(command)
        .about(kind.about)
        .long_about(None)
        .after_help(format!("It writes {}.", kind.gives.join(", ")))
        .mut_arg("file", |file| file.help(kind.file))
        .mut_arg("zone", |zone| zone.help(kind.zone))
}

impl Args for ImportArgs {
    fn augment_args(command: Command) -> Command {
        let kinds = IMPORTS.iter().map(subcommand);
        command.subcommands(kinds).subcommand_required(true).arg_required_else_help(true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ImportArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let chosen = matches.subcommand().and_then(|(name, matches)| {
            IMPORTS.iter().find(|kind| kind.name == name).map(|kind| (kind, matches))
        });
        let Some((kind, matches)) = chosen else {
            return Err(clap::Error::new(ErrorKind::MissingSubcommand));
        };
        let dates = kind.dated.then(|| DatesArgs::from_arg_matches(matches)).transpose()?;
        Ok(Self { kind, file: FileArgs::from_arg_matches(matches)?, dates })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<ImportArgs>("import", "Turn exports of other programs into recorded days");

impl Run for ImportArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let (written, notes) = run(&self)?;
        let notes = tallied(notes);
        let file = self.file.file.display().to_string();
        let file = shown(&file);
        for note in notes.iter().take(NOTES_MAX) {
            // Titles and names of devices come from outside.
            context.console.note(format!("note: `{file}`: {}", shown(note)))?;
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
    let ImportArgs { kind, file: FileArgs { file, output, zone }, dates } = args;
    let options = ImportOptions { zone: *zone, dates: dates.as_ref().map(|dates| (dates.from, dates.to)) };
    let Imported { records, notes } = read(file, |input| (kind.read)(input, &options))?;
    let mut files = DayFiles::new(output, kind, (!kind.complete).then_some(file))?;
    for record in records {
        files.add(&record)?;
    }
    Ok((files.finish()?, notes))
}
