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
const FIRST_WORDS: [(&[&str], &str); 8] = [
    (&["if", "where", "condition"], "a condition begins with `when`"),
    (&["//", "--", "/*", ";", "'"], "a comment begins with `#`"),
    (&["alert", "notify", "send", "push", "do"], "what happens is written as in `then tell`"),
    (&["else", "otherwise"], "a rule has one outcome: write a second rule"),
    (&["end", "}", "{"], "a definition ends where its indented lines end"),
    (&["assert", "should", "must"], "what is expected is written as in `expect nothing else`"),
    (&["timezone", "tz"], "a time zone is written as in `zone home = \"Europe/Paris\"`"),
    (&["var", "const", "set", "def"], "a value gets a name with `let`, inside a rule"),
];

/// Signs and words in the middle of a line.
const SIGNS: [(&str, &str); 33] = [
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
    ("below ", "write `<`"),
    ("under ", "write `<`"),
    ("less ", "write `<`"),
    ("lower ", "write `<`"),
    ("above ", "write `>`"),
    ("greater ", "write `>`"),
    ("more ", "write `>`"),
    ("higher ", "write `>`"),
    ("equals ", "write `=`"),
    ("equal ", "write `=`"),
    ("€", "write the currency after the amount, as in `12 EUR`"),
    ("£", "write the currency after the amount, as in `12 GBP`"),
    ("$", "write the currency after the amount, as in `12 USD`"),
    (";", "a line ends without a sign"),
    ("{", "no braces: what belongs to it stands below, indented"),
    (":", "a line ends without a sign; what belongs to it stands below, indented"),
    ("once ", "`once per day` stands on a line of its own"),
    ("weekly ", "write the weekday, as in `on Sun at 09:00`"),
    ("alert", "write `tell`, or `ring` for what must be heard"),
    ("notify", "write `tell`, or `ring` for what must be heard"),
    ("send", "write `tell`, or `ring` for what must be heard"),
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

/// What to do about a sign or word from elsewhere at the end of `before`, or at the beginning of `rest`.
#[must_use]
pub fn sign(before: &str, rest: &str) -> Option<&'static str> {
    let is_here = |sign: &str| {
        // The first half of a sign may have been read as a sign of its own.
        let split = sign.get(..1).zip(sign.get(1..)).is_some_and(|(left, right)| {
            !left.chars().all(char::is_alphabetic)
                && !right.is_empty()
                && before.ends_with(left)
                && rest.starts_with(right)
        });
        split || rest.starts_with(sign)
    };
    SIGNS.iter().find(|(sign, _)| is_here(sign)).map(|(_, help)| *help)
}
