//! The commands: one file each, one row here; help, completions and manual pages are derived from the rows.
//!
//! The only part that opens files and prints, and the only one that reads the environment and the arguments.
//! A command gets its arguments and a [`Context`], says what came out and never ends the process itself.

pub mod arguments;
#[cfg(feature = "shell")]
mod backup;
pub mod command;
mod completions;
#[cfg(feature = "shell")]
mod connector;
pub mod days;
mod dry_run;
mod explain;
#[cfg(feature = "shell")]
mod export;
pub mod files;
mod fmt;
#[cfg(feature = "shell")]
mod forget;
#[cfg(feature = "shell")]
mod here;
pub mod import;
#[cfg(feature = "shell")]
mod journal;
mod lint;
#[cfg(feature = "shell")]
mod log;
mod man;
pub mod output;
#[cfg(feature = "shell")]
mod rate;
mod replay;
#[cfg(feature = "shell")]
mod restore;
mod rule_files;
mod schedule;
#[cfg(feature = "shell")]
mod snooze;
#[cfg(feature = "shell")]
mod status;
mod test;
mod timeline;
#[cfg(feature = "shell")]
mod trace;
#[cfg(feature = "shell")]
mod verify;
#[cfg(feature = "shell")]
mod watch;
mod why;
#[cfg(feature = "shell")]
mod working_folder;

#[cfg(test)]
mod tests;

pub use command::{CommandDef, Context, Exit, Run, main, run, tree};

/// All commands, in the order in which help lists them.
pub const COMMANDS: &[CommandDef] = &[
    lint::DEF,
    fmt::DEF,
    test::DEF,
    dry_run::DEF,
    why::DEF,
    explain::DEF,
    schedule::DEF,
    import::DEF,
    #[cfg(feature = "shell")]
    watch::DEF,
    #[cfg(feature = "shell")]
    status::DEF,
    #[cfg(feature = "shell")]
    log::DEF,
    #[cfg(feature = "shell")]
    trace::DEF,
    #[cfg(feature = "shell")]
    rate::DEF,
    #[cfg(feature = "shell")]
    snooze::DEF,
    #[cfg(feature = "shell")]
    here::DEF,
    #[cfg(feature = "shell")]
    connector::DEF,
    #[cfg(feature = "shell")]
    verify::DEF,
    #[cfg(feature = "shell")]
    export::DEF,
    #[cfg(feature = "shell")]
    backup::DEF,
    #[cfg(feature = "shell")]
    restore::DEF,
    #[cfg(feature = "shell")]
    forget::DEF,
    completions::DEF,
    man::DEF,
];
