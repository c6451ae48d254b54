//! `verger export`: the journal as recorded days, one file a date, for `dry-run` and every other command that
//! reads days.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::journal::{self, Walk};
use super::working_folder::DataArgs;
use crate::cli::files;
use crate::cli::output::counted;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::engine::time::Date;

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<ExportArgs>("export", "Write the journal as recorded days, for `dry-run`");

/// Arguments of `export`.
#[derive(Debug, Args)]
struct ExportArgs {
    /// Folder for the days; made when it is not there
    days: PathBuf,
    #[command(flatten)]
    data: DataArgs,
}

impl Run for ExportArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let store = journal::read(&self.data, context)?;
        let zone = journal::rules(&store)?.home();
        let mut days: BTreeMap<Date, String> = BTreeMap::new();
        store.export(zone, |at, line| -> Result<(), Walk> {
            // Writing to a string cannot fail.
            let _ = writeln!(days.entry(zone.date(at)).or_default(), "{line}");
            Ok(())
        })?;
        files::make_folder(&self.days)?;
        let before = files::find_below(&self.days, "jsonl")?;
        for path in &before {
            if !path.to_string_lossy().ends_with(ENDING) {
                bail!(
                    "`{}` holds other days, such as `{}`: name an empty folder, since together they would say something else",
                    self.days.display(),
                    path.display()
                );
            }
        }
        let place = |date: &Date| self.days.join(format!("{date}{ENDING}"));
        for (date, lines) in &days {
            files::replace(&place(date), lines.as_bytes())?;
        }
        // Days that an earlier export wrote and the journal no longer speaks of.
        for path in before.iter().filter(|path| !days.keys().any(|date| place(date) == **path)) {
            files::remove(path)?;
        }
        context.console.note(format!("{} written", counted(days.len(), "day")))?;
        Ok(Exit::Fine)
    }
}

/// What names of exported days end with.
const ENDING: &str = ".journal.jsonl";
