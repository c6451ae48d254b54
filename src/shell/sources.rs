//! A source as the watch reads it: its kind, its settings with whole paths, and how it is read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::secret;
use super::transport::Transport;
use crate::config::{Entry, Form, Setting, Settings, Written};
use crate::connectors::SOURCES;
use crate::connectors::source::{Begin, Failure, Memory, Reading, SourceKind, converse};
use crate::engine::time::{Instant, Zone};

/// A source.
#[derive(Clone, Debug)]
pub struct LiveSource {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: &'static SourceKind,
    /// Milliseconds between two reads; `None` when only a change starts one.
    pub every: Option<i64>,
    /// What the rule set calls its signals and streams.
    pub names: BTreeMap<String, String>,
    settings: Settings,
    home: PathBuf,
}

/// Equal when a read of both would ask the same.
impl PartialEq for LiveSource {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.kind.name, self.every, &self.names, &self.settings, &self.home)
            == (&other.name, other.kind.name, other.every, &other.names, &other.settings, &other.home)
    }
}

impl LiveSource {
    /// Of an entry; relative paths are below `home`, and `~/` is `owner`. `received` is where the listener of
    /// a source keeps what it was sent.
    #[must_use]
    pub fn of(entry: &Entry, home: &Path, owner: Option<&Path>, received: &Path) -> Option<Self> {
        let kind = SOURCES.iter().find(|kind| kind.name == entry.kind)?;
        let mut settings = entry.settings.clone();
        for option in kind.options.iter().filter(|option| matches!(option.form, Form::Path)) {
            let Some(text) = settings.text(option.key) else { continue };
            let path = match (text.strip_prefix("~/"), owner) {
                (Some(rest), Some(owner)) => owner.join(rest),
                _ => home.join(text),
            };
            settings.set(option.key, plain(&path));
        }
        if settings.has("listen") {
            settings.set("received", plain(received));
        }
        Some(Self {
            name: entry.name.clone(),
            kind,
            every: entry.every,
            names: entry.names.clone(),
            settings,
            home: home.to_owned(),
        })
    }

    /// Files and folders whose change starts a read.
    pub fn watched(&self) -> impl Iterator<Item = PathBuf> {
        let keys = self.kind.options.iter().filter(|option| matches!(option.form, Form::Path));
        keys.filter_map(|option| self.settings.text(option.key)).map(PathBuf::from)
    }

    /// Where it listens, with the folder for what comes.
    #[must_use]
    pub fn listens(&self) -> Option<(&str, PathBuf)> {
        Some((self.settings.text("listen")?, PathBuf::from(self.settings.text("received")?)))
    }

    /// A secret or text of its settings, looked up.
    ///
    /// # Errors
    /// When it is not where it is kept.
    pub fn secret(&self, key: &str) -> Result<Option<String>, Failure> {
        let settings = self.settings.resolve(&mut |kept| secret::look_up(kept, &self.home))?;
        Ok(settings.text(key).map(str::to_owned))
    }

    /// Reads it once.
    ///
    /// # Errors
    /// When the read does not work.
    pub fn read(
        &self,
        at: Instant,
        zone: Zone,
        memory: Memory,
        transport: &mut Transport,
    ) -> Result<Reading, Failure> {
        let settings = self.settings.resolve(&mut |kept| secret::look_up(kept, &self.home))?;
        let at = DateTime::<Utc>::from_timestamp_millis(at.0).unwrap_or_default();
        let mut conversation = (self.kind.begin)(&settings, Begin { at, zone: zone.0, memory });
        converse(&mut *conversation, &mut |ask| transport.ask(ask))
    }
}

fn plain(path: &Path) -> Setting {
    Setting::Text(Written::Plain(path.display().to_string()))
}
