//! Atoms that hold together: do they clash, and if not, a value for each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::forms::{Atom, AtomKind, Limit, Sum};
use super::linear::Stands;
use crate::engine::record::SignalId;
use crate::engine::rule_set::{RuleSet, WindowDef, WindowSpan};
use crate::engine::source::Span;
use crate::engine::value::{Ratio, Type};

/// Why atoms cannot hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// These two places say opposite things.
    Two(Span, Span),
    /// This place asks for a value outside the signal's range.
    Range(Span, SignalId),
    /// This place is never true by itself.
    Alone(Span),
}

/// An end of an interval: where, whether included, and who says so (`None`: the variable's own limits).
type End = (Ratio, bool, Option<Span>);

/// A text and who says it.
type Said = (Arc<str>, Span);

/// What is known of a number.
#[derive(Debug)]
struct Interval {
    sum: Arc<Sum>,
    low: Option<End>,
    high: Option<End>,
    not: Vec<(Ratio, Span)>,
}

/// What is known of all values.
#[derive(Debug, Default)]
struct Boxed {
    numbers: BTreeMap<String, Interval>,
    /// The text that it is, those that it is not.
    texts: BTreeMap<String, (Option<Said>, Vec<Said>)>,
    truths: BTreeMap<String, (bool, Span)>,
}

impl Boxed {
    fn new(atoms: &[Atom]) -> Result<Self, Clash> {
        let mut boxed = Self::default();
        for atom in atoms {
            match &atom.kind {
                AtomKind::Number { sum, limit, at } => boxed.number(sum, *limit, *at, atom.span)?,
                AtomKind::Text { key, is, equal } => boxed.text(key, is, *equal, atom.span)?,
                AtomKind::Truth { key, truth, .. } => boxed.truth(key, *truth, atom.span)?,
                AtomKind::False => return Err(Clash::Alone(atom.span)),
                AtomKind::True => {}
            }
        }
        Ok(boxed)
    }

    /// A comparison that holds knows its values.
    fn present(&mut self, key: &str, span: Span) -> Result<(), Clash> {
        self.truth(&format!("missing:{key}"), false, span)
    }

    fn truth(&mut self, key: &str, truth: bool, span: Span) -> Result<(), Clash> {
        match self.truths.get(key) {
            Some((known, place)) if *known != truth => Err(Clash::Two(*place, span)),
            Some(_) => Ok(()),
            None => {
                self.truths.insert(key.to_owned(), (truth, span));
                Ok(())
            }
        }
    }

    fn text(&mut self, key: &str, is: &Arc<str>, equal: bool, span: Span) -> Result<(), Clash> {
        self.present(key, span)?;
        let (known, not) = self.texts.entry(key.to_owned()).or_default();
        if equal {
            if let Some((other, place)) = known
                && other != is
            {
                return Err(Clash::Two(*place, span));
            }
            if let Some((_, place)) = not.iter().find(|(other, _)| other == is) {
                return Err(Clash::Two(*place, span));
            }
            *known = Some((Arc::clone(is), span));
        } else {
            if let Some((other, place)) = known
                && other == is
            {
                return Err(Clash::Two(*place, span));
            }
            not.push((Arc::clone(is), span));
        }
        Ok(())
    }

    fn number(&mut self, sum: &Arc<Sum>, limit: Limit, at: Ratio, span: Span) -> Result<(), Clash> {
        for (part, _) in &sum.parts {
            self.present(&part.key, span)?;
        }
        let interval = self.numbers.entry(sum.whole.key.clone()).or_insert_with(|| Interval {
            sum: Arc::clone(sum),
            low: sum.whole.limits.0.map(|low| (low, true, None)),
            high: sum.whole.limits.1.map(|high| (high, true, None)),
            not: Vec::new(),
        });
        match limit {
            Limit::Less => interval.lower_high((at, false, Some(span))),
            Limit::LessEq => interval.lower_high((at, true, Some(span))),
            Limit::Greater => interval.raise_low((at, false, Some(span))),
            Limit::GreaterEq => interval.raise_low((at, true, Some(span))),
            Limit::Equal => {
                interval.raise_low((at, true, Some(span)));
                interval.lower_high((at, true, Some(span)));
            }
            Limit::NotEqual => interval.not.push((at, span)),
        }
        interval.clash(span)
    }
}

impl Interval {
    fn lower_high(&mut self, end: End) {
        let end = if self.sum.whole.whole { whole_end(end, false) } else { end };
        let tighter = self.high.is_none_or(|high| end.0 < high.0 || (end.0 == high.0 && high.1 && !end.1));
        if tighter {
            self.high = Some(end);
        }
    }

    fn raise_low(&mut self, end: End) {
        let end = if self.sum.whole.whole { whole_end(end, true) } else { end };
        let tighter = self.low.is_none_or(|low| end.0 > low.0 || (end.0 == low.0 && low.1 && !end.1));
        if tighter {
            self.low = Some(end);
        }
    }

    fn clash(&self, latest: Span) -> Result<(), Clash> {
        let (Some(low), Some(high)) = (self.low, self.high) else { return Ok(()) };
        let empty = low.0 > high.0 || (low.0 == high.0 && !(low.1 && high.1));
        let hole = low.0 == high.0 && self.not.iter().any(|(not, _)| *not == low.0);
        if !empty && !hole {
            return Ok(());
        }
        if !empty && let Some((_, place)) = self.not.iter().find(|(not, _)| *not == low.0) {
            let other = low.2.or(high.2).unwrap_or(latest);
            return Err(Clash::Two(other, *place));
        }
        Err(match (low.2, high.2) {
            (Some(a), Some(b)) if a == b => Clash::Alone(a),
            (Some(a), Some(b)) => Clash::Two(a.min(b), a.max(b)),
            (Some(place), None) | (None, Some(place)) => match self.sum.whole.stands {
                Stands::Signal(signal) => Clash::Range(place, signal),
                _ => Clash::Alone(place),
            },
            (None, None) => Clash::Alone(latest),
        })
    }

    /// A value inside, where one can be named.
    fn inside(&self) -> Option<Ratio> {
        let one = Ratio::whole(1);
        let value = match (self.low, self.high) {
            (Some((low, true, _)), _) => low,
            (_, Some((high, true, _))) => high,
            (Some((low, ..)), Some((high, ..))) => low.checked_add(high)?.checked_div(Ratio::whole(2))?,
            (Some((low, ..)), None) => low.checked_add(one)?,
            (None, Some((high, ..))) => high.checked_sub(one)?,
            (None, None) => Ratio::ZERO,
        };
        let whole = !self.sum.whole.whole || value.as_whole().is_some();
        (whole && self.not.iter().all(|(not, _)| *not != value)).then_some(value)
    }
}

/// The nearest whole end that says the same of whole numbers.
fn whole_end((at, included, span): End, low: bool) -> End {
    let floor = at.num().div_euclid(at.den());
    let exact = at.as_whole().is_some();
    let whole = match (low, exact, included) {
        (_, true, true) | (false, false, _) => Some(floor),
        (true, ..) => floor.checked_add(1),
        (false, true, false) => floor.checked_sub(1),
    };
    match whole.and_then(|whole| Ratio::new(whole, 1)) {
        Some(whole) => (whole, true, span),
        None => (at, included, span),
    }
}

/// Why these atoms cannot hold together; `None` when nothing is proved.
pub(crate) fn clash(atoms: &[Atom]) -> Option<Clash> {
    Boxed::new(atoms).err()
}

/// A value for each number, by label, with which all atoms hold; `None` when that is not certain.
///
/// Certain are only values that do not depend on each other: signals, and baselines that end before the
/// newest value's date, one for each signal.
pub(crate) fn witness(atoms: &[Atom], set: &RuleSet) -> Option<Vec<(String, Type, Ratio)>> {
    let boxed = Boxed::new(atoms).ok()?;
    let free = |atom: &Atom| match &atom.kind {
        AtomKind::Truth { key, truth, signal } => *signal || (key.starts_with("missing:") && !truth),
        AtomKind::Text { .. } => false,
        AtomKind::Number { .. } | AtomKind::True => true,
        AtomKind::False => false,
    };
    if !atoms.iter().all(free) {
        return None;
    }
    let mut parts: BTreeSet<&str> = BTreeSet::new();
    let mut baselines: BTreeSet<SignalId> = BTreeSet::new();
    let mut values = Vec::new();
    for interval in boxed.numbers.values() {
        for (part, factor) in &interval.sum.parts {
            let independent = match part.stands {
                Stands::Signal(_) => true,
                Stands::Window(window) => set
                    .windows
                    .get(window.index())
                    .is_some_and(|window| is_baseline(window) && baselines.insert(window.signal)),
                Stands::Other => false,
            };
            // Whole steps with other factors may leave out values in between.
            let dense = !part.whole || *factor == Ratio::whole(1) || *factor == Ratio::whole(-1);
            if !independent || !dense || !parts.insert(&part.key) {
                return None;
            }
        }
        let label = interval.sum.whole.label.clone();
        values.push((label, interval.sum.ty, interval.inside()?));
    }
    (!values.is_empty()).then_some(values)
}

fn is_baseline(window: &WindowDef) -> bool {
    matches!(window.span, WindowSpan::Days { with_today: false, .. })
}
