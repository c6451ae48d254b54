//! What grows old, what is forgotten on the owner's word, and what the rest still proves.

use super::*;
use crate::engine::state::State;
use crate::engine::step::{Event, step};
use crate::store::{Beside, Forgotten, GivenRow, SourceUpdate};

fn text_of(store: &Store) -> String {
    let sql = "SELECT group_concat(coalesce(body, '') || coalesce(line, ''), x'0a')
               FROM journal LEFT JOIN decision USING (seq)";
    store.db.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn what_is_older_than_the_history_is_emptied_and_the_rest_still_proved() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = filled(&folder);
    let (whole, said) = (session.store().verify().unwrap().unwrap(), lines(session.store()));
    let end = session.state().unwrap().clock;
    let history = i64::from(session.rules().unwrap().history_days) * 86_400_000;
    assert_eq!(session.retain(end).unwrap(), 0, "nothing is old yet");
    let emptied = session.retain(Instant(end.0 + history - 86_400_000)).unwrap();
    assert!(emptied >= 255, "{emptied}");
    let left = session.store().verify().unwrap().unwrap();
    assert_eq!((left.rows, left.old_rows), (whole.rows, emptied as u64 + 1));
    assert!(left.decisions > 0 && left.decisions < whole.decisions, "{left:?}");
    assert!(said.ends_with(&lines(session.store())));
    let before = memory(&session);
    let resumed = Session::resume(open(&folder)).unwrap();
    assert_eq!(memory(&resumed), before);
    change(&folder, "UPDATE journal SET hash = zeroblob(32) WHERE seq = 9");
    assert_eq!(resumed.store().verify().unwrap().unwrap_err(), Difference::Chain { seq: 9 });
}

#[test]
fn what_is_forgotten_is_nowhere_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = filled(&folder);
    let days = days(session.rules().unwrap());
    let middle = *days.keys().nth(days.len() / 2).unwrap();
    let hrv = |store: &Store| text_of(store).matches("\"signal\":\"health.hrv\"").count();
    let (all, rows) = (hrv(session.store()), session.store().verify().unwrap().unwrap().rows);
    let count = session.forget(&Forgotten::Facts("health.hrv".to_owned()), middle).unwrap();
    assert!(count.records > 5, "{count:?}");
    assert_eq!(hrv(session.store()), all - count.records);
    let verified = session.store().verify().unwrap().unwrap();
    assert_eq!((verified.rows, verified.old_rows), (rows, rows));
    // What comes now is proved again, and so is the same after another start.
    let later = Instant(session.state().unwrap().clock.0 + 3_600_000);
    session.take(later, &mut []).unwrap();
    let resumed = Session::resume(open(&folder)).unwrap();
    assert_eq!(memory(&resumed), memory(&session));
    assert_eq!(resumed.store().verify().unwrap().unwrap().old_rows, rows);

    let slept = |store: &Store| lines(store).iter().filter(|line| line.contains("You slept")).count();
    let before = slept(session.store());
    let count = session.forget(&Forgotten::Rule("short-sleep".to_owned()), later).unwrap();
    assert!(count.lines > 0 && count.records == 0, "{count:?}");
    assert!(slept(session.store()) < before);
    assert_eq!(session.forget(&Forgotten::Rule("short-sleep".to_owned()), later).unwrap().lines, 0);
}

#[test]
fn a_short_journal_can_forget_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = begun(&folder);
    let days = days(session.rules().unwrap());
    take_all(&mut session, &days.into_iter().take(60).collect());
    let later = Instant(session.state().unwrap().clock.0 + 1);
    assert!(session.forget(&Forgotten::Facts("health.asleep".to_owned()), later).unwrap().records > 0);
    assert_eq!(session.store().verify().unwrap().unwrap().old_rows, 61);
    assert_eq!(memory(&Session::resume(open(&folder)).unwrap()), memory(&session));
}

#[test]
fn the_exported_past_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = filled(&folder);
    session.take(Instant(session.state().unwrap().clock.0 + 90_000_000), &mut []).unwrap();
    let rules = session.rules().unwrap();
    let mut out = Vec::new();
    session
        .store()
        .export(rules.home(), |at, line| -> Result<(), StoreError> {
            out.push((at, line.to_owned()));
            Ok(())
        })
        .unwrap();
    let mut reader = Reader::new(rules);
    let mut batches: BTreeMap<Instant, Vec<Record>> = BTreeMap::new();
    for (at, line) in &out {
        match reader.read_line(line.as_bytes()).unwrap() {
            Read::Record(record) => batches.entry(*at).or_default().push(record),
            other => panic!("{other:?}"),
        }
    }
    let mut state = State::new(rules);
    let mut said = Vec::new();
    for (at, records) in &batches {
        let outcome = step(rules, &mut state, Event { at: *at, records });
        said.extend(
            outcome.lines.iter().map(|line| crate::render::log::line(line, rules.home(), &rules.hash)),
        );
    }
    assert_eq!(said, lines(session.store()));
    for line in &said {
        let read = crate::render::log::read(line).unwrap();
        assert_eq!(crate::render::log::line(&read, rules.home(), &rules.hash), *line);
    }
}

#[test]
fn what_a_read_left_is_there_with_its_records_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = begun(&folder);
    let row = GivenRow::of("calendar.event#e1", Some(5), "a");
    let update = SourceUpdate {
        name: "calendar".to_owned(),
        memory: crate::connectors::source::Memory(serde_json::json!({"etag": "x"})),
        given: vec![row.clone()],
        ..SourceUpdate::default()
    };
    session.store().post("{\"snooze\":\"*\"}").unwrap();
    let posted = session.store().posted().unwrap();
    assert!(session.store().is_news("calendar", &row).unwrap());
    let beside = Beside { source: Some(&update), inbox: &[posted[0].0] };
    session.take_with(Instant(1000), &mut [], beside).unwrap();
    assert_eq!(session.store().posted().unwrap(), []);
    assert!(!session.store().is_news("calendar", &row).unwrap());
    assert!(session.store().is_news("calendar", &GivenRow::of("calendar.event#e1", Some(5), "b")).unwrap());
    assert!(!session.store().given_by_another("calendar", "calendar.event#e1").unwrap());
    assert!(session.store().given_by_another("other", "calendar.event#e1").unwrap());
    let state = session.store().source("calendar").unwrap();
    assert_eq!((state.read_at, state.failures, &state.memory), (Some(Instant(1000)), 0, &update.memory));
    let failure = crate::connectors::source::Failure::Denied { status: 401 };
    session.store().source_failed("calendar", Instant(2000), &failure).unwrap();
    let state = session.store().source("calendar").unwrap();
    assert_eq!((state.read_at, state.failures, state.failure), (Some(Instant(1000)), 1, Some(failure)));
    assert_eq!(state.memory, update.memory);
    let gone = SourceUpdate { gone: vec![row.key.clone()], given: Vec::new(), ..update };
    session.note_read(Instant(3000), &gone).unwrap();
    assert!(session.store().is_news("calendar", &row).unwrap());
    // The same input at an instant of the past: nothing of it is there.
    let past = Beside { source: Some(&gone), inbox: &[] };
    assert!(matches!(session.take_with(Instant(1), &mut [], past), Err(StoreError::Past { .. })));
}
