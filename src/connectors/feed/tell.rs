//! From entries to lines: which are told, under which id, and what is said about the others.
//!
//! Invariants: an entry without title, `http(s)` address or date is counted by reason and never told; a date
//! in the future is now, and stays what it was at first; lines stand in the order of publication.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use url::Url;

use super::entry::Entry;
use super::xml::Document;
use crate::connectors::news::known::{self, Stories};
use crate::connectors::news::{NewsItem, SUMMARY_MAX, TITLE_MAX, is_past, web_address};

/// How a read is told.
pub(super) struct Telling<'t> {
    /// Whose news it is.
    pub(super) company: Option<&'t str>,
    /// Whose stories are compared.
    pub(super) scope: &'t str,
    /// The newest so many.
    pub(super) entries: usize,
    /// Address of the feed.
    pub(super) base: Option<&'t Url>,
    /// Now.
    pub(super) at: DateTime<Utc>,
    /// The owner's zone.
    pub(super) zone: Tz,
}

/// Why entries were left out.
#[derive(Default)]
struct LeftOut {
    title: usize,
    link: usize,
    date: usize,
}

impl LeftOut {
    fn note(&self) -> Option<String> {
        let reasons = [
            (self.title, "a title"),
            (self.link, "a web address that can be followed"),
            (self.date, "a date that can be read"),
        ];
        let parts: Vec<_> = reasons
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} without {what}"))
            .collect();
        (!parts.is_empty()).then(|| format!("entries left out: {}", parts.join(", ")))
    }
}

impl Telling<'_> {
    /// Lines and notes of a document.
    pub(super) fn of(&self, document: Document, stories: &mut Stories) -> (Vec<String>, Vec<String>) {
        let mut notes = Vec::new();
        let empty = document.entries.is_empty();
        if empty {
            notes.push("the feed has no entries".to_owned());
        }
        if document.beyond > 0 {
            notes.push(format!(
                "{} entries beyond the first {} were not read",
                document.beyond,
                super::xml::ENTRIES_MAX
            ));
        }
        if document.broken {
            notes.push(format!("the feed breaks off after {} entries", document.entries.len()));
        }
        let mut left_out = LeftOut::default();
        let mut tellings: Vec<(known::Telling, Entry)> = document
            .entries
            .into_iter()
            .filter_map(|entry| Some((self.telling(&entry, &mut left_out)?, entry)))
            .collect();
        notes.extend(left_out.note());
        // Newest first, equal ones as the feed shows them.
        tellings.sort_by_key(|(telling, _)| Reverse(telling.published));
        tellings.truncate(self.entries);
        (self.lines(&tellings, stories), notes)
    }

    fn telling(&self, entry: &Entry, left_out: &mut LeftOut) -> Option<known::Telling> {
        let title = entry.title(TITLE_MAX);
        if title.is_empty() {
            left_out.title = left_out.title.saturating_add(1);
            return None;
        }
        let Some(url) = entry.link.as_deref().and_then(|link| web_address(link, self.base)) else {
            left_out.link = left_out.link.saturating_add(1);
            return None;
        };
        let Some(at) = entry.at() else {
            left_out.date = left_out.date.saturating_add(1);
            return None;
        };
        Some(known::Telling { guid: entry.guid.clone(), title, url, published: at.min(self.at) })
    }

    fn lines(&self, tellings: &[(known::Telling, Entry)], stories: &mut Stories) -> Vec<String> {
        let keys: Vec<known::Telling> = tellings.iter().map(|(telling, _)| telling.clone()).collect();
        let settled = stories.settle(self.scope, &keys, self.at);
        // The newest telling of a story comes first and speaks for it.
        let mut items: BTreeMap<String, NewsItem> = BTreeMap::new();
        for ((telling, entry), story) in tellings.iter().zip(settled) {
            if is_past(story.published, self.at) || items.contains_key(&story.id) {
                continue;
            }
            let summary = entry.summary(SUMMARY_MAX);
            let item = NewsItem {
                id: story.id.clone(),
                company: self.company.map(str::to_owned),
                title: telling.title.clone(),
                form: None,
                url: telling.url.clone(),
                published: story.published,
                summary: (!summary.is_empty()).then_some(summary),
            };
            items.insert(story.id, item);
        }
        let mut items: Vec<NewsItem> = items.into_values().collect();
        items.sort_by(|a, b| (a.published, &a.id).cmp(&(b.published, &b.id)));
        items.iter().map(|item| item.to_line(self.at, self.zone)).collect()
    }
}
