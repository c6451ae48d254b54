//! What a command is, and the run of one.
//!
//! A row holds functions, so no command is named outside of its file and its row. Exit codes are those of
//! section 12 of the contract.
#![expect(clippy::disallowed_methods, reason = "reads the arguments that the process was started with")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Args, Command};

use super::commands;
use super::output::{Console, is_closed_pipe, with_console};

/// How a command that could do its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to complain about: 0.
    Fine,
    /// A lint error, a formatting difference, a failed or empty test run: 1.
    Difference,
}

/// The code of a command that could not do its work.
const COULD_NOT: u8 = 2;

/// What each exit code means, for help and manual pages.
pub(super) const EXIT_CODES: &[(&str, &str)] = &[
    ("0", "fine"),
    ("1", "a mistake in the rules, a file not in form, a failed test or no test at all"),
    ("2", "the command could not do its work"),
];

/// Which variables are read.
pub(super) const ENVIRONMENT: &[(&str, &str)] = &[
    ("VERGER_HOME", "The working folder, where no `--home` is written; an empty one is none."),
    ("VERGER_DATA", "The folder of the journal, where no `--data` is written."),
    ("NO_COLOR", "Any text: print no colours, also on a terminal."),
];

/// What every command may use.
#[derive(Debug)]
pub struct Context<'a, 'io> {
    /// The working folder, if one was named; see [`Context::default_path`].
    pub home: Option<PathBuf>,
    /// Where to read from and print to.
    pub console: &'a mut Console<'io>,
}

impl Context<'_, '_> {
    /// A path that the user did not write, such as `rules`: it lies in the working folder. Paths that the
    /// user wrote are relative to the current folder, as the shell completed them.
    #[must_use]
    pub fn default_path(&self, name: &str) -> PathBuf {
        self.home.as_deref().unwrap_or(Path::new("")).join(name)
    }

    /// What the user wrote, or else the default.
    #[must_use]
    pub fn paths_or(&self, written: &[PathBuf], default: &str) -> Vec<PathBuf> {
        if written.is_empty() { vec![self.default_path(default)] } else { written.to_vec() }
    }
}

/// The arguments of a command that can be run.
pub trait Run {
    /// Does the work.
    ///
    /// # Errors
    /// When the work could not be done (exit code 2): the error is printed, in the user's words.
    fn run(self, context: &mut Context<'_, '_>) -> anyhow::Result<Exit>;
}

/// A command.
#[derive(Clone, Copy, Debug)]
pub struct CommandDef {
    /// The word on the command line.
    pub name: &'static str,
    /// One line for people, without a period.
    pub about: &'static str,
    arguments: fn(Command) -> Command,
    run: fn(&ArgMatches, &mut Context<'_, '_>) -> anyhow::Result<Exit>,
}

impl CommandDef {
    /// The row of a command whose arguments are `A`.
    #[must_use]
    pub const fn of<A: Args + Run>(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            arguments: A::augment_args,
            run: |matches, context| A::from_arg_matches(matches)?.run(context),
        }
    }

    fn command(&self) -> Command {
        // The row's words come last: the doc comment of the arguments is for readers of the code.
        (self.arguments)(Command::new(self.name)).about(self.about).long_about(None)
    }
}

/// The whole command line.
#[must_use]
pub fn tree() -> Command {
    Command::new(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .arg(
            Arg::new("home")
                .long("home")
                .value_name("DIR")
                .env("VERGER_HOME")
                .hide_env_values(true)
                .value_parser(clap::builder::OsStringValueParser::new())
                .global(true)
                .help("Folder of rules and settings, where no other is named [default: the current one]"),
        )
        .arg(
            Arg::new("quiet")
                .short('q')
                .long("quiet")
                .action(ArgAction::SetTrue)
                .global(true)
                .help("Print results and errors only, no notes"),
        )
        .after_help(exit_codes())
        .subcommands(commands().map(CommandDef::command))
}

fn exit_codes() -> String {
    let codes: Vec<_> = EXIT_CODES.iter().map(|(code, meaning)| format!("{code} {meaning}")).collect();
    format!("Exit codes: {}.", codes.join("; "))
}

/// Runs the command line of this process on its own streams.
#[must_use]
pub fn main() -> ExitCode {
    with_console(|console| run(std::env::args_os(), console)).into()
}

/// Runs a command line, program name first, and returns the exit code.
pub fn run(words: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> u8 {
    match attempt(words, console).and_then(|code| console.flush().map(|()| code).map_err(Into::into)) {
        Ok(code) => code,
        // Whoever read us has seen enough.
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => {
            // Where even this cannot be said, the code still says it.
            let _ = console.error(&error);
            COULD_NOT
        }
    }
}

fn attempt(words: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> anyhow::Result<u8> {
    let matches = match tree().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => {
            console.usage(&error)?;
            return Ok(u8::try_from(error.exit_code()).unwrap_or(COULD_NOT));
        }
    };
    console.set_quiet(matches.get_flag("quiet"));
    // An empty variable is as good as none.
    let home = matches.get_one::<OsString>("home").filter(|home| !home.is_empty()).map(PathBuf::from);
    let mut context = Context { home, console };
    let chosen = matches.subcommand().and_then(|(name, matches)| {
        commands().find(|command| command.name == name).map(|command| (command, matches))
    });
    let Some((command, matches)) = chosen else {
        anyhow::bail!("expected a command, see `{} --help`", env!("CARGO_PKG_NAME"));
    };
    Ok(match (command.run)(matches, &mut context)? {
        Exit::Fine => 0,
        Exit::Difference => 1,
    })
}
