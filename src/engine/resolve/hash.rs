//! Hashes that reformatting does not change: of a whole set, and of the part of a rule that its state
//! depends on.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use super::Inputs;
use crate::engine::source::{Sources, Span};
use crate::engine::syntax::ast::{self, ItemKind};
use crate::engine::syntax::format_item;

/// Hex digits of a hash.
const HEX_DIGITS: usize = 32;

/// Words that begin the clauses which state depends on: cause, condition, hold, clear, gather and key.
const STATE_WORDS: &[&str] = &["on", "when", "and", "or", "for", "clear", "gather", "once"];

/// Definitions in canonical form by their places.
#[derive(Debug, Default)]
pub(super) struct Canonical {
    texts: FxHashMap<Span, String>,
    /// Hash of all but the tests, with the scripts.
    pub(super) hash: Arc<str>,
}

impl Canonical {
    /// Formats all definitions.
    pub(super) fn new(files: &[ast::File], sources: &Sources, inputs: &Inputs) -> Self {
        let mut texts: FxHashMap<Span, String> = FxHashMap::default();
        let mut scripts: Vec<&str> = Vec::new();
        for file in files {
            let Some(source) = sources.get(file.id) else { continue };
            for item in file.items.iter().filter(|item| !matches!(item.kind, ItemKind::Test(_))) {
                texts.insert(item.span, format_item(item, source));
                if let ItemKind::Function(function) = &item.kind {
                    scripts.extend(inputs.scripts.get(&function.from.node).map(String::as_str));
                }
            }
        }
        let mut all: Vec<&str> = texts.values().map(String::as_str).chain(scripts).collect();
        all.sort_unstable();
        let hash = digest(all);
        Self { texts, hash }
    }

    /// The hash of what the state of a rule depends on; `reads` tells the `let`s that its condition reads.
    pub(super) fn state(&self, rule: Span, reads: &dyn Fn(&str) -> bool) -> Arc<str> {
        let text = self.texts.get(&rule).map_or("", String::as_str);
        digest(text.lines().skip(1).filter(|line| {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("let") => words.next().is_some_and(reads),
                Some(word) => STATE_WORDS.contains(&word),
                None => false,
            }
        }))
    }
}

fn digest<'t>(texts: impl IntoIterator<Item = &'t str>) -> Arc<str> {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.as_bytes());
        hasher.update([0]);
    }
    let mut hex = String::with_capacity(HEX_DIGITS);
    for byte in hasher.finalize().iter().take(HEX_DIGITS / 2) {
        for digit in [byte >> 4, byte & 15] {
            hex.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    hex.into()
}
