//! Any JSON value, of which only a text, a number or the length of a list is kept.
//!
//! What is nested is read over and never held, so that a value cannot cost more memory than its own text.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Text(String),
    Number(f64),
    List(u64),
    Other,
}

impl Shape {
    /// The text, if it is one.
    pub(super) fn text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number, if it is one.
    pub(super) fn number(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The length of a list; nothing else has entries.
    pub(super) fn entries(&self) -> u64 {
        if let Self::List(length) = self { *length } else { 0 }
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Shape, E> {
        Ok(Shape::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Shape, E> {
        Ok(Shape::Text(text))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Shape, E> {
        Ok(Shape::Number(number))
    }

    #[expect(clippy::cast_precision_loss, reason = "an amount of 2^53 is left out anyhow")]
    fn visit_u64<E>(self, number: u64) -> Result<Shape, E> {
        Ok(Shape::Number(number as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "an amount of 2^53 is left out anyhow")]
    fn visit_i64<E>(self, number: i64) -> Result<Shape, E> {
        Ok(Shape::Number(number as f64))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Other)
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        let mut length = 0;
        while list.next_element::<IgnoredAny>()?.is_some() {
            length += 1;
        }
        Ok(Shape::List(length))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Shape::Other)
    }
}
