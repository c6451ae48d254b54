//! What a person most likely meant where a text cannot be read: the nearest spelling, or the right sign for
//! one from another language.
//!
//! Never changes what is read; a wrong guess is worse than none, so most mistakes get no hint.

use super::Rule;
use crate::engine::habits;
use crate::engine::nearest::nearest;

/// What stands at the place of a mistake.
#[derive(Debug)]
pub(super) enum Found<'t> {
    /// Nothing more.
    Nothing,
    /// A quoted text.
    Text,
    /// A word, a number with its unit, or one sign.
    Word(&'t str),
}

impl Found<'_> {
    /// Bytes of it; 0 for what is not shown itself.
    pub(super) fn len(&self, rest: &str) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Text => rest.get(1..).and_then(|inner| inner.find('"')).map_or(1, |end| end + 2),
            Self::Word(word) => word.len(),
        }
    }
}

/// What a text begins with.
pub(super) fn found(rest: &str) -> Found<'_> {
    let Some(first) = rest.chars().next() else { return Found::Nothing };
    if first == '"' {
        return Found::Text;
    }
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | ':' | '%' | '°');
    let length = |text: &str| text.find(|c: char| !part(c)).unwrap_or(text.len());
    let mut end = length(rest).max(first.len_utf8());
    if first.is_ascii_digit()
        && rest.get(..end).is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
    {
        // A number and the word after it are one thing for whoever wrote them.
        let after = rest.get(end..).and_then(|after| after.strip_prefix(' ')).unwrap_or("");
        let word = after.get(..length(after)).unwrap_or("");
        if word.starts_with(char::is_alphabetic) && !JOINING.contains(&word) {
            end += 1 + word.len();
        }
    }
    Found::Word(rest.get(..end).unwrap_or(rest))
}

/// Words that join values; they belong to no number and are never misspelt into one another.
const JOINING: [&str; 15] = [
    "and", "or", "of", "to", "in", "is", "as", "has", "not", "before", "after", "where", "at", "for", "from",
];

/// A help line for the mistake at `offset`.
pub(super) fn hint(text: &str, offset: usize, found: &Found<'_>, positives: &[Rule]) -> Option<String> {
    let rest = text.get(offset..).unwrap_or("");
    let before = text.get(..offset).unwrap_or("");
    let last = before.chars().next_back();
    if let Some(help) = incomplete(before, rest, found, positives) {
        return Some(help);
    }
    let Found::Word(word) = found else { return None };
    if let Some(help) = misnamed(before, word, positives).or_else(|| in_a_test(word, positives)) {
        return Some(help);
    }
    if let Some(sign) = habits::sign(text, offset) {
        let is = sign.is_word() && before.trim_end().ends_with(" is") && sign.help.starts_with("write `");
        return Some(if is { format!("{}, without `is`", sign.help) } else { sign.help.to_owned() });
    }
    if word.starts_with(['\'', '`', '‘', '’', '“', '”']) {
        return Some("texts stand in straight quotes, as in `\"text\"`".to_owned());
    }
    if let Some(digits) =
        word.strip_prefix('.').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
    {
        return Some(format!("write `0.{digits}`"));
    }
    let digits_follow = rest.get(1..).is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    if *word == "," && digits_follow && last.is_some_and(|c| c.is_ascii_digit()) {
        return Some("write numbers without `,`".to_owned());
    }
    if let Some(help) = time(word, positives) {
        return Some(help);
    }
    if positives.contains(&Rule::name) && word.starts_with(|c: char| c.is_ascii_digit()) {
        return Some("a name begins with a letter".to_owned());
    }
    if JOINING.contains(word) {
        return None;
    }
    if positives == [Rule::unit_name] {
        return Some(
            "the unit stands after the name, as in `signal health.asleep duration nightly`".to_owned(),
        );
    }
    if positives.contains(&Rule::weekday)
        && let Some(day) = spellings(Rule::weekday).into_iter().find(|day| word.starts_with(day.as_str()))
    {
        return Some(format!("did you mean `{day}`?"));
    }
    let known: Vec<String> = positives.iter().flat_map(|rule| spellings(*rule)).collect();
    if let Some(near) = nearest(word, known.iter().map(String::as_str)) {
        return Some(format!("did you mean `{near}`?"));
    }
    if positives.contains(&Rule::k_missing) && positives.contains(&Rule::k_not) {
        return Some(
            "only `missing` stands after `is`; values are compared with `=`, `<` and so on".to_owned(),
        );
    }
    let titled = before.starts_with("rule ") || before.starts_with("test ");
    if titled && word.starts_with(char::is_alphabetic) {
        return Some("a name is one word, as in `short-sleep`; a title stands in quotes".to_owned());
    }
    None
}

/// What is to be added: a part of a line that ends too early, or stands elsewhere.
fn incomplete(before: &str, rest: &str, found: &Found<'_>, positives: &[Rule]) -> Option<String> {
    let takes = |rule: Rule| positives.contains(&rule);
    if positives == [Rule::k_else] && before.trim_end().ends_with("nothing") {
        return Some("write `nothing else`".to_owned());
    }
    match found {
        Found::Nothing if takes(Rule::close) => Some("close the `(` with `)`".to_owned()),
        Found::Text if takes(Rule::k_within) && takes(Rule::k_at) => {
            Some("the text stands on a line of its own, as in `say \"Good morning\"`".to_owned())
        }
        Found::Text if positives == [Rule::name] => {
            let name = habits::kebab(rest.split('"').nth(1).unwrap_or(""));
            let fits = name.starts_with(char::is_alphabetic);
            fits.then(|| format!("a name stands before the text, without quotes, as in `{name}`"))
        }
        _ => None,
    }
}

/// What is written otherwise in a test.
fn in_a_test(word: &str, positives: &[Rule]) -> Option<String> {
    if positives.contains(&Rule::t_expect) || positives.contains(&Rule::expected) {
        if matches!(word, "Nothing" | "none" | "None" | "no" | "not" | "never" | "empty") {
            return Some("write `nothing else`".to_owned());
        }
        let named = word.starts_with(char::is_alphabetic);
        return named.then(|| format!("its date and time stand before `{word}`"));
    }
    if let Some(ours) = habits::outcome(word).filter(|_| positives.contains(&Rule::outcome)) {
        return Some(format!("write `{ours}`"));
    }
    let (date, clock) = word.split_once('T').filter(|_| positives.contains(&Rule::instant))?;
    let digits = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let minutes = clock.get(..5).filter(|_| digits(date) && digits(clock))?;
    Some(format!("write `{date} {minutes}`"))
}

/// What is called otherwise here: a statistic, a quiet window that is not named, a time of day.
fn misnamed(before: &str, word: &str, positives: &[Rule]) -> Option<String> {
    let last = before.split_whitespace().next_back().unwrap_or("");
    if word == "of"
        && let Some(ours) = habits::statistic(last)
    {
        return Some(format!("write `{ours} of`"));
    }
    if word == ":" && positives.contains(&Rule::k_from) {
        return Some("the first date stands before it, as in `from 2026-03-16:`".to_owned());
    }
    if word == ":" && last.is_empty() && positives.contains(&Rule::name) {
        return Some("say which window, as in `quiet nights: drop`".to_owned());
    }
    if word == "day" && last == "every" {
        return Some("write `daily at 07:30`".to_owned());
    }
    if positives == [Rule::k_per] {
        let once = if before.is_empty() { "once " } else { "" };
        return Some(format!("write `{once}per day`"));
    }
    if word == "at" && positives.contains(&Rule::schedule_kind) {
        return Some("write `daily at 07:30`".to_owned());
    }
    if word == "weekly" && positives.contains(&Rule::signal_part) {
        return Some("write `every 168h`".to_owned());
    }
    if word == "[" {
        let list = positives == [Rule::text];
        let help = if list { "leave out the brackets" } else { "a set stands in braces, as in `{3, 4}`" };
        return Some(help.to_owned());
    }
    if word == ")" && !positives.contains(&Rule::close) {
        return Some("no `(` is open here".to_owned());
    }
    if last == "if" && positives.contains(&Rule::sign) {
        return Some("leave out `if`".to_owned());
    }
    if positives.contains(&Rule::level)
        && let Some(ours) = habits::level(word)
    {
        return Some(format!("write `{ours}`; `ring` is for what must be heard"));
    }
    let is_clock = positives.contains(&Rule::clock) || positives.contains(&Rule::clocks);
    let clock = ["am", "pm", "AM", "PM"].iter().any(|half| word.ends_with(half)) || word == "noon";
    (is_clock && clock).then(|| "a day has 24 hours: write `07:00` or `19:00`".to_owned())
}

/// A length of time in a form that is not read at this place.
fn time(word: &str, positives: &[Rule]) -> Option<String> {
    let split = word.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = word.split_at_checked(split)?;
    let count: u32 = number.parse().ok()?;
    let unit = unit.trim_start();
    let takes = |rule: Rule| positives.contains(&rule);
    let (either, dates) = (takes(Rule::length), takes(Rule::cal_span));
    let exact = takes(Rule::duration) && !dates;
    let short = habits::unit(unit).filter(|short| matches!(*short, "h" | "min" | "s" | "ms"));
    if let Some(short) = short.filter(|_| exact || either) {
        return Some(format!("write `{number}{short}`"));
    }
    if exact && matches!(unit, "day" | "days" | "night" | "nights" | "d") {
        let hours = count.checked_mul(24)?;
        return Some(format!("days are counted by date; an exact time is needed here: write `{hours}h`"));
    }
    if (dates || either) && unit == "d" {
        return Some(format!("write `{number} days`"));
    }
    if dates && (short.is_some() || matches!(unit, "h" | "min" | "m" | "s")) {
        return Some("whole dates are counted here: write `14 days` or `2 weeks`".to_owned());
    }
    None
}

/// The words that a grammar rule may begin with; none for those that begin with a name or a number.
fn spellings(rule: Rule) -> Vec<String> {
    let words: &[&str] = match rule {
        Rule::level => &["digest", "note", "tell", "ring"],
        Rule::outcome => &["delivered", "kept", "digested", "suppressed", "expired"],
        Rule::weekday => &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
        Rule::period => &["hour", "day", "week", "month"],
        Rule::quantifier => &["some", "each", "no", "every"],
        Rule::joiner => &["and", "or"],
        Rule::compare_op => &["before", "after"],
        Rule::stat_window => &["over", "within"],
        Rule::cadence => &["sampled", "hourly", "daily", "nightly", "every"],
        Rule::schedule_kind => &["daily", "on", "monthly", "every"],
        Rule::quiet_policy => &["drop", "keep", "soften", "pass"],
        Rule::unknown_policy => &["silent", "fire", "keep"],
        Rule::gap => &["skip", "after"],
        Rule::fold => &["first", "second", "both"],
        Rule::item_window | Rule::window_kind => {
            &["today", "rest", "now", "last", "this", "over", "within", "since"]
        }
        Rule::zone_part => &["default", "gap", "fold"],
        Rule::late => &["until", "skip"],
        Rule::signal_part => &["sampled", "hourly", "daily", "nightly", "every", "fresh", "range", "private"],
        Rule::stat_part => &["needs", "else", "with"],
        keyword => return super::words::keyword(keyword).into_iter().collect(),
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
