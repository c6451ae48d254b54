//! Literals and single words in their canonical form.

use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    Cadence, CalendarSpan, Clock, DateLit, Decimal, Length, Level, LocalTime, Name, Outcome, Period, Weekday,
};
use crate::engine::time::{format_clock, format_duration};
use crate::engine::value::BUILTIN_UNITS;

/// Characters that a keyword and the blanks after it take, in definitions, clauses and lines of tests.
const KEYWORD_WIDTH: usize = 9;

/// A keyword and what follows it; a keyword that fills its column is followed by two blanks.
pub(super) fn keyword(word: &str, rest: &str) -> String {
    if word.len() < KEYWORD_WIDTH {
        format!("{word:<KEYWORD_WIDTH$}{rest}")
    } else {
        format!("{word}  {rest}")
    }
}

pub(super) fn decimal(number: Decimal) -> String {
    number.to_string()
}

/// Words that follow a number with another meaning than a unit's. A unit of such a name is only one when it
/// is glued to its number.
const FOLLOWING: &[&str] = &[
    "after", "age", "and", "as", "at", "before", "clear", "each", "else", "every", "expires", "fired", "for",
    "fresh", "from", "gather", "has", "in", "is", "late", "let", "needs", "not", "observed", "of", "off",
    "on", "once", "or", "over", "per", "private", "quiet", "range", "say", "since", "then", "to", "today",
    "unknown", "unless", "until", "wait", "when", "where", "with", "within",
];

/// `56bpm`, `8000 steps`, `12.50 EUR`: units stand as they are shown, those of a rule set after a blank.
pub(super) fn quantity(number: Decimal, unit: &str) -> String {
    let built_in = BUILTIN_UNITS.iter().any(|known| known.word == unit && !known.spaced);
    let times = unit.strip_prefix('x').unwrap_or("");
    let repeat = !times.is_empty() && times.chars().all(|digit| digit.is_ascii_digit());
    let blank = if built_in || repeat || FOLLOWING.contains(&unit) { "" } else { " " };
    format!("{}{blank}{unit}", decimal(number))
}

/// `1h30m`, `30min`, `45s`; nothing at all is `0min`.
pub(super) fn duration(ms: i64) -> String {
    if ms == 0 { "0min".into() } else { format_duration(ms) }
}

pub(super) fn calendar_span(span: CalendarSpan) -> String {
    span.to_string()
}

pub(super) fn length(length: Length) -> String {
    match length {
        Length::Exact(ms) => duration(ms),
        Length::Calendar(span) => calendar_span(span),
    }
}

pub(super) fn clock(clock: Clock) -> String {
    format_clock(clock)
}

pub(super) fn date(date: DateLit) -> String {
    date.to_string()
}

pub(super) fn instant(day: DateLit, second: u32) -> String {
    LocalTime { date: day, second }.to_string()
}

pub(super) fn local_time(time: &Spanned<LocalTime>) -> String {
    time.node.to_string()
}

pub(super) fn weekday(day: Weekday) -> &'static str {
    day.word()
}

pub(super) fn period(period: Period) -> &'static str {
    period.word()
}

pub(super) fn cadence(cadence: Cadence) -> String {
    match cadence {
        Cadence::Sampled => "sampled".into(),
        Cadence::Hourly => "hourly".into(),
        Cadence::Daily => "daily".into(),
        Cadence::Nightly => "nightly".into(),
        Cadence::Every(ms) => format!("every {}", duration(ms)),
    }
}

pub(super) fn level(level: Level) -> &'static str {
    level.word()
}

pub(super) fn outcome(outcome: Outcome) -> &'static str {
    outcome.word()
}

/// A text in quotes, with its escapes.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A text between quotes: `"`, `\` and line breaks escaped.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            other => out.push(other),
        }
    }
    out
}

/// Texts of names, with a comma between.
pub(super) fn names(names: &[Name]) -> String {
    commas(names.iter().map(|name| name.node.clone()))
}

/// Parts with a comma between.
pub(super) fn commas(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// ` word NAME`, or nothing.
pub(super) fn suffix(word: &str, name: Option<&Name>) -> String {
    name.map_or_else(String::new, |name| format!(" {word} {}", name.node))
}
