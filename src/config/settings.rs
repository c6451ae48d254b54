//! The values of one entry, by key, already of the form that its row asks for.

use std::collections::BTreeMap;
use std::fmt;

/// Where a secret is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretRef {
    /// `env:NAME`: a variable of the process.
    Env(String),
    /// `file:PATH`: the text of a file, without its last line break.
    File(String),
    /// `keyring:NAME`: an entry of the system's keyring.
    Keyring(String),
}

impl SecretRef {
    /// Reads a reference; `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, name) = text.split_once(':')?;
        if name.is_empty() {
            return None;
        }
        match kind {
            "env" => Some(Self::Env(name.to_owned())),
            "file" => Some(Self::File(name.to_owned())),
            "keyring" => Some(Self::Keyring(name.to_owned())),
            _ => None,
        }
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "env:{name}"),
            Self::File(path) => write!(f, "file:{path}"),
            Self::Keyring(name) => write!(f, "keyring:{name}"),
        }
    }
}

/// A text as it was written, or as it was found where it is kept.
#[derive(Clone, PartialEq, Eq)]
pub enum Written {
    /// In the file itself.
    Plain(String),
    /// Kept elsewhere, not yet looked up.
    Kept(SecretRef),
    /// Kept elsewhere and looked up: never shown.
    Secret(String),
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(text) => write!(f, "{text:?}"),
            Self::Kept(kept) => write!(f, "{kept}"),
            Self::Secret(_) => f.write_str("(secret)"),
        }
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Text, an address, a path or a secret.
    Text(Written),
    /// A whole number.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// Milliseconds.
    Duration(i64),
    /// A list of texts.
    Texts(Vec<String>),
    /// A list of tables.
    Tables(Vec<Settings>),
}

/// The values of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<String, Setting>,
}

impl Settings {
    /// Sets a key.
    pub fn set(&mut self, key: impl Into<String>, value: Setting) {
        self.values.insert(key.into(), value);
    }

    /// True when the key is written.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// A text, address, path or secret; `None` when it is not written, or still only a reference.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key) {
            Some(Setting::Text(Written::Plain(text) | Written::Secret(text))) => Some(text),
            _ => None,
        }
    }

    /// A text with where it came from.
    #[must_use]
    pub fn written(&self, key: &str) -> Option<&Written> {
        match self.values.get(key) {
            Some(Setting::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A whole number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<i64> {
        match self.values.get(key) {
            Some(Setting::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// A flag; one that is not written is false.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.values.get(key), Some(Setting::Flag(true)))
    }

    /// A time in milliseconds.
    #[must_use]
    pub fn duration(&self, key: &str) -> Option<i64> {
        match self.values.get(key) {
            Some(Setting::Duration(ms)) => Some(*ms),
            _ => None,
        }
    }

    /// A list of texts; empty when it is not written.
    #[must_use]
    pub fn texts(&self, key: &str) -> &[String] {
        match self.values.get(key) {
            Some(Setting::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// A list of tables; empty when it is not written.
    #[must_use]
    pub fn tables(&self, key: &str) -> &[Self] {
        match self.values.get(key) {
            Some(Setting::Tables(tables)) => tables,
            _ => &[],
        }
    }

    /// All references that are still to be looked up.
    #[must_use]
    pub fn kept(&self) -> Vec<&SecretRef> {
        self.values
            .values()
            .flat_map(|value| match value {
                Setting::Text(Written::Kept(kept)) => vec![kept],
                Setting::Tables(tables) => tables.iter().flat_map(Self::kept).collect(),
                _ => Vec::new(),
            })
            .collect()
    }

    /// The same with what the references lead to.
    ///
    /// # Errors
    /// The first one of `look_up`.
    pub fn resolve<E>(&self, look_up: &mut dyn FnMut(&SecretRef) -> Result<String, E>) -> Result<Self, E> {
        let mut values = BTreeMap::new();
        for (key, value) in &self.values {
            let value = match value {
                Setting::Text(Written::Kept(kept)) => Setting::Text(Written::Secret(look_up(kept)?)),
                Setting::Tables(tables) => {
                    let tables = tables.iter().map(|table| table.resolve(look_up));
                    Setting::Tables(tables.collect::<Result<_, _>>()?)
                }
                other => other.clone(),
            };
            values.insert(key.clone(), value);
        }
        Ok(Self { values })
    }
}
