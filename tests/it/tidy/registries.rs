//! Folders in which a new unit is one file and its two lines in `mod.rs`: nothing may lie there unused.

use std::collections::BTreeSet;

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

/// A table of a registry's `mod.rs`.
struct Table<'a> {
    /// Type of a row.
    row: &'a str,
    /// What its rows are: `unit::NAME`.
    rows: Vec<&'a str>,
}

/// Every `const NAME: &[Row] = &[…];` or `const NAME: [Row; N] = […];` whose rows are constants of units.
fn tables(code: &str) -> Vec<Table<'_>> {
    let declared = code.match_indices("const ").filter_map(|(at, _)| {
        let (head, body) = code.get(at..)?.split_once('=')?;
        let (_, kind) = head.split_once(':')?;
        let kind = kind.trim().trim_start_matches('&').strip_prefix('[')?.strip_suffix(']')?;
        let row = kind.split(';').next()?.trim();
        let rows = body.trim_start().trim_start_matches('&').strip_prefix('[')?.split(']').next()?;
        let rows = rows.split([',', '\n']).map(str::trim).filter(|row| !row.is_empty()).collect();
        Some(Table { row: row.rsplit("::").next()?, rows })
    });
    declared.filter(|table| table.rows.iter().all(|row| row.contains("::"))).collect()
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

/// The unit of a registry's folder that a file belongs to: `x` for `folder/x.rs` and all of `folder/x/`.
fn unit<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    let inner = path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?;
    let nested = |other: &&&str| other.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    // A registry inside of another has its own table.
    if REGISTRIES.iter().filter(nested).any(|other| path.starts_with(&format!("{other}/"))) {
        return None;
    }
    let first = inner.split('/').next()?;
    (first != "mod").then_some(first)
}

fn tables_of<'s>(sources: &'s [Source], folder: &str) -> Vec<Table<'s>> {
    let registry = sources.iter().find(|source| source.path == format!("{folder}/mod.rs"));
    registry.map(|registry| tables(&registry.code)).unwrap_or_default()
}

/// True for a file that holds rows of a table of its folder.
pub(super) fn holds_row(sources: &[Source], source: &Source) -> bool {
    REGISTRIES.iter().any(|folder| {
        unit(folder, &source.path).is_some()
            && tables_of(sources, folder).iter().any(|table| !constants(&source.code, table.row).is_empty())
    })
}

/// What is wrong with the tables of a registry: a constant of a unit that is in none, and a row whose
/// constant is not declared in its unit.
fn misplaced(sources: &[Source], folder: &str) -> Vec<String> {
    let tables = tables_of(sources, folder);
    let mut findings = Vec::new();
    let mut declared = Vec::new();
    for source in sources {
        let Some(unit) = unit(folder, &source.path) else { continue };
        for row in tables.iter().map(|table| table.row).collect::<BTreeSet<_>>() {
            let listed = |name: &String| {
                tables.iter().any(|table| table.row == row && table.rows.contains(&name.as_str()))
            };
            let names = constants(&source.code, row).into_iter().map(|name| format!("{unit}::{name}"));
            for name in names {
                if !listed(&name) {
                    findings.push(format!("{}: `{name}` is in no table of {folder}/mod.rs", source.path));
                }
                declared.push(name);
            }
        }
    }
    for row in tables.iter().flat_map(|table| &table.rows) {
        if !declared.iter().any(|name| name == row) {
            findings.push(format!("{folder}/mod.rs: `{row}` is not declared in its unit"));
        }
    }
    findings
}

#[test]
fn every_unit_has_its_row() {
    let sources = all_sources();
    // Those of the command line and both of the connectors are there from the beginning.
    let count = |folder| tables_of(&sources, folder).len();
    assert!(count("src/cli") >= 1 && count("src/connectors") >= 2);
    none(&REGISTRIES.iter().flat_map(|folder| misplaced(&sources, folder)).collect::<Vec<_>>());
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
        let roots = ["src", "tests/faults", "tests/it", "benches", "examples", "fuzz/fuzz_targets"];
        let is_root = roots.contains(&folder)
            && (!["src", "tests/faults", "tests/it"].contains(&folder) || is_crate(stem));
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
    let code = "/// x\npub const ALL: &[FormatDef] = &[\n    text::DEF,\n    json::DEF,\n];\n\
                const MAX: u32 = 3;\nconst WORDS: &[&str] = &[\"a\"];\nconst ORDER: [gates::Gate; 2] = [a::DEF, b::DEF];";
    let found: Vec<_> = tables(code).into_iter().map(|table| (table.row, table.rows)).collect();
    assert_eq!(found, [("FormatDef", vec!["text::DEF", "json::DEF"]), ("Gate", vec!["a::DEF", "b::DEF"])]);
    assert_eq!(
        constants("pub(super) const DEF: Gate = x;\n    const IN: Gate = y;\nconst B: u8 = 1;", "Gate"),
        ["DEF"]
    );
    assert_eq!(unit("src/cli", "src/cli/man.rs"), Some("man"));
    assert_eq!(unit("src/cli", "src/cli/days/mod.rs"), Some("days"));
    assert_eq!(unit("src/cli", "src/cli/days/files.rs"), Some("days"));
    assert_eq!(unit("src/cli", "src/cli/mod.rs"), None);
    assert_eq!(unit("src/cli", "src/cli/live/log.rs"), None);
    assert_eq!(unit("src/cli/live", "src/cli/live/log.rs"), Some("log"));
}

#[test]
fn rows_are_looked_for_in_all_tables_of_a_registry() {
    let source = |path: &str, code: &str| Source {
        path: path.to_owned(),
        text: code.to_owned(),
        code: code.to_owned(),
    };
    let mut sources = vec![
        source(
            "src/connectors/mod.rs",
            "const IMPORTS: &[Import] = &[a::KIND];\nconst SOURCES: &[Live] = &[a::SOURCE];",
        ),
        source("src/connectors/a/mod.rs", "pub const KIND: Import = x;\npub use self::live::SOURCE;"),
        source("src/connectors/a/live.rs", "pub const SOURCE: Live = x;"),
    ];
    assert_eq!(misplaced(&sources, "src/connectors"), [""; 0]);
    assert!(holds_row(&sources, &sources[2]));
    sources.push(source("src/connectors/b.rs", "pub const SOURCE: Live = x;"));
    sources[1].code.clear();
    assert_eq!(
        misplaced(&sources, "src/connectors"),
        [
            "src/connectors/b.rs: `b::SOURCE` is in no table of src/connectors/mod.rs",
            "src/connectors/mod.rs: `a::KIND` is not declared in its unit"
        ]
    );
}
