//! Payment tables cut into cells: every request lies in one, and all requests of a cell meet the same rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::rule_set::{CellMatch, Column, TableDef, TableRowDef};

/// Most cells that are looked at; a larger table is undecided.
const CELLS_MAX: usize = 20_000;

/// One part of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// This word.
    Word(Arc<str>),
    /// Any word that no row names.
    OtherWord,
    /// Minor units, both included.
    Amount(i64, i64),
}

/// A cell: one part of each column that is tested anywhere.
pub(super) type Cell = Vec<(Column, Part)>;

/// All cells that a request can lie in; `None` when there are too many.
pub(super) fn cells(table: &TableDef) -> Option<Vec<Cell>> {
    let mut cells: Vec<Cell> = vec![Vec::new()];
    for (_, (column, parts)) in columns(table) {
        if cells.len().checked_mul(parts.len())? > CELLS_MAX {
            return None;
        }
        cells = cells
            .iter()
            .flat_map(|cell| {
                let column = &column;
                parts.iter().map(move |part| {
                    let mut longer = cell.clone();
                    longer.push((column.clone(), part.clone()));
                    longer
                })
            })
            .collect();
    }
    cells.retain(is_possible);
    Some(cells)
}

/// True when every test of the row accepts the whole cell.
pub(super) fn accepts(row: &TableRowDef, cell: &Cell) -> bool {
    row.tests.iter().all(|test| {
        let part = cell.iter().find(|(column, _)| *column == test.column).map(|(_, part)| part);
        match (&test.test, part) {
            (CellMatch::Word(word), Some(Part::Word(is))) => word == is,
            (CellMatch::Range(low, high), Some(Part::Amount(from, to))) => low <= from && to <= high,
            _ => false,
        }
    })
}

/// Columns in a fixed order, each with the parts that its tests cut it into.
fn columns(table: &TableDef) -> BTreeMap<u32, (Column, Vec<Part>)> {
    let mut words: BTreeMap<u32, (Column, BTreeSet<Arc<str>>)> = BTreeMap::new();
    let mut cuts: BTreeMap<u32, (Column, BTreeSet<i64>)> = BTreeMap::new();
    for test in table.rows.iter().flat_map(|row| &row.tests) {
        let rank = rank(&test.column);
        match &test.test {
            CellMatch::Word(word) => {
                let (_, words) = words.entry(rank).or_insert_with(|| (test.column.clone(), BTreeSet::new()));
                words.insert(Arc::clone(word));
            }
            CellMatch::Range(low, high) => {
                let (_, cuts) =
                    cuts.entry(rank).or_insert_with(|| (test.column.clone(), BTreeSet::from([0])));
                cuts.insert(*low);
                cuts.extend(high.checked_add(1));
            }
        }
    }
    let words = words.into_iter().map(|(rank, (column, words))| {
        let parts = words.into_iter().map(Part::Word).chain([Part::OtherWord]).collect();
        (rank, (column, parts))
    });
    let amounts = cuts.into_iter().map(|(rank, (column, cuts))| {
        let starts: Vec<i64> = cuts.into_iter().collect();
        let ends = starts.iter().skip(1).map(|start| start.saturating_sub(1)).chain([i64::MAX]);
        let parts = starts.iter().zip(ends).map(|(from, to)| Part::Amount(*from, to)).collect();
        (rank, (column, parts))
    });
    words.chain(amounts).collect()
}

fn rank(column: &Column) -> u32 {
    match column {
        Column::Amount => 0,
        Column::TodayAfter => 1,
        Column::WeekAfter => 2,
        Column::MonthAfter => 3,
        Column::Field(index) => u32::from(*index).saturating_add(4),
    }
}

/// A total after a payment is at least the payment, and a week's or month's at least its day's.
fn is_possible(cell: &Cell) -> bool {
    let span = |wanted: Column| {
        cell.iter().find(|(column, _)| *column == wanted).and_then(|(_, part)| match part {
            Part::Amount(low, high) => Some((*low, *high)),
            _ => None,
        })
    };
    let mut least = 0_i64;
    for column in [Column::Amount, Column::TodayAfter] {
        if let Some((low, high)) = span(column) {
            least = least.max(low);
            if least > high {
                return false;
            }
        }
    }
    [Column::WeekAfter, Column::MonthAfter].into_iter().filter_map(span).all(|(_, high)| least <= high)
}
