//! Dates, instants and zones as literals.

use super::id;
use super::report::Report;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::rule_set::{RuleSet, ZoneRef};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{DateLit, Fold, Gap};
use crate::engine::time::{Date, Instant, Zone};

/// The IANA zone with this name.
pub(super) fn zone_named(name: &Spanned<String>, report: &mut Report) -> Option<Zone> {
    if let Some(zone) = Zone::parse(&name.node) {
        return Some(zone);
    }
    let error = Diagnostic::error(id::UNKNOWN_NAME, name.span, format!("unknown time zone `{}`", name.node));
    report.fail(match Zone::suggest(&name.node) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("zones are named like `Europe/Berlin`"),
    })
}

/// A local time of the default zone as an instant; one that does not exist is the first after the gap,
/// one that exists twice the first.
pub(super) fn instant(literal: DateLit, second: u32, set: &RuleSet) -> Option<Instant> {
    let date = Date::of_literal(literal)?;
    let ZoneRef::Named(zone) = set.default_zone else { return Some(Instant(0)) };
    let zone = set.zones.get(zone.index())?.zone;
    zone.resolve(date, i64::from(second).saturating_mul(1000), Gap::After, Fold::First).first()
}
