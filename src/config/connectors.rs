//! `connectors.toml`: which sources are read, how often, and what their signals and streams are called here.
//!
//! ```toml
//! [source.calendar]
//! kind  = "ics"
//! url   = "env:CALENDAR_URL"
//! every = "15min"
//! as    = { "calendar.event" = "work.event" }
//!
//! [watch]
//! ping = "env:PING_URL"
//! ```
//!
//! The name of an entry is the name behind `source.` in rules.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned as TomlSpanned;
use toml::de::{DeTable, DeValue};

use super::options::{Form, OptionDef};
use super::settings::{SecretRef, Setting, Settings, Written};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::nearest::did_you_mean;
use crate::engine::source::{FileId, Span};
use crate::engine::time::parse_duration;

/// Entries of a file.
pub const ENTRIES_MAX: usize = 200;
/// Characters of an entry's name.
const NAME_MAX: usize = 40;
/// Shortest and longest time between two reads, in milliseconds.
const EVERY: Range<i64> = 1_000..7 * 24 * 3_600_000 + 1;

/// Ids of what is found here, for `lint --explain`.
pub mod id {
    /// Not TOML at all.
    pub const SYNTAX: &str = "settings-syntax";
    /// A key that means nothing there, or one that is missing.
    pub const KEY: &str = "settings-key";
    /// A value that cannot be.
    pub const VALUE: &str = "settings-value";
    /// A kind, signal or stream that is not known.
    pub const NAME: &str = "settings-name";
}

/// What is known of a kind of source.
#[derive(Clone, Copy, Debug)]
pub struct KindRow {
    /// The word behind `kind =`.
    pub name: &'static str,
    /// Its keys.
    pub options: &'static [OptionDef],
    /// Signals and streams that it gives; empty when that is the owner's business.
    pub gives: &'static [&'static str],
    /// Milliseconds between two reads where `every` is not written.
    pub every: Option<i64>,
    /// What no single key shows.
    pub check: fn(&Settings) -> Result<(), String>,
}

/// What a file may speak of.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// All kinds.
    pub kinds: &'a [KindRow],
    /// Signals and streams of the rule set; `None` where there is no sound set to ask.
    pub names: Option<&'a [&'a str]>,
}

/// One source.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Milliseconds between two reads; `None` when only a change starts one.
    pub every: Option<i64>,
    /// What the rule set calls a signal or stream, by what the source calls it.
    pub names: BTreeMap<String, String>,
    /// Everything else.
    pub settings: Settings,
}

/// What concerns the watching itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watching {
    /// An address that is asked as long as all is well; somebody else's job is to notice when it is not.
    pub ping: Option<Written>,
    /// Milliseconds between two of these.
    pub ping_every: Option<i64>,
    /// True when an address of the own machine or network may be pinged.
    pub allow_private: bool,
}

const WATCHING: &[OptionDef] = &[
    OptionDef::optional("ping", Form::Url, "An address that is asked while all is well (a dead-man switch)"),
    OptionDef::optional("ping-every", Form::Duration, "Time between two of these [default: 5min]"),
    OptionDef::optional("allow-private", Form::Flag, "May lie in the own network"),
];

const COMMON: &[OptionDef] = &[
    OptionDef::required("kind", Form::Text, "What kind of source it is"),
    OptionDef::optional("every", Form::Duration, "Time between two reads"),
    OptionDef::optional("as", Form::Tables(&[]), "Other names for its signals and streams"),
    OptionDef::optional("off", Form::Flag, "Is not read"),
];

/// Reads a file; what is sound in it comes out also when other parts are not.
#[must_use]
pub fn read_connectors(
    text: &str,
    file: FileId,
    known: Known<'_>,
) -> (Vec<Entry>, Watching, Vec<Diagnostic>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader =
        Reader { file, known, findings: Vec::new(), entries: Vec::new(), watching: Watching::default() };
    for error in errors {
        let span = reader.span(error.span().unwrap_or_default());
        // A lower-case message without a period is how everything here speaks.
        let message = error.message().trim_end_matches('.').replace('\n', ", ");
        reader.findings.push(Diagnostic::error(id::SYNTAX, span, message));
    }
    for (key, value) in table.get_ref() {
        reader.top(key, value);
    }
    reader.entries.sort_by(|a, b| a.name.cmp(&b.name));
    reader.findings.sort_by(|a, b| (a.span, a.id, &a.message).cmp(&(b.span, b.id, &b.message)));
    (reader.entries, reader.watching, reader.findings)
}

struct Reader<'k> {
    file: FileId,
    known: Known<'k>,
    findings: Vec<Diagnostic>,
    entries: Vec<Entry>,
    watching: Watching,
}

type Key<'t> = TomlSpanned<std::borrow::Cow<'t, str>>;
type Value<'t> = TomlSpanned<DeValue<'t>>;

impl Reader<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Span { file: self.file, start: at(range.start), end: at(range.end) }
    }

    fn error(&mut self, id: &'static str, range: Range<usize>, message: impl Into<String>) {
        let span = self.span(range);
        self.findings.push(Diagnostic::error(id, span, message));
    }

    fn unknown(&mut self, key: &Key<'_>, what: &str, words: &[&str]) {
        let name = key.get_ref();
        let message = match did_you_mean(name, words.iter().copied()) {
            Some(question) => format!("unknown {what} `{name}`, {question}"),
            None => format!("unknown {what} `{name}`, expected one of {}", listed(words)),
        };
        self.error(id::KEY, key.span(), message);
    }

    fn table<'v, 't>(&mut self, value: &'v Value<'t>, what: &str) -> Option<&'v DeTable<'t>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.error(id::VALUE, value.span(), format!("{what} is a table"));
        }
        table
    }

    fn top(&mut self, key: &Key<'_>, value: &Value<'_>) {
        match &**key.get_ref() {
            "source" => {
                let Some(table) = self.table(value, "`source`") else { return };
                for (name, value) in table {
                    self.entry(name, value);
                }
            }
            "watch" => {
                let Some(table) = self.table(value, "`watch`") else { return };
                let settings = self.settings(table, value.span(), &[WATCHING]);
                self.watching = Watching {
                    ping: settings.written("ping").cloned(),
                    ping_every: settings.duration("ping-every"),
                    allow_private: settings.flag("allow-private"),
                };
            }
            _ => self.unknown(key, "table", &["source", "watch"]),
        }
    }

    fn entry(&mut self, name: &Key<'_>, value: &Value<'_>) {
        let word = name.get_ref();
        if !is_name(word) {
            let message = format!(
                "`{word}` cannot be the name of a source: expected lower-case letters, digits and `-`, at most {NAME_MAX}"
            );
            return self.error(id::NAME, name.span(), message);
        }
        let Some(table) = self.table(value, "a source") else { return };
        let kinds = self.known.kinds;
        let Some(kind) = table.get("kind") else {
            let message = format!("`{word}` has no `kind`, expected one of {}", listed(&words(kinds)));
            return self.error(id::KEY, name.span(), message);
        };
        let Some(row) = kind.get_ref().as_str().and_then(|word| kinds.iter().find(|row| row.name == word))
        else {
            let message = match kind.get_ref().as_str().and_then(|word| did_you_mean(word, words(kinds))) {
                Some(question) => format!("unknown kind, {question}"),
                None => format!("unknown kind, expected one of {}", listed(&words(kinds))),
            };
            return self.error(id::NAME, kind.span(), message);
        };
        let before = self.findings.len();
        let settings = self.settings(table, name.span(), &[COMMON, row.options]);
        let names = table.get("as").map(|names| self.names(names, row)).unwrap_or_default();
        let every = table.get("every").map(TomlSpanned::span);
        if let (Some(span), Some(ms)) = (every, settings.duration("every"))
            && !EVERY.contains(&ms)
        {
            self.error(id::VALUE, span, "expected a time from 1 second to 7 days");
        }
        if self.findings.len() == before
            && let Err(reason) = (row.check)(&settings)
        {
            self.error(id::VALUE, name.span(), reason);
        }
        if self.entries.len() >= ENTRIES_MAX {
            return self.error(id::VALUE, name.span(), format!("more than {ENTRIES_MAX} sources"));
        }
        if self.findings.len() == before && !settings.flag("off") {
            let every = settings.duration("every").or(row.every);
            self.entries.push(Entry { name: word.to_string(), kind: row.name, every, names, settings });
        }
    }

    /// What is called otherwise here.
    fn names(&mut self, value: &Value<'_>, row: &KindRow) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        let Some(table) = self.table(value, "`as`") else { return names };
        for (from, to) in table {
            if !row.gives.is_empty() && !row.gives.contains(&&**from.get_ref()) {
                self.unknown(from, &format!("signal or stream of `{}`", row.name), row.gives);
                continue;
            }
            let Some(name) = to.get_ref().as_str() else {
                self.error(id::VALUE, to.span(), "expected the name of a signal or stream in quotes");
                continue;
            };
            if let Some(known) = self.known.names.filter(|known| !known.contains(&name)) {
                let message = match did_you_mean(name, known.iter().copied()) {
                    Some(question) => format!("no rule file declares `{name}`, {question}"),
                    None => format!("no rule file declares a signal or stream `{name}`"),
                };
                self.error(id::NAME, to.span(), message);
                continue;
            }
            names.insert(from.get_ref().to_string(), name.to_owned());
        }
        names
    }

    /// The values of a table by its rows.
    fn settings(&mut self, table: &DeTable<'_>, place: Range<usize>, rows: &[&[OptionDef]]) -> Settings {
        let mut settings = Settings::default();
        let rows: Vec<&OptionDef> = rows.iter().copied().flatten().collect();
        for (key, value) in table {
            let Some(row) = rows.iter().find(|row| row.key == key.get_ref()) else {
                let keys: Vec<_> = rows.iter().map(|row| row.key).collect();
                self.unknown(key, "key", &keys);
                continue;
            };
            // Names are read apart, with what the kind gives.
            if row.key == "as" {
                continue;
            }
            if let Some(value) = self.value(value, row) {
                settings.set(row.key, value);
            }
        }
        for row in rows.iter().filter(|row| row.required && !table.contains_key(row.key)) {
            let message = format!("`{}` is missing: {}", row.key, row.form.expected());
            self.error(id::KEY, place.clone(), message);
        }
        settings
    }

    fn value(&mut self, value: &Value<'_>, row: &OptionDef) -> Option<Setting> {
        let read = match (row.form, value.get_ref()) {
            (Form::Flag, DeValue::Boolean(flag)) => Some(Setting::Flag(*flag)),
            (Form::Number(from, to), DeValue::Integer(number)) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok();
                number.filter(|number| (from..=to).contains(number)).map(Setting::Number)
            }
            (Form::Duration, DeValue::String(text)) => {
                parse_duration(text).ok().filter(|ms| *ms > 0).map(Setting::Duration)
            }
            (Form::Texts, DeValue::Array(texts)) => {
                let texts = texts.iter().map(|text| text.get_ref().as_str().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>().filter(|texts| !texts.is_empty()).map(Setting::Texts)
            }
            (Form::Tables(rows), DeValue::Array(tables)) if !tables.is_empty() => {
                let mut read = Vec::new();
                for table in tables.iter() {
                    let Some(inner) = self.table(table, &format!("each of `{}`", row.key)) else { continue };
                    read.push(self.settings(inner, table.span(), &[rows]));
                }
                Some(Setting::Tables(read))
            }
            (form, DeValue::String(text)) => written(form, text).map(Setting::Text),
            _ => None,
        };
        if read.is_none() {
            // What is written there may be a secret, so it is not repeated.
            self.error(id::VALUE, value.span(), format!("`{}` is {}", row.key, row.form.expected()));
        }
        read
    }
}

/// A text in the form that is asked for.
fn written(form: Form, text: &str) -> Option<Written> {
    let kept = SecretRef::parse(text).map(Written::Kept);
    match form {
        Form::Text => kept.or_else(|| (!text.is_empty()).then(|| Written::Plain(text.to_owned()))),
        Form::Secret => kept,
        Form::Path => (!text.is_empty()).then(|| Written::Plain(text.to_owned())),
        Form::Url => kept.or_else(|| is_address(text).then(|| Written::Plain(text.to_owned()))),
        _ => None,
    }
}

/// True when what stands behind a key may be a secret: a text or an address, or a key that nobody knows.
#[must_use]
pub fn may_be_secret(key: &str, kinds: &[KindRow]) -> bool {
    if COMMON.iter().any(|row| row.key == key) {
        return false;
    }
    let rows = kinds.iter().flat_map(|kind| kind.options).chain(WATCHING);
    let plain = |form| matches!(form, Form::Path | Form::Number(..) | Form::Flag | Form::Duration);
    let mut forms = rows.filter(|row| row.key == key).map(|row| row.form).peekable();
    forms.peek().is_none() || forms.any(|form| !plain(form))
}

/// An address that can be asked.
#[must_use]
pub fn is_address(text: &str) -> bool {
    url::Url::parse(text)
        .is_ok_and(|url| ["http", "https", "webcal"].contains(&url.scheme()) && url.host().is_some())
}

fn is_name(word: &str) -> bool {
    word.len() <= NAME_MAX
        && word.starts_with(|letter: char| letter.is_ascii_lowercase())
        && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
}

fn words(kinds: &[KindRow]) -> Vec<&'static str> {
    kinds.iter().map(|row| row.name).collect()
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
