//! What is known while resolving: names, the set so far, findings so far.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Inputs;
use super::hash::Canonical;
use super::id;
use super::names::{Kind, Names};
use super::report::Report;
use super::types::{PLAIN_TYPES, plain_type};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::habits;
use crate::engine::record::{SignalId, StreamId};
use crate::engine::rule_set::{
    RULES_FIRED, RULES_FIRED_NAME, RuleSet, ScheduleDefKind, ScheduleId, SignalDef, WindowDef, WindowId,
    ZoneId, ZoneRef,
};
use crate::engine::source::{Sources, Span};
use crate::engine::syntax::ast::{Cadence, Decimal, Name};
use crate::engine::value::{BUILTIN_UNITS, CURRENCIES, Currency, Type, UnitId, UnitInfo};

/// Everything that resolving a definition may look at.
#[derive(Debug)]
pub(super) struct World<'a> {
    pub(super) sources: &'a Sources,
    pub(super) inputs: &'a Inputs,
    pub(super) names: Names<'a>,
    pub(super) report: Report,
    pub(super) set: RuleSet,
    pub(super) canonical: Canonical,
    units: FxHashMap<&'a str, UnitId>,
    windows: FxHashMap<WindowDef, WindowId>,
    source_signals: FxHashMap<&'a str, SignalId>,
}

impl<'a> World<'a> {
    pub(super) fn new(sources: &'a Sources, inputs: &'a Inputs) -> Self {
        let mut world = Self {
            sources,
            inputs,
            names: Names::default(),
            report: Report::default(),
            set: RuleSet::default(),
            canonical: Canonical::default(),
            units: FxHashMap::default(),
            windows: FxHashMap::default(),
            source_signals: FxHashMap::default(),
        };
        for unit in BUILTIN_UNITS {
            world.add_unit(&unit.word, unit.clone());
        }
        world
    }

    /// Enters a unit and returns its index.
    pub(super) fn add_unit(&mut self, word: &'a str, info: UnitInfo) {
        let unit = UnitId(u16::try_from(self.set.units.len()).unwrap_or(u16::MAX));
        self.set.units.push(info);
        self.units.insert(word, unit);
    }

    /// The type that a unit, a currency or a type word names.
    pub(super) fn type_named(&mut self, name: &Name) -> Option<Type> {
        if let Some(ty) = plain_type(&name.node).or_else(|| self.unit_type(&name.node)) {
            return Some(ty);
        }
        self.unknown_unit(name, "unit or type", true)
    }

    fn unit_type(&self, word: &str) -> Option<Type> {
        let quantity = self.units.get(word).map(|unit| Type::Quantity(*unit));
        quantity.or_else(|| Currency::parse(word).map(Type::Money))
    }

    fn unknown_unit<T>(&mut self, name: &Name, what: &str, types: bool) -> Option<T> {
        if self.names.get(&name.node).is_some_and(|entry| entry.kind == Kind::Unit) {
            return None;
        }
        let words = self.set.units.iter().map(|unit| unit.word.as_ref());
        let currencies = CURRENCIES.iter().map(|(code, _)| *code);
        let plain = PLAIN_TYPES.iter().filter(|_| types).map(|(word, _)| *word);
        let ours = if types { habits::type_word(&name.node) } else { habits::unit(&name.node) };
        let error = match ours {
            Some(ours) => {
                let message = format!("unknown {what} `{}`", name.node);
                Diagnostic::error(id::UNKNOWN_NAME, name.span, message).help(format!("write `{ours}`"))
            }
            None => self.report.unknown(name.span, what, &name.node, words.chain(currencies).chain(plain)),
        };
        self.report.fail(error)
    }

    /// The currency with this code, reported when there is none.
    pub(super) fn currency(&mut self, code: &str, span: Span) -> Option<Currency> {
        if let Some(currency) = Currency::parse(code) {
            return Some(currency);
        }
        let known = CURRENCIES.iter().map(|(code, _)| *code);
        let error = self.report.unknown(span, "currency", code, known);
        self.report.fail(error)
    }

    /// The type of a quantity's unit and how many decimals it keeps.
    pub(super) fn unit_of_quantity(&mut self, name: &Name) -> Option<(Type, u8)> {
        match self.unit_type(&name.node) {
            Some(ty) => Some((ty, self.set.decimals(ty))),
            None => self.unknown_unit(name, "unit", false),
        }
    }

    /// A type in words.
    pub(super) fn describe(&self, ty: Type) -> String {
        super::types::describe(ty, &self.set.units)
    }

    /// A decimal in steps, exactly; more decimals than are kept is an error.
    pub(super) fn steps(&mut self, decimal: Decimal, keep: u8, unit: &str, span: Span) -> Option<i64> {
        let (mut mantissa, mut scale) = (decimal.mantissa, decimal.scale);
        while scale > keep && mantissa.checked_rem(10) == Some(0) {
            mantissa = mantissa.checked_div(10).unwrap_or(0);
            scale = scale.saturating_sub(1);
        }
        if scale > keep {
            let decimals = match keep {
                0 => "no decimals".to_owned(),
                1 => "1 decimal".to_owned(),
                _ => format!("{keep} decimals"),
            };
            let message = format!("{scale} decimals are written, and `{unit}` keeps {decimals}");
            return self.report.error(id::TOO_MANY_DECIMALS, span, message);
        }
        let factor = 10_i64.checked_pow(u32::from(keep.saturating_sub(scale)));
        match factor.and_then(|factor| mantissa.checked_mul(factor)) {
            Some(steps) => Some(steps),
            None => self.report.error(id::BAD_VALUE, span, "this number is too large"),
        }
    }

    /// The zone that `in NAME` names, else the default; remembers that a zone is needed.
    pub(super) fn zone(&mut self, name: Option<&Name>, place: Span) -> Option<ZoneRef> {
        self.report.needs_zone(name.map_or(place, |name| name.span));
        match name {
            None => Some(self.set.default_zone),
            Some(name) if name.node == "here" => Some(ZoneRef::Here),
            Some(name) => {
                let index = self.names.find(&mut self.report, name, Kind::Zone)?;
                Some(ZoneRef::Named(ZoneId(index)))
            }
        }
    }

    /// The signal with this name; `source.NAME` comes into being when it is first used.
    pub(super) fn signal(&mut self, name: &'a str, span: Span) -> Option<SignalId> {
        if let Some(entry) = self.names.get(name) {
            return if entry.kind == Kind::Signal { entry.index.map(SignalId) } else { None };
        }
        name.strip_prefix("source.").filter(|rest| !rest.is_empty())?;
        if let Some(known) = self.source_signals.get(name) {
            return Some(*known);
        }
        let signal = SignalId(u32::try_from(self.set.signals.len()).ok()?);
        self.set.signals.push(SignalDef {
            name: name.into(),
            ty: Type::Flag,
            cadence: Cadence::Sampled,
            fresh_ms: None,
            range: None,
            private: false,
            builtin: true,
            span,
        });
        self.source_signals.insert(name, signal);
        Some(signal)
    }

    /// True when the name is that of a signal, broken or not.
    pub(super) fn is_signal(&self, name: &str) -> bool {
        name.starts_with("source.") || self.names.get(name).is_some_and(|entry| entry.kind == Kind::Signal)
    }

    /// The signal with this name, reported when there is none.
    pub(super) fn find_signal(&mut self, name: &'a Name) -> Option<SignalId> {
        if self.is_signal(&name.node) {
            return self.signal(&name.node, name.span);
        }
        self.names.find(&mut self.report, name, Kind::Signal).map(SignalId)
    }

    /// True when a stream has this name.
    pub(super) fn is_stream(&self, name: &str) -> bool {
        name == RULES_FIRED_NAME || self.names.get(name).is_some_and(|entry| entry.kind == Kind::Stream)
    }

    /// The stream with this name, reported when there is none.
    pub(super) fn find_stream(&mut self, name: &Name) -> Option<StreamId> {
        if name.node == RULES_FIRED_NAME {
            return Some(RULES_FIRED);
        }
        self.names.find(&mut self.report, name, Kind::Stream).map(StreamId)
    }

    /// A schedule that runs by the calendar, not before items.
    pub(super) fn find_calendar_schedule(&mut self, name: &Name, role: &str) -> Option<ScheduleId> {
        let schedule = ScheduleId(self.names.find(&mut self.report, name, Kind::Schedule)?);
        let kind = self.set.schedules.get(schedule.index()).map(|found| &found.kind);
        if matches!(kind, Some(ScheduleDefKind::Before(..))) {
            let message =
                format!("`{}` runs before items, and {role} needs a schedule by the calendar", name.node);
            return self.report.error(id::OUT_OF_PLACE, name.span, message);
        }
        Some(schedule)
    }

    /// The window's index; equal windows share one.
    pub(super) fn window(&mut self, window: WindowDef) -> WindowId {
        if let Some(known) = self.windows.get(&window) {
            return *known;
        }
        let next = WindowId(u32::try_from(self.set.windows.len()).unwrap_or(u32::MAX));
        self.set.windows.push(window);
        self.windows.insert(window, next);
        next
    }

    /// Source text under a span, with single blanks.
    pub(super) fn shown(&self, span: Span) -> Arc<str> {
        self.sources.get(span.file).map_or_else(String::new, |file| file.on_one_line(span)).into()
    }

    /// Reports a required part that is not written.
    pub(super) fn missing<T>(&mut self, span: Span, message: impl Into<String>, help: &str) -> Option<T> {
        self.report.fail(Diagnostic::error(id::MISSING_PART, span, message).help(help))
    }
}
