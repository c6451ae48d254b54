//! Lines of the log as JSON, in the shape of section 12 of the contract, and back.
//!
//! One object a line, compact, keys in the written order; a catch-up's line has `late` behind them. Never
//! decides anything: what a line says was settled by the engine.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::engine::decision::{Decision, Line};
use crate::engine::syntax::ast::{Level, Outcome};
use crate::engine::time::{Zone, format_instant, parse_duration, parse_instant, show_duration};

use super::json_line;

/// One line of JSON, without a line break. Instants carry the offset of `zone`; `rules` is the hash of the
/// rule set that decided.
#[must_use]
pub fn line(line: &Line, zone: Zone, rules: &str) -> String {
    match line {
        Line::Decision(decision) => json_line(&DecisionLine::new(decision, zone, rules)),
        Line::Missed { at, schedule } => {
            json_line(&MissedLine { at: format_instant(zone, *at), schedule, missed: true })
        }
    }
}

/// Field order is key order.
#[derive(Serialize)]
struct DecisionLine<'a> {
    at: String,
    rule: &'a str,
    per: &'a [Arc<str>],
    occurrence: &'a str,
    outcome: Outcome,
    level: Level,
    gate: Option<&'a str>,
    reason: Option<&'a str>,
    until: Option<String>,
    message: Option<&'a str>,
    facts: Facts<'a>,
    text: &'a str,
    id: &'a str,
    rules: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    late: Option<String>,
}

impl<'a> DecisionLine<'a> {
    fn new(decision: &'a Decision, zone: Zone, rules: &'a str) -> Self {
        Self {
            at: format_instant(zone, decision.at),
            rule: &decision.rule,
            per: &decision.per,
            occurrence: &decision.occurrence,
            outcome: decision.outcome,
            level: decision.level,
            gate: decision.gate.as_deref(),
            reason: decision.reason.as_deref(),
            until: decision.until.map(|until| format_instant(zone, until)),
            message: decision.message.as_deref(),
            facts: Facts(&decision.facts),
            text: &decision.text,
            id: &decision.id,
            rules,
            late: decision.late.map(show_duration),
        }
    }
}

#[derive(Serialize)]
struct MissedLine<'a> {
    at: String,
    schedule: &'a str,
    missed: bool,
}

/// An object in the order of reading; of a name that was read twice the first counts, since a decision reads
/// one frozen snapshot and JSON keys are unique.
struct Facts<'a>(&'a [(Arc<str>, Arc<str>)]);

impl Serialize for Facts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seen = BTreeSet::new();
        let mut map = serializer.serialize_map(None)?;
        for (name, shown) in self.0 {
            if seen.insert(name) {
                map.serialize_entry(name, shown)?;
            }
        }
        map.end()
    }
}

/// Reads a line that [`line()`] wrote; `None` for any other text. A `late` of seconds comes back in minutes,
/// as it was written.
#[must_use]
pub fn read(line: &str) -> Option<Line> {
    let written: Written = serde_json::from_str(line).ok()?;
    let at = parse_instant(&written.at).ok()?;
    if let Some(schedule) = written.schedule {
        return Some(Line::Missed { at, schedule });
    }
    let instant = |text: Option<String>| text.and_then(|text| parse_instant(&text).ok());
    Some(Line::Decision(Box::new(Decision {
        at,
        rule: written.rule?,
        per: written.per,
        occurrence: written.occurrence?,
        outcome: written.outcome?,
        level: written.level?,
        gate: written.gate,
        reason: written.reason,
        until: instant(written.until),
        message: written.message,
        facts: written.facts.0,
        text: written.text?,
        id: written.id?,
        late: written.late.and_then(|late| parse_duration(&late).ok()),
    })))
}

#[derive(Deserialize)]
struct Written {
    at: String,
    schedule: Option<Arc<str>>,
    rule: Option<Arc<str>>,
    #[serde(default)]
    per: Vec<Arc<str>>,
    occurrence: Option<Arc<str>>,
    outcome: Option<Outcome>,
    level: Option<Level>,
    gate: Option<Arc<str>>,
    reason: Option<Arc<str>>,
    until: Option<String>,
    message: Option<Arc<str>>,
    #[serde(default)]
    facts: Pairs,
    text: Option<Arc<str>>,
    id: Option<Arc<str>>,
    late: Option<String>,
}

/// An object in its order.
#[derive(Default)]
struct Pairs(Vec<(Arc<str>, Arc<str>)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// The hash of the rule set that a line names.
#[must_use]
pub fn rules_of(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Rules {
        rules: Option<String>,
    }
    serde_json::from_str::<Rules>(line).ok()?.rules
}
