//! Finds and reads the files of a set, and replaces one.
//!
//! The first thing that cannot be read is an error that names it: a set of which a part is silently absent
//! would decide otherwise than its owner wrote. Folders are searched to their end; names that begin with a
//! dot are skipped there, and a folder or file that is reached twice (by a link, or as two arguments) counts
//! once. Never judges a text beyond its encoding and its size.
//!
//! INVARIANT: files come sorted by path, so that every run reads the same set in the same order.
#![expect(clippy::disallowed_methods, reason = "opens the files that the user names")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::engine::source::{SourceFile, Sources};
use crate::engine::syntax::FILE_BYTES_MAX;

/// Largest rule file, in bytes: the largest that the parser reads.
pub const RULE_FILE_BYTES_MAX: u64 = FILE_BYTES_MAX as u64;

/// Why the files of a set could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// A path does not exist or may not be read.
    #[error("`{path}` cannot be read: {reason}")]
    Unreadable {
        /// The path as given or found.
        path: String,
        /// What the system said.
        reason: io::Error,
    },
    /// A file was named that no rules can be in.
    #[error("`{path}` is no rule file: expected a folder or a name that ends in `.rule`")]
    NotRules {
        /// The path as given.
        path: String,
    },
    /// A pipe, socket or device.
    #[error("`{path}` is neither a file nor a folder")]
    Special {
        /// The path as given or found.
        path: String,
    },
    /// Too large.
    #[error("`{path}` is larger than {RULE_FILE_BYTES_MAX} bytes, the most that a rule file may have")]
    TooLarge {
        /// The path as given or found.
        path: String,
    },
    /// Not text.
    #[error("`{path}` is not UTF-8 text: byte {byte} (line {line}) fits no character")]
    NotUtf8 {
        /// The path as given or found.
        path: String,
        /// Offset of the first bad byte, from 0.
        byte: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// Nothing to do.
    #[error("no `.rule` file under {}", paths.join(", "))]
    Empty {
        /// The paths as given, in backticks.
        paths: Vec<String>,
    },
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> FilesError {
    |reason| FilesError::Unreadable { path: name(path), reason }
}

/// Reads all `.rule` files under the paths, as one set.
///
/// # Errors
/// When a path cannot be read, a file is too large or not UTF-8, or there is no file at all.
pub fn read_rules(paths: &[PathBuf]) -> Result<Sources, FilesError> {
    let mut sources = Sources::default();
    for path in find_rules(paths)? {
        sources.add(SourceFile::new(name(&path), read_text(&path)?));
    }
    Ok(sources)
}

/// All `.rule` files under the paths, sorted, each once.
///
/// # Errors
/// When a path cannot be read, or there is no file at all.
pub fn find_rules(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FilesError> {
    let mut search = Search::of("rule");
    for path in paths {
        let kind = fs::metadata(path).map_err(unreadable(path))?;
        if kind.is_dir() {
            search.folder(path)?;
        } else if search.wants(path) {
            search.file(path, &kind)?;
        } else {
            return Err(FilesError::NotRules { path: name(path) });
        }
    }
    if search.files.is_empty() {
        let paths = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        return Err(FilesError::Empty { paths });
    }
    search.files.sort();
    Ok(search.files)
}

/// All files below a folder whose names end in an extension, sorted, each once.
///
/// # Errors
/// When the folder or something in it cannot be read.
pub(super) fn find_below(folder: &Path, extension: &'static str) -> Result<Vec<PathBuf>, FilesError> {
    let mut search = Search::of(extension);
    search.folder(folder)?;
    search.files.sort();
    Ok(search.files)
}

/// The scripts below a folder, or for a rule file those in `lib` beside it, by their path below the folder
/// with `/`. Links to folders are not followed, and what a
/// script is shows only when it is read.
///
/// # Errors
/// When a folder cannot be read.
pub(super) fn find_scripts(path: &Path) -> Result<Vec<(String, PathBuf)>, FilesError> {
    let mut found = Vec::new();
    let (top, first) = match path.parent() {
        Some(beside) if !is_folder(path) => (beside, beside.join("lib")),
        _ => (path, path.to_owned()),
    };
    let mut waiting = if is_folder(&first) { vec![first] } else { Vec::new() };
    while let Some(folder) = waiting.pop() {
        for path in entries(&folder)? {
            let kind = fs::symlink_metadata(&path).map_err(unreadable(&path))?;
            if is_hidden(&path) {
                continue;
            }
            if kind.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rhai") {
                let parts = path.strip_prefix(top).unwrap_or(&path).components();
                let parts = parts.map(|part| part.as_os_str().to_string_lossy());
                found.push((parts.collect::<Vec<_>>().join("/"), path));
            }
        }
    }
    Ok(found)
}

/// Replaces a file, so that a crash leaves the old text or the new one; its mode stays. The new text is first
/// written to a new file of an unpredictable name beside it, so that no link that somebody put there is
/// followed; a link in the place of the file itself is replaced.
///
/// # Errors
/// When the file cannot be written.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let old = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".part");
    #[cfg(unix)]
    if old.is_none() {
        // As any new file: the process's mask decides.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Makes a folder and those above it, where they are not there.
///
/// # Errors
/// When it cannot be made.
#[cfg(feature = "shell")]
pub(super) fn make_folder(folder: &Path) -> Result<(), FilesError> {
    fs::create_dir_all(folder).map_err(unreadable(folder))
}

/// Removes a file.
///
/// # Errors
/// When it cannot be removed.
#[cfg(feature = "shell")]
pub(super) fn remove(path: &Path) -> Result<(), FilesError> {
    fs::remove_file(path).map_err(unreadable(path))
}

/// Whether something lies at a path.
pub(super) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether a path leads to a folder.
pub(super) fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Reads a whole file as text.
///
/// # Errors
/// When it cannot be read, is larger than [`RULE_FILE_BYTES_MAX`] or not UTF-8.
pub fn read_text(path: &Path) -> Result<String, FilesError> {
    // Opening a pipe would wait for somebody to write into it.
    if !fs::metadata(path).map_err(unreadable(path))?.is_file() {
        return Err(FilesError::Special { path: name(path) });
    }
    let file = fs::File::open(path).map_err(unreadable(path))?;
    let mut bytes = Vec::new();
    // One byte more than allowed is enough to know.
    file.take(RULE_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable(path))?;
    if bytes.len() as u64 > RULE_FILE_BYTES_MAX {
        return Err(FilesError::TooLarge { path: name(path) });
    }
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(byte).filter(|byte| **byte == b'\n').count() + 1;
        FilesError::NotUtf8 { path: name(path), byte, line }
    })
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

struct Search {
    /// How the names of the files end.
    extension: &'static str,
    files: Vec<PathBuf>,
    /// Real paths of the files and folders that were reached.
    seen: BTreeSet<PathBuf>,
}

impl Search {
    fn of(extension: &'static str) -> Self {
        Self { extension, files: Vec::new(), seen: BTreeSet::new() }
    }

    fn wants(&self, path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == self.extension)
    }

    fn is_new(&mut self, path: &Path) -> Result<bool, FilesError> {
        Ok(self.seen.insert(path.canonicalize().map_err(unreadable(path))?))
    }

    fn file(&mut self, path: &Path, kind: &fs::Metadata) -> Result<(), FilesError> {
        if !kind.is_file() {
            return Err(FilesError::Special { path: name(path) });
        }
        if self.is_new(path)? {
            self.files.push(path.to_owned());
        }
        Ok(())
    }

    fn folder(&mut self, top: &Path) -> Result<(), FilesError> {
        let mut waiting = vec![top.to_owned()];
        while let Some(folder) = waiting.pop() {
            if !self.is_new(&folder)? {
                continue;
            }
            for path in entries(&folder)? {
                if is_hidden(&path) {
                    continue;
                }
                // A link that leads nowhere matters only where a file of the set is expected.
                match fs::metadata(&path) {
                    Ok(kind) if kind.is_dir() => waiting.push(path),
                    Ok(kind) if self.wants(&path) => self.file(&path, &kind)?,
                    Err(reason) if self.wants(&path) => return Err(unreadable(&path)(reason)),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// What a folder holds, sorted, so that of two ways to one file always the same is taken.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, FilesError> {
    let list = fs::read_dir(folder).map_err(unreadable(folder))?;
    let mut paths = list
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable(folder))?;
    paths.sort();
    Ok(paths)
}
