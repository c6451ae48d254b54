//! Rows of what is reported about settings files, for `lint --explain`.

use super::connectors::id;
use crate::engine::check::{Explain, Lint};
use crate::engine::diagnostic::Severity;

const fn reported(id: &'static str, summary: &'static str, explain: Explain) -> Lint {
    Lint { id, severity: Severity::Error, summary, explain, check: None }
}

/// All of them.
pub const LINTS: &[Lint] = &[
    reported(
        id::SYNTAX,
        "text that is not TOML",
        Explain {
            what: "A line of a settings file cannot be read as TOML.",
            why: "What cannot be read would be left out, and a source with it.",
            example: "[source.calendar]\nkind = = \"ics\"",
        },
    ),
    reported(
        id::KEY,
        "a key that means nothing there, or one that is missing",
        Explain {
            what: "A table of a settings file has a key that its kind does not know, or lacks one that it needs.",
            why: "A misspelt key would be ignored, and the source would not do what is written.",
            example: "[source.calendar]\nkind = \"ics\"\nulr  = \"https://example.org/calendar.ics\"",
        },
    ),
    reported(
        id::VALUE,
        "a setting that cannot be",
        Explain {
            what: "A setting has the wrong type, lies outside of what is possible, contradicts another one, or \
                   is a secret written into the file itself.",
            why: "It cannot be meant; and a file with a secret in it ends up in a backup or a repository.",
            example: "[source.calendar]\nkind  = \"ics\"\nurl   = \"https://example.org/calendar.ics\"\nevery = \"1ms\"",
        },
    ),
    reported(
        id::NAME,
        "a kind, signal or stream that is not known",
        Explain {
            what: "A source has a kind that does not exist, a name that cannot stand in a rule, or gives its \
                   readings to a signal or stream that no rule file declares.",
            why: "Nothing would ever read it.",
            example: "[source.calendar]\nkind = \"icals\"",
        },
    ),
];
