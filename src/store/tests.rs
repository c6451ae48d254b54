//! The journal survives what happens to files and processes, and says what the engine said.

mod keep;
mod kill;
mod migrations;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::engine::record::Record;
use crate::engine::records::{Read, Reader};
use crate::engine::rule_set::RuleSet;
use crate::engine::time::Instant;

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The files of a folder that end so, sorted, as texts by name.
fn texts(folder: &str, ending: &str) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(project(folder)).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.filter(|path| path.to_string_lossy().ends_with(ending));
    named.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap())).collect()
}

fn shipped() -> RuleFiles {
    RuleFiles { rules: texts("rules", ".rule"), ..RuleFiles::default() }
}

/// The records of the example days, by instant.
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

const START: Instant = Instant(0);

fn open(folder: &tempfile::TempDir) -> Store {
    Store::open(&folder.path().join("journal.db")).unwrap()
}

/// A session under the shipped rules.
fn begun(folder: &tempfile::TempDir) -> Session {
    let mut session = Session::resume(open(folder)).unwrap();
    session.load(START, &shipped()).unwrap();
    session
}

fn take_all(session: &mut Session, days: &BTreeMap<Instant, Vec<Record>>) {
    for (at, records) in days {
        session.take(*at, &mut records.clone()).unwrap();
    }
}

/// The whole journal with a few days in it.
fn filled(folder: &tempfile::TempDir) -> Session {
    let mut session = begun(folder);
    let days = days(session.rules().unwrap());
    take_all(&mut session, &days);
    session
}

fn lines(store: &Store) -> Vec<String> {
    let mut query = store.db.prepare("SELECT line FROM decision ORDER BY seq, place").unwrap();
    query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn memory(session: &Session) -> serde_json::Value {
    serde_json::to_value(session.state().unwrap()).unwrap()
}

fn change(folder: &tempfile::TempDir, sql: &str) {
    let changed = open(folder).db.execute(sql, []).unwrap();
    assert_eq!(changed, 1, "{sql}");
}

#[test]
fn every_end_of_the_process_resumes_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let whole = filled(&folder);
    let days = days(whole.rules().unwrap());
    assert!(days.len() > 512, "more than two snapshots: {}", days.len());
    for every in [1, 7, 255, 256, 257] {
        let folder = tempfile::tempdir().unwrap();
        let mut session = begun(&folder);
        for (number, (at, records)) in days.iter().enumerate() {
            session.take(*at, &mut records.clone()).unwrap();
            // Reading all of a snapshot's rows again each time would take a while.
            if number % every == 0 && (every > 1 || number < 60) {
                session = Session::resume(open(&folder)).unwrap();
            }
        }
        session = Session::resume(open(&folder)).unwrap();
        assert_eq!(lines(session.store()), lines(whole.store()), "{every}");
        assert_eq!(memory(&session), memory(&whole), "{every}");
    }
}

#[test]
fn all_is_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    let session = filled(&folder);
    let verified = session.store().verify().unwrap().unwrap();
    assert_eq!(verified.decisions, lines(session.store()).len() as u64);
    assert!(verified.rows > 512 && verified.decisions > 30, "{verified:?}");
    let sent: i64 =
        session.store().db.query_row("SELECT count(*) FROM outbox", [], |row| row.get(0)).unwrap();
    assert!(sent > 10, "{sent}");
}

#[test]
fn every_edit_shows() {
    let chain = |seq| Difference::Chain { seq };
    let folder = tempfile::tempdir().unwrap();
    let whole = filled(&folder);
    for (sql, difference) in [
        ("UPDATE journal SET body = replace(body, '1', '2') WHERE seq = 9", Some(chain(9))),
        ("UPDATE journal SET at = at + 1 WHERE seq = 9", Some(chain(9))),
        ("UPDATE journal SET kind = 'rules' WHERE seq = 9", Some(chain(9))),
        ("UPDATE journal SET digest = zeroblob(32) WHERE seq = 9", Some(chain(9))),
        ("UPDATE journal SET hash = zeroblob(32) WHERE seq = 9", Some(chain(9))),
        ("DELETE FROM journal WHERE seq = 9", Some(Difference::Hole { expected: 9, found: 10 })),
        ("UPDATE decision SET line = 'x' WHERE (seq, place) = (SELECT min(seq), 0 FROM decision)", None),
        ("UPDATE decision SET id = 'x' WHERE (seq, place) = (SELECT min(seq), 0 FROM decision)", None),
        ("DELETE FROM decision WHERE (seq, place) = (SELECT min(seq), 0 FROM decision)", None),
        ("UPDATE trace SET events = '{}' WHERE seq = (SELECT min(seq) FROM trace)", None),
        ("DELETE FROM trace WHERE seq = (SELECT min(seq) FROM trace)", None),
    ] {
        let copy = folder.path().join("edited.db");
        whole.store().backup(&copy).unwrap();
        let store = Store::open(&copy).unwrap();
        assert!(store.verify().unwrap().is_ok());
        store.db.pragma_update(None, "foreign_keys", false).unwrap();
        assert_eq!(store.db.execute(sql, []).unwrap(), 1, "{sql}");
        let found = store.verify().unwrap().unwrap_err();
        drop(store);
        std::fs::remove_file(&copy).unwrap();
        match difference {
            Some(difference) => assert_eq!(found, difference, "{sql}"),
            None => {
                let said = matches!(found, Difference::Decision { .. } | Difference::Trace { .. });
                assert!(said, "{sql}: {found:?}");
            }
        }
    }
}

#[test]
fn a_full_disk_takes_nothing_in_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = begun(&folder);
    let days = days(session.rules().unwrap());
    let pages: i64 = session.store().db.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let _: i64 = session
        .store()
        .db
        .query_row(&format!("PRAGMA max_page_count = {}", pages + 8), [], |row| row.get(0))
        .unwrap();
    let mut taken = 1;
    let refused = days.iter().find_map(|(at, records)| {
        let error = session.take(*at, &mut records.clone()).map(|_| ()).err();
        taken += i64::from(error.is_none());
        error
    });
    let full = refused.expect("the disk has an end");
    assert!(matches!(&full, StoreError::Database(error) if error.to_string().contains("full")), "{full}");
    let later = Instant(i64::MAX / 2);
    assert!(matches!(session.take(later, &mut []), Err(StoreError::Broken)));
    assert!(matches!(session.load(later, &shipped()), Err(StoreError::Broken)));
    let session = Session::resume(open(&folder)).unwrap();
    assert_eq!(rows::head(&session.store().db).unwrap().unwrap().seq, taken);
    assert_eq!(session.store().verify().unwrap().unwrap().rows, u64::try_from(taken).unwrap());
}

#[test]
fn another_set_in_force_is_part_of_the_past() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = begun(&folder);
    let days = days(session.rules().unwrap());
    let middle = *days.keys().nth(days.len() / 2).unwrap();
    let mut fewer = shipped();
    fewer.rules.retain(|path, _| !path.ends_with("news.rule"));
    let first = session.rules().unwrap().hash.clone();
    for (at, records) in &days {
        if *at == middle {
            session.load(*at, &fewer).unwrap();
            // The same once more is no input.
            session.load(*at, &fewer).unwrap();
        }
        let known: Vec<Record> = records.clone();
        session.take(*at, &mut known.clone()).map(|_| ()).unwrap();
    }
    assert_ne!(session.rules().unwrap().hash, first);
    let sets: i64 = session
        .store()
        .db
        .query_row("SELECT count(*) FROM journal WHERE kind = 'rules'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sets, 2);
    assert!(session.store().verify().unwrap().is_ok());
    let resumed = Session::resume(open(&folder)).unwrap();
    assert_eq!(memory(&resumed), memory(&session));
}

#[test]
fn what_cannot_be_taken_in_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::resume(open(&folder)).unwrap();
    assert!(matches!(session.take(START, &mut []), Err(StoreError::NoRules)));
    let broken = RuleFiles {
        rules: BTreeMap::from([("a.rule".to_owned(), "rule r\n  then tell\n".to_owned())]),
        ..RuleFiles::default()
    };
    assert!(matches!(session.load(START, &broken), Err(StoreError::Rules(_))));
    session.load(Instant(1000), &shipped()).unwrap();
    session.take(Instant(2000), &mut []).unwrap();
    assert!(matches!(session.take(Instant(1999), &mut []), Err(StoreError::Past { at: 1999, head: 2000 })));
    let mut fewer = shipped();
    fewer.rules.retain(|path, _| !path.ends_with("news.rule"));
    assert!(matches!(session.load(Instant(1999), &fewer), Err(StoreError::Past { .. })));
    session.take(Instant(2000), &mut []).unwrap();
    assert_eq!(session.store().verify().unwrap().unwrap().rows, 3);
}

#[test]
fn a_copy_holds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let session = filled(&folder);
    let copy = folder.path().join("copy.db");
    session.store().backup(&copy).unwrap();
    assert!(matches!(session.store().backup(&copy), Err(StoreError::File(_))));
    let copied = Session::resume(Store::open(&copy).unwrap()).unwrap();
    assert_eq!(copied.store().verify().unwrap(), session.store().verify().unwrap());
    assert_eq!(memory(&copied), memory(&session));
    #[cfg(unix)]
    for file in ["journal.db", "copy.db"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn a_copy_takes_the_place_and_the_old_one_stays_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, copy) = (folder.path().join("journal.db"), folder.path().join("copy.db"));
    let mut session = begun(&folder);
    let days = days(session.rules().unwrap());
    take_all(&mut session, &days.iter().take(20).map(|(at, records)| (*at, records.clone())).collect());
    session.store().backup(&copy).unwrap();
    take_all(
        &mut session,
        &days.iter().skip(20).take(20).map(|(at, records)| (*at, records.clone())).collect(),
    );
    drop(session);
    let kept = crate::store::restore(&copy, &journal).unwrap().unwrap();
    let rows = |path: &Path| Store::open(path).unwrap().verify().unwrap().unwrap().rows;
    assert_eq!((rows(&journal), rows(&kept)), (21, 41));
    // Again, and of a journal that is damaged: also that stays.
    std::fs::write(&journal, "no database at all, but longer than a hundred bytes".repeat(9)).unwrap();
    let second = crate::store::restore(&copy, &journal).unwrap().unwrap();
    assert_ne!(second, kept);
    assert_eq!(rows(&journal), 21);
    assert!(crate::store::restore(&folder.path().join("none.db"), &journal).is_err());
    assert_eq!(rows(&journal), 21);
}

#[test]
fn files_that_are_no_journal_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    std::fs::write(&path, "not a database, but longer than a hundred bytes: ".repeat(50)).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Database(_))));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(matches!(Store::open(folder.path()), Err(StoreError::NotAFile)));
    assert!(matches!(Store::open(&folder.path().join("no/x.db")), Err(StoreError::File(_))));

    let other = folder.path().join("other.db");
    let db = rusqlite::Connection::open(&other).unwrap();
    db.execute_batch("CREATE TABLE mine (x); PRAGMA user_version = 1").unwrap();
    assert!(matches!(Store::open(&other), Err(StoreError::Foreign(0))));

    drop(open(&folder));
    change_version(&folder, 99);
    let newer = Store::open(&folder.path().join("journal.db"));
    assert!(matches!(newer, Err(StoreError::Newer { found: 99, .. })));
}

fn change_version(folder: &tempfile::TempDir, version: i64) {
    open(folder).db.pragma_update(None, "user_version", version).unwrap();
}

#[test]
fn a_lost_rule_set_or_snapshot_is_named() {
    let folder = tempfile::tempdir().unwrap();
    drop(filled(&folder));
    change(&folder, "UPDATE snapshot SET state = '{' WHERE seq = (SELECT max(seq) FROM snapshot)");
    assert!(matches!(Session::resume(open(&folder)), Err(StoreError::Damaged { .. })));
    // The journal alone is enough.
    change(&folder, "DELETE FROM snapshot WHERE seq = (SELECT max(seq) FROM snapshot)");
    Session::resume(open(&folder)).unwrap();
    change(&folder, "DELETE FROM rule_set");
    let lost = Session::resume(open(&folder)).unwrap_err();
    assert_eq!(
        lost.to_string().split('`').next(),
        Some("row 256 of the journal is damaged: the texts of rule set ")
    );
}

/// What is left of a damaged file: an error, a difference, or all that was said.
fn left_of(path: &Path) -> Result<Vec<String>, String> {
    let store = Store::open(path).map_err(|error| error.to_string())?;
    match store.verify().map_err(|error| error.to_string())? {
        Ok(_) => Ok(lines(&store)),
        Err(difference) => Err(format!("{difference:?}")),
    }
}

#[test]
fn a_damaged_file_never_says_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = begun(&folder);
    let days = days(session.rules().unwrap());
    take_all(&mut session, &days.into_iter().take(120).collect());
    let whole = folder.path().join("whole.db");
    session.store().backup(&whole).unwrap();
    let (bytes, said) = (std::fs::read(&whole).unwrap(), left_of(&whole).unwrap());
    let path = folder.path().join("damaged.db");
    let (mut noise, mut told) = (0x2545_f491_4f6c_dd1d_u64, 0);
    for round in 0..80 {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        let mut damaged = bytes.clone();
        let place = usize::try_from(noise % bytes.len() as u64).unwrap();
        if round % 4 == 0 {
            damaged.truncate(place);
        } else {
            damaged[place] ^= 1 << (noise >> 32 & 7);
        }
        // Whatever an earlier round left beside it belongs to another file.
        for beside in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{beside}", path.display()));
        }
        std::fs::write(&path, damaged).unwrap();
        match left_of(&path) {
            Ok(lines) => {
                assert!(lines == said || (round % 4 == 0 && place == 0), "round {round}, byte {place}")
            }
            Err(_) => told += 1,
        }
    }
    assert!(told > 40, "{told}");
}
