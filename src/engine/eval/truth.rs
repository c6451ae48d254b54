//! Kleene's three truth values.

use serde::{Deserialize, Serialize};

/// True, false, or not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// Known false.
    False,
    /// Known true.
    True,
    /// A value is missing.
    #[default]
    Unknown,
}

impl Truth {
    /// `not`: unknown stays unknown.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }

    /// `and`: false wins over unknown.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            _ => Self::Unknown,
        }
    }

    /// `or`: true wins over unknown.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, _) | (_, Self::True) => Self::True,
            (Self::False, Self::False) => Self::False,
            _ => Self::Unknown,
        }
    }

    /// True when it is known true.
    #[must_use]
    pub fn is_true(self) -> bool {
        self == Self::True
    }

    /// As a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Unknown => "unknown",
        }
    }
}

impl From<bool> for Truth {
    fn from(known: bool) -> Self {
        if known { Self::True } else { Self::False }
    }
}
