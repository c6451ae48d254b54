//! An entry as its feed writes it, before anything is decided about it.
//!
//! Invariants: of two elements that say the same thing the better one counts, of equal ones the last; a date
//! that cannot be read does not hide one that can.

use chrono::{DateTime, Utc};

use super::date;
use crate::connectors::news::text;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Letters.
    Plain,
    /// HTML.
    Markup,
}

/// A value and how good its source is; 0 is the best.
type Ranked<T> = Option<(u8, T)>;

/// An entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// What the feed calls it, as it is written.
    pub(super) guid: Option<String>,
    /// Where it can be read, as it is written or, under an `xml:base`, made whole.
    pub(super) link: Option<String>,
    title: Ranked<(Written, String)>,
    summary: Ranked<(Written, String)>,
    published: Ranked<DateTime<Utc>>,
    updated: Ranked<DateTime<Utc>>,
    guid_rank: u8,
    link_rank: u8,
}

impl Entry {
    /// A title.
    pub(super) fn set_title(&mut self, rank: u8, written: Written, text: String) {
        set(&mut self.title, rank, (written, text));
    }

    /// A summary, or what can stand for one.
    pub(super) fn set_summary(&mut self, rank: u8, written: Written, text: String) {
        if !text.trim().is_empty() {
            set(&mut self.summary, rank, (written, text));
        }
    }

    /// A date of publication.
    pub(super) fn set_published(&mut self, rank: u8, text: &str) {
        if let Some(at) = date::parse(text) {
            set(&mut self.published, rank, at);
        }
    }

    /// A date of the last change.
    pub(super) fn set_updated(&mut self, rank: u8, text: &str) {
        if let Some(at) = date::parse(text) {
            set(&mut self.updated, rank, at);
        }
    }

    /// A name that the feed gives it.
    pub(super) fn set_guid(&mut self, rank: u8, text: &str) {
        let text = text.trim();
        if !text.is_empty() && (self.guid.is_none() || rank <= self.guid_rank) {
            self.guid = Some(text.to_owned());
            self.guid_rank = rank;
        }
    }

    /// An address. Of equal ones the first counts: a feed names the page before what belongs to it.
    pub(super) fn set_link(&mut self, rank: u8, text: &str) {
        let text = text.trim();
        if !text.is_empty() && (self.link.is_none() || rank < self.link_rank) {
            self.link = Some(text.to_owned());
            self.link_rank = rank;
        }
    }

    /// The title as a plain line; empty where there is none.
    #[must_use]
    pub(super) fn title(&self, length: usize) -> String {
        plain(self.title.as_ref(), length)
    }

    /// The summary as a plain line; empty where there is none.
    #[must_use]
    pub(super) fn summary(&self, length: usize) -> String {
        plain(self.summary.as_ref(), length)
    }

    /// When it was published, or changed where it does not say.
    #[must_use]
    pub(super) fn at(&self) -> Option<DateTime<Utc>> {
        self.published.or(self.updated).map(|(_, at)| at)
    }
}

fn set<T>(place: &mut Ranked<T>, rank: u8, value: T) {
    if place.as_ref().is_none_or(|(old, _)| rank <= *old) {
        *place = Some((rank, value));
    }
}

fn plain(value: Option<&(u8, (Written, String))>, length: usize) -> String {
    match value {
        Some((_, (Written::Plain, text))) => text::of_plain(text, length),
        Some((_, (Written::Markup, text))) => text::of_markup(text, length),
        None => String::new(),
    }
}
