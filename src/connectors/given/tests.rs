//! Lines of sources: what is told, what is refused, and that the engine reads the same in both.

use proptest::prelude::*;

use super::*;
use crate::engine::record::{Record, RecordKind};
use crate::engine::records::{Read, Reader, write};
use crate::engine::resolve::{Inputs, resolve};
use crate::engine::rule_set::RuleSet;
use crate::engine::source::{SourceFile, Sources};
use crate::engine::syntax::parse;

/// 2026-09-26, 12:00 in UTC.
const NOW: Instant = Instant(1_790_424_000_000);
const TORONTO: Zone = Zone(chrono_tz::America::Toronto);

const RULES: &str = "zone home = \"America/Toronto\"\n\
    signal health.asleep duration nightly fresh 20h\n\
    signal health.hrv ms daily fresh 24h\n\
    signal mood number daily fresh 24h\n\
    signal room word daily fresh 24h\n\
    signal away flag daily fresh 24h\n\
    stream calendar.event { title text, start instant, end instant, all-day flag, rank number }\n";

fn rule_set() -> RuleSet {
    let mut sources = Sources::default();
    let file = SourceFile::new("test.rule", RULES);
    let id = sources.add(file.clone());
    let (tree, errors) = parse(&file, id);
    assert!(errors.is_empty(), "{errors:?}");
    let resolved = resolve(&[tree], &sources, &Inputs::default());
    assert!(resolved.diagnostics.is_empty(), "{:?}", resolved.diagnostics);
    resolved.rules
}

fn tell(line: &str) -> Result<Given, NotGiven> {
    given(line, NOW, TORONTO, &BTreeMap::new())
}

fn told(line: &str) -> String {
    tell(line).unwrap().line
}

fn refused(line: &str) -> String {
    match tell(line).unwrap_err() {
        NotGiven::Bad(reason) => reason,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn a_reading_is_learnt_now_and_stays_true_when_it_was() {
    let reading = tell(r#"{"at":"2026-09-26T07:00:00-04:00","signal":"health.hrv","value":31.50}"#).unwrap();
    assert_eq!(
        reading,
        Given {
            key: "health.hrv@1790420400000".to_owned(),
            name: "health.hrv".to_owned(),
            line: r#"{"at":"2026-09-26T08:00:00-04:00","observed":"2026-09-26T07:00:00-04:00","signal":"health.hrv","value":31.50}"#
                .to_owned(),
            content: "31.50".to_owned(),
            removed: false,
            starts: None,
        }
    );
    // `observed` stands above `at`, and what is true now needs none.
    assert_eq!(
        told(r#"{"value":"5h","observed":"2026-09-26T12:00:00Z","signal":"x","at":"2026-09-26T13:00:00Z"}"#),
        r#"{"at":"2026-09-26T08:00:00-04:00","signal":"x","value":"5h"}"#
    );
    // Nobody decides here what is too far ahead.
    assert_eq!(
        told(r#"{"at":"2027-01-01T00:00:00Z","signal":"x","value":true,"extra":[1]}"#),
        r#"{"at":"2026-09-26T08:00:00-04:00","observed":"2026-12-31T19:00:00-05:00","signal":"x","value":true}"#
    );
}

#[test]
fn an_item_keeps_its_id_and_fields_and_says_when_it_begins() {
    let item = tell(
        r#"{"at":"2026-09-25T20:00:00-04:00","event":"calendar.event","id":"e\u00311","fields":{"title":"Exam", "rank":1.250,"start":"2026-09-26T14:00:00-04:00"}}"#,
    )
    .unwrap();
    assert_eq!((item.key.as_str(), item.removed), ("calendar.event#e11", false));
    assert_eq!(
        item.line,
        r#"{"at":"2026-09-26T08:00:00-04:00","event":"calendar.event","id":"e11","fields":{"title":"Exam", "rank":1.250,"start":"2026-09-26T14:00:00-04:00"}}"#
    );
    assert_eq!(item.starts, Some(1_790_445_600_000));
    let starts = |fields: &str| {
        tell(&format!(r#"{{"at":"2026-09-25T20:00:00Z","event":"e","id":"1","fields":{fields}}}"#))
            .unwrap()
            .starts
    };
    // Midnight in Toronto, on the day without an hour too.
    assert_eq!(starts(r#"{"start":"2026-03-08"}"#), Some(1_772_946_000_000));
    for fields in [r#"{"start":"soon"}"#, r#"{"start":null}"#, r#"{"start":["2026-03-08"]}"#, "{}"] {
        assert_eq!(starts(fields), None, "{fields}");
    }
    // When it was true is only said where the source says it.
    assert_eq!(
        told(
            r#"{"at":"2026-09-25T20:00:00Z","observed":"2026-09-25T19:00:00Z","event":"e","id":"1","fields":{}}"#
        ),
        r#"{"at":"2026-09-26T08:00:00-04:00","observed":"2026-09-25T15:00:00-04:00","event":"e","id":"1","fields":{}}"#
    );
}

#[test]
fn a_removal_says_nothing_else() {
    let gone = tell(
        r#"{"at":"2026-09-25T20:00:00Z","observed":"2026-09-25T20:00:00Z","event":"e","id":"1","removed":true,"fields":7}"#,
    )
    .unwrap();
    assert!(gone.removed);
    assert_eq!(gone.line, r#"{"at":"2026-09-26T08:00:00-04:00","event":"e","id":"1","removed":true}"#);
    assert_eq!(gone.line, removed("e", "1", NOW, TORONTO));
}

#[test]
fn the_same_again_has_the_same_content_whenever_and_wherever_it_is_learnt() {
    for line in [
        r#"{"at":"2026-09-26T12:00:00Z","signal":"x","value":1.0}"#,
        r#"{"at":"2026-09-26T12:00:00Z","event":"e","id":"1","fields":{"start":"2026-09-26"}}"#,
        r#"{"at":"2026-09-26T12:00:00Z","observed":"2026-09-25T20:00:00Z","event":"e","id":"1","fields":{}}"#,
        r#"{"at":"2026-09-26T12:00:00Z","event":"e","id":"1","removed":true}"#,
    ] {
        let (now, later) = (tell(line).unwrap(), Instant(NOW.0 + 60_000));
        let again = given(line, later, Zone(chrono_tz::Asia::Tokyo), &BTreeMap::new()).unwrap();
        assert_eq!((&now.key, &now.content), (&again.key, &again.content));
        assert_ne!(now.line, again.line);
    }
    let content = |rest: &str| tell(&format!(r#"{{"at":"2026-09-26T12:00:00Z",{rest}}}"#)).unwrap().content;
    assert_ne!(content(r#""signal":"x","value":1.0"#), content(r#""signal":"x","value":1.1"#));
    let item = |rest: &str| content(&format!(r#""event":"e","id":"1"{rest}"#));
    let all = [
        item(r#","fields":{}"#),
        item(r#","fields":{"a":1}"#),
        item(r#","fields":{},"observed":"2026-09-25T20:00:00Z""#),
        item(r#","removed":true"#),
    ];
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 4, "{all:?}");
}

#[test]
fn names_are_those_of_here() {
    let names = BTreeMap::from([
        ("calendar.event".to_owned(), "work.event".to_owned()),
        ("odd".to_owned(), "source.odd".to_owned()),
    ]);
    let tell = |line| given(line, NOW, TORONTO, &names);
    let item =
        tell(r#"{"at":"2026-09-25T20:00:00Z","event":"calendar.event","id":"1","fields":{}}"#).unwrap();
    assert_eq!((item.name.as_str(), item.key.as_str()), ("work.event", "work.event#1"));
    assert!(item.line.contains(r#""event":"work.event""#), "{}", item.line);
    let odd = r#"{"at":"2026-09-25T20:00:00Z","signal":"odd","value":1}"#;
    assert_eq!(tell(odd), Err(NotGiven::Reserved));
}

#[test]
fn text_from_outside_chooses_no_action() {
    for what in [
        r#""zone":"Asia/Tokyo""#,
        r#""down":true"#,
        r#""restart":true"#,
        r#""tick":true"#,
        r#""seen":"d""#,
        r#""feedback":"d","verdict":"useful""#,
        r#""missed":"x""#,
        r#""snooze":"*","until":"2027-01-01T00:00:00Z""#,
        r#""quiet":true,"until":"2027-01-01T00:00:00Z""#,
        r#""handover":"d","result":"failed""#,
        r#""approved":"h""#,
        r#""rejected":"h""#,
        r#""hello":1"#,
        r#""signal":"x","value":1,"approved":"h""#,
        r#""signal":"x","value":1,"s\u006eooze":"*""#,
        r#""event":"e","id":"1","tick":true"#,
    ] {
        let line = format!(r#"{{"at":"2026-09-26T07:00:00Z",{what}}}"#);
        assert_eq!(tell(&line), Err(NotGiven::NotAReading), "{line}");
    }
    for what in [
        r#""signal":"source.health","value":true"#,
        r#""signal":"sourc\u0065.health","value":true"#,
        r#""event":"rules.fired","id":"1""#,
    ] {
        let line = format!(r#"{{"at":"2026-09-26T07:00:00Z",{what}}}"#);
        assert_eq!(tell(&line), Err(NotGiven::Reserved), "{line}");
    }
}

#[test]
fn each_bad_line_has_its_reason() {
    for (line, reason) in [
        ("", "is no JSON object"),
        (r#"["2026-09-26T07:00:00Z"]"#, "is no JSON object"),
        (r#"{"at":"2026-09-26T07:00:00Z""#, "ends in the middle"),
        (r#"{"at":1,"at":2}"#, "has `at` twice"),
        (r#"{"at":"2026-09-26T07:00:00Z",}"#, "is no valid JSON: trailing comma in column 30"),
        ("{\"at\":\"2026-09-26T07:00:00Z\",\n\"signal\":\"x\",\"value\":1}", "has a line break inside"),
        (r#"{"signal":"x","value":1}"#, "has no `at`"),
        (
            r#"{"at":"2026-09-26T07:00:00","signal":"x","value":1}"#,
            "`at`: `2026-09-26T07:00:00` has no offset; expected `Z` or one such as `-04:00` at its end",
        ),
        (
            r#"{"at":"2026-09-26T07:00:00Z","observed":5,"signal":"x","value":1}"#,
            "`observed`: found `5`, expected a time such as `2026-09-26T07:00:00-04:00`",
        ),
        (r#"{"at":"2026-09-26T07:00:00Z","signal":"x"}"#, "has no `value`"),
        (
            r#"{"at":"2026-09-26T07:00:00Z","signal":"x","value":[1]}"#,
            "has a `value` that is no number, text, `true` or `false`",
        ),
        (
            r#"{"at":"2026-09-26T07:00:00Z","signal":"x","value":"\ud800"}"#,
            "has a `value` that is no number, text, `true` or `false`",
        ),
        (
            r#"{"at":"2026-09-26T07:00:00Z","signal":"","value":1}"#,
            "has a `signal` that is no name in quotes",
        ),
        (
            r#"{"at":"2026-09-26T07:00:00Z","signal":"x","event":"y","value":1}"#,
            "found both `signal` and `event`, expected one of them",
        ),
        (r#"{"at":"2026-09-26T07:00:00Z","event":"e"}"#, "has no `id`"),
        (r#"{"at":"2026-09-26T07:00:00Z","event":"e","id":"1"}"#, "has no `fields`"),
        (
            r#"{"at":"2026-09-26T07:00:00Z","event":"e","id":"\n"}"#,
            "`id`: found `\n`, expected an id: a text that is not empty and has no control characters",
        ),
        (
            r#"{"at":"2026-09-26T07:00:00Z","event":"e","id":"1","removed":"yes"}"#,
            "has a `removed` that is neither `true` nor `false`",
        ),
        (
            r#"{"at":"2026-09-26T07:00:00Z","event":"e","id":"1","fields":["2026-09-26"]}"#,
            "has `fields` that are no object",
        ),
        (
            r#"{"at":"2026-09-26T07:00:00Z","event":"e","id":"1","fields":{"start":1,"start":2}}"#,
            "has `start` twice",
        ),
    ] {
        assert_eq!(refused(line), reason, "{line}");
    }
    let long =
        format!(r#"{{"at":"2026-09-26T07:00:00Z","signal":"x","value":"{}"}}"#, "x".repeat(LINE_BYTES_MAX));
    assert_eq!(refused(&long), "is longer than 64 KiB");
}

/// A reading or an item in any form that the contract allows.
fn any_line() -> impl Strategy<Value = String> {
    let time = (-60_000_000_000_000_i64..250_000_000_000_000, 0_usize..3).prop_map(|(ms, zone)| {
        let zones = [chrono_tz::America::Toronto, chrono_tz::Asia::Kathmandu, chrono_tz::UTC];
        format_instant(Zone(zones[zone]), Instant(ms))
    });
    let quote = |text: String| serde_json::to_string(&text).unwrap();
    let number = "-?(0|[1-9][0-9]{0,8})([.][0-9]{1,9})?([eE][+-]?[0-3])?";
    let value = prop_oneof![
        number.prop_map(|number| ("mood", number)),
        number.prop_map(|number| ("health.hrv", number)),
        (any::<i32>()).prop_map(|ms| {
            ("health.asleep", format!("\"{}\"", crate::engine::time::format_duration(ms.into())))
        }),
        any::<String>().prop_map(move |word| ("room", quote(word))),
        any::<bool>().prop_map(|flag| ("away", flag.to_string())),
    ];
    let body = prop_oneof![
        value.prop_map(|(signal, value)| format!("\"signal\" : \"{signal}\",\"value\":{value}")),
        ("[a-z0-9/é\"\\\\ -]{1,20}", any::<String>(), time.clone(), number, any::<bool>()).prop_map(
            move |(id, title, start, rank, removed)| {
                let (id, title) = (quote(id), quote(title));
                let fields =
                    format!("{{\"title\":{title}, \"start\":\"{start}\",\"rank\":{rank},\"no\":null}}");
                format!("\"event\":\"calendar.event\",\"id\":{id},\"fields\":{fields},\"removed\":{removed}")
            }
        ),
    ];
    (time.clone(), prop::option::of(time), body, any::<bool>()).prop_map(|(at, observed, body, first)| {
        let observed = observed.map_or_else(String::new, |at| format!(",\"observed\":\"{at}\""));
        let times = format!("\"at\":\"{at}\"{observed}");
        if first { format!("{{{times},{body}}}") } else { format!(" {{{body},\t{times}, \"x\":[]}}\r\n") }
    })
}

fn record(set: &RuleSet, line: &str) -> Record {
    match Reader::new(set).read_line(line.as_bytes()) {
        Ok(Read::Record(record)) => record,
        other => panic!("{line}: {other:?}"),
    }
}

proptest! {
    /// What the engine reads in the source's line is what it reads in the given one, learnt now.
    #[test]
    fn a_given_line_says_the_same(line in any_line()) {
        let set = rule_set();
        let told = tell(&line).unwrap();
        let (before, after) = (record(&set, &line), record(&set, &told.line));
        prop_assert_eq!(after.at, NOW);
        prop_assert!(!told.line.contains(['\n', '\r']));
        prop_assert_eq!(&after.kind, &before.kind);
        match &after.kind {
            RecordKind::Reading { observed, .. } => {
                prop_assert_eq!(&told.key, &format!("{}@{}", told.name, observed.0));
            }
            RecordKind::Item { id, .. } | RecordKind::Removed { id, .. } => {
                prop_assert_eq!(&told.key, &format!("{}#{id}", told.name));
            }
            other => prop_assert!(false, "{other:?}"),
        }
        // Said again, it is the same word by word, but that a reading of now needs no second time.
        prop_assert_eq!(&tell(&told.line).unwrap(), &told);
        // And what the engine itself would write can be given too.
        let written = write(&before, &set, TORONTO);
        prop_assert_eq!(tell(&written).unwrap().key, told.key);
    }

    /// Nothing breaks it, and nothing else than a reading or an item comes out.
    #[test]
    fn any_text_is_answered(line in any::<String>(), place in 0_usize..200, valid in any_line()) {
        let _ = tell(&line);
        let mut broken: Vec<char> = valid.chars().collect();
        let place = place % broken.len();
        broken.splice(place..=place, line.chars().take(3));
        if let Ok(told) = tell(&broken.into_iter().collect::<String>()) {
            let head: serde_json::Value = serde_json::from_str(&told.line).unwrap();
            prop_assert!(head["signal"].is_string() != head["event"].is_string());
        }
    }
}
