//! What fuzzing the importers found, and the documents that it starts from: every line that comes out of an
//! import is one that the records reader takes, whatever went in.

use std::fs;

use verger::config::{Setting, Settings, Written};
use verger::connectors::ics::{self, IcsWindow};
use verger::connectors::recorded_day::DayRecord;
use verger::connectors::source::{Answer, Begin, HttpReply, Memory, SourceKind, converse};
use verger::connectors::{apple_health, edgar, feed, health_auto_export};
use verger::engine::records::{Read, Reader};
use verger::engine::resolve::{Inputs, resolve};
use verger::engine::rule_set::RuleSet;
use verger::engine::source::{SourceFile, Sources};
use verger::engine::syntax::parse;

use crate::support::root;

/// The shipped signals and streams.
fn names() -> RuleSet {
    let mut sources = Sources::default();
    let text = fs::read_to_string(root().join("rules/base.rule")).unwrap();
    let source = SourceFile::new("base.rule", text);
    let file = sources.add(source.clone());
    let (tree, diagnostics) = parse(&source, file);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    resolve(&[tree], &sources, &Inputs::default()).rules
}

/// Imports each file of `tests/corpus/TARGET`; how many lines came out of all of them.
fn lines(target: &str, import: impl Fn(&[u8]) -> Vec<DayRecord>) -> usize {
    texts(target, |bytes| import(bytes).iter().map(DayRecord::to_json_line).collect())
}

fn texts(target: &str, import: impl Fn(&[u8]) -> Vec<String>) -> usize {
    let names = names();
    let mut reader = Reader::new(&names);
    let mut count = 0;
    for entry in fs::read_dir(root().join("tests/corpus").join(target)).unwrap() {
        let path = entry.unwrap().path();
        for line in import(&fs::read(&path).unwrap()) {
            let read = reader.read_line(line.as_bytes());
            let is_taken = match &read {
                Ok(Read::Record(_)) => true,
                Ok(Read::Undeclared { name, .. }) => name.starts_with("source."),
                _ => false,
            };
            assert!(is_taken, "{}: {line}: {read:?}", path.display());
            count += 1;
        }
    }
    count
}

#[test]
fn apple_health() {
    let import =
        |bytes: &[u8]| apple_health::read_xml(bytes, None).map_or_else(|_| Vec::new(), Iterator::collect);
    assert!(lines("import_apple", import) > 5);
}

#[test]
fn health_auto_export() {
    let import =
        |bytes: &[u8]| health_auto_export::read(bytes, None).map_or_else(|_| Vec::new(), Iterator::collect);
    assert!(lines("import_hae", import) > 5);
}

#[test]
fn calendars() {
    let [from, to] = ["2026-09-01", "2026-09-30"].map(|date| date.parse().unwrap());
    let zone = Some(chrono_tz::America::Toronto);
    let import = |bytes: &[u8]| {
        let days = ics::read(&String::from_utf8_lossy(bytes), IcsWindow { from, to, zone });
        days.map_or_else(|_| Vec::new(), |days| [vec![days.read], days.records].concat())
    };
    assert!(lines("import_ics", import) > 5);
}

/// The lines of one read whose only answer these bytes are.
fn live(kind: &SourceKind, bytes: &[u8]) -> Vec<String> {
    let plain = |text: &str| Setting::Text(Written::Plain(text.to_owned()));
    let mut company = Settings::default();
    company.set("name", plain("acme"));
    company.set("cik", Setting::Number(1_318_605));
    let mut settings = Settings::default();
    settings.set("url", plain("https://example.org/feed"));
    settings.set("contact", plain("ann@example.org"));
    settings.set("companies", Setting::Tables(vec![company]));
    let at = "2026-09-26T12:00:00Z".parse().unwrap();
    let begin = Begin { at, zone: chrono_tz::America::Toronto, memory: Memory::default() };
    let reply = HttpReply { status: 200, body: bytes.to_vec(), ..HttpReply::default() };
    let mut ask = |_| Ok(Answer::Http(reply.clone()));
    let read = converse(&mut *(kind.begin)(&settings, begin), &mut ask);
    read.map_or_else(|_| Vec::new(), |reading| reading.lines)
}

#[test]
fn feeds_and_filings() {
    let import = |bytes: &[u8]| [live(&feed::SOURCE, bytes), live(&edgar::SOURCE, bytes)].concat();
    assert!(texts("import_feed", import) > 5);
}
