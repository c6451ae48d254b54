//! `has`: does a text hold one of a list's words or phrases?
//!
//! Text and entries are folded alike (`fold`), so that neither case nor the way a letter is encoded
//! matters. An entry must begin and end at a word's edge; `*` at its end frees the ending. Letters of
//! scripts that are written without spaces have an edge on both sides. Nothing here knows lists, streams or
//! rules.
//!
//! Cut out of the engine because a folded search is the one place that needs Unicode tables.
//!
//! INVARIANT: an entry matches a text whatever the other entries are.

mod fold;

use fold::{fold, is_edge};

/// Entries of a list prepared for matching.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// By the first byte of the stem; entries that begin alike stay in the order of the list.
    entries: Vec<Entry>,
    /// First bytes that occur, so that most places of a text are passed over with one look.
    first_bytes: FirstBytes,
}

#[derive(Clone, Debug)]
struct Entry {
    written: Box<str>,
    /// Folded, without the `*`; never empty.
    stem: Box<str>,
    first: u8,
    /// Ends in `*`.
    open: bool,
}

/// A set of bytes.
#[derive(Clone, Debug, Default)]
struct FirstBytes(u128, u128);

impl FirstBytes {
    fn insert(&mut self, byte: u8) {
        match byte.checked_sub(128) {
            None => self.0 |= 1 << byte,
            Some(high) => self.1 |= 1 << high,
        }
    }

    fn has(&self, byte: u8) -> bool {
        match byte.checked_sub(128) {
            None => (self.0 >> byte) & 1 == 1,
            Some(high) => (self.1 >> high) & 1 == 1,
        }
    }
}

impl Entry {
    /// `None` for an entry that holds no letter to look for.
    fn new(written: &str) -> Option<Self> {
        let trimmed = written.trim();
        let (body, open) = trimmed.strip_suffix('*').map_or((trimmed, false), |body| (body, true));
        let stem = fold(body);
        // A blank before the `*` stays: `leg *` asks for one more word.
        let stem = if open { stem.trim_start() } else { stem.trim() };
        let first = *stem.as_bytes().first()?;
        Some(Self { written: written.into(), stem: stem.into(), first, open })
    }

    /// True when the rest of a text begins with it; the edge before is the caller's.
    fn begins(&self, rest: &str) -> bool {
        let Some(after) = rest.strip_prefix(&*self.stem) else { return false };
        self.open || is_edge(self.stem.chars().next_back(), after.chars().next())
    }
}

impl Matcher {
    /// Prepares entries; one that ends in `*` matches any ending. An empty entry, or a lone `*`, matches
    /// nothing.
    pub fn new<'a>(entries: impl IntoIterator<Item = &'a str>) -> Self {
        let mut entries: Vec<Entry> = entries.into_iter().filter_map(Entry::new).collect();
        entries.sort_by_key(|entry| entry.first);
        let mut first_bytes = FirstBytes::default();
        for entry in &entries {
            first_bytes.insert(entry.first);
        }
        Self { entries, first_bytes }
    }

    /// True when the text has one of the entries.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.matched(text).is_some()
    }

    /// The entry, as written, that the text has first; of several at one place the first of the list.
    #[must_use]
    pub fn matched(&self, text: &str) -> Option<&str> {
        if self.entries.is_empty() {
            return None;
        }
        let text = fold(text);
        let mut before = None;
        for (place, letter) in text.char_indices() {
            if is_edge(before, Some(letter))
                && let Some(entry) = self.begins_at(text.get(place..)?)
            {
                return Some(&entry.written);
            }
            before = Some(letter);
        }
        None
    }

    fn begins_at(&self, rest: &str) -> Option<&Entry> {
        let first = *rest.as_bytes().first()?;
        if !self.first_bytes.has(first) {
            return None;
        }
        let start = self.entries.partition_point(|entry| entry.first < first);
        let alike = self.entries.get(start..)?.iter().take_while(|entry| entry.first == first);
        alike.into_iter().find(|entry| entry.begins(rest))
    }
}

#[cfg(test)]
mod tests;
