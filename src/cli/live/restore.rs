//! `verger restore`: a copy of the journal takes its place. The one that was there stays beside it.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;

use super::working_folder::DataArgs;
use crate::cli::{CommandDef, Context, Exit, Run};
use crate::shell::lock::Lock;
use crate::store::{Store, restore};

/// The row.
pub(super) const DEF: CommandDef = CommandDef::of::<RestoreArgs>(
    "restore",
    "Put a copy of the journal in its place; the old one stays beside it",
);

/// Arguments of `restore`.
#[derive(Debug, Args)]
struct RestoreArgs {
    /// What `verger backup` wrote
    file: PathBuf,
    #[command(flatten)]
    data: DataArgs,
}

impl Run for RestoreArgs {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let folder = self.data.folder(context);
        folder.make()?;
        let _lock = Lock::take(&folder.lock(), "`verger restore`").context("stop the watch first")?;
        let named = || format!("`{}`", self.file.display());
        let copy = Store::read(&self.file).with_context(named)?;
        if let Err(difference) = copy.verify().with_context(named)? {
            bail!("{} does not hold together ({difference:?}): nothing was changed", named());
        }
        drop(copy);
        if let Some(kept) = restore(&self.file, &folder.journal()).with_context(named)? {
            context.console.note(format!("the journal that was there is now `{}`", kept.display()))?;
        }
        Ok(Exit::Fine)
    }
}
