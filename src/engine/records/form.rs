//! How the values of one signal or field are written, and their steps.
//!
//! A bare number is in the unit; durations and money carry theirs. Never converts between units.

use std::borrow::Cow;

use super::decimal::{self, DecimalError};
use super::scan::Plain;
use crate::engine::record::Scalar;
use crate::engine::rule_set::RuleSet;
use crate::engine::time::parse_duration;
use crate::engine::value::{CURRENCIES, Type};

/// A type with what is needed to read its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'r> {
    pub(super) ty: Type,
    /// Decimals kept.
    pub(super) scale: u8,
    /// The unit's or currency's word; empty for everything else.
    pub(super) unit: &'r str,
}

impl<'r> Form<'r> {
    pub(super) fn new(ty: Type, set: &'r RuleSet) -> Self {
        let unit = match ty {
            Type::Quantity(unit) => set.units.get(usize::from(unit.0)).map_or("", |unit| &*unit.word),
            Type::Money(currency) => {
                let known = CURRENCIES.iter().find(|(code, _)| *code == currency.code());
                known.map_or("", |(code, _)| code)
            }
            _ => "",
        };
        Self { ty, scale: set.decimals(ty), unit }
    }

    /// A signal's value from a plain token; `None` where [`Self::scalar`] has to decide.
    #[inline]
    pub(super) fn plain(self, token: Plain<'_>) -> Option<Scalar> {
        match (token, self.ty) {
            (Plain::Number(digits), Type::Quantity(_) | Type::Number) => decimal::few(digits, self.scale)
                .or_else(|| decimal::steps(digits, self.scale).ok())
                .map(Scalar::Fixed),
            (Plain::Text(text), Type::Duration | Type::Quantity(_) | Type::Money(_)) => {
                self.steps_of_text(text).ok().map(Scalar::Fixed)
            }
            (Plain::Text(text), Type::Text | Type::Word) => Some(Scalar::Text(text.into())),
            (Plain::Flag(flag), Type::Flag) => Some(Scalar::Flag(flag)),
            _ => None,
        }
    }

    /// A signal's value from JSON text.
    pub(super) fn scalar(self, json: &str) -> Result<Scalar, String> {
        match self.ty {
            Type::Duration | Type::Quantity(_) | Type::Money(_) | Type::Number => {
                self.steps(json).map(Scalar::Fixed)
            }
            Type::Text | Type::Word => self.text(json).map(|text| Scalar::Text(text.into())),
            Type::Flag => self.flag(json).map(Scalar::Flag),
            Type::Instant | Type::Date | Type::Clock => Err("a signal holds no times or dates".to_owned()),
        }
    }

    /// Whole steps from JSON text, for the types that are counted.
    pub(super) fn steps(self, json: &str) -> Result<i64, String> {
        match (text_of(json), self.ty) {
            (Some(text), Type::Duration | Type::Quantity(_) | Type::Money(_)) => {
                self.steps_of_text(&text).map_err(|fault| self.fault(fault, json))
            }
            (None, Type::Quantity(_) | Type::Number) => {
                decimal::steps(json.as_bytes(), self.scale).map_err(|fault| self.fault(fault, json))
            }
            _ => Err(self.unexpected(json)),
        }
    }

    pub(super) fn text(self, json: &str) -> Result<Cow<'_, str>, String> {
        text_of(json).ok_or_else(|| self.unexpected(json))
    }

    pub(super) fn flag(self, json: &str) -> Result<bool, String> {
        match json {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.unexpected(json)),
        }
    }

    /// Whole steps of `5h10m`, `56bpm`, `12.50 EUR`.
    fn steps_of_text(self, text: &str) -> Result<i64, DecimalError> {
        if self.ty == Type::Duration {
            return parse_duration(text).map_err(|_| DecimalError::NotANumber);
        }
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-');
        let end = text.bytes().position(|byte| !is_digit(&byte)).ok_or(DecimalError::NotANumber)?;
        let (number, unit) = text.split_at_checked(end).ok_or(DecimalError::NotANumber)?;
        if self.unit.is_empty() || unit.trim_start() != self.unit {
            return Err(DecimalError::NotANumber);
        }
        decimal::steps(number.as_bytes(), self.scale)
    }

    fn fault(self, fault: DecimalError, json: &str) -> String {
        match fault {
            DecimalError::NotANumber => self.unexpected(json),
            DecimalError::TooLarge => format!("found {}, which is too large", shown(json)),
        }
    }

    pub(super) fn unexpected(self, json: &str) -> String {
        format!("found {}, expected {}", shown(json), self.expected())
    }

    fn expected(self) -> String {
        match self.ty {
            Type::Duration => "a duration such as `5h10m`".to_owned(),
            Type::Quantity(_) => format!("a value in {}", self.unit),
            Type::Number => "a number".to_owned(),
            Type::Money(_) => format!("an amount in {0}, such as `12.50 {0}`", self.unit),
            Type::Instant => "a time such as `2026-09-26T14:00:00-04:00` or a date".to_owned(),
            Type::Date => "a date such as `2026-09-26`".to_owned(),
            Type::Clock => "a clock time such as `09:00`".to_owned(),
            Type::Text => "a text in quotes".to_owned(),
            Type::Word => "a word in quotes".to_owned(),
            Type::Flag => "true or false".to_owned(),
        }
    }
}

/// The text of a JSON string; `None` for every other JSON value and for an impossible escape.
#[must_use]
pub fn text_of(json: &str) -> Option<Cow<'_, str>> {
    let inside = json.strip_prefix('"')?.strip_suffix('"')?;
    if inside.contains('\\') {
        serde_json::from_str(json).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inside))
    }
}

/// JSON text as it is put into a message: in backticks, short, strings without their quotes.
pub(super) fn shown(json: &str) -> String {
    let text = text_of(json).unwrap_or(Cow::Borrowed(json));
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(SHOWN_MAX).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    format!("`{start}{more}`")
}

/// Longest piece of input in a message, in characters.
const SHOWN_MAX: usize = 60;
