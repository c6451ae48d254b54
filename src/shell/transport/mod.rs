//! The outside that a read asks: one file a kind of question. Runs on a thread of its own, where waiting
//! harms nobody; every question has its limits of time and size.

mod files;
mod http;
mod program;
mod tool;

use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::watch;

use self::http::Clients;
use self::tool::Tools;
use crate::connectors::source::{Answer, Ask, Failure};

/// What all reads share: connections.
#[derive(Clone, Debug)]
pub struct Outside {
    clients: Arc<Clients>,
}

impl Outside {
    /// Prepares connections; none is made yet.
    ///
    /// # Errors
    /// When the system has no random numbers or no roots of trust.
    pub fn new() -> Result<Self, Failure> {
        Ok(Self { clients: Arc::new(Clients::new()?) })
    }

    /// The outside of one read, which breaks off as soon as `end` says so.
    #[must_use]
    pub fn transport(&self, runtime: Handle, end: watch::Receiver<bool>) -> Transport {
        Transport { clients: self.clients.clone(), tools: Tools::default(), runtime, end, opened: Vec::new() }
    }

    /// Asks an address and forgets the answer: the dead-man switch.
    ///
    /// # Errors
    /// When nobody answers well.
    pub async fn ping(&self, url: &str, allow_private: bool) -> Result<(), Failure> {
        self.clients.ping(url, allow_private).await
    }
}

/// The outside of one read.
#[derive(Debug)]
pub struct Transport {
    clients: Arc<Clients>,
    tools: Tools,
    runtime: Handle,
    end: watch::Receiver<bool>,
    opened: Vec<PathBuf>,
}

impl Transport {
    /// Answers one question.
    ///
    /// # Errors
    /// When the outside does not.
    pub fn ask(&mut self, ask: Ask) -> Result<Answer, Failure> {
        let Self { clients, tools, runtime, end, opened } = self;
        let answering = async {
            match ask {
                Ask::Http(request) => clients.exchange(&request).await.map(Answer::Http),
                Ask::Find(search) => files::find(&search).map(Answer::Files),
                Ask::Open { path, from } => {
                    opened.push(PathBuf::from(&path));
                    files::open(&path, from).map(Answer::File)
                }
                Ask::Run(program) => program::run(&program).await.map(Answer::Output),
                Ask::Tool(call) => tools.call(clients, &call).await.map(Answer::Tool),
            }
        };
        runtime.block_on(async {
            tokio::select! {
                answer = answering => answer,
                // An end whose sender is gone is one too.
                _ = end.wait_for(|over| *over) => Err(Failure::Broken("the watch ends".to_owned())),
            }
        })
    }

    /// Ends what is still connected, and says which files were opened.
    pub fn close(mut self) -> Vec<PathBuf> {
        self.runtime.block_on(self.tools.close());
        self.opened
    }
}
