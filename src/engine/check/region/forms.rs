//! Conditions as alternatives of atoms.

use std::sync::Arc;

use super::linear::{Forms, Linear, Stands, Variable, key_of};
use crate::engine::rule_set::{Expr, ExprKind, Line, RuleDef, RuleSet};
use crate::engine::source::Span;
use crate::engine::syntax::ast::{CompareOp, Quantifier};
use crate::engine::time::MS_PER_DAY;
use crate::engine::value::{Ratio, Type, Value};

/// Most alternatives, and most steps of work; beyond, a condition is undecided.
const ALTERNATIVES_MAX: usize = 128;
const WORK_MAX: u32 = 4096;

/// How a number is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Equal,
    NotEqual,
}

/// One limit on one value.
#[derive(Clone, Debug)]
pub(crate) enum AtomKind {
    /// A number; the terms of a sum are kept to see what it depends on.
    Number { sum: Arc<Sum>, limit: Limit, at: Ratio },
    /// A text or word.
    Text { key: String, is: Arc<str>, equal: bool },
    /// A truth.
    Truth { key: String, truth: bool, signal: bool },
    /// A constant condition that is false.
    False,
    /// One that holds whenever its values are known.
    True,
}

/// A variable, or a sum of several that is looked at as one.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    pub(crate) whole: Variable,
    pub(crate) parts: Vec<(Arc<Variable>, Ratio)>,
    pub(crate) ty: Type,
}

/// An atom and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) kind: AtomKind,
    pub(crate) span: Span,
}

/// Atoms that hold together.
pub(crate) type Conjunction = Vec<Atom>;

/// Alternatives; empty means never.
type Alternatives = Vec<Conjunction>;

/// Where conditions of a rule hold.
#[derive(Debug)]
pub(crate) struct Regions<'s> {
    forms: Forms<'s>,
    work: u32,
}

impl<'s> Regions<'s> {
    pub(crate) fn new(set: &'s RuleSet, rule: &'s RuleDef) -> Self {
        Self { forms: Forms::new(set, rule), work: WORK_MAX }
    }

    /// Alternatives in which lines hold, all or any of them; `None` when undecided.
    pub(crate) fn of_lines(&mut self, lines: &[Line], any: bool) -> Option<Vec<Conjunction>> {
        let list = lines.iter().map(|line| &line.expr);
        if any { self.any(list, true) } else { self.all(list, true) }
    }

    /// Alternatives in which both hold.
    pub(crate) fn both(a: &[Conjunction], b: &[Conjunction]) -> Option<Vec<Conjunction>> {
        if a.len().checked_mul(b.len())? > ALTERNATIVES_MAX {
            return None;
        }
        let joined = a.iter().flat_map(|left| b.iter().map(move |right| [left.as_slice(), right].concat()));
        Some(joined.collect())
    }

    fn all<'e>(&mut self, list: impl Iterator<Item = &'e Expr>, truth: bool) -> Option<Alternatives> {
        let mut result = vec![Vec::new()];
        for expr in list {
            let part = self.where_is(expr, truth)?;
            result = Self::both(&result, &part)?;
        }
        Some(result)
    }

    fn any<'e>(&mut self, list: impl Iterator<Item = &'e Expr>, truth: bool) -> Option<Alternatives> {
        let mut result = Vec::new();
        for expr in list {
            result.extend(self.where_is(expr, truth)?);
            if result.len() > ALTERNATIVES_MAX {
                return None;
            }
        }
        Some(result)
    }

    /// Alternatives in which a condition is known to be true, or known to be false.
    fn where_is(&mut self, expr: &Expr, truth: bool) -> Option<Alternatives> {
        self.work = self.work.checked_sub(1)?;
        let span = expr.span;
        match &expr.kind {
            ExprKind::Const(Value::Flag(flag)) if *flag == truth => Some(vec![Vec::new()]),
            ExprKind::Const(_) => Some(vec![vec![Atom { kind: AtomKind::False, span }]]),
            ExprKind::Not(inner) => self.where_is(inner, !truth),
            ExprKind::And(list) if truth => self.all(list.iter(), true),
            ExprKind::Or(list) if !truth => self.all(list.iter(), false),
            ExprKind::And(list) | ExprKind::Or(list) => self.any(list.iter(), truth),
            ExprKind::AtLeast(least, list) => {
                let count = u32::try_from(list.len()).ok()?;
                // Not at least k are true when more than n - k are false.
                let least = if truth { *least } else { count.checked_sub(*least)?.checked_add(1)? };
                self.at_least(usize::try_from(least).ok()?, list, truth)
            }
            ExprKind::Let(index) => {
                let rule = self.forms.rule;
                let def = rule.lets.get(usize::from(index.0))?;
                self.where_is(&def.expr, truth)
            }
            ExprKind::Compare(op, a, b) => self.compare(*op, (a, b), truth, span),
            ExprKind::Between(a, low, high) => {
                let inside = [(CompareOp::GreaterEq, low), (CompareOp::LessEq, high)];
                let mut parts = Vec::new();
                for (op, end) in inside {
                    parts.push(self.compare(op, (a, end), truth, span)?);
                }
                if truth {
                    parts.iter().try_fold(vec![Vec::new()], |all, part| Self::both(&all, part))
                } else {
                    Some(parts.concat())
                }
            }
            ExprKind::In(a, list) => self.contained(a, list, truth, span),
            ExprKind::Join(join)
                if truth && matches!(join.quantifier, Quantifier::Some | Quantifier::Each) =>
            {
                match &join.filter {
                    Some(filter) => self.where_is(filter, true),
                    None => Some(vec![Vec::new()]),
                }
            }
            ExprKind::IsMissing(of) => {
                let mut key = String::new();
                match key_of(of, &mut key) {
                    Some(()) => Some(truth_of(format!("missing:{key}"), truth, false, span)),
                    None => Some(vec![Vec::new()]),
                }
            }
            _ => {
                let mut key = String::new();
                let signal = matches!(expr.kind, ExprKind::Signal(_));
                match key_of(expr, &mut key) {
                    Some(()) => Some(truth_of(key, truth, signal, span)),
                    None => Some(truth_of(format!("at {span:?}"), truth, false, span)),
                }
            }
        }
    }

    /// At least so many of the conditions are true (or false): every choice of that many.
    fn at_least(&mut self, least: usize, list: &[Expr], truth: bool) -> Option<Alternatives> {
        if least == 0 {
            return Some(vec![Vec::new()]);
        }
        let Some((first, rest)) = list.split_first() else { return Some(Vec::new()) };
        if rest.len() < least.checked_sub(1)? {
            return Some(Vec::new());
        }
        let first = self.where_is(first, truth)?;
        let fewer = self.at_least(least.checked_sub(1)?, rest, truth)?;
        let mut result = Self::both(&first, &fewer)?;
        result.extend(self.at_least(least, rest, truth)?);
        (result.len() <= ALTERNATIVES_MAX).then_some(result)
    }

    fn contained(&mut self, a: &Expr, list: &[Expr], truth: bool, span: Span) -> Option<Alternatives> {
        let mut result = if truth { Vec::new() } else { vec![Vec::new()] };
        for element in list {
            let part = self.compare(CompareOp::Equal, (a, element), truth, span)?;
            if truth {
                result.extend(part);
            } else {
                result = Self::both(&result, &part)?;
            }
        }
        (result.len() <= ALTERNATIVES_MAX).then_some(result)
    }

    fn compare(
        &mut self,
        op: CompareOp,
        (a, b): (&Expr, &Expr),
        truth: bool,
        span: Span,
    ) -> Option<Alternatives> {
        self.work = self.work.checked_sub(1)?;
        let limit = limit_of(op, truth);
        let atom = match (a.ty, b.ty) {
            (Type::Instant, Type::Clock | Type::Date) => self.part_of_instant(a, b, limit),
            (Type::Text | Type::Word, _) => text(a, b, limit),
            (Type::Flag, _) => None,
            _ => self.number(a, b, limit),
        };
        // What cannot be said as a limit does not limit anything.
        let kind = atom.unwrap_or(AtomKind::Truth { key: format!("at {span:?}"), truth, signal: false });
        Some(vec![match kind {
            AtomKind::True => Vec::new(),
            kind => vec![Atom { kind, span }],
        }])
    }

    fn number(&self, a: &Expr, b: &Expr, limit: Limit) -> Option<AtomKind> {
        let difference = self.forms.linear(a)?.minus(&self.forms.linear(b)?)?;
        number_atom(difference, limit, a.ty)
    }

    /// The clock time or the date of an instant, beside a constant.
    fn part_of_instant(&self, a: &Expr, b: &Expr, limit: Limit) -> Option<AtomKind> {
        let mut key = format!("{:?} of ", b.ty);
        key_of(a, &mut key)?;
        let other = self.forms.linear(b)?;
        let clock = b.ty == Type::Clock;
        let limits = if clock { (Some(Ratio::ZERO), Some(Ratio::whole(MS_PER_DAY))) } else { (None, None) };
        let label = String::new();
        let variable = Variable { key, label, stands: Stands::Other, whole: true, limits };
        let form = Linear { terms: vec![(Arc::new(variable), Ratio::whole(1))], constant: Ratio::ZERO };
        number_atom(form.minus(&other)?, limit, b.ty)
    }
}

fn truth_of(key: String, truth: bool, signal: bool, span: Span) -> Alternatives {
    vec![vec![Atom { kind: AtomKind::Truth { key, truth, signal }, span }]]
}

fn limit_of(op: CompareOp, truth: bool) -> Limit {
    match (op, truth) {
        (CompareOp::Less | CompareOp::Before, true) | (CompareOp::GreaterEq, false) => Limit::Less,
        (CompareOp::LessEq, true) | (CompareOp::Greater | CompareOp::After, false) => Limit::LessEq,
        (CompareOp::Greater | CompareOp::After, true) | (CompareOp::LessEq, false) => Limit::Greater,
        (CompareOp::GreaterEq, true) | (CompareOp::Less | CompareOp::Before, false) => Limit::GreaterEq,
        (CompareOp::Equal, true) | (CompareOp::NotEqual, false) => Limit::Equal,
        (CompareOp::NotEqual, true) | (CompareOp::Equal, false) => Limit::NotEqual,
    }
}

/// `form limit 0` as a limit on a variable or a sum, scaled so that the first factor is one.
fn number_atom(form: Linear, limit: Limit, ty: Type) -> Option<AtomKind> {
    let Some((first, factor)) = form.terms.first() else {
        let holds = match limit {
            Limit::Less => form.constant < Ratio::ZERO,
            Limit::LessEq => form.constant <= Ratio::ZERO,
            Limit::Greater => form.constant > Ratio::ZERO,
            Limit::GreaterEq => form.constant >= Ratio::ZERO,
            Limit::Equal => form.constant == Ratio::ZERO,
            Limit::NotEqual => form.constant != Ratio::ZERO,
        };
        return Some(if holds { AtomKind::True } else { AtomKind::False });
    };
    let at = form.constant.checked_neg()?.checked_div(*factor)?;
    let limit = if *factor < Ratio::ZERO { turned(limit) } else { limit };
    let scaled = |(variable, old): &(Arc<Variable>, Ratio)| {
        Some((Arc::clone(variable), old.checked_div(*factor)?.reduced()))
    };
    let parts = form.terms.iter().map(scaled).collect::<Option<Vec<_>>>()?;
    let whole = if parts.len() == 1 { (**first).clone() } else { sum(&parts) };
    Some(AtomKind::Number { sum: Arc::new(Sum { whole, parts, ty }), limit, at })
}

fn turned(limit: Limit) -> Limit {
    match limit {
        Limit::Less => Limit::Greater,
        Limit::LessEq => Limit::GreaterEq,
        Limit::Greater => Limit::Less,
        Limit::GreaterEq => Limit::LessEq,
        same => same,
    }
}

/// The sum as one variable, with the limits that follow from those of its parts.
fn sum(parts: &[(Arc<Variable>, Ratio)]) -> Variable {
    let mut key = String::new();
    let mut label = String::new();
    let (mut low, mut high) = (Some(Ratio::ZERO), Some(Ratio::ZERO));
    let mut steps = true;
    for (variable, factor) in parts {
        key.push_str(&format!("{}*{}/{}+", variable.key, factor.num(), factor.den()));
        let falls = *factor < Ratio::ZERO;
        label.push_str(match (label.is_empty(), falls) {
            (true, _) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        label.push_str(&variable.label);
        let (least, most) = variable.limits;
        let (least, most) = if falls { (most, least) } else { (least, most) };
        let add = |end: Option<Ratio>, limit: Option<Ratio>| end?.checked_add(limit?.checked_mul(*factor)?);
        (low, high) = (add(low, least), add(high, most));
        steps &= variable.whole && factor.as_whole().is_some();
    }
    Variable { key, label, stands: Stands::Other, whole: steps, limits: (low, high) }
}

fn text(a: &Expr, b: &Expr, limit: Limit) -> Option<AtomKind> {
    let (of, is) = match (&a.kind, &b.kind) {
        (_, ExprKind::Const(Value::Text(is))) => (a, is),
        (ExprKind::Const(Value::Text(is)), _) => (b, is),
        _ => return None,
    };
    let mut key = String::new();
    key_of(of, &mut key)?;
    Some(AtomKind::Text { key, is: Arc::clone(is), equal: limit == Limit::Equal })
}
