//! Finds the files of DAYS and reads blocks of them: the only file access here.
//!
//! A file is open only while one block is read, so thousands of files need one descriptor.

#![expect(clippy::disallowed_methods, reason = "opens the recorded days that the user names")]

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

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

/// Folders below folders are followed this deep.
const DEPTH_MAX: u32 = 64;

/// The files of a path: itself, every `*.jsonl` below it, or standard input for `-`.
pub(super) fn find(path: &Path) -> anyhow::Result<Vec<DayFile>> {
    let shown = path.display().to_string();
    let held = |content: Vec<u8>| vec![DayFile { shown: shown.clone(), content: Content::Held(content) }];
    if shown == "-" {
        let mut content = Vec::new();
        io::stdin().lock().read_to_end(&mut content).context("standard input cannot be read")?;
        return Ok(held(content));
    }
    let cannot = || format!("`{shown}` cannot be read");
    let kind = fs::metadata(path).with_context(cannot)?;
    if kind.is_file() {
        return Ok(vec![DayFile { shown, content: Content::File(path.to_owned()) }]);
    }
    if !kind.is_dir() {
        return Ok(held(fs::read(path).with_context(cannot)?));
    }
    let mut found = Vec::new();
    below(path, DEPTH_MAX, &mut found)?;
    anyhow::ensure!(!found.is_empty(), "`{shown}` has no `*.jsonl` file below it");
    found.sort();
    let file = |path: PathBuf| DayFile { shown: path.display().to_string(), content: Content::File(path) };
    Ok(found.into_iter().map(file).collect())
}

/// Links to folders are not followed, since they may lead back.
fn below(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let cannot = || format!("`{}` cannot be read", folder.display());
    let deeper = depth.checked_sub(1).with_context(|| format!("`{}` lies too deep", folder.display()))?;
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let path = entry.path();
        if entry.file_type().with_context(cannot)?.is_dir() {
            below(&path, deeper, found)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
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
