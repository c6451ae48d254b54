//! Every lint on documents that a user could have written, with the expectation beside the line:
//! `#! error[id]: beginning of the message`, or on a line of its own below.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{LINTS, lint};
use crate::engine::diagnostic::{Diagnostic, Severity};
use crate::engine::resolve::{Inputs, id};
use crate::engine::source::{SourceFile, Sources};
use crate::engine::syntax;
use crate::engine::time::Date;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/lint")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn scripts(folder: &Path) -> BTreeMap<String, String> {
    let Ok(entries) = std::fs::read_dir(folder.join("lib")) else { return BTreeMap::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (format!("lib/{}", path.file_name().unwrap().to_str().unwrap()), read(&path))).collect()
}

/// All findings of one file by line: id, severity, message.
fn found(path: &Path) -> (SourceFile, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new(path.display().to_string(), read(path)));
    let source = sources.get(file).unwrap().clone();
    let (tree, mut diagnostics) = syntax::parse(&source, file);
    let inputs = Inputs { scripts: scripts(path.parent().unwrap()), ..Inputs::default() };
    let today = Date::from_ymd(2026, 9, 1);
    diagnostics.extend(lint(&[tree], &sources, &inputs, today).1);
    (source, diagnostics)
}

type Expected = (u32, String, String, String);

fn expectations(source: &SourceFile) -> Vec<Expected> {
    let mut expected = Vec::new();
    let mut last = 0;
    for (line, text) in (1..).zip(source.text.lines()) {
        let Some((before, mark)) = text.split_once("#! ") else {
            last = line;
            continue;
        };
        let (severity, rest) = mark.split_once('[').expect("`severity[id]: message`");
        let (id, message) = rest.split_once("]:").expect("`severity[id]: message`");
        let at = if before.trim().is_empty() { last } else { line };
        expected.push((at, severity.to_owned(), id.to_owned(), message.trim().to_owned()));
        last = at;
    }
    expected
}

/// Compares what is found with what is expected; returns the ids.
fn agree(path: &Path) -> Result<BTreeSet<&'static str>, String> {
    let (source, findings) = found(path);
    let mut expected = expectations(&source);
    let mut surplus = Vec::new();
    for finding in &findings {
        let (line, _) = source.line_column(finding.span.start);
        let severity = finding.severity.word();
        let matches = |(at, level, id, message): &Expected| {
            *at == line
                && level == severity
                && id == finding.id
                && finding.message.starts_with(message.as_str())
        };
        match expected.iter().position(matches) {
            Some(at) => {
                expected.remove(at);
            }
            None => surplus.push(format!("{line}: {severity}[{}]: {}", finding.id, finding.message)),
        }
    }
    if surplus.is_empty() && expected.is_empty() {
        return Ok(findings.iter().map(|finding| finding.id).collect());
    }
    let surplus = surplus.join("\n");
    Err(format!("{}\nnot expected:\n{surplus}\nnot found:\n{expected:?}\n", path.display()))
}

#[test]
fn every_lint_has_a_case_that_fires_and_one_that_stays_quiet() {
    let mut wrong = Vec::new();
    for lint in LINTS {
        let folder = corpus().join(lint.id);
        match agree(&folder.join("fires.rule")) {
            Ok(ids) if ids.contains(lint.id) => {}
            Ok(_) => wrong.push(format!("`{}` is not found in its own case", lint.id)),
            Err(difference) => wrong.push(difference),
        }
        match agree(&folder.join("quiet.rule")) {
            Ok(ids) if ids.is_empty() => {}
            Ok(ids) => wrong.push(format!("`{}` is not quiet: {ids:?}", lint.id)),
            Err(difference) => wrong.push(difference),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_unknown_name_is_said_in_one_run() {
    let path = corpus().join("unknown-name/every.rule");
    agree(&path).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn a_file_has_so_many_findings_and_no_more() {
    let mut text = String::from("zone home = \"America/Toronto\"\n");
    for rule in 0..300 {
        text.push_str(&format!("rule r{rule}\n  when x.y{rule} < 3\n  then note\n"));
    }
    let mut sources = Sources::default();
    let file = SourceFile::new("many.rule", text);
    let (tree, syntax) = syntax::parse(&file, sources.add(file.clone()));
    assert_eq!(syntax, []);
    let (_, findings) = lint(&[tree], &sources, &Inputs::default(), None);
    assert_eq!(findings.len(), 201);
    let last = findings.last().unwrap();
    assert_eq!(last.message, "100 further findings in this file are not listed");
    assert_eq!(last.severity, Severity::Error);
}

#[test]
fn one_file_can_break_everything_at_once() {
    let ids = agree(&corpus().join("everything.rule")).unwrap_or_else(|difference| panic!("{difference}"));
    let all: BTreeSet<&str> = LINTS.iter().map(|lint| lint.id).collect();
    assert_eq!(ids, all);
}

#[test]
fn every_id_has_one_row_and_every_folder_a_lint() {
    let ids: BTreeSet<&str> = LINTS.iter().map(|lint| lint.id).collect();
    assert_eq!(ids.len(), LINTS.len(), "an id has two rows");
    for id in id::ALL {
        assert!(ids.contains(id), "`{id}` has no row");
    }
    for entry in std::fs::read_dir(corpus()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "everything.rule" || name == "lib" || ids.contains(name.as_str()),
            "`{name}` is no lint"
        );
    }
    for lint in LINTS {
        assert!(
            !lint.summary.ends_with('.')
                && lint.explain.what.ends_with('.')
                && !lint.explain.example.is_empty()
        );
    }
}

#[test]
fn findings_come_by_place() {
    let (_, findings) = found(&corpus().join("everything.rule"));
    let lints: Vec<_> =
        findings.iter().filter(|finding| finding.id != "syntax").map(|finding| finding.span).collect();
    assert!(lints.is_sorted());
}
