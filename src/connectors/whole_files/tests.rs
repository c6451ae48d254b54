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
    assert_eq!((once.nothing_came, again.nothing_came), (false, true));
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
    for elsewhere in ["0.0.0.0:8765", "127.0.0.1:0", "127.0.0.1", "8765", "localhost:8765", "192.168.1.1:80"]
    {
        assert!(with(&[("listen", plain(elsewhere)), token.clone()]).is_err(), "{elsewhere}");
    }
}

/// A file that was changed at a time of its own.
fn dated(path: &str, changed: i64, text: &str) -> (FoundFile, Vec<u8>) {
    let (found, bytes) = file(path, 1, text);
    (FoundFile { changed, ..found }, bytes)
}

fn export(value: &str, date: &str) -> String {
    format!(
        r#"<HealthData locale="en"><Record type="HKQuantityTypeIdentifierRestingHeartRate" sourceName="w" unit="count/min" creationDate="{date} 07:00:00 -0500" startDate="{date} 07:00:00 -0500" endDate="{date} 07:00:00 -0500" value="{value}"/></HealthData>"#
    )
}

fn read_apple(memory: &Memory, files: &[(FoundFile, Vec<u8>)]) -> Result<Reading, Failure> {
    Script::with_files(files.to_vec()).read(&apple_health::SOURCE, &settings(), memory)
}

#[test]
fn an_older_export_never_has_the_last_word() {
    let (old, new) = (export("51", "2026-09-25"), export("52", "2026-09-26"));
    let (old, new) = (dated("in/old.xml", 10, &old), dated("in/new.xml", 20, &new));
    let first = read_apple(&Memory::default(), &[old.clone(), new.clone()]).unwrap();
    assert!(first.lines.iter().any(|line| line.contains(":52}")), "{first:?}");
    // The newest is gone: what is left says less.
    let left = read_apple(&first.memory, std::slice::from_ref(&old)).unwrap();
    assert_eq!(left.lines, [""; 0]);
    assert_eq!(left.notes, ["`old.xml` is older than what was read before: it is left out"]);
    assert_eq!(read_apple(&left.memory, std::slice::from_ref(&old)).unwrap().notes, left.notes);
    let newer = dated("in/newer.xml", 30, &export("53", "2026-09-27"));
    let again = read_apple(&left.memory, &[old, newer]).unwrap();
    assert!(again.lines.iter().any(|line| line.contains(":53}")), "{again:?}");
}

#[test]
fn a_newer_export_that_is_still_on_its_way_does_not_fail_the_read() {
    let whole = dated("in/a.xml", 10, &export("51", "2026-09-25"));
    let first = read_apple(&Memory::default(), std::slice::from_ref(&whole)).unwrap();
    let text = export("52", "2026-09-26");
    let half = dated("in/b.xml", 20, text.split_at(text.len() / 2).0);
    let waiting = read_apple(&first.memory, &[whole.clone(), half]).unwrap();
    assert_eq!((waiting.lines.len(), waiting.notes.len()), (0, 1), "{waiting:?}");
    assert_eq!(waiting.memory, first.memory);
    let later = read_apple(&waiting.memory, &[whole, dated("in/b.xml", 21, &text)]).unwrap();
    assert!(later.lines.iter().any(|line| line.contains(":52}")), "{later:?}");
}

#[test]
fn times_that_name_no_place_are_read_at_home() {
    // Exported in winter: the written offset is not that of a September in Toronto.
    let reading =
        read_apple(&Memory::default(), &[dated("in/a.xml", 1, &export("51", "2026-09-25"))]).unwrap();
    let resting: Vec<_> = reading.lines.iter().filter(|line| line.contains("health.resting")).collect();
    assert_eq!(resting, [r#"{"at":"2026-09-25T08:00:00-04:00","signal":"health.resting","value":51}"#]);
}

/// A script answers every search with the same files, so the conversation is led by hand.
#[test]
fn what_was_sent_and_what_lies_in_the_folder_are_read_the_oldest_first() {
    let mut settings = settings();
    settings.set("received", Setting::Text(Written::Plain("kept".to_owned())));
    let begin = Begin { at: Script::new().at, zone: chrono_tz::UTC, memory: Memory::default() };
    let mut conversation = (health_auto_export::SOURCE.begin)(&settings, begin);
    let (mut asked, mut opened) = (Vec::new(), Vec::new());
    let reading = super::super::source::converse(&mut *conversation, &mut |ask| {
        Ok(match ask {
            Ask::Find(search) => {
                let times = if search.path == "in" { [20, 40] } else { [30, 10] };
                let files = times.map(|at| dated(&format!("{}/{at}.json", search.path), at, "").0);
                asked.push(search.path);
                Answer::Files(files.to_vec())
            }
            Ask::Open { path, .. } => {
                opened.push(path);
                Answer::File(Box::new(std::io::Cursor::new(payload("04").into_bytes())))
            }
            other => panic!("{other:?}"),
        })
    });
    assert_eq!(asked.len(), 2);
    assert_eq!(opened, ["kept/10.json", "in/20.json", "kept/30.json", "in/40.json"]);
    assert!(reading.unwrap().notes.is_empty());
}

#[test]
fn a_year_of_files_is_one_read() {
    let text = payload("04");
    let files: Vec<_> = (0..400).map(|day| (format!("in/{day}.json"), day)).collect();
    let files: Vec<_> = files.iter().map(|(path, id)| (path.as_str(), *id, text.as_str())).collect();
    let reading = read(&Memory::default(), &files).unwrap();
    assert!(reading.lines.len() >= 400);
    assert_eq!(
        read(&reading.memory, &files).unwrap(),
        Reading { memory: reading.memory, nothing_came: true, ..Reading::default() }
    );
}
