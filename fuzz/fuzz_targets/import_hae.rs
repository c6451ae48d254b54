//! Any bytes as a Health Auto Export file:
//! no panic, no hang, and every line that comes out is one that the records reader takes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use verger::connectors::health_auto_export;
use verger::engine::records::Reader;
use verger::engine::rule_set::RuleSet;

fuzz_target!(|input: &[u8]| {
    let names = RuleSet::default();
    let mut reader = Reader::new(&names);
    // A refusal with a reason is as good as a result.
    let Ok(records) = health_auto_export::read(input, None) else { return };
    for record in records {
        let line = record.to_json_line();
        assert!(reader.read_line(line.as_bytes()).is_ok(), "{line}");
    }
});
