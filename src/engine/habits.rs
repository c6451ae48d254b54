//! Words and signs that people bring along from other languages, and what is written here instead.
//!
//! Only for help lines: nothing is ever read by these tables. A row says what the word means wherever it
//! stands; where it depends on the place, the place decides whether it asks.

/// Words for units.
const UNITS: [(&[&str], &str); 6] = [
    (&["hour", "hours", "hr", "hrs"], "h"),
    (&["minute", "minutes", "mins"], "min"),
    (&["second", "seconds", "sec", "secs"], "s"),
    (&["msec", "msecs", "millis", "millisecond", "milliseconds"], "ms"),
    (&["percent", "pct", "percentage"], "%"),
    (&["beats"], "bpm"),
];

/// Words for types.
const TYPES: [(&[&str], &str); 6] = [
    (&["bool", "boolean"], "flag"),
    (&["string", "str", "varchar"], "text"),
    (&["int", "integer", "float", "double", "decimal", "real"], "number"),
    (&["enum"], "word"),
    (&["time", "date", "datetime", "timestamp"], "instant"),
    (&["hour", "hours", "minute", "minutes", "second", "seconds", "min", "timespan", "interval"], "duration"),
];

/// Words that begin a definition, clause or line of a test elsewhere.
const FIRST_WORDS: [(&[&str], &str); 9] = [
    (&["if", "where", "condition"], "a condition begins with `when`"),
    (&["//", "--", "/*", ";", "'"], "a comment begins with `#`"),
    (&["alert", "notify", "send", "push", "do"], "what happens is written as in `then tell`"),
    (&["message", "text", "print", "msg"], "the text is written as in `say \"Good morning\"`"),
    (&["else", "otherwise"], "a rule has one outcome: write a second rule"),
    (&["end", "}", "{"], "a definition ends where its indented lines end"),
    (&["assert", "should", "must"], "what is expected is written as in `expect nothing else`"),
    (&["timezone", "tz"], "a time zone is written as in `zone home = \"Europe/Paris\"`"),
    (&["var", "const", "set", "def"], "a value gets a name with `let`, inside a rule"),
];

/// Signs and words in the middle of a line; `\n` stands for the end of it. A longer sign stands before those
/// that it begins with.
const SIGNS: [(&str, &str); 39] = [
    ("//", "a comment begins with `#`"),
    ("/*", "a comment begins with `#`"),
    ("--", "a comment begins with `#`"),
    ("===", "equality is one `=`"),
    ("==", "equality is one `=`"),
    ("=>", "write `>=`"),
    ("=<", "write `<=`"),
    ("<>", "write `!=`"),
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("&", "write `and`"),
    ("|", "write `or`"),
    ("!", "write `not`"),
    ("≥", "write `>=`"),
    ("≤", "write `<=`"),
    ("≠", "write `!=`"),
    ("between", "write `in … to …`, as in `in 40bpm to 60bpm`"),
    ("not", "`not` stands before the whole comparison, as in `not x in {\"a\", \"b\"}`"),
    ("below", "write `<`"),
    ("under", "write `<`"),
    ("less", "write `<`"),
    ("lower", "write `<`"),
    ("above", "write `>`"),
    ("greater", "write `>`"),
    ("more", "write `>`"),
    ("higher", "write `>`"),
    ("equals", "write `=`"),
    ("equal", "write `=`"),
    ("€", "write the currency after the amount, as in `12 EUR`"),
    ("£", "write the currency after the amount, as in `12 GBP`"),
    ("$", "write the currency after the amount, as in `12 USD`"),
    (";", "a line ends without a sign"),
    ("}", "no braces: what belongs to it stands below, indented"),
    ("{", "no braces: what belongs to it stands below, indented"),
    (":\n", "a line ends without a sign; what belongs to it stands below, indented"),
    (":", "leave out the `:`"),
    ("needs", "a `,` stands before it: `, needs`"),
    ("once", "`once per day` stands on a line of its own"),
    ("weekly", "write the weekday, as in `on Sun at 09:00`"),
];

/// Words for statistics.
const STATISTICS: [(&[&str], &str); 6] = [
    (&["average", "avg"], "mean"),
    (&["maximum", "highest", "largest"], "max"),
    (&["minimum", "lowest", "smallest"], "min"),
    (&["total"], "sum"),
    (&["stddev", "deviation"], "sd"),
    (&["latest", "newest"], "last"),
];

/// Words for levels.
const LEVELS: [(&[&str], &str); 2] = [
    (&["alert", "notify", "send", "email", "message", "push", "remind"], "tell"),
    (&["alarm", "call"], "ring"),
];

/// Words for outcomes.
const OUTCOMES: [(&[&str], &str); 1] = [(&["fired", "sent", "shown", "told", "fires"], "delivered")];

fn row(table: &[(&[&str], &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(words, _)| words.contains(&word)).map(|(_, ours)| *ours)
}

/// The unit that a word stands for.
#[must_use]
pub fn unit(word: &str) -> Option<&'static str> {
    row(&UNITS, word)
}

/// The type that a word stands for.
#[must_use]
pub fn type_word(word: &str) -> Option<&'static str> {
    row(&TYPES, word).or_else(|| unit(word))
}

/// The statistic that a word stands for.
#[must_use]
pub fn statistic(word: &str) -> Option<&'static str> {
    row(&STATISTICS, word)
}

/// What to do about a line that begins with a word from elsewhere.
#[must_use]
pub fn first_word(word: &str) -> Option<&'static str> {
    row(&FIRST_WORDS, word)
}

/// The level that a word stands for.
#[must_use]
pub fn level(word: &str) -> Option<&'static str> {
    row(&LEVELS, word)
}

/// The outcome that a word stands for.
#[must_use]
pub fn outcome(word: &str) -> Option<&'static str> {
    row(&OUTCOMES, word)
}

/// A sign or word from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// Byte at which it begins.
    pub start: usize,
    /// What it is.
    pub text: &'static str,
    /// What to do about it.
    pub help: &'static str,
}

impl Sign {
    /// True for a word.
    #[must_use]
    pub fn is_word(&self) -> bool {
        self.text.starts_with(char::is_alphabetic)
    }

    /// True for what would compare or join, were it written as here.
    #[must_use]
    pub fn joins(&self) -> bool {
        self.text.chars().all(|c| "=<>&|!≥≤≠".contains(c))
    }
}

/// The sign or word from elsewhere at byte `at` of a text. The first half of a sign may stand before, where
/// it was read as a sign of its own.
#[must_use]
pub fn sign(text: &str, at: usize) -> Option<Sign> {
    let rest = text.get(at..)?;
    let end =
        rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or("");
    let back = at.checked_sub(1);
    SIGNS.iter().find_map(|(sign, help)| {
        let found = |start: usize, text: &'static str| Some(Sign { start, text, help });
        if sign.starts_with(char::is_alphabetic) {
            return if word == *sign { found(at, sign) } else { None };
        }
        if let Some(bare) = sign.strip_suffix('\n') {
            return if rest.trim_end() == bare { found(at, bare) } else { None };
        }
        // A sign of one letter has no first half.
        let halved = sign.is_ascii() && sign.len() > 1;
        let split =
            back.filter(|back| halved && text.get(*back..).is_some_and(|from| from.starts_with(sign)));
        split.or_else(|| rest.starts_with(sign).then_some(at)).and_then(|start| found(start, sign))
    })
}

/// A word as the names of definitions are written: small letters and digits, joined by `-`.
#[must_use]
pub fn kebab(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut small = false;
    for c in word.chars() {
        let joint = !c.is_alphanumeric();
        if (joint || (c.is_uppercase() && small)) && !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if !joint {
            out.extend(c.to_lowercase());
        }
        small = c.is_lowercase() || c.is_numeric();
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_forms_become_kebab_case() {
        for (word, name) in [
            ("Foo", "foo"),
            ("foo_bar", "foo-bar"),
            ("fooBar", "foo-bar"),
            ("FOO", "foo"),
            ("my rule!", "my-rule"),
            ("a__b.c", "a-b-c"),
            ("_", ""),
            ("Über", "über"),
        ] {
            assert_eq!(kebab(word), name, "{word}");
        }
    }

    #[test]
    fn a_sign_is_found_from_its_second_half_and_a_word_only_whole() {
        assert_eq!(sign("a == 3", 3).map(|sign| (sign.start, sign.text)), Some((2, "==")));
        assert_eq!(sign("a below 3", 2).map(|sign| sign.text), Some("below"));
        assert_eq!(sign("a belows 3", 2), None);
        assert_eq!(sign("a: b", 1).map(|sign| sign.help), Some("leave out the `:`"));
        assert_eq!(sign("é≥", 2).map(|sign| sign.text), Some("≥"));
        assert_eq!(sign("é≥", 1), None);
    }
}
