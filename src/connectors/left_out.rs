//! Counts of what a file holds and its importer does not read, by kind, and the sentence about them.
//!
//! Never an error: an export holds much more than there are signals. But what is not said vanishes silently.
//!
//! Invariants: at most `KINDS_MAX` kinds are held, at most `KINDS_SHOWN_MAX` are named, each by at most
//! `NAME_MAX` characters, none of which moves a cursor.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Kinds that are told apart.
const KINDS_MAX: usize = 500;
/// Kinds that a sentence names.
const KINDS_SHOWN_MAX: usize = 8;
/// Characters of a kind's name.
const NAME_MAX: usize = 60;

/// Counts by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    kinds: BTreeMap<String, u64>,
    /// Of kinds beyond the limit.
    beyond: u64,
}

impl LeftOut {
    /// Counts some things of a kind.
    pub fn add(&mut self, kind: &str, count: u64) {
        if let Some(held) = self.kinds.get_mut(kind) {
            *held = held.saturating_add(count);
            return;
        }
        if count == 0 {
            return;
        }
        let name = tidy(kind);
        if self.kinds.len() < KINDS_MAX || self.kinds.contains_key(&name) {
            let held = self.kinds.entry(name).or_default();
            *held = held.saturating_add(count);
        } else {
            self.beyond = self.beyond.saturating_add(count);
        }
    }

    /// Adds the counts of another.
    pub fn extend(&mut self, other: &Self) {
        for (kind, count) in &other.kinds {
            self.add(kind, *count);
        }
        self.beyond = self.beyond.saturating_add(other.beyond);
    }

    /// The most frequent kinds, then by name; nothing when nothing was left out.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let mut kinds: Vec<_> = self.kinds.iter().map(|(kind, count)| (Reverse(*count), kind)).collect();
        kinds.sort_unstable();
        let (named, rest) = kinds.split_at(kinds.len().min(KINDS_SHOWN_MAX));
        let mut parts: Vec<_> = named.iter().map(|(count, kind)| format!("{} of {kind}", count.0)).collect();
        let more = rest.iter().fold(self.beyond, |sum, (count, _)| sum.saturating_add(count.0));
        if more > 0 {
            let others = match (rest.len(), self.beyond) {
                (1, 0) => "another kind".to_owned(),
                (others, 0) => format!("{others} other kinds"),
                (others, _) => format!("more than {others} other kinds"),
            };
            parts.push(format!("{more} of {others}"));
        }
        (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")))
    }
}

/// A name from outside on one line.
fn tidy(kind: &str) -> String {
    let plain = kind.chars().map(|letter| if letter.is_control() { '?' } else { letter });
    let name: String = plain.take(NAME_MAX).collect();
    if name.trim().is_empty() { "no name".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_first_then_by_name() {
        let mut left_out = LeftOut::default();
        assert_eq!(left_out.note(), None);
        for (kind, count) in
            [("b", 3), ("a", 3), ("weight_body_mass", 19), ("weight_body_mass", 1), ("none", 0)]
        {
            left_out.add(kind, count);
        }
        assert_eq!(left_out.note().unwrap(), "left out: 20 of weight_body_mass, 3 of a, 3 of b");
    }

    #[test]
    fn the_sentence_is_bounded() {
        let mut left_out = LeftOut::default();
        for kind in 0..9 {
            left_out.add(&format!("kind {kind}"), 1);
        }
        assert!(left_out.note().unwrap().ends_with("1 of kind 7, 1 of another kind"), "{left_out:?}");
        for kind in 0..10_000 {
            left_out.add(&format!("{kind}{}", "x".repeat(1000)), 1);
        }
        let note = left_out.note().unwrap();
        assert!(note.ends_with("of more than 492 other kinds"), "{note}");
        assert!(note.chars().count() < 800 && left_out.kinds.len() == KINDS_MAX, "{note}");
    }

    #[test]
    fn names_cannot_move_the_cursor() {
        let mut left_out = LeftOut::default();
        for kind in ["\u{1b}[2J", "\u{1b}[2J", " ", ""] {
            left_out.add(kind, 1);
        }
        assert_eq!(left_out.note().unwrap(), "left out: 2 of ?[2J, 2 of no name");
    }
}
