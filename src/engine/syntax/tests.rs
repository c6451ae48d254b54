//! Reads the documents of `tests/corpus/parse`, and breaks them in every way that comes to mind.

use std::path::{Path, PathBuf};

use super::*;
use crate::engine::source::{FileId, SourceFile};

fn corpus(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/parse").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

fn listed(text: &str) -> Vec<String> {
    let source = SourceFile::new("x.rule", text);
    let (_, found) = parse(&source, FileId(0));
    found
        .iter()
        .map(|one| {
            let (line, column) = source.line_column(one.span.start);
            let help = one.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{line}:{column} `{}` {}{help}", source.slice(one.span).replace('\n', "\\n"), one.message)
        })
        .collect()
}

#[test]
fn right_documents_are_read_without_a_finding() {
    for (path, text) in corpus("ok") {
        assert_eq!(listed(&text), Vec::<String>::new(), "{}", path.display());
    }
}

/// Each document ends in its findings, one comment `#! line:column …` each; `UPDATE_EXPECT=1` rewrites them.
#[test]
fn wrong_documents_give_their_findings() {
    for (path, text) in corpus("err") {
        let body = text.find("\n#! ").map_or(text.as_str(), |at| &text[..=at]);
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("#! ")).collect();
        let got = listed(&text);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            let lines: String = got.iter().map(|line| format!("#! {line}\n")).collect();
            std::fs::write(&path, format!("{body}{lines}")).unwrap();
        } else {
            assert_eq!(got, expected, "{}", path.display());
        }
    }
}
