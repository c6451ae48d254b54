//! The watch as a person or a service manager starts it: the real program, real files, a real journal.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::support::{Ran, program, verger_in};

/// What no step of a test may take longer than, on whatever machine.
const LONGEST: Duration = Duration::from_secs(60);

const RULES: &str = r#"
zone     home   = "UTC"
signal   health.asleep  duration  nightly  fresh 20h  range 0min to 16h
stream   desk.note { title text }

rule short  "Short night"
  when     health.asleep < 6h
  then     tell
  once per day
  say      "You slept {health.asleep}."

rule noted  "A note"
  on       desk.note as n
  then     note
  say      "{n.title}"
"#;

/// A working folder with a source that others append to.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for folder in ["rules", "in"] {
        fs::create_dir(home.path().join(folder)).unwrap();
    }
    fs::write(home.path().join("rules/a.rule"), RULES).unwrap();
    fs::write(home.path().join("connectors.toml"), "[source.days]\nkind = \"jsonl\"\npath = \"in\"\n")
        .unwrap();
    home
}

/// A watch that was started.
struct Watch {
    child: Child,
    lines: Receiver<String>,
    notices: UnixDatagram,
}

impl Watch {
    /// Starts it, and waits until it says that it is ready.
    fn start(home: &Path) -> Self {
        Self::start_with(home, |_| {})
    }

    fn start_with(home: &Path, change: impl FnOnce(&mut Command)) -> Self {
        let socket = home.join("notify");
        let _ = fs::remove_file(&socket);
        let notices = UnixDatagram::bind(&socket).unwrap();
        notices.set_read_timeout(Some(LONGEST)).unwrap();
        let mut command = program(home);
        command.args(["watch", "--json"]).env("NOTIFY_SOCKET", &socket);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        change(&mut command);
        let mut child = command.spawn().unwrap();
        let (said, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        // Ends with the program.
        thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| said.send(line)));
        let mut watch = Self { child, lines, notices };
        watch.wait_for("READY=1");
        watch
    }

    /// Waits for a notice of the service's protocol.
    fn wait_for(&mut self, notice: &str) {
        let mut bytes = [0; 256];
        loop {
            let count = self.notices.recv(&mut bytes).expect("a notice");
            if String::from_utf8_lossy(&bytes[..count]).lines().any(|line| line == notice) {
                return;
            }
        }
    }

    /// Asks again and again until something is so.
    fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < LONGEST, "{what} takes too long");
        }
    }

    /// The next decision that is shown: its text.
    fn shown(&mut self) -> String {
        let line = self.lines.recv_timeout(LONGEST).expect("a message");
        let line: serde_json::Value = serde_json::from_str(&line).expect("a decision");
        line["text"].as_str().unwrap().to_owned()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    fn end(mut self) {
        self.signal("TERM");
        self.wait_for("STOPPING=1");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // Of a test that failed: nothing may go on running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(home: &Path, body: &str) {
    // Times of this minute: what is old would be out of date before it is read.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let at = chrono::DateTime::from_timestamp(i64::try_from(now).unwrap(), 0).unwrap().to_rfc3339();
    let path = home.join("in/a.jsonl");
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(file, "{{\"at\":\"{at}\",{body}}}").unwrap();
}

fn note(home: &Path, id: &str) {
    append(home, &format!("\"event\":\"desk.note\",\"id\":\"{id}\",\"fields\":{{\"title\":\"note {id}\"}}"));
}

fn prove(home: &Path) {
    let verified = verger_in(home, &["verify"], "");
    assert!(verified.code == 0 && verified.stdout.starts_with("equal: "), "{verified:?}");
    assert_eq!(verger_in(home, &["export", "past"], "").code, 0);
    let log = verger_in(home, &["log", "--json"], "");
    assert_eq!(verger_in(home, &["dry-run", "past", "--json"], "").stdout, log.stdout);
}

#[test]
fn a_watch_says_that_it_is_ready_and_ends_in_order() {
    let home = home();
    let watch = Watch::start(home.path());
    let Ran { code, stderr, .. } = verger_in(home.path(), &["watch"], "");
    assert_eq!(code, 2);
    let said = format!("in use by `verger watch` (process {})", watch.child.id());
    assert!(stderr.contains(&said), "{stderr}");
    let status = verger_in(home.path(), &["status", "--json"], "").stdout;
    assert!(status.contains("\"alive\":true"), "{status}");
    watch.end();
    let status = verger_in(home.path(), &["status", "--json"], "").stdout;
    assert!(status.contains("\"alive\":false"), "{status}");
}

#[test]
fn what_a_source_gives_is_shown_and_a_kill_changes_nothing() {
    let home = home();
    let mut watch = Watch::start(home.path());
    append(home.path(), "\"signal\":\"health.asleep\",\"value\":\"5h\"");
    let mut before = watch.shown();
    assert_eq!(before, "You slept 5h.");
    for number in 0..5 {
        watch.kill();
        note(home.path(), &number.to_string());
        watch = Watch::start(home.path());
        let mut text = watch.shown();
        // What was shown just before the kill may be shown once more, under the same key.
        while text == before {
            text = watch.shown();
        }
        assert_eq!(text, format!("note {number}"));
        before = text;
    }
    watch.kill();
    prove(home.path());
    let log = verger_in(home.path(), &["log", "--json"], "").stdout;
    assert_eq!(log.lines().count(), 6, "{log}");
}

#[test]
fn rules_are_read_again_when_they_change_and_a_broken_file_changes_nothing() {
    let home = home();
    let mut watch = Watch::start(home.path());
    let rules = home.path().join("rules/a.rule");
    fs::write(&rules, "rule broken").unwrap();
    watch.signal("HUP");
    note(home.path(), "1");
    assert_eq!(watch.shown(), "note 1");
    fs::write(&rules, RULES.replace("{n.title}", "new: {n.title}")).unwrap();
    watch.until("the new set", || sets(home.path()) == 2);
    note(home.path(), "2");
    assert_eq!(watch.shown(), "new: note 2");
    watch.end();
    assert_eq!(verger_in(home.path(), &["verify"], "").code, 0);
}

/// How many rule sets the journal has seen.
fn sets(home: &Path) -> i64 {
    let db = rusqlite::Connection::open(home.join("data/journal.db")).unwrap();
    db.query_row("SELECT count(*) FROM rule_set", [], |row| row.get(0)).unwrap()
}

#[test]
fn commands_reach_a_watch_that_is_running() {
    let home = home();
    let mut watch = Watch::start(home.path());
    note(home.path(), "1");
    assert_eq!(watch.shown(), "note 1");
    let log = verger_in(home.path(), &["log", "--json"], "").stdout;
    let line: serde_json::Value = serde_json::from_str(log.trim()).unwrap();
    let id = line["id"].as_str().unwrap();
    let rated = verger_in(home.path(), &["rate", id, "useful"], "");
    assert_eq!((rated.code, rated.stderr.as_str()), (0, ""));
    watch.until("the record", || {
        verger_in(home.path(), &["status", "--json"], "").stdout.contains("\"inbox\":0")
    });
    let report = verger_in(home.path(), &["report", "--json"], "").stdout;
    assert!(report.contains("\"useful\":1"), "{report}");
    let why = verger_in(home.path(), &["why", "noted"], "");
    assert!(why.stdout.contains("delivered at"), "{why:?}");
    let trace = verger_in(home.path(), &["trace", id], "");
    assert!(trace.stdout.contains("level           passed"), "{trace:?}");
    watch.end();
    prove(home.path());
}

/// A port that is free right now.
fn port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn posted(port: u16, token: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(LONGEST)).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn what_is_posted_with_the_token_is_read_and_nothing_else() {
    let home = home();
    let port = port();
    let toml = format!(
        "[source.phone]\nkind = \"health-auto-export\"\nlisten = \"127.0.0.1:{port}\"\ntoken = \"env:PHONE_TOKEN\"\n"
    );
    fs::write(home.path().join("connectors.toml"), toml).unwrap();
    let mut watch = Watch::start_with(home.path(), |command| {
        command.env("PHONE_TOKEN", "hunter2");
    });
    let today = chrono::DateTime::from_timestamp(
        i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap(),
        0,
    )
    .unwrap();
    let stamp = |hours: i64| (today - chrono::TimeDelta::hours(hours)).format("%Y-%m-%d %H:%M:%S +0000");
    let body = format!(
        r#"{{"data":{{"metrics":[{{"name":"sleep_analysis","units":"hr","data":[{{"startDate":"{}","endDate":"{}","value":"Core","qty":4}}]}}]}}}}"#,
        stamp(5),
        stamp(1)
    );
    assert!(posted(port, "wrong", &body).contains("401"));
    assert!(posted(port, "", &body).contains("401"));
    assert!(posted(port, "hunter2", &body).contains("200"));
    assert_eq!(watch.shown(), "You slept 4h.");
    watch.end();
    let received = home.path().join("data/received/phone");
    let left = fs::read_dir(received).unwrap().count();
    assert_eq!(left, 0, "what is in the journal is not kept twice");
    let journal = fs::read(home.path().join("data/journal.db")).unwrap();
    assert!(!journal.windows(7).any(|bytes| bytes == b"hunter2"));
}

#[test]
fn the_done_of_a_newcomer() {
    let home = tempfile::tempdir().unwrap();
    let made =
        verger_in(home.path(), &["init", "--zone", "America/Toronto", "--health", "in", "--no-input"], "");
    assert_eq!(made.code, 0, "{made:?}");
    let doctor = verger_in(home.path(), &["doctor"], "");
    assert!(doctor.code == 1 && doctor.stdout.contains("which is not there yet"), "{doctor:?}");
    fs::create_dir(home.path().join("in")).unwrap();
    assert_eq!(verger_in(home.path(), &["doctor"], "").code, 0);
    assert_eq!(verger_in(home.path(), &["lint"], "").code, 0);
    let shown = verger_in(home.path(), &["service", "install", "--print", "--manager", "systemd"], "");
    let data = home.path().canonicalize().unwrap().join("data");
    assert!(shown.stdout.contains(&format!("ReadWritePaths=\"{}\"", data.display())), "{shown:?}");
    let shown = verger_in(home.path(), &["service", "install", "--print", "--manager", "launchd"], "");
    assert!(shown.stdout.contains(&format!("<string>{}</string>", data.display())), "{shown:?}");
}
