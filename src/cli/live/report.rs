//! `verger report`: how the rules fared over some days.

mod sums;

use clap::{Args, ValueEnum};

use super::journal;
use super::working_folder::DataArgs;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::render::json_line;
use crate::render::report::{svg, text};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<ReportArgs>("report", "Show how the rules fared: told, stopped, rated, late, missed");

/// Arguments of `report`.
#[derive(Debug, Args)]
struct ReportArgs {
    /// How many days, today included
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=3660))]
    days: u16,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// As JSON: the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A table
    Text,
    /// One line of JSON
    Json,
    /// A picture
    Svg,
}

impl Run for ReportArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let store = journal::read(&self.data, context)?;
        let report = sums::report(&store, self.days)?;
        let format = if self.json { Format::Json } else { self.format };
        let page = match format {
            Format::Text => text(&report),
            Format::Json => json_line(&report) + "\n",
            Format::Svg => svg(&report),
        };
        context.console.print(page)?;
        Ok(Exit::Fine)
    }
}
