//! DAYS in order of time, whatever the order of files and lines.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{BAD_LINES_MAX, Batch, Days, DaysError, Options, open, open_within};
use crate::engine::record::{RecordKind, Scalar, SignalId};
use crate::engine::records::{Read, Reader, sort};
use crate::engine::rule_set::{RuleSet, SignalDef};
use crate::engine::source::Span;
use crate::engine::syntax::ast::Cadence;
use crate::engine::time::Instant;
use crate::engine::value::Type;

fn rule_set() -> RuleSet {
    let signal = |name: &str| SignalDef {
        name: name.into(),
        ty: Type::Number,
        cadence: Cadence::Sampled,
        fresh_ms: Some(1),
        range: None,
        private: false,
        builtin: false,
        span: Span::default(),
    };
    RuleSet { signals: vec![signal("a"), signal("b")], ..RuleSet::default() }
}

/// A reading `minute` minutes after 2026-01-01 00:00 UTC.
fn line(minute: u32, signal: &str, value: i32) -> String {
    let (day, hour, minute) = (1 + minute / 1440, minute / 60 % 24, minute % 60);
    format!(r#"{{"at":"2026-01-{day:02}T{hour:02}:{minute:02}:00Z","signal":"{signal}","value":{value}}}"#)
}

fn at(minute: i64) -> Instant {
    Instant(1_767_225_600_000 + minute * 60_000)
}

fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn days(path: &Path) -> Days {
    open(path, &rule_set(), Options::default()).unwrap()
}

/// Instants in minutes with the values of signal `a`, in millionths of the value; other records as -1.
fn read(path: &Path) -> Vec<(i64, Vec<i64>)> {
    let value = |kind: &RecordKind| match kind {
        RecordKind::Reading { value: Scalar::Fixed(steps), .. } => steps / 1_000_000,
        _ => -1,
    };
    days(path)
        .map(|batch| batch.unwrap())
        .map(|Batch { at: instant, records }| {
            assert!(records.iter().all(|record| record.at == instant));
            ((instant.0 - at(0).0) / 60_000, records.iter().map(|record| value(&record.kind)).collect())
        })
        .collect()
}

fn failure(path: &Path) -> DaysError {
    days(path).find_map(Result::err).expect("a failure")
}

#[test]
fn one_file_in_order() {
    let text = [line(0, "a", 1), String::new(), line(1, "a", 2), line(1, "b", 3)].join("\r\n");
    let folder = folder(&[("x.jsonl", text)]);
    let path = folder.path().join("x.jsonl");
    assert_eq!(read(&path), [(0, vec![1]), (1, vec![2, 3])]);
    let mut all = days(&path);
    assert_eq!(all.by_ref().count(), 2);
    assert_eq!((all.summary().records, all.summary().skipped), (3, 0));
}

#[test]
fn files_are_merged_by_time() {
    let files = [
        ("2026/late.jsonl", line(5, "a", 5) + "\n" + line(9, "a", 9).as_str() + "\n"),
        ("early.jsonl", line(1, "a", 1) + "\n" + line(7, "a", 7).as_str()),
        ("notes.txt", "not days".to_owned()),
        ("back.jsonl", "\u{FEFF}".to_owned() + line(8, "a", 8).as_str() + "\n" + line(2, "a", 2).as_str()),
        ("empty.jsonl", String::new()),
    ];
    let folder = folder(&files);
    let expected: Vec<(i64, Vec<i64>)> =
        [1, 2, 5, 7, 8, 9].into_iter().map(|minute| (minute, vec![minute])).collect();
    assert_eq!(read(folder.path()), expected);
}

#[test]
fn bad_lines_are_named() {
    let text = [
        line(0, "a", 1),
        r#"{"at":"2026-01-01T00:01:00","signal":"a","value":1}"#.to_owned(),
        r#"{"é":1,"at":"2026-01-01T00:01:00Z","signal":"a","value":"x"}"#.to_owned(),
        line(2, "a", 1),
    ]
    .join("\n");
    let folder = folder(&[("x.jsonl", text)]);
    let path = folder.path().join("x.jsonl");
    let shown = path.display();
    let expected = format!(
        "{shown}:2:7 `2026-01-01T00:01:00` has no offset; expected `Z` or one such as `-04:00` at its end\n\
         {shown}:3:57 found `x`, expected a number"
    );
    assert_eq!(failure(&path).to_string(), expected);

    let mut skipping = open(&path, &rule_set(), Options { skip_bad: true }).unwrap();
    assert_eq!(skipping.by_ref().map(Result::unwrap).count(), 2);
    let summary = skipping.summary();
    assert_eq!((summary.records, summary.skipped, summary.skipped_lines.len()), (2, 2, 2));
    assert_eq!(
        summary.skipped_lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        expected
    );
}

#[test]
fn a_flood_of_bad_lines_is_cut() {
    let folder = folder(&[("x.jsonl", "{}\n".repeat(BAD_LINES_MAX + 1)), ("y.jsonl", "{}\n".repeat(7))]);
    let DaysError::Bad { lines, more } = failure(folder.path()) else { panic!("no bad lines") };
    assert_eq!((lines.len(), more), (BAD_LINES_MAX, true));
    let DaysError::Bad { lines, more } = failure(&folder.path().join("y.jsonl")) else {
        panic!("no bad lines")
    };
    assert_eq!((lines.len(), more), (7, false));
    let mut skipping = open(folder.path(), &rule_set(), Options { skip_bad: true }).unwrap();
    assert!(matches!(skipping.next(), Some(Err(DaysError::Empty { .. }))));
    assert!(skipping.next().is_none());
}

#[test]
fn a_line_without_end_is_refused_and_the_next_is_read() {
    let text =
        format!("{}\n{}\n{}", line(0, "a", 1), " ".repeat(super::lines::LINE_MAX + 10), line(1, "a", 2));
    let folder = folder(&[("x.jsonl", text)]);
    let path = folder.path().join("x.jsonl");
    let expected = format!("{}:2:1 longer than 1048576 bytes", path.display());
    assert_eq!(failure(&path).to_string(), expected);
    let mut skipping = open(&path, &rule_set(), Options { skip_bad: true }).unwrap();
    assert_eq!(skipping.by_ref().count(), 2);
    assert_eq!(skipping.summary().skipped, 1);
}

#[test]
fn nothing_to_read_is_an_error() {
    let error =
        |path: &Path| open(path, &rule_set(), Options::default()).err().map(|error| error.to_string());
    let folder = folder(&[("x.jsonl", " \n\n".to_owned()), ("sub/notes.txt", line(0, "a", 1))]);
    let shown = folder.path().display().to_string();
    assert_eq!(error(folder.path()), Some(format!("`{shown}` holds no records")));
    assert_eq!(
        error(&folder.path().join("sub")),
        Some(format!("`{shown}/sub` has no `*.jsonl` file below it"))
    );
    assert_eq!(error(&folder.path().join("none")), Some(format!("`{shown}/none` cannot be read")));
}

#[test]
fn undeclared_names_are_counted_and_their_time_counts() {
    let text = [line(0, "x.y", 1), line(1, "a", 1), line(2, "x.y", 1), line(3, "z", 1)].join("\n");
    let folder = folder(&[("x.jsonl", text)]);
    assert_eq!(read(folder.path()), [(0, vec![-1]), (1, vec![1]), (3, vec![-1])]);
    let mut all = days(folder.path());
    assert_eq!(all.by_ref().count(), 3);
    let counts: Vec<(&str, u64)> =
        all.summary().undeclared.iter().map(|(name, count)| (&**name, *count)).collect();
    assert_eq!(counts, [("x.y", 2), ("z", 1)]);
    assert_eq!(all.summary().records, 1);
}

/// A time that is none must not hide that lines go back: the file is still sorted.
#[test]
fn a_bad_time_between_two_lines_that_go_back() {
    let bad = r#"{"at":"2026-01-99T00:00:00Z","signal":"a","value":1}"#.to_owned();
    let back = r#"{"at":"2026-01-01T01:01:00+01:00","signal":"a","value":2}"#.to_owned();
    let folder = folder(&[("x.jsonl", [line(5, "a", 1), bad, back].join("\n"))]);
    let skipping = open(folder.path(), &rule_set(), Options { skip_bad: true }).unwrap();
    assert_eq!(skipping.map(|batch| batch.unwrap().at).collect::<Vec<_>>(), [at(1), at(5)]);
}

#[test]
fn thousands_of_side_by_side_files() {
    let folder = TempDir::new().unwrap();
    for file in 0..3000 {
        let text = line(file % 7, "a", 0) + "\n" + line(20_000 + file, "b", 0).as_str();
        fs::write(folder.path().join(format!("{file}.jsonl")), text).unwrap();
    }
    let batches: Vec<Batch> = days(folder.path()).map(Result::unwrap).collect();
    assert_eq!(batches.len(), 3007);
    assert!(batches.is_sorted_by(|a, b| a.at < b.at));
}

#[test]
fn whoever_stops_listening_ends_the_reading() {
    let mut text = String::new();
    for minute in 0..40_000 {
        writeln!(text, "{}", line(minute, "a", 1)).unwrap();
    }
    let folder = folder(&[("x.jsonl", text)]);
    assert_eq!(days(folder.path()).next().unwrap().unwrap().at, at(0));
}

/// The same days, read line by line into one list.
fn plain(lines: &[String]) -> Vec<Batch> {
    let set = rule_set();
    let mut reader = Reader::new(&set);
    let mut records = Vec::new();
    for line in lines {
        if let Ok(Read::Record(record)) = reader.read_line(line.as_bytes()) {
            records.push(record);
        }
    }
    records.sort_by_key(|record| record.at);
    let mut batches: Vec<Batch> = Vec::new();
    for record in records {
        match batches.last_mut() {
            Some(batch) if batch.at == record.at => batch.records.push(record),
            _ => batches.push(Batch { at: record.at, records: vec![record] }),
        }
    }
    batches.iter_mut().for_each(|batch| sort(&mut batch.records, &set));
    batches
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However lines are dealt to files, and in whatever order, the batches are the same.
    #[test]
    fn files_and_order_of_lines_do_not_matter(
        rows in prop::collection::vec((0_u32..400, any::<bool>(), 0_i32..12, 0_usize..5), 1..60),
        in_order in any::<[bool; 5]>(),
    ) {
        let mut files = vec![Vec::new(); 5];
        for (minute, first, value, file) in &rows {
            files[*file].push((*minute, line(*minute, if *first { "a" } else { "b" }, *value)));
        }
        for (file, in_order) in files.iter_mut().zip(in_order) {
            if in_order {
                file.sort_by_key(|(minute, _)| *minute);
            }
        }
        let folder = TempDir::new().unwrap();
        for (index, file) in files.iter().enumerate() {
            let text: String = file.iter().map(|(_, line)| line.clone() + "\n").collect();
            fs::write(folder.path().join(format!("{index}.jsonl")), text).unwrap();
        }
        let lines: Vec<String> = files.into_iter().flatten().map(|(_, line)| line).collect();
        let batches: Vec<Batch> = days(folder.path()).map(Result::unwrap).collect();
        prop_assert_eq!(batches, plain(&lines));
    }
}

#[test]
fn equal_readings_sort_by_their_canonical_line() {
    let folder = folder(&[("x.jsonl", [line(0, "a", 9), line(0, "a", 10), line(0, "b", 1)].join("\n"))]);
    let batch = days(folder.path()).next().unwrap().unwrap();
    let kinds = batch.records.into_iter().map(|record| record.kind);
    let reading = |signal, value: i64| RecordKind::Reading {
        signal: SignalId(signal),
        observed: at(0),
        value: Scalar::Fixed(value * 1_000_000),
    };
    assert_eq!(kinds.collect::<Vec<_>>(), [reading(0, 10), reading(0, 9), reading(1, 1)]);
}

#[test]
fn what_cannot_be_held_in_memory_is_refused_with_advice() {
    let back: String = (0..100).rev().map(|minute| line(minute, "a", 1) + "\n").collect();
    let folder = folder(&[("x.jsonl", back.clone()), ("y.jsonl", back)]);
    let size = fs::metadata(folder.path().join("x.jsonl")).unwrap().len();
    let within = |path: &Path, held_max| {
        open_within(path, &rule_set(), Options::default(), held_max).unwrap().find_map(Result::err)
    };
    let one = folder.path().join("x.jsonl");
    assert!(within(&one, size).is_none());
    let said = within(&one, size - 1).unwrap().to_string();
    assert!(said.contains("x.jsonl` goes back in time") && said.contains("sort its lines by `at`"), "{said}");
    // Both lie over the same time; one after the other they need the room of one.
    assert!(within(folder.path(), 2 * size).is_none());
    assert!(matches!(within(folder.path(), 2 * size - 1), Some(DaysError::Unsorted { .. })));
}

#[cfg(unix)]
#[test]
fn what_comes_without_end_is_refused() {
    let refused = |held_max| {
        open_within(Path::new("/dev/zero"), &rule_set(), Options::default(), held_max)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(1000),
        "`/dev/zero` gives more than 1000 bytes, the most that is read from a pipe or device: write them into \
         a file, which may be of any size"
    );
}

#[cfg(unix)]
#[test]
fn days_are_searched_as_rules_are() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[
        ("days/a.jsonl", line(0, "a", 1)),
        ("elsewhere/b.jsonl", line(1, "a", 2)),
        ("days/.git/c.jsonl", "not days".to_owned()),
    ]);
    let days_folder = folder.path().join("days");
    symlink("../elsewhere", days_folder.join("linked")).unwrap();
    symlink("..", days_folder.join("back")).unwrap();
    symlink("a.jsonl", days_folder.join("same.jsonl")).unwrap();
    assert_eq!(read(&days_folder), [(0, vec![1]), (1, vec![2])]);
    let failed = |name: &str| {
        let error = open(&days_folder, &rule_set(), Options::default()).unwrap_err().to_string();
        fs::remove_file(days_folder.join(name)).unwrap();
        error
    };
    symlink("nowhere", days_folder.join("dead.jsonl")).unwrap();
    assert!(failed("dead.jsonl").contains("dead.jsonl` cannot be read: "));
    let _socket = std::os::unix::net::UnixDatagram::bind(days_folder.join("s.jsonl")).unwrap();
    assert!(failed("s.jsonl").ends_with("s.jsonl` is neither a file nor a folder"));
}
