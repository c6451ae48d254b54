//! Any bytes as an Apple Health export:
//! no panic, no hang, and every line that comes out is one that the records reader takes.

#![no_main]

#[path = "../names.rs"]
mod names;

use libfuzzer_sys::fuzz_target;
use verger::connectors::apple_health;
use verger::engine::records::{Read, Reader};

use crate::names::NAMES;

fuzz_target!(|input: &[u8]| {
    let mut reader = Reader::new(&NAMES);
    // A refusal with a reason is as good as a result.
    let Ok(records) = apple_health::read_xml(input, None) else { return };
    for record in records {
        let line = record.to_json_line();
        let read = reader.read_line(line.as_bytes());
        assert!(matches!(read, Ok(Read::Record(_) | Read::Undeclared { .. })), "{line}: {read:?}");
    }
});
