//! Where tests find the shared oracles: real inputs with expected results that this project does not hold.
//!
//! Only tests use it, both those of the library and those in `tests/it`, which includes this file.
//! A suite without its oracles must not look like one that passed: it says so on the stream itself, since
//! the harness swallows what `eprintln!` prints in a passing test.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The oracles' folder: `VERGER_ORACLES`, else `../shared/oracles` beside the project. When it is not there,
/// names the suite as skipped; the caller then returns.
pub(crate) fn folder(suite: &str) -> Option<PathBuf> {
    let folder = locate(std::env::var_os("VERGER_ORACLES"), Path::new(env!("CARGO_MANIFEST_DIR")));
    if folder.is_dir() {
        return Some(folder);
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED {suite}: oracles not found");
    None
}

/// The text of an oracle, by its path below the folder.
pub(crate) fn text(name: &str) -> Option<String> {
    let path = folder(name)?.join(name);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// A bug report by its id, which must be there.
pub(crate) fn bug(id: &str) -> Option<serde_json::Value> {
    let reports: Vec<serde_json::Value> = serde_json::from_str(&text("bugs/reports.json")?).unwrap();
    let found = reports.into_iter().find(|report| report["id"] == id);
    Some(found.unwrap_or_else(|| panic!("no report `{id}`")))
}

fn locate(named: Option<OsString>, project: &Path) -> PathBuf {
    match named {
        Some(named) if !named.is_empty() => PathBuf::from(named),
        _ => project.join("../shared/oracles"),
    }
}

#[test]
fn the_variable_comes_first() {
    let beside = Path::new("project/../shared/oracles");
    assert_eq!(locate(None, Path::new("project")), beside);
    assert_eq!(locate(Some("".into()), Path::new("project")), beside);
    assert_eq!(locate(Some("there".into()), Path::new("project")), Path::new("there"));
}

#[test]
fn the_oracles_are_those_that_the_tests_know() {
    let Some(folder) = folder("oracles") else { return };
    for part in ["bugs/reports.json", "rules", "health", "ics"] {
        assert!(folder.join(part).exists(), "{part}");
    }
    assert!(bug("A18").is_some());
}
