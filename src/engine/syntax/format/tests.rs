//! The canonical text: fixed points, comments, and trees that stay the same.

mod forms;
mod manual;

use std::fs;
use std::path::Path;

use super::format;
use crate::engine::source::{FileId, SourceFile};
use crate::engine::syntax::ast::{File, ItemKind};
use crate::engine::syntax::parse;

const EVERYTHING: &str = include_str!("../../../../tests/corpus/parse/ok/everything.rule");
const EXAMPLE: &str = include_str!("../../../../tests/corpus/example.rule");
const COMPLETE: &str = include_str!("../../../../tests/corpus/format/complete.rule");

fn read(text: &str) -> (SourceFile, File) {
    let source = SourceFile::new("test.rule", text);
    let (file, diagnostics) = parse(&source, FileId(0));
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
    (source, file)
}

fn formatted(text: &str) -> String {
    let (source, file) = read(text);
    format(&file, &source)
}

/// The definitions of a tree as text, without places, the clauses of a rule in canonical order.
fn shape(mut file: File) -> String {
    for item in &mut file.items {
        if let ItemKind::Rule(rule) = &mut item.kind {
            rule.clauses.sort_by_key(|clause| super::rule::rank(&clause.kind));
        }
    }
    without_spans(&format!("{:?}", file.items))
}

fn without_spans(debug: &str) -> String {
    let mut out = String::new();
    let mut rest = debug;
    while let Some((before, after)) = rest.split_once("Span { file: FileId(") {
        out.push_str(before);
        rest = after.split_once(" }").unwrap().1;
    }
    out + rest
}

fn comments(file: &File) -> Vec<String> {
    let mut texts: Vec<String> = file.comments.iter().map(|comment| comment.text.clone()).collect();
    texts.sort();
    texts
}

/// Formats a text and checks all that holds for every text; returns the canonical text.
fn check(text: &str) -> String {
    let (source, file) = read(text);
    let once = format(&file, &source);
    let (again_source, again) = read(&once);
    assert_eq!(format(&again, &again_source), once, "not idempotent");
    assert_eq!(comments(&again), comments(&file), "comments changed in\n{once}");
    assert_eq!(shape(again), shape(file), "the tree changed in\n{once}");
    once
}

#[test]
fn the_complete_example_is_a_fixed_point() {
    assert_eq!(check(EXAMPLE), EXAMPLE);
    assert_eq!(check(COMPLETE), COMPLETE);
}

#[test]
fn columns_and_blanks_are_set() {
    let text = "zone  home=\"America/Toronto\"\n\n\n\nkeep history   7 days\nsignal   a.b bpm   daily fresh 90min range 25bpm to 220.50bpm\n";
    let expected = "zone     home = \"America/Toronto\"\n\nkeep     history 7 days\n\
                    signal   a.b  bpm  daily  fresh 1h30m  range 25bpm to 220.50bpm\n";
    assert_eq!(check(text), expected);
}

#[test]
fn neighbours_line_up_until_a_blank_line_or_a_comment() {
    let text = "list a = \"x\"\nzone longest = \"Asia/Tokyo\"\nkeep history 7 days\nlist bc = \"y\"\n# apart\nlist d = \"z\"\n\n\
                list ef = \"w\"\nlist g = # inside\n \"v\"\nsignal a.b ms fresh 1h\nsignal a.bc duration daily fresh 24h private\n\
                signal d % daily fresh 2h range 0% to 5%\nstream s { a text }\nstream st {}\n";
    let expected = "list     a       = \"x\"\nzone     longest = \"Asia/Tokyo\"\nkeep     history 7 days\n\
                    list     bc      = \"y\"\n# apart\nlist     d = \"z\"\n\nlist     ef = \"w\"\n# inside\n\
                    list     g = \"v\"\nsignal   a.b   ms               fresh 1h\n\
                    signal   a.bc  duration  daily  fresh 24h                  private\n\
                    signal   d     %         daily  fresh 2h   range 0% to 5%\n\
                    stream   s   { a text }\nstream   st  { }\n";
    assert_eq!(check(text), expected);
}

#[test]
fn lets_line_up_until_a_comment() {
    let text =
        "rule r\n let a = 1\n when a > bcd\n let bcd = 2\n # why\n let ef = 3\n let g = 4\n then note\n";
    let expected = "rule r\n  let      a   = 1\n  let      bcd = 2\n  # why\n  let      ef = 3\n  let      g  = 4\n  \
                    when     a > bcd\n  then     note\n";
    assert_eq!(check(text), expected);
}

#[test]
fn a_new_line_moves_its_own_neighbours_only() {
    let head = "list     a = \"x\"\n\n";
    let more = format!("{head}list b = \"y\"\nlist long-name = \"z\"\n");
    assert!(check(&more).starts_with(head));
    assert!(check(&more).ends_with("list     b         = \"y\"\nlist     long-name = \"z\"\n"));
}

#[test]
fn one_wide_name_moves_nobody() {
    let wide = "w".repeat(49);
    let text = format!("list a = \"x\"\nlist {wide} = \"y\"\n");
    assert_eq!(check(&text), format!("list     a = \"x\"\nlist     {wide} = \"y\"\n"));
}

#[test]
fn a_definition_alone_shows_nothing_of_its_neighbours() {
    let text = "rule r\n  let      a   = 1\n  let      bcd = 2\n  then     note\n";
    let (source, file) = read(text);
    let apart = "rule r\n  let      a = 1\n  let      bcd = 2\n  then     note\n";
    assert_eq!(super::format_item(&file.items[0], &source), apart);
}

#[test]
fn clauses_are_put_in_order_with_their_comments() {
    let text = "rule a \"A\"\n   say \"x\"   # last\n # about the level\n   then note\n when b.c > 1\n and b.c < 3 # and\n let d = 2\n";
    let expected = "rule a  \"A\"\n  let      d = 2\n  when     b.c > 1\n  and      b.c < 3  # and\n  \
                    # about the level\n  then     note\n  say      \"x\"  # last\n";
    assert_eq!(check(text), expected);
}

#[test]
fn blocks_stand_between_blank_lines() {
    let text = "keep history 7 days\n# one\n# two\nrule a \"A\"\n  then note\nrule b \"B\"\n  then note\n# three\nkeep history 8 days\n# four\n";
    let expected = "keep     history 7 days\n\n# one\n# two\nrule a  \"A\"\n  then     note\n\n\
                    rule b  \"B\"\n  then     note\n\n# three\nkeep     history 8 days\n# four\n";
    assert_eq!(check(text), expected);
}

#[test]
fn comments_between_definitions_keep_their_distance() {
    let text = "\n\n# head\n\n\nkeep history 7 days # beside\n# under\n\nrule a # name\n  # first\n  then note\n  # tail\n# outside\n\n# end\n\n";
    let expected = "# head\n\nkeep     history 7 days  # beside\n# under\n\nrule a  # name\n  # first\n  \
                    then     note\n  # tail\n\n# outside\n\n# end\n";
    assert_eq!(check(text), expected);
}

#[test]
fn columns_of_tables_are_aligned() {
    let text = "table spending in USDC on payment.request first match # caps\n  |name|amount|then|\n  | a long name | 0.10 to 0.250 | ask | # small\n  # others\n  |é|any|refuse|\n";
    let expected = "table spending  in USDC  on payment.request  first match  # caps\n  \
                    | name        | amount        | then   |\n  \
                    | a long name | 0.10 to 0.250 | ask    |  # small\n  # others\n  \
                    | é           | any           | refuse |\n";
    assert_eq!(check(text), expected);
}

#[test]
fn a_file_with_unread_text_comes_back_as_it_is() {
    let text = "keep   history 7 days\nnonsense   here\n";
    let source = SourceFile::new("test.rule", text);
    let (file, diagnostics) = parse(&source, FileId(0));
    assert!(!diagnostics.is_empty());
    assert_eq!(format(&file, &source), text);
}

#[test]
fn an_empty_file_stays_empty() {
    assert_eq!(formatted("\n \n"), "");
    assert_eq!(formatted(""), "");
}

#[test]
fn every_file_that_parses_keeps_its_meaning() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files = vec![root.join("example.rule")];
    if let Ok(folder) = fs::read_dir(root.join("parse/ok")) {
        files.extend(folder.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rule")) {
        let _ = check(&fs::read_to_string(path).unwrap());
    }
}

/// Writes comments and blanks into a text at places that a seed chooses.
fn disturbed(text: &str, seed: u64) -> String {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 8
    };
    let mut out = String::new();
    for (number, line) in text.lines().enumerate() {
        match next() {
            0 => out.push_str(&format!("# own {number}\n")),
            1 => out.push_str(&format!("     # indented {number}  \n")),
            2 => out.push_str(" \n\n"),
            _ => {}
        }
        out.push_str(line);
        match next() {
            0 if !line.trim().is_empty() && !line.contains('#') => out.push_str(&format!("# at {number}")),
            1 => out.push_str("   "),
            _ => {}
        }
        out.push('\n');
    }
    out
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 64, ..Default::default() })]

    #[test]
    fn comments_and_blanks_anywhere_are_kept(seed in 0_u64..u64::MAX) {
        let _ = check(&disturbed(COMPLETE, seed));
        let _ = check(&disturbed(EVERYTHING, seed));
    }
}
