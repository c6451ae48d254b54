//! One object a line with the keys of section 12 of the contract, in its order.

use serde::Serialize;

use super::{FormatDef, Place, Report};
use crate::engine::diagnostic::Severity;
use crate::render::json_line;

/// The row.
pub(super) const DEF: FormatDef =
    FormatDef { name: "json", about: "One JSON object a line", findings_max: None, render };

/// Field order is key order.
#[derive(Serialize)]
struct Object<'a> {
    id: &'a str,
    severity: Severity,
    message: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    help: Option<&'a str>,
}

fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let Place { file, line, column, end_line, end_column } = Place::of(finding.span, report.sources);
        out.push_str(&json_line(&Object {
            id: finding.id,
            severity: finding.severity,
            message: &finding.message,
            file,
            line,
            column,
            end_line,
            end_column,
            help: finding.help.as_deref(),
        }));
        out.push('\n');
    }
    out
}
