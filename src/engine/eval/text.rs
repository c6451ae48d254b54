//! Texts: templates with the values of the moment. An unknown value prints "unknown".

use std::sync::Arc;

use super::known::Known;
use super::scope::Scope;
use crate::engine::facts::Item;
use crate::engine::rule_set::{Expr, ExprKind, Part, WindowId};
use crate::engine::syntax::ast::StatKind;
use crate::engine::value::{Display, Type, Value, show};

const UNKNOWN: &str = "unknown";

/// Names and shown values of what a rule read, in the order of first reading.
pub fn render_facts(scope: &mut Scope<'_>) -> Vec<(Arc<str>, Arc<str>)> {
    let rule = scope.rule;
    rule.facts.iter().map(|(name, expr)| (name.clone(), shown(scope, expr).into())).collect()
}

/// The text of a rule; `items` are those it gathered, if it gathers.
pub fn render_say(scope: &mut Scope<'_>, items: Option<&[Arc<Item>]>) -> String {
    let rule = scope.rule;
    let mut text = String::new();
    append(scope, &rule.say.text, &mut text);
    let Some((slot, each)) = &rule.say.each else { return text };
    match items.unwrap_or_default() {
        [] => {
            if let Some(otherwise) = &rule.say.otherwise {
                text.push('\n');
                append(scope, otherwise, &mut text);
            }
        }
        items => {
            for item in items {
                if let Some(place) = scope.bound.get_mut(usize::from(slot.0)) {
                    *place = Some(item.clone());
                }
                text.push('\n');
                append(scope, each, &mut text);
            }
        }
    }
    text
}

fn append(scope: &mut Scope<'_>, parts: &[Part], text: &mut String) {
    for part in parts {
        match part {
            Part::Text(plain) => text.push_str(plain),
            Part::Value(expr) => text.push_str(&shown(scope, expr)),
            Part::Fired => text.push_str(&fired_titles(scope)),
        }
    }
}

fn fired_titles(scope: &Scope<'_>) -> String {
    let mut titles: Vec<&str> = Vec::new();
    for rule in &scope.fired {
        if let Some(rule) = scope.rules.rules.get(rule.index())
            && !titles.contains(&&*rule.title)
        {
            titles.push(&rule.title);
        }
    }
    if titles.is_empty() { UNKNOWN.to_owned() } else { titles.join(", ") }
}

impl Scope<'_> {
    /// A value as a person reads it.
    pub fn shown(&mut self, expr: &Expr) -> String {
        shown(self, expr)
    }
}

fn shown(scope: &mut Scope<'_>, expr: &Expr) -> String {
    if expr.ty == Type::Flag
        && !matches!(expr.kind, ExprKind::Signal(_) | ExprKind::Field(..) | ExprKind::Const(_))
    {
        return scope.truth(expr).word().to_owned();
    }
    let known = scope.value(expr);
    let fine = is_fine(scope, expr, &known);
    // An all-day item's instant is shown as its date.
    let value = match scope.all_day(expr) {
        Some(date) => Ok(Value::Date(date)),
        None => known.and_then(|known| known.into_value(expr.ty)),
    };
    match value {
        Ok(value) => {
            let display = Display {
                units: &scope.rules.units,
                zone: scope.default_zone(),
                today: scope.facts.today.0,
                extra_decimals: u8::from(fine),
            };
            show(&value, if matches!(value, Value::Date(_)) { Type::Date } else { expr.ty }, &display)
        }
        Err(_) => UNKNOWN.to_owned(),
    }
}

/// Means are shown with one decimal more; so is a median that falls between two steps.
fn is_fine(scope: &Scope<'_>, expr: &Expr, known: &Result<Known, super::Missing>) -> bool {
    let Some(kind) = statistic(scope, expr) else { return false };
    let whole = matches!(known, Ok(Known::Number(number)) if number.now.as_whole().is_some());
    match kind {
        StatKind::Mean | StatKind::Sd | StatKind::Spread => true,
        StatKind::Median | StatKind::Percentile(_) => !whole,
        _ => false,
    }
}

fn statistic(scope: &Scope<'_>, expr: &Expr) -> Option<StatKind> {
    match &expr.kind {
        ExprKind::Window { window: WindowId(id), .. } => Some(scope.rules.windows.get(*id as usize)?.kind),
        ExprKind::Let(id) => statistic(scope, &scope.rule.lets.get(usize::from(id.0))?.expr),
        _ => None,
    }
}
