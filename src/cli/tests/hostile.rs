//! Hostile texts over all outputs: nothing that a program prints may drive or deceive a terminal.

use std::fs;
use std::path::Path;

use super::{folder, ran};
use crate::render::terminal::shown_lines;

/// What a terminal obeys, what reorders a line, what does not show.
const HOSTILE: &[(&str, &str)] = &[
    ("colour", "\u{1b}[31m"),
    ("title", "\u{1b}]0;owned\u{7}"),
    ("one-byte control sequence", "\u{9b}31m"),
    ("carriage return", "x\ry"),
    ("vertical tab", "x\u{b}y"),
    ("next line", "x\u{85}y"),
    ("line separator", "x\u{2028}y"),
    ("paragraph separator", "x\u{2029}y"),
    ("delete", "x\u{7f}y"),
    ("right to left override", "x\u{202E}y"),
    ("isolate", "x\u{2066}y"),
    ("no width", "x\u{200B}y"),
    ("byte order mark", "x\u{FEFF}y"),
    ("tag", "x\u{E0041}y"),
];

const RULES: &str = r#"
zone home = "America/Toronto"
signal a.x bpm sampled fresh 24h range 0bpm to 100bpm
stream c.e { title text, start instant, end instant } timed start to end
rule r "R"
  on c.e as e
  when e.title has "x" or a.x > 5bpm
  then note
  once per day
  say "seen {e.title}"
rule s "S"
  when some e in c.e today where e.title has "nothing"
  then note
  once per day
  say "seen {e.title}"
test r "fails"
  given a.x 6bpm at 2026-09-26 07:00
  expect 2026-09-26 08:00 r note delivered says "no"
"#;

/// JSON text of a string.
fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn days(text: &str) -> String {
    let id = json(&format!("id {}", text.replace(char::is_control, "")));
    let text = json(text);
    let at = r#""at":"2026-09-26T07:00:00-04:00""#;
    [
        format!(
            r#"{{{at},"event":"c.e","id":{id},"fields":{{"title":{text},"start":"2026-09-26T07:00:00-04:00","end":"2026-09-26T08:00:00-04:00"}}}}"#
        ),
        format!(r#"{{{at},"signal":{text},"value":1}}"#),
        format!(r#"{{{at},"missed":{text}}}"#),
        format!(r#"{{{at},"snooze":{text},"until":"2027-01-01T00:00:00Z"}}"#),
        format!(r#"{{{at},"seen":{text}}}"#),
        format!(r#"{{{at},"signal":"a.x","value":600}}"#),
        r#"{"at":"2026-09-26T07:30:00-04:00","tick":true}"#.to_owned(),
    ]
    .join("\n")
}

/// A folder with a sound set, broken ones, days and exports, all with the text inside and in their names.
fn hostile(text: &str) -> tempfile::TempDir {
    let name = |before: &str, end: &str| format!("{before}{text}{end}");
    let broken = format!("rule r{text}\n  say \"{text}\"\n  wehn {text}\n");
    let bad = format!("{}\n{{\"at\":{}}}\n{text}\n", days(text), json(text));
    let unfit = "list l = \"a\"\n";
    folder(&[
        ("sound/a.rule", RULES.as_bytes()),
        (&name("broken/a", ".rule"), broken.as_bytes()),
        (&name("twice/a", ".rule"), b"list l = \"a\"\n"),
        (&name("twice/b", ".rule"), b"list l = \"b\"\n"),
        (&name("unfit/a", ".rule"), unfit.as_bytes()),
        (&name("days/d", ".jsonl"), days(text).as_bytes()),
        (&name("bad/d", ".jsonl"), bad.as_bytes()),
        (
            &name("h", ".json"),
            format!(
                r#"{{"data":{{"metrics":[{{"name":"heart_rate_variability","units":"ms","data":[{{"qty":4,"date":{}}}]}}]}}}}"#,
                json(text)
            )
            .as_bytes(),
        ),
        (
            &name("c", ".ics"),
            format!(
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:{text}\r\nDTSTAMP:20260101T000000Z\r\n\
                 DTSTART:20260105T090000Z\r\nDURATION:PT1H\r\nSUMMARY:{text}\r\nRRULE:FREQ=SECONDLY\r\n\
                 END:VEVENT\r\nEND:VCALENDAR\r\n"
            )
            .as_bytes(),
        ),
    ])
}

/// Command lines; `SOUND`, `DAYS` and so on are the parts of the folder, `TEXT` the text itself.
const COMMANDS: &[&[&str]] = &[
    &["dry-run", "DAYS", "--rules", "SOUND"],
    &["dry-run", "DAYS", "--rules", "SOUND", "--json"],
    &["dry-run", "BAD", "--rules", "SOUND"],
    &["dry-run", "BAD", "--rules", "SOUND", "--skip-bad"],
    &["dry-run", "DAYS", "--rules", "BROKEN"],
    &["dry-run", "DAYS", "--rules", "SOUND", "--rule", "TEXT"],
    &["dry-run", "DAYS", "--rules", "SOUND", "--from", "TEXT"],
    &["dry-run", "TEXT", "--rules", "SOUND"],
    &["why", "r", "--at", "2026-09-26T07:10:00-04:00", "DAYS", "--rules", "SOUND"],
    &["why", "r", "--at", "2026-09-26T07:10:00-04:00", "DAYS", "--rules", "SOUND", "--json"],
    &["why", "s", "--at", "2026-09-26T07:10:00-04:00", "DAYS", "--rules", "SOUND"],
    &["why", "s", "--at", "2026-09-26T07:10:00-04:00", "DAYS", "--rules", "SOUND", "--json"],
    &["why", "s", "--at", "TEXT", "DAYS", "--rules", "SOUND"],
    &["lint", "BROKEN"],
    &["lint", "BROKEN", "--format", "json"],
    &["lint", "BROKEN", "--format", "github"],
    &["lint", "BROKEN", "--format", "sarif"],
    &["lint", "TWICE"],
    &["lint", "TWICE", "--format", "json"],
    &["lint", "TWICE", "--format", "github"],
    &["lint", "TEXT"],
    &["lint", "--explain", "TEXT"],
    &["fmt", "--check", "UNFIT"],
    &["fmt", "UNFIT"],
    &["fmt", "BROKEN"],
    &["test", "SOUND"],
    &["test", "BROKEN"],
    &["explain", "TEXT", "--rules", "SOUND"],
    &["explain", "r", "--rules", "SOUND"],
    &["schedule", "--rules", "TEXT"],
    &["import", "health-auto-export", "HEALTH", "-o", "OUT"],
    &["import", "ics", "CALENDAR", "--from", "2026-01-01", "--to", "2026-02-01", "-o", "OUT"],
    &[
        "import",
        "ics",
        "CALENDAR",
        "--from",
        "2026-01-01",
        "--to",
        "2026-02-01",
        "-o",
        "OUT",
        "--zone",
        "TEXT",
    ],
    &["TEXT"],
    &["completions", "TEXT"],
];

fn word(folder: &Path, text: &str, word: &str) -> String {
    let below = |name: String| folder.join(name).display().to_string();
    match word {
        "TEXT" => text.to_owned(),
        "HEALTH" => below(format!("h{text}.json")),
        "CALENDAR" => below(format!("c{text}.ics")),
        "OUT" => below(format!("out{text}")),
        part if part.chars().all(char::is_uppercase) => below(part.to_lowercase()),
        _ => word.to_owned(),
    }
}

#[test]
fn hostile_texts_over_all_outputs() {
    let mut commands = 0;
    for (what, text) in HOSTILE {
        let folder = hostile(text);
        for command in COMMANDS {
            let words: Vec<String> = command.iter().map(|part| word(folder.path(), text, part)).collect();
            let (_, out, err) = ran(&words.iter().map(String::as_str).collect::<Vec<_>>());
            for (stream, got) in [("out", out), ("err", err)] {
                assert_eq!(shown_lines(&got), got, "{what}: {command:?} writes it raw to {stream}");
            }
            commands += 1;
        }
    }
    assert_eq!(commands, HOSTILE.len() * COMMANDS.len());
}

/// The table above proves nothing if the commands do not come to print the text.
#[test]
fn the_hostile_texts_come_to_be_printed() {
    let folder = hostile("x\u{202E}y");
    let said = |command: &[&str]| {
        let words: Vec<String> = command.iter().map(|part| word(folder.path(), "x\u{202E}y", part)).collect();
        let (_, out, err) = ran(&words.iter().map(String::as_str).collect::<Vec<_>>());
        format!("{out}{err}")
    };
    let silent: Vec<_> = COMMANDS.iter().filter(|command| !said(command).contains("202E")).collect();
    let expected: [&[&str]; 2] = [&["test", "SOUND"], &["explain", "r", "--rules", "SOUND"]];
    assert_eq!(silent, expected.each_ref());
}

#[test]
fn bad_lines_come_one_a_line() {
    let folder = folder(&[("rules/a.rule", RULES.as_bytes()), ("d.jsonl", b"x\n{}\n")]);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (code, _, err) = ran(&["dry-run", &at("d.jsonl"), "--rules", &at("rules")]);
    assert_eq!((code, err.lines().count()), (2, 2), "{err}");
    assert!(err.lines().all(|line| line.starts_with("error: ")), "{err}");
}

#[cfg(unix)]
#[test]
fn formatting_keeps_modes_and_links_and_follows_nothing_planted() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let text = "list l =   \"a\"\n";
    let folder =
        folder(&[("rules/a.rule", text.as_bytes()), ("kept/b.rule", text.as_bytes()), ("victim", b"victim")]);
    let at = |name: &str| folder.path().join(name);
    fs::set_permissions(at("rules/a.rule"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("../victim", at("rules/a.rule.new")).unwrap();
    symlink("../kept/b.rule", at("rules/b.rule")).unwrap();
    let (code, _, err) = ran(&["fmt", &at("rules").display().to_string()]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(fs::read_to_string(at("victim")).unwrap(), "victim");
    assert_eq!(fs::metadata(at("rules/a.rule")).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(at("rules/b.rule")).unwrap().is_symlink());
    for name in ["rules/a.rule", "kept/b.rule"] {
        assert_eq!(fs::read_to_string(at(name)).unwrap(), "list     l = \"a\"\n", "{name}");
    }
    let names = fs::read_dir(at("rules")).unwrap().count();
    assert_eq!(names, 3, "nothing is left behind");
}

#[cfg(unix)]
#[test]
fn a_replaced_file_never_is_written_through_a_link() {
    let folder = folder(&[("victim", b"victim")]);
    let link = folder.path().join("day");
    std::os::unix::fs::symlink("victim", &link).unwrap();
    crate::cli::files::replace(&link, b"new").unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("victim")).unwrap(), "victim");
    assert_eq!(fs::read_to_string(&link).unwrap(), "new");
    crate::cli::files::replace(&folder.path().join("other"), b"other").unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("other")).unwrap(), "other");
    assert!(crate::cli::files::replace(&folder.path().join("no/other"), b"").is_err());
}
