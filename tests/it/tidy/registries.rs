//! Folders in which a new unit is one file and its two lines in `mod.rs`: nothing may lie there unused.

use super::{Source, all_sources, none};

/// The folders with a table of rows.
pub(super) const REGISTRIES: &[&str] = &[
    "src/channels",
    "src/cli",
    "src/cli/live",
    "src/connectors",
    "src/engine/check",
    "src/engine/functions",
    "src/engine/gates",
    "src/render/diagnostics",
];

/// The table of a registry's `mod.rs`.
struct Table<'a> {
    /// Type of a row.
    row: &'a str,
    /// What stands between the brackets.
    rows: &'a str,
}

/// `const NAME: &[Row] = &[…];` or `const NAME: [Row; N] = […];`
fn table(code: &str) -> Option<Table<'_>> {
    code.match_indices("const ").find_map(|(at, _)| {
        let (head, body) = code.get(at..)?.split_once('=')?;
        let (_, kind) = head.split_once(':')?;
        let kind =
            kind.trim().trim_start_matches('&').strip_prefix('[')?.strip_suffix("] ").or_else(|| {
                kind.trim().trim_start_matches('&').strip_prefix('[')?.trim_end().strip_suffix(']')
            })?;
        let row = kind.split(';').next()?.trim();
        let rows = body.trim_start().trim_start_matches('&').strip_prefix('[')?.split(']').next()?;
        Some(Table { row: row.rsplit("::").next()?, rows })
    })
}

/// Names of the constants of a type, at the outermost level of a file.
fn constants<'a>(code: &'a str, kind: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for line in code.lines().filter(|line| !line.starts_with(char::is_whitespace)) {
        let Some((visibility, declared)) = line.split_once("const ") else { continue };
        let Some((name, rest)) = declared.split_once(':') else { continue };
        let of_kind =
            rest.split('=').next().is_some_and(|found| found.trim().rsplit("::").next() == Some(kind));
        if of_kind && (visibility.is_empty() || visibility.starts_with("pub")) {
            names.push(name.trim());
        }
    }
    names
}

/// Name of a module that stands directly in a folder: `folder/x.rs` or `folder/x/mod.rs`.
fn unit<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    let inner = path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?;
    let inner = inner.strip_suffix("/mod").unwrap_or(inner);
    (!inner.contains('/') && inner != "mod").then_some(inner)
}

/// True for a file that holds rows of its folder's table.
pub(super) fn holds_row(sources: &[Source], source: &Source) -> bool {
    REGISTRIES.iter().any(|folder| {
        let table = sources.iter().find(|other| other.path == format!("{folder}/mod.rs"));
        let row = table.and_then(|other| self::table(&other.code)).map(|table| table.row);
        unit(folder, &source.path).is_some()
            && row.is_some_and(|row| !constants(&source.code, row).is_empty())
    })
}

#[test]
fn every_unit_has_its_row() {
    let sources = all_sources();
    let mut findings = Vec::new();
    let mut tables = 0;
    for folder in REGISTRIES {
        let Some(registry) = sources.iter().find(|source| source.path == format!("{folder}/mod.rs")) else {
            continue;
        };
        let Some(table) = table(&registry.code) else { continue };
        tables += 1;
        let mut rows = 0;
        for source in &sources {
            let Some(unit) = unit(folder, &source.path) else { continue };
            for name in constants(&source.code, table.row) {
                rows += 1;
                if !table.rows.split([',', '\n']).any(|row| row.trim() == format!("{unit}::{name}")) {
                    findings.push(format!(
                        "{}: `{unit}::{name}` is not in the table of {folder}/mod.rs",
                        source.path
                    ));
                }
            }
        }
        if rows == 0 {
            findings.push(format!("{folder}: a table without a unit beside it"));
        }
    }
    // Those of the command line and of the formats are there from the beginning.
    assert!(tables >= 2, "only {tables} tables were found");
    none(&findings);
}

#[test]
fn every_file_is_a_module() {
    let sources = all_sources();
    let mut findings = Vec::new();
    for source in &sources {
        let Some((folder, stem)) = source.path.strip_suffix(".rs").and_then(|path| path.rsplit_once('/'))
        else {
            continue;
        };
        let (folder, stem) = if stem == "mod" { folder.rsplit_once('/').unwrap() } else { (folder, stem) };
        let roots = ["src", "tests/it", "benches", "examples", "fuzz/fuzz_targets"];
        let is_root = roots.contains(&folder) && (!["src", "tests/it"].contains(&folder) || is_crate(stem));
        if is_root || source.path.starts_with("benches/") {
            continue;
        }
        let parents = [
            format!("{folder}/mod.rs"),
            format!("{folder}.rs"),
            format!("{folder}/lib.rs"),
            format!("{folder}/main.rs"),
        ];
        let named = format!("#[path = \"{stem}.rs\"]");
        let declared = sources.iter().any(|other| {
            (parents.contains(&other.path) && other.code.contains(&format!("mod {stem};")))
                || other.text.contains(&named)
        });
        if !declared {
            findings.push(format!("{}: no `mod {stem};` beside it, so it is never compiled", source.path));
        }
    }
    none(&findings);
}

fn is_crate(stem: &str) -> bool {
    ["lib", "main"].contains(&stem)
}

#[test]
fn tables_and_rows_are_read() {
    let code = "/// x\npub const ALL: &[FormatDef] = &[\n    text::DEF,\n    json::DEF,\n];";
    let found = table(code).unwrap();
    assert_eq!(found.row, "FormatDef");
    assert_eq!(found.rows.split(',').map(str::trim).collect::<Vec<_>>(), ["text::DEF", "json::DEF", ""]);
    assert_eq!(table("const ORDER: [gates::Gate; 2] = [a::DEF, b::DEF];").unwrap().row, "Gate");
    assert!(table("const MAX: u32 = 3;").is_none());
    assert_eq!(
        constants("pub(super) const DEF: Gate = x;\n    const IN: Gate = y;\nconst B: u8 = 1;", "Gate"),
        ["DEF"]
    );
    assert_eq!(unit("src/cli", "src/cli/man.rs"), Some("man"));
    assert_eq!(unit("src/cli", "src/cli/days/mod.rs"), Some("days"));
    assert_eq!(unit("src/cli", "src/cli/days/files.rs"), None);
}
