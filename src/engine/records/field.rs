//! The fields of a stream's item: those declared are read by their type, all others are passed over.
//!
//! An absent field, or `null`, is missing. A field written twice is an error, since one of them would be
//! lost.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::form::{Form, text_of};
use super::line::{Fault, json_fault, read_instant};
use crate::engine::record::Field;
use crate::engine::time::{TimeTextError, clock_ms, parse_clock, parse_date};
use crate::engine::value::{NUMBER_DECIMALS, Ratio, Type, Value};

/// One value a declared field, in declaration order.
pub(super) fn fields<'l>(
    json: &'l str,
    declared: &[(&str, Form<'_>)],
) -> Result<Arc<[Option<Field>]>, Fault<'l>> {
    if !json.starts_with('{') {
        return Err(Fault::expected(json, "an object such as `{\"title\":\"…\"}`"));
    }
    let mut source = serde_json::Deserializer::from_str(json);
    let found = Declared(declared).deserialize(&mut source).map_err(|error| json_fault(json, &error))?;
    let mut values = Vec::with_capacity(declared.len());
    for (raw, (name, form)) in found.into_iter().zip(declared) {
        let value = match raw.map(RawValue::get) {
            None | Some("null") => None,
            Some(json) => Some(
                value(*form, json)
                    .map_err(|reason| Fault { part: json, reason: format!("`{name}`: {reason}") })?,
            ),
        };
        values.push(value);
    }
    Ok(values.into())
}

fn value(form: Form<'_>, json: &str) -> Result<Value, String> {
    let known = |value: Option<Value>| value.ok_or_else(|| form.unexpected(json));
    match form.ty {
        Type::Duration | Type::Quantity(_) | Type::Money(_) => {
            form.steps(json).map(|steps| Value::Number(Ratio::whole(steps)))
        }
        Type::Number => {
            let millionths = i128::from(form.steps(json)?);
            known(Ratio::new(millionths, 10_i128.pow(u32::from(NUMBER_DECIMALS))).map(Value::Number))
        }
        Type::Text | Type::Word => form.text(json).map(|text| Value::Text(text.into())),
        Type::Flag => form.flag(json).map(Value::Flag),
        // Without a clock time it is all day.
        Type::Instant => match text_of(json).map(|text| parse_date(&text)) {
            None => Err(form.unexpected(json)),
            Some(Ok(date)) => Ok(Value::Date(date)),
            Some(Err(TimeTextError::NotADate(_))) => read_instant(json).map(Value::Instant),
            Some(Err(error)) => Err(error.to_string()),
        },
        Type::Date => known(text_of(json).and_then(|text| parse_date(&text).ok()).map(Value::Date)),
        Type::Clock => {
            let clock = text_of(json).and_then(|text| parse_clock(&text).ok());
            known(clock.map(|clock| Value::Clock(clock_ms(clock))))
        }
    }
}

/// Picks the declared fields out of a JSON object.
struct Declared<'a, 'r>(&'a [(&'r str, Form<'r>)]);

impl<'de> DeserializeSeed<'de> for Declared<'_, '_> {
    type Value = Vec<Option<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Declared<'_, '_> {
    type Value = Vec<Option<&'de RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = vec![None; self.0.len()];
        while let Some(Name(key)) = map.next_key()? {
            let slot = self.0.iter().zip(&mut found).find(|((name, _), _)| *name == key);
            let Some((_, slot)) = slot else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if slot.replace(map.next_value()?).is_some() {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
        }
        Ok(found)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
