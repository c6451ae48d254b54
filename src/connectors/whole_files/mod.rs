//! Files that are read as a whole, by the importer of their kind: exports that somebody drops into a folder or
//! that a listener was sent.
//!
//! A file is read when it is new or has changed since it was read. One that cannot be read (yet: it may still
//! be on its way) is named in a note and tried again with the next read; if there is no other, the read fails.

use serde::{Deserialize, Serialize};

use super::source::{
    Answer, Ask, Begin, Conversation, Failure, FileSearch, FoundFile, Memory, Reading, Step, unexpected,
};
use super::{ImportKind, ImportOptions, Input};
use crate::config::Settings;

/// What such a kind looks for.
#[derive(Clone, Copy, Debug)]
pub struct WholeFiles {
    /// Who reads a file.
    pub import: &'static ImportKind,
    /// How names of its files end.
    pub extensions: &'static [&'static str],
    /// True when a file holds everything, so that of several only the newest counts.
    pub newest_only: bool,
}

/// Files that were read, as they were then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Known {
    files: Vec<FoundFile>,
}

struct Reads {
    what: WholeFiles,
    /// Where files still have to be looked for.
    places: Vec<String>,
    before: Known,
    found: Vec<FoundFile>,
    known: Known,
    reading: Option<FoundFile>,
    failed: Option<Failure>,
    read: usize,
    out: Reading,
}

impl WholeFiles {
    /// Begins a read of `path` and of what the source's listener was sent.
    #[must_use]
    pub fn begin(self, settings: &Settings, begin: &Begin) -> Box<dyn Conversation> {
        let places = ["received", "path"].iter().filter_map(|key| settings.text(key).map(str::to_owned));
        Box::new(Reads {
            what: self,
            places: places.collect(),
            before: begin.memory.read(),
            found: Vec::new(),
            known: Known::default(),
            reading: None,
            failed: None,
            read: 0,
            out: Reading::default(),
        })
    }
}

impl Reads {
    fn go_on(&mut self) -> Result<Step, Failure> {
        if let Some(path) = self.places.pop() {
            let search = FileSearch { path, extensions: self.what.extensions, deep: false };
            return Ok(Step::Ask(Ask::Find(search)));
        }
        match self.found.pop() {
            Some(file) => {
                let ask = Ask::Open { path: file.path.clone(), from: 0 };
                self.reading = Some(file);
                Ok(Step::Ask(ask))
            }
            None => self.end(),
        }
    }

    /// Adds what was found, so that the last one is read first.
    fn add(&mut self, mut files: Vec<FoundFile>) {
        files.sort_by(|a, b| (b.changed, &b.path).cmp(&(a.changed, &a.path)));
        if self.what.newest_only {
            files.truncate(1);
        }
        for file in files {
            if self.before.files.contains(&file) {
                self.known.files.push(file);
            } else {
                self.found.push(file);
            }
        }
    }

    fn take(&mut self, input: &mut dyn Input) {
        let Some(file) = self.reading.take() else { return };
        // Times keep the offsets of the file: those are the places where the owner slept.
        let options = ImportOptions { zone: None, dates: None };
        match (self.what.import.read)(input, &options) {
            Ok(imported) => {
                self.out.notes.extend(imported.notes);
                let lines = imported.records.map(|record| record.to_json_line());
                self.out.lines.extend(lines);
                self.known.files.push(file);
                self.read = self.read.saturating_add(1);
            }
            Err(error) => {
                let name = file.path.rsplit(['/', '\\']).next().unwrap_or(&file.path);
                let failure = Failure::NotUnderstood(format!("`{name}` cannot be read: {error}"));
                self.out.notes.push(failure.to_string());
                self.failed = Some(failure);
            }
        }
    }

    fn end(&mut self) -> Result<Step, Failure> {
        match self.failed.take() {
            Some(failure) if self.read == 0 && self.known.files.is_empty() => Err(failure),
            _ => {
                self.out.memory = Memory::of(&self.known);
                Ok(Step::Done(std::mem::take(&mut self.out)))
            }
        }
    }
}

impl Conversation for Reads {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        match answer {
            None => {}
            Some(Answer::Files(files)) => self.add(files),
            Some(Answer::File(mut input)) => self.take(&mut *input),
            Some(other) => return Err(unexpected(&other)),
        }
        self.go_on()
    }
}

/// The check of the keys that such kinds share.
///
/// # Errors
/// In the user's words.
pub fn check(settings: &Settings) -> Result<(), String> {
    match settings.written("listen") {
        None if !settings.has("path") => Err("write a `path`, or `listen` with a `token`".to_owned()),
        None if settings.has("token") => Err("`token` is for `listen`, which is not written".to_owned()),
        None => Ok(()),
        Some(_) if !settings.has("token") => {
            Err("`listen` needs a `token`, or anybody on this machine could send readings".to_owned())
        }
        Some(_) => match settings.text("listen").and_then(|text| text.parse::<std::net::SocketAddr>().ok()) {
            Some(address) if address.ip().is_loopback() => Ok(()),
            _ => Err("`listen` is an address of this machine such as `\"127.0.0.1:8765\"`".to_owned()),
        },
    }
}

/// The keys that such kinds share.
pub const OPTIONS: &[crate::config::OptionDef] = {
    use crate::config::{Form, OptionDef};
    &[
        OptionDef::optional("path", Form::Path, "The file, or the folder that exports are dropped into"),
        OptionDef::optional(
            "listen",
            Form::Text,
            "Also take what is posted to this address, such as `127.0.0.1:8765`",
        ),
        OptionDef::optional("token", Form::Secret, "What whoever posts has to know"),
    ]
};

#[cfg(test)]
mod tests;
