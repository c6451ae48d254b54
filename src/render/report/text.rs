//! The report as a table.

use std::fmt::Write as _;

use super::{RuleSums, RulesReport};
use crate::engine::time::show_duration;
use crate::render::terminal::shown;

/// A table of the rules, then what concerns all of them.
#[must_use]
pub fn text(report: &RulesReport) -> String {
    let mut text = format!("{} to {}\n\n", report.from, report.to);
    let wide = report.rules.keys().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
    let _ = writeln!(
        text,
        "{:<wide$}  fired  told  digest  expired  stopped  useful  noise  precision  delay",
        "rule"
    );
    for (name, sums) in &report.rules {
        let _ = writeln!(text, "{}", row(name, sums, wide));
    }
    let stopped: Vec<_> = report.rules.iter().filter(|(_, sums)| !sums.suppressed.is_empty()).collect();
    if !stopped.is_empty() {
        text.push_str("\nstopped\n");
        for (name, sums) in stopped {
            let by: Vec<_> =
                sums.suppressed.iter().map(|(gate, count)| format!("{count} by {gate}")).collect();
            let _ = writeln!(text, "  {}: {}", shown(name), by.join(", "));
        }
    }
    if !report.missed.is_empty() {
        let missed: Vec<_> =
            report.missed.iter().map(|(schedule, count)| format!("{count} of {}", shown(schedule))).collect();
        let _ = writeln!(text, "\nmissed runs: {}", missed.join(", "));
    }
    match report.up_tenths() {
        Some(tenths) => {
            let down = report.period_ms.saturating_sub(report.up_ms);
            let _ = writeln!(text, "\nup {}.{} %, down {}", tenths / 10, tenths % 10, show_duration(down));
        }
        None => text.push_str("\nthe watch did not run\n"),
    }
    text
}

fn row(name: &str, sums: &RuleSums, wide: usize) -> String {
    let precision = sums.precision().map(|percent| format!("{percent} %")).unwrap_or_default();
    let delay = sums.delay_ms.map(show_duration).unwrap_or_default();
    let line = format!(
        "{:<wide$}  {:>5}  {:>4}  {:>6}  {:>7}  {:>7}  {:>6}  {:>5}  {precision:>9}  {delay}",
        shown(name),
        sums.fired,
        sums.delivered,
        sums.digested,
        sums.expired,
        sums.stopped(),
        sums.useful,
        sums.noise,
    );
    line.trim_end().to_owned()
}
