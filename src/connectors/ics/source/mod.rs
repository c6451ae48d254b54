//! A calendar that is read again and again: a file, or an address that publishes it.
//!
//! Each read gives all occurrences of a window around today and says so, so that what is not there any more
//! is taken out. Where the server says that nothing changed, nothing is given; when the date has moved on or
//! the settings changed, so has the window, and everything is asked for.

mod window;

use std::io::Read as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{TEXT_BYTES_MAX, read};
use crate::config::{Form, OptionDef, Settings};
use crate::connectors::source::{
    Answer, Ask, Begin, Conversation, Failure, FileSearch, FoundFile, HttpReply, HttpRequest, Memory,
    Reading, SourceKind, Step, Validators, failure_of, unexpected,
};

pub use self::window::{CalendarWindow, DAYS_AHEAD, DAYS_BACK};

/// Its row.
pub const SOURCE: SourceKind = SourceKind {
    name: "ics",
    about: "An iCalendar file, or the address of one",
    options: &[
        OptionDef::optional("path", Form::Path, "The file"),
        OptionDef::optional("url", Form::Url, "Its address, `webcal` too"),
        OptionDef::optional("user", Form::Text, "Name to log in with"),
        OptionDef::optional("password", Form::Secret, "Password to log in with"),
        DAYS_BACK,
        DAYS_AHEAD,
        OptionDef::optional("allow-private", Form::Flag, "The address may lie in the own network"),
    ],
    gives: &["calendar.event"],
    every: Some(900_000),
    check,
    begin: |settings, begin| Box::new(Calendar::begin(settings, begin)),
};

fn check(settings: &Settings) -> Result<(), String> {
    match (settings.has("path"), settings.has("url")) {
        (true, true) => Err("write either `path` or `url`".to_owned()),
        (false, false) => Err("write a `path` or a `url`".to_owned()),
        _ if settings.has("user") != settings.has("password") => {
            Err("`user` and `password` go together".to_owned())
        }
        (true, false) if settings.has("user") => Err("a file needs no `user`".to_owned()),
        _ => Ok(()),
    }
}

/// What the last read was of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    /// See [`asked`].
    asked: String,
    validators: Validators,
    file: Option<FoundFile>,
}

/// A number of everything that an answer depends on: which calendar, for whom, which dates, in which zone.
/// What was kept of another one says nothing about this; an address may be a secret, so it is not kept.
fn asked(settings: &Settings, window: &CalendarWindow) -> String {
    let keys = ["path", "url", "user"].map(|key| settings.text(key).unwrap_or_default());
    let text = format!("{keys:?} {} {} {}", window.from, window.to, window.zone.name());
    Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

struct Calendar {
    ask: Ask,
    window: CalendarWindow,
    before: Known,
    known: Known,
}

impl Calendar {
    fn begin(settings: &Settings, begin: Begin) -> Self {
        let window = CalendarWindow::of(settings, &begin);
        let asked = asked(settings, &window);
        let before = Some(begin.memory.read::<Known>()).filter(|before| before.asked == asked);
        let before = before.unwrap_or_default();
        let ask = match settings.text("path") {
            Some(path) => Ask::Find(FileSearch { path: path.to_owned(), extensions: &["ics"], deep: false }),
            None => {
                let login = settings.text("user").zip(settings.text("password"));
                Ask::Http(HttpRequest {
                    validators: before.validators.clone(),
                    login: login.map(|(user, password)| (user.to_owned(), password.to_owned())),
                    allow_private: settings.flag("allow-private"),
                    bytes_max: TEXT_BYTES_MAX as u64,
                    ..HttpRequest::get(settings.text("url").unwrap_or_default())
                })
            }
        };
        Self { ask, window, known: Known { asked, ..Known::default() }, before }
    }

    fn unchanged(&self) -> Step {
        Step::Done(Reading { memory: Memory::of(&self.before), ..Reading::default() })
    }

    fn replied(&mut self, reply: HttpReply) -> Result<Step, Failure> {
        if let Some(failure) = failure_of(reply.status, reply.retry_after) {
            return Err(failure);
        }
        if reply.status == 304 {
            // Who was told of no copy cannot say that it is still good.
            let known = self.before.validators != Validators::default();
            return if known { Ok(self.unchanged()) } else { Err(Failure::Status { status: 304 }) };
        }
        self.known.validators = reply.validators;
        self.decode(&reply.body)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Step, Failure> {
        let days = read(&String::from_utf8_lossy(bytes), self.window.ics())
            .map_err(|error| Failure::NotUnderstood(error.to_string()))?;
        Ok(Step::Done(Reading {
            lines: days.records.iter().map(|record| record.to_json_line()).collect(),
            notes: days.notes,
            memory: Memory::of(&self.known),
            shows_all: Some(self.window.shows_all()),
            nothing_came: false,
        }))
    }
}

impl Conversation for Calendar {
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure> {
        match answer {
            None => Ok(Step::Ask(self.ask.clone())),
            Some(Answer::Http(reply)) => self.replied(reply),
            Some(Answer::Files(files)) => {
                let newest = files.into_iter().max_by_key(|file| file.changed);
                let file = newest.ok_or_else(|| Failure::File("there is no `.ics` file".to_owned()))?;
                if self.before.file.as_ref() == Some(&file) {
                    return Ok(self.unchanged());
                }
                let path = file.path.clone();
                self.known.file = Some(file);
                Ok(Step::Ask(Ask::Open { path, from: 0 }))
            }
            Some(Answer::File(input)) => {
                let mut bytes = Vec::new();
                // One byte beyond the limit is enough to be refused for it.
                let limit = (TEXT_BYTES_MAX as u64).saturating_add(1);
                let broken =
                    |error: std::io::Error| Failure::File(format!("the file cannot be read: {error}"));
                input.take(limit).read_to_end(&mut bytes).map_err(broken)?;
                self.decode(&bytes)
            }
            Some(other) => Err(unexpected(&other)),
        }
    }
}

#[cfg(test)]
mod tests;
