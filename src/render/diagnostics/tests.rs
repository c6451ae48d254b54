//! Drawings that are easy to get wrong, and what holds for any text and place.

use proptest::prelude::*;

use super::{FORMATS, Place, Report};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::{FileId, SourceFile, Sources, Span};

fn span(start: usize, end: usize) -> Span {
    Span { file: FileId(0), start: u32::try_from(start).unwrap(), end: u32::try_from(end).unwrap() }
}

fn rendered(name: &str, text: &str, span: Span) -> String {
    let mut sources = Sources::default();
    sources.add(SourceFile::new("a.rule", text));
    let findings = [Diagnostic::error("syntax", span, "found `x`").help("write `y`")];
    let format = FORMATS.iter().find(|format| format.name == name).unwrap();
    (format.render)(&Report { findings: &findings, sources: &sources, catalogue: &[], color: false })
}

/// The source line and the line under it.
fn drawing(text: &str, span: Span) -> (String, String) {
    let out = rendered("text", text, span);
    let mut lines = out.lines().skip(3).map(|line| line.get(4..).unwrap_or("").to_owned());
    (lines.next().unwrap(), lines.next().unwrap())
}

#[test]
fn wide_characters_and_tabs_keep_the_mark_in_place() {
    let drawn = |line: &str, word: &str| {
        let start = line.find(word).unwrap();
        drawing(line, span(start, start + word.len()))
    };
    assert_eq!(drawn("say \"健身\" x", "x"), ("say \"健身\" x".into(), "           ^".into()));
    assert_eq!(drawn("\twhen 健身", "健身"), ("    when 健身".into(), "         ^^^^".into()));
    assert_eq!(drawn("a 👩‍👩‍👧 b", "b"), ("a 👩‍👩‍👧 b".into(), "     ^".into()));
}

#[test]
fn hidden_characters_are_spelt_out() {
    let (line, mark) = drawing("a\u{202E}b\u{1b}[2J", span(4, 5));
    assert_eq!(line, "a<U+202E>b<U+001B>[2J");
    assert_eq!(mark, "         ^");
}

#[test]
fn a_place_at_the_end_of_the_file_or_on_a_line_break_is_shown() {
    assert_eq!(drawing("ab", span(2, 2)), ("ab".into(), "  ^".into()));
    assert_eq!(drawing("ab\r\ncd", span(1, 4)), ("ab".into(), " ^".into()));
    assert_eq!(drawing("ab\n", span(3, 3)), (String::new(), "^".into()));
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let line = format!("{}X{}", "a".repeat(300), "b".repeat(300));
    let (line, mark) = drawing(&line, span(300, 301));
    assert_eq!(line.chars().count(), 162);
    assert_eq!(line.chars().nth(mark.len() - 1), Some('X'));
    assert!(line.starts_with('…') && line.ends_with('…'));
}

#[test]
fn long_spans_are_cut_in_the_middle() {
    let text = "rule a\n  one\n  two\n  three\n  four\n  five\n  six\n";
    let expected = "\
error[syntax]: found `x`
 --> a.rule:1:1
  |
1 | rule a
  | ^^^^^^
2 |   one
  |   ^^^
  | ...
7 |   six
  |   ^^^
  = help: write `y`
";
    assert_eq!(rendered("text", text, span(0, text.len())), expected);
}

#[test]
fn a_file_that_is_no_source_has_no_place() {
    let span = Span { file: FileId(7), start: 3, end: 9 };
    assert_eq!(rendered("text", "abc", span), "error[syntax]: found `x`\n  = help: write `y`\n");
    assert_eq!(rendered("github", "abc", span), "::error title=syntax::found `x`%0Ahelp: write `y`\n");
    let sarif: serde_json::Value = serde_json::from_str(&rendered("sarif", "abc", span)).unwrap();
    assert_eq!(sarif.pointer("/runs/0/results/0/locations"), Some(&serde_json::json!([])));
}

#[test]
fn names_are_unique() {
    let names: std::collections::BTreeSet<&str> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(names.len(), FORMATS.len());
}

proptest! {
    /// No format fails on any text and any place in it; what they write keeps its own rules.
    #[test]
    fn every_format_holds_its_shape(
        text in "[ab \t\r\n健é👍\u{202E}\u{200D}%]{0,60}",
        a in 0_usize..80,
        b in 0_usize..80,
    ) {
        let snap = |wanted: usize| {
            (0..=wanted.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
        };
        let (a, b) = (snap(a), snap(b));
        let span = span(a.min(b), a.max(b));
        let mut sources = Sources::default();
        sources.add(SourceFile::new("a.rule", text.as_str()));
        let place = Place::of(span, &sources);
        prop_assert!((place.line, place.column) <= (place.end_line, place.end_column));

        let json: serde_json::Value = serde_json::from_str(&rendered("json", &text, span)).unwrap();
        prop_assert_eq!(json.get("column"), Some(&serde_json::json!(place.column)));
        prop_assert_eq!(rendered("github", &text, span).lines().count(), 1);
        let sarif: serde_json::Value = serde_json::from_str(&rendered("sarif", &text, span)).unwrap();
        prop_assert_eq!(sarif.pointer("/runs/0/results/0/ruleIndex"), Some(&serde_json::json!(0)));
        let drawn = rendered("text", &text, span);
        prop_assert!(drawn.contains('^'));
        let raw = drawn.contains(['\t', '\r', '\u{202E}']);
        prop_assert!(!raw, "{drawn:?}");
    }
}
