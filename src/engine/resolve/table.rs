//! Payment tables: columns, cells and rulings. Whether a table leaves something open is a lint's business.

use std::sync::Arc;

use super::id;
use super::names::Items;
use super::world::World;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::record::StreamId;
use crate::engine::rule_set::{CellMatch, CellTest, Column, Ruling, TableDef, TableRowDef};
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{self, Cell, Name};
use crate::engine::value::{Currency, Type};

/// What a column of a table is.
#[derive(Clone, Debug)]
enum Head {
    Name,
    Test(Column),
    Then,
}

/// Words of columns that every table may have.
const HEADS: &[&str] = &["name", "amount", "today after", "week after", "month after", "then"];

impl<'a> World<'a> {
    /// All payment tables.
    pub(super) fn tables(&mut self, items: &Items<'a>) {
        for (table, span) in &items.tables {
            let before = self.report.diagnostics.len();
            let found = self.table(table, *span);
            if let (Some(def), true) = (found, self.report.diagnostics.len() == before) {
                self.names.set_index(&table.name.node, self.set.tables.len());
                self.set.tables.push(def);
            }
        }
    }

    fn table(&mut self, table: &'a ast::Table, span: Span) -> Option<TableDef> {
        let currency = self.currency(&table.currency.node, table.currency.span);
        let stream = self.find_stream(&table.stream);
        let (currency, stream) = (currency?, stream?);
        self.amount_field(table, stream, currency);
        let heads: Vec<Option<Head>> = table.columns.iter().map(|head| self.head(head, stream)).collect();
        self.then_column(table);
        let heads: Vec<Head> = heads.into_iter().collect::<Option<_>>()?;
        let rows: Vec<Option<TableRowDef>> = table
            .rows
            .iter()
            .enumerate()
            .map(|(index, row)| self.table_row((index, row), &heads, currency))
            .collect();
        Some(TableDef {
            name: table.name.node.as_str().into(),
            currency,
            stream,
            first_match: table.first_match.is_some(),
            rows: rows.into_iter().collect::<Option<_>>()?,
            span,
        })
    }

    /// The stream must carry an amount in the table's currency.
    fn amount_field(&mut self, table: &ast::Table, stream: StreamId, currency: Currency) {
        let Some(def) = self.set.streams.get(stream.0 as usize) else { return };
        let amount = def.fields.iter().find(|(name, _)| &**name == "amount").map(|(_, ty)| *ty);
        let place = table.stream.span;
        match amount {
            Some(Type::Money(found)) if found == currency => {}
            Some(ty) => {
                let code = currency.code();
                let message = format!(
                    "`amount` of `{}` is {}, and the table is in `{code}`",
                    def.name,
                    self.describe(ty)
                );
                self.report.push(Diagnostic::error(id::UNIT_MISMATCH, place, message));
            }
            None => {
                let error = Diagnostic::error(
                    id::MISSING_PART,
                    place,
                    format!("`{}` has no field `amount`", def.name),
                );
                self.report.push(error.help(format!("add `amount {}` to its fields", currency.code())));
            }
        }
    }

    fn head(&mut self, head: &Name, stream: StreamId) -> Option<Head> {
        let column = match head.node.as_str() {
            "name" => return Some(Head::Name),
            "then" => return Some(Head::Then),
            "amount" => Column::Amount,
            "today after" => Column::TodayAfter,
            "week after" => Column::WeekAfter,
            "month after" => Column::MonthAfter,
            word => return self.field_column(head, word, stream),
        };
        if column != Column::Amount {
            self.report.needs_zone(head.span);
        }
        Some(Head::Test(column))
    }

    fn field_column(&mut self, head: &Name, word: &str, stream: StreamId) -> Option<Head> {
        let def = self.set.streams.get(stream.0 as usize)?;
        let index = def.fields.iter().position(|(name, _)| &**name == word);
        match index.and_then(|index| Some((index, def.fields.get(index)?.1))) {
            Some((index, Type::Text | Type::Word)) => {
                Some(Head::Test(Column::Field(u16::try_from(index).ok()?)))
            }
            Some((_, ty)) => {
                let message = format!("a column is a word or a text, and `{word}` is {}", self.describe(ty));
                self.report.error(id::UNIT_MISMATCH, head.span, message)
            }
            None => {
                let known = def.fields.iter().map(|(name, _)| &**name).chain(HEADS.iter().copied());
                let error = self.report.unknown(head.span, "column", word, known);
                self.report.fail(error)
            }
        }
    }

    /// `then` must be there, once, and last.
    fn then_column(&mut self, table: &ast::Table) {
        let mut seen: Vec<&Name> = Vec::new();
        for head in &table.columns {
            if let Some(first) = seen.iter().find(|seen| seen.node == head.node) {
                let message = format!("two columns are called `{}`", head.node);
                let error = Diagnostic::error(id::DUPLICATE_NAME, head.span, message);
                self.report.push(error.related(first.span, "the first"));
            }
            seen.push(head);
        }
        let Some(last) = table.columns.last().filter(|head| head.node != "then") else {
            if table.columns.is_empty() {
                self.missing::<()>(table.name.span, "the table has no columns", "its last column is `then`");
            }
            return;
        };
        let misplaced = table.columns.iter().find(|head| head.node == "then");
        match misplaced {
            Some(then) => {
                self.report.push(Diagnostic::error(
                    id::OUT_OF_PLACE,
                    then.span,
                    "`then` must be the last column",
                ));
            }
            None => {
                self.missing::<()>(
                    last.span,
                    "the table does not say what follows",
                    "add `then` as the last column",
                );
            }
        }
    }

    fn table_row(
        &mut self,
        (index, row): (usize, &'a ast::TableRow),
        heads: &[Head],
        currency: Currency,
    ) -> Option<TableRowDef> {
        if row.cells.len() != heads.len() {
            let message =
                format!("the row has {} cells, and the table {} columns", row.cells.len(), heads.len());
            return self.report.error(id::MISSING_PART, row.span, message);
        }
        let mut name: Arc<str> = format!("row {}", index.saturating_add(1)).into();
        let mut tests = Vec::new();
        let mut then = None;
        let mut whole = true;
        for (cell, head) in row.cells.iter().zip(heads) {
            match (head, &cell.node) {
                (Head::Name, Cell::Words(words)) => name = words.as_str().into(),
                (Head::Name, _) => {
                    let message = "the name of a row is one or several words";
                    self.report.push(Diagnostic::error(id::BAD_VALUE, cell.span, message));
                }
                (Head::Then, _) => then = self.ruling(cell),
                (Head::Test(_), Cell::Any) => {}
                (Head::Test(column), _) => match self.cell(column, cell, currency) {
                    Some(test) => tests.push(CellTest { column: column.clone(), test }),
                    None => whole = false,
                },
            }
        }
        let then = then?;
        whole.then_some(TableRowDef { name, tests, then, span: row.span })
    }

    fn ruling(&mut self, cell: &Spanned<Cell>) -> Option<Ruling> {
        let word = match &cell.node {
            Cell::Words(word) => word.as_str(),
            _ => "",
        };
        match word {
            "refuse" => Some(Ruling::Refuse),
            "ask" => Some(Ruling::Ask),
            "allow" => Some(Ruling::Allow),
            _ => {
                let error = Diagnostic::error(id::BAD_VALUE, cell.span, "this is not a ruling");
                self.report.fail(error.help("write `refuse`, `ask` or `allow`"))
            }
        }
    }

    fn cell(&mut self, column: &Column, cell: &Spanned<Cell>, currency: Currency) -> Option<CellMatch> {
        let (keep, code) = (currency.decimals(), currency.code());
        match (&cell.node, column) {
            (Cell::Words(word), Column::Field(_)) => Some(CellMatch::Word(word.as_str().into())),
            (Cell::Words(_), _) => {
                let error = Diagnostic::error(id::UNIT_MISMATCH, cell.span, "this column holds amounts");
                self.report.fail(error.help("write `to 0.25`, `0.10 to 0.25` or `any`"))
            }
            (_, Column::Field(_)) => {
                let error = Diagnostic::error(id::UNIT_MISMATCH, cell.span, "this column holds words");
                self.report.fail(error.help("write a word or `any`"))
            }
            (Cell::To(most), _) => {
                let most = self.steps(*most, keep, code, cell.span)?;
                self.limits(0, most, cell.span)
            }
            (Cell::Range(least, most), _) => {
                let least = self.steps(*least, keep, code, cell.span);
                let most = self.steps(*most, keep, code, cell.span);
                self.limits(least?, most?, cell.span)
            }
            (Cell::Any, _) => None,
        }
    }

    fn limits(&mut self, least: i64, most: i64, span: Span) -> Option<CellMatch> {
        if least > most || least < 0 {
            return self.report.error(id::BAD_VALUE, span, "no amount lies between these limits");
        }
        Some(CellMatch::Range(least, most))
    }
}
