//! The JSON of Health Auto Export, point by point.
//!
//! Points are handed on as they are read; only those of a metric whose name comes after its data are held
//! until the name is known, and no more than `POINTS_HELD_MAX`.

use std::fmt;
use std::io::Read;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::shape::Shape;
use crate::connectors::left_out::LeftOut;

/// Points of one metric that are held while its name is unknown.
const POINTS_HELD_MAX: usize = 200_000;

/// One entry of a metric's `data`; every field may be absent or null.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Point {
    /// Time of the point.
    #[serde(deserialize_with = "text")]
    pub date: Option<String>,
    /// Its amount in the metric's units.
    #[serde(deserialize_with = "number")]
    pub qty: Option<f64>,
    /// Devices, joined by `|`.
    #[serde(deserialize_with = "text")]
    pub source: Option<String>,
    /// Start of a sleep sample.
    #[serde(rename = "startDate", deserialize_with = "text")]
    pub start: Option<String>,
    /// End of a sleep sample.
    #[serde(rename = "endDate", deserialize_with = "text")]
    pub end: Option<String>,
    /// Stage of a sleep sample.
    #[serde(deserialize_with = "text")]
    pub value: Option<String>,
    /// End of a whole night.
    #[serde(rename = "sleepEnd", deserialize_with = "text")]
    pub sleep_end: Option<String>,
    /// Start of a whole night.
    #[serde(rename = "sleepStart", deserialize_with = "text")]
    pub sleep_start: Option<String>,
    /// End of lying in bed.
    #[serde(rename = "inBedEnd", deserialize_with = "text")]
    pub in_bed_end: Option<String>,
    /// Asleep: the whole or what no stage covers, by version.
    #[serde(deserialize_with = "number")]
    pub asleep: Option<f64>,
    /// Asleep, the whole, in newer versions.
    #[serde(rename = "totalSleep", deserialize_with = "number")]
    pub total_sleep: Option<f64>,
    /// Deep sleep.
    #[serde(deserialize_with = "number")]
    pub deep: Option<f64>,
    /// Dream sleep.
    #[serde(deserialize_with = "number")]
    pub rem: Option<f64>,
    /// Core sleep.
    #[serde(deserialize_with = "number")]
    pub core: Option<f64>,
    /// Awake between.
    #[serde(deserialize_with = "number")]
    pub awake: Option<f64>,
    /// In bed.
    #[serde(rename = "inBed", deserialize_with = "number")]
    pub in_bed: Option<f64>,
}

/// A text, or nothing: some metrics put numbers where sleep has a word.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Shape::deserialize(deserializer)?.text())
}

/// A number, or nothing: what is no number is no amount.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Shape::deserialize(deserializer)?.number())
}

/// A metric: its name and its units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric<'a> {
    /// Such as `sleep_analysis`.
    pub name: &'a str,
    /// Such as `hr`; empty when absent.
    pub units: &'a str,
}

/// Hands each point of each metric to `take`; stops at its first error, which it gets back as text. Returns
/// how long the lists beside the metrics are, such as `workouts`.
///
/// # Errors
/// When the text is no JSON, is cut off, is no payload of Health Auto Export, or `take` fails.
pub fn read_points(
    input: impl Read,
    take: &mut dyn FnMut(Metric<'_>, &Point) -> Result<(), String>,
) -> Result<LeftOut, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_reader(input);
    let (data, _) = Map { wanted: "data", inner: Map { wanted: "metrics", inner: Metrics { take } } }
        .deserialize(&mut json)?;
    json.end()?;
    match data {
        Some((Some(()), lists)) => Ok(lists),
        _ => {
            Err(serde_json::Error::custom("no `data` with `metrics`: this is not Health Auto Export's JSON"))
        }
    }
}

/// An object of which one key is read; what it holds beside it is counted.
struct Map<S> {
    wanted: &'static str,
    inner: S,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Map<S> {
    type Value = (Option<S::Value>, LeftOut);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for Map<S> {
    type Value = (Option<S::Value>, LeftOut);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}`", self.wanted)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut inner = Some(self.inner);
        let (mut value, mut lists) = (None, LeftOut::default());
        while let Some(key) = map.next_key::<String>()? {
            match inner.take_if(|_| key == self.wanted) {
                Some(inner) => value = Some(map.next_value_seed(inner)?),
                None => lists.add(&key, map.next_value::<Shape>()?.entries()),
            }
        }
        Ok((value, lists))
    }
}

type Take<'t> = &'t mut dyn FnMut(Metric<'_>, &Point) -> Result<(), String>;

/// The list of metrics.
struct Metrics<'t> {
    take: Take<'t>,
}

impl<'de> DeserializeSeed<'de> for Metrics<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Metrics<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of metrics")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(OneMetric { take: &mut *self.take })?.is_some() {}
        Ok(())
    }
}

/// One metric: `name`, `units` and `data` in any order.
struct OneMetric<'t> {
    take: Take<'t>,
}

impl<'de> DeserializeSeed<'de> for OneMetric<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneMetric<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a metric with `name` and `data`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut name, mut units) = (None::<String>, None::<String>);
        let mut held = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "name" => name = Some(map.next_value()?),
                "units" => units = map.next_value()?,
                "data" => {
                    // Points can only be handed on once both words are known.
                    let known = name.as_deref().zip(units.as_deref());
                    let metric = known.map(|(name, units)| Metric { name, units });
                    map.next_value_seed(Points { take: &mut *self.take, metric, held: &mut held })?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let name = name.ok_or_else(|| A::Error::missing_field("name"))?;
        let metric = Metric { name: &name, units: units.as_deref().unwrap_or("") };
        held.iter().try_for_each(|point| (self.take)(metric, point)).map_err(A::Error::custom)
    }
}

/// The points of a metric.
struct Points<'t, 'm> {
    take: Take<'t>,
    metric: Option<Metric<'m>>,
    held: &'t mut Vec<Point>,
}

impl<'de> DeserializeSeed<'de> for Points<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Points<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of points")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(point) = seq.next_element::<Point>()? {
            match self.metric {
                Some(metric) => (self.take)(metric, &point).map_err(A::Error::custom)?,
                None if self.held.len() < POINTS_HELD_MAX => self.held.push(point),
                None => {
                    let what =
                        format!("more than {POINTS_HELD_MAX} points stand before the name of their metric");
                    return Err(A::Error::custom(what));
                }
            }
        }
        Ok(())
    }
}
