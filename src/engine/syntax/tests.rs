//! Texts that can be read, texts that cannot, and texts that nobody would write.

mod errors;

use proptest::prelude::*;

use super::ast::{ClauseKind, ExprKind, File, ItemKind, Rule, TemplatePart, TestLineKind};
use super::parse;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::{FileId, SourceFile, Span};

const COMPLETE: &str = include_str!("../../../tests/corpus/parse/ok/complete.rule");
const EVERYTHING: &str = include_str!("../../../tests/corpus/parse/ok/everything.rule");

fn read(text: &str) -> (File, Vec<Diagnostic>) {
    parse(&SourceFile::new("t.rule", text), FileId(0))
}

/// Each finding as `line: message`.
fn faults(text: &str) -> Vec<String> {
    let file = SourceFile::new("t.rule", text);
    let (_, found) = parse(&file, FileId(0));
    found.iter().map(|one| format!("{}: {}", file.line_column(one.span.start).0, one.message)).collect()
}

fn rules(file: &File) -> Vec<&Rule> {
    file.items
        .iter()
        .filter_map(|item| if let ItemKind::Rule(rule) = &item.kind { Some(rule) } else { None })
        .collect()
}

#[test]
fn the_complete_example_is_read() {
    let (file, found) = read(COMPLETE);
    assert_eq!(found, []);
    assert_eq!(file.items.len(), 25);
    assert_eq!(rules(&file).iter().map(|rule| rule.clauses.len()).sum::<usize>(), 41);
}

#[test]
fn every_form_is_read() {
    assert_eq!(faults(EVERYTHING), [""; 0]);
    let (file, _) = read(EVERYTHING);
    let tests = file.items.iter().find_map(|item| match &item.kind {
        ItemKind::Test(test) => Some(test.lines.len()),
        _ => None,
    });
    assert_eq!(tests, Some(21));
    let all = format!("{file:?}");
    for form in [
        "Age(",
        "Not(",
        "And(",
        "Or(",
        "Has(",
        "In(",
        "Between(",
        "IsMissing(",
        "PercentOf(",
        "AsPercentOf(",
        "Larger(",
        "Smaller(",
        "AtLeast(",
        "Call(",
        "Nothing(",
        "Fired(",
        "Join(",
        "Set(",
        "Instant(",
        "Date(",
        "Clock(",
        "Flag(",
        "Now",
        "Group(",
        "Quantity(",
        "Number(",
        "Span(",
        "Duration(",
        "Text(",
        "WithinNext",
    ] {
        assert!(all.contains(form), "{form}");
    }
}

#[test]
fn each_broken_line_is_said_once_and_the_rest_stays() {
    let text = "zone home = \nlist a = \"x\"\nrule r \"R\"\n  whne a < 3\n  when a <\n  and b < 4\n  say \"x {\"\n\
                \x20 then tell\nscene x\nrul x\n  then note\n";
    assert_eq!(
        faults(text),
        [
            "1: expected a text in quotes, found the end of the line",
            "4: unknown clause `whne`",
            "5: expected a value, found the end of the line",
            "7: this `{` stands alone",
            "9: `scene` is reserved for a later version",
            "10: unknown definition `rul`",
        ]
    );
    let (file, found) = read(text);
    assert_eq!(file.items.len(), 2);
    assert_eq!(rules(&file).iter().map(|rule| rule.clauses.len()).collect::<Vec<_>>(), [2]);
    let helps: Vec<&str> = found.iter().filter_map(|one| one.help.as_deref()).collect();
    assert_eq!(helps.first(), Some(&"did you mean `when`?"));
    assert_eq!(helps.last(), Some(&"did you mean `rule`?"));
}

#[test]
fn one_wrong_word_is_said_at_its_place() {
    let cases = [
        ("rule r\n  when a < 1 and b < 2 or c < 3", "2: `and` and `or` are mixed"),
        ("rule r\n  let a = b + c * d", "2: `+ -` and `* /` are mixed"),
        ("rule r\n  when a = 2026-02-30", "2: there is no date `2026-02-30`"),
        ("rule r\n  when a before 25:00", "2: there is no time `25:00`"),
        ("rule r\n  when a before 24:00", "2: `24:00` may only end a window"),
        ("rule r\n  say \"open", "2: this text has no closing quote"),
        ("rule r\n  say \"a\\q\"", "2: this escape is not known"),
        ("rule r\n  when a\u{202E} < 3", "2: invisible character U+202E (it turns the direction of text)"),
        ("rule r\n  when 5bpm of x < 3", "2: expected a percentage before `of`"),
        ("rule r\n  let a = percentile 101 of x over 3 days", "2: a percentile is 0 to 100"),
        ("rule r\n  let a = 99999999999999999999", "2: `99999999999999999999` is too large"),
        ("  when a", "1: this line belongs to no definition"),
        ("rule r\n\nwhen a", "3: `when` does not begin a definition"),
        ("signal a.b ms daily daily", "1: this is written twice"),
    ];
    for (text, expected) in cases {
        assert_eq!(faults(text), [expected], "{text}");
    }
    assert_eq!(faults("list a = \"👩\u{200D}🚀\u{FE0F}\""), [""; 0]);
    assert_eq!(faults(&" ".repeat(1024 * 1024 + 1)).len(), 1);
}

#[test]
fn characters_that_do_not_show_are_said_once_each() {
    let cases: [(&str, &[&str]); 8] = [
        ("\u{FEFF}keep history 7 days\n", &["1: this file begins with a byte order mark"]),
        ("keep history 7 days\n\u{FEFF}", &["2: invisible character U+FEFF (a byte order mark)"]),
        ("keep history 7 days\nlist \0\0\0 \0", &["2: this file is no text: it holds U+0000"]),
        (
            "keep history 7 days\rlist a = \"x\"\n",
            &["1: invisible character U+000D (a carriage return without a line break)"],
        ),
        (
            "list a = \"x\u{202E}\u{2066}\u{202C}y\"  # \u{200B}\n",
            &[
                "1: invisible character U+202E (it turns the direction of text) and 2 more",
                "1: invisible character U+200B (a blank without width)",
            ],
        ),
        ("list a\u{AD}b = \"x\"\n", &["1: invisible character U+00AD (a soft hyphen)"]),
        ("rule r\r\n  when a < 3\r\n\r\n  then note # why\r\n", &[]),
        ("list a = \"x\ty\"\n", &[]),
    ];
    for (text, expected) in cases {
        let found = faults(text);
        // What a character spoils may be said too, after it.
        let first: Vec<&str> = found.iter().take(expected.len().max(1)).map(String::as_str).collect();
        assert_eq!(first, expected, "{text:?}");
    }
}

#[test]
fn a_hostile_file_has_so_many_mistakes_and_no_more() {
    for line in ["x\n", "list \"\n", "list a\u{200B}\n", "# \u{200B}\n"] {
        let found = faults(&line.repeat(1000));
        assert_eq!(found.len(), 201, "{line}");
        assert!(
            found.last().is_some_and(|last| last.ends_with("further mistakes in this file are not listed"))
        );
        assert!(
            found.iter().zip(1..=200).all(|(one, line)| one.starts_with(&format!("{}:", line)))
                || line.contains('\u{200B}')
        );
    }
    assert_eq!(faults(&"x\n".repeat(200)).len(), 200);
}

#[test]
fn a_definition_that_cannot_be_read_still_has_its_name() {
    let (file, _) =
        read("signal a.b ms frsh 1h\nrule Short sleep \"x\"\n  then note\nlist = \"x\"\nkeep x\n");
    let unread: Vec<_> = file.unread.iter().map(|unread| (unread.word, unread.name.node.as_str())).collect();
    assert_eq!(unread, [("signal", "a.b")]);
    assert_eq!(rules(&file).iter().map(|rule| rule.name.node.as_str()).collect::<Vec<_>>(), ["Short"]);
}

#[test]
fn clauses_go_on_over_lines_and_comments() {
    let text = "rule r   # title\n  when a <   # less\n    3   # than\n\n    + 4\n  # alone\n  then note\n";
    let (file, found) = read(text);
    assert_eq!(found, []);
    assert_eq!(file.comments.len(), 4);
    assert_eq!(file.comments.iter().filter(|comment| comment.own_line).count(), 1);
    let source = SourceFile::new("t.rule", text);
    let rule = rules(&file);
    let clause = rule.first().and_then(|rule| rule.clauses.first());
    assert!(clause.is_some_and(|clause| source.slice(clause.span).ends_with("+ 4")));
    let ends = file.items.first().map(|item| source.slice(item.span).ends_with("then note"));
    assert_eq!(ends, Some(true));
}

#[test]
fn a_value_in_a_text_knows_its_place() {
    let text = "rule r\n  say \"健 {{x}} { e.title }\"\n";
    let (file, found) = read(text);
    assert_eq!(found, []);
    let source = SourceFile::new("t.rule", text);
    let rules = rules(&file);
    let Some(ClauseKind::Say(say)) = rules.first().and_then(|rule| rule.clauses.first()).map(|one| &one.kind)
    else {
        return no_say();
    };
    assert!(matches!(say.text.parts.first(), Some(TemplatePart::Text(text)) if text == "健 {x} "));
    let Some(TemplatePart::Value(value)) = say.text.parts.get(1) else { return no_say() };
    assert_eq!(source.slice(value.span), "e.title");
    assert_eq!(value.kind, ExprKind::Path("e.title".to_owned()));
}

fn no_say() {
    assert_eq!("no `say` was read", "");
}

#[test]
fn a_unit_is_no_word_of_a_clause() {
    let text = "rule r\n  when a > 10\n  for 2 days\ntest r\n  given a.b 31 at 2026-01-01 10:00\n";
    let (file, found) = read(text);
    assert_eq!(found, []);
    let line = file.items.iter().find_map(|item| match &item.kind {
        ItemKind::Test(test) => test.lines.first(),
        _ => None,
    });
    assert!(matches!(line.map(|line| &line.kind),
        Some(TestLineKind::Reading { value, .. }) if matches!(value.kind, ExprKind::Number(_))));
}

#[test]
fn hostile_nesting_is_refused() {
    for part in ["(", "not ", "5% of ", "larger of ", "a + ", "{", "x(", "some e in s where ", "1 as % of "] {
        let text = format!("rule r\n  when {}a\n", part.repeat(100_000));
        let found = faults(text.get(..text.len().min(1_000_000)).unwrap_or(""));
        assert_eq!(found.len(), 1, "{part}: {found:?}");
    }
    let deep = format!("rule r\n  when {}a{}\n", "(".repeat(64), ")".repeat(64));
    assert_eq!(faults(&deep), [""; 0]);
    let words = format!("rule r\n  when {}{}a{}\n", "not ".repeat(30), "(5% of ".repeat(34), ")".repeat(34));
    assert_eq!(faults(&words), [""; 0]);
}

/// All places lie on character boundaries of the text.
fn sound(text: &str) -> Result<(), TestCaseError> {
    let (file, found) = read(text);
    let on = |span: Span| {
        span.start <= span.end
            && text.is_char_boundary(span.start as usize)
            && text.is_char_boundary(span.end as usize)
    };
    for one in &found {
        prop_assert!(on(one.span), "{one:?}");
    }
    for item in &file.items {
        prop_assert!(on(item.span), "{item:?}");
    }
    for clause in rules(&file).iter().flat_map(|rule| &rule.clauses) {
        prop_assert!(on(clause.span), "{clause:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in "(\\PC|[ \\n\\t\"#{}()|:,.-]){0,200}") {
        sound(&text)?;
    }

    #[test]
    fn any_words_are_survived(words in proptest::collection::vec(
        prop::sample::select(vec!["rule", "r", "\n  ", "\n", "when", "not", "(", ")", "{", "}", "\"", "of", "3",
            "5%", "2026-01-01", "24:00", "in", "some", "e", "and", "or", "say", "\\", "#", "é", "|", "test",
            "given", "at", "as", "%", "median", "over", "days", ",", ":", "=", "-", "table", "健"]), 0..60),
        joint in prop::sample::select(vec!["", " "])) {
        sound(&words.join(joint))?;
    }

    #[test]
    fn any_change_is_survived(at in 0_usize..9000, cut in 0_usize..40, put in "\\PC{0,3}", whole in any::<bool>()) {
        let text = if whole { COMPLETE } else { EVERYTHING };
        let characters: Vec<char> = text.chars().collect();
        let at = at % characters.len();
        let head: String = characters.iter().take(at).collect();
        let tail: String = characters.iter().skip(at + cut).collect();
        sound(&format!("{head}{put}{tail}"))?;
    }
}
