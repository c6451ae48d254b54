//! `verger man [COMMAND]`: a manual page in roff.

use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{COMMANDS, CommandDef, Context, Exit, Run, tree};

/// The row.
pub(super) const DEF: CommandDef = CommandDef::of::<Man>("man", "Print a manual page");

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "To read one: verger man | man -l -")]
struct Man {
    /// Of this command; without it, of the whole program
    #[arg(value_parser = PossibleValuesParser::new(COMMANDS.iter().map(|command| command.name)))]
    command: Option<String>,
}

impl Run for Man {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let mut tree = tree();
        // Hands the global arguments down and gives each command its full name.
        tree.build();
        let page = match &self.command {
            None => tree,
            Some(name) => tree.find_subcommand(name).with_context(|| format!("no command `{name}`"))?.clone(),
        };
        let source = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
        clap_mangen::Man::new(page).source(source).render(&mut context.console.out())?;
        Ok(Exit::Fine)
    }
}
