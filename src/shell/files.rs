//! Notices changes of files: the owner's own, those of sources, and the bell that commands ring.
//!
//! A change is told once it has been quiet for a moment, since editors and exports write in several steps.
//! Folders are watched, not files, because editors save by renaming.
#![expect(clippy::disallowed_methods, reason = "looks which folders are there")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

/// How long nothing may change before a change is told.
const QUIET: Duration = Duration::from_millis(300);

/// After this long it is told although it goes on changing.
const LONGEST: Duration = Duration::from_secs(3);

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed {
    /// The rules, or what is beside them.
    Owner,
    /// What this source reads.
    Source(String),
    /// A command wrote to the inbox.
    Posted,
}

/// A place, and what a change there means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// A file or folder; it need not be there yet.
    pub path: PathBuf,
    /// How names must end, without the dot; empty for all.
    pub endings: &'static [&'static str],
    /// What a change means.
    pub changed: Changed,
}

/// The watching of a set of places.
pub struct Files {
    // Dropping it ends the watching.
    _watcher: RecommendedWatcher,
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Files")
    }
}

impl Files {
    /// Watches places from now on. Those that cannot be watched are named in what comes back: they are only
    /// read at their intervals.
    ///
    /// # Errors
    /// When the system watches nothing at all.
    pub fn watch(
        mut places: Vec<Place>,
        told: UnboundedSender<Changed>,
    ) -> notify::Result<(Self, Vec<String>)> {
        for place in &mut places {
            // Events name whole paths.
            place.path = std::path::absolute(&place.path).map_err(notify::Error::io)?;
        }
        let folders = folders(&places);
        let seen = places.clone();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            for changed in meant(&event, &seen) {
                // The loop that listened may be over.
                let _ = told.send(changed);
            }
        })?;
        let mut refused = Vec::new();
        for (folder, mode) in folders {
            if let Err(error) = watcher.watch(&folder, mode) {
                // Without the paths: the folder is named already.
                let reason = notify::Error { paths: Vec::new(), ..error };
                refused.push(format!("`{}` cannot be watched: {reason}", folder.display()));
            }
        }
        Ok((Self { _watcher: watcher }, refused))
    }
}

/// Which folders tell of all places: a folder with all below it; for a file, and for what is not there, the
/// nearest folder that is.
fn folders(places: &[Place]) -> BTreeMap<PathBuf, RecursiveMode> {
    let mut folders = BTreeMap::new();
    for place in places {
        if place.path.is_dir() {
            folders.insert(place.path.clone(), RecursiveMode::Recursive);
        }
        // Also beside it: it may be replaced as a whole.
        let parent = place.path.ancestors().skip(1).find(|folder| folder.is_dir());
        if let Some(parent) = parent {
            folders.entry(parent.to_owned()).or_insert(RecursiveMode::NonRecursive);
        }
    }
    folders
}

/// What an event means; reading a file is no change.
fn meant(event: &Event, places: &[Place]) -> Vec<Changed> {
    if matches!(event.kind, EventKind::Access(_)) {
        return Vec::new();
    }
    let hit = |place: &&Place| event.paths.iter().any(|path| is_of(path, place));
    places.iter().filter(hit).map(|place| place.changed.clone()).collect()
}

fn is_of(path: &Path, place: &Place) -> bool {
    let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    if path == place.path || place.path.starts_with(path) {
        return true;
    }
    let wanted = || {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        place.endings.is_empty() || place.endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
    };
    path.starts_with(&place.path) && !hidden && wanted()
}

/// Changes that wait until it is quiet.
#[derive(Debug, Default)]
pub struct Settling {
    /// When each was noticed first, and when it is told.
    waiting: BTreeMap<Changed, (Instant, Instant)>,
}

impl Settling {
    /// Something changed.
    pub fn note(&mut self, changed: Changed, now: Instant) {
        // A command waits for its answer, and writes in one step.
        let quiet = if changed == Changed::Posted { Duration::ZERO } else { QUIET };
        let (first, at) = self.waiting.entry(changed).or_insert((now, now));
        // Whoever writes all the time is read all the same.
        *at = (now + quiet).min(*first + LONGEST);
    }

    /// When the next one is quiet.
    #[must_use]
    pub fn next(&self) -> Option<Instant> {
        self.waiting.values().map(|(_, at)| *at).min()
    }

    /// Those that are quiet.
    pub fn quiet(&mut self, now: Instant) -> Vec<Changed> {
        let ready: Vec<_> = self
            .waiting
            .iter()
            .filter(|(_, (_, at))| *at <= now)
            .map(|(changed, _)| changed.clone())
            .collect();
        self.waiting.retain(|_, (_, at)| *at > now);
        ready
    }
}
