//! A calendar that is asked for again and again.

use super::*;
use crate::config::{Setting, Written};
use crate::connectors::source::script::{Script, file};

const CALENDAR: &str = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:e1\r\nSUMMARY:Exam\r\nDTSTART:20260928T140000Z\r\nDTEND:20260928T150000Z\r\nRRULE:FREQ=DAILY;COUNT=3\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

fn settings(key: &str, value: &str) -> Settings {
    let mut settings = Settings::default();
    settings.set(key, Setting::Text(Written::Plain(value.to_owned())));
    settings
}

#[test]
fn an_address_is_asked_whether_anything_changed_until_the_date_moves_on() {
    let settings = settings("url", "webcal://example.org/c.ics");
    let server = |request: &HttpRequest| {
        let known = request.validators.etag.as_deref() == Some("\"1\"");
        let validators = Validators { etag: Some("\"1\"".to_owned()), last_modified: None };
        let (status, body) = if known { (304, Vec::new()) } else { (200, CALENDAR.as_bytes().to_vec()) };
        Ok(HttpReply { status, body, validators, ..HttpReply::default() })
    };
    let first = Script::with_http(server).read(&SOURCE, &settings, &Memory::default()).unwrap();
    assert_eq!(first.lines.len(), 3);
    let all = first.shows_all.clone().unwrap();
    assert_eq!(all.from.to_rfc3339(), "2026-09-25T04:00:00+00:00");
    // After the clocks went back.
    assert_eq!(all.to.to_rfc3339(), "2026-11-26T05:00:00+00:00");
    let same = Script::with_http(server).read(&SOURCE, &settings, &first.memory).unwrap();
    assert_eq!((same.lines.len(), &same.shows_all, &same.memory), (0, &None, &first.memory));
    let mut tomorrow = Script::with_http(server);
    tomorrow.at = "2026-09-27T12:00:00Z".parse().unwrap();
    assert_eq!(tomorrow.read(&SOURCE, &settings, &first.memory).unwrap().lines.len(), 3);
}

#[test]
fn a_file_is_read_when_it_changed() {
    let settings = settings("path", "in/c.ics");
    let read = |text: &str, memory: &Memory| {
        Script::with_files([file("in/c.ics", 1, text)]).read(&SOURCE, &settings, memory)
    };
    let first = read(CALENDAR, &Memory::default()).unwrap();
    assert_eq!(first.lines.len(), 3);
    assert_eq!(read(CALENDAR, &first.memory).unwrap().lines.len(), 0);
    let changed = CALENDAR.replace("COUNT=3", "COUNT=10");
    assert_eq!(read(&changed, &first.memory).unwrap().lines.len(), 10);
}

#[test]
fn what_is_no_calendar_is_named() {
    let settings = settings("url", "https://example.org/c.ics");
    let page = |status| {
        let body = b"<html>Please log in</html>".to_vec();
        let reply =
            move |_: &HttpRequest| Ok(HttpReply { status, body: body.clone(), ..HttpReply::default() });
        Script::with_http(reply).read(&SOURCE, &settings, &Memory::default()).unwrap_err()
    };
    assert!(matches!(page(200), Failure::NotUnderstood(_)));
    assert_eq!(page(401), Failure::Denied { status: 401 });
    assert_eq!(page(410), Failure::Status { status: 410 });
}

#[test]
fn what_is_known_of_another_calendar_or_other_dates_is_not_asked_about() {
    let validators = |settings: &Settings, memory: &Memory| {
        let mut sent = None;
        let server = |request: &HttpRequest| {
            sent = Some(request.validators.clone());
            let validators = Validators { etag: None, last_modified: Some("then".to_owned()) };
            let body = CALENDAR.as_bytes().to_vec();
            Ok(HttpReply { status: 200, body, validators, ..HttpReply::default() })
        };
        let memory = Script::with_http(server).read(&SOURCE, settings, memory).unwrap().memory;
        (sent.unwrap().last_modified.is_some(), memory)
    };
    let own = settings("url", "https://example.org/own.ics");
    let (_, memory) = validators(&own, &Memory::default());
    assert!(validators(&own, &memory).0);
    assert!(!validators(&settings("url", "https://example.org/other.ics"), &memory).0);
    let mut longer = own;
    longer.set("days-ahead", Setting::Number(90));
    assert!(!validators(&longer, &memory).0);
    assert!(!format!("{memory:?}").contains("own.ics"), "{memory:?}");
}

#[test]
fn a_server_that_was_told_of_no_copy_cannot_say_that_it_is_good() {
    let settings = settings("url", "https://example.org/c.ics");
    let server = |_: &HttpRequest| Ok(HttpReply { status: 304, ..HttpReply::default() });
    let failure = Script::with_http(server).read(&SOURCE, &settings, &Memory::default()).unwrap_err();
    assert_eq!(failure, Failure::Status { status: 304 });
}

#[test]
fn settings_that_exclude_each_other_are_named() {
    let with = |keys: &[&str]| {
        let mut settings = Settings::default();
        for key in keys {
            settings.set(*key, Setting::Text(Written::Plain("x".to_owned())));
        }
        check(&settings)
    };
    for keys in [&["path"][..], &["url"], &["url", "user", "password"]] {
        assert_eq!(with(keys), Ok(()), "{keys:?}");
    }
    for keys in
        [&[][..], &["path", "url"], &["url", "user"], &["url", "password"], &["path", "user", "password"]]
    {
        assert!(with(keys).is_err(), "{keys:?}");
    }
}
