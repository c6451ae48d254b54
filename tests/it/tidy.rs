//! House rules as data: who may import whom, sizes, headers, rows, names. The source is read as text, so
//! that a rule can be added without a compiler plug-in; comments and strings are blanked first.

mod code;
mod layers;
mod registries;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

/// One file of the project.
struct Source {
    /// Relative to the project's folder, with `/`.
    path: String,
    /// As it is.
    text: String,
    /// Without comments and the content of strings; lines are kept.
    code: String,
}

/// Every Rust file under these folders.
fn sources(folders: &[&str]) -> Vec<Source> {
    let mut sources = Vec::new();
    for folder in folders {
        for path in files(&root().join(folder)) {
            if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = code::without_comments_and_strings(&text);
                sources.push(Source { path: relative(&path), text, code });
            }
        }
    }
    sources
}

/// Every Rust file of the project.
fn all_sources() -> Vec<Source> {
    let sources = sources(&["src", "tests", "benches", "examples", "fuzz/fuzz_targets"]);
    for needed in ["src/lib.rs", "src/main.rs", "src/engine/mod.rs", "src/cli/mod.rs", "tests/it/tidy.rs"] {
        assert!(sources.iter().any(|source| source.path == needed), "{needed} was not found");
    }
    sources
}

/// All files below a folder, sorted; none when there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/")
}

/// Fails with one line a finding.
fn none(findings: &[String]) {
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}
