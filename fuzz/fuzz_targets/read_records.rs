//! Any line against a rule set with every type: no panic, both paths agree, what is written reads back.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use verger::engine::records::{Read, Reader, instant_of, write};
use verger::engine::rule_set::{RuleSet, SignalDef, StreamDef};
use verger::engine::source::Span;
use verger::engine::syntax::ast::Cadence;
use verger::engine::time::Zone;
use verger::engine::value::{BUILTIN_UNITS, Currency, Type, UnitId};

static RULE_SET: LazyLock<RuleSet> = LazyLock::new(rule_set);

fuzz_target!(|line: &[u8]| {
    let set = &*RULE_SET;
    let mut reader = Reader::new(set);
    let read = reader.read_line(line);
    match &read {
        Ok(Read::Record(record)) => {
            let written = write(record, set, Zone(chrono_tz::America::Toronto));
            assert_eq!(
                reader.read_line(written.as_bytes()).as_ref(),
                Ok(&Read::Record(record.clone())),
                "{written}"
            );
            assert_eq!(instant_of(line.trim_ascii()), Some(record.at));
        }
        Ok(_) => {}
        Err(error) => assert!((1..=line.len() + 1).contains(&error.column), "{error:?}"),
    }
    // A key that nobody knows is ignored, but takes the line off the path for plain readings.
    if let (Ok(read), Some(open)) = (read, line.trim_ascii().strip_suffix(b"}"))
        && read != Read::Empty
    {
        let longer = [open, b",\"nobody-knows\":0}"].concat();
        assert_eq!(reader.read_line(&longer), Ok(read));
    }
});

fn rule_set() -> RuleSet {
    let euro = Currency::parse("EUR").expect("a known currency");
    let types = [
        ("d", Type::Duration),
        ("q", Type::Quantity(UnitId(1))),
        ("n", Type::Number),
        ("m", Type::Money(euro)),
        ("f", Type::Flag),
        ("w", Type::Word),
        ("t", Type::Text),
        ("i", Type::Instant),
        ("day", Type::Date),
        ("c", Type::Clock),
        ("source.x", Type::Flag),
    ];
    let signal = |(name, ty): (&str, Type)| SignalDef {
        name: name.into(),
        ty,
        cadence: Cadence::Sampled,
        fresh_ms: Some(1),
        range: None,
        private: false,
        builtin: name.starts_with("source."),
        span: Span::default(),
    };
    let stream = |name: &str, fields: &[(&str, Type)]| StreamDef {
        name: name.into(),
        fields: fields.iter().map(|(name, ty)| (Arc::from(*name), *ty)).collect(),
        timed: None,
        private: false,
        span: Span::default(),
    };
    RuleSet {
        units: BUILTIN_UNITS.to_vec(),
        signals: types.into_iter().map(signal).collect(),
        streams: vec![stream("rules.fired", &[]), stream("s", &types)],
        ..RuleSet::default()
    }
}
