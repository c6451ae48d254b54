//! Definitions other than signals, streams, rules, tables and plans.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::id;
use super::names::{Items, Kind};
use super::time::zone_named;
use super::world::World;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::functions::{Script, ScriptError};
use crate::engine::record::StreamId;
use crate::engine::rule_set::{
    BudgetDef, FunctionDef, ListDef, QuietDef, ScheduleDef, ScheduleDefKind, ZoneDef, ZoneId, ZoneRef,
};
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{self, Clock, Late, ScheduleKind};
use crate::engine::text_match::Matcher;
use crate::engine::time::{MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE};
use crate::engine::value::UnitInfo;

/// Days of history that are kept when no `keep` says otherwise.
const HISTORY_DAYS: u32 = 400;

/// Most days of history: a century.
const HISTORY_DAYS_MAX: u32 = 36_525;

impl<'a> World<'a> {
    /// Zones and the default one.
    pub(super) fn zones(&mut self, items: &Items<'a>) {
        let mut default: Option<(ZoneId, Span)> = None;
        for def in &items.zones {
            let Some(zone) = zone_named(&def.iana, &mut self.report) else { continue };
            let index = self.set.zones.len();
            self.set.zones.push(ZoneDef {
                name: def.name.node.as_str().into(),
                zone,
                gap: def.gap.as_ref().map(|gap| gap.node).unwrap_or_default(),
                fold: def.fold.as_ref().map(|fold| fold.node).unwrap_or_default(),
            });
            self.names.set_index(&def.name.node, index);
            let zone = ZoneId(u32::try_from(index).unwrap_or(u32::MAX));
            match (def.default, default) {
                (Some(place), Some((_, first))) => {
                    let message = format!("`{}` is a second default zone", def.name.node);
                    let error = Diagnostic::error(id::MISSING_ZONE, place, message);
                    self.report.push(
                        error.related(first, "the first default").help("only one zone may be the default"),
                    );
                }
                (Some(place), None) => default = Some((zone, place)),
                (None, _) => {}
            }
        }
        self.set.default_zone = match (default, items.zones.as_slice()) {
            (Some((zone, _)), _) => ZoneRef::Named(zone),
            (None, [_] | []) if self.set.zones.len() == 1 => ZoneRef::Named(ZoneId(0)),
            (None, [first, _, ..]) => {
                let error = Diagnostic::error(
                    id::MISSING_ZONE,
                    first.name.span,
                    format!("{} zones are declared and none is the default", items.zones.len()),
                );
                self.report
                    .push(error.help("write `, default` after the zone that counts where none is named"));
                ZoneRef::Here
            }
            _ => ZoneRef::Here,
        };
    }

    /// The zone that calendar words need, when no zone is declared.
    pub(super) fn check_zone(&mut self, items: &Items<'a>) {
        if let (Some(place), []) = (self.report.zone_needed(), items.zones.as_slice()) {
            let error = Diagnostic::error(id::MISSING_ZONE, place, "this needs a zone, and none is declared");
            self.report.push(error.help("declare one, such as `zone home = \"Europe/Berlin\"`"));
        }
    }

    /// `keep history`
    pub(super) fn keep(&mut self, items: &Items<'a>) {
        self.set.history_days = HISTORY_DAYS;
        if let Some(keep) = items.keep {
            let days = keep.history.node.days();
            if (1..=HISTORY_DAYS_MAX).contains(&days) {
                self.set.history_days = days;
            } else {
                let message = format!("{days} days of history; between 1 and {HISTORY_DAYS_MAX} can be kept");
                self.report.push(Diagnostic::error(id::BAD_VALUE, keep.history.span, message));
            }
        }
    }

    /// Units of the set, after the built-in ones.
    pub(super) fn units(&mut self, items: &Items<'a>) {
        for def in &items.units {
            let word = def.name.node.as_str();
            match u8::try_from(def.scale.node) {
                Ok(scale) if scale <= 6 => {
                    self.names.set_index(word, self.set.units.len());
                    self.add_unit(word, UnitInfo { word: word.to_owned().into(), scale, spaced: true });
                }
                _ => {
                    let message = format!("`scale {}`; a unit keeps 0 to 6 decimals", def.scale.node);
                    self.report.push(Diagnostic::error(id::BAD_VALUE, def.scale.span, message));
                }
            }
        }
    }

    /// Lists and their matchers.
    pub(super) fn lists(&mut self, items: &Items<'a>) {
        for def in &items.lists {
            for entry in &def.entries {
                if entry.node.trim_end_matches('*').trim().is_empty() {
                    let message = "an entry without letters would match everything";
                    self.report.push(Diagnostic::error(id::BAD_VALUE, entry.span, message));
                }
            }
            self.names.set_index(&def.name.node, self.set.lists.len());
            self.set.lists.push(ListDef {
                name: def.name.node.as_str().into(),
                entries: def.entries.iter().map(|entry| Arc::from(entry.node.as_str())).collect(),
                matcher: Matcher::new(def.entries.iter().map(|entry| entry.node.as_str())),
            });
        }
    }

    /// Quiet windows; empty and whole-day ones are a lint's business.
    pub(super) fn quiets(&mut self, items: &Items<'a>) {
        for (def, span) in &items.quiets {
            let Some(zone) = self.zone(def.zone.as_ref(), def.name.span) else { continue };
            let mut windows = Vec::new();
            for window in &def.windows {
                let days = window.days.iter().map(|day| day.node).collect();
                self.clock(&window.from, false);
                self.clock(&window.to, true);
                windows.push((days, window.from.node, window.to.node));
            }
            self.names.set_index(&def.name.node, self.set.quiets.len());
            let name = def.name.node.as_str().into();
            self.set.quiets.push(QuietDef { name, windows, zone, span: *span });
        }
    }

    /// Reports a clock time that does not exist; 24:00 may only end a window.
    pub(super) fn clock(&mut self, clock: &Spanned<Clock>, may_end_day: bool) -> Option<Clock> {
        let Clock(minute) = clock.node;
        if minute < MINUTES_PER_DAY || (may_end_day && minute == MINUTES_PER_DAY) {
            return Some(clock.node);
        }
        let message = if minute == MINUTES_PER_DAY {
            "24:00 can only be the end of a window".to_owned()
        } else {
            "a clock time lies between 00:00 and 23:59".to_owned()
        };
        self.report.error(id::BAD_VALUE, clock.span, message)
    }

    /// Budgets.
    pub(super) fn budgets(&mut self, items: &Items<'a>) {
        for def in &items.budgets {
            let Some(zone) = self.zone(def.zone.as_ref(), def.name.span) else { continue };
            if def.count.node == 0 {
                let error = Diagnostic::error(
                    id::BAD_VALUE,
                    def.count.span,
                    "a budget of 0 never lets anything through",
                );
                self.report.push(error.help("turn the rules off with `off` instead"));
            }
            self.names.set_index(&def.name.node, self.set.budgets.len());
            let name = def.name.node.as_str().into();
            self.set.budgets.push(BudgetDef { name, count: def.count.node, per: def.per, zone });
        }
    }

    /// Schedules; streams must be known.
    pub(super) fn schedules(&mut self, items: &Items<'a>) {
        for (def, span) in &items.schedules {
            let Some(kind) = self.schedule_kind(&def.kind) else { continue };
            let zone = match (&kind, def.zone.as_ref()) {
                (ScheduleDefKind::Before(..), None) => self.set.default_zone,
                (_, zone) => match self.zone(zone, def.name.span) {
                    Some(zone) => zone,
                    None => continue,
                },
            };
            if let Some(late) = &def.late {
                self.late(late, &kind);
            }
            self.names.set_index(&def.name.node, self.set.schedules.len());
            let name = def.name.node.as_str().into();
            let late = def.late.as_ref().map_or(Late::Skip, |late| late.node);
            self.set.schedules.push(ScheduleDef { name, kind, zone, late, span: *span });
        }
    }

    fn late(&mut self, late: &Spanned<Late>, kind: &ScheduleDefKind) {
        match (late.node, kind) {
            (Late::Until(_), ScheduleDefKind::Before(..)) => {
                let error = Diagnostic::error(
                    id::OUT_OF_PLACE,
                    late.span,
                    "`late until` needs a schedule by the calendar",
                );
                self.report.push(error.help("write how long instead, such as `late 20min`"));
            }
            (Late::Until(clock), ScheduleDefKind::Calendar(_)) => {
                self.clock(&Spanned::new(clock, late.span), true);
            }
            (Late::Within(ms), _) if ms <= 0 => {
                self.report.push(Diagnostic::error(
                    id::BAD_VALUE,
                    late.span,
                    "the grace must be longer than nothing",
                ));
            }
            _ => {}
        }
    }

    fn schedule_kind(&mut self, kind: &Spanned<ScheduleKind>) -> Option<ScheduleDefKind> {
        let clocks = match &kind.node {
            ScheduleKind::Daily(clocks) | ScheduleKind::Weekly(_, clocks) => clocks,
            ScheduleKind::Monthly(day, clocks) => {
                if !(1..=31).contains(&day.node) {
                    return self.report.error(
                        id::BAD_VALUE,
                        day.span,
                        "a day of the month lies between 1 and 31",
                    );
                }
                clocks
            }
            ScheduleKind::Every(every) => {
                if !(MS_PER_MINUTE..=MS_PER_DAY).contains(&every.node) {
                    let message = "a schedule runs every 1min to every 24h";
                    return self.report.error(id::BAD_VALUE, every.span, message);
                }
                return Some(ScheduleDefKind::Calendar(kind.node.clone()));
            }
            ScheduleKind::Before(before, stream) => {
                let StreamId(index) = self.find_stream(stream)?;
                let timed = self.set.streams.get(index as usize).is_some_and(|stream| stream.timed.is_some());
                if !timed {
                    let message = format!("`{}` does not say when its items are", stream.node);
                    let error = Diagnostic::error(id::MISSING_PART, stream.span, message);
                    return self
                        .report
                        .fail(error.help("write `timed FIELD` after the fields of the stream"));
                }
                return Some(ScheduleDefKind::Before(before.node, StreamId(index)));
            }
        };
        let known: Vec<_> = clocks.iter().filter_map(|clock| self.clock(clock, false)).collect();
        (known.len() == clocks.len()).then(|| ScheduleDefKind::Calendar(kind.node.clone()))
    }

    /// Functions; the caller handed over the scripts' texts.
    pub(super) fn functions(&mut self, items: &Items<'a>) {
        for (def, span) in &items.functions {
            let mut taken: BTreeMap<&str, Span> = BTreeMap::new();
            let mut params = Vec::new();
            for (name, ty) in &def.params {
                if let Some(first) = taken.insert(&name.node, name.span) {
                    let message = format!("two parameters are called `{}`", name.node);
                    let error = Diagnostic::error(id::DUPLICATE_NAME, name.span, message);
                    self.report.push(error.related(first, "the first"));
                }
                if let Some(ty) = self.type_named(ty) {
                    params.push((Arc::from(name.node.as_str()), ty));
                }
            }
            let returns = self.type_named(&def.returns);
            let inputs = self.inputs;
            let Some(text) = inputs.scripts.get(&def.from.node) else {
                let known = inputs.scripts.keys().map(String::as_str);
                let error = self.report.unknown(def.from.span, "script", &def.from.node, known);
                self.report.push(error);
                continue;
            };
            let (Some(returns), true) = (returns, params.len() == def.params.len()) else { continue };
            let compiled = match Script::compile(&def.name.node, &params, returns, text, &self.set.units) {
                Ok(compiled) => compiled,
                Err(error) => {
                    self.report.push(script_error(def, &error));
                    continue;
                }
            };
            self.names.set_index(&def.name.node, self.set.functions.len());
            self.set.functions.push(FunctionDef {
                name: def.name.node.as_str().into(),
                params,
                returns,
                script: (def.from.node.as_str().into(), text.as_str().into()),
                compiled,
                span: *span,
            });
        }
    }

    /// The kind that must be resolved before others of its kind can be looked up.
    pub(super) fn number_rules(&mut self, items: &Items<'a>) {
        for (index, (rule, ..)) in items.rules.iter().enumerate() {
            debug_assert!(self.names.get(&rule.name.node).is_some_and(|entry| entry.kind == Kind::Rule));
            self.names.set_index(&rule.name.node, index);
        }
    }
}

/// What is wrong with a script, with its own file, line and column.
fn script_error(def: &ast::Function, error: &ScriptError) -> Diagnostic {
    let place = match (error.line, error.column) {
        (Some(line), Some(column)) => format!("{}:{line}:{column}: ", def.from.node),
        (Some(line), None) => format!("{}:{line}: ", def.from.node),
        _ => String::new(),
    };
    Diagnostic::error(id::FUNCTION_BOUNDS, def.from.span, format!("{place}{}", error.message))
}
