//! The file that an import reads: opened behind a progress bar, past the mark that some programs put first.
//!
//! Never opens what is no file: a named pipe that nobody writes to would wait for ever.

#![expect(clippy::disallowed_methods, reason = "opens the exports and the terminal's progress bar")]

use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::connectors::{ImportError, Imported, Input};

/// Opens the file behind a progress bar on stderr, which shows only on a terminal.
pub(super) fn read(
    path: &Path,
    decode: impl FnOnce(&mut dyn Input) -> Result<Imported, ImportError>,
) -> anyhow::Result<Imported> {
    let name = || format!("`{}`", path.display());
    // Before it is opened.
    let about = std::fs::metadata(path).with_context(name)?;
    if !about.is_file() {
        let found = if about.is_dir() { "a folder" } else { "a pipe or device" };
        bail!("{}: {found} was found, expected a file", name());
    }
    let file = File::open(path).with_context(name)?;
    let bar = ProgressBar::with_draw_target(Some(about.len()), ProgressDrawTarget::stderr());
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {bytes}/{total_bytes} {bytes_per_sec} {eta}") {
        bar.set_style(style);
    }
    let mut input = bar.wrap_read(file);
    skip_mark(&mut input).with_context(name)?;
    let decoded = decode(&mut input);
    bar.finish_and_clear();
    decoded.map_err(anyhow::Error::from_boxed).with_context(name)
}

/// Skips the mark that some programs put before UTF-8, and refuses the other encoding that has one.
fn skip_mark(input: &mut (impl Read + Seek)) -> anyhow::Result<()> {
    let mut first = Vec::new();
    Read::by_ref(input).take(3).read_to_end(&mut first)?;
    input.rewind()?;
    if first.starts_with(b"\xff\xfe") || first.starts_with(b"\xfe\xff") {
        bail!("its text is UTF-16, expected UTF-8: save it again as UTF-8");
    }
    if first == b"\xef\xbb\xbf" {
        input.seek(SeekFrom::Start(3))?;
    }
    Ok(())
}
