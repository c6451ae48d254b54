//! What must hold for every kind of source: a row here is a test of it.

use std::collections::{BTreeMap, BTreeSet};

use super::script::{Script, file};
use super::*;
use crate::config::{Form, Setting, Written};
use crate::connectors::SOURCES;
use crate::connectors::given::{NotGiven, given};
use crate::engine::time::{Instant, Zone};

/// A secret that must show up nowhere.
const CANARY: &str = "canary-3f9c1";

fn text(text: &str) -> Setting {
    Setting::Text(Written::Secret(text.to_owned()))
}

/// Settings with every key that a form of it can have.
fn settings(options: &[OptionDef]) -> Settings {
    let mut settings = Settings::default();
    for option in options {
        let value = match option.form {
            Form::Text if option.key == "contact" => text("me@example.org"),
            Form::Text | Form::Secret => text(CANARY),
            Form::Path => text("in"),
            Form::Url => text(&format!("https://example.org/{CANARY}/")),
            Form::Number(from, to) => Setting::Number(from.max(1).min(to)),
            Form::Flag => Setting::Flag(false),
            Form::Duration => Setting::Duration(1000),
            Form::Texts => Setting::Texts(vec!["one".to_owned()]),
            Form::Tables(options) => Setting::Tables(vec![self::settings(options)]),
        };
        settings.set(option.key, value);
    }
    settings
}

/// The same without a file where there is an address too.
fn variants(kind: &SourceKind) -> Vec<Settings> {
    let all = settings(kind.options);
    let without = |key: &str| {
        let options: Vec<_> = kind.options.iter().filter(|option| option.key != key).copied().collect();
        settings(&options)
    };
    vec![all, without("path"), without("url")]
}

#[test]
fn rows_are_well_formed() {
    let names: BTreeSet<_> = SOURCES.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), SOURCES.len());
    for kind in SOURCES {
        let kebab = |word: &str| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
        assert!(kebab(kind.name), "{}", kind.name);
        assert!(!kind.about.is_empty() && !kind.about.ends_with('.'), "{}", kind.name);
        let keys: BTreeSet<_> = kind.options.iter().map(|option| option.key).collect();
        assert_eq!(keys.len(), kind.options.len(), "{}", kind.name);
        for option in kind.options {
            assert!(kebab(option.key) && !option.about.ends_with('.'), "{} {}", kind.name, option.key);
            assert!(!["kind", "every", "as", "off"].contains(&option.key), "{} {}", kind.name, option.key);
        }
        assert!(kind.gives.iter().all(|name| name.contains('.')), "{}", kind.name);
        assert!(kind.every.is_none_or(|every| every >= 1000), "{}", kind.name);
    }
}

/// Bytes that nobody asked for.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let parts: [&[u8]; 14] = [
        b"BEGIN:VCALENDAR\r\n",
        b"BEGIN:VEVENT\r\n",
        b"DTSTART:20260926T140000Z\r\n",
        b"UID:x\r\n",
        b"\r\n",
        b"<rss version=\"2.0\"><channel><item>",
        b"</item>",
        b"<?xml version=\"1.0\" encoding=\"utf-16\"?>",
        b"{\"data\":{\"metrics\":[",
        b"]}}",
        b"{\"history\":{\"sleep\":[{\"value\":-1}]}}",
        b"\xff\xfe",
        b"PK\x03\x04",
        b"{\"filings\":{\"recent\":{\"accessionNumber\":[1]}}}",
    ];
    let mut bytes = Vec::new();
    for _ in 0..next() % 12 {
        match next() % 4 {
            0 => bytes.extend_from_slice(&next().to_le_bytes()),
            _ => bytes.extend_from_slice(parts[usize::try_from(next() % 14).unwrap()]),
        }
    }
    bytes
}

#[test]
fn whatever_comes_ends_in_a_reading_or_a_failure_without_a_secret() {
    for kind in SOURCES {
        for settings in variants(kind) {
            for seed in 0..200 {
                let bytes = noise(seed);
                let status = [200, 207, 200, 304, 401, 404, 429, 500][usize::try_from(seed % 8).unwrap()];
                let reply = |request: &HttpRequest| {
                    let url = request.url.clone();
                    Ok(HttpReply { status, url, body: bytes.clone(), ..HttpReply::default() })
                };
                let mut script = Script::with_http(reply);
                script.add(file("in/a.jsonl", 1, &bytes));
                script.tool = Box::new(|_, _| Ok(String::from_utf8_lossy(&bytes).into_owned()));
                script.output = bytes.clone();
                // A memory of whatever shape is as good as none.
                let memory = Memory(serde_json::json!([seed, { "from": "x" }]));
                match script.read(kind, &settings, &memory) {
                    Ok(reading) => {
                        let said = format!("{:?} {:?}", reading.notes, reading.memory);
                        assert!(!said.contains(CANARY), "{}: {said}", kind.name);
                    }
                    Err(failure) => {
                        let said = format!("{failure} {failure:?}");
                        assert!(!said.contains(CANARY), "{}: {said}", kind.name);
                    }
                }
            }
        }
    }
}

#[test]
fn an_outside_that_fails_fails_the_read_in_the_same_words() {
    for kind in SOURCES {
        for settings in variants(kind).into_iter().skip(1) {
            let script = Script::with_http(|_| Err(Failure::TimedOut { seconds: 60 }));
            let begin = Begin { at: script.at, zone: chrono_tz::UTC, memory: Memory::default() };
            let mut conversation = (kind.begin)(&settings, begin);
            let mut asked = false;
            let result = converse(&mut *conversation, &mut |_| {
                asked = true;
                Err(Failure::TimedOut { seconds: 60 })
            });
            // Without a place to look at there is nothing to ask.
            assert!(!asked || result == Err(Failure::TimedOut { seconds: 60 }), "{}: {result:?}", kind.name);
        }
    }
}

#[test]
fn an_answer_to_another_question_is_a_failure() {
    for kind in SOURCES {
        let begin = Begin { at: Script::new().at, zone: chrono_tz::UTC, memory: Memory::default() };
        let mut conversation = (kind.begin)(&settings(kind.options), begin);
        let first = conversation.next(None).unwrap();
        let other = match first {
            Step::Ask(Ask::Tool(_)) => Answer::Output(Vec::new()),
            _ => Answer::Tool(String::new()),
        };
        assert!(matches!(conversation.next(Some(other)), Err(Failure::Broken(_))), "{}", kind.name);
    }
}

#[test]
fn what_a_kind_gives_is_what_a_source_may_say() {
    let export = r#"<HealthData locale="en"><Record type="HKQuantityTypeIdentifierRestingHeartRate" sourceName="w" unit="count/min" creationDate="2026-09-26 07:00:00 -0400" startDate="2026-09-26 07:00:00 -0400" endDate="2026-09-26 07:00:00 -0400" value="51"/></HealthData>"#;
    let payload = r#"{"data":{"metrics":[{"name":"sleep_analysis","units":"hr","data":[{"startDate":"2026-09-25 23:00:00 -0400","endDate":"2026-09-26 04:00:00 -0400","value":"Core","qty":5}]}]}}"#;
    let calendar = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\"b\\\\c\r\nSUMMARY:\u{1f3c3} \"x\"\r\nDTSTART;VALUE=DATE:20260928\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let day = "{\"at\":\"2026-09-26T07:00:00-04:00\",\"signal\":\"mood\",\"value\":3}\n";
    for (kind, bytes, stream) in [
        ("apple-health", export, "health.resting"),
        ("health-auto-export", payload, "health.asleep"),
        ("ics", calendar, "calendar.event"),
        ("jsonl", day, "mood"),
        ("command", day, "mood"),
    ] {
        let row = SOURCES.iter().find(|row| row.name == kind).unwrap();
        let mut place = Settings::default();
        place.set("path", text("in/a"));
        let mut script = Script::with_output(bytes.as_bytes());
        script.add(file("in/a", 1, bytes));
        let reading = script.read(row, &place, &Memory::default()).unwrap();
        let mut names = BTreeSet::new();
        for line in &reading.lines {
            let now = Instant(1_790_424_000_000);
            match given(line, now, Zone(chrono_tz::America::Toronto), &BTreeMap::new()) {
                Ok(told) => drop(names.insert(told.name)),
                // Whoever reads a source says itself that it was read.
                Err(refused) => assert_eq!(refused, NotGiven::Reserved, "{kind}: {line}"),
            }
        }
        assert!(names.contains(stream), "{kind}: {names:?}");
        let gives = |name: &String| row.gives.is_empty() || row.gives.contains(&name.as_str());
        assert!(names.iter().all(gives), "{kind}: {names:?}");
    }
}

#[test]
fn a_read_that_asks_for_ever_is_ended() {
    struct Endless;
    impl Conversation for Endless {
        fn next(&mut self, _: Option<Answer>) -> Result<Step, Failure> {
            let (url, arguments) = (String::new(), serde_json::Value::Null);
            Ok(Step::Ask(Ask::Tool(ToolCall { url, tool: "again", arguments, allow_private: false })))
        }
    }
    let kind = SourceKind { begin: |_, _| Box::new(Endless), ..SOURCES[0] };
    let mut asked = 0;
    let script = Script::with_tools(|_, _| {
        asked += 1;
        Ok(String::new())
    });
    let failure = script.read(&kind, &Settings::default(), &Memory::default()).unwrap_err();
    assert_eq!(failure, Failure::Broken("more than 200 questions in one read".to_owned()));
    assert_eq!(asked, QUESTIONS_MAX);
}
