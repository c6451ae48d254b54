//! What a kind of entry may be told: one row a key.

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct OptionDef {
    /// The key as it is written.
    pub key: &'static str,
    /// One line for people, without a period.
    pub about: &'static str,
    /// What its value looks like.
    pub form: Form,
    /// True when an entry without it is an error.
    pub required: bool,
}

impl OptionDef {
    /// A key that must be written.
    #[must_use]
    pub const fn required(key: &'static str, form: Form, about: &'static str) -> Self {
        Self { key, about, form, required: true }
    }

    /// A key that may be left out.
    #[must_use]
    pub const fn optional(key: &'static str, form: Form, about: &'static str) -> Self {
        Self { key, about, form, required: false }
    }
}

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Text; or where it is kept, as `env:NAME`, `file:PATH` or `keyring:NAME`.
    Text,
    /// An `http` or `https` address (`webcal` is `https`); or where it is kept.
    Url,
    /// Only where it is kept: a secret in the file itself is an error.
    Secret,
    /// A path, relative to the folder of the file; `~/` is the owner's home.
    Path,
    /// A whole number between two, both included.
    Number(i64, i64),
    /// `true` or `false`.
    Flag,
    /// A time such as `"15min"`.
    Duration,
    /// A list of texts, at least one.
    Texts,
    /// A list of tables with these keys, at least one.
    Tables(&'static [OptionDef]),
}

impl Form {
    /// What is expected, in the user's words.
    #[must_use]
    pub fn expected(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Url => "an address such as `\"https://example.org/feed.xml\"`".to_owned(),
            Self::Secret => {
                "where the secret is kept: `\"env:NAME\"`, `\"file:PATH\"` or `\"keyring:NAME\"`".to_owned()
            }
            Self::Path => "a path".to_owned(),
            Self::Number(from, to) => format!("a whole number from {from} to {to}"),
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Duration => "a time such as `\"15min\"`".to_owned(),
            Self::Texts => "a list of texts such as `[\"one\", \"two\"]`".to_owned(),
            Self::Tables(_) => "a list of tables".to_owned(),
        }
    }
}
