//! The one shape of everything Verger has to say about a text.
//!
//! Reading and checking return values *and* diagnostics; nothing here prints. `render` turns these into
//! text, JSON, GitHub annotations and SARIF.

use serde::{Deserialize, Serialize};

use super::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The set is loaded all the same.
    Warning,
    /// The set is not loaded.
    Error,
}

impl Severity {
    /// Its word in every format.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding.
///
/// Messages speak the user's words, put input in backticks and have no final period; `help` says what
/// to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable id, kebab-case, the key of `lint --explain` and of `# allow:`.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One headline.
    pub message: String,
    /// The place.
    pub span: Span,
    /// What to do next.
    pub help: Option<String>,
    /// Further places that belong to it, each with a few words.
    pub related: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error.
    pub fn error(id: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { id, severity: Severity::Error, message: message.into(), span, help: None, related: Vec::new() }
    }

    /// A warning.
    pub fn warning(id: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(id, span, message) }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn related(mut self, span: Span, words: impl Into<String>) -> Self {
        self.related.push((span, words.into()));
        self
    }
}
