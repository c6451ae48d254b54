//! The tree of a `.rule` file, as written.
//!
//! Nothing is resolved here: names are text, units are text, a mix of `and` and `or` has already been
//! refused by the parser. Every node knows its place. Order is kept, so that `fmt` can put comments back.
//!
//! INVARIANT: the tree's depth is bounded (nesting is capped before parsing), so walks may recurse.

mod definition;
mod expr;
mod rule;
mod test;

pub use definition::*;
pub use expr::*;
pub use rule::*;
pub use test::*;

use crate::engine::source::{FileId, Span, Spanned};

/// A name with its place: kebab-case, or dotted for signals, streams and fields.
pub type Name = Spanned<String>;

/// One parsed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Which file.
    pub id: FileId,
    /// Definitions that could be read, in file order.
    pub items: Vec<Item>,
    /// Every comment, in file order.
    pub comments: Vec<Comment>,
    /// Definitions that could not be read at all, as far as their names are known.
    pub unread: Vec<Unread>,
}

/// A definition that could not be read: its name exists all the same, and who uses it is not at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The word that begins it.
    pub word: &'static str,
    /// Its name.
    pub name: Name,
}

/// A comment, `#` to the end of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Place, from the `#` to the last character before the line break.
    pub span: Span,
    /// Text after the `#`, trailing blanks removed.
    pub text: String,
    /// True when nothing but blanks stands before it on its line.
    pub own_line: bool,
}

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// From its keyword to its last character, trailing blanks and comments left out.
    pub span: Span,
    /// What it defines.
    pub kind: ItemKind,
    /// True when a clause, line or row of it could not be read and was left out; then nothing may be said
    /// about what is absent.
    pub broken: bool,
}

/// All that a file may define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `zone home = "America/Toronto"`
    Zone(Zone),
    /// `keep history 400 days`
    Keep(Keep),
    /// `quiet nights = 23:00 to 07:00 in home`
    Quiet(Quiet),
    /// `budget cautions = 3 per day in home`
    Budget(Budget),
    /// `unit mmol scale 2`
    Unit(UnitDef),
    /// `signal health.hrv ms daily fresh 24h range 5ms to 250ms`
    Signal(Signal),
    /// `stream news.item { title text } timed published`
    Stream(Stream),
    /// `list training = "gym", "swim*"`
    List(List),
    /// `schedule brief = daily at 07:30 in home, late until 11:00`
    Schedule(Schedule),
    /// `function strain (hrv ms) -> number from "lib/strain.rhai"`
    Function(Function),
    /// `rule short-sleep "Short night" …`
    Rule(Rule),
    /// `table spending in USDC on payment.request first match …`
    Table(Table),
    /// `plan fire …`
    Plan(Plan),
    /// `test short-sleep "…" …`
    Test(Test),
}
