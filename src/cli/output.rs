//! The streams of the process, and the only place that prints.
//!
//! Results go to standard output, everything else to standard error, so that a pipe gets results alone.
//! Standard output is written in blocks; what stands in the block is written out before anything is said on
//! standard error, so that a terminal shows both in their order. Tests hand in their own streams.
#![expect(clippy::disallowed_methods, reason = "opens the streams of the process and asks whether to colour")]

use std::fmt;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};

use super::days::{DaysError, bad_lines};
use crate::render::terminal::{Paint, Style, shown, shown_lines};

/// Where a command reads and prints.
pub struct Console<'io> {
    input: &'io mut dyn BufRead,
    out: &'io mut dyn Write,
    err: &'io mut dyn Write,
    out_color: bool,
    err_color: bool,
    quiet: bool,
}

impl fmt::Debug for Console<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Console").field("quiet", &self.quiet).finish_non_exhaustive()
    }
}

impl<'io> Console<'io> {
    /// A console without colour on these streams.
    pub fn new(input: &'io mut dyn BufRead, out: &'io mut dyn Write, err: &'io mut dyn Write) -> Self {
        Self { input, out, err, out_color: false, err_color: false, quiet: false }
    }

    /// Standard input.
    pub fn input(&mut self) -> &mut dyn BufRead {
        self.input
    }

    /// Standard output, for results that are written piece by piece.
    pub fn out(&mut self) -> &mut dyn Write {
        self.out
    }

    /// Whether results may be coloured.
    #[must_use]
    pub fn colors_results(&self) -> bool {
        self.out_color
    }

    /// Leaves notes out from now on.
    pub(super) fn set_quiet(&mut self, quiet: bool) {
        self.quiet = quiet;
    }

    /// Prints a part of the result as it is: text that was rendered, so that nothing in it can drive a
    /// terminal.
    ///
    /// # Errors
    /// When the stream cannot be written; a closed pipe ends the program quietly.
    pub fn print(&mut self, text: impl fmt::Display) -> io::Result<()> {
        write!(self.out, "{text}")
    }

    /// Prints one line of the result; what a terminal would obey or hide is written out.
    ///
    /// # Errors
    /// As [`Console::print`].
    pub fn line(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{}", shown(&text.to_string()))
    }

    /// Says one line beside the result, unless `--quiet` was given; what a terminal would obey or hide is
    /// written out.
    ///
    /// # Errors
    /// As [`Console::print`].
    pub fn note(&mut self, text: impl fmt::Display) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        self.out.flush()?;
        writeln!(self.err, "{}", shown(&text.to_string()))
    }

    /// Says a text beside the result that was rendered, as [`Console::print`]; also when quiet, since it says
    /// why there is no result.
    ///
    /// # Errors
    /// As [`Console::print`].
    pub(super) fn beside(&mut self, text: impl fmt::Display) -> io::Result<()> {
        self.out.flush()?;
        write!(self.err, "{text}")
    }

    /// Says why the work could not be done: the headline and its causes on one line; bad lines one each.
    pub(super) fn error(&mut self, error: &anyhow::Error) -> io::Result<()> {
        // The result may be what cannot be written: the reason must still come out.
        let _ = self.out.flush();
        let word = Paint { on: self.err_color }.say(Style::Red, "error");
        let reasons = match error.downcast_ref::<DaysError>() {
            Some(DaysError::Bad { lines, more }) => bad_lines(lines, *more).collect(),
            _ => vec![format!("{error:#}")],
        };
        for reason in reasons {
            // A path or a text from outside may be part of it.
            writeln!(self.err, "{word}: {}", shown(&reason))?;
        }
        self.err.flush()
    }

    /// Prints what clap says: help and version as results, a mistake beside them.
    pub(super) fn usage(&mut self, error: &clap::Error) -> io::Result<()> {
        let (stream, color) = if error.use_stderr() {
            (&mut *self.err, self.err_color)
        } else {
            (&mut *self.out, self.out_color)
        };
        let text = error.render();
        let plain = text.to_string();
        let safe = shown_lines(&plain);
        // A word that the shell handed over may hold anything: then safety goes before colour.
        if color && safe == plain { write!(stream, "{}", text.ansi()) } else { write!(stream, "{safe}") }
    }

    /// Writes out what is held back.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.err.flush()
    }
}

/// Calls with the streams of the process, coloured where a terminal reads and `NO_COLOR` is not set.
pub(super) fn with_console<T>(call: impl FnOnce(&mut Console<'_>) -> T) -> T {
    // Standard input is not locked: recorded days may come from it on another thread.
    let mut input = io::BufReader::new(io::stdin());
    let (stdout, mut err) = (io::stdout().lock(), io::stderr().lock());
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let wanted = set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb");
    let (out_color, err_color) = (wanted && stdout.is_terminal(), wanted && err.is_terminal());
    let mut out = BufWriter::with_capacity(64 << 10, stdout);
    let mut console = Console { out_color, err_color, ..Console::new(&mut input, &mut out, &mut err) };
    call(&mut console)
}

/// A number with its noun: `1 rule`, `2 rules`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// True for the error of a stream whose reader is gone.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
