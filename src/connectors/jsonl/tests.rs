//! Folders that others append to.

use super::*;
use crate::connectors::source::script::{Script, file};

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.set("path", crate::config::Setting::Text(crate::config::Written::Plain("in".to_owned())));
    settings
}

fn read(memory: &Memory, files: &[(&str, u64, &str)]) -> Reading {
    let script = Script::with_files(files.iter().map(|(path, id, text)| file(path, *id, text)));
    script.read(&SOURCE, &settings(), memory).unwrap()
}

#[test]
fn only_finished_lines_and_only_once() {
    let first = read(&Memory::default(), &[("in/a.jsonl", 1, "{1}\n{2}\n{3"), ("in/b.jsonl", 2, "\n")]);
    assert_eq!(first.lines, ["{1}", "{2}"]);
    let second = read(&first.memory, &[("in/a.jsonl", 1, "{1}\n{2}\n{3}\n"), ("in/b.jsonl", 2, "\n")]);
    assert_eq!(second.lines, ["{3}"]);
    let third = read(&second.memory, &[("in/a.jsonl", 1, "{1}\n{2}\n{3}\n")]);
    assert_eq!(third.lines, [""; 0]);
    assert_eq!((second.nothing_came, third.nothing_came), (false, true));
}

#[test]
fn a_replaced_or_shorter_file_is_read_from_its_beginning() {
    let first = read(&Memory::default(), &[("in/a.jsonl", 1, "{1}\n{2}\n")]);
    assert_eq!(read(&first.memory, &[("in/a.jsonl", 9, "{1}\n{2}\n{3}\n")]).lines, ["{1}", "{2}", "{3}"]);
    assert_eq!(read(&first.memory, &[("in/a.jsonl", 1, "{4}\n")]).lines, ["{4}"]);
}

#[test]
fn a_memory_of_another_shape_is_none() {
    let strange = Memory(serde_json::json!(["x"]));
    assert_eq!(read(&strange, &[("in/a.jsonl", 1, "{1}\n")]).lines, ["{1}"]);
}

#[test]
fn a_year_of_files_is_one_read() {
    let files: Vec<_> = (0..400).map(|day| (format!("in/{day}.jsonl"), day)).collect();
    let files: Vec<_> = files.iter().map(|(path, id)| (path.as_str(), *id, "{1}\n")).collect();
    assert_eq!(read(&Memory::default(), &files).lines.len(), 400);
}
