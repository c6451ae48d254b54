//! Numbers as sums of variables and a constant.

use std::sync::Arc;

use crate::engine::record::SignalId;
use crate::engine::rule_set::{Expr, ExprKind, RuleDef, RuleSet, WindowId, WindowSpan};
use crate::engine::syntax::ast::{ArithOp, StatKind};
use crate::engine::value::{NUMBER_DECIMALS, Ratio, Type, Value};

/// Tenths of a percent in a whole.
const WHOLE: i64 = 1000;

/// Plain numbers are stored in millionths.
const MILLIONTHS: i128 = 10_i128.pow(NUMBER_DECIMALS as u32);

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    /// The current value of a signal.
    Signal(SignalId),
    /// A statistic.
    Window(WindowId),
    /// Something of which nothing else is known.
    Other,
}

/// A number that may have any value between its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Equal for equal expressions.
    pub(crate) key: String,
    /// For messages.
    pub(crate) label: String,
    pub(crate) stands: Stands,
    /// True when only whole steps are possible.
    pub(crate) whole: bool,
    /// Believable limits, both included.
    pub(crate) limits: (Option<Ratio>, Option<Ratio>),
}

/// `Σ factor × variable + constant`; terms by key, no factor is zero.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub(crate) terms: Vec<(Arc<Variable>, Ratio)>,
    pub(crate) constant: Ratio,
}

impl Linear {
    fn constant(value: Ratio) -> Self {
        Self { terms: Vec::new(), constant: value }
    }

    fn variable(variable: Variable) -> Self {
        Self { terms: vec![(Arc::new(variable), Ratio::whole(1))], constant: Ratio::ZERO }
    }

    /// The difference.
    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times(Ratio::whole(-1))?)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (variable, factor) in &other.terms {
            match terms.binary_search_by(|(known, _)| known.key.cmp(&variable.key)) {
                Ok(at) => {
                    let slot = terms.get_mut(at)?;
                    slot.1 = slot.1.checked_add(*factor)?;
                }
                Err(at) => terms.insert(at, (Arc::clone(variable), *factor)),
            }
        }
        terms.retain(|(_, factor)| *factor != Ratio::ZERO);
        Some(Self { terms, constant: self.constant.checked_add(other.constant)? })
    }

    fn times(&self, factor: Ratio) -> Option<Self> {
        if factor == Ratio::ZERO {
            return Some(Self::constant(Ratio::ZERO));
        }
        let scaled =
            |(variable, old): &(Arc<Variable>, Ratio)| Some((Arc::clone(variable), old.checked_mul(factor)?));
        let terms = self.terms.iter().map(scaled).collect::<Option<Vec<_>>>()?;
        Some(Self { terms, constant: self.constant.checked_mul(factor)? })
    }

    fn as_constant(&self) -> Option<Ratio> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// Linear forms of a rule's values.
#[derive(Debug)]
pub(crate) struct Forms<'s> {
    pub(super) set: &'s RuleSet,
    pub(super) rule: &'s RuleDef,
    /// One for each `let`, in their order; `None` for conditions.
    lets: Vec<Option<Linear>>,
}

impl<'s> Forms<'s> {
    pub(super) fn new(set: &'s RuleSet, rule: &'s RuleDef) -> Self {
        let mut forms = Self { set, rule, lets: Vec::with_capacity(rule.lets.len()) };
        for def in &rule.lets {
            let form = if def.expr.ty == Type::Flag { None } else { forms.linear(&def.expr) };
            let form = form.map(|form| forms.named(form, &def.name));
            forms.lets.push(form);
        }
        forms
    }

    /// A `let` that is one variable lends its name to it.
    fn named(&self, mut form: Linear, name: &str) -> Linear {
        if let [(variable, factor)] = form.terms.as_mut_slice()
            && *factor == Ratio::whole(1)
            && form.constant == Ratio::ZERO
            && !matches!(variable.stands, Stands::Signal(_))
        {
            *variable = Arc::new(Variable { label: name.to_owned(), ..(**variable).clone() });
        }
        form
    }

    /// The linear form of a value; what is not linear is a variable of its own.
    pub(super) fn linear(&self, expr: &Expr) -> Option<Linear> {
        match &expr.kind {
            ExprKind::Const(value) => constant(value).map(Linear::constant),
            ExprKind::Let(index) => self.lets.get(usize::from(index.0)).cloned().flatten(),
            ExprKind::Arith(op, a, b) => {
                let (left, right) = (self.linear(a)?, self.linear(b)?);
                match (op, left.as_constant(), right.as_constant()) {
                    (ArithOp::Add, ..) => left.plus(&right),
                    (ArithOp::Sub, ..) => left.minus(&right),
                    (ArithOp::Mul, Some(factor), _) => right.times(factor),
                    (ArithOp::Mul, _, Some(factor)) => left.times(factor),
                    (ArithOp::Div, _, Some(by)) => left.times(Ratio::whole(1).checked_div(by)?),
                    _ => self.opaque(expr),
                }
            }
            ExprKind::PercentOf(percent, of) => match self.linear(percent)?.as_constant() {
                Some(percent) => self.linear(of)?.times(percent.checked_div(Ratio::whole(WHOLE))?),
                None => self.opaque(expr),
            },
            ExprKind::AsPercentOf(of, whole) => match self.linear(whole)?.as_constant() {
                Some(whole) => self.linear(of)?.times(Ratio::whole(WHOLE).checked_div(whole)?),
                None => self.opaque(expr),
            },
            _ => self.opaque(expr),
        }
    }

    fn opaque(&self, expr: &Expr) -> Option<Linear> {
        let mut key = String::new();
        key_of(expr, &mut key)?;
        let (label, stands, whole, limits) = self.known(expr);
        Some(Linear::variable(Variable { key, label, stands, whole, limits }))
    }

    fn known(&self, expr: &Expr) -> (String, Stands, bool, (Option<Ratio>, Option<Ratio>)) {
        let zero = (Some(Ratio::ZERO), None);
        match &expr.kind {
            ExprKind::Signal(signal) => {
                let def = self.set.signals.get(signal.0 as usize);
                let label = def.map_or(String::new(), |def| def.name.to_string());
                (label, Stands::Signal(*signal), expr.ty != Type::Number, self.range(*signal))
            }
            ExprKind::SignalAge(signal) => {
                let def = self.set.signals.get(signal.0 as usize);
                (def.map_or(String::new(), |def| format!("{} age", def.name)), Stands::Other, false, zero)
            }
            ExprKind::ItemAge(_) => ("the age".to_owned(), Stands::Other, false, (None, None)),
            ExprKind::Field(slot, field) => {
                let slot = self.rule.slots.get(usize::from(slot.0));
                let stream = slot.and_then(|(_, stream)| self.set.streams.get(stream.0 as usize));
                let field = stream.and_then(|stream| stream.fields.get(usize::from(*field)));
                let label = match (slot, field) {
                    (Some((item, _)), Some((field, _))) => format!("{item}.{field}"),
                    _ => String::new(),
                };
                (label, Stands::Other, false, (None, None))
            }
            ExprKind::Window { window, otherwise, .. } => self.window(*window, otherwise.is_some()),
            _ => ("the value".to_owned(), Stands::Other, false, (None, None)),
        }
    }

    fn window(
        &self,
        id: WindowId,
        otherwise: bool,
    ) -> (String, Stands, bool, (Option<Ratio>, Option<Ratio>)) {
        let label = "the statistic".to_owned();
        let Some(window) = self.set.windows.get(id.index()) else {
            return (label, Stands::Other, false, (None, None));
        };
        let limits = match window.kind {
            // The value of `else` need not lie where the statistic does.
            _ if otherwise => (None, None),
            StatKind::Median
            | StatKind::Mean
            | StatKind::Min
            | StatKind::Max
            | StatKind::Last
            | StatKind::Percentile(_) => self.range(window.signal),
            StatKind::Sd | StatKind::Spread => (Some(Ratio::ZERO), None),
            StatKind::Count => match window.span {
                WindowSpan::Days { days, .. } => (Some(Ratio::ZERO), Some(Ratio::whole(i64::from(days)))),
                WindowSpan::Within(_) => (Some(Ratio::ZERO), None),
            },
            StatKind::Sum => (None, None),
        };
        (label, Stands::Window(id), false, limits)
    }

    fn range(&self, signal: SignalId) -> (Option<Ratio>, Option<Ratio>) {
        let Some(def) = self.set.signals.get(signal.0 as usize) else { return (None, None) };
        let scale = if def.ty == Type::Number { MILLIONTHS } else { 1 };
        let limit = |steps: i64| Ratio::new(i128::from(steps), scale);
        def.range.map_or((None, None), |(low, high)| (limit(low), limit(high)))
    }
}

/// A constant as a number: instants in milliseconds, dates in days.
fn constant(value: &Value) -> Option<Ratio> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Instant(instant) => Some(Ratio::whole(instant.0)),
        Value::Date(date) => Some(Ratio::whole(i64::from(date.0))),
        Value::Clock(ms) => Some(Ratio::whole(*ms)),
        Value::Text(_) | Value::Flag(_) => None,
    }
}

/// Writes a text that is equal for expressions that always have the same value; `None` for those that are
/// not known well enough.
pub(super) fn key_of(expr: &Expr, key: &mut String) -> Option<()> {
    use std::fmt::Write as _;
    let written = match &expr.kind {
        ExprKind::Const(value) => write!(key, "{value:?}"),
        ExprKind::Signal(signal) => write!(key, "signal{}", signal.0),
        ExprKind::SignalAge(signal) => write!(key, "age{}", signal.0),
        ExprKind::ItemAge(slot) => write!(key, "item{}", slot.0),
        ExprKind::Field(slot, field) => write!(key, "field{}.{field}", slot.0),
        ExprKind::Let(index) => write!(key, "let{}", index.0),
        ExprKind::Now => write!(key, "now"),
        ExprKind::Window { window, needs, .. } => write!(key, "window{}/{needs}", window.0),
        ExprKind::Arith(op, ..) => write!(key, "{op:?}"),
        ExprKind::PercentOf(..) => write!(key, "percent"),
        ExprKind::AsPercentOf(..) => write!(key, "share"),
        ExprKind::Larger(..) => write!(key, "larger"),
        ExprKind::Smaller(..) => write!(key, "smaller"),
        ExprKind::Script(function, _) => write!(key, "script{}", function.0),
        ExprKind::Builtin(row, _) => write!(key, "builtin{row}"),
        ExprKind::HasList(_, list) => write!(key, "has{}", list.0),
        ExprKind::HasText(_, matcher) => write!(key, "has{matcher:?}"),
        ExprKind::Fired(rules) => write!(key, "fired{rules:?}"),
        ExprKind::Nothing(sources, ms) => write!(key, "nothing{sources:?}{ms}"),
        _ => return None,
    };
    written.ok()?;
    let mut parts = Some(());
    key.push('(');
    expr.each_part(&mut |part| {
        if parts.is_some() {
            parts = key_of(part, key);
        }
        key.push(',');
    });
    key.push(')');
    parts
}
