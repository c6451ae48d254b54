//! A process that writes the journal is killed again and again: nothing is lost, doubled or reordered.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use verger::engine::record::Record;
use verger::engine::records::{Read, Reader};
use verger::engine::rule_set::RuleSet;
use verger::engine::time::Instant;
use verger::store::{RuleFiles, Session, Store};

/// Where the killed process finds its journal.
const PLACE: &str = "VERGER_TEST_JOURNAL";

fn texts(folder: &str, ending: &str) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.filter(|path| path.to_string_lossy().ends_with(ending));
    named.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap())).collect()
}

fn days(rules: &RuleSet) -> BTreeMap<Instant, Vec<Record>> {
    let mut reader = Reader::new(rules);
    let mut all: BTreeMap<Instant, Vec<Record>> = BTreeMap::new();
    for text in texts("examples/days", ".jsonl").values() {
        for line in text.lines() {
            if let Read::Record(record) = reader.read_line(line.as_bytes()).unwrap() {
                all.entry(record.at).or_default().push(record);
            }
        }
    }
    all
}

/// Goes on where the journal ends, and says each row once it is on the disk.
fn go_on(path: &Path) {
    let mut session = Session::resume(Store::open(path).unwrap()).unwrap();
    let files = RuleFiles { rules: texts("rules", ".rule"), ..RuleFiles::default() };
    if session.rules().is_none() {
        session.load(Instant(0), &files).unwrap();
        println!("\nrow 1");
    }
    let head = session.store().head().unwrap().unwrap();
    let days = days(session.rules().unwrap());
    for (at, records) in days.range(Instant(head.at.0 + 1)..) {
        session.take(*at, &mut records.clone()).unwrap();
        println!("\nrow {}", session.store().head().unwrap().unwrap().seq);
    }
}

/// Also the process that the next test kills.
#[test]
fn a_writer_goes_on_where_the_journal_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os(PLACE).map_or_else(|| folder.path().join("journal.db"), PathBuf::from);
    go_on(&path);
    let store = Store::open(&path).unwrap();
    let first = store.verify().unwrap().unwrap();
    // Nothing is left to be taken in.
    go_on(&path);
    assert_eq!(store.verify().unwrap().unwrap(), first);
}

fn said(store: &Store) -> Vec<String> {
    let head = store.head().unwrap().unwrap().seq;
    let lines = (1..=head).flat_map(|seq| store.decisions(seq).unwrap());
    lines.map(|said| said.line).collect()
}

/// Runs the writer until it has said so many rows, and kills it; the last row that it said.
fn killed_after(path: &Path, rows: usize) -> i64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "journal::a_writer_goes_on_where_the_journal_ends", "--nocapture"])
        .env(PLACE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("row ")?.parse().ok());
    let last = said.take(rows).last();
    child.kill().unwrap();
    child.wait().unwrap();
    last.unwrap_or(0)
}

#[test]
fn a_killed_writer_loses_doubles_and_reorders_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    go_on(&whole);
    let path = folder.path().join("killed.db");
    for rows in [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 1, 1] {
        let last = killed_after(&path, rows);
        let store = Store::open(&path).unwrap();
        let head = store.head().unwrap().map_or(0, |head| head.seq);
        assert!(head >= last, "row {last} was said to be on the disk, the journal ends at {head}");
        store.verify().unwrap().unwrap();
    }
    go_on(&path);
    let (killed, whole) = (Store::open(&path).unwrap(), Store::open(&whole).unwrap());
    assert_eq!(killed.verify().unwrap(), whole.verify().unwrap());
    assert_eq!(said(&killed), said(&whole));
}
