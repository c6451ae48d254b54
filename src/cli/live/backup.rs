//! `verger backup`: a copy of the journal, also while a watch is writing it.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use super::journal;
use super::working_folder::DataArgs;
use crate::cli::{CommandDef, Context, Exit, Run};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<BackupArgs>("backup", "Copy the journal into a file, also while a watch is running");

/// Arguments of `backup`.
#[derive(Debug, Args)]
struct BackupArgs {
    /// The copy; it must not be there yet
    file: PathBuf,
    #[command(flatten)]
    data: DataArgs,
}

impl Run for BackupArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let store = journal::read(&self.data, context)?;
        store.backup(&self.file).with_context(|| format!("`{}`", self.file.display()))?;
        Ok(Exit::Fine)
    }
}
