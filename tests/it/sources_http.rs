//! What servers may do to a read: a small server of the test's own lies, floods, breaks off and redirects.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use crate::support::{Ran, verger_in};

const RULES: &str = r#"
zone     home = "UTC"
stream   calendar.event { title text, start instant, end instant } timed start to end
"#;

/// Answers each connection with what `answer` writes; gets the lines of the request.
fn serve(answer: impl Fn(&[String], &mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Ends with the test's process.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let reader = BufReader::new(stream.try_clone().unwrap());
            let head = reader.lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            answer(&head.collect::<Vec<_>>(), &mut stream);
        }
    });
    format!("http://{address}/secret-7351/c.ics")
}

fn text(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}")
}

/// Reads a calendar at an address.
fn read(url: &str, more: &str) -> Ran {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("rules")).unwrap();
    fs::write(home.path().join("rules/a.rule"), RULES).unwrap();
    let toml = format!("[source.c]\nkind = \"ics\"\nurl = \"{url}\"\n{more}\n");
    fs::write(home.path().join("connectors.toml"), toml).unwrap();
    let ran = verger_in(home.path(), &["connector", "read", "c"], "");
    assert!(!ran.stderr.contains("secret-7351"), "the address is shown: {ran:?}");
    ran
}

const PRIVATE: &str = "allow-private = true";

fn fails(answer: impl Fn(&[String], &mut TcpStream) + Send + 'static, why: &str) {
    let ran = read(&serve(answer), PRIVATE);
    assert!(ran.code == 2 && ran.stderr.contains(why), "expected `{why}`: {ran:?}");
}

const CALENDAR: &str = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";

#[test]
fn a_good_answer_is_read() {
    let url = serve(|head, stream| {
        assert!(head.iter().any(|line| line.eq_ignore_ascii_case("accept-encoding: gzip")), "{head:?}");
        stream.write_all(text("200 OK", "", CALENDAR).as_bytes()).unwrap();
    });
    let ran = read(&url, PRIVATE);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_own_network_is_asked_only_where_that_is_written() {
    let url = serve(|_, stream| stream.write_all(text("200 OK", "", CALENDAR).as_bytes()).unwrap());
    let ran = read(&url, "");
    assert!(ran.code == 2 && ran.stderr.contains("`allow-private = true` permits that"), "{ran:?}");
    for url in
        ["http://localhost:9/secret-7351", "http://[::1]:9/secret-7351", "http://2130706433/secret-7351"]
    {
        let ran = read(url, "");
        assert!(ran.stderr.contains("`allow-private = true` permits that"), "{url}: {ran:?}");
    }
}

#[test]
fn what_is_no_calendar_is_named() {
    fails(
        |_, s| drop(s.write_all(text("200 OK", "", "<html>log in</html>").as_bytes())),
        "not an iCalendar file",
    );
    fails(|_, s| drop(s.write_all(text("401 No", "", "").as_bytes())), "refused with status 401");
    fails(|_, s| drop(s.write_all(text("500 Oh", "", "").as_bytes())), "answered with status 500");
    let busy = text("429 Slow", "Retry-After: 120\r\n", "");
    fails(move |_, s| drop(s.write_all(busy.as_bytes())), "asked to wait (status 429)");
}

#[test]
fn a_server_that_lies_or_breaks_off_fails() {
    let longer = "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\nBEGIN:VCALENDAR\r\n";
    fails(|_, s| drop(s.write_all(longer.as_bytes())), "source `c`");
    fails(|_, s| drop(s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n")), "larger than");
    fails(|_, s| drop(s.write_all(b"nonsense\r\n\r\n")), "cannot be reached");
    fails(|_, _| {}, "cannot be reached");
}

#[test]
fn a_flood_is_cut_off() {
    let flood = |_: &[String], stream: &mut TcpStream| {
        let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while stream.write_all(chunk.as_bytes()).is_ok() {}
    };
    fails(flood, "larger than 67108864 bytes");
}

#[test]
fn redirects_are_few_and_lead_nowhere_else() {
    let round = |_: &[String], s: &mut TcpStream| {
        let _ = s.write_all(text("302 Go", "Location: /secret-7351/c.ics\r\n", "").as_bytes());
    };
    fails(round, "redirects too often");
    let file = |_: &[String], s: &mut TcpStream| {
        let _ = s.write_all(text("302 Go", "Location: file:///etc/passwd\r\n", "").as_bytes());
    };
    let ran = read(&serve(file), PRIVATE);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(!ran.stdout.contains("root"), "{ran:?}");
}
