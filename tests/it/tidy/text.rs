//! Sizes, headers, line lengths, and what must not be written anywhere.

use std::fs;

use super::registries::{REGISTRIES, holds_row};
use super::{Source, all_sources, files, none, relative};
use crate::support::root;

/// Lines of a file that holds a row of a registry: a function, lint, connector, channel, command, gate.
const UNIT_LINES_MAX: usize = 200;
/// Lines of any other file.
const FILE_LINES_MAX: usize = 500;
/// Lines of a registry's `mod.rs`.
const REGISTRY_LINES_MAX: usize = 150;
/// Characters of a line.
const LINE_CHARS_MAX: usize = 110;

/// Files that may be longer: path, lines, reason. One that is no longer longer must go.
const LONGER: &[(&str, usize, &str)] = &[];

/// What may lie in the project's folder.
const ROOT: &[&str] = &[
    ".ci",
    ".clippy.toml",
    ".git",
    ".gitignore",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "benches",
    "connectors.toml",
    "deny.toml",
    "docs",
    "examples",
    "fuzz",
    "grammar",
    "personas",
    "rules",
    "rustfmt.toml",
    "src",
    "tests",
    "wallet.toml",
];

/// Folders whose text is looked through for paths of a machine; files of the root are looked through too.
const TEXTS: &[&str] = &[
    ".ci",
    "benches",
    "docs",
    "examples",
    "fuzz/fuzz_targets",
    "grammar",
    "personas",
    "rules",
    "src",
    "tests",
];

/// Beginnings of paths that exist on one machine only; split, so that this file does not find itself.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/tm", "p/wt"), concat!("/ho", "me/"), concat!("/ro", "ot/")];

/// What code must not hold, with what to write instead.
const BANNED: &[(&str, &str)] = &[
    ("#[allow", "write `#[expect(…, reason = \"…\")]`"),
    ("#![allow", "write `#[expect(…, reason = \"…\")]` at the place itself"),
    ("#[ignore", "a slow test is a target with `required-features` that `.ci/run` names"),
    ("::_private", "private parts of a dependency break in a patch release"),
];

fn is_test(path: &str) -> bool {
    path.ends_with("tests.rs") || path.starts_with("tests/")
}

fn lines_max(sources: &[Source], source: &Source) -> Option<usize> {
    let path = source.path.as_str();
    if let Some((_, lines, _)) = LONGER.iter().find(|(longer, ..)| *longer == path) {
        return Some(*lines);
    }
    // Long tests are documents: they lie beside the code and have no limit.
    if is_test(path) {
        return None;
    }
    Some(match path {
        "src/main.rs" => 40,
        "src/lib.rs" => 120,
        _ if REGISTRIES.iter().any(|folder| path == format!("{folder}/mod.rs")) => REGISTRY_LINES_MAX,
        _ if holds_row(sources, source) => UNIT_LINES_MAX,
        _ => FILE_LINES_MAX,
    })
}

#[test]
fn files_keep_their_size() {
    let sources = all_sources();
    let mut findings = Vec::new();
    for source in &sources {
        let lines = source.text.lines().count();
        if let Some(max) = lines_max(&sources, source).filter(|max| lines > *max) {
            findings.push(format!("{}: {lines} lines, the most is {max}", source.path));
        }
    }
    for (path, _, reason) in LONGER {
        let found = sources.iter().find(|source| source.path == *path);
        let lines = found.map_or(0, |source| source.text.lines().count());
        if lines <= UNIT_LINES_MAX || reason.is_empty() {
            findings.push(format!("{path}: needs no place in LONGER, or has no reason there"));
        }
    }
    none(&findings);
}

#[test]
fn files_say_what_they_are() {
    let sources = all_sources();
    let silent = sources.iter().filter(|source| !source.text.starts_with("//! "));
    none(&silent.map(|source| format!("{}: does not begin with `//! `", source.path)).collect::<Vec<_>>());
}

#[test]
fn lines_fit() {
    let mut findings = Vec::new();
    for Source { path, text, code } in &all_sources() {
        let lines = text.lines().zip(code.lines()).enumerate();
        for (index, (line, bare)) in lines.filter(|(_, (line, _))| line.chars().count() > LINE_CHARS_MAX) {
            // A string cannot be broken as code can: what counts is the line without it.
            let comment = line.trim_start().starts_with("//");
            // Nor can rustfmt break what stands inside the macros of tests.
            let in_test = is_test(path) || path.starts_with("benches/");
            if !comment && (in_test || bare.chars().count() <= LINE_CHARS_MAX) {
                continue;
            }
            findings.push(format!("{path}:{}: {} characters", index + 1, line.chars().count()));
        }
    }
    none(&findings);
}

#[test]
fn nothing_banned_is_written() {
    let mut findings = Vec::new();
    for Source { path, code, text } in &all_sources() {
        for (banned, instead) in BANNED.iter().filter(|(banned, _)| code.contains(banned)) {
            findings.push(format!("{path}: `{banned}`: {instead}"));
        }
        let swallowed = concat!("eprint", "ln!(\"SKIPPED");
        if text.contains(swallowed) {
            findings.push(format!("{path}: the harness swallows this, call `oracles::folder` instead"));
        }
    }
    none(&findings);
}

#[test]
fn no_text_names_a_machine() {
    let in_root =
        fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let texts: Vec<_> = in_root.chain(TEXTS.iter().flat_map(|folder| files(&root().join(folder)))).collect();
    assert!(texts.iter().any(|path| path.ends_with("docs/development.md")), "docs/ was not found");
    let mut findings = Vec::new();
    for path in texts {
        // In a linked work tree `.git` is a file, and not the project's.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if path.ends_with(".git") {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            if MACHINE_PATHS.iter().any(|machine| line.contains(machine)) {
                findings.push(format!("{}:{}: {line}", relative(&path), index + 1));
            }
        }
    }
    none(&findings);
}

#[test]
fn the_root_holds_what_it_should() {
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    let ignored: Vec<&str> = ignored.lines().filter_map(|line| line.strip_prefix('/')).collect();
    let names = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let strange = names.filter(|name| !ROOT.contains(&name.as_str()) && !ignored.contains(&name.as_str()));
    none(&strange.map(|name| format!("{name}: add it to ROOT or to .gitignore")).collect::<Vec<_>>());
}
