//! The outside of a test: files and answers by question.

use std::io::Cursor;

use chrono::{DateTime, Utc};

use super::{
    Answer, Ask, Begin, Failure, FoundFile, HttpReply, HttpRequest, Memory, Reading, SourceKind, converse,
};
use crate::config::Settings;

type OnTool<'s> = Box<dyn FnMut(&str, &serde_json::Value) -> Result<String, Failure> + 's>;
type OnHttp<'s> = Box<dyn FnMut(&HttpRequest) -> Result<HttpReply, Failure> + 's>;

/// What the outside answers.
pub(crate) struct Script<'s> {
    /// Now.
    pub(crate) at: DateTime<Utc>,
    files: Vec<(FoundFile, Vec<u8>)>,
    http: OnHttp<'s>,
    pub(crate) tool: OnTool<'s>,
    pub(crate) output: Vec<u8>,
}

/// A file of a script.
pub(crate) fn file(path: &str, id: u64, bytes: impl AsRef<[u8]>) -> (FoundFile, Vec<u8>) {
    let bytes = bytes.as_ref().to_vec();
    let size = bytes.len() as u64;
    (FoundFile { path: path.to_owned(), size, changed: i64::try_from(size).unwrap(), id }, bytes)
}

impl<'s> Script<'s> {
    /// Nothing is there.
    pub(crate) fn new() -> Self {
        Self {
            at: "2026-09-26T12:00:00Z".parse().unwrap(),
            files: Vec::new(),
            http: Box::new(|_| Err(Failure::Unreachable("no server in this script".to_owned()))),
            tool: Box::new(|_, _| Err(Failure::Unreachable("no server in this script".to_owned()))),
            output: Vec::new(),
        }
    }

    /// With files.
    pub(crate) fn with_files(files: impl IntoIterator<Item = (FoundFile, Vec<u8>)>) -> Self {
        Self { files: files.into_iter().collect(), ..Self::new() }
    }

    /// With a server.
    pub(crate) fn with_http(http: impl FnMut(&HttpRequest) -> Result<HttpReply, Failure> + 's) -> Self {
        Self { http: Box::new(http), ..Self::new() }
    }

    /// With a server of tools.
    pub(crate) fn with_tools(
        tool: impl FnMut(&str, &serde_json::Value) -> Result<String, Failure> + 's,
    ) -> Self {
        Self { tool: Box::new(tool), ..Self::new() }
    }

    /// With a program's output.
    pub(crate) fn with_output(output: &[u8]) -> Self {
        Self { output: output.to_vec(), ..Self::new() }
    }

    /// One file more.
    pub(crate) fn add(&mut self, file: (FoundFile, Vec<u8>)) {
        self.files.push(file);
    }

    /// One read.
    pub(crate) fn read(
        mut self,
        kind: &SourceKind,
        settings: &Settings,
        memory: &Memory,
    ) -> Result<Reading, Failure> {
        let begin = Begin { at: self.at, zone: chrono_tz::America::Toronto, memory: memory.clone() };
        let mut conversation = (kind.begin)(settings, begin);
        converse(&mut *conversation, &mut |ask| self.answer(&ask))
    }

    fn answer(&mut self, ask: &Ask) -> Result<Answer, Failure> {
        Ok(match ask {
            Ask::Find(_) => Answer::Files(self.files.iter().map(|(found, _)| found.clone()).collect()),
            Ask::Open { path, from } => {
                let (_, bytes) = self.files.iter().find(|(found, _)| found.path == *path).unwrap();
                Answer::File(Box::new(Cursor::new(bytes[usize::try_from(*from).unwrap()..].to_vec())))
            }
            Ask::Http(request) => Answer::Http((self.http)(request)?),
            Ask::Run(_) => Answer::Output(self.output.clone()),
            Ask::Tool(call) => Answer::Tool((self.tool)(call.tool, &call.arguments)?),
        })
    }
}
