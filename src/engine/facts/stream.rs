//! The items of one stream.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::record::Field;
use crate::engine::time::Instant;

/// When an item is: half-open; start and end are the same for an item without length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ItemSpan {
    /// First instant.
    pub start: Instant,
    /// One past the last.
    pub end: Instant,
}

impl ItemSpan {
    fn length_ms(self) -> i64 {
        self.end.0.saturating_sub(self.start.0)
    }

    /// True when some of it is at or after an instant; without length it counts at its start.
    fn reaches(self, start: Instant) -> bool {
        self.end > start || (self.start == self.end && self.start >= start)
    }

    /// True when it overlaps `[start, end)`.
    #[must_use]
    pub fn overlaps(self, start: Instant, end: Instant) -> bool {
        self.start < end && self.reaches(start)
    }
}

/// One item as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: Arc<str>,
    /// One value a declared field.
    pub fields: Arc<[Option<Field>]>,
    /// When it was first learnt.
    pub learnt: Instant,
    /// When it is.
    pub span: Option<ItemSpan>,
}

/// What an update was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upsert {
    /// A new id.
    New,
    /// A known id with other fields or another time.
    Changed,
    /// Nothing new.
    Same,
}

/// The items of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamFacts {
    items: BTreeMap<Arc<str>, Arc<Item>>,
    #[serde(with = "starts")]
    starts: BTreeMap<(Instant, Arc<str>), Instant>,
    /// How many items there are of each length in milliseconds: the longest says how far before a window an
    /// item that reaches into it may start.
    lengths: BTreeMap<i64, u32>,
}

/// A map with a pair as its key is saved as a list.
mod starts {
    use super::{Arc, BTreeMap, Deserialize, Instant, Serialize};

    type Starts = BTreeMap<(Instant, Arc<str>), Instant>;

    pub(super) fn serialize<S: serde::Serializer>(starts: &Starts, serializer: S) -> Result<S::Ok, S::Error> {
        starts.iter().collect::<Vec<_>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Starts, D::Error> {
        Vec::<((Instant, Arc<str>), Instant)>::deserialize(deserializer)
            .map(|list| list.into_iter().collect())
    }
}

impl StreamFacts {
    /// Puts an item in, or its new version.
    pub fn upsert(
        &mut self,
        id: &Arc<str>,
        fields: &Arc<[Option<Field>]>,
        now: Instant,
        span: ItemSpan,
    ) -> Upsert {
        let known = self.items.get(id);
        if known.is_some_and(|item| item.fields == *fields && item.span == Some(span)) {
            return Upsert::Same;
        }
        let learnt = known.map_or(now, |item| item.learnt);
        let upsert = if known.is_some() { Upsert::Changed } else { Upsert::New };
        self.unlist(id);
        let count = self.lengths.entry(span.length_ms()).or_default();
        *count = count.saturating_add(1);
        self.starts.insert((span.start, id.clone()), span.end);
        let item = Item { id: id.clone(), fields: fields.clone(), learnt, span: Some(span) };
        self.items.insert(id.clone(), Arc::new(item));
        upsert
    }

    fn unlist(&mut self, id: &Arc<str>) {
        let Some(span) = self.items.get(id).and_then(|item| item.span) else { return };
        self.starts.remove(&(span.start, id.clone()));
        let length = span.length_ms();
        if let Some(count) = self.lengths.get_mut(&length) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.lengths.remove(&length);
            }
        }
    }

    /// Takes an item out; false when it is not there.
    pub fn remove(&mut self, id: &Arc<str>) -> bool {
        self.unlist(id);
        self.items.remove(id).is_some()
    }

    /// The item with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<Item>> {
        self.items.get(id)
    }

    /// The item that was learnt last.
    #[must_use]
    pub fn newest(&self) -> Option<&Arc<Item>> {
        self.items.values().max_by_key(|item| item.learnt)
    }

    /// Items whose span overlaps `[start, end)`, by start, then id. An item without length counts at its
    /// start.
    pub fn overlapping(&self, start: Instant, end: Instant) -> impl Iterator<Item = &Arc<Item>> {
        let longest = self.lengths.last_key_value().map_or(0, |(length, _)| *length);
        let from = Instant(start.0.saturating_sub(longest));
        let listed = self.starts.range((from, Arc::from(""))..);
        listed
            .take_while(move |((begins, _), _)| *begins < end)
            .filter(move |((begins, _), ends)| ItemSpan { start: *begins, end: **ends }.reaches(start))
            .filter_map(|((_, id), _)| self.items.get(id))
    }

    /// The first start at or after an instant.
    #[must_use]
    pub fn next_start_at_or_after(&self, instant: Instant) -> Option<Instant> {
        self.starts.range((instant, Arc::from(""))..).next().map(|((start, _), _)| *start)
    }

    /// Forgets items that ended before an instant. Their ids are forgotten too: whoever feeds records refuses
    /// what is that old.
    pub fn prune(&mut self, before: Instant) {
        let gone: Vec<Arc<str>> = self
            .starts
            .iter()
            .take_while(|((start, _), _)| *start < before)
            .filter(|(_, end)| **end < before)
            .map(|((_, id), _)| id.clone())
            .collect();
        for id in gone {
            self.remove(&id);
        }
    }
}
