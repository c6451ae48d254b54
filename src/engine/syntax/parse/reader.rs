//! What all builders share: places, names, texts, counts.
//!
//! Builders return `None` when they reported something; the chunk is then left out of the tree.

use std::iter::Peekable;

use pest::iterators::{Pair, Pairs};

use crate::engine::source::{FileId, Span, Spanned};
use crate::engine::syntax::ast::{Name, Template};
use crate::engine::syntax::cut;
use crate::engine::syntax::grammar::Rule;
use crate::engine::syntax::report::Problems;
use crate::engine::syntax::template;

/// A token of the grammar.
pub(in crate::engine::syntax) type Node<'t> = Pair<'t, Rule>;

/// Tokens of one level, with a look ahead.
pub(in crate::engine::syntax) type Nodes<'t> = Peekable<Pairs<'t, Rule>>;

/// Builds the tree of one chunk.
pub(in crate::engine::syntax) struct Reader<'a> {
    /// Byte offset of the parsed text in its file.
    pub(in crate::engine::syntax) base: usize,
    /// The file.
    pub(in crate::engine::syntax) file: FileId,
    /// Where findings go.
    pub(in crate::engine::syntax) problems: &'a mut Problems,
}

impl Reader<'_> {
    /// Runs a builder and makes sure that nothing is dropped without a word.
    pub(in crate::engine::syntax) fn build<T>(
        &mut self,
        node: Node<'_>,
        build: impl Fn(&mut Self, Node<'_>) -> Option<T>,
    ) -> Option<T> {
        let (place, before) = (self.span(&node), self.problems.count());
        let built = build(self, node);
        if built.is_none() && self.problems.count() == before {
            self.problems.error(place, "this cannot be read", None);
        }
        built
    }

    /// The place of a token without the blanks after it.
    pub(super) fn span(&self, node: &Node<'_>) -> Span {
        let place = node.as_span();
        let length = place.as_str().trim_end_matches([' ', '\n', '\t', '\r']).len();
        cut::span(self.file, self.base + place.start(), self.base + place.start() + length)
    }

    /// Reports and gives up.
    pub(super) fn refuse<T>(&mut self, place: Span, message: impl Into<String>, help: &str) -> Option<T> {
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.problems.error(place, message, help);
        None
    }

    /// A name; underscores are refused with the right spelling.
    pub(super) fn name(&mut self, node: &Node<'_>) -> Option<Name> {
        let (text, place) = (node.as_str(), self.span(node));
        if text.contains('_') {
            let right = text.replace('_', "-");
            return self.refuse(place, format!("`{text}` has an underscore"), &format!("write `{right}`"));
        }
        Some(Name::new(text.to_owned(), place))
    }

    /// The word of a token, unchecked.
    pub(super) fn word(&self, node: &Node<'_>) -> Name {
        Name::new(node.as_str().trim_end().to_owned(), self.span(node))
    }

    /// All names among the children of a token.
    pub(super) fn names(&mut self, node: Node<'_>) -> Option<Vec<Name>> {
        node.into_inner()
            .filter(|part| matches!(part.as_rule(), Rule::name | Rule::dotted))
            .map(|part| self.name(&part))
            .collect()
    }

    /// A whole number.
    pub(super) fn count(&mut self, node: &Node<'_>) -> Option<Spanned<u32>> {
        let place = self.span(node);
        match node.as_str().parse() {
            Ok(count) => Some(Spanned::new(count, place)),
            Err(_) => self.refuse(place, format!("`{}` is too large", node.as_str()), ""),
        }
    }

    /// A quoted text with its escapes resolved.
    pub(super) fn text(&mut self, node: &Node<'_>) -> Option<Spanned<String>> {
        let place = self.span(node);
        let quoted = node.as_str();
        let inner = quoted.get(1..quoted.len().saturating_sub(1))?;
        if !inner.contains('\\') {
            return Some(Spanned::new(inner.to_owned(), place));
        }
        let mut text = String::with_capacity(inner.len());
        let mut characters = inner.char_indices();
        while let Some((at, character)) = characters.next() {
            if character != '\\' {
                text.push(character);
                continue;
            }
            let (_, escaped) = characters.next()?;
            match template::escape(escaped) {
                Some(meant) => text.push(meant),
                None => {
                    let start = self.base + node.as_span().start() + 1 + at;
                    let place = cut::span(self.file, start, start + 1 + escaped.len_utf8());
                    return self.refuse(place, template::unknown_escape(escaped), template::ESCAPES);
                }
            }
        }
        Some(Spanned::new(text, place))
    }

    /// A quoted text with holes.
    pub(super) fn template(&mut self, node: &Node<'_>) -> Option<Template> {
        let start = self.base + node.as_span().start();
        template::read(node.as_str(), start, self)
    }
}

/// The next token, when it is of this kind.
pub(super) fn take<'t>(nodes: &mut Nodes<'t>, rule: Rule) -> Option<Node<'t>> {
    nodes.next_if(|node| node.as_rule() == rule)
}
