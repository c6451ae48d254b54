//! `verger man [COMMAND [SUBCOMMAND]]`: a manual page in roff.
//!
//! What every page says, exit codes and environment, is written once, in [`super::command`].

use std::io;

use anyhow::anyhow;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_mangen::roff::{Roff, roman};

use super::command::{ENVIRONMENT, EXIT_CODES};
use super::{CommandDef, Context, Exit, Run, commands, tree};

/// The row.
pub(super) const DEF: CommandDef = CommandDef::of::<Man>("man", "Print a manual page");

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "To read one: verger man | man -l -")]
struct Man {
    /// Of this command; without it, of the whole program
    #[arg(value_parser = PossibleValuesParser::new(commands().map(|command| command.name)))]
    command: Option<String>,
    /// Of this part of the command, such as `ics` of `import`
    part: Option<String>,
}

impl Run for Man {
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit> {
        let mut tree = tree();
        // Hands the global arguments down and gives each command its full name.
        tree.build();
        let mut page = &tree;
        for word in [&self.command, &self.part].into_iter().flatten() {
            page = page.find_subcommand(word).ok_or_else(|| no_part(page, word))?;
        }
        write_page(page, self.command.is_none(), context.console.out())?;
        Ok(Exit::Fine)
    }
}

/// In the user's words, with what there is.
fn no_part(command: &Command, word: &str) -> anyhow::Error {
    let name = command.get_name();
    let parts: Vec<_> = command.get_subcommands().map(|part| format!("`{}`", part.get_name())).collect();
    if parts.is_empty() {
        return anyhow!("`{word}` was found, and `{name}` has no parts");
    }
    anyhow!("`{name}` has no part `{word}`, expected {}", parts.join(", "))
}

fn write_page(page: &Command, whole: bool, out: &mut dyn io::Write) -> io::Result<()> {
    let source = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    let manual = clap_mangen::Man::new(page.clone()).source(source);
    manual.render_title(out)?;
    manual.render_name_section(out)?;
    manual.render_synopsis_section(out)?;
    manual.render_description_section(out)?;
    manual.render_options_section(out)?;
    if page.has_subcommands() {
        manual.render_subcommands_section(out)?;
    }
    let mut roff = Roff::default();
    // The whole program's is about exit codes, which have a section here.
    if let Some(help) = page.get_after_help().filter(|_| !whole) {
        roff.control("SH", ["NOTES"]).text([roman(help.to_string())]);
    }
    section(&mut roff, "EXIT STATUS", EXIT_CODES);
    section(&mut roff, "ENVIRONMENT", ENVIRONMENT);
    roff.to_writer(out)
}

/// A section of words, each with what it means.
fn section(roff: &mut Roff, title: &str, rows: &[(&str, &str)]) {
    roff.control("SH", [title]);
    for (word, meaning) in rows {
        roff.control("TP", []).text([roman(*word)]).text([roman(*meaning)]);
    }
}
