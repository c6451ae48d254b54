//! Runs of schedules: the next one, and those before items.

use std::collections::BTreeSet;
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
    pub before: BTreeSet<Run>,
    /// Runs before items that happened: a moved item has a new instant and runs again, an unmoved one never.
    pub ran: BTreeSet<Run>,
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
