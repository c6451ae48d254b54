//! What the benches share: rule sets made of text, and records in time order.

#![expect(clippy::disallowed_methods, reason = "reads the shipped rules")]

pub(crate) mod sweeps;
mod texts;

pub(crate) use texts::*;

use verger::engine::check::lint;
use verger::engine::diagnostic::Severity;
use verger::engine::record::{Record, RecordKind, Scalar, SignalId};
use verger::engine::resolve::Inputs;
use verger::engine::rule_set::RuleSet;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::syntax::parse_all;
use verger::engine::time::Instant;

/// A rule set from its text, which must be sound.
pub(crate) fn rule_set(text: &str) -> RuleSet {
    rule_set_of(&[text.to_owned()])
}

/// A rule set from the texts of its files, which must be sound.
pub(crate) fn rule_set_of(texts: &[String]) -> RuleSet {
    let mut sources = Sources::default();
    for text in texts {
        sources.add(SourceFile::new("bench.rule", text.as_str()));
    }
    let (trees, mut findings) = parse_all(&sources);
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

/// Those minutes as records of a signal.
pub(crate) fn minute_records(signal: SignalId, minutes: i64) -> impl Iterator<Item = Record> {
    (0..minutes).zip(minute_values()).map(move |(minute, value)| {
        let at = Instant(START + minute * MINUTE);
        Record { at, kind: RecordKind::Reading { signal, observed: at, value: Scalar::Fixed(value) } }
    })
}
