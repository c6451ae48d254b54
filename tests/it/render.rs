//! What people and tools read, against golden files.

use std::sync::Arc;

use verger::engine::decision::{Decision, Line};
use verger::engine::diagnostic::Diagnostic;
use verger::engine::source::{FileId, SourceFile, Sources, Span};
use verger::engine::syntax::ast::{Level, Outcome};
use verger::engine::time::{Instant, Zone};
use verger::render::diagnostics::{CatalogueEntry, FORMATS, Report};
use verger::render::log;

use crate::support::golden;

const SLEEP: &str = "\
rule short-sleep  \"Short night\"
  when     helth.asleep < 6h
  then     tell within cautions
";
const EVENTS: &str =
    "list training = \"健身\", \"跑步\"\r\n\tlist training = \"gym\"\r\nrule a\r\n  say \"\r\n";

/// The place of the `nth` occurrence of a text.
fn place(sources: &Sources, file: u32, text: &str, nth: usize) -> Span {
    let file = FileId(file);
    let (start, found) = sources.get(file).unwrap().text.match_indices(text).nth(nth).unwrap();
    let to_u32 = |offset: usize| u32::try_from(offset).unwrap();
    Span { file, start: to_u32(start), end: to_u32(start + found.len()) }
}

fn findings(sources: &Sources) -> Vec<Diagnostic> {
    let twice = place(sources, 1, "training", 1);
    let first = place(sources, 1, "training", 0);
    let elsewhere = place(sources, 0, "short-sleep", 0);
    vec![
        Diagnostic::error("unknown-name", place(sources, 0, "helth.asleep", 0), "no signal `helth.asleep`")
            .help("did you mean `health.asleep`?"),
        Diagnostic::warning(
            "subsumed",
            place(sources, 0, "when     helth.asleep < 6h\n  then", 0),
            "100% the same: a, b",
        )
        .related(elsewhere, "this rule says it too"),
        Diagnostic::error("duplicate-name", twice, "`training` is defined twice")
            .related(first, "first defined here")
            .help("rename one\nor remove it"),
        Diagnostic::error("syntax", place(sources, 1, "\"\r", 0), "found a line break, expected `\"`"),
        Diagnostic::error(
            "syntax",
            place(sources, 1, "\"跑步\"", 0),
            "found `\u{202E}\u{1b}[31m`, expected a word",
        ),
    ]
}

#[test]
fn findings_in_every_format() {
    let mut sources = Sources::default();
    sources.add(SourceFile::new("rules/sleep.rule", SLEEP));
    sources.add(SourceFile::new("rules/my events, old.rule", EVENTS));
    let findings = findings(&sources);
    let entry = |id, summary, explanation: &'static str| CatalogueEntry {
        id,
        summary,
        explanation: explanation.into(),
    };
    let catalogue = [
        entry("syntax", "Text that cannot be read", "A part of the file could not be read."),
        entry("unknown-name", "A name that nothing defines", "Names are defined once in the whole set."),
        entry("duplicate-name", "A name defined twice", "Names are unique over the whole set."),
    ];
    let report = Report { findings: &findings, sources: &sources, catalogue: &catalogue, color: false };
    for format in FORMATS {
        golden(&format!("render/findings.{}", format.name), &(format.render)(&report));
        // Without findings only a document has something to say.
        let none = (format.render)(&Report { findings: &[], ..report });
        assert_eq!(none.is_empty(), format.name != "sarif", "{}", format.name);
    }
    let colored = Report { color: true, ..report };
    let text = FORMATS.first().unwrap();
    golden("render/findings.color", &(text.render)(&colored));
}

#[test]
fn the_default_format_is_for_people() {
    assert_eq!(FORMATS.first().unwrap().name, "text");
}

const TORONTO: Zone = Zone(chrono_tz::America::Toronto);

#[test]
fn the_log_holds_the_keys_of_the_contract_in_their_order() {
    let pair = |name: &str, shown: &str| (Arc::from(name), Arc::from(shown));
    let delivered = Decision {
        at: Instant(1_790_420_400_000),
        rule: "short-sleep".into(),
        per: vec!["2026-09-26".into()],
        occurrence: "2026-09-26".into(),
        outcome: Outcome::Delivered,
        level: Level::Tell,
        gate: None,
        reason: None,
        until: None,
        message: Some("m1".into()),
        facts: vec![pair("usual", "7h"), pair("health.asleep", "5h10m"), pair("usual", "7h")],
        text: "You slept 5h10m;\n\"usual\" 7h, 健身.".into(),
        id: "0a1b".into(),
        late: None,
    };
    let kept = Decision {
        outcome: Outcome::Kept,
        level: Level::Ring,
        gate: Some("quiet".into()),
        reason: Some("nights".into()),
        until: Some(Instant(1_790_424_000_000)),
        message: None,
        facts: Vec::new(),
        late: Some(2_100_000),
        ..delivered.clone()
    };
    let lines = [
        Line::Decision(Box::new(delivered)),
        Line::Decision(Box::new(kept)),
        Line::Missed { at: Instant(1_790_420_400_000), schedule: "brief".into() },
    ];
    let text: String = lines.iter().map(|line| log::line(line, TORONTO, "f00d") + "\n").collect();
    golden("render/log.jsonl", &text);
}
