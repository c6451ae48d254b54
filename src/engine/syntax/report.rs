//! Turns what went wrong while reading into the words of the person who wrote the file.
//!
//! Never decides what is wrong. Holds a bound: a file of random bytes gives [`PROBLEMS_MAX`] findings at
//! most, then one that says so.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::grammar::Rule;
use super::nearest::nearest;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::Span;

/// Findings listed for one file.
const PROBLEMS_MAX: usize = 200;

/// Collects findings.
#[derive(Debug, Default)]
pub(super) struct Problems {
    list: Vec<Diagnostic>,
}

impl Problems {
    /// Adds an error; the last that fits says that there are more.
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, help: Option<String>) {
        let mut found = Diagnostic::error("syntax", span, message);
        found.help = help;
        self.push(found);
    }

    /// Adds a finding.
    pub(super) fn push(&mut self, found: Diagnostic) {
        match self.list.len() {
            ..PROBLEMS_MAX => self.list.push(found),
            PROBLEMS_MAX => {
                self.list.push(Diagnostic::error(
                    "syntax",
                    found.span,
                    "further problems of this file are not listed",
                ));
            }
            _ => {}
        }
    }

    /// How many there are; lets a reader see whether something was reported meanwhile.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// All of them, by place.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|found| (found.span.start, found.span.end));
        self.list
    }
}

/// What the grammar stumbled over.
#[derive(Debug)]
pub(super) struct Stumble {
    /// Byte offset in the parsed text.
    pub(super) at: usize,
    /// One past what was found there.
    pub(super) end: usize,
    /// Headline.
    pub(super) message: String,
    /// What to do next.
    pub(super) help: Option<String>,
}

/// Reads pest's error for `text`; `whole` names what was being read.
pub(super) fn stumble(error: &Error<Rule>, text: &str, whole: &str) -> Stumble {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let (found, end) = found_at(text, at);
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        let help = Some("split it, or name a part of it with `let`".to_owned());
        return Stumble {
            at: 0,
            end: text.len(),
            message: format!("this {whole} is too complicated to read"),
            help,
        };
    };
    let mut expected: Vec<String> = Vec::new();
    let mut spellings: Vec<String> = Vec::new();
    let value = positives.iter().any(|rule| matches!(rule, Rule::open | Rule::group))
        && positives.iter().any(|rule| matches!(rule, Rule::number | Rule::amount));
    let operator = positives.contains(&Rule::compare_op);
    for rule in positives {
        let words = match rule {
            _ if value && begins_value(*rule) => "a value".to_owned(),
            Rule::open if operator => continue,
            _ => describe(*rule, whole),
        };
        if !expected.contains(&words) {
            expected.push(words);
        }
        spellings.extend(spell(*rule));
    }
    let message = if expected.is_empty() {
        format!("cannot read {found} here")
    } else {
        format!("expected {}, found {found}", join(&expected))
    };
    let word = text.get(at..end).unwrap_or_default();
    let help = nearest(word, spellings.iter().map(String::as_str))
        .map(|near| format!("did you mean `{near}`?"))
        .or_else(|| habit(text, at));
    Stumble { at, end, message, help }
}

/// True for what a value may begin with; where all of these are possible, one word says it.
fn begins_value(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::text
            | Rule::open
            | Rule::group
            | Rule::begin
            | Rule::set
            | Rule::number
            | Rule::amount
            | Rule::moment
            | Rule::date
            | Rule::clock
            | Rule::path
            | Rule::reference
            | Rule::flag
    )
}

/// Signs that other languages use.
fn habit(text: &str, at: usize) -> Option<String> {
    let (before, after) = text.split_at_checked(at)?;
    let advice = match after {
        rest if rest.starts_with("&&") => "write `and`",
        rest if rest.starts_with("||") => "write `or`",
        rest if rest.starts_with('!') => "write `not`",
        rest if rest.starts_with('=') && before.ends_with('=') => "equality is one `=`",
        rest if rest.starts_with('\'') => "texts stand in `\"`",
        rest if rest.starts_with(['“', '”', '„']) => "texts stand in straight quotes, `\"`",
        _ => return None,
    };
    Some(advice.to_owned())
}

/// What stands at a place, in words, and its end.
pub(super) fn found_at(text: &str, at: usize) -> (String, usize) {
    let rest = text.get(at..).unwrap_or_default();
    let Some(first) = rest.chars().next() else { return ("the end".to_owned(), at) };
    if first == '"' {
        let length = rest.get(1..).and_then(|tail| tail.find('"')).map_or(rest.len(), |close| close + 2);
        return ("a text".to_owned(), at + length);
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '%' | '°');
    let length = match rest.find(|c: char| !is_word(c)) {
        Some(0) => first.len_utf8(),
        Some(length) => length,
        None => rest.len(),
    };
    let word = rest.get(..length).unwrap_or_default();
    if !first.is_ascii() && !first.is_alphanumeric() {
        return (format!("`{first}` (U+{:04X})", u32::from(first)), at + length);
    }
    let shown: String = word.chars().take(40).collect();
    (format!("`{shown}`"), at + length)
}

/// `a`, `a or b`, `a, b or c`; at most five are named.
fn join(words: &[String]) -> String {
    let shown = words.get(..words.len().min(5)).unwrap_or_default();
    match shown {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A rule of the grammar in words.
fn describe(rule: Rule, whole: &str) -> String {
    let words = match rule {
        Rule::EOI => return format!("the end of the {whole}"),
        Rule::name | Rule::dotted | Rule::plan_name => "a name",
        Rule::path | Rule::reference => "a name",
        Rule::unit => "a unit",
        Rule::text => "a text in quotes",
        Rule::equals => "`=`",
        Rule::colon => "`:`",
        Rule::open => "`(`",
        Rule::close => "`)`",
        Rule::begin | Rule::set => "`{`",
        Rule::finish => "`}`",
        Rule::arrow => "`->`",
        Rule::bar => "`|`",
        Rule::percent_sign => "`%`",
        Rule::integer => "a whole number",
        Rule::number | Rule::amount | Rule::field_amount => "a number",
        Rule::date => "a date such as `2026-03-16`",
        Rule::moment => "a time such as `2026-03-16 09:00`",
        Rule::clock | Rule::window => "a clock time such as `09:00`",
        Rule::weekday => "a weekday such as `Mon`",
        Rule::period => "`hour`, `day`, `week` or `month`",
        Rule::level | Rule::action => "`digest`, `note`, `tell` or `ring`",
        Rule::outcome => "an outcome such as `delivered`",
        Rule::compare_op
        | Rule::arith_op
        | Rule::kw_has
        | Rule::kw_is
        | Rule::kw_in
        | Rule::kw_fired
        | Rule::kw_age
        | Rule::as_percent
        | Rule::kw_as => "an operator",
        Rule::condition | Rule::comparison | Rule::operand | Rule::group => "a value or condition",
        Rule::stat_window => "`over` or `within last`",
        Rule::stat_option => "`needs`, `with today` or `else`",
        Rule::item_window => "a window such as `today` or `within last 24h`",
        Rule::where_part => "`where`",
        Rule::in_zone => "`in`",
        Rule::late => "`late`",
        Rule::cadence => "a cadence such as `daily`",
        Rule::fresh => "`fresh`",
        Rule::range => "`range`",
        Rule::timed => "`timed`",
        Rule::field => "a field and its type",
        Rule::schedule_kind => "a schedule such as `daily at 07:30`",
        Rule::zone_option => "`default`, `gap` or `fold`",
        Rule::gap_word => "`after` or `skip`",
        Rule::fold_word => "`first`, `second` or `both`",
        Rule::quiet_policy => "`drop`, `keep until end`, `soften` or `pass`",
        Rule::unknown_policy => "`silent`, `fire` or `keep`",
        Rule::day_window => "`on` and weekdays",
        Rule::repeat => "a count such as `x14`",
        Rule::expect_option => "`by`, `per` or `says`",
        Rule::within => "`within`",
        Rule::at_schedule => "`at`",
        Rule::after_part => "`after`",
        Rule::item_field => "a field and its value",
        Rule::cell => "a cell",
        other => {
            return keyword(other).map_or_else(|| "something else".to_owned(), |word| format!("`{word}`"));
        }
    };
    words.to_owned()
}

/// The word of a keyword rule.
fn keyword(rule: Rule) -> Option<String> {
    format!("{rule:?}").strip_prefix("kw_").map(str::to_owned)
}

/// Words that a rule of the grammar accepts, for the nearest spelling.
fn spell(rule: Rule) -> Vec<String> {
    let words: &[&str] = match rule {
        Rule::weekday => &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
        Rule::period => &["hour", "day", "week", "month"],
        Rule::level | Rule::action => &["digest", "note", "tell", "ring"],
        Rule::outcome => &["delivered", "kept", "suppressed", "expired", "digested"],
        Rule::unknown_policy => &["silent", "fire", "keep"],
        Rule::gap_word => &["after", "skip"],
        Rule::fold_word => &["first", "second", "both"],
        Rule::zone_option => &["default", "gap", "fold"],
        Rule::compare_op => &["before", "after"],
        Rule::as_percent => &["as"],
        Rule::stat_window => &["over", "within"],
        Rule::stat_option => &["needs", "with", "else"],
        Rule::item_window => &["today", "rest", "now", "last", "this", "over", "within", "since"],
        Rule::where_part => &["where"],
        Rule::late => &["late"],
        Rule::cadence => &["sampled", "hourly", "daily", "nightly", "every"],
        Rule::fresh => &["fresh"],
        Rule::range => &["range"],
        Rule::timed => &["timed"],
        Rule::schedule_kind => &["daily", "monthly", "every", "on"],
        Rule::quiet_policy => &["drop", "keep", "soften", "pass"],
        Rule::within => &["within"],
        Rule::after_part => &["after"],
        Rule::expect_option => &["by", "per", "says"],
        other => return keyword(other).into_iter().collect(),
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
