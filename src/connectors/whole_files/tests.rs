//! Exports in a folder: what is new, what changed, what is still on its way.

use super::*;
use crate::config::{SecretRef, Setting, Written};
use crate::connectors::source::script::{Script, file};
use crate::connectors::{apple_health, health_auto_export};

fn payload(asleep: &str) -> String {
    format!(
        r#"{{"data":{{"metrics":[{{"name":"sleep_analysis","units":"hr","data":[{{"startDate":"2026-09-25 23:00:00 -0400","endDate":"2026-09-26 {asleep}:00:00 -0400","value":"Core","qty":5}}]}}]}}}}"#
    )
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.set("path", Setting::Text(Written::Plain("in".to_owned())));
    settings
}

fn read(memory: &Memory, files: &[(&str, u64, &str)]) -> Result<Reading, Failure> {
    let script = Script::with_files(files.iter().map(|(path, id, text)| file(path, *id, text)));
    script.read(&health_auto_export::SOURCE, &settings(), memory)
}

#[test]
fn a_file_is_read_when_it_is_new_or_changed() {
    let (first, second) = (payload("04"), payload("05"));
    let once = read(&Memory::default(), &[("in/a.json", 1, &first)]).unwrap();
    assert!(once.lines.iter().any(|line| line.contains("\"health.asleep\",\"value\":\"5h\"")), "{once:?}");
    let again = read(&once.memory, &[("in/a.json", 1, &first)]).unwrap();
    assert_eq!((again.lines.len(), &again.memory), (0, &once.memory));
    let more = read(&once.memory, &[("in/a.json", 1, &first), ("in/b.json", 2, &second)]).unwrap();
    assert!(
        more.lines.iter().any(|line| line.contains("T05:00:00-04:00\",\"signal\":\"health.asleep\"")),
        "{more:?}"
    );
    let gone = read(&more.memory, &[]).unwrap();
    assert_eq!(gone.lines.len(), 0);
}

#[test]
fn one_that_is_still_on_its_way_is_tried_again() {
    let whole = payload("04");
    let (half, _) = whole.split_at(whole.len() / 2);
    assert!(matches!(read(&Memory::default(), &[("in/a.json", 1, half)]), Err(Failure::NotUnderstood(_))));
    let beside = read(&Memory::default(), &[("in/a.json", 1, half), ("in/b.json", 2, &whole)]).unwrap();
    assert!(beside.notes.iter().any(|note| note.starts_with("`a.json` cannot be read")), "{beside:?}");
    assert!(!beside.lines.is_empty());
    let later = read(&beside.memory, &[("in/a.json", 1, &whole), ("in/b.json", 2, &whole)]).unwrap();
    assert!(!later.lines.is_empty());
}

#[test]
fn of_apple_exports_the_newest_counts() {
    let export = |value: &str| {
        format!(
            r#"<HealthData locale="en"><Record type="HKQuantityTypeIdentifierRestingHeartRate" sourceName="w" unit="count/min" creationDate="2026-09-26 07:00:00 -0400" startDate="2026-09-26 07:00:00 -0400" endDate="2026-09-26 07:00:00 -0400" value="{value}"/></HealthData>"#
        )
    };
    let (old, new) = (export("51"), export("52") + "\n");
    // The script's files are as new as they are long.
    let script = Script::with_files([file("in/b.xml", 1, &old), file("in/a.xml", 2, &new)]);
    let reading = script.read(&apple_health::SOURCE, &settings(), &Memory::default()).unwrap();
    let resting: Vec<_> = reading.lines.iter().filter(|line| line.contains("health.resting")).collect();
    assert!(resting.len() == 1 && resting[0].contains(":52}"), "{reading:?}");
}

#[test]
fn who_listens_says_where_and_to_whom() {
    let with = |values: &[(&str, Written)]| {
        let mut settings = Settings::default();
        for (key, value) in values {
            settings.set(*key, Setting::Text(value.clone()));
        }
        check(&settings)
    };
    let plain = |text: &str| Written::Plain(text.to_owned());
    let token = ("token", Written::Kept(SecretRef::Env("T".to_owned())));
    assert!(with(&[]).is_err());
    assert!(with(&[("path", plain("in"))]).is_ok());
    assert!(with(&[("path", plain("in")), token.clone()]).is_err());
    assert!(with(&[("listen", plain("127.0.0.1:8765"))]).is_err());
    assert!(with(&[("listen", plain("127.0.0.1:8765")), token.clone()]).is_ok());
    for elsewhere in ["0.0.0.0:8765", "8765", "localhost:8765", "192.168.1.1:80"] {
        assert!(with(&[("listen", plain(elsewhere)), token.clone()]).is_err(), "{elsewhere}");
    }
}
