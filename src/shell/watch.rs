//! The loop: waits for whatever comes first, tells the agent, and does what it orders.
//!
//! Runs on one thread; reads run on threads of their own, which end when they are idle. It wakes up for what
//! is due, for what comes in, and once a minute for its sign of life; for nothing else.

use std::collections::BTreeMap;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use super::agent::{Agent, Incoming, Loaded, Order};
use super::alarm::{self, now};
use super::deliver::desktop::{self, Notice};
use super::files::{Changed, Files, Place, Settling};
use super::folder::DataFolder;
use super::lock::{Lock, LockError};
use super::receive::{Listener, listen};
use super::sources::LiveSource;
use super::supervisor;
use super::transport::Outside;
use crate::connectors::source::Failure;
use crate::store::{Message, Session, Store, StoreError, fault};

/// Threads that wait for reads, names of hosts, files that were posted and the desktop; idle ones end.
const THREADS_MAX: usize = 64;
/// How long what still runs may take to end.
const END_TIME: Duration = Duration::from_secs(2);

/// Why a watch cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// Another one has the folder.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The journal.
    #[error("the journal `{path}`: {error}")]
    Journal {
        /// Where it lies.
        path: String,
        /// What is wrong.
        error: StoreError,
    },
    /// There is no rule set, neither in the files nor in the journal.
    #[error("{0}")]
    NoRules(String),
    /// The system.
    #[error("{0}")]
    System(String),
}

/// Whom the watch speaks to, and where the owner's files come from.
pub trait Front {
    /// Reads the owner's files.
    ///
    /// # Errors
    /// When they cannot be used: what is wrong, as it is to be shown.
    fn load(&mut self) -> Result<Loaded, String>;

    /// Files and folders whose change means that they are to be read again.
    fn places(&self) -> Vec<(PathBuf, &'static [&'static str])>;

    /// The address of the dead-man switch, and whether it may be private.
    fn ping(&self) -> Option<(String, bool)>;

    /// Shows a message.
    ///
    /// # Errors
    /// When nobody can see it.
    fn show(&mut self, message: &Message) -> io::Result<()>;

    /// The same as a notice of the desktop; `None` where no notice is wanted.
    fn notice(&self, message: &Message) -> Option<Notice>;

    /// Says something about the watch itself.
    fn say(&mut self, text: &str);
}

/// Watches until it is asked to end.
///
/// # Errors
/// When another watch has the folder, there are no rules, or the journal cannot be used.
pub fn run(folder: &DataFolder, front: &mut dyn Front) -> Result<(), WatchError> {
    let system = |error: io::Error| WatchError::System(error.to_string());
    folder.make().map_err(system)?;
    let _lock = Lock::take(&folder.lock(), &format!("`verger watch` (process {})", std::process::id()))?;
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS_MAX)
        .build()
        .map_err(system)?;
    let watched = runtime.block_on(watch_folder(folder, front));
    runtime.shutdown_timeout(END_TIME);
    watched
}

fn begin(folder: &DataFolder) -> Result<Agent, WatchError> {
    let path = folder.journal();
    let journal = |error| WatchError::Journal { path: path.display().to_string(), error };
    let session = Session::resume(Store::open(&path).map_err(journal)?).map_err(journal)?;
    Agent::new(session, now(), std::process::id()).map_err(journal)
}

async fn watch_folder(folder: &DataFolder, front: &mut dyn Front) -> Result<(), WatchError> {
    let mut agent = begin(folder)?;
    let loaded = front.load();
    if let (Err(reason), None) = (&loaded, agent.rules()) {
        return Err(WatchError::NoRules(reason.clone()));
    }
    let (events, mut incoming) = unbounded_channel();
    let (end, ended) = watch::channel(false);
    let outside = Outside::new().map_err(|failure| WatchError::System(failure.to_string()))?;
    let mut body = Body {
        folder,
        front,
        events,
        outside,
        ended,
        handle: Handle::current(),
        opened: BTreeMap::new(),
        files: None,
        listeners: BTreeMap::new(),
        changes: unbounded_channel(),
        settling: Settling::default(),
        over: false,
    };
    let mut signals = Signals::new().map_err(|error| WatchError::System(error.to_string()))?;
    body.watch_files(&[]);
    body.tell(&mut agent, Incoming::Loaded(loaded.map(Box::new))).await?;
    supervisor::ready();
    let mut heart = supervisor::Heart::default();
    while !body.over {
        let next = tokio::select! {
            Some(event) = incoming.recv() => Some(event),
            Some(changed) = body.changes.1.recv() => {
                body.settling.note(changed, tokio::time::Instant::now());
                None
            }
            () = settled(body.settling.next()) => None,
            asked = signals.next() => Some(match asked {
                Asked::End => Incoming::Stop,
                Asked::Reload => Incoming::Loaded(body.front.load().map(Box::new)),
            }),
            () = alarm::until(wake(&agent)) => Some(Incoming::Wake),
        };
        if let Some(event) = next {
            body.tell(&mut agent, event).await?;
        }
        for changed in body.settling.quiet(tokio::time::Instant::now()) {
            let event = match changed {
                Changed::Owner => Incoming::Loaded(body.front.load().map(Box::new)),
                Changed::Source(name) => Incoming::Changed(name),
                Changed::Posted => Incoming::Posted,
            };
            body.tell(&mut agent, event).await?;
        }
        heart.turned(now());
        #[cfg(feature = "faults")]
        if alarm::scripted::is_over() {
            body.tell(&mut agent, Incoming::Stop).await?;
        }
    }
    supervisor::stopping();
    // Reads that are under way break off.
    let _ = end.send(true);
    Ok(())
}

/// When to wake up at the latest.
fn wake(agent: &Agent) -> Option<crate::engine::time::Instant> {
    // A clock that does not wait must not run ahead of what is being read.
    if cfg!(feature = "faults") && agent.is_reading() {
        return None;
    }
    Some(agent.next_wake())
}

async fn settled(at: Option<tokio::time::Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// What does the orders.
struct Body<'f> {
    folder: &'f DataFolder,
    front: &'f mut dyn Front,
    events: UnboundedSender<Incoming>,
    outside: Outside,
    ended: watch::Receiver<bool>,
    handle: Handle,
    /// Files that the last read of a source opened.
    opened: BTreeMap<String, std::sync::mpsc::Receiver<Vec<PathBuf>>>,
    files: Option<Files>,
    listeners: BTreeMap<String, (String, Listener)>,
    changes: (UnboundedSender<Changed>, UnboundedReceiver<Changed>),
    settling: Settling,
    over: bool,
}

impl Body<'_> {
    /// Tells the agent, and does what it orders.
    async fn tell(&mut self, agent: &mut Agent, event: Incoming) -> Result<(), WatchError> {
        let path = self.folder.journal();
        let journal = |error| WatchError::Journal { path: path.display().to_string(), error };
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            for order in agent.handle(now(), event).map_err(journal)? {
                self.obey(order, &mut events).await;
            }
        }
        Ok(())
    }

    async fn obey(&mut self, order: Order, events: &mut Vec<Incoming>) {
        match order {
            Order::Read { source, memory, zone } => self.read(*source, memory, zone),
            Order::HandOver(message) => {
                fault::point();
                let result = self.front.show(&message).map_err(|error| error.to_string());
                fault::point();
                if let Some(notice) = self.front.notice(&message) {
                    self.notify(notice);
                }
                events.push(Incoming::Handed { message: message.message, result });
            }
            Order::Say(text) => self.front.say(&text),
            Order::Sources(sources) => {
                self.watch_files(&sources);
                self.listen(&sources).await;
            }
            Order::Ping => self.ping(),
            Order::Received(name) => self.clear_received(&name),
            Order::End => self.over = true,
        }
    }

    /// On a thread of its own; what it comes to is an event.
    fn read(
        &mut self,
        source: LiveSource,
        memory: crate::connectors::source::Memory,
        zone: crate::engine::time::Zone,
    ) {
        let (events, handle) = (self.events.clone(), self.handle.clone());
        let (outside, ended) = (self.outside.clone(), self.ended.clone());
        let (opened, files) = std::sync::mpsc::channel();
        self.opened.insert(source.name.clone(), files);
        self.handle.spawn_blocking(move || {
            let mut transport = outside.transport(handle, ended);
            let name = source.name.clone();
            let at = now();
            // A kind that breaks on what it is given must not take the watch with it.
            let reading = AssertUnwindSafe(|| source.read(at, zone, memory, &mut transport));
            let result = std::panic::catch_unwind(reading)
                .unwrap_or_else(|_| Err(Failure::Broken("reading it broke this program's rules".to_owned())));
            let _ = opened.send(transport.close());
            let _ = events.send(Incoming::Read { name, result });
        });
    }

    fn notify(&self, notice: Notice) {
        self.handle.spawn_blocking(move || {
            // The terminal has the message: a desktop that is not there is no loss.
            let _ = desktop::show(&notice);
        });
    }

    fn ping(&self) {
        let Some((url, allow_private)) = self.front.ping() else { return };
        let outside = self.outside.clone();
        self.handle.spawn(async move {
            // Whoever waits for the ping tells when it does not come.
            let _ = outside.ping(&url, allow_private).await;
        });
    }

    fn watch_files(&mut self, sources: &[LiveSource]) {
        let mut places: Vec<Place> = self
            .front
            .places()
            .into_iter()
            .map(|(path, endings)| Place { path, endings, changed: Changed::Owner })
            .collect();
        places.push(Place { path: self.folder.bell(), endings: &[], changed: Changed::Posted });
        for source in sources {
            for path in source.watched() {
                places.push(Place { path, endings: &[], changed: Changed::Source(source.name.clone()) });
            }
        }
        match Files::watch(places, self.changes.0.clone()) {
            Ok((files, refused)) => {
                self.files = Some(files);
                for reason in refused {
                    self.front.say(&reason);
                }
            }
            Err(error) => self.front.say(&format!("changes of files are not noticed: {error}")),
        }
    }

    /// Listens for the sources that want it; those that listen already go on.
    async fn listen(&mut self, sources: &[LiveSource]) {
        let mut before = std::mem::take(&mut self.listeners);
        for source in sources {
            let Some((address, folder)) = source.listens() else { continue };
            let token = match source.secret("token") {
                Ok(Some(token)) => token,
                Ok(None) => continue,
                Err(failure) => {
                    self.front.say(&format!("source `{}` does not listen: {failure}", source.name));
                    continue;
                }
            };
            let key = format!("{address} {token}");
            if let Some((known, listener)) = before.remove(&source.name) {
                if known == key {
                    self.listeners.insert(source.name.clone(), (known, listener));
                    continue;
                }
                listener.close().await;
            }
            let (came, mut coming) = unbounded_channel();
            match listen((&source.name, address), token, folder, came).await {
                Ok(listener) => {
                    let events = self.events.clone();
                    self.handle.spawn(async move {
                        while let Some(name) = coming.recv().await {
                            let _ = events.send(Incoming::Changed(name));
                        }
                    });
                    self.listeners.insert(source.name.clone(), (key, listener));
                }
                Err(error) => {
                    self.front
                        .say(&format!("source `{}` does not listen at {address}: {error}", source.name));
                }
            }
        }
    }

    /// Removes what a listener had kept and a read that is in the journal opened.
    #[expect(clippy::disallowed_methods, reason = "removes files that the watch itself wrote")]
    fn clear_received(&mut self, name: &str) {
        let folder = self.folder.received(name);
        let opened = self.opened.remove(name).and_then(|files| files.try_recv().ok()).unwrap_or_default();
        for path in opened.iter().filter(|path| path.starts_with(&folder)) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// What the owner or the system asks for.
enum Asked {
    End,
    Reload,
}

#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    _file_size: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // A file that reaches its limit is an error of the write, and must not end the process.
        let file_size = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            _file_size: signal(file_size)?,
        })
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.terminate.recv() => Asked::End,
            _ = self.interrupt.recv() => Asked::End,
            _ = self.hang_up.recv() => Asked::Reload,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Asked {
        // Without it nobody could end the watch.
        let _ = tokio::signal::ctrl_c().await;
        Asked::End
    }
}
