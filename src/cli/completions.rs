//! `verger completions SHELL`: a script that completes commands and arguments.

use clap::Args;
use clap_complete::Shell;

use super::{CommandDef, Context, Exit, Run, tree};

/// The row.
pub(super) const DEF: CommandDef =
    CommandDef::of::<Completions>("completions", "Print a completion script for a shell");

/// Arguments of `completions`.
#[derive(Debug, Args)]
struct Completions {
    /// The shell
    shell: Shell,
}

impl Run for Completions {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut tree(), env!("CARGO_PKG_NAME"), &mut script);
        context.console.out().write_all(&script)?;
        Ok(Exit::Fine)
    }
}
