//! Files of a folder that others write to.
#![expect(clippy::disallowed_methods, reason = "opens the files that the owner's settings name")]

use std::fs;
use std::io::{Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::connectors::Input;
use crate::connectors::source::{FILES_MAX, Failure, FileSearch, FoundFile};

/// What a path means: the file itself, or the files of the folder, sorted by path.
pub(super) fn find(search: &FileSearch) -> Result<Vec<FoundFile>, Failure> {
    let top = Path::new(&search.path);
    let failed = |path: &Path, error: std::io::Error| {
        Failure::File(format!("`{}` cannot be read: {error}", path.display()))
    };
    let kind = fs::metadata(top).map_err(|error| failed(top, error))?;
    if kind.is_file() {
        return Ok(vec![found(top, &kind)]);
    }
    let (mut files, mut waiting) = (Vec::new(), vec![top.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| failed(&folder, error))? {
            let path = entry.map_err(|error| failed(&folder, error))?.path();
            // One that vanished meanwhile was not meant to be read.
            let Ok(kind) = fs::metadata(&path) else { continue };
            if is_hidden(&path) {
                continue;
            }
            if kind.is_dir() && search.deep && !is_link(&path) {
                waiting.push(path);
            } else if kind.is_file() && is_wanted(&path, search.extensions) {
                files.push(found(&path, &kind));
            }
            if files.len() > FILES_MAX {
                return Err(Failure::File(format!("`{}` holds more than {FILES_MAX} files", top.display())));
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// A file from a byte on.
pub(super) fn open(path: &str, from: u64) -> Result<Box<dyn Input + Send>, Failure> {
    let failed = |error: std::io::Error| Failure::File(format!("`{path}` cannot be read: {error}"));
    let mut file = fs::File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(Failure::File(format!("`{path}` is not a file")));
    }
    file.seek(SeekFrom::Start(from)).map_err(failed)?;
    Ok(Box::new(file))
}

fn found(path: &Path, kind: &fs::Metadata) -> FoundFile {
    let changed = kind.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    FoundFile {
        path: path.display().to_string(),
        size: kind.len(),
        changed: changed.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or_default(),
        id: id(kind),
    }
}

#[cfg(unix)]
fn id(kind: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(kind)
}

#[cfg(not(unix))]
fn id(_: &fs::Metadata) -> u64 {
    0
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn is_link(path: &PathBuf) -> bool {
    fs::symlink_metadata(path).is_ok_and(|kind| kind.is_symlink())
}

fn is_wanted(path: &Path, extensions: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    extensions.iter().any(|wanted| ending.eq_ignore_ascii_case(wanted))
}
