//! Rows of a table and fields of a plan.

use super::expr::sum;
use super::literal::{decimal, period};
use super::{Context, Kids, Made, Rule, name};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{Cell, Name, PlanField, TableRow};

/// The heads of a table's columns.
pub(in crate::engine::syntax) fn columns(context: &Context<'_>) -> Made<Vec<Name>> {
    let mut kids = context.run(Rule::table_row)?;
    let mut names = Vec::new();
    while let Some(pair) = kids.find(Rule::cell) {
        let span = context.place(&pair);
        names.push(Spanned::new(words(pair.as_str()), span));
    }
    Ok(names)
}

/// Words with one blank between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One row of a table.
pub(in crate::engine::syntax) fn table_row(context: &Context<'_>) -> Made<TableRow> {
    let mut kids = context.run(Rule::table_row)?;
    let mut cells = Vec::new();
    while let Some(pair) = kids.find(Rule::cell) {
        let span = context.place(&pair);
        let form = Kids::of(context, pair).next()?;
        let rule = form.as_rule();
        let text = words(form.as_str());
        let mut numbers = Kids::of(context, form);
        let cell = match rule {
            Rule::cell_any => Cell::Any,
            Rule::cell_to => Cell::To(decimal(context, &numbers.need(Rule::decimal)?)?),
            Rule::cell_range => Cell::Range(
                decimal(context, &numbers.need(Rule::decimal)?)?,
                decimal(context, &numbers.need(Rule::decimal)?)?,
            ),
            _ => Cell::Words(text),
        };
        cells.push(Spanned::new(cell, span));
    }
    Ok(TableRow { span: context.whole(), cells })
}

/// One line of a plan.
pub(in crate::engine::syntax) fn plan_field(context: &Context<'_>) -> Made<PlanField> {
    let mut kids = context.run(Rule::plan_field)?;
    let head = kids.need(Rule::field_name)?;
    let name = Spanned::new(words(name(context, &head).node.as_str()), context.place(&head));
    let value = sum(context, kids.need(Rule::sum)?)?;
    let per = kids.find(Rule::period).map(|pair| period(context, &pair));
    Ok(PlanField { name, value, per })
}
