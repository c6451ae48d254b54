//! Reads the documents of `tests/corpus/parse`, and breaks them in every way that comes to mind.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

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

fn formatted(text: &str) -> String {
    let source = SourceFile::new("x.rule", text);
    let (file, found) = parse(&source, FileId(0));
    assert_eq!(found, Vec::new(), "{text}");
    format(&file, &source)
}

/// The tree as text without places, clauses in the order of their words, comments sorted.
fn shape(text: &str) -> String {
    let (mut file, _) = parse(&SourceFile::new("x.rule", text), FileId(0));
    for item in &mut file.items {
        if let ast::ItemKind::Rule(rule) = &mut item.kind {
            let key = |clause: &ast::Clause| match &clause.kind {
                ast::ClauseKind::When(_) => 0,
                ast::ClauseKind::And(_) | ast::ClauseKind::Or(_) => 1,
                ast::ClauseKind::Let(..) => 2,
                ast::ClauseKind::Quiet(..) => 3,
                _ => 4,
            };
            rule.clauses.sort_by_key(|clause| {
                let single = if key(clause) == 4 {
                    format!("{:?}", std::mem::discriminant(&clause.kind))
                } else {
                    String::new()
                };
                (key(clause), single)
            });
        }
    }
    let mut comments: Vec<String> = file.comments.drain(..).map(|comment| comment.text).collect();
    comments.sort();
    without_places(&format!("{:?} {comments:?}", file.items))
}

fn without_places(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("Span { file") {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        rest = after.split_once('}').unwrap().1;
    }
    out + rest
}

/// Every place in a tree or finding: its ends.
fn places(debug: &str) -> Vec<(usize, usize)> {
    let number =
        |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap();
    debug
        .split("Span { file: FileId(0), start: ")
        .skip(1)
        .map(|text| (number(text), number(text.split_once("end: ").unwrap().1)))
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
        let body = text.split_once("\n#! ").map_or(text.as_str(), |(body, _)| body).trim_end();
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("#! ")).collect();
        let got = listed(&text);
        assert_ne!(got, Vec::<String>::new(), "{}", path.display());
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            let lines: String = got.iter().map(|line| format!("#! {line}\n")).collect();
            std::fs::write(&path, format!("{body}\n\n{lines}")).unwrap();
        } else {
            assert_eq!(got, expected, "{}", path.display());
        }
    }
}

#[test]
fn the_example_of_the_manual_is_canonical() {
    let (_, text) = corpus("ok").into_iter().find(|(path, _)| path.ends_with("example.rule")).unwrap();
    similar(&formatted(&text), &text);
}

/// Each document of `ok` has its canonical form in `fmt`; `UPDATE_EXPECT=1` rewrites it.
#[test]
fn documents_have_one_canonical_form() {
    for (path, text) in corpus("ok") {
        let canonical = formatted(&text);
        similar(&formatted(&canonical), &canonical);
        similar(&shape(&canonical), &shape(&text));
        let golden = path.parent().unwrap().with_file_name("fmt").join(path.file_name().unwrap());
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&golden, &canonical).unwrap();
        } else {
            similar(&canonical, &std::fs::read_to_string(&golden).unwrap());
        }
    }
}

/// Like `assert_eq!`, but shows the first line that differs.
fn similar(got: &str, expected: &str) {
    if got != expected {
        let differ = got.lines().zip(expected.lines()).find(|(a, b)| a != b);
        panic!("differs: {differ:#?}\n{got}\n--- expected\n{expected}");
    }
}

#[test]
fn deep_nesting_is_one_finding() {
    let around = |open: &str, inner: &str, close: &str, count: usize| {
        format!("rule a\n  when     {}{inner}{}\n  then     tell\n", open.repeat(count), close.repeat(count))
    };
    for text in [
        around("(", "a", ")", 100_000 / 8),
        around("not ", "a", "", 100_000 / 8),
        around("a + ", "a", "", 10_000),
        around("80% of ", "a", "", 5_000),
        around("larger of a and ", "a", "", 2_000),
        around("f(", "a", ")", 10_000),
        around("at least 1 of (", "a", ")", 2_000),
        around("a + (", "a", ")", 5_000),
        around("some e in s where (", "a", ")", 2_000),
    ] {
        let found = listed(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("nested more than 64 deep"), "{found:?}");
    }
    for text in [
        around("(", "a", ")", 64),
        around("not ", "a", "", 64),
        around("f(a, ", "a", ")", 64),
        around("not (", "a", ")", 32),
    ] {
        assert_eq!(listed(&text), Vec::<String>::new());
        similar(&formatted(&text), &text);
    }
}

#[test]
fn sizes_are_limited() {
    let long = |entries: usize| format!("list a = {}\"z\"\n", "\"aaaaaaaa\", ".repeat(entries));
    assert_eq!(listed(&long(5_000)), Vec::<String>::new());
    let found = listed(&format!("{}zone", long(6_000)));
    assert_eq!(found[0], "1:1 `list` this definition is longer than 64 KiB (split it)");
    assert_eq!(found.len(), 2, "what follows is still read: {found:?}");
    let found = listed(&"# a comment\n".repeat(100_000));
    assert_eq!(found, ["1:1 `# a comment` this file is longer than 1 MiB (split it)"]);
    assert_eq!(listed(&"oops\n".repeat(10_000)).len(), 201);
}

#[test]
fn hidden_characters_are_named() {
    let found = listed(
        "list a = \"x\u{202e}y\", \"\u{1f469}\u{200d}\u{1f9b0}\u{2764}\u{fe0f}\"  # b\u{200b}\nlist\u{2060} b = \"\"\n",
    );
    let messages: Vec<&str> = found.iter().map(|line| line.split("` ").last().unwrap()).collect();
    assert_eq!(
        messages,
        [
            "invisible or control character U+202E (delete it)",
            "invisible or control character U+200B (delete it)",
            "invisible or control character U+2060 (delete it)",
        ]
    );
    assert_eq!(listed("\u{feff}zone home = \"UTC\"\r\nkeep history 3 days\r\n"), Vec::<String>::new());
}

/// Words that meet in rule files, and some that should not.
const PIECES: &[&str] = &[
    "\n",
    " ",
    "  ",
    "\n  ",
    "\nrule a \"b\"\n",
    "when ",
    "and ",
    "or ",
    "not ",
    "(",
    ")",
    "{",
    "}",
    "\"",
    "\\",
    "#",
    "# x\n",
    ",",
    ":",
    "|",
    "-",
    "->",
    "=",
    "<",
    "5bpm",
    "5 ",
    "1h30m",
    "2 days",
    "2026-02-30",
    "2026-02-03 10:00",
    "25:00",
    "09:00",
    "a.b",
    "a",
    "of ",
    "80% of ",
    "larger of ",
    "median of a over 2 days",
    ", needs 3",
    "some e in s today",
    " where ",
    " fired today",
    " is missing",
    " in ",
    " to ",
    "é",
    "健身",
    "\u{202e}",
    "\u{200d}",
    "\t",
    "\r",
    "\0",
    "\nscene x",
    "\nquiet n = 23:00 to 07:00",
    "say \"{x} {{\"",
    "missing",
    " age",
    " as % of ",
    "99999999999999999999",
    "-",
    "0.5",
    "; ",
    "then tell",
    "let x = ",
    "given ",
    "expect ",
];

fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0_usize..12, prop::option::of(prop::sample::select(PIECES)));
    (any::<prop::sample::Index>(), prop::collection::vec(edit, 1..8)).prop_map(|(document, edits)| {
        let documents = corpus("ok");
        let mut text: Vec<char> = documents[document.index(documents.len())].1.chars().collect();
        for (place, cut, piece) in edits {
            let at = place.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            text.splice(at..end, piece.unwrap_or("").chars());
        }
        text.into_iter().collect()
    })
}

/// What must hold for any text.
fn check(text: &str) {
    let source = SourceFile::new("x.rule", text);
    let (file, found) = parse(&source, FileId(0));
    for (start, end) in places(&format!("{file:?} {found:?}")) {
        assert!(start <= end && text.get(start..end).is_some(), "{start}..{end} of {text:?}");
    }
    if found.is_empty() {
        let canonical = format(&file, &source);
        similar(&shape(&canonical), &shape(text));
        similar(&formatted(&canonical), &canonical);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_documents_are_read_to_the_end(text in mutated()) {
        check(&text);
    }

    #[test]
    fn random_bytes_are_read_to_the_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_pieces_are_read_to_the_end(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        check(&pieces.concat());
    }
}
