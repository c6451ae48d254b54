//! Pieces of a file to definitions.
//!
//! Each chunk is parsed by the grammar rule that its first word names, so a broken clause costs one finding
//! and the clauses around it are still read. Never touches names' meaning.

mod clause;
mod definition;
mod expression;
mod literal;
mod reader;
mod rule;
mod table;
mod test;

pub(super) use self::reader::Reader;
use super::ast::{File, Item, ItemKind};
use super::cut::{self, CLAUSES, Chunk, Cut, DEFINITIONS, Piece, Shape, TEST_LINES, word_at};
use super::grammar::{Rule, tokens};
use super::nearest::nearest;
use super::report::{Problems, stumble};
use super::{FILE_BYTES_MAX, ast};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::{FileId, SourceFile, Span};

/// Reads one file: all that could be read, and a finding (id `syntax`) for all that could not.
pub fn parse(file: &SourceFile, id: FileId) -> (File, Vec<Diagnostic>) {
    let mut problems = Problems::default();
    if file.text.len() > FILE_BYTES_MAX {
        let place = cut::span(id, 0, file.line(1).len());
        problems.error(place, "this file is longer than 1 MiB", Some("split it".to_owned()));
        return (File { id, ..File::default() }, problems.finish());
    }
    let Cut { pieces, chunks, comments } = cut::cut(&file.text, id, &mut problems);
    let mut session =
        Session { text: &file.text, id, chunks: &chunks, comments: &comments, problems: &mut problems };
    let items = pieces.iter().filter_map(|piece| session.piece(piece)).collect();
    (File { id, items, comments }, problems.finish())
}

/// What reading one file needs.
struct Session<'a> {
    text: &'a str,
    id: FileId,
    chunks: &'a [Chunk],
    comments: &'a [ast::Comment],
    problems: &'a mut Problems,
}

impl<'a> Session<'a> {
    fn piece(&mut self, piece: &Piece) -> Option<Item> {
        let chunks: &'a [Chunk] = self.chunks.get(piece.first..piece.last)?;
        let (head, body) = chunks.split_first()?;
        let word = word_at(self.text, head.start);
        let before = self.problems.count();
        let kind = match piece.shape {
            Shape::Unknown => self.unknown(head),
            Shape::Reserved => self.reserved(head, word),
            Shape::Rule => self.rule(head, body),
            Shape::Test => self.test(head, body),
            Shape::Table => self.table(head, body),
            Shape::Plan => self.plan(head, body),
            Shape::Line => {
                self.chunk(head, line_rule(word)?, "definition", |reader, node| reader.definition(node))
            }
        }?;
        let broken = self.problems.count() > before || chunks.iter().any(|chunk| chunk.broken);
        let end = chunks.last().map_or(head.end, |chunk| chunk.end);
        Some(Item { span: self.span(head.start, end), kind, broken })
    }

    fn span(&self, start: usize, end: usize) -> Span {
        cut::span(self.id, start, end)
    }

    /// Parses one chunk and builds what `build` makes of it; `whole` names it in messages.
    fn chunk<T>(
        &mut self,
        chunk: &Chunk,
        rule: Rule,
        whole: &str,
        build: impl Fn(&mut Reader<'_>, reader::Node<'_>) -> Option<T>,
    ) -> Option<T> {
        if chunk.broken {
            return None;
        }
        let blanked = self.without_comments(chunk);
        let text = match &blanked {
            Some(text) => text.as_str(),
            None => self.text.get(chunk.start..chunk.end)?,
        };
        match tokens(rule, text) {
            Ok(mut pairs) => {
                let mut reader = Reader { base: chunk.start, file: self.id, problems: self.problems };
                reader.build(pairs.next()?, build)
            }
            Err(error) => {
                let found = stumble(&error, text, whole);
                if let Some(head) = self.misplaced(chunk, text, found.at, whole) {
                    return self.chunk(&head, rule, whole, build);
                }
                let place = self.span(chunk.start + found.at, chunk.start + found.end.max(found.at));
                self.problems.error(place, found.message, found.help);
                None
            }
        }
    }

    /// A line that goes on with nothing is a clause whose first word is wrong: reports that word and
    /// returns the chunk without it.
    fn misplaced(&mut self, chunk: &Chunk, text: &str, at: usize, whole: &str) -> Option<Chunk> {
        let (words, list, such) = match whole {
            "clause" | "rule" => (CLAUSES, "clause", "`when` or `then`"),
            "line" | "test" => (TEST_LINES, "line", "`given` or `expect`"),
            _ => return None,
        };
        let word = word_at(text, at);
        let before = text.get(..at)?;
        let line = before.rfind('\n')?;
        if word.is_empty() || !before.get(line..)?.trim().is_empty() {
            return None;
        }
        let start = chunk.start + at;
        let help = nearest(word, words.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let message = format!("expected a {list} such as {such}, found `{word}`");
        self.problems.error(self.span(start, start + word.len()), message, help);
        let end = chunk.start + before.trim_end().len();
        Some(Chunk { end, ..chunk.clone() })
    }

    /// The text of a chunk with its comments turned into blanks; `None` when it has no comment.
    fn without_comments(&self, chunk: &Chunk) -> Option<String> {
        let inside = |comment: &&ast::Comment| (comment.span.start as usize) < chunk.end;
        let mut comments = self.comments.get(chunk.comment..)?.iter().take_while(inside).peekable();
        comments.peek()?;
        let mut text = String::with_capacity(chunk.end - chunk.start);
        let mut at = chunk.start;
        for comment in comments {
            let (start, end) = (comment.span.start as usize, comment.span.end as usize);
            text.push_str(self.text.get(at..start)?);
            text.extend(std::iter::repeat_n(' ', end - start));
            at = end;
        }
        text.push_str(self.text.get(at..chunk.end)?);
        Some(text)
    }

    fn unknown(&mut self, head: &Chunk) -> Option<ItemKind> {
        if head.broken {
            return None;
        }
        let text = self.text.get(head.start..head.end)?;
        let (found, end) = super::report::found_at(text, 0);
        let word = word_at(text, 0);
        let help = if let Some(near) = nearest(word, DEFINITIONS.iter().copied()) {
            format!("did you mean `{near}`?")
        } else if CLAUSES.contains(&word) || TEST_LINES.contains(&word) {
            format!("`{word}` belongs into a rule or test, below its first line")
        } else {
            format!("definitions are {}", DEFINITIONS.map_words())
        };
        let message = format!("expected a definition such as `rule` or `signal`, found {found}");
        self.problems.error(self.span(head.start, head.start + end), message, Some(help));
        None
    }

    fn reserved(&mut self, head: &Chunk, word: &str) -> Option<ItemKind> {
        let place = self.span(head.start, head.start + word.len());
        self.problems.error(place, format!("`{word}` is reserved for a later version"), None);
        None
    }
}

/// Words in backticks, for messages.
trait MapWords {
    fn map_words(&self) -> String;
}

impl MapWords for &[&str] {
    fn map_words(&self) -> String {
        self.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
    }
}

/// The grammar rule of a definition of one line.
fn line_rule(word: &str) -> Option<Rule> {
    Some(match word {
        "zone" => Rule::zone,
        "keep" => Rule::keep,
        "quiet" => Rule::quiet,
        "budget" => Rule::budget,
        "unit" => Rule::unit_line,
        "signal" => Rule::signal,
        "stream" => Rule::stream,
        "list" => Rule::list,
        "schedule" => Rule::schedule,
        "function" => Rule::function,
        _ => return None,
    })
}
