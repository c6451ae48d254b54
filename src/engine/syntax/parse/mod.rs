//! From the text of one definition or clause to its part of the tree.
//!
//! Every text goes through [`Context::run`], which bounds its nesting before pest sees it; the functions
//! around it turn pairs into nodes. No text makes any of this panic.

mod clause;
mod definition;
mod expr;
mod hints;
mod lines;
mod literal;
mod template;
mod test_block;
mod words;

use std::sync::Once;

use pest::Parser;
use pest::iterators::{Pair, Pairs};

use super::cut::depth_of;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::{FileId, Span, Spanned};
use crate::engine::syntax::ast::Name;
pub(super) use grammar::Rule;

/// Deepest nesting of parentheses, and of words that open a further value, in one text.
const MAX_DEPTH: usize = 64;

/// The generated parser; its items carry no documentation of their own.
mod grammar {
    /// The parser that pest makes of the grammar.
    #[derive(Debug, pest_derive::Parser)]
    #[grammar = "../grammar/rule.pest"]
    pub(super) struct Grammar;
}

/// A part of the tree, or what is wrong with its text.
pub(super) type Made<T> = Result<T, Diagnostic>;

/// The text at hand and its place in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'t> {
    /// The file.
    pub(super) file: FileId,
    /// Byte in the file at which `text` begins; the end of the keyword when nothing follows it.
    pub(super) base: u32,
    /// What is read; it has no blanks at either end.
    pub(super) text: &'t str,
}

impl<'t> Context<'t> {
    /// Reads the whole text by one rule and gives what is inside it.
    fn run(&self, rule: Rule) -> Made<Kids<'t>> {
        static LIMIT: Once = Once::new();
        LIMIT.call_once(|| pest::set_call_limit(std::num::NonZeroUsize::new(20_000_000)));
        if let Some(place) = depth_of(self.text, MAX_DEPTH) {
            return Err(Diagnostic::error("syntax", self.at(place), "this is nested too deeply")
                .help("name parts of it with `let`"));
        }
        match grammar::Grammar::parse(rule, self.text) {
            Ok(mut pairs) => {
                let inner = pairs.next().map(Pair::into_inner);
                let span = self.whole();
                inner
                    .map(|pairs| Kids { pairs, context: *self, span })
                    .ok_or_else(|| Diagnostic::error("syntax", span, "this cannot be read"))
            }
            Err(error) => Err(words::report(self, rule, &error)),
        }
    }

    /// What follows the first `word` bytes.
    fn after(&self, word: usize) -> Self {
        let rest = self.text.get(word..).unwrap_or("");
        let text = rest.trim_start();
        let skipped = if text.is_empty() { word } else { self.text.len() - text.len() };
        Self { base: self.base.saturating_add(u32::try_from(skipped).unwrap_or(u32::MAX)), text, ..*self }
    }

    /// Place of the whole text.
    fn whole(&self) -> Span {
        self.span(0, self.text.len())
    }

    /// A place from bytes of the text.
    fn span(&self, start: usize, end: usize) -> Span {
        let shift = |offset: usize| self.base.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
        Span { file: self.file, start: shift(start), end: shift(end) }
    }

    /// The word that begins at a byte, or the last character when nothing does.
    fn at(&self, offset: usize) -> Span {
        let rest = self.text.get(offset..).unwrap_or("");
        let Some(first) = rest.chars().next() else {
            if self.text.is_empty() {
                // Nothing follows the keyword; its last letter is pointed at.
                return Span { file: self.file, start: self.base.saturating_sub(1), end: self.base };
            }
            let last = self.text.chars().next_back().map_or(0, char::len_utf8);
            return self.span(self.text.len() - last, self.text.len());
        };
        let word = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | ':')));
        let length = word.unwrap_or(rest.len()).max(first.len_utf8());
        self.span(offset, offset + length)
    }

    /// Place of a pair without the blanks after it.
    fn place(&self, pair: &Pair<'t, Rule>) -> Span {
        let span = pair.as_span();
        self.span(span.start(), span.start() + span.as_str().trim_end().len())
    }
}

/// The pairs inside a pair, taken in order.
#[derive(Clone, Debug)]
pub(super) struct Kids<'t> {
    pairs: Pairs<'t, Rule>,
    context: Context<'t>,
    span: Span,
}

impl<'t> Kids<'t> {
    /// The inside of a pair.
    fn of(context: &Context<'t>, pair: Pair<'t, Rule>) -> Self {
        let span = context.place(&pair);
        Self { pairs: pair.into_inner(), context: *context, span }
    }

    /// The next pair, whatever it is.
    fn next(&mut self) -> Made<Pair<'t, Rule>> {
        self.pairs.next().ok_or_else(|| self.lost())
    }

    /// What the next pair is.
    fn peek(&self) -> Option<Rule> {
        self.pairs.peek().map(|pair| pair.as_rule())
    }

    /// The next pair if it is of this rule.
    fn take(&mut self, rule: Rule) -> Option<Pair<'t, Rule>> {
        if self.peek() == Some(rule) { self.pairs.next() } else { None }
    }

    /// The next pair of this rule; others are passed over.
    fn find(&mut self, rule: Rule) -> Option<Pair<'t, Rule>> {
        self.pairs.by_ref().find(|pair| pair.as_rule() == rule)
    }

    /// The next pair of this rule, which the grammar promises.
    fn need(&mut self, rule: Rule) -> Made<Pair<'t, Rule>> {
        self.find(rule).ok_or_else(|| self.lost())
    }

    /// The next name, which the grammar promises.
    fn name(&mut self) -> Made<Name> {
        let pair = self.need(Rule::name)?;
        Ok(name(&self.context, &pair))
    }

    /// `in ZONE`, if it comes next.
    fn zone(&mut self) -> Made<Option<Name>> {
        let context = self.context;
        self.take(Rule::in_zone).map(|pair| Kids::of(&context, pair).name()).transpose()
    }

    /// The grammar and the tree do not agree here.
    fn lost(&self) -> Diagnostic {
        Diagnostic::error("syntax", self.span, "this cannot be read")
    }
}

/// A word with its place.
fn name(context: &Context<'_>, pair: &Pair<'_, Rule>) -> Name {
    let span = pair.as_span();
    Spanned::new(span.as_str().to_owned(), context.span(span.start(), span.end()))
}

pub(super) use clause::clause;
pub(super) use definition::{Head, head, plain};
pub(super) use lines::{columns, plan_field, table_row};
pub(super) use test_block::line as test_line;
