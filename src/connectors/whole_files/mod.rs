//! Files that are read as a whole, by the importer of their kind: exports that somebody puts into a folder,
//! or that a listener was sent.
//!
//! A file is read when it is new or has changed since it was read, the oldest first, so that what is newer
//! has the last word. One that cannot be read (yet: it may still be on its way) is named in a note and tried
//! again with the next read; if there is no other, the read fails. A look that finds nothing new says so: the
//! folder is there, but whoever fills it may have stopped.
//!
//! Invariant: of files that hold everything, none of the owner's is read after a newer one.

use serde::{Deserialize, Serialize};

use super::source::{
    Answer, Ask, Begin, Conversation, Failure, FileSearch, FoundFile, Memory, Reading, Step, unexpected,
};
use super::{ImportKind, ImportOptions, Input};
use crate::config::Settings;
use crate::engine::time::Zone;

/// What such a kind looks for.
#[derive(Clone, Copy, Debug)]
pub struct WholeFiles {
    /// Who reads a file.
    pub import: &'static ImportKind,
    /// How names of its files end.
    pub extensions: &'static [&'static str],
    /// True when a file holds everything, so that of a folder only the newest counts.
    pub newest_only: bool,
    /// True when times that name no zone are read in the owner's; else the offset counts that is written.
    pub home_zone: bool,
}

/// Keys of the places where files may lie; the watch itself says where it keeps what a listener was sent.
const PLACES: [&str; 2] = ["path", "received"];

/// Files that were read, as they were then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Known {
    files: Vec<FoundFile>,
}

struct Reads {
    what: WholeFiles,
    zone: Option<Zone>,
    /// Where files still have to be looked for, the last one first; true for a folder of the owner's.
    places: Vec<(String, bool)>,
    before: Known,
    /// Files to be read, the last one first.
    waiting: Vec<FoundFile>,
    known: Known,
    reading: Option<FoundFile>,
    failed: Option<Failure>,
    out: Reading,
}

impl WholeFiles {
    /// Begins a read of `path` and of what the source's listener was sent.
    #[must_use]
    pub fn begin(self, settings: &Settings, begin: &Begin) -> Box<dyn Conversation> {
        let places = PLACES.iter().filter_map(|key| Some((settings.text(key)?.to_owned(), *key == "path")));
        Box::new(Reads {
            what: self,
            zone: self.home_zone.then_some(Zone(begin.zone)),
            places: places.collect(),
            before: begin.memory.read(),
            waiting: Vec::new(),
            known: Known::default(),
            reading: None,
            failed: None,
            out: Reading { nothing_came: true, ..Reading::default() },
        })
    }
}

fn age(file: &FoundFile) -> (i64, &str) {
    (file.changed, &file.path)
}

fn newest(files: &[FoundFile]) -> Option<&FoundFile> {
    files.iter().max_by(|a, b| age(a).cmp(&age(b)))
}

impl Reads {
    fn go_on(&mut self) -> Result<Step, Failure> {
        if let Some((path, _)) = self.places.last() {
            let search = FileSearch { path: path.clone(), extensions: self.what.extensions, deep: false };
            return Ok(Step::Ask(Ask::Find(search)));
        }
        match self.waiting.pop() {
            Some(file) => {
                let ask = Ask::Open { path: file.path.clone(), from: 0 };
                self.reading = Some(file);
                Ok(Step::Ask(ask))
            }
            None => self.end(),
        }
    }

    /// What lies in the place that was looked at.
    fn found(&mut self, files: Vec<FoundFile>) {
        let of_owner = self.places.pop().is_some_and(|(_, of_owner)| of_owner);
        let last = newest(&files).cloned();
        let (known, mut new): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| self.before.files.contains(file));
        self.known.files.extend(known);
        // What was sent is taken as it comes, and then it is gone.
        if of_owner && self.what.newest_only {
            new.retain(|file| Some(file) == last.as_ref());
            if let (Some(file), Some(before)) = (new.first(), newest(&self.before.files))
                && file.changed < before.changed
            {
                let note = format!("`{}` is older than what was read before: it is left out", name(file));
                self.out.notes.push(note);
                new.clear();
            }
        }
        self.waiting.extend(new);
        self.waiting.sort_by(|a, b| age(b).cmp(&age(a)));
    }

    fn take(&mut self, input: &mut dyn Input) {
        let Some(file) = self.reading.take() else { return };
        let options = ImportOptions { zone: self.zone, dates: None };
        match (self.what.import.read)(input, &options) {
            Ok(imported) => {
                self.out.notes.extend(imported.notes);
                self.out.lines.extend(imported.records.map(|record| record.to_json_line()));
                self.known.files.push(file);
                self.out.nothing_came = false;
            }
            Err(error) => {
                let reason = format!("`{}` cannot be read: {error}", name(&file));
                self.out.notes.push(reason.clone());
                self.failed = Some(Failure::NotUnderstood(reason));
            }
        }
    }

    fn end(&mut self) -> Result<Step, Failure> {
        if let Some(failure) = self.failed.take()
            && self.known.files.is_empty()
        {
            return Err(failure);
        }
        // What held everything has the last word, also when it is gone.
        if self.what.newest_only
            && let Some(before) = newest(&self.before.files)
            && newest(&self.known.files).is_none_or(|file| file.changed < before.changed)
        {
            self.known.files.push(before.clone());
        }
        self.known.files.sort_by(|a, b| age(a).cmp(&age(b)));
        self.out.memory = Memory::of(&self.known);
        Ok(Step::Done(std::mem::take(&mut self.out)))
    }
}

/// The last part of its path.
fn name(file: &FoundFile) -> &str {
    file.path.rsplit(['/', '\\']).next().unwrap_or(&file.path)
}

impl Conversation for Reads {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        match answer {
            None => {}
            Some(Answer::Files(files)) => self.found(files),
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
            Some(address) if address.ip().is_loopback() && address.port() > 0 => Ok(()),
            _ => Err("`listen` is an address of this machine such as `\"127.0.0.1:8765\"`".to_owned()),
        },
    }
}

/// The keys that such kinds share.
pub const OPTIONS: &[crate::config::OptionDef] = {
    use crate::config::{Form, OptionDef};
    &[
        OptionDef::optional("path", Form::Path, "The file, or the folder into which exports are put"),
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
