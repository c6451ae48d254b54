//! The report as a picture: one bar a rule, told and stopped. Plain SVG without fonts or scripts of its own.

use std::fmt::Write as _;

use super::RulesReport;

/// Rules that are drawn: the ones that fired most.
const RULES_MAX: usize = 30;
/// Units of a row, of the names and of the longest bar.
const ROW: u64 = 24;
const NAMES: u64 = 190;
const BAR: u64 = 400;

/// A whole document.
#[must_use]
pub fn svg(report: &RulesReport) -> String {
    let mut rules: Vec<_> = report.rules.iter().filter(|(_, sums)| sums.fired > 0).collect();
    rules.sort_by_key(|(name, sums)| (std::cmp::Reverse(sums.fired), (*name).clone()));
    rules.truncate(RULES_MAX);
    let most = rules.iter().map(|(_, sums)| sums.fired).max().unwrap_or(1).max(1);
    let height = (rules.len() as u64).saturating_mul(ROW).saturating_add(70);
    let width = NAMES + BAR + 60;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"12\" y=\"24\" font-weight=\"bold\">{} to {}</text>\n",
        escaped(&report.from),
        escaped(&report.to)
    );
    let mut top = 40_u64;
    for (name, sums) in rules {
        let long = |count: u64| count.saturating_mul(BAR) / most;
        let told = long(sums.delivered.saturating_add(sums.digested));
        let rest = long(sums.fired).saturating_sub(told);
        let (base, bar) = (top + 15, top + 4);
        let _ = writeln!(out, "<text x=\"12\" y=\"{base}\">{}</text>", escaped(&shortened(name)));
        let _ = writeln!(
            out,
            "<rect x=\"{NAMES}\" y=\"{bar}\" width=\"{told}\" height=\"14\" fill=\"#2f6f4f\"/>\
             <rect x=\"{}\" y=\"{bar}\" width=\"{rest}\" height=\"14\" fill=\"#c9c9c9\"/>",
            NAMES + told
        );
        let _ = writeln!(out, "<text x=\"{}\" y=\"{base}\">{}</text>", NAMES + told + rest + 6, sums.fired);
        top = top.saturating_add(ROW);
    }
    let up = match report.up_tenths() {
        Some(tenths) => format!("told (green) and stopped (grey); up {}.{} %", tenths / 10, tenths % 10),
        None => "the watch did not run".to_owned(),
    };
    let _ = writeln!(out, "<text x=\"12\" y=\"{}\" fill=\"#666666\">{up}</text>", top + 20);
    out.push_str("</svg>\n");
    out
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= 24 {
        return name.to_owned();
    }
    name.chars().take(23).chain(std::iter::once('…')).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
