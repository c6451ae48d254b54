//! `verger import`: a foreign file to recorded days in a folder.
//!
//! Opens, shows progress and writes; what a file means is the connectors' business. One file a day, named by
//! date and import, so that imports share a folder: the kind alone where a file always holds everything, else
//! the kind with the name of the file that was read. A day file of the same import is replaced as a whole;
//! days that this import does not speak of are left alone.

#![expect(clippy::disallowed_methods, reason = "opens the exports and the terminal's progress bar")]

mod day_files;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::day_files::{DayFiles, Written};
use super::{CommandDef, Context as Invocation, Exit, Run, arguments};
use crate::connectors::{IMPORTS, ImportKind, ImportOptions, Imported};
use crate::engine::time::{Date, Zone};

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
    fn run(self, context: &mut Invocation<'_, '_>) -> anyhow::Result<Exit> {
        let (written, notes) = run(&self)?;
        for note in &notes {
            context.console.note(format!("note: {note}"))?;
        }
        context.console.line(written)?;
        Ok(Exit::Fine)
    }
}

/// Reads the file and writes its days: what was written, and what is to be said of it.
fn run(args: &ImportArgs) -> anyhow::Result<(Written, Vec<String>)> {
    let ImportArgs { kind, file: FileArgs { file, output, zone }, dates } = args;
    let options = ImportOptions { zone: *zone, dates: dates.as_ref().map(|dates| (dates.from, dates.to)) };
    let Imported { records, notes } = read(kind, file, &options)?;
    let name = if kind.complete { kind.name.to_owned() } else { named(kind.name, file) };
    let mut files = DayFiles::new(output, &name)?;
    for record in records {
        files.add(&record)?;
    }
    Ok((files.finish()?, notes))
}

/// Opens the file behind a progress bar on stderr, which shows only on a terminal.
fn read(kind: &ImportKind, path: &Path, options: &ImportOptions) -> anyhow::Result<Imported> {
    let name = || format!("`{}`", path.display());
    let file = File::open(path).with_context(name)?;
    let about = file.metadata().with_context(name)?;
    if about.is_dir() {
        bail!("{}: a folder was found, expected a file", name());
    }
    let bar = ProgressBar::with_draw_target(Some(about.len()), ProgressDrawTarget::stderr());
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {bytes}/{total_bytes} {bytes_per_sec} {eta}") {
        bar.set_style(style);
    }
    let imported = (kind.read)(&mut bar.wrap_read(file), options);
    bar.finish_and_clear();
    imported.map_err(anyhow::Error::from_boxed).with_context(name)
}

/// The kind with the name of the file: two calendars of one day lie side by side.
fn named(kind: &str, file: &Path) -> String {
    format!("{kind}-{}", file.file_stem().unwrap_or(OsStr::new("file")).to_string_lossy())
}
