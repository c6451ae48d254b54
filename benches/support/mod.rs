//! What the benches share: rule sets made of text, and records in time order.

#![expect(clippy::disallowed_methods, reason = "reads the shipped rules")]

pub(crate) mod sweeps;

use verger::engine::check::lint;
use verger::engine::diagnostic::Severity;
use verger::engine::record::{Record, RecordKind, Scalar, SignalId};
use verger::engine::resolve::Inputs;
use verger::engine::rule_set::RuleSet;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::syntax::parse;
use verger::engine::time::Instant;

/// 2016-01-01T00:00:00Z.
pub(crate) const START: i64 = 1_451_606_400_000;
pub(crate) const MINUTE: i64 = 60_000;

/// A rule set from its text, which must be sound.
pub(crate) fn rule_set(text: &str) -> RuleSet {
    rule_set_of(&[text.to_owned()])
}

/// A rule set from the texts of its files, which must be sound.
pub(crate) fn rule_set_of(texts: &[String]) -> RuleSet {
    let mut sources = Sources::default();
    let (mut trees, mut findings) = (Vec::new(), Vec::new());
    for text in texts {
        let file = SourceFile::new("bench.rule", text.as_str());
        let id = sources.add(file.clone());
        let (tree, found) = parse(&file, id);
        trees.push(tree);
        findings.extend(found);
    }
    let (rules, found) = lint(&trees, &sources, &Inputs::default(), None);
    findings.extend(found);
    let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    rules
}

/// The texts of the shipped rule files.
pub(crate) fn shipped_rules() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "rule")).collect();
    files.sort();
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// One reading a minute, in tenths of a beat: a daily wave with noise from a fixed seed.
pub(crate) fn minute_records(signal: SignalId, minutes: i64) -> impl Iterator<Item = Record> {
    let mut noise = 0x9e37_79b9_7f4a_7c15_u64;
    (0..minutes).map(move |minute| {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        let wave = (minute % 1440 - 720).abs() / 4;
        let value = 550 + wave + i64::try_from(noise % 60).unwrap_or(0);
        let at = Instant(START + minute * MINUTE);
        Record { at, kind: RecordKind::Reading { signal, observed: at, value: Scalar::Fixed(value) } }
    })
}

/// Twenty rules over minute samples: thresholds, a 24 h maximum, 14- and 60-day medians, holds and clears.
pub(crate) fn twenty_rules() -> String {
    let mut text = String::from(
        "zone home = \"America/Toronto\"\nbudget some = 3 per day in home\n\
         signal health.heart bpm sampled fresh 10min range 25bpm to 230bpm\n",
    );
    for place in 0..20 {
        // The wave reaches 79 bpm: some rules never fire, some fire daily and waver around their limit.
        let level = 66 + place;
        let body = match place % 5 {
            0 => format!("  when health.heart > {level}bpm\n"),
            1 => format!(
                "  let usual = median of health.heart over 14 days, needs 7\n  when health.heart > usual + {}bpm\n",
                level - 50
            ),
            2 => format!(
                "  let usual = median of health.heart over 60 days, needs 20\n  when health.heart > 120% of usual\n  \
                and health.heart > {level}bpm\n"
            ),
            3 => format!("  when max of health.heart within last 24h, needs 10 > {level}bpm\n"),
            _ => {
                format!("  when health.heart > {level}bpm\n  for 30min\n  clear when health.heart < 60bpm\n")
            }
        };
        text.push_str(&format!("rule r{place}\n{body}  then tell within some\n  once per day\n"));
    }
    text
}

/// A thousand rules, each over its own signal or all over few.
pub(crate) fn thousand_rules(signals: usize) -> String {
    let mut text = String::from("zone home = \"America/Toronto\"\n");
    for signal in 0..signals {
        text.push_str(&format!("signal health.s{signal} bpm sampled fresh 10min range 0bpm to 500bpm\n"));
    }
    for rule in 0..1000 {
        let signal = rule % signals;
        text.push_str(&format!(
            "rule r{rule}\n  let usual = median of health.s{signal} over 14 days, needs 3, else 60bpm\n  \
             when health.s{signal} > usual + {}bpm\n  and health.s{signal} < 400bpm\n  then tell\n",
            100 + rule % 50
        ));
    }
    text
}

/// Ten files of a thousand rules each over the same fifty signals, which the first file declares.
pub(crate) fn ten_thousand_rules() -> Vec<String> {
    let whole = thousand_rules(50);
    let first = whole.find("rule ").unwrap_or(0);
    let (_, rules) = whole.split_at(first);
    let copies = (1..10).map(|copy| rules.replace("rule r", &format!("rule c{copy}-r")));
    std::iter::once(whole.clone()).chain(copies).collect()
}
