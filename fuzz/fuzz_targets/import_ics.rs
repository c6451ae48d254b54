//! Any text as a calendar:
//! no panic, no hang, and every line that comes out is one that the records reader takes.

#![no_main]

#[path = "../names.rs"]
mod names;

use chrono::NaiveDate;
use libfuzzer_sys::fuzz_target;
use verger::connectors::ics::{self, IcsWindow};
use verger::engine::records::{Read, Reader};

use crate::names::NAMES;

fuzz_target!(|input: &[u8]| {
    let mut reader = Reader::new(&NAMES);
    // A refusal with a reason is as good as a result.
    let text = String::from_utf8_lossy(input);
    let day = |day| NaiveDate::from_ymd_opt(2026, 9, day);
    let (Some(from), Some(to)) = (day(1), day(30)) else { return };
    let zone = Some(chrono_tz::America::Toronto);
    let Ok(days) = ics::read(&text, IcsWindow { from, to, zone }) else { return };
    for record in std::iter::once(days.read).chain(days.records) {
        let line = record.to_json_line();
        let read = reader.read_line(line.as_bytes());
        assert!(matches!(read, Ok(Read::Record(_) | Read::Undeclared { .. })), "{line}: {read:?}");
    }
});
