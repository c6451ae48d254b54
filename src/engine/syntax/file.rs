//! One file: its definitions, and what is wrong with those that cannot be read.

use std::ops::Range;

use super::ast::{File, Item, ItemKind, Name, Rule, Unread};
use super::cut::{Scanned, clauses, definitions, first_word, place, scan};
use super::faults::Faults;
use super::parse::{Context, Head, Made, clause, columns, head, plain, plan_field, table_row, test_line};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::habits;
use crate::engine::nearest::did_you_mean;
use crate::engine::source::{FileId, SourceFile, Sources, Spanned};

/// Largest file that is read, in bytes. A hand-written file has a few thousand; a larger one is a mistake,
/// and the limit keeps the work of one `lint` bounded.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// First words of definitions.
const DEFINITIONS: [&str; 14] = [
    "zone", "keep", "quiet", "budget", "unit", "signal", "stream", "list", "schedule", "function", "rule",
    "table", "plan", "test",
];

/// First words of definitions to come.
const RESERVED: [&str; 4] = ["scene", "score", "watch", "tool"];

/// First words of a rule's clauses.
const CLAUSES: [&str; 17] = [
    "off", "let", "on", "when", "and", "or", "unless", "for", "clear", "gather", "then", "once", "wait",
    "expires", "quiet", "unknown", "say",
];

/// First words of a test's lines.
const TEST_LINES: [&str; 3] = ["zone", "given", "expect"];

/// Reads all files of a set, in their order: the trees, and what could not be read.
pub fn parse_all(sources: &Sources) -> (Vec<File>, Vec<Diagnostic>) {
    let (trees, found): (Vec<_>, Vec<_>) = sources.iter().map(|(id, file)| parse(file, id)).unzip();
    (trees, found.into_iter().flatten().collect())
}

/// Reads one file. What cannot be read is left out of the tree and said once.
pub fn parse(file: &SourceFile, id: FileId) -> (File, Vec<Diagnostic>) {
    let mut tree = File { id, ..File::default() };
    if file.text.len() > FILE_BYTES_MAX {
        let error = Diagnostic::error("syntax", place(id, 0, 0), "this file is larger than 1 MiB")
            .help("split it into several files");
        return (tree, vec![error]);
    }
    if let Some(at) = file.text.find('\0') {
        let error =
            Diagnostic::error("syntax", place(id, at, at + 1), "this file is no text: it holds U+0000")
                .help("save it as UTF-8");
        return (tree, vec![error]);
    }
    let Scanned { blank, comments, faults, unclosed } = scan(&file.text, id);
    let mut reader = Reader {
        file: id,
        text: &blank,
        unclosed: &unclosed,
        faults: Faults::default(),
        unread: Vec::new(),
        stray: false,
        open: false,
    };
    for piece in definitions(&blank) {
        let span = place(id, piece.start, piece.end);
        let before = reader.faults.count();
        let stray = reader.stray;
        let made = reader.definition(piece.clone());
        let broken = reader.faults.count() > before || reader.spoiled(&piece);
        let text = reader.context(&piece).text;
        reader.open = broken && text.rfind('{') > text.rfind('}');
        if reader.stray
            && !stray
            && let Some(item) = tree.items.last_mut()
        {
            // What stands unindented below it may be what it lacks.
            item.broken = true;
        }
        if let Some(kind) = made {
            tree.items.push(Item { span, kind, broken });
        }
    }
    let Reader { faults: found, unread, .. } = reader;
    tree.comments = comments;
    tree.unread = unread;
    (tree, faults.with(found, id))
}

/// The state of one reading.
struct Reader<'t> {
    file: FileId,
    text: &'t str,
    unclosed: &'t [usize],
    faults: Faults,
    unread: Vec<Unread>,
    /// True below a clause that is not indented; those after it are not said too.
    stray: bool,
    /// True when the definition above has an open brace, which has been said.
    open: bool,
}

impl<'t> Reader<'t> {
    /// The text of a piece.
    fn context(&self, piece: &Range<usize>) -> Context<'t> {
        let base = u32::try_from(piece.start).unwrap_or(u32::MAX);
        Context { file: self.file, base, text: self.text.get(piece.clone()).unwrap_or("") }
    }

    /// True when the scan has already said that a quote in the piece is not closed.
    fn spoiled(&self, piece: &Range<usize>) -> bool {
        let next = self.unclosed.partition_point(|at| *at < piece.start);
        self.unclosed.get(next).is_some_and(|at| *at < piece.end)
    }

    /// Keeps what was made, or says why not.
    fn keep<T>(&mut self, made: Made<T>) -> Option<T> {
        made.map_err(|diagnostic| self.faults.push(diagnostic)).ok()
    }

    /// The name of a definition, which stands after its first word.
    fn name(&self, piece: &Range<usize>, word: &str) -> Option<Name> {
        let text = self.context(piece).text;
        let rest = text.get(word.len()..)?.trim_start();
        let name = first_word(rest);
        let start = piece.start + (text.len() - rest.len());
        let found = Spanned::new(name.to_owned(), place(self.file, start, start + name.len()));
        name.starts_with(char::is_alphabetic).then_some(found)
    }

    /// Says so when a name is not in the form of names. Signals and streams have dots, units their own form,
    /// functions the names of their scripts.
    fn check_name(&mut self, piece: &Range<usize>, word: &str) {
        if matches!(word, "signal" | "stream" | "unit" | "function" | "keep" | "test") {
            return;
        }
        let odd = |c: char| c == '_' || c == '.' || c.is_uppercase();
        let Some(name) = self.name(piece, word).filter(|name| name.node.contains(odd)) else { return };
        let message = format!("`{}` cannot be a name", name.node);
        let help = format!("names are small letters joined by `-`: write `{}`", habits::kebab(&name.node));
        self.faults.push(Diagnostic::error("syntax", name.span, message).help(help));
    }

    /// Remembers what a definition that cannot be read would have defined.
    fn unread(&mut self, piece: &Range<usize>, word: &str) {
        let known = DEFINITIONS.into_iter().find(|known| *known == word && !matches!(word, "keep" | "test"));
        if let Some((word, name)) = known.zip(self.name(piece, word)) {
            self.unread.push(Unread { word, name });
        }
    }

    /// Reads one definition.
    fn definition(&mut self, piece: Range<usize>) -> Option<ItemKind> {
        let context = self.context(&piece);
        let word = first_word(context.text);
        if !DEFINITIONS.contains(&word) {
            self.unknown_definition(&piece, word);
            return None;
        }
        self.stray = false;
        if !matches!(word, "rule" | "test" | "table" | "plan") {
            let made = if self.spoiled(&piece) { None } else { plain(&context, word) };
            let made = made.and_then(|made| self.keep(made));
            if made.is_none() {
                self.unread(&piece, word);
            } else {
                self.check_name(&piece, word);
            }
            return made;
        }
        let words: &[&str] = match word {
            "rule" => &CLAUSES,
            "test" => &TEST_LINES,
            _ => &[],
        };
        let mut pieces = clauses(context.text, words)
            .into_iter()
            .map(|line| piece.start + line.start..piece.start + line.end)
            .collect::<Vec<_>>()
            .into_iter();
        let top = pieces.next()?;
        let made = if self.spoiled(&top) { None } else { head(&self.context(&top), word) };
        let made = made.and_then(|made| self.keep(made));
        if made.is_some() {
            self.check_name(&top, word);
        }
        let head = match made {
            // A rule is known by its name, whatever is wrong behind it.
            None if word == "rule" => {
                self.name(&top, word).map(|name| Head::Rule(Rule { name, title: None, clauses: Vec::new() }))
            }
            head => head,
        };
        if head.is_none() {
            self.unread(&top, word);
        }
        self.lines(head, word, pieces)
    }

    /// Reads the lines below a head. They are read without it too, since their faults are worth saying.
    fn lines(
        &mut self,
        head: Option<Head>,
        word: &str,
        pieces: impl Iterator<Item = Range<usize>>,
    ) -> Option<ItemKind> {
        let pieces: Vec<Range<usize>> = pieces.filter(|piece| !self.spoiled(piece)).collect();
        match head {
            Some(Head::Rule(mut rule)) => {
                rule.clauses = self.each(&pieces, "clause", &CLAUSES, clause);
                Some(ItemKind::Rule(rule))
            }
            Some(Head::Test(mut test)) => {
                test.lines = self.each(&pieces, "line", &TEST_LINES, test_line);
                Some(ItemKind::Test(test))
            }
            Some(Head::Plan(mut plan)) => {
                plan.fields = self.each(&pieces, "line", &[], |context, _| Some(plan_field(context)));
                Some(ItemKind::Plan(plan))
            }
            Some(Head::Table(mut table)) => {
                if let Some((top, rows)) = pieces.split_first() {
                    let made = columns(&self.context(top));
                    table.columns = self.keep(made).unwrap_or_default();
                    table.rows = self.each(rows, "row", &[], |context, _| Some(table_row(context)));
                }
                Some(ItemKind::Table(table))
            }
            None if word == "rule" => {
                self.each(&pieces, "clause", &CLAUSES, clause);
                None
            }
            None => None,
        }
    }

    /// Reads each line; `what` names it in messages.
    fn each<T>(
        &mut self,
        pieces: &[Range<usize>],
        what: &str,
        known: &[&str],
        read: impl Fn(&Context<'_>, &str) -> Option<Made<T>>,
    ) -> Vec<T> {
        let mut all = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let context = self.context(piece);
            let word = first_word(context.text);
            match read(&context, word) {
                Some(made) => all.extend(self.keep(made)),
                None => self.unknown(piece, what, word, known),
            }
        }
        all
    }

    /// A line that begins with no known word.
    fn unknown(&mut self, piece: &Range<usize>, what: &str, word: &str, known: &[&str]) {
        let text = self.context(piece).text;
        let sign = habits::sign(text, 0).filter(|sign| !sign.is_word());
        let first_char = text.chars().next().map_or(0, char::len_utf8);
        let length = word.len().max(sign.map_or(first_char, |sign| sign.text.len()));
        let span = place(self.file, piece.start, piece.start + length);
        let message =
            if word.is_empty() { format!("expected a {what}") } else { format!("unknown {what} `{word}`") };
        let first = text.split_whitespace().next().unwrap_or("");
        let help = habits::first_word(first).or(sign.map(|sign| sign.help)).map(str::to_owned);
        let help = help.or_else(|| did_you_mean(word, known.iter().copied()));
        self.faults.push(Diagnostic { help, ..Diagnostic::error("syntax", span, message) });
    }

    /// A definition that begins with no known word.
    fn unknown_definition(&mut self, piece: &Range<usize>, word: &str) {
        let span = place(self.file, piece.start, piece.start + word.len());
        let line = self.text.get(..piece.start).unwrap_or("");
        let indented = line.ends_with([' ', '\t']);
        if RESERVED.contains(&word) {
            let message = format!("`{word}` is reserved for a later version");
            self.faults.push(Diagnostic::error("syntax", span, message));
        } else if indented {
            let error = Diagnostic::error("syntax", span, "this line belongs to no definition")
                .help("begin a definition at the start of its line");
            self.faults.push(error);
        } else if CLAUSES.contains(&word) || TEST_LINES.contains(&word) {
            if !std::mem::replace(&mut self.stray, true) {
                let message = format!("`{word}` does not begin a definition");
                let error = Diagnostic::error("syntax", span, message)
                    .help("put blanks before it, so that it belongs to the definition above");
                self.faults.push(error);
            }
        } else if !(self.open && self.context(piece).text == "}") {
            self.unknown(piece, "definition", word, &DEFINITIONS);
        }
    }
}
