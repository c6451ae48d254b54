//! Definitions of one line to their columns.

use super::expression::{calendar, clock, duration, expr, in_zone, text};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    Budget, Cadence, Clock, Fold, Function, Gap, Item, ItemKind, Late, Name, Period, Quiet, Schedule,
    ScheduleKind, Signal, Stream, Weekday, Zone,
};

/// One definition in columns.
pub(super) enum Columns {
    /// `keyword name = value`; names of neighbours are padded alike. A list has several values and may be
    /// broken between them.
    Assigned {
        /// First word.
        keyword: &'static str,
        /// Name.
        name: String,
        /// What stands after `=`, joined by `, `.
        values: Vec<String>,
    },
    /// Cells, padded as those of neighbours with the same keyword.
    Cells(&'static str, Vec<String>),
    /// Nothing to align.
    Plain(String),
}

/// The columns of a definition of one line; `None` for a block.
pub(super) fn columns(item: &Item) -> Option<Columns> {
    Some(match &item.kind {
        ItemKind::Zone(it) => assigned("zone", &it.name, zone(it)),
        ItemKind::Keep(it) => {
            let mut out = "keep     history ".to_owned();
            calendar(&mut out, it.history.node);
            Columns::Plain(out)
        }
        ItemKind::Quiet(it) => assigned("quiet", &it.name, quiet(it)),
        ItemKind::Budget(it) => assigned("budget", &it.name, budget(it)),
        ItemKind::Unit(it) => Columns::Plain(format!("unit     {} scale {}", it.name.node, it.scale.node)),
        ItemKind::Signal(it) => Columns::Cells("signal", signal(it)),
        ItemKind::Stream(it) => Columns::Cells("stream", stream(it)),
        ItemKind::List(it) => Columns::Assigned {
            keyword: "list",
            name: it.name.node.clone(),
            values: it.entries.iter().map(|entry| quoted(&entry.node)).collect(),
        },
        ItemKind::Schedule(it) => assigned("schedule", &it.name, schedule(it)),
        ItemKind::Function(it) => Columns::Plain(function(it)),
        ItemKind::Rule(_) | ItemKind::Table(_) | ItemKind::Plan(_) | ItemKind::Test(_) => return None,
    })
}

fn assigned(keyword: &'static str, name: &Name, value: String) -> Columns {
    Columns::Assigned { keyword, name: name.node.clone(), values: vec![value] }
}

fn quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    text(&mut out, value);
    out
}

fn zone(it: &Zone) -> String {
    let mut out = quoted(&it.iana.node);
    if it.default.is_some() {
        out.push_str(", default");
    }
    if let Some(gap) = &it.gap {
        out.push_str(match gap.node {
            Gap::After => ", gap after",
            Gap::Skip => ", gap skip",
        });
    }
    if let Some(fold) = &it.fold {
        out.push_str(match fold.node {
            Fold::First => ", fold first",
            Fold::Second => ", fold second",
            Fold::Both => ", fold both",
        });
    }
    out
}

fn quiet(it: &Quiet) -> String {
    let mut out = String::new();
    for window in &it.windows {
        if !out.is_empty() {
            out.push_str(", ");
        }
        if !window.days.is_empty() {
            out.push_str(&format!("on {}: ", weekdays(&window.days)));
        }
        clock(&mut out, window.from.node);
        out.push_str(" to ");
        clock(&mut out, window.to.node);
    }
    in_zone(&mut out, it.zone.as_ref());
    out
}

fn weekdays(days: &[Spanned<Weekday>]) -> String {
    let word = |day: &Spanned<Weekday>| match day.node {
        Weekday::Mon => "Mon",
        Weekday::Tue => "Tue",
        Weekday::Wed => "Wed",
        Weekday::Thu => "Thu",
        Weekday::Fri => "Fri",
        Weekday::Sat => "Sat",
        Weekday::Sun => "Sun",
    };
    days.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn budget(it: &Budget) -> String {
    let mut out = format!("{} per {}", it.count.node, period(it.per));
    in_zone(&mut out, it.zone.as_ref());
    out
}

/// The word of a period.
pub(super) fn period(period: Period) -> &'static str {
    match period {
        Period::Hour => "hour",
        Period::Day => "day",
        Period::Week => "week",
        Period::Month => "month",
    }
}

fn signal(it: &Signal) -> Vec<String> {
    let cadence = it.cadence.as_ref().map(|cadence| cadence_words(cadence.node)).unwrap_or_default();
    let mut fresh = String::new();
    if let Some(length) = &it.fresh {
        fresh.push_str("fresh ");
        duration(&mut fresh, length.node);
    }
    let mut range = String::new();
    if let Some((low, high)) = &it.range {
        range.push_str("range ");
        expr(&mut range, low);
        range.push_str(" to ");
        expr(&mut range, high);
    }
    let private = if it.private.is_some() { "private" } else { "" };
    vec![it.name.node.clone(), it.unit.node.clone(), cadence, fresh, range, private.to_owned()]
}

/// The words of a cadence.
pub(super) fn cadence_words(cadence: Cadence) -> String {
    match cadence {
        Cadence::Sampled => "sampled".to_owned(),
        Cadence::Hourly => "hourly".to_owned(),
        Cadence::Daily => "daily".to_owned(),
        Cadence::Nightly => "nightly".to_owned(),
        Cadence::Every(length) => {
            let mut out = "every ".to_owned();
            duration(&mut out, length);
            out
        }
    }
}

fn fields(fields: &[(Name, Name)]) -> String {
    fields.iter().map(|(name, kind)| format!("{} {}", name.node, kind.node)).collect::<Vec<_>>().join(", ")
}

fn stream(it: &Stream) -> Vec<String> {
    let mut out =
        if it.fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields(&it.fields)) };
    if let Some(timed) = &it.timed {
        out.push_str(&format!(" timed {}", timed.start.node));
        if let Some(end) = &timed.end {
            out.push_str(&format!(" to {}", end.node));
        }
    }
    if it.private.is_some() {
        out.push_str(" private");
    }
    vec![it.name.node.clone(), out]
}

fn clocks(out: &mut String, times: &[Spanned<Clock>]) {
    for (index, time) in times.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { " at " });
        clock(out, time.node);
    }
}

fn schedule(it: &Schedule) -> String {
    let mut out = String::new();
    match &it.kind.node {
        ScheduleKind::Daily(times) => {
            out.push_str("daily");
            clocks(&mut out, times);
        }
        ScheduleKind::Weekly(days, times) => {
            out.push_str(&format!("on {}", weekdays(days)));
            clocks(&mut out, times);
        }
        ScheduleKind::Monthly(day, times) => {
            out.push_str(&format!("monthly on {}", day.node));
            clocks(&mut out, times);
        }
        ScheduleKind::Every(length) => {
            out.push_str("every ");
            duration(&mut out, length.node);
        }
        ScheduleKind::Before(length, stream) => {
            duration(&mut out, length.node);
            out.push_str(&format!(" before {}", stream.node));
        }
    }
    in_zone(&mut out, it.zone.as_ref());
    match it.late.as_ref().map(|late| late.node) {
        Some(Late::Until(time)) => {
            out.push_str(", late until ");
            clock(&mut out, time);
        }
        Some(Late::Within(length)) => {
            out.push_str(", late ");
            duration(&mut out, length);
        }
        Some(Late::Skip) => out.push_str(", late skip"),
        None => {}
    }
    out
}

fn function(it: &Function) -> String {
    let parameters = fields(&it.params);
    format!("function {} ({parameters}) -> {} from {}", it.name.node, it.returns.node, quoted(&it.from.node))
}
