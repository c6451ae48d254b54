//! Dates, instants and zones as literals.

use super::id;
use super::report::Report;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::DateLit;
use crate::engine::rule_set::{RuleSet, ZoneRef};
use crate::engine::time::{Date, Instant, Zone};

/// The IANA zone with this name.
pub(super) fn zone_named(name: &Spanned<String>, report: &mut Report) -> Option<Zone> {
    if let Ok(zone) = name.node.parse::<chrono_tz::Tz>() {
        return Some(Zone(zone));
    }
    let known = chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
    let error = report.unknown(name.span, "time zone", &name.node, known);
    let error = if error.help.is_some() { error } else { help(error) };
    report.fail(error)
}

fn help(error: Diagnostic) -> Diagnostic {
    debug_assert_eq!(error.id, id::UNKNOWN_NAME);
    error.help("zones are named like `Europe/Berlin`")
}

/// A date as days since 1970-01-01; `None` when there is no such date.
pub(super) fn date(literal: DateLit) -> Option<Date> {
    let day = chrono::NaiveDate::from_ymd_opt(literal.year, u32::from(literal.month), u32::from(literal.day))?;
    let epoch = chrono::NaiveDate::from_ymd_opt(1970, 1, 1)?;
    i32::try_from(day.signed_duration_since(epoch).num_days()).ok().map(Date)
}

/// A local time of the default zone as an instant; one that does not exist is the first after the gap.
pub(super) fn instant(literal: DateLit, second: u32, set: &RuleSet) -> Option<Instant> {
    let day = chrono::NaiveDate::from_ymd_opt(literal.year, u32::from(literal.month), u32::from(literal.day))?;
    let local = day.and_hms_opt(0, 0, 0)?.checked_add_signed(chrono::TimeDelta::seconds(i64::from(second)))?;
    let zone = match set.default_zone {
        ZoneRef::Named(zone) => set.zones.get(zone.index())?.zone.0,
        ZoneRef::Here => chrono_tz::UTC,
    };
    let found = local.and_local_timezone(zone);
    let found = found.earliest().or_else(|| {
        let later = local.checked_add_signed(chrono::TimeDelta::hours(3))?;
        later.and_local_timezone(zone).earliest()
    })?;
    Some(Instant(found.timestamp_millis()))
}
