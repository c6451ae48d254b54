//! The commands: one file each, one row here; help, completions and manual pages are derived from the rows.
//!
//! The only part that opens files and prints, and the only one that reads the environment and the arguments.
//! A command gets its arguments and a [`Context`], says what came out and never ends the process itself.

pub mod arguments;
pub mod command;
mod completions;
pub mod days;
mod dry_run;
mod explain;
pub mod files;
mod fmt;
pub mod import;
mod lint;
#[cfg(feature = "shell")]
mod live;
mod man;
pub mod output;
mod replay;
mod rule_files;
mod schedule;
mod selection;
mod sources_file;
mod test;
mod timeline;
mod why;

#[cfg(test)]
mod tests;

pub use command::{CommandDef, Context, Exit, Run, main, run, tree};

/// All commands, in the order in which help lists them.
pub fn commands() -> impl Iterator<Item = &'static CommandDef> {
    #[cfg(feature = "shell")]
    return COMMANDS.iter().chain(live::COMMANDS);
    #[cfg(not(feature = "shell"))]
    COMMANDS.iter()
}

/// Commands that need nothing but files.
const COMMANDS: &[CommandDef] = &[
    lint::DEF,
    fmt::DEF,
    test::DEF,
    dry_run::DEF,
    why::DEF,
    explain::DEF,
    schedule::DEF,
    import::DEF,
    completions::DEF,
    man::DEF,
];
