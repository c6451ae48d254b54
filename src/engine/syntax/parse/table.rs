//! Payment tables and plans: blocks whose lines are rows.

use super::definition::period;
use super::reader::{Node, Reader};
use super::{Chunk, Session};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{Cell, Decimal, ItemKind, Name, Plan, PlanField, Table, TableRow};
use crate::engine::syntax::grammar::Rule;

impl Session<'_> {
    /// A payment table; its first row holds the heads of the columns.
    pub(super) fn table(&mut self, head: &Chunk, body: &[Chunk]) -> Option<ItemKind> {
        let table = self.chunk(head, Rule::table_head, "first line", |reader, node| reader.table_head(node));
        let mut rows = Vec::with_capacity(body.len());
        let mut columns = None;
        for (index, chunk) in body.iter().enumerate() {
            if index == 0 {
                columns = self.chunk(chunk, Rule::row, "row", |reader, node| reader.columns(node));
            } else if let Some(cells) = self.chunk(chunk, Rule::row, "row", |reader, node| reader.cells(node))
            {
                rows.push(TableRow { span: self.span(chunk.start, chunk.end), cells });
            }
        }
        let mut table = table?;
        if body.is_empty() {
            let help =
                Some("the first row names the columns: `| name | seller | amount | then |`".to_owned());
            self.problems.error(table.name.span, format!("table `{}` has no rows", table.name.node), help);
        }
        table.columns = columns.unwrap_or_default();
        table.rows = rows;
        Some(ItemKind::Table(table))
    }

    /// A plan.
    pub(super) fn plan(&mut self, head: &Chunk, body: &[Chunk]) -> Option<ItemKind> {
        let name = self.chunk(head, Rule::plan_head, "first line", |reader, node| {
            reader.name(&node.into_inner().nth(1)?)
        });
        let fields = body
            .iter()
            .filter_map(|chunk| {
                self.chunk(chunk, Rule::plan_line, "line", |reader, node| reader.plan_field(node))
            })
            .collect();
        Some(ItemKind::Plan(Plan { name: name?, fields }))
    }
}

impl Reader<'_> {
    fn table_head(&mut self, node: Node<'_>) -> Option<Table> {
        let mut parts =
            node.into_inner().filter(|part| !matches!(part.as_rule(), Rule::kw_in | Rule::kw_on)).skip(1);
        let name = self.name(&parts.next()?)?;
        let currency = self.name(&parts.next()?)?;
        let stream = self.name(&parts.next()?)?;
        let first_match = match (parts.next()?, parts.next()) {
            (first, Some(last)) if first.as_rule() == Rule::kw_first => {
                Some(self.span(&first).to(self.span(&last)))
            }
            _ => None,
        };
        Some(Table { name, currency, stream, first_match, columns: Vec::new(), rows: Vec::new() })
    }

    fn columns(&mut self, node: Node<'_>) -> Option<Vec<Name>> {
        let cells = node.into_inner().filter(|part| part.as_rule() == Rule::cell);
        Some(cells.map(|cell| Name::new(words(cell.as_str()), self.span(&cell))).collect())
    }

    fn cells(&mut self, node: Node<'_>) -> Option<Vec<Spanned<Cell>>> {
        let cells = node.into_inner().filter(|part| part.as_rule() == Rule::cell);
        cells.map(|cell| self.cell(&cell)).collect()
    }

    fn cell(&mut self, node: &Node<'_>) -> Option<Spanned<Cell>> {
        let place = self.span(node);
        let text = words(node.as_str());
        let cell = match text.split(' ').collect::<Vec<_>>().as_slice() {
            ["any"] => Cell::Any,
            ["to", limit] if is_number(limit) => Cell::To(self.limit(place, limit)?),
            [low, "to", high] if is_number(low) && is_number(high) => {
                Cell::Range(self.limit(place, low)?, self.limit(place, high)?)
            }
            _ => Cell::Words(text),
        };
        Some(Spanned::new(cell, place))
    }

    fn limit(&mut self, place: crate::engine::source::Span, text: &str) -> Option<Decimal> {
        match super::literal::decimal(text) {
            Some(limit) => Some(limit),
            None => self.refuse(place, format!("`{text}` has too many digits"), ""),
        }
    }

    fn plan_field(&mut self, node: Node<'_>) -> Option<PlanField> {
        let (mut name, mut value, mut per) = (None, None, None);
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::plan_name => name = Some(Name::new(words(part.as_str()), self.span(&part))),
                Rule::plan_value => value = Some(self.literal(part.into_inner().next()?)?),
                Rule::period => per = Some(Spanned::new(period(part.as_str())?, self.span(&part))),
                _ => {}
            }
        }
        Some(PlanField { name: name?, value: value?, per })
    }
}

/// Words with one blank between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(part)
}
