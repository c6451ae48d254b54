//! A resolved rule set: names are indices, units are checked, every rule says what it reads.
//!
//! Built by `resolve`, read by everything else, never changed. What is here cannot fail by type later.
//! Rules are sorted by name, so that a [`RuleId`]'s order is the order of names.

mod definition;
mod expr;
mod index;
mod rule;
mod table;
mod threshold;

pub use definition::*;
pub use expr::*;
pub use index::{Index, Rank};
pub use rule::*;
pub use table::*;
pub use threshold::{Bound, Threshold};

use std::sync::Arc;

use super::record::{SignalId, StreamId};
use super::syntax::ast;
use super::time::Zone;
use super::value::{NUMBER_DECIMALS, Type, UnitInfo};

/// Everything that a folder of rule files says.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// SHA-256 (32 hex digits) of the set's canonical text, so that reformatting changes nothing.
    pub hash: Arc<str>,
    /// Zones; [`ZoneRef::Named`] is an index.
    pub zones: Vec<ZoneDef>,
    /// The zone of calendar words that name none.
    pub default_zone: ZoneRef,
    /// How many days of history are kept.
    pub history_days: u32,
    /// Built-in units, then the set's own.
    pub units: Vec<UnitInfo>,
    /// Signals, declared and built-in (`source.NAME`).
    pub signals: Vec<SignalDef>,
    /// Streams, declared and built-in ([`RULES_FIRED`] is always the first).
    pub streams: Vec<StreamDef>,
    /// Lists with their matchers.
    pub lists: Vec<ListDef>,
    /// Quiet windows.
    pub quiets: Vec<QuietDef>,
    /// Budgets.
    pub budgets: Vec<BudgetDef>,
    /// Schedules.
    pub schedules: Vec<ScheduleDef>,
    /// Functions written in Rhai.
    pub functions: Vec<FunctionDef>,
    /// Distinct windows over signals; an expression names one by [`WindowId`].
    pub windows: Vec<WindowDef>,
    /// Rules, sorted by name.
    pub rules: Vec<RuleDef>,
    /// All rules in an order in which readers of firings come after the fired.
    pub strata: Vec<RuleId>,
    /// Payment tables.
    pub tables: Vec<TableDef>,
    /// Plans, local overrides applied.
    pub plans: Vec<PlanDef>,
    /// Tests, as written.
    pub tests: Vec<ast::Test>,
    /// Who reads what; [`Index::of`] the rest.
    pub index: Index,
}

/// The built-in stream of earlier triggers: fields `rule`, `title`, `at`, `level`, `outcome`.
pub const RULES_FIRED: StreamId = StreamId(0);

/// Its name.
pub const RULES_FIRED_NAME: &str = "rules.fired";

impl RuleSet {
    /// The zone of the default, where `here` is too until a record says otherwise; UTC when none is declared.
    pub fn home(&self) -> Zone {
        let named = match self.default_zone {
            ZoneRef::Named(id) => self.zones.get(id.index()),
            ZoneRef::Here => None,
        };
        named.map_or(Zone(chrono_tz::UTC), |def| def.zone)
    }

    /// Decimals that a type keeps below its whole unit: a percentage one, a euro two, a duration none.
    pub fn decimals(&self, ty: Type) -> u8 {
        match ty {
            Type::Quantity(unit) => self.units.get(usize::from(unit.0)).map_or(0, |unit| unit.scale),
            Type::Money(currency) => currency.decimals(),
            Type::Number => NUMBER_DECIMALS,
            _ => 0,
        }
    }

    /// The signal with this name.
    pub fn signal_named(&self, name: &str) -> Option<SignalId> {
        let index = self.signals.iter().position(|signal| &*signal.name == name)?;
        u32::try_from(index).ok().map(SignalId)
    }

    /// The stream with this name.
    pub fn stream_named(&self, name: &str) -> Option<StreamId> {
        let index = self.streams.iter().position(|stream| &*stream.name == name)?;
        u32::try_from(index).ok().map(StreamId)
    }

    /// True when a rule may read another's firing. Never its own; and rules that are judged because of
    /// firings do not see each other's, or two of them would answer each other without end.
    pub fn sees_firing(&self, reader: &RuleDef, of: &str) -> bool {
        let other = || self.rules.get(self.rule_named(of)?.index());
        let both = reader.is_caused_by_firings() && other().is_some_and(RuleDef::is_caused_by_firings);
        *reader.name != *of && !both
    }

    /// The rule with this name.
    pub fn rule_named(&self, name: &str) -> Option<RuleId> {
        let index = self.rules.binary_search_by(|rule| (*rule.name).cmp(name)).ok()?;
        u32::try_from(index).ok().map(RuleId)
    }
}
