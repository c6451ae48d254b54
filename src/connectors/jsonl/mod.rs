//! A folder of recorded-day files that others append to.
//!
//! Each read takes the lines that were finished since the last one: a line without its break may still be
//! written. A file that was replaced or became shorter is read from its beginning; what it says again changes
//! nothing. Which lines are readings is decided where all sources' lines are looked at, in `given`.
//!
//! Bounds: [`BYTES_MAX`] a file and read, the rest follows with the next read.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Read as _;

use serde::{Deserialize, Serialize};

use super::Input;
use super::source::{
    Answer, Ask, Begin, Conversation, Failure, FileSearch, FoundFile, Memory, Reading, SourceKind, Step,
};
use crate::config::{Form, OptionDef, Settings};

/// Its row.
pub const SOURCE: SourceKind = SourceKind {
    name: "jsonl",
    about: "A file or folder of recorded days that another program appends to",
    options: &[OptionDef::required("path", Form::Path, "The file or folder")],
    gives: &[],
    every: Some(900_000),
    check: |_| Ok(()),
    begin: |settings, begin| Box::new(Jsonl::begin(settings, &begin)),
};

/// Bytes of a file that are taken at once.
pub const BYTES_MAX: u64 = 16 << 20;
/// Bytes that one read takes; the rest follows with the next.
const READ_BYTES_MAX: u64 = 4 * BYTES_MAX;

/// Where a file was read to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    /// What tells it from another file of its name.
    id: u64,
    /// First byte that was not read.
    byte: u64,
}

type Places = BTreeMap<String, Place>;

struct Jsonl {
    path: String,
    places: Places,
    /// Files that are still to be looked at, the last one first.
    waiting: Vec<FoundFile>,
    reading: Option<FoundFile>,
    taken: u64,
    out: Reading,
}

impl Jsonl {
    fn begin(settings: &Settings, begin: &Begin) -> Self {
        Self {
            path: settings.text("path").unwrap_or_default().to_owned(),
            places: begin.memory.read(),
            waiting: Vec::new(),
            reading: None,
            taken: 0,
            out: Reading::default(),
        }
    }

    fn found(&mut self, files: Vec<FoundFile>) {
        // A file that is gone needs no place any more.
        self.places.retain(|path, _| files.iter().any(|file| file.path == *path));
        self.waiting = files.into_iter().filter(|file| self.from(file) < file.size).collect();
        self.waiting.reverse();
        self.out.nothing_came = self.waiting.is_empty();
    }

    fn from(&self, file: &FoundFile) -> u64 {
        match self.places.get(&file.path) {
            Some(place) if place.id == file.id && place.byte <= file.size => place.byte,
            _ => 0,
        }
    }

    fn take(&mut self, input: &mut dyn Input) -> Result<(), Failure> {
        let Some(file) = self.reading.take() else { return Ok(()) };
        let from = self.from(&file);
        let mut bytes = Vec::new();
        let broken =
            |error: std::io::Error| Failure::File(format!("`{}` cannot be read: {error}", file.path));
        input.take(BYTES_MAX).read_to_end(&mut bytes).map_err(broken)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end.saturating_add(1));
        if whole == 0 && bytes.len() as u64 == BYTES_MAX {
            return Err(Failure::NotUnderstood(format!(
                "a line of `{}` has more than {BYTES_MAX} bytes",
                file.path
            )));
        }
        let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default());
        self.out.lines.extend(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
        let byte = from.saturating_add(whole as u64);
        self.places.insert(file.path.clone(), Place { id: file.id, byte });
        self.taken = self.taken.saturating_add(whole as u64);
        // What does not fit into one piece follows, up to what one read may take.
        if whole > 0 && bytes.len() as u64 == BYTES_MAX && self.taken < READ_BYTES_MAX {
            self.waiting.push(file);
        }
        Ok(())
    }

    fn go_on(&mut self) -> Step {
        match self.waiting.pop() {
            Some(file) => {
                let ask = Ask::Open { path: file.path.clone(), from: self.from(&file) };
                self.reading = Some(file);
                Step::Ask(ask)
            }
            None => {
                self.out.memory = Memory::of(&self.places);
                Step::Done(std::mem::take(&mut self.out))
            }
        }
    }
}

impl Conversation for Jsonl {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        match answer {
            None => {
                let search = FileSearch { path: self.path.clone(), extensions: &["jsonl"], deep: true };
                return Ok(Step::Ask(Ask::Find(search)));
            }
            Some(Answer::Files(files)) => self.found(files),
            Some(Answer::File(mut input)) => self.take(&mut input)?,
            Some(other) => return Err(super::source::unexpected(&other)),
        }
        Ok(self.go_on())
    }
}
