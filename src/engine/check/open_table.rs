//! Payment rows without a limit, and tables that leave requests unanswered.

use super::lint::{Explain, Findings, Lint};
use super::shown::shown;
use super::table_cells::{Cell, Part, accepts, cells};
use crate::engine::diagnostic::Severity;
use crate::engine::rule_set::{Column, RuleSet, Ruling, TableDef};
use crate::engine::value::{Ratio, Type};

/// The row of this lint.
pub(super) const LINT: Lint = Lint {
    id: "open-table",
    severity: Severity::Error,
    summary: "a payment table without limits, or with a gap",
    explain: Explain {
        what: "A row that says `ask` or `allow` limits neither the amount nor a total, or there are \
               requests that no row speaks of; such a request is named.",
        why: "A payment must not depend on what somebody forgot to write. What no row speaks of is \
              refused, and the table should say so.",
        example: "| name     | seller | amount | then  |\n| anything | any    | any    | allow |",
    },
    check: Some(check),
};

fn check(set: &RuleSet, findings: &mut Findings) {
    for table in &set.tables {
        for row in table.rows.iter().filter(|row| row.then != Ruling::Refuse) {
            let limited = row.tests.iter().any(|test| !matches!(test.column, Column::Field(_)));
            if !limited {
                let message = format!("row `{}` of `{}` has no limit", row.name, table.name);
                let error = LINT.at(row.span, message);
                findings.push(error.help("limit the amount or a total, such as `to 1.00`"));
            }
        }
        let gap = cells(table).and_then(|cells| {
            cells.into_iter().find(|cell| !table.rows.iter().any(|row| accepts(row, cell)))
        });
        if let Some(gap) = gap {
            let message = format!("`{}` has no row for {}", table.name, request(&gap, table, set));
            let error = LINT.at(table.span, message);
            findings.push(error.help("add a last row with `any` in every column and `refuse`"));
        }
    }
}

/// A request of the cell, in words.
fn request(cell: &Cell, table: &TableDef, set: &RuleSet) -> String {
    let money = |amount: &i64| shown(Type::Money(table.currency), Ratio::whole(*amount), set);
    let stream = set.streams.get(table.stream.0 as usize);
    let field = |index: u16| {
        stream.and_then(|stream| stream.fields.get(usize::from(index))).map_or("a field", |(name, _)| name)
    };
    let words: Vec<String> = cell
        .iter()
        .map(|(column, part)| match (column, part) {
            (Column::Field(index), Part::Word(word)) => format!("{} `{word}`", field(*index)),
            (Column::Field(index), _) => format!("another {}", field(*index)),
            (Column::Amount, Part::Amount(low, _)) => format!("an amount of {}", money(low)),
            (Column::TodayAfter, Part::Amount(low, _)) => format!("a day's total of {}", money(low)),
            (Column::WeekAfter, Part::Amount(low, _)) => format!("a week's total of {}", money(low)),
            (_, Part::Amount(low, _)) => format!("a month's total of {}", money(low)),
            (_, _) => "any".to_owned(),
        })
        .collect();
    if words.is_empty() { "any request".to_owned() } else { words.join(", ") }
}
