//! Any bytes as a feed, and as the list of a company's filings:
//! no panic, no hang, and every line that comes out is one that the records reader takes.

#![no_main]

#[path = "../names.rs"]
mod names;

use chrono::{DateTime, Utc};
use libfuzzer_sys::fuzz_target;
use verger::config::{Setting, Settings, Written};
use verger::connectors::source::{Answer, Begin, HttpReply, Memory, SourceKind, converse};
use verger::connectors::{edgar, feed};
use verger::engine::records::{Read, Reader};

use crate::names::NAMES;

/// 2026-09-26 12:00 UTC.
const NOW: i64 = 1_790_424_000;

fn plain(text: &str) -> Setting {
    Setting::Text(Written::Plain(text.to_owned()))
}

fn lines(kind: &SourceKind, settings: &Settings, body: &[u8]) -> Vec<String> {
    let at: DateTime<Utc> = DateTime::from_timestamp(NOW, 0).unwrap_or_default();
    let begin = Begin { at, zone: chrono_tz::America::Toronto, memory: Memory::default() };
    let reply = HttpReply { status: 200, body: body.to_vec(), ..HttpReply::default() };
    let mut ask = |_| Ok(Answer::Http(reply.clone()));
    // A refusal with a reason is as good as a result.
    converse(&mut *(kind.begin)(settings, begin), &mut ask)
        .map_or_else(|_| Vec::new(), |reading| reading.lines)
}

fuzz_target!(|input: &[u8]| {
    let mut reader = Reader::new(&NAMES);
    let mut company = Settings::default();
    company.set("name", plain("acme"));
    company.set("cik", Setting::Number(1_318_605));
    let mut settings = Settings::default();
    settings.set("url", plain("https://example.org/feed"));
    settings.set("contact", plain("ann@example.org"));
    settings.set("companies", Setting::Tables(vec![company]));
    for kind in [&feed::SOURCE, &edgar::SOURCE] {
        for line in lines(kind, &settings, input) {
            let read = reader.read_line(line.as_bytes());
            assert!(matches!(read, Ok(Read::Record(_))), "{line}: {read:?}");
        }
    }
});
