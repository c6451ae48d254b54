//! Plans: fields and their values; a plan of `rules/local/` overrides the checked-in one field by field.

use std::collections::BTreeMap;

use super::id;
use super::names::Items;
use super::types::PERCENT;
use super::world::World;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::rule_set::{PlanDef, PlanValue};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{self, ExprKind, Period, PlanField};
use crate::engine::time::Date;
use crate::engine::value::{Currency, Type};

/// What a field of a plan holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Date,
    Years,
    Money,
    MoneyPerMonth,
    Percent,
}

/// Fields in the order of the manual.
const FIELDS: &[(&str, Holds)] = &[
    ("born", Holds::Date),
    ("retire at", Holds::Years),
    ("until", Holds::Years),
    ("assets", Holds::Money),
    ("save", Holds::MoneyPerMonth),
    ("spend", Holds::MoneyPerMonth),
    ("return", Holds::Percent),
    ("inflation", Holds::Percent),
    ("withdraw", Holds::Percent),
];

/// Most years of a life that a plan looks at.
const YEARS_MAX: i64 = 150;

/// Fields of a plan by name, each with its place.
type Written<'a> = BTreeMap<&'a str, &'a PlanField>;

impl<'a> World<'a> {
    /// All plans, by name.
    pub(super) fn plans(&mut self, items: &Items<'a>) {
        let mut plans: BTreeMap<&'a str, Written<'a>> = BTreeMap::new();
        for layer in [&items.plans, &items.local_plans] {
            for plan in layer {
                let written = self.written(plan);
                plans.entry(&plan.name.node).or_default().extend(written);
            }
        }
        for (name, written) in plans {
            let before = self.report.diagnostics.len();
            let plan = self.plan(name, &written);
            if self.report.diagnostics.len() == before {
                self.names.set_index(name, self.set.plans.len());
                self.set.plans.push(plan);
            }
        }
    }

    fn written(&mut self, plan: &'a ast::Plan) -> Written<'a> {
        let mut written = Written::new();
        for field in &plan.fields {
            if let Some(first) = written.get(field.name.node.as_str()) {
                let message = format!("`{}` is written twice", field.name.node);
                let error = Diagnostic::error(id::DUPLICATE_NAME, field.name.span, message);
                self.report.push(error.related(first.name.span, "the first"));
            } else {
                written.insert(&field.name.node, field);
            }
        }
        written
    }

    fn plan(&mut self, name: &str, written: &Written<'a>) -> PlanDef {
        for (word, field) in written {
            if *word != "currency" && !FIELDS.iter().any(|(known, _)| known == word) {
                let known = FIELDS.iter().map(|(known, _)| *known).chain(["currency"]);
                let error = self.report.unknown(field.name.span, "field", word, known);
                self.report.push(error);
            }
        }
        let mut currency = written.get("currency").and_then(|field| self.plan_currency(field));
        let mut fields = Vec::new();
        for (word, holds) in FIELDS {
            let Some(field) = written.get(word) else { continue };
            self.plan_period(field, *holds);
            if let Some(value) = self.plan_value(&field.value, *holds, &mut currency) {
                fields.push((*word, value));
            }
        }
        let years = |wanted: &str| {
            fields.iter().find_map(|(word, value)| match value {
                PlanValue::Years(years) if *word == wanted => Some(*years),
                _ => None,
            })
        };
        if let (Some(retire), Some(until), Some(field)) =
            (years("retire at"), years("until"), written.get("until"))
            && until < retire
        {
            let message = format!("the plan ends at {until}, before retiring at {retire}");
            self.report.push(Diagnostic::error(id::BAD_VALUE, field.value.span, message));
        }
        PlanDef { name: name.into(), currency, fields }
    }

    fn plan_currency(&mut self, field: &PlanField) -> Option<Currency> {
        let span = field.value.span;
        let ExprKind::Path(code) = &field.value.kind else {
            return self.report.error(id::BAD_VALUE, span, "a currency is needed, such as `CAD`");
        };
        self.currency(code, span)
    }

    fn plan_period(&mut self, field: &PlanField, holds: Holds) {
        let monthly = matches!(&field.per, Some(per) if per.node == Period::Month);
        match (holds, &field.per) {
            (Holds::MoneyPerMonth, _) if !monthly => {
                let message = format!("`{}` is an amount a month", field.name.node);
                let span = field.per.as_ref().map_or(field.value.span, |per| per.span);
                self.missing::<()>(span, message, "write `per month` after the amount");
            }
            (Holds::MoneyPerMonth, _) | (_, None) => {}
            (_, Some(per)) => {
                let message = format!("`{}` has no period", field.name.node);
                self.report.push(Diagnostic::error(id::OUT_OF_PLACE, per.span, message));
            }
        }
    }

    fn plan_value(
        &mut self,
        value: &ast::Expr,
        holds: Holds,
        currency: &mut Option<Currency>,
    ) -> Option<PlanValue> {
        let span = value.span;
        match (holds, &value.kind) {
            (Holds::Date, ExprKind::Date(date)) => match Date::of_literal(*date) {
                Some(date) => Some(PlanValue::Date(date)),
                None => self.report.error(id::BAD_VALUE, span, "there is no such date"),
            },
            (Holds::Years, ExprKind::Number(number)) => {
                let years = self.steps(*number, 0, "years", span)?;
                match u32::try_from(years) {
                    Ok(found) if years <= YEARS_MAX => Some(PlanValue::Years(found)),
                    _ => {
                        self.report.error(id::BAD_VALUE, span, format!("years lie between 0 and {YEARS_MAX}"))
                    }
                }
            }
            (Holds::Percent, ExprKind::Quantity(..)) => {
                self.literal_steps(Type::Quantity(PERCENT), value).map(PlanValue::Percent)
            }
            (Holds::Money | Holds::MoneyPerMonth, ExprKind::Quantity(_, unit)) => {
                let Some(found) = Currency::parse(&unit.node) else {
                    return self.report.error(
                        id::UNIT_MISMATCH,
                        unit.span,
                        "an amount with its currency is needed",
                    );
                };
                let wanted = *currency.get_or_insert(found);
                self.literal_steps(Type::Money(wanted), value).map(PlanValue::Money)
            }
            _ => self.plan_mismatch(span, holds),
        }
    }

    fn plan_mismatch(&mut self, span: Span, holds: Holds) -> Option<PlanValue> {
        let needed = match holds {
            Holds::Date => "a date is needed, such as `2004-05-01`",
            Holds::Years => "whole years are needed, such as `50`",
            Holds::Money | Holds::MoneyPerMonth => {
                "an amount with its currency is needed, such as `1200 CAD`"
            }
            Holds::Percent => "a percentage is needed, such as `4%`",
        };
        self.report.error(id::UNIT_MISMATCH, span, needed)
    }
}
