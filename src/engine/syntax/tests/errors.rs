//! Documents full of mistakes: below each line stands what is said about it.
//!
//! `#! COLUMN `text`: message (help)`. `UPDATE_EXPECT=1` writes the lines anew.

use std::path::{Path, PathBuf};

use super::super::parse;
use crate::engine::source::{FileId, SourceFile};

fn documents() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/parse/err");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The document with what is really found below each line.
fn annotated(document: &str) -> String {
    let bare: Vec<&str> = document.lines().filter(|line| !line.starts_with("#!")).collect();
    let source = SourceFile::new("t.rule", bare.join("\n") + "\n");
    let (_, found) = parse(&source, FileId(0));
    let mut out = String::new();
    for (number, line) in (1..).zip(&bare) {
        out.push_str(line);
        out.push('\n');
        for finding in &found {
            let (at, column) = source.line_column(finding.span.start);
            if at == number {
                let help = finding.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
                let text = source.slice(finding.span);
                out.push_str(&format!("#! {column} `{text}`: {}{help}\n", finding.message));
            }
        }
    }
    out
}

#[test]
fn every_mistake_is_said_at_its_place() {
    let documents = documents();
    assert!(documents.len() >= 4, "the documents are gone");
    for path in documents {
        let document = std::fs::read_to_string(&path).unwrap();
        let real = annotated(&document);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &real).unwrap();
            continue;
        }
        let shown = path.file_name().unwrap().to_string_lossy();
        for (expected, real) in document.lines().zip(real.lines()) {
            assert_eq!(real, expected, "{shown}");
        }
        assert_eq!(real, document, "{shown}");
    }
}
