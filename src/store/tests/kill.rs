//! A process that writes the journal is killed again and again: nothing is lost, doubled or reordered.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{days, lines, shipped};
use crate::engine::time::Instant;
use crate::store::{Session, Store};

/// Where the killed process finds its journal.
const PLACE: &str = "VERGER_TEST_JOURNAL";

/// Goes on where the journal ends, and says each row once it is on the disk.
fn go_on(path: &Path) {
    let mut session = Session::resume(Store::open(path).unwrap()).unwrap();
    if session.rules().is_none() {
        session.load(Instant(0), &shipped()).unwrap();
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

/// Runs the writer until it has said so many rows, and kills it; the last row that it said.
fn killed_after(path: &Path, rows: usize) -> i64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::kill::a_writer_goes_on_where_the_journal_ends", "--nocapture"])
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
    assert_eq!(lines(&killed), lines(&whole));
}
