//! Workflow commands that GitHub Actions turns into annotations beside the changed lines.
//!
//! A command is one line; what could end it or one of its properties is escaped as the runner's own toolkit
//! does it. Columns are only given for a place on one line: the service refuses them otherwise.

use std::fmt::Write as _;

use super::{FINDINGS_MAX, FormatDef, Place, Report};
use crate::render::terminal::shown;

/// The row.
pub(super) const DEF: FormatDef = FormatDef {
    name: "github",
    about: "Annotations for GitHub Actions",
    findings_max: Some(FINDINGS_MAX),
    render,
};

fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let command = finding.severity.word();
        let place = Place::of(finding.span, report.sources);
        let mut text = shown(&finding.message);
        for (span, words) in &finding.related {
            let Place { file, line, .. } = Place::of(*span, report.sources);
            // Writing to a String cannot fail, here and below.
            let _ = write!(text, "\n{}:{line}: {}", shown(file), shown(words));
        }
        if let Some(help) = &finding.help {
            let lines: Vec<String> = help.lines().map(shown).collect();
            let _ = write!(text, "\nhelp: {}", lines.join("\n"));
        }
        let _ = write!(out, "::{command} ");
        if !place.file.is_empty() {
            let _ = write!(
                out,
                "file={},line={},endLine={},",
                escape_property(&shown(place.file)),
                place.line,
                place.end_line
            );
            if place.line == place.end_line {
                let _ = write!(out, "col={},endColumn={},", place.column, place.end_column);
            }
        }
        let _ = writeln!(out, "title={}::{}", escape_property(finding.id), escape(&text));
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape(text).replace(':', "%3A").replace(',', "%2C")
}
