//! Any bytes as an Apple Health export:
//! no panic, no hang, and every line that comes out is one that the records reader takes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use verger::connectors::apple_health;
use verger::engine::records::Reader;
use verger::engine::rule_set::RuleSet;

fuzz_target!(|input: &[u8]| {
    let names = RuleSet::default();
    let mut reader = Reader::new(&names);
    // A refusal with a reason is as good as a result.
    let Ok(records) = apple_health::read_xml(input, None) else { return };
    for record in records {
        let line = record.to_json_line();
        assert!(reader.read_line(line.as_bytes()).is_ok(), "{line}");
    }
});
