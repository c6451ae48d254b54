//! Runs of schedules: the next one, and those before items.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::rule_set::{RuleSet, ScheduleDef, ScheduleDefKind, ZoneRef};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{Clock, ScheduleKind};
use crate::engine::time::{Instant, ScheduleSpec, SpecKind, Zone};

/// A run of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Run {
    /// The scheduled instant.
    pub at: Instant,
    /// The item it comes before, for schedules before items.
    pub item: Option<Arc<str>>,
}

/// The memory of one schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// The next run of a calendar schedule.
    pub next: Option<Instant>,
    /// Runs before items that are still to come.
    before: BTreeSet<Run>,
    /// When the coming run before each item is.
    before_item: BTreeMap<Arc<str>, Instant>,
    /// Runs before items that happened: a moved item has a new instant and runs again, an unmoved one never.
    pub ran: BTreeSet<Run>,
}

impl Runs {
    /// Runs before items that are still to come, soonest first.
    pub fn coming(&self) -> impl Iterator<Item = &Run> {
        self.before.iter()
    }

    /// A run before an item is to come; an item has one.
    pub(in crate::engine) fn expect(&mut self, run: Run) {
        if let Some(item) = &run.item {
            self.forget_before(item);
            self.before_item.insert(item.clone(), run.at);
        }
        self.before.insert(run);
    }

    /// The run before an item is not to come.
    pub(in crate::engine) fn forget_before(&mut self, item: &Arc<str>) {
        if let Some(at) = self.before_item.remove(item) {
            self.before.remove(&Run { at, item: Some(item.clone()) });
        }
    }

    /// A run before an item happened.
    pub(in crate::engine) fn happen(&mut self, run: &Run) {
        if let Some(item) = &run.item {
            self.forget_before(item);
        }
        self.ran.insert(run.clone());
    }

    /// Takes over what another memory of the same schedule knows of items.
    pub(super) fn take_over(&mut self, other: &Self) {
        self.before.clone_from(&other.before);
        self.before_item.clone_from(&other.before_item);
        self.ran.clone_from(&other.ran);
    }
}

/// Items that wait for a gather schedule.
pub type Pending = BTreeSet<(Instant, Arc<str>)>;

/// A calendar schedule in a zone; `None` for those before items.
pub(super) fn calendar(rules: &RuleSet, def: &ScheduleDef, zone: Zone) -> Option<ScheduleSpec> {
    let ScheduleDefKind::Calendar(kind) = &def.kind else { return None };
    let choice = match def.zone {
        ZoneRef::Named(id) => rules.zones.get(id.index()),
        ZoneRef::Here => None,
    };
    let (gap, fold) = choice.map(|zone| (zone.gap, zone.fold)).unwrap_or_default();
    let kind = spec_kind(kind)?;
    Some(ScheduleSpec { zone, gap, fold, kind })
}

fn spec_kind(kind: &ScheduleKind) -> Option<SpecKind> {
    let clocks = |clocks: &[Spanned<Clock>]| clocks.iter().map(|clock| clock.node).collect();
    Some(match kind {
        ScheduleKind::Daily(at) => SpecKind::Daily(clocks(at)),
        ScheduleKind::Weekly(days, at) => {
            SpecKind::Weekly(days.iter().map(|day| day.node).collect(), clocks(at))
        }
        ScheduleKind::Monthly(day, at) => SpecKind::Monthly(u8::try_from(day.node).ok()?, clocks(at)),
        ScheduleKind::Every(ms) => SpecKind::Every(ms.node),
        ScheduleKind::Before(..) => return None,
    })
}
