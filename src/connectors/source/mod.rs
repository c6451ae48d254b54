//! What a live source is: the row of a kind, and a read of it as a conversation with the outside.
//!
//! A read asks for one thing at a time and is handed the answer; it never opens, waits or connects itself, so
//! the same code runs against the network, a folder or a script of a test. What it remembers from one read
//! to the next (validators, places in files) is its [`Memory`], which is stored together with what was read.
//!
//! Invariants: a read ends in a [`Reading`] or a [`Failure`], after at most [`QUESTIONS_MAX`] questions and
//! [`FILES_MAX`] opened files; what it cannot use is counted and named in the notes; a failure's words hold
//! no address and no secret.

use std::fmt;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::Input;
use crate::config::{KindRow, OptionDef, Settings};

/// Questions of one read, apart from files that are opened.
pub const QUESTIONS_MAX: usize = 200;
/// Files that one read opens: as many as one search finds.
pub const FILES_MAX: usize = 10_000;

/// Everything about one kind of source.
#[derive(Clone, Copy, Debug)]
pub struct SourceKind {
    /// The word behind `kind =`.
    pub name: &'static str,
    /// One line for people, without a period.
    pub about: &'static str,
    /// Keys of its entries, besides those that every entry has.
    pub options: &'static [OptionDef],
    /// Signals and streams that it may give; empty when that is the owner's business.
    pub gives: &'static [&'static str],
    /// Milliseconds between two reads where `every` is not written; `None` when only a change starts one.
    pub every: Option<i64>,
    /// What no single key shows: which keys exclude or need each other; errors speak the user's words.
    pub check: fn(&Settings) -> Result<(), String>,
    /// Begins a read.
    pub begin: fn(&Settings, Begin) -> Box<dyn Conversation>,
}

/// What `connectors.toml` may name.
#[must_use]
pub fn kinds() -> Vec<KindRow> {
    let row = |kind: &SourceKind| KindRow {
        name: kind.name,
        options: kind.options,
        gives: kind.gives,
        every: kind.every,
        check: kind.check,
    };
    super::SOURCES.iter().map(row).collect()
}

/// What a read knows when it begins.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Now.
    pub at: DateTime<Utc>,
    /// The owner's zone.
    pub zone: Tz,
    /// What the last read that worked left behind; empty at first.
    pub memory: Memory,
}

/// What a source keeps from one read to the next: JSON of its own shape. One that does not fit (an older
/// program wrote it) is to be taken as none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Memory(pub serde_json::Value);

impl Memory {
    /// As its shape, or the empty one.
    #[must_use]
    pub fn read<T: for<'de> Deserialize<'de> + Default>(&self) -> T {
        T::deserialize(&self.0).unwrap_or_default()
    }

    /// Of a shape.
    #[must_use]
    pub fn of(shape: &impl Serialize) -> Self {
        Self(serde_json::to_value(shape).unwrap_or_default())
    }
}

/// A read under way.
pub trait Conversation: Send {
    /// What comes next: the first call has no answer, each later one that to the question before.
    ///
    /// # Errors
    /// When the read cannot go on.
    fn next(&mut self, answer: Option<Answer>) -> Result<Step, Failure>;
}

/// What a read does next.
#[derive(Debug)]
pub enum Step {
    /// Wants to know something.
    Ask(Ask),
    /// Is over.
    Done(Reading),
}

/// A question to the outside.
#[derive(Clone, Debug)]
pub enum Ask {
    /// An HTTP exchange.
    Http(HttpRequest),
    /// The newest versions of the files that a path means; answered by [`Answer::Files`].
    Find(FileSearch),
    /// One file, from a byte on; answered by [`Answer::File`].
    Open {
        /// As it was found.
        path: String,
        /// First byte.
        from: u64,
    },
    /// Runs a program; answered by [`Answer::Output`].
    Run(Program),
    /// Calls a tool of a server that speaks the Model Context Protocol; answered by [`Answer::Tool`].
    Tool(ToolCall),
}

/// The outside's answer.
pub enum Answer {
    /// To [`Ask::Http`]: also of a status that is no success.
    Http(HttpReply),
    /// To [`Ask::Find`]: by path.
    Files(Vec<FoundFile>),
    /// To [`Ask::Open`].
    File(Box<dyn Input + Send>),
    /// To [`Ask::Run`]: standard output of a program that ended with 0.
    Output(Vec<u8>),
    /// To [`Ask::Tool`]: the text of its first block of text.
    Tool(String),
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(reply) => write!(f, "Http({})", reply.status),
            Self::Files(files) => f.debug_tuple("Files").field(files).finish(),
            Self::File(_) => f.write_str("File"),
            Self::Output(bytes) => write!(f, "Output({} bytes)", bytes.len()),
            Self::Tool(text) => write!(f, "Tool({} bytes)", text.len()),
        }
    }
}

/// An HTTP request.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `PROPFIND`, `REPORT`.
    pub method: &'static str,
    /// Whole address.
    pub url: String,
    /// Further headers; sensitive ones too.
    pub headers: Vec<(&'static str, String)>,
    /// Name and password for basic authentication; never sent to another host than the address's.
    pub login: Option<(String, String)>,
    /// What is sent.
    pub body: Option<String>,
    /// Of the copy that is there already.
    pub validators: Validators,
    /// Largest answer in bytes, packed and unpacked.
    pub bytes_max: u64,
    /// True when addresses of the own network and machine may be asked.
    pub allow_private: bool,
    /// Milliseconds to wait before the request goes out, so that a host is not asked too fast.
    pub pause_ms: u64,
}

impl HttpRequest {
    /// A plain `GET` of at most 8 MiB.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: "GET",
            url: url.into(),
            headers: Vec::new(),
            login: None,
            body: None,
            validators: Validators::default(),
            bytes_max: 8 << 20,
            allow_private: false,
            pause_ms: 0,
        }
    }
}

/// Addresses can be secrets.
impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (address not shown)", self.method)
    }
}

/// What a server said about the copy that it sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified`, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// An HTTP response after redirects.
#[derive(Clone, Debug, Default)]
pub struct HttpReply {
    /// Status.
    pub status: u16,
    /// Address that answered.
    pub url: String,
    /// `Content-Type`, as it came.
    pub content_type: Option<String>,
    /// For the next time.
    pub validators: Validators,
    /// Seconds that the server asks to wait (`Retry-After`).
    pub retry_after: Option<u64>,
    /// Unpacked.
    pub body: Vec<u8>,
}

/// Which files are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSearch {
    /// A file or a folder.
    pub path: String,
    /// How names of files in a folder end, without the dot.
    pub extensions: &'static [&'static str],
    /// True when folders in the folder count too.
    pub deep: bool,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFile {
    /// Path.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// When it was changed, in milliseconds since 1970.
    pub changed: i64,
    /// What tells it from another file of this name, where the system says it; else 0.
    pub id: u64,
}

/// A program of the owner's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments; no shell is between.
    pub words: Vec<String>,
    /// Longest time in milliseconds; then it is stopped with everything that it started.
    pub time_ms_max: i64,
    /// Largest output in bytes.
    pub bytes_max: u64,
}

/// A tool and its arguments.
#[derive(Clone, PartialEq)]
pub struct ToolCall {
    /// The server's address.
    pub url: String,
    /// Name of the tool.
    pub tool: &'static str,
    /// Its arguments, an object.
    pub arguments: serde_json::Value,
    /// As in [`HttpRequest`].
    pub allow_private: bool,
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (address not shown)", self.tool)
    }
}

/// What a read gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Lines of a recorded day: readings, items and removed items. `at` says when something was true where
    /// there is no `observed`.
    pub lines: Vec<String>,
    /// What was left out and why, in sentences.
    pub notes: Vec<String>,
    /// For the next read.
    pub memory: Memory,
    /// For a source that always shows all of a stream: what is not among the lines any more is gone.
    pub shows_all: Option<ShowsAll>,
    /// True when others deliver and nothing came since the last read: looking is then no sign of life, and
    /// `source.NAME` is not written.
    pub nothing_came: bool,
}

/// Of which items a reading is the whole truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShowsAll {
    /// Stream, by the name that its lines have.
    pub stream: &'static str,
    /// Items that begin from here on: one that begins before and is not shown is only past.
    pub from: DateTime<Utc>,
    /// To here, outside.
    pub to: DateTime<Utc>,
}

/// Why a read did not work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// Nobody answers.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("no answer within {seconds} s")]
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// The server does not let us in.
    #[error("refused with status {status}: check the address, the name and the password or token")]
    Denied {
        /// 401, 403, 404 where the address is the secret.
        status: u16,
    },
    /// The server asks for patience.
    #[error("asked to wait (status {status})")]
    Busy {
        /// 429 or 503.
        status: u16,
        /// Seconds, where it says so.
        retry_after: Option<u64>,
    },
    /// Any other answer.
    #[error("the server answered with status {status}")]
    Status {
        /// The status.
        status: u16,
    },
    /// It leads where it may not.
    #[error("{0}")]
    Forbidden(String),
    /// More than allowed.
    #[error("the answer is larger than {bytes_max} bytes")]
    TooLarge {
        /// The limit.
        bytes_max: u64,
    },
    /// What came is not what it should be.
    #[error("{0}")]
    NotUnderstood(String),
    /// A file or folder.
    #[error("{0}")]
    File(String),
    /// A program.
    #[error("{0}")]
    Program(String),
    /// Where a secret is kept, it is not found.
    #[error("{0}")]
    Secret(String),
    /// The read asked for ever, or broke.
    #[error("{0}")]
    Broken(String),
}

/// The failure that a status means; `None` for a success or 304.
#[must_use]
pub fn failure_of(status: u16, retry_after: Option<u64>) -> Option<Failure> {
    match status {
        200..=299 | 304 => None,
        401 | 403 | 407 => Some(Failure::Denied { status }),
        429 | 503 => Some(Failure::Busy { status, retry_after }),
        _ => Some(Failure::Status { status }),
    }
}

/// The failure of a read whose question was answered otherwise: a mistake in this program.
#[must_use]
pub fn unexpected(answer: &Answer) -> Failure {
    Failure::Broken(format!("the question was answered with {answer:?}"))
}

/// Leads a read to its end; `ask` is the outside.
///
/// # Errors
/// The first failure of either side, and reads that never end.
pub fn converse(
    conversation: &mut dyn Conversation,
    ask: &mut dyn FnMut(Ask) -> Result<Answer, Failure>,
) -> Result<Reading, Failure> {
    let (mut answer, mut questions, mut files) = (None, 0, 0);
    loop {
        let question = match conversation.next(answer)? {
            Step::Done(reading) => return Ok(reading),
            Step::Ask(question) => question,
        };
        let (count, max, what) = match question {
            Ask::Open { .. } => (&mut files, FILES_MAX, "files"),
            _ => (&mut questions, QUESTIONS_MAX, "questions"),
        };
        if *count >= max {
            return Err(Failure::Broken(format!("more than {max} {what} in one read")));
        }
        *count = count.saturating_add(1);
        answer = Some(ask(question)?);
    }
}

#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
mod tests;
