//! A fresh database equals one that was brought up from any older version.

use rusqlite::Connection;

use crate::store::Store;
use crate::store::migrate::{APPLICATION_ID, MIGRATIONS};

/// Everything that the schema says, in an order that does not depend on how it came about.
fn dump(db: &Connection) -> Vec<String> {
    let sql = "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name";
    let mut query = db.prepare(sql).unwrap();
    query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_fresh_database_equals_an_upgraded_one() {
    let folder = tempfile::tempdir().unwrap();
    let fresh = Store::open(&folder.path().join("fresh.db")).unwrap();
    for version in 1..MIGRATIONS.len() {
        let path = folder.path().join(format!("{version}.db"));
        let old = Connection::open(&path).unwrap();
        old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        for text in &MIGRATIONS[..version] {
            old.execute_batch(text).unwrap();
        }
        old.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
        assert_ne!(dump(&old), dump(&fresh.db));
        drop(old);
        assert_eq!(dump(&Store::open(&path).unwrap().db), dump(&fresh.db), "from version {version}");
    }
}
