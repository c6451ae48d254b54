//! The real program through a scripted day, killed at every place where something reaches the disk.
//!
//! Only with the feature `faults`: then the program knows numbered places at which it kills itself, and a
//! clock that does not wait. `VERGER_ALL_KILLS=1` kills at every place; otherwise at a fixed sample of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

const BEGIN: &str = "2026-09-26T10:00:00Z";
const END: &str = "2026-09-26T18:30:00Z";
/// Kills of an ordinary run.
const SAMPLE: usize = 24;
/// Places that the whole day must have.
const PLACES_MIN: u64 = 200;

const RULES: &str = r#"
zone     home   = "America/Toronto"
quiet    nights = 23:00 to 07:00 in home
budget   few    = 3 per day in home
schedule brief  = daily at 07:30 in home, late until 11:00
schedule hourly = every 1h in home
signal   health.asleep   duration  nightly  fresh 20h  range 0min to 16h
signal   health.resting  bpm       sampled  fresh 1h   range 25bpm to 220bpm
stream   news.item { title text }

rule short  "Short night"
  when     health.asleep < 6h
  then     tell within few
  once per day
  say      "You slept {health.asleep}."

rule racing  "Racing heart"
  when     health.resting > 100bpm
  then     note
  say      "{health.resting}"

rule news  "News"
  on       news.item as n
  gather   at most 5 at hourly, oldest first
  then     tell
  expires  72h
  say      "News:" each "{n.title}"

rule morning  "Morning"
  on       brief
  gather   f in rules.fired since brief
  then     tell
  say      "Good morning." each "{f.title}" else "Nothing fired."
"#;

/// The day: minute after the beginning, and what is known from then on.
fn day() -> String {
    let mut lines = String::new();
    let mut say = |minute: i64, body: &str| {
        let at = chrono_at(minute);
        lines.push_str(&format!("{} {{\"at\":\"{at}\",{body}}}\n", BEGIN_MS + minute * 60_000));
    };
    for minute in (0..510).step_by(30) {
        let beats = if minute % 150 == 0 { 110 } else { 60 + minute % 7 };
        say(minute, &format!("\"signal\":\"health.resting\",\"value\":{beats}"));
    }
    say(50, "\"signal\":\"health.asleep\",\"value\":\"5h\"");
    for (number, minute) in [35, 100, 105, 160, 305, 400].into_iter().enumerate() {
        say(
            minute,
            &format!(
                "\"event\":\"news.item\",\"id\":\"n{number}\",\"fields\":{{\"title\":\"item {number}\"}}"
            ),
        );
    }
    lines
}

const BEGIN_MS: i64 = 1_790_416_800_000;

fn chrono_at(minute: i64) -> String {
    let (day, of_day) = ((minute + 600) / 1440, (minute + 600) % 1440);
    format!("2026-09-{:02}T{:02}:{:02}:00Z", 26 + day, of_day / 60, of_day % 60)
}

fn home() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("rules")).unwrap();
    write("rules/a.rule", RULES);
    write("day.txt", &day());
    // Prints what is known by now.
    write(
        "known.sh",
        "while read -r at line; do [ \"$at\" -le \"$VERGER_NOW\" ] && printf '%s\\n' \"$line\"; done < day.txt; true\n",
    );
    write(
        "connectors.toml",
        "[source.day]\nkind = \"command\"\ncommand = [\"sh\", \"known.sh\"]\nevery = \"30min\"\n",
    );
    folder
}

fn verger(home: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_verger"))
        .current_dir(home)
        .args(words)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// Where the clock of the next run begins: where the journal ends.
fn clock(home: &Path) -> String {
    let path = home.join("data/journal.db");
    let at = rusqlite::Connection::open(path)
        .and_then(|db| db.query_row("SELECT max(at) FROM journal", [], |row| row.get::<_, Option<i64>>(0)))
        .ok()
        .flatten();
    let minutes = at.map_or(0, |at| (at - BEGIN_MS) / 60_000);
    chrono_at(minutes)
}

/// What was shown, by run.
type Shown = Vec<(String, String)>;

/// Runs the watch from where the journal ends; what it showed, as (message, decision).
fn watch(home: &Path, kill_at: Option<u64>, count: &Path) -> (Shown, bool) {
    let begin = clock(home);
    let kill = kill_at.map(|at| at.to_string()).unwrap_or_default();
    let count = count.to_str().unwrap();
    let variables = [
        ("VERGER_CLOCK", begin.as_str()),
        ("VERGER_END", END),
        ("VERGER_KILL_AT", kill.as_str()),
        ("VERGER_KILL_COUNT", count),
    ];
    let out = verger(home, &["watch", "--json"], &variables);
    let text = String::from_utf8(out.stdout).unwrap();
    let shown = text.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        Some((line["message"].as_str()?.to_owned(), line["id"].as_str()?.to_owned()))
    });
    if kill_at.is_none() {
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    (shown.collect(), out.status.success())
}

/// Rule, occurrence and outcome of every line of the log.
fn decided(home: &Path) -> Vec<(String, String, String)> {
    let out = verger(home, &["log", "--json"], &[("VERGER_CLOCK", END)]);
    let text = String::from_utf8(out.stdout).unwrap();
    let line = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        // Episodes begin at the millisecond at which they were learnt: only their minute is the day's.
        let occurrence: String = text("occurrence").chars().take(16).collect();
        (text("rule"), occurrence, text("outcome"))
    };
    text.lines().map(line).collect()
}

fn places() -> (u64, Vec<(String, String, String)>) {
    let home = home();
    let count = home.path().join("count");
    watch(home.path(), None, &count);
    let places = std::fs::read_to_string(&count).unwrap().parse().unwrap();
    (places, decided(home.path()))
}

fn killed_at(number: u64, expected: &[(String, String, String)]) -> Result<(), String> {
    let home = home();
    let count = home.path().join("count");
    let (mut shown, ended) = watch(home.path(), Some(number), &count);
    if ended {
        return Err(format!("place {number} was never reached"));
    }
    shown.extend(watch(home.path(), None, &count).0);
    let verified = verger(home.path(), &["verify"], &[("VERGER_CLOCK", END)]);
    if !verified.status.success() {
        return Err(format!("place {number}: {}", String::from_utf8_lossy(&verified.stdout)));
    }
    let decided = decided(home.path());
    if decided != expected {
        return Err(format!("place {number}: {decided:#?}\nexpected {expected:#?}"));
    }
    let mut messages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (message, decision) in &shown {
        messages.entry(decision).or_default().insert(message);
    }
    let delivered = expected.iter().filter(|(.., outcome)| outcome == "delivered").count();
    if messages.len() != delivered || messages.values().any(|keys| keys.len() != 1) {
        return Err(format!("place {number}: {delivered} delivered, shown {messages:?}"));
    }
    Ok(())
}

#[test]
fn a_kill_at_any_place_changes_nothing_in_the_end() {
    let (places, expected) = places();
    assert!(places >= PLACES_MIN, "only {places} places");
    assert!(expected.iter().filter(|(.., outcome)| outcome == "delivered").count() > 8, "{expected:#?}");
    let all = std::env::var_os("VERGER_ALL_KILLS").is_some();
    let step = if all { 1 } else { usize::try_from(places).unwrap() / SAMPLE };
    let numbers: Vec<u64> = (1..=places).step_by(step.max(1)).collect();
    let failed: Vec<String> =
        numbers.iter().filter_map(|number| killed_at(*number, &expected).err()).collect();
    println!("{} of {places} places", numbers.len());
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), numbers.len(), failed[0]);
}

#[test]
fn a_second_watch_says_who_has_the_folder() {
    let home = home();
    let lock = home.path().join("data");
    std::fs::create_dir(&lock).unwrap();
    let file = std::fs::File::create(lock.join("lock")).unwrap();
    std::fs::write(lock.join("lock"), "`verger watch` (process 7)\n").unwrap();
    file.lock().unwrap();
    let out = verger(home.path(), &["watch"], &[("VERGER_CLOCK", BEGIN), ("VERGER_END", END)]);
    assert_eq!(out.status.code(), Some(2));
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("in use by `verger watch` (process 7)"), "{said}");
}
