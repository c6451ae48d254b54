//! The rules of events as they are written, checked before calcard reads them.
//!
//! calcard passes over what it cannot read in a rule and wraps what is too large, so that `COUNT=0` would
//! repeat for ever. A rule that RFC 5545, 3.3.10 does not allow is therefore replaced in the text by a line
//! [`MARKER`] with its number, which stays inside its event; nothing else of the text changes. A calendar
//! that writes such a line itself only has a sentence said about it. Rules of time zones are not looked at.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

/// The property that stands for a refused rule; its value is the place in the list of refused ones.
pub(super) const MARKER: &str = "X-REFUSED-RRULE";
/// Characters shown of what was found.
const SHOWN_MAX: usize = 60;

const FREQUENCIES: &[&str] = &["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"];
const DAYS: &[&str] = &["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// What the value of a part has to be.
#[derive(Clone, Debug)]
enum Form {
    Frequency,
    /// A date or a time.
    Last,
    /// One number.
    Number(RangeInclusive<i64>),
    /// Numbers.
    List(RangeInclusive<i64>),
    /// Numbers from one up, or from minus one down.
    Either(i64),
    /// Days of the week, each with a number up to this before it or with none.
    Days(i64),
    Day,
    /// Judged when the rule is followed.
    Scale,
}

/// The parts of a rule: RFC 5545, 3.3.10 and RFC 7529, 4. calcard keeps an interval in 16 bits.
const PARTS: &[(&str, Form)] = &[
    ("FREQ", Form::Frequency),
    ("UNTIL", Form::Last),
    ("COUNT", Form::Number(1..=4_294_967_295)),
    ("INTERVAL", Form::Number(1..=65_535)),
    ("BYSECOND", Form::List(0..=60)),
    ("BYMINUTE", Form::List(0..=59)),
    ("BYHOUR", Form::List(0..=23)),
    ("BYDAY", Form::Days(53)),
    ("BYMONTHDAY", Form::Either(31)),
    ("BYYEARDAY", Form::Either(366)),
    ("BYWEEKNO", Form::Either(53)),
    ("BYMONTH", Form::List(1..=12)),
    ("BYSETPOS", Form::Either(366)),
    ("WKST", Form::Day),
    ("RSCALE", Form::Scale),
    ("SKIP", Form::Scale),
];

impl Form {
    fn holds(&self, value: &str) -> bool {
        let each = |one: &dyn Fn(&str) -> bool| value.split(',').all(|part| one(part.trim()));
        let within = |range: &RangeInclusive<i64>, text: &str| {
            text.parse().is_ok_and(|number: i64| range.contains(&number))
        };
        match self {
            Self::Frequency => is_one_of(FREQUENCIES, value),
            Self::Last => is_date_or_time(value),
            Self::Number(range) => within(range, value),
            Self::List(range) => each(&|part| within(range, part)),
            Self::Either(most) => each(&|part| is_either(part, *most)),
            Self::Days(most) => each(&|part| {
                let split = part.len().checked_sub(2).and_then(|at| part.split_at_checked(at));
                split.is_some_and(|(number, day)| {
                    is_one_of(DAYS, day) && (number.is_empty() || is_either(number, *most))
                })
            }),
            Self::Day => is_one_of(DAYS, value),
            Self::Scale => true,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frequency => f.write_str("`YEARLY`, `MONTHLY`, `WEEKLY`, `DAILY` or `HOURLY`"),
            Self::Last => f.write_str("a date as `20261231` or a time as `20261231T235959Z`"),
            Self::Number(range) | Self::List(range) => write!(f, "{} to {}", range.start(), range.end()),
            Self::Either(most) => write!(f, "1 to {most} or -{most} to -1"),
            Self::Days(most) => write!(f, "days as `MO` or `-1FR`, numbered up to {most}"),
            Self::Day => f.write_str("a day as `MO`"),
            Self::Scale => f.write_str("a word"),
        }
    }
}

fn is_one_of(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text))
}

fn is_either(text: &str, most: i64) -> bool {
    text.parse().is_ok_and(|number: i64| number != 0 && (-most..=most).contains(&number))
}

fn is_date_or_time(text: &str) -> bool {
    let (date, time) = text.split_once(['T', 't']).map_or((text, None), |(date, time)| (date, Some(time)));
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    let clock = |time: &str| {
        let bare = time.strip_suffix(['Z', 'z']).unwrap_or(time);
        digits(bare, 6) && chrono::NaiveTime::parse_from_str(bare, "%H%M%S").is_ok()
    };
    digits(date, 8) && chrono::NaiveDate::parse_from_str(date, "%Y%m%d").is_ok() && time.is_none_or(clock)
}

/// A rule that is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// From 1.
    line: usize,
    found: String,
    expected: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, found, expected } = self;
        write!(f, "its rule in line {line} is left out: `{found}` was found, expected {expected}")
    }
}

/// What is wrong with a rule: what was found, and what was expected.
fn fault(rule: &str) -> Option<(&str, String)> {
    let mut seen: Vec<&str> = Vec::new();
    let mut last = "";
    for part in rule.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let known = PARTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
        let Some((name, form)) = known else { return Some((part, "a part of RFC 5545".to_owned())) };
        if seen.contains(name) {
            return Some((part, format!("`{name}` once")));
        }
        if !form.holds(value.trim()) {
            return Some((part, form.to_string()));
        }
        if matches!(*name, "COUNT" | "UNTIL") {
            if !last.is_empty() {
                return Some((part, "`COUNT` or `UNTIL`, not both".to_owned()));
            }
            last = name;
        }
        seen.push(name);
    }
    (!seen.contains(&"FREQ")).then(|| (rule.trim(), "`FREQ` in it".to_owned()))
}

/// The text without the rules of events that cannot be followed, and those rules.
pub(super) fn check(text: &str) -> (Cow<'_, str>, Vec<Refused>) {
    let (mut checked, mut refused) = (String::new(), Vec::new());
    // How much of the text is in `checked`, where we are, and in which components.
    let (mut copied, mut at, mut number) = (0, 0, 0);
    let mut open: Vec<bool> = Vec::new();
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(first) = lines.next() {
        let (start, line) = (at, number + 1);
        (at, number) = (at + first.len(), number + 1);
        let mut whole = Cow::Borrowed(first.trim_end_matches(['\r', '\n']));
        while let Some(more) = lines.next_if(|next| next.starts_with([' ', '\t'])) {
            (at, number) = (at + more.len(), number + 1);
            whole.to_mut().extend(more.trim_end_matches(['\r', '\n']).chars().skip(1));
        }
        let Some((name, value)) = property(&whole) else { continue };
        if name.eq_ignore_ascii_case("BEGIN") {
            open.push(value.trim().eq_ignore_ascii_case("VEVENT"));
        } else if name.eq_ignore_ascii_case("END") {
            open.pop();
        } else if name.eq_ignore_ascii_case("RRULE")
            && open.last() == Some(&true)
            && let Some((found, expected)) = fault(value)
        {
            checked.push_str(text.get(copied..start).unwrap_or_default());
            checked.push_str(&format!("{MARKER}:{}\r\n", refused.len()));
            copied = at;
            refused.push(Refused { line, found: found.chars().take(SHOWN_MAX).collect(), expected });
        }
    }
    if refused.is_empty() {
        return (Cow::Borrowed(text), refused);
    }
    checked.push_str(text.get(copied..).unwrap_or_default());
    (Cow::Owned(checked), refused)
}

/// Name and value of an unfolded line; a colon inside quotes belongs to a parameter.
fn property(line: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let (head, value) = line.split_once(|letter| {
        quoted ^= letter == '"';
        letter == ':' && !quoted
    })?;
    Some((head.split(';').next().unwrap_or(head).trim(), value))
}

#[cfg(test)]
#[path = "rule_text_tests.rs"]
mod tests;
