//! Lines of recorded days, read and written.

use std::sync::Arc;

use proptest::prelude::*;

use super::{LineError, Read, Reader, instant_of, sort, write};
use crate::engine::record::{Record, RecordKind, Scalar, SignalId, StreamId};
use crate::engine::rule_set::{RuleSet, SignalDef, StreamDef};
use crate::engine::source::Span;
use crate::engine::syntax::ast::Cadence;
use crate::engine::time::{Date, Instant, Zone};
use crate::engine::value::{BUILTIN_UNITS, Currency, Ratio, Type, UnitId, Value};

fn signal(name: &str, ty: Type) -> SignalDef {
    SignalDef {
        name: name.into(),
        ty,
        cadence: Cadence::Sampled,
        fresh_ms: Some(3_600_000),
        range: None,
        private: false,
        builtin: name.starts_with("source."),
        span: Span::default(),
    }
}

/// Signals of every type, and streams with fields of every type.
pub(super) fn rule_set() -> RuleSet {
    let euro = Currency::parse("EUR").unwrap();
    let signals = [
        ("health.asleep", Type::Duration),
        ("health.resting", Type::Quantity(UnitId(0))),
        ("health.hrv", Type::Quantity(UnitId(1))),
        ("health.weight", Type::Quantity(UnitId(4))),
        ("health.steps", Type::Quantity(UnitId(3))),
        ("mood", Type::Number),
        ("bank.balance", Type::Money(euro)),
        ("home.away", Type::Flag),
        ("home.room", Type::Word),
        ("note", Type::Text),
        ("source.health", Type::Flag),
    ];
    let fields = [
        ("title", Type::Text),
        ("start", Type::Instant),
        ("end", Type::Instant),
        ("all-day", Type::Flag),
        ("status", Type::Word),
        ("length", Type::Duration),
        ("distance", Type::Quantity(UnitId(8))),
        ("rank", Type::Number),
        ("price", Type::Money(euro)),
        ("day", Type::Date),
        ("alarm", Type::Clock),
    ];
    let stream = |name: &str, fields: &[(&str, Type)]| StreamDef {
        name: name.into(),
        fields: fields.iter().map(|(name, ty)| (Arc::from(*name), *ty)).collect(),
        timed: None,
        private: false,
        span: Span::default(),
    };
    RuleSet {
        units: BUILTIN_UNITS.to_vec(),
        signals: signals.into_iter().map(|(name, ty)| signal(name, ty)).collect(),
        streams: vec![stream("rules.fired", &[]), stream("calendar.event", &fields)],
        ..RuleSet::default()
    }
}

fn read(line: &str) -> Result<Read, LineError> {
    Reader::new(&rule_set()).read_line(line.as_bytes())
}

fn kind(line: &str) -> RecordKind {
    match read(line) {
        Ok(Read::Record(record)) => record.kind,
        other => panic!("{line}: {other:?}"),
    }
}

fn reason(line: &str) -> String {
    match read(line) {
        Err(error) => error.reason,
        other => panic!("{line}: {other:?}"),
    }
}

/// The value of a signal, written after `"value":`.
fn value(signal: &str, json: &str) -> Result<Scalar, String> {
    let line = format!(r#"{{"at":"2026-09-26T07:00:00-04:00","signal":"{signal}","value":{json}}}"#);
    match read(&line) {
        Ok(Read::Record(Record { kind: RecordKind::Reading { value, .. }, .. })) => Ok(value),
        Err(error) => Err(error.reason),
        other => panic!("{line}: {other:?}"),
    }
}

/// 2026-09-26T07:00:00-04:00.
const SEVEN: Instant = Instant(1_790_420_400_000);

#[test]
fn readings() {
    let line = r#"{"at":"2026-09-26T07:00:00-04:00","signal":"health.asleep","value":"5h10m"}"#;
    let value = Scalar::Fixed(310 * 60_000);
    let kind = RecordKind::Reading { signal: SignalId(0), observed: SEVEN, value };
    assert_eq!(read(line), Ok(Read::Record(Record { at: SEVEN, kind })));

    let line = r#" { "value" : 31.5 , "observed":"2026-09-26T10:40:00Z","signal":"health.hrv","at":"2026-09-26T11:00:00Z" } "#;
    let observed = Instant(SEVEN.0 - 20 * 60_000);
    let kind = RecordKind::Reading { signal: SignalId(2), observed, value: Scalar::Fixed(315) };
    assert_eq!(read(line), Ok(Read::Record(Record { at: SEVEN, kind })));
}

#[test]
fn values_by_type() {
    for (name, json, expected) in [
        ("health.resting", "56", 560),
        ("health.resting", "56.25", 562),
        ("health.resting", "56.35", 564),
        ("health.resting", "5.6e1", 560),
        ("health.resting", r#""56bpm""#, 560),
        ("health.resting", r#""56 bpm""#, 560),
        ("health.steps", r#""8000 steps""#, 8000),
        ("health.weight", r#""-0.5kg""#, -50),
        ("health.weight", r#""71.2\u006bg""#, 7120),
        ("mood", "0.8", 800_000),
        ("mood", "3", 3_000_000),
        ("bank.balance", r#""12.50 EUR""#, 1250),
        ("bank.balance", r#""-3 EUR""#, -300),
        ("health.asleep", r#""90min""#, 90 * 60_000),
    ] {
        assert_eq!(value(name, json), Ok(Scalar::Fixed(expected)), "{name} {json}");
    }
    assert_eq!(value("home.away", "false"), Ok(Scalar::Flag(false)));
    assert_eq!(value("home.room", r#""kitchen""#), Ok(Scalar::Text("kitchen".into())));
    assert_eq!(value("note", r#""a \"b\" é""#), Ok(Scalar::Text("a \"b\" é".into())));
    assert_eq!(value("source.health", "true"), Ok(Scalar::Flag(true)));
}

#[test]
fn wrong_types_and_units() {
    for (name, json, expected) in [
        ("health.hrv", r#""31 kg""#, "found `31 kg`, expected a value in ms"),
        ("health.hrv", r#""31""#, "found `31`, expected a value in ms"),
        ("health.hrv", r#""ms""#, "found `ms`, expected a value in ms"),
        ("health.hrv", "true", "found `true`, expected a value in ms"),
        ("health.hrv", "[1]", "found `[1]`, expected a value in ms"),
        ("health.hrv", "1e30", "found `1e30`, which is too large"),
        ("health.asleep", "310", "found `310`, expected a duration such as `5h10m`"),
        ("health.asleep", r#""5 bananas""#, "found `5 bananas`, expected a duration such as `5h10m`"),
        ("bank.balance", "12.5", "found `12.5`, expected an amount in EUR, such as `12.50 EUR`"),
        (
            "bank.balance",
            r#""12.50 USD""#,
            "found `12.50 USD`, expected an amount in EUR, such as `12.50 EUR`",
        ),
        ("mood", r#""3""#, "found `3`, expected a number"),
        ("home.away", "1", "found `1`, expected true or false"),
        ("home.room", "7", "found `7`, expected a word in quotes"),
        ("note", "null", "found no `value`, expected one"),
    ] {
        assert_eq!(value(name, json), Err(expected.to_owned()), "{name} {json}");
    }
}

#[test]
fn items() {
    let line = r#"{"at":"2026-09-26T07:00:00-04:00","event":"calendar.event","id":"e1","extra":[{}],"fields":{
        "title":"Final exam","start":"2026-09-26T14:00:00-04:00","end":"2026-09-27","all-day":false,"length":"1h30m",
        "distance":"1.5km","rank":0.5,"price":"3.2 EUR","day":"2026-09-26","alarm":"09:00","other":{"a":[1]},
        "status":null}}"#
        .replace("\n        ", "");
    let number = |steps| Some(Value::Number(Ratio::whole(steps)));
    let fields = [
        Some(Value::Text("Final exam".into())),
        Some(Value::Instant(Instant(SEVEN.0 + 7 * 3_600_000))),
        Some(Value::Date(Date(20_723))),
        Some(Value::Flag(false)),
        None,
        number(90 * 60_000),
        number(1500),
        Some(Value::Number(Ratio::new(1, 2).unwrap())),
        number(320),
        Some(Value::Date(Date(20_722))),
        Some(Value::Clock(9 * 3_600_000)),
    ];
    let expected =
        RecordKind::Item { stream: StreamId(1), id: "e1".into(), observed: None, fields: fields.into() };
    assert_eq!(kind(&line), expected);

    let line = r#"{"at":"2026-09-26T07:00:00-04:00","event":"calendar.event","id":"e1","removed":true}"#;
    assert_eq!(kind(line), RecordKind::Removed { stream: StreamId(1), id: "e1".into() });
    let line = r#"{"at":"2026-09-26T07:00:00-04:00","event":"calendar.event","id":"e1","removed":false}"#;
    let fields = vec![None; 11].into();
    assert_eq!(kind(line), RecordKind::Item { stream: StreamId(1), id: "e1".into(), observed: None, fields });
}

#[test]
fn bad_items() {
    let item =
        |rest: &str| reason(&format!(r#"{{"at":"2026-09-26T07:00:00Z","event":"calendar.event",{rest}}}"#));
    assert_eq!(item(r#""fields":{}"#), "found no `id`, expected one");
    assert_eq!(item(r#""id":7"#), "found `7`, expected a text in quotes");
    assert_eq!(item(r#""id":"a","fields":[]"#), r#"found `[]`, expected an object such as `{"title":"…"}`"#);
    assert_eq!(item(r#""id":"a","fields":{"title":1}"#), "`title`: found `1`, expected a text in quotes");
    assert_eq!(
        item(r#""id":"a","fields":{"title":"a","title":"b"}"#),
        "found `title` twice, expected it once"
    );
    assert_eq!(
        item(r#""id":"a","fields":{"start":"2026-09-26T14:00:00"}"#),
        "`start`: `2026-09-26T14:00:00` has no offset; expected `Z` or one such as `-04:00` at its end"
    );
    assert_eq!(
        item(r#""id":"a","fields":{"start":"2026-02-30"}"#),
        "`start`: `2026-02-30` has a date that does not exist"
    );
    assert_eq!(item(r#""id":"a","removed":"yes""#), "found `yes`, expected true");
    let own = r#"{"at":"2026-09-26T07:00:00Z","event":"rules.fired","id":"a"}"#;
    assert_eq!(reason(own), "found `rules.fired`, which the engine makes itself, expected another stream");
}

#[test]
fn other_records() {
    let rest = |rest: &str| kind(&format!(r#"{{"at":"2026-09-26T09:00:00-04:00",{rest}}}"#));
    assert_eq!(rest(r#""zone":"Asia/Tokyo""#), RecordKind::Zone(Zone(chrono_tz::Asia::Tokyo)));
    assert_eq!(rest(r#""down":true"#), RecordKind::Down);
    assert_eq!(rest(r#""restart":true"#), RecordKind::Restart);
    assert_eq!(rest(r#""tick":true"#), RecordKind::Tick);
    assert_eq!(rest(r#""seen":"abc""#), RecordKind::Seen("abc".into()));
    let useful = RecordKind::Feedback { decision: "abc".into(), useful: true };
    assert_eq!(rest(r#""feedback":"abc","verdict":"useful""#), useful);
    assert_eq!(rest(r#""missed":"my bus""#), RecordKind::Missed("my bus".into()));
    let until = SEVEN;
    let snooze = |rule: Option<&str>| RecordKind::Snooze { rule: rule.map(Arc::from), until };
    assert_eq!(rest(r#""snooze":"*","until":"2026-09-26T11:00:00Z""#), snooze(None));
    assert_eq!(rest(r#""snooze":"low-hrv","until":"2026-09-26T11:00:00Z""#), snooze(Some("low-hrv")));
    assert_eq!(rest(r#""quiet":true,"until":"2026-09-26T11:00:00Z""#), RecordKind::Quiet { until });
    assert_eq!(rest(r#""handover":"abc","result":"failed""#), RecordKind::HandoverFailed("abc".into()));
    assert_eq!(rest(r#""handover":"abc","result":"ok""#), RecordKind::Tick);
    assert_eq!(rest(r#""approved":"h""#), RecordKind::Approved("h".into()));
    assert_eq!(rest(r#""rejected":"h""#), RecordKind::Rejected("h".into()));
}

#[test]
fn bad_records() {
    let rest = |rest: &str| reason(&format!(r#"{{"at":"2026-09-26T09:00:00-04:00",{rest}}}"#));
    assert_eq!(
        rest(r#""zone":"America/Torronto""#),
        "found `America/Torronto`, expected a zone such as `America/Toronto`; the nearest is `America/Toronto`"
    );
    assert_eq!(rest(r#""down":false"#), "found `false`, expected true");
    assert_eq!(rest(r#""feedback":"a","verdict":"good""#), "found `good`, expected `useful` or `noise`");
    assert_eq!(rest(r#""snooze":"*""#), "found no `until`, expected one");
    assert_eq!(
        rest(r#""signal":"mood","down":true,"value":1"#),
        "found both `signal` and `down`, expected one of them"
    );
    assert!(rest(r#""signl":"mood","value":1"#).ends_with("the nearest is `signal`"));
    assert!(
        rest(r#""value":1"#).starts_with("found nothing that happened, expected one of `signal`, `event`,")
    );
    assert_eq!(
        rest(r#""signal":"mood","signal":"mood","value":1"#),
        "found `signal` twice, expected it once"
    );
}

#[test]
fn bad_times_and_bad_json() {
    let at = |at: &str| reason(&format!(r#"{{"at":{at},"tick":true}}"#));
    assert_eq!(
        at(r#""2026-09-26T07:00:00""#),
        "`2026-09-26T07:00:00` has no offset; expected `Z` or one such as `-04:00` at its end"
    );
    assert_eq!(
        at(r#""soon""#),
        "`soon` is not an instant; expected a form such as `2026-09-26T07:00:00-04:00`"
    );
    assert_eq!(
        at(r#""0000-01-01T00:00:00Z""#),
        "found `0000-01-01T00:00:00Z`, expected a time of the years 1 to 9998"
    );
    assert_eq!(at("17"), "found `17`, expected a time such as `2026-09-26T07:00:00-04:00`");
    assert_eq!(reason(r#"{"tick":true}"#), "found no `at`, expected one");
    assert_eq!(reason(r#"{"at":"#), "the line ends in the middle of the record");
    assert!(reason(r#"{"at" "x"}"#).starts_with("found no valid JSON ("));
    assert!(reason("[]").starts_with("found `[]`, expected a record such as "));
    assert!(reason(r#"{"at":"2026-09-26T07:00:00Z","tick":true} x"#).starts_with("found no valid JSON ("));
    let error = Reader::new(&rule_set()).read_line(b"{\"at\":\"\xff\"}").unwrap_err();
    assert_eq!((error.reason.as_str(), error.column), ("found bytes that are no UTF-8 text", 8));
}

#[test]
fn errors_name_the_column() {
    let column = |line: &str| read(line).unwrap_err().column;
    assert_eq!(column(r#"  {"at":"2026-09-26T07:00:00","tick":true}"#), 9);
    let line = r#"{"at":"2026-09-26T07:00:00Z","event":"calendar.event","id":"a","fields":{"title":1}}"#;
    assert_eq!(column(line), line.find("1}").unwrap() + 1);
    assert_eq!(column("{\"at\":\"2026-09-26T07:00:00Z\",,}"), 30);
    assert_eq!(column("[]"), 1);
}

#[test]
fn blank_and_undeclared_lines() {
    assert_eq!(read(""), Ok(Read::Empty));
    assert_eq!(read(" \t\r\n"), Ok(Read::Empty));
    let line = r#"{"at":"2026-09-26T07:00:00-04:00","signal":"garmin.load","value":{"odd":1}}"#;
    assert_eq!(read(line), Ok(Read::Undeclared { at: SEVEN, name: "garmin.load".into() }));
    let line = r#"{"at":"2026-09-26T07:00:00-04:00","event":"mail.item","id":"a"}"#;
    assert_eq!(read(line), Ok(Read::Undeclared { at: SEVEN, name: "mail.item".into() }));
    let line = r#"{"at":"2026-09-26T07:00:00-04:00","signal":"source.mail","value":true}"#;
    assert_eq!(kind(line), RecordKind::Tick);
    assert!(read(r#"{"at":"soon","signal":"garmin.load","value":1}"#).is_err());
}

#[test]
fn declared_or_not_a_line_must_be_whole() {
    let reason = |rest: &str| {
        let line = format!(r#"{{"at":"2026-09-26T07:00:00-04:00",{rest}}}"#);
        read(&line).unwrap_err().reason
    };
    for stream in ["calendar.event", "mail.item"] {
        assert_eq!(reason(&format!(r#""event":"{stream}""#)), "found no `id`, expected one");
        for id in [r#""""#, r#""a\u0000""#, r#""a\nb""#, r#""\u009b31m""#] {
            let said = reason(&format!(r#""event":"{stream}","id":{id}"#));
            assert!(
                said.ends_with("expected an id: a text that is not empty and has no control characters"),
                "{said}"
            );
        }
        assert!(reason(&format!(r#""event":"{stream}","id":7"#)).starts_with("found `7`, expected a text"));
    }
    for signal in ["mood", "garmin.load", "source.health", "source.mail"] {
        assert_eq!(reason(&format!(r#""signal":"{signal}""#)), "found no `value`, expected one");
    }
    for signal in ["source.health", "source.mail"] {
        for value in ["false", "0", "1", "17", r#""zz""#, r#""true""#, "{}"] {
            let said = reason(&format!(r#""signal":"{signal}","value":{value}"#));
            assert!(said.ends_with("expected true"), "{signal} {value}: {said}");
        }
    }
}

#[test]
fn the_canonical_line_decides_between_two_values() {
    let set = rule_set();
    let reading = |steps| Record {
        at: SEVEN,
        kind: RecordKind::Reading { signal: SignalId(1), observed: SEVEN, value: Scalar::Fixed(steps) },
    };
    let mut records = vec![reading(90), reading(100)];
    sort(&mut records, &set);
    assert_eq!(records, [reading(100), reading(90)], "`9` is after `10`");
    let tick = Record { at: SEVEN, kind: RecordKind::Tick };
    let mut records = vec![tick.clone(), reading(90), reading(100)];
    sort(&mut records, &set);
    assert_eq!(records, [reading(100), reading(90), tick]);
}

#[test]
fn the_time_alone() {
    for line in [
        r#"{"at":"2026-09-26T07:00:00-04:00","anything":[1]}"#,
        r#" {"x":{"at":"no"}, "at" : "2026-09-26T11:00:00Z"}"#,
        r#"{"a\u0074":"2026-09-26T11:00:00Z"}"#,
    ] {
        assert_eq!(instant_of(line.as_bytes()), Some(SEVEN), "{line}");
    }
    for line in ["", "{}", r#"{"at":"soon"}"#, r#"{"at":1}"#, r#"{"at":"2026-09-26T11:00:00"}"#] {
        assert_eq!(instant_of(line.as_bytes()), None, "{line}");
    }
}

/// A line that is a reading, or nearly one.
fn line() -> impl Strategy<Value = String> {
    let at = prop_oneof![
        Just("\"2026-09-26T07:00:00-04:00\"".to_owned()),
        Just("\"2026-02-30T07:00:00Z\"".to_owned()),
        Just("\"2026-09-26T07:00:00.25Z\"".to_owned()),
        Just("\"2026-09-26T07:00:00\"".to_owned()),
        Just("null".to_owned()),
        "\"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](Z|[+-][01][0-9]:[0-5]0)\"",
    ];
    let name = prop_oneof![
        Just("\"health.hrv\"".to_owned()),
        Just("\"health.asleep\"".to_owned()),
        Just("\"mood\"".to_owned()),
        Just("\"bank.balance\"".to_owned()),
        Just("\"home.away\"".to_owned()),
        Just("\"note\"".to_owned()),
        Just("\"source.health\"".to_owned()),
        Just("\"other\"".to_owned()),
        Just("\"mo\\u006fd\"".to_owned()),
    ];
    let value = prop_oneof![
        "-?[0-9]{1,20}([.][0-9]{1,10})?([eE][+-]?[0-9]{1,2})?",
        "[-0-9.]{0,5}",
        "\"[0-9]{1,3}(h|min|s|ms|bpm| EUR|)\"",
        "\"[a-zé\\\\\"\u{1}]{0,4}\"",
        "(true|false|null|tru|\\[\\]|\\{\\})",
    ];
    let blank = || prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\t")];
    let key = prop_oneof![8 => Just(None), 1 => Just(Some("at")), 1 => Just(Some("value")), 1 => Just(Some("other"))];
    (at.clone(), at, name, value, (blank(), blank(), key), any::<[u8; 4]>()).prop_map(
        |(at, observed, name, value, (left, right, twice), dice)| {
            let mut parts = vec![
                format!("\"at\"{left}:{at}"),
                format!("\"signal\":{left}{name}{right}"),
                format!("\"value\":{value}"),
            ];
            if dice[0] % 2 == 0 {
                parts.push(format!("\"observed\":{observed}"));
            }
            if let Some(key) = twice {
                parts.push(format!("\"{key}\":{value}"));
            }
            let turns = usize::from(dice[1]) % parts.len();
            parts.rotate_left(turns);
            let end = [left, "", right, "}", "x"][usize::from(dice[2]) % 5];
            format!("{left}{{{}}}{end}", parts.join(","))
        },
    )
}

proptest! {
    /// The path over bytes and the one over JSON agree on every line.
    #[test]
    fn both_paths_agree(line in line()) {
        let set = rule_set();
        let mut reader = Reader::new(&set);
        let careful = reader.read_any(line.as_bytes());
        if let Some(record) = reader.read_plain(line.as_bytes()) {
            prop_assert_eq!(careful.clone(), Ok(Read::Record(record)));
        }
        prop_assert_eq!(reader.read_line(line.as_bytes()), careful);
    }

    /// What is written reads as the same record, and is written the same again.
    #[test]
    fn written_lines_read_back(line in line()) {
        let set = rule_set();
        let mut reader = Reader::new(&set);
        if let Ok(Read::Record(record)) = reader.read_line(line.as_bytes()) {
            for zone in [chrono_tz::UTC, chrono_tz::America::Toronto, chrono_tz::Asia::Kolkata] {
                let written = write(&record, &set, Zone(zone));
                prop_assert_eq!(reader.read_line(written.as_bytes()), Ok(Read::Record(record.clone())), "{}", written);
            }
        }
    }

    #[test]
    fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let set = rule_set();
        if let Err(error) = Reader::new(&set).read_line(&bytes) {
            prop_assert!(error.column >= 1 && error.column <= bytes.len() + 1);
        }
    }
}

#[test]
fn every_kind_is_written_and_read_back() {
    let set = rule_set();
    let zone = Zone(chrono_tz::America::Toronto);
    for rest in [
        r#""signal":"health.asleep","value":"5h10m""#,
        r#""signal":"health.hrv","value":31.5"#,
        r#""signal":"health.weight","value":-0.05"#,
        r#""signal":"mood","value":0.000001"#,
        r#""signal":"bank.balance","value":"12.50 EUR""#,
        r#""signal":"note","value":"a \"b\"""#,
        r#""event":"calendar.event","id":"e1","fields":{"title":"é","start":"2026-09-26","rank":0.5,"price":"3.20 EUR"}"#,
        r#""event":"calendar.event","id":"e1","fields":{}"#,
        r#""event":"calendar.event","id":"e1","removed":true"#,
        r#""zone":"Asia/Tokyo""#,
        r#""down":true"#,
        r#""restart":true"#,
        r#""tick":true"#,
        r#""seen":"abc""#,
        r#""feedback":"abc","verdict":"noise""#,
        r#""missed":"my bus""#,
        r#""snooze":"*","until":"2026-09-26T12:00:00-04:00""#,
        r#""snooze":"low-hrv","until":"2026-09-26T12:00:00-04:00""#,
        r#""quiet":true,"until":"2026-09-26T12:00:00-04:00""#,
        r#""handover":"abc","result":"failed""#,
        r#""approved":"h""#,
        r#""rejected":"h""#,
    ] {
        let line = format!(r#"{{"at":"2026-09-26T07:00:00-04:00",{rest}}}"#);
        let Ok(Read::Record(record)) = read(&line) else { panic!("{line}") };
        assert_eq!(write(&record, &set, zone), line);
    }
}
