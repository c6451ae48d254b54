//! Finds the files of DAYS and reads blocks of them: the only file access here.
//!
//! Folders are searched as those of rules are: links are followed, names that begin with a dot are skipped,
//! and what is named like a day but cannot be read is an error. A file is open only while one block is read,
//! so thousands of files need one descriptor.

#![expect(clippy::disallowed_methods, reason = "opens the recorded days that the user names")]

use std::fs::{self, File};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::files::find_below;

/// One source of lines.
#[derive(Debug)]
pub(super) struct DayFile {
    /// As it is shown in messages.
    pub(super) shown: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    File(PathBuf),
    /// What came by a pipe and cannot be read twice.
    Held(Vec<u8>),
}

/// Bytes that are held in memory at most: what comes by a pipe, and files that go back in time.
pub(super) const HELD_MAX: u64 = 256 << 20;

/// The files of a path: itself, every `*.jsonl` below it, or standard input for `-`.
pub(super) fn find(path: &Path, held_max: u64) -> anyhow::Result<Vec<DayFile>> {
    let shown = path.display().to_string();
    let hold = |content: &mut dyn Read| -> anyhow::Result<Vec<DayFile>> {
        let content = held(content, &shown, held_max)?;
        Ok(vec![DayFile { shown: shown.clone(), content: Content::Held(content) }])
    };
    if shown == "-" {
        return hold(&mut io::stdin().lock());
    }
    let cannot = || format!("`{shown}` cannot be read");
    let kind = fs::metadata(path).with_context(cannot)?;
    if kind.is_file() {
        return Ok(vec![DayFile { shown, content: Content::File(path.to_owned()) }]);
    }
    if !kind.is_dir() {
        return hold(&mut File::open(path).with_context(cannot)?);
    }
    let found = find_below(path, "jsonl")?;
    anyhow::ensure!(!found.is_empty(), "`{shown}` has no `*.jsonl` file below it");
    let file = |path: PathBuf| DayFile { shown: path.display().to_string(), content: Content::File(path) };
    Ok(found.into_iter().map(file).collect())
}

/// All of what can be read only once.
fn held(content: &mut dyn Read, shown: &str, held_max: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than allowed is enough to know.
    let count = content.take(held_max.saturating_add(1)).read_to_end(&mut bytes);
    let count = count.with_context(|| match shown {
        "-" => "standard input cannot be read".to_owned(),
        _ => format!("`{shown}` cannot be read"),
    })?;
    anyhow::ensure!(
        count as u64 <= held_max,
        "`{shown}` gives more than {held_max} bytes, the most that is read from a pipe or device: write them \
         into a file, which may be of any size"
    );
    Ok(bytes)
}

impl DayFile {
    /// Fills the buffer from a place on; fewer bytes mean that the content ends there.
    pub(super) fn read_at(&self, offset: u64, mut buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = buffer.len();
        match &self.content {
            Content::Held(content) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
                let mut rest = content.get(start..).unwrap_or_default();
                rest.read(buffer)
            }
            Content::File(path) => {
                let mut file = File::open(path)?;
                if offset > 0 {
                    file.seek(SeekFrom::Start(offset))?;
                }
                while !buffer.is_empty() {
                    match file.read(buffer) {
                        Ok(0) => break,
                        Ok(count) => buffer = buffer.get_mut(count..).unwrap_or_default(),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(wanted.saturating_sub(buffer.len()))
            }
        }
    }
}
