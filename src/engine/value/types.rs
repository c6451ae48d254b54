//! Static types, units and currencies.

use serde::{Deserialize, Serialize};

/// Index of a unit in a rule set's unit table; built-in units come first, in the order of
/// [`BUILTIN_UNITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnitId(pub u16);

/// A unit: its word and how many decimals are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitInfo {
    /// The word that is written and shown.
    pub word: std::borrow::Cow<'static, str>,
    /// Decimals kept.
    pub scale: u8,
    /// True when the word stands after a blank (`8000 steps`), false when it is glued (`56bpm`).
    pub spaced: bool,
}

/// Units that every rule set knows.
pub const BUILTIN_UNITS: &[UnitInfo] = &[
    builtin("bpm", 1, GLUED),
    builtin("ms", 1, GLUED),
    builtin("%", 1, GLUED),
    builtin("steps", 0, SPACED),
    builtin("kg", 2, GLUED),
    builtin("°C", 2, GLUED),
    builtin("breaths", 1, SPACED),
    builtin("kcal", 0, SPACED),
    builtin("km", 3, GLUED),
    builtin("mmHg", 0, GLUED),
    builtin("mgdl", 0, SPACED),
];

const GLUED: bool = false;
const SPACED: bool = true;

const fn builtin(word: &'static str, scale: u8, spaced: bool) -> UnitInfo {
    UnitInfo { word: std::borrow::Cow::Borrowed(word), scale, spaced }
}

/// Decimals of a plain number.
pub const NUMBER_DECIMALS: u8 = 6;

/// Steps of a plain number in one whole: it is held in millionths.
pub const NUMBER_STEPS: i64 = 1_000_000;

/// Steps of the `%` unit in one whole: a percentage is held in tenths of a percent.
pub const PERCENT_STEPS: i64 = 1000;

/// A currency by its three letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Currency(pub [u8; 4]);

/// Currencies and their decimals: ISO 4217, and USDC with the six decimals of its token.
pub const CURRENCIES: &[(&str, u8)] = &[
    ("AED", 2),
    ("ARS", 2),
    ("AUD", 2),
    ("BDT", 2),
    ("BGN", 2),
    ("BHD", 3),
    ("BRL", 2),
    ("CAD", 2),
    ("CHF", 2),
    ("CLP", 0),
    ("CNY", 2),
    ("COP", 2),
    ("CZK", 2),
    ("DKK", 2),
    ("EGP", 2),
    ("EUR", 2),
    ("GBP", 2),
    ("HKD", 2),
    ("HUF", 2),
    ("IDR", 2),
    ("ILS", 2),
    ("INR", 2),
    ("ISK", 0),
    ("JOD", 3),
    ("JPY", 0),
    ("KES", 2),
    ("KRW", 0),
    ("KWD", 3),
    ("MAD", 2),
    ("MXN", 2),
    ("MYR", 2),
    ("NGN", 2),
    ("NOK", 2),
    ("NZD", 2),
    ("OMR", 3),
    ("PEN", 2),
    ("PHP", 2),
    ("PKR", 2),
    ("PLN", 2),
    ("QAR", 2),
    ("RON", 2),
    ("RSD", 2),
    ("RUB", 2),
    ("SAR", 2),
    ("SEK", 2),
    ("SGD", 2),
    ("THB", 2),
    ("TND", 3),
    ("TRY", 2),
    ("TWD", 2),
    ("UAH", 2),
    ("USD", 2),
    ("USDC", 6),
    ("UYU", 2),
    ("VND", 0),
    ("ZAR", 2),
];

impl Currency {
    /// The currency with this code, if it is known.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        CURRENCIES.iter().find(|(known, _)| *known == code)?;
        let mut bytes = [b' '; 4];
        for (slot, byte) in bytes.iter_mut().zip(code.bytes()) {
            *slot = byte;
        }
        Some(Self(bytes))
    }

    /// Its code.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("").trim_end()
    }

    /// Decimals of its minor unit.
    #[must_use]
    pub fn decimals(&self) -> u8 {
        CURRENCIES.iter().find(|(known, _)| *known == self.code()).map_or(2, |(_, decimals)| *decimals)
    }
}

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// Milliseconds.
    Duration,
    /// Steps of a unit.
    Quantity(UnitId),
    /// A plain number, whole or not.
    Number,
    /// Minor units.
    Money(Currency),
    /// A point on the time line.
    Instant,
    /// A calendar date.
    Date,
    /// A time of day.
    Clock,
    /// Free text.
    Text,
    /// One of a few words.
    Word,
    /// A condition or a stored flag.
    Flag,
}

impl Type {
    /// True for what can be added and multiplied.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Duration | Self::Quantity(_) | Self::Number | Self::Money(_))
    }

    /// True for points in time.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::Instant | Self::Date | Self::Clock)
    }

    /// True for texts and words, which compare with each other.
    #[must_use]
    pub fn is_textual(self) -> bool {
        matches!(self, Self::Text | Self::Word)
    }
}
