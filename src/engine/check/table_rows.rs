//! Payment rows that never decide, or that decide together with another.

use super::lint::{Explain, Findings, Lint};
use super::table_cells::{accepts, cells};
use crate::engine::diagnostic::Severity;
use crate::engine::rule_set::{RuleSet, TableDef};

/// The row of this lint.
pub(super) const LINT: Lint = Lint {
    id: "table-rows",
    severity: Severity::Error,
    summary: "a payment row that never decides, or that overlaps another",
    explain: Explain {
        what: "With `first match`, a row whose every request an earlier row takes; without it, two rows \
               that one request meets.",
        why: "The row says something that never happens, or the table says two things at once.",
        example: "| name  | amount  | then   |\n| all   | any     | refuse |\n| small | to 0.25 | ask    |",
    },
    check: Some(check),
};

fn check(set: &RuleSet, findings: &mut Findings) {
    for table in &set.tables {
        if table.first_match {
            shadowed(table, findings);
        } else {
            overlapping(table, findings);
        }
    }
}

fn shadowed(table: &TableDef, findings: &mut Findings) {
    let Some(cells) = cells(table) else { return };
    for (index, row) in table.rows.iter().enumerate() {
        let earlier: Vec<_> = table.rows.iter().take(index).collect();
        let mut taken_by = None;
        let decides = cells.iter().filter(|cell| accepts(row, cell)).any(|cell| {
            let taker = earlier.iter().find(|row| accepts(row, cell));
            taken_by = taken_by.or(taker.map(|row| row.span));
            taker.is_none()
        });
        if decides {
            continue;
        }
        let error = LINT.at(row.span, format!("row `{}` of `{}` never decides", row.name, table.name));
        findings.push(match taken_by {
            Some(span) => {
                error.related(span, "an earlier row takes its requests").help("move it up, or remove it")
            }
            None => error.help("no request is like this; a total is never below the amount"),
        });
    }
}

fn overlapping(table: &TableDef, findings: &mut Findings) {
    let Some(cells) = cells(table) else { return };
    for (index, row) in table.rows.iter().enumerate() {
        let later = table.rows.iter().skip(index.saturating_add(1));
        let other =
            later.clone().find(|other| cells.iter().any(|cell| accepts(row, cell) && accepts(other, cell)));
        if let Some(other) = other {
            let message = format!("rows `{}` and `{}` of `{}` overlap", row.name, other.name, table.name);
            let error = LINT.at(other.span, message).related(row.span, "the other row");
            findings.push(
                error.help("write `first match` after the stream, or make the rows exclude each other"),
            );
        }
    }
}
