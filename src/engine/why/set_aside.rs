//! Readings that were kept out of all judgements, in words.

use crate::engine::record::Scalar;
use crate::engine::rule_set::{RuleSet, SignalDef};
use crate::engine::state::{SetAside, State};
use crate::engine::time::{Date, Zone, show_clock};
use crate::engine::value::{Display, NUMBER_STEPS, Ratio, Type, Value, show};

/// The readings that are still listed, oldest first: signal, and
/// `50bpm at 2026-11-03 07:00 (outside its range 0.0bpm to 10.0bpm)`.
#[must_use]
pub fn set_aside<'s>(
    rules: &'s RuleSet,
    state: &'s State,
) -> impl DoubleEndedIterator<Item = (&'s str, String)> {
    state.set_aside.iter().filter_map(|reading| {
        let def = rules.signals.get(reading.signal.0 as usize)?;
        Some((&*def.name, words(rules, state.zone(rules, rules.default_zone), def, reading)))
    })
}

/// One reading in words, without its signal's name.
pub(super) fn words(rules: &RuleSet, zone: Zone, def: &SignalDef, reading: &SetAside) -> String {
    let value = shown(rules, def, &reading.value);
    let clock = show_clock(zone, reading.at);
    let (date, reason) = (zone.date(reading.at), &reading.reason);
    let range = match def.range {
        // The engine's word for it; only then the range is the reason.
        Some((low, high)) if &**reason == "outside its range" => {
            let [low, high] = [low, high].map(|steps| shown(rules, def, &Scalar::Fixed(steps)));
            format!(" {low} to {high}")
        }
        _ => String::new(),
    };
    format!("{value} at {date} {clock} ({reason}{range})")
}

fn shown(rules: &RuleSet, def: &SignalDef, value: &Scalar) -> String {
    let value = match value {
        Scalar::Fixed(steps) if def.ty == Type::Number => {
            Value::Number(Ratio::new(i128::from(*steps), i128::from(NUMBER_STEPS)).unwrap_or(Ratio::ZERO))
        }
        Scalar::Fixed(steps) => Value::Number(Ratio::whole(*steps)),
        Scalar::Text(text) => Value::Text(text.clone()),
        Scalar::Flag(flag) => Value::Flag(*flag),
    };
    // No signal holds times, so neither the zone nor the date is asked for.
    let display =
        Display { units: &rules.units, zone: Zone(chrono_tz::UTC), today: Date(0), extra_decimals: 0 };
    show(&value, def.ty, &display)
}
