//! Reads of recorded answers (radicale 3.9.0, xandikos 0.4.10), and of servers as others run them.

use std::cell::RefCell;

use super::*;
use crate::config::{Setting, Settings, Written};
use crate::connectors::source::script::Script;
use crate::connectors::source::{Failure, HttpReply, HttpRequest, Memory, Reading};

fn settings(url: &str) -> Settings {
    let mut settings = Settings::default();
    for (key, text) in [("url", url), ("user", "me"), ("password", "pw")] {
        settings.set(key, Setting::Text(Written::Secret(text.to_owned())));
    }
    settings
}

fn only(names: &[&str]) -> Settings {
    let mut settings = settings("http://127.0.0.1:5232");
    settings.set("calendars", Setting::Texts(names.iter().map(|name| (*name).to_owned()).collect()));
    settings
}

fn read(
    settings: &Settings,
    server: impl FnMut(&HttpRequest) -> Result<HttpReply, Failure>,
) -> Result<Reading, Failure> {
    Script::with_http(server).read(&SOURCE, settings, &Memory::default())
}

fn reply(request: &HttpRequest, status: u16, body: &str) -> Result<HttpReply, Failure> {
    let url = request.url.clone();
    Ok(HttpReply { status, url, body: body.as_bytes().to_vec(), ..HttpReply::default() })
}

/// What comes behind the host.
fn path(request: &HttpRequest) -> String {
    let url = url::Url::parse(&request.url).unwrap();
    url.path().to_owned()
}

fn header<'r>(request: &'r HttpRequest, name: &str) -> &'r str {
    request.headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str()).unwrap()
}

macro_rules! recorded {
    ($file:literal) => {
        include_str!(concat!("../../../tests/fixtures/caldav/", $file, ".xml"))
    };
}

fn radicale(request: &HttpRequest) -> Result<HttpReply, Failure> {
    let body = match (request.method, header(request, "Depth"), path(request).as_str()) {
        ("PROPFIND", "0", "/") => recorded!("radicale/principal"),
        ("PROPFIND", "0", "/me/") => recorded!("radicale/home"),
        ("PROPFIND", "1", "/me/") => recorded!("radicale/calendars"),
        ("REPORT", "1", "/me/study/") => recorded!("radicale/study"),
        ("REPORT", "1", "/me/family/") => recorded!("radicale/family"),
        other => panic!("{other:?}"),
    };
    assert_eq!(request.login, Some(("me".to_owned(), "pw".to_owned())));
    reply(request, 207, body)
}

fn xandikos(request: &HttpRequest) -> Result<HttpReply, Failure> {
    let body = match (request.method, header(request, "Depth"), path(request).as_str()) {
        ("PROPFIND", "0", "/") => recorded!("xandikos/principal"),
        ("PROPFIND", "0", "/user/") => recorded!("xandikos/home"),
        ("PROPFIND", "1", "/user/calendars/") => recorded!("xandikos/calendars"),
        ("REPORT", "1", "/user/calendars/study/") => recorded!("xandikos/study"),
        ("REPORT", "1", "/user/calendars/family/") => recorded!("xandikos/family"),
        ("REPORT", "1", "/user/calendars/calendar/") => recorded!("xandikos/calendar"),
        other => panic!("{other:?}"),
    };
    reply(request, 207, body)
}

/// The same events, whoever keeps them; `exam` is the title that the first calendar with the exam gives it.
fn expected(exam: &str) -> Vec<String> {
    let item = |id: &str, title: &str, start: &str, end: &str, all_day: bool, status: &str| {
        format!(
            r#"{{"at":"2026-09-26T08:00:00-04:00","event":"calendar.event","id":"{id}","fields":{{"title":"{title}","start":"{start}","end":"{end}","all-day":{all_day},"status":"{status}"}}}}"#
        )
    };
    let timed = |id: &str, title: &str, start: &str, end: &str, status: &str| {
        let at = |clock: &str| format!("2026-{clock}-04:00");
        item(id, title, &at(start), &at(end), false, status)
    };
    let standup = |id: &str, title: &str, start: &str, end: &str| {
        timed(&format!("standup-1@example.org/{id}"), title, start, end, "confirmed")
    };
    vec![
        timed("exam-1@example.org", exam, "09-26T14:00:00", "09-26T16:00:00", "confirmed"),
        item("holiday-1@example.org", "Thanksgiving", "2026-10-12", "2026-10-13", true, "confirmed"),
        timed("off-1@example.org", "Called off", "09-30T14:00:00", "09-30T16:00:00", "cancelled"),
        standup("20260928T123000Z", "Team standup, later", "09-28T10:00:00", "09-28T10:15:00"),
        standup("20261005T123000Z", "Team standup", "10-05T08:30:00", "10-05T08:45:00"),
        standup("20261012T123000Z", "Team standup", "10-12T08:30:00", "10-12T08:45:00"),
        timed("yoga-1@example.org", "Yoga", "09-27T09:00:00", "09-27T10:00:00", "confirmed"),
    ]
}

#[test]
fn all_calendars_of_two_servers_give_the_same() {
    let all = read(&settings("http://127.0.0.1:5232"), radicale).unwrap();
    assert_eq!(all.lines, expected("Final exam"));
    assert_eq!(all.notes, ["1 event stands in several places: the first one counts"]);
    let window = all.shows_all.clone().unwrap();
    assert_eq!(window.stream, "calendar.event");
    assert_eq!(window.from.to_rfc3339(), "2026-09-25T04:00:00+00:00");
    assert_eq!(window.to.to_rfc3339(), "2026-11-26T05:00:00+00:00");
    assert_eq!(read(&settings("http://127.0.0.1:5233/"), xandikos).unwrap(), all);
}

#[test]
fn the_window_is_asked_for_with_a_day_on_both_sides() {
    let bodies = RefCell::new(Vec::new());
    read(&settings("http://127.0.0.1:5232"), |request| {
        bodies.borrow_mut().push(request.body.clone().unwrap());
        radicale(request)
    })
    .unwrap();
    let range = r#"<C:time-range start="20260924T040000Z" end="20261127T050000Z"/>"#;
    assert_eq!(bodies.borrow().iter().filter(|body| body.contains(range)).count(), 2);
}

#[test]
fn calendars_are_chosen_by_name_and_the_first_named_wins() {
    let both = read(&only(&["Work & study", "Family"]), radicale).unwrap();
    assert_eq!(both.lines, expected(r"Final exam: <algebra> & “groups” ]]>"));
    let family = read(&only(&["Family"]), radicale).unwrap();
    assert_eq!(family.lines.len(), 2);
    assert!(family.shows_all.is_some());
    let one_missing = read(&only(&["Family", "School"]), radicale).unwrap();
    assert_eq!(
        (one_missing.lines.len(), &one_missing.shows_all, one_missing.notes.join("\n").as_str()),
        (2, &None, "no calendar is called `School`, there are `Family`, `Work & study`")
    );
    let typo = read(&only(&["Famly"]), radicale).unwrap_err();
    let words = "no calendar is called `Famly`, did you mean `Family`?";
    assert_eq!(typo, Failure::NotUnderstood(words.to_owned()));
}

#[test]
fn a_calendar_that_fails_alone_is_named_and_nothing_is_taken_out() {
    let broken = |status, body: &'static str| {
        read(&settings("http://127.0.0.1:5232"), move |request| match path(request).as_str() {
            "/me/study/" => reply(request, status, body),
            _ => radicale(request),
        })
    };
    for (status, body, note) in [
        (500, "", "the calendar `Work & study` was not read: the server answered with status 500"),
        (
            403,
            "",
            "the calendar `Work & study` was not read: refused with status 403: check the address, the name and the password or token",
        ),
        (207, "<html>", "the calendar `Work & study` was not read: the answer breaks off"),
    ] {
        let reading = broken(status, body).unwrap();
        assert_eq!((reading.lines.len(), reading.notes, reading.shows_all), (2, vec![note.to_owned()], None));
    }
    assert_eq!(broken(401, ""), Err(Failure::Denied { status: 401 }));
    assert_eq!(broken(503, ""), Err(Failure::Busy { status: 503, retry_after: None }));
    let all = read(&settings("http://127.0.0.1:5232"), |request| match request.method {
        "REPORT" => reply(request, 500, ""),
        _ => radicale(request),
    });
    assert_eq!(all, Err(Failure::Status { status: 500 }));
}

#[test]
fn an_entry_that_cannot_be_read_is_counted_and_the_rest_is_read() {
    let partly = |body: &'static str| {
        read(&only(&["Family"]), move |request| match path(request).as_str() {
            "/me/family/" => reply(request, 207, body),
            _ => radicale(request),
        })
        .unwrap()
    };
    let cut = partly(
        "<multistatus xmlns='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'>\
         <response><href>/a</href><propstat><prop><c:calendar-data>BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a</c:calendar-data></prop>\
         <status>HTTP/1.1 200 OK</status></propstat></response>\
         <response><href>/b</href><propstat><prop><c:calendar-data/></prop><status>HTTP/1.1 404 Not Found</status></propstat></response>\
         <response><href>/c</href><status>HTTP/1.1 507 Insufficient Storage</status></response>\
         <response><href>/d</href><propstat><prop><c:calendar-data><![CDATA[BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:d\r\n\
         DTSTART;VALUE=DATE:20260926\r\nSUMMARY:R&D\r\nEND:VEVENT\r\nEND:VCALENDAR]]></c:calendar-data></prop></propstat></response>\
         </multistatus>",
    );
    assert_eq!(
        cut.notes,
        [
            "3 entries of `Family` cannot be read, the first: the file ends inside an event: it is truncated; download it again"
        ]
    );
    assert_eq!((cut.lines.len(), &cut.shows_all), (1, &None));
    assert!(
        cut.lines[0].contains(r#""id":"d","fields":{"title":"R&D","start":"2026-09-26","end":"2026-09-27""#)
    );
    let empty = partly("<multistatus xmlns='DAV:'/>");
    assert_eq!((empty.lines.len(), empty.shows_all.is_some()), (0, true));
}

const PRINCIPAL: &str = "<d:multistatus xmlns:d='DAV:'><d:response><d:href>/</d:href><d:propstat><d:prop>\
    <d:current-user-principal><d:href>/7/principal/</d:href></d:current-user-principal></d:prop>\
    <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>";

/// Each account's calendars lie on a host of its own, with the port in the address.
fn icloud(request: &HttpRequest) -> Result<HttpReply, Failure> {
    let body = match (request.method, request.url.as_str()) {
        ("PROPFIND", "https://caldav.icloud.com/") => PRINCIPAL,
        ("PROPFIND", "https://caldav.icloud.com/7/principal/") => {
            "<multistatus xmlns='DAV:'><response><href>/7/principal/</href><propstat><prop>\
             <calendar-home-set xmlns='urn:ietf:params:xml:ns:caldav'>\
             <href xmlns='DAV:'>https://p42-caldav.icloud.com:443/7/calendars/</href></calendar-home-set></prop>\
             <status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"
        }
        ("PROPFIND", "https://p42-caldav.icloud.com/7/calendars/") => {
            "<?xml version='1.0'?><multistatus xmlns='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'>\
             <response><href>/7/calendars/</href><propstat><prop><resourcetype><collection/></resourcetype></prop>\
             <status>HTTP/1.1 200 OK</status></propstat></response>\
             <response><href>/7/calendars/abc/</href><propstat><prop><displayname>Caf&#xE9;</displayname>\
             <resourcetype><collection/><c:calendar/></resourcetype><c:supported-calendar-component-set>\
             <c:comp name='VEVENT'/></c:supported-calendar-component-set></prop><status>HTTP/1.1 200 OK</status></propstat></response>\
             <response><href>/7/calendars/tasks/</href><propstat><prop><displayname>Reminders</displayname>\
             <resourcetype><collection/><c:calendar/></resourcetype><c:supported-calendar-component-set>\
             <c:comp name='VTODO'/></c:supported-calendar-component-set></prop><status>HTTP/1.1 200 OK</status></propstat></response>\
             <response><href>/7/calendars/inbox/</href><propstat><prop><resourcetype><collection/><c:schedule-inbox/>\
             </resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"
        }
        ("REPORT", "https://p42-caldav.icloud.com/7/calendars/abc/") => recorded!("radicale/family"),
        other => panic!("{other:?}"),
    };
    assert!(request.login.is_some());
    reply(request, 207, body)
}

#[test]
fn hosts_that_belong_to_the_server_are_asked_with_the_login() {
    let reading = read(&settings("https://caldav.icloud.com"), icloud).unwrap();
    assert_eq!((reading.lines.len(), reading.notes.len(), reading.shows_all.is_some()), (2, 0, true));
}

#[test]
fn a_host_that_does_not_belong_to_the_server_is_never_asked() {
    let asked = RefCell::new(Vec::new());
    let failure = read(&settings("https://caldav.example.net"), |request| {
        asked.borrow_mut().push(request.url.clone());
        let far = PRINCIPAL.replace("/7/principal/", "https://evil.example.org/7/principal/");
        reply(request, 207, &far)
    });
    assert_eq!(failure, Err(address::elsewhere()));
    // A redirect without the login has happened already; nothing follows it.
    let redirected = read(&settings("https://caldav.example.net"), |request| {
        let url = "https://evil.example.org/".to_owned();
        asked.borrow_mut().push(request.url.clone());
        Ok(HttpReply { url, ..reply(request, 401, "").unwrap() })
    });
    assert_eq!(redirected, Err(address::elsewhere()));
    assert_eq!(*asked.borrow(), ["https://caldav.example.net/"; 2]);
}

#[test]
fn a_redirect_that_lost_the_login_is_asked_again_once() {
    let asked = RefCell::new(Vec::new());
    let denied = read(&settings("https://example.net/dav"), |request| {
        asked.borrow_mut().push(request.url.clone());
        let url = "https://dav.example.net/".to_owned();
        Ok(HttpReply { url, ..reply(request, 401, "").unwrap() })
    });
    assert_eq!(denied, Err(Failure::Denied { status: 401 }));
    assert_eq!(*asked.borrow(), ["https://example.net/dav", "https://dav.example.net/"]);
}

#[test]
fn servers_that_begin_elsewhere_are_found() {
    let reading = read(&settings("http://127.0.0.1:5232/cal"), |request| match path(request).as_str() {
        "/cal" => reply(request, 405, ""),
        "/.well-known/caldav" => {
            let url = "http://127.0.0.1:5232/".to_owned();
            Ok(HttpReply { url, ..reply(request, 207, recorded!("radicale/principal")).unwrap() })
        }
        _ => radicale(request),
    });
    assert_eq!(reading.unwrap().lines.len(), 7);
    let nowhere = |status| {
        read(&settings("http://127.0.0.1:5232/"), move |request| match path(request).as_str() {
            "/" => reply(request, status, "<!DOCTYPE html><html></html>"),
            _ => reply(request, 404, ""),
        })
    };
    assert_eq!(nowhere(403), Err(Failure::Denied { status: 403 }));
    assert_eq!(nowhere(405), Err(Failure::Status { status: 405 }));
    assert_eq!(nowhere(401), Err(Failure::Denied { status: 401 }));
    let page = "the answer is a web page or another document, not one of a calendar server";
    assert_eq!(nowhere(200), Err(Failure::NotUnderstood(page.to_owned())));
}

#[test]
fn an_account_without_calendars_takes_nothing_out() {
    let empty = read(&settings("http://127.0.0.1:5232"), |request| match header(request, "Depth") {
        "1" => reply(request, 207, "<multistatus xmlns='DAV:'/>"),
        _ => radicale(request),
    });
    let words = "the account has no calendar that holds events";
    assert_eq!(empty, Err(Failure::NotUnderstood(words.to_owned())));
}

#[test]
fn answers_that_are_too_deep_or_name_entities_are_refused() {
    use super::multistatus::{BadAnswer, parse};
    assert_eq!(parse(b"<multistatus xmlns='DAV:'>&mine;</multistatus>"), Err(BadAnswer::NotXml));
    assert_eq!(parse(b"<!DOCTYPE a [<!ENTITY a 'b'>]><multistatus/>"), Err(BadAnswer::NotWebDav));
    assert_eq!(parse(b"<multistatus/>"), Err(BadAnswer::NotWebDav));
    assert_eq!(parse(b""), Err(BadAnswer::NotWebDav));
    assert_eq!(parse(b"</a>"), Err(BadAnswer::NotXml));
    assert_eq!(parse("<a>".repeat(40).as_bytes()), Err(BadAnswer::TooMuch));
    assert_eq!(parse("\u{feff}<x:multistatus xmlns:x='DAV:'/>".as_bytes()), Ok(Vec::new()));
}
