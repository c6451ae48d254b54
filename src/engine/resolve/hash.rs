//! Hashes that reformatting does not change: of a whole set, and of the part of a rule that its state
//! depends on.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Inputs;
use crate::engine::source::Sources;
use crate::engine::syntax::ast::{self, ClauseKind, ItemKind};

/// Hex digits of a hash.
const HEX_DIGITS: usize = 32;

/// The hash of a set: its definitions but the tests, and the scripts, in canonical form and order.
pub(super) fn set(files: &[ast::File], sources: &Sources, inputs: &Inputs) -> Arc<str> {
    let mut texts: Vec<String> = Vec::new();
    for file in files {
        for item in file.items.iter().filter(|item| !matches!(item.kind, ItemKind::Test(_))) {
            texts.push(canonical(item, sources));
            if let ItemKind::Function(function) = &item.kind {
                texts.extend(inputs.scripts.get(&function.from.node).cloned());
            }
        }
    }
    texts.sort_unstable();
    digest(texts.iter().map(String::as_str))
}

/// The hash of what the state of a rule depends on: cause, condition, hold, clear, gather and key, and the
/// `let`s that these may read.
pub(super) fn state(sources: &Sources, rule: &ast::Rule) -> Arc<str> {
    let relevant = |clause: &&ast::Clause| {
        matches!(
            clause.kind,
            ClauseKind::Let(..)
                | ClauseKind::On(..)
                | ClauseKind::When(_)
                | ClauseKind::And(_)
                | ClauseKind::Or(_)
                | ClauseKind::For(_)
                | ClauseKind::ClearWhen(_)
                | ClauseKind::Gather(_)
                | ClauseKind::OncePer(_)
        )
    };
    let clauses: Vec<ast::Clause> = rule.clauses.iter().filter(relevant).cloned().collect();
    let reduced = ast::Rule { name: rule.name.clone(), title: None, clauses };
    let item = ast::Item { span: rule.name.span, kind: ItemKind::Rule(reduced), broken: false };
    let text = canonical(&item, sources);
    digest([text.as_str()])
}

/// A definition in canonical form, without comments.
fn canonical(item: &ast::Item, sources: &Sources) -> String {
    let words = |span| {
        let text = sources.get(item.span.file).map_or("", |file| file.slice(span));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    match &item.kind {
        ItemKind::Rule(rule) => {
            rule.clauses.iter().map(|clause| words(clause.span)).collect::<Vec<_>>().join("\n")
        }
        _ => words(item.span),
    }
}

fn digest<'t>(texts: impl IntoIterator<Item = &'t str>) -> Arc<str> {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.as_bytes());
        hasher.update([0]);
    }
    let mut hex: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(HEX_DIGITS);
    hex.into()
}
