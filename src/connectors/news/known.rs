//! The stories that a source has told: what makes a telling of today the one of yesterday.
//!
//! A telling is a known story when its title is equal or its path is, within the hours that a story lives;
//! when both are, at any time; or when its guid is, and date or path agree (an edited title). A path or guid
//! that several tellings of one read have names a page or nothing, and says nothing in that read.
//!
//! Never reads a text; compares hashes, so that what is kept is small.
//!
//! Invariants: a story keeps its id and its earliest date; at most [`STORIES_MAX`] are kept.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::{TOLD_WITHIN_HOURS, hash, path_key, story_id, title_key};

/// Stories of one source.
pub const STORIES_MAX: usize = 1_000;
/// Days for which a story is kept that the source does not show any more.
const KEPT_DAYS: i64 = 14;
/// Titles with one path in one read from which on that is no path of a story.
const PAGE_FROM: usize = 3;

/// A telling, as the source shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// What the source itself calls it.
    pub guid: Option<String>,
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// When it was published, at most now.
    pub published: DateTime<Utc>,
}

/// A story that was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Story {
    id: String,
    /// Hashes of title, path and guid of its newest telling.
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guid: Option<String>,
    /// Seconds since 1970: when it was published first, what its newest telling said, when it was last shown.
    published: i64,
    said: i64,
    shown: i64,
}

/// All stories of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stories(Vec<Story>);

/// Story and date of a telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The story's id.
    pub id: String,
    /// When it was published first.
    pub published: DateTime<Utc>,
}

impl Stories {
    /// The stories of a read's tellings, in their order; `scope` is whose stories they are.
    pub fn settle(&mut self, scope: &str, tellings: &[Telling], now: DateTime<Utc>) -> Vec<Settled> {
        let counts = Counts::of(tellings);
        // The earliest first: it gives its story the name, in whatever order a source shows them.
        let mut order: Vec<usize> = (0..tellings.len()).collect();
        order.sort_by_key(|index| tellings.get(*index).map(|telling| telling.published));
        let mut settled: BTreeMap<usize, Settled> = BTreeMap::new();
        for index in order {
            if let Some(telling) = tellings.get(index) {
                settled.insert(index, self.settle_one(scope, telling, &counts, now));
            }
        }
        self.0.sort_by(|a, b| (b.shown, &b.id).cmp(&(a.shown, &a.id)));
        self.0.truncate(STORIES_MAX);
        let from = now.timestamp().saturating_sub(KEPT_DAYS.saturating_mul(86_400));
        self.0.retain(|story| story.shown >= from);
        settled.into_values().collect()
    }

    fn settle_one(&mut self, scope: &str, telling: &Telling, counts: &Counts, now: DateTime<Utc>) -> Settled {
        let said = telling.published.timestamp();
        let keys = counts.keys(telling);
        let found = self.0.iter_mut().find(|story| keys.is_of(story, said));
        if let Some(story) = found {
            story.title = keys.title;
            story.path = keys.path.or(story.path.take());
            story.guid = keys.guid.or(story.guid.take());
            story.published = story.published.min(said);
            story.said = said;
            story.shown = now.timestamp();
            let published = DateTime::from_timestamp(story.published, 0).unwrap_or(telling.published);
            return Settled { id: story.id.clone(), published };
        }
        let mut id = story_id(scope, &telling.title, telling.published);
        if self.0.iter().any(|story| story.id == id) {
            // The same title later in one week: a story of its own by its day.
            id = format!("{id}-{}", telling.published.format("%m%d"));
        }
        self.0.push(Story {
            id: id.clone(),
            title: keys.title,
            path: keys.path,
            guid: keys.guid,
            published: said,
            said,
            shown: now.timestamp(),
        });
        Settled { id, published: DateTime::from_timestamp(said, 0).unwrap_or(telling.published) }
    }
}

/// What a telling can be known by.
struct Keys {
    title: String,
    path: Option<String>,
    guid: Option<String>,
}

impl Keys {
    fn is_of(&self, story: &Story, said: i64) -> bool {
        let path = self.path.is_some() && self.path == story.path;
        let guid = self.guid.is_some() && self.guid == story.guid;
        let title = self.title == story.title;
        // From its first date, or a title that comes every day would be one story for ever.
        let near = said.abs_diff(story.published)
            <= TimeDelta::hours(TOLD_WITHIN_HOURS).num_seconds().unsigned_abs();
        (near && (path || title)) || (path && title) || (guid && (path || said == story.said))
    }
}

/// How many titles share a path or a guid in one read.
struct Counts {
    paths: BTreeMap<String, Vec<String>>,
    guids: BTreeMap<String, Vec<String>>,
}

impl Counts {
    fn of(tellings: &[Telling]) -> Self {
        let mut counts = Self { paths: BTreeMap::new(), guids: BTreeMap::new() };
        for telling in tellings {
            let title = title_key(&telling.title);
            let path = path_key(&telling.url);
            for (names, name) in [(&mut counts.paths, path), (&mut counts.guids, telling.guid.clone())] {
                let Some(name) = name else { continue };
                let titles = names.entry(name).or_default();
                if !titles.contains(&title) && titles.len() < PAGE_FROM {
                    titles.push(title.clone());
                }
            }
        }
        counts
    }

    fn keys(&self, telling: &Telling) -> Keys {
        let few = |titles: Option<&Vec<String>>, most: usize| titles.is_none_or(|titles| titles.len() < most);
        let path = path_key(&telling.url).filter(|path| few(self.paths.get(path), PAGE_FROM));
        let guid = telling.guid.clone().filter(|guid| few(self.guids.get(guid), 2));
        Keys {
            title: hash(&[&title_key(&telling.title)]),
            path: path.map(|path| hash(&[&path])),
            guid: guid.map(|guid| hash(&[&guid])),
        }
    }
}
