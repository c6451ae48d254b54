//! Lines of the log as JSON, in the shape of section 12 of the contract.
//!
//! One object a line, compact, keys in the written order; a catch-up's line has `late` behind them. Never
//! decides anything: what a line says was settled by the engine.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::decision::{Decision, Line};
use crate::engine::syntax::ast::{Level, Outcome};
use crate::engine::time::{Zone, format_instant, show_duration};

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
