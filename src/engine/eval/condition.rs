//! Conditions: every part is judged, so that the trace knows each.

use std::cmp::Ordering;

use super::known::{Known, Missing, Timed};
use super::scope::{Guard, Scope};
use super::truth::Truth;
use crate::engine::record::{Scalar, SignalId};
use crate::engine::rule_set::{Expr, ExprKind, RuleId, Source};
use crate::engine::syntax::ast::{CompareOp, Fold, Gap};
use crate::engine::time::{Date, Instant, MS_PER_DAY, Zone};
use crate::engine::value::{Ratio, Type};

impl Scope<'_> {
    /// The verdict of a condition.
    pub fn truth(&mut self, expr: &Expr) -> Truth {
        self.try_truth(expr).unwrap_or(Truth::Unknown)
    }

    fn try_truth(&mut self, expr: &Expr) -> Result<Truth, Missing> {
        self.burn()?;
        Ok(match &expr.kind {
            ExprKind::Compare(op, left, right) => self.compare(*op, left, right)?,
            ExprKind::And(parts) => parts.iter().fold(Truth::True, |sum, part| sum.and(self.truth(part))),
            ExprKind::Or(parts) => parts.iter().fold(Truth::False, |sum, part| sum.or(self.truth(part))),
            ExprKind::Not(part) => self.truth(part).negate(),
            ExprKind::AtLeast(least, parts) => self.at_least(*least, parts),
            ExprKind::Between(value, low, high) => {
                let above = self.compare(CompareOp::GreaterEq, value, low);
                let below = self.compare(CompareOp::LessEq, value, high);
                above.unwrap_or_default().and(below.unwrap_or_default())
            }
            ExprKind::In(value, set) => self.in_set(value, set)?,
            ExprKind::HasList(text, list) => {
                let text = self.text(text)?;
                self.rules.lists.get(list.index()).is_some_and(|list| list.matcher.matches(&text)).into()
            }
            ExprKind::HasText(text, matcher) => matcher.matches(&self.text(text)?).into(),
            ExprKind::IsMissing(value) => self.value(value).is_err().into(),
            ExprKind::Nothing(sources, length) => self.nothing(sources, *length),
            ExprKind::Fired(rules) => self.fired_today(rules),
            ExprKind::Join(join) => self.join(join)?,
            ExprKind::Let(id) => match self.rule.lets.get(usize::from(id.0)) {
                Some(definition) => self.truth(&definition.expr),
                None => Truth::Unknown,
            },
            _ => match self.value(expr)? {
                Known::Flag(flag) => flag.into(),
                Known::Number(_) | Known::Text(_) => Truth::Unknown,
            },
        })
    }

    fn text(&mut self, expr: &Expr) -> Result<std::sync::Arc<str>, Missing> {
        match self.value(expr)? {
            Known::Text(text) => Ok(text),
            Known::Number(_) | Known::Flag(_) => Err(Missing::Absent),
        }
    }

    fn at_least(&mut self, least: u32, parts: &[Expr]) -> Truth {
        let (mut yes, mut open) = (0_u32, 0_u32);
        for part in parts {
            match self.truth(part) {
                Truth::True => yes = yes.saturating_add(1),
                Truth::Unknown => open = open.saturating_add(1),
                Truth::False => {}
            }
        }
        if yes >= least {
            Truth::True
        } else if yes.saturating_add(open) < least {
            Truth::False
        } else {
            Truth::Unknown
        }
    }

    fn in_set(&mut self, value: &Expr, set: &[Expr]) -> Result<Truth, Missing> {
        let value = self.value(value)?;
        let mut sum = Truth::False;
        for entry in set {
            let same = match (self.value(entry), &value) {
                (Ok(Known::Number(entry)), Known::Number(value)) => {
                    self.holds(CompareOp::Equal, *value, entry).map(Truth::from)
                }
                (entry, value) => entry.map(|entry| (entry == *value).into()),
            };
            sum = sum.or(same.unwrap_or_default());
        }
        Ok(sum)
    }

    pub(super) fn compare(&mut self, op: CompareOp, left: &Expr, right: &Expr) -> Result<Truth, Missing> {
        if let (ExprKind::Signal(signal), true) = (&left.kind, left.ty != Type::Number) {
            return self.compare_signal(op, *signal, right, false);
        }
        if let (ExprKind::Signal(signal), true) = (&right.kind, right.ty != Type::Number) {
            return self.compare_signal(op, *signal, left, true);
        }
        match (left.ty, right.ty) {
            (Type::Instant, Type::Clock) => return self.compare_clock(op, left, right),
            (Type::Instant, Type::Date) => return self.compare_date(op, left, right),
            _ => {}
        }
        // Both sides are read even if one is missing, so that edges and guards are complete.
        let (left, right) = (self.value(left), self.value(right));
        match (left?, right?) {
            (Known::Number(left), Known::Number(right)) => self.holds(op, left, right).map(Truth::from),
            (left, right) => Ok(match op {
                CompareOp::Equal => (left == right).into(),
                CompareOp::NotEqual => (left != right).into(),
                _ => Truth::Unknown,
            }),
        }
    }

    /// A signal against something that does not read it: the answer stands within a range of its values.
    fn compare_signal(
        &mut self,
        op: CompareOp,
        signal: SignalId,
        other: &Expr,
        flipped: bool,
    ) -> Result<Truth, Missing> {
        let op = if flipped { mirrored(op) } else { op };
        // A constant is nearly always on the other side of text and flags, a number of a quantity.
        let other_ty = other.ty;
        if matches!(other_ty, Type::Text | Type::Word | Type::Flag) {
            return self.compare_words(op, signal, other);
        }
        let bound = self.number(other);
        let read = self.fresh_steps(signal);
        let (Ok(steps), Ok(bound)) = (&read, &bound) else {
            self.guard(signal, if bound.is_err() { Guard::OPEN } else { Guard::SHUT });
            read?;
            bound?;
            return Ok(Truth::Unknown);
        };
        let truth = self.holds(op, Timed::whole(*steps), *bound)?;
        self.guard(signal, stands(op, *steps, bound.now, bound.moves()));
        Ok(truth.into())
    }

    /// As [`Scope::compare_signal`], for text, words and flags.
    fn compare_words(&mut self, op: CompareOp, signal: SignalId, other: &Expr) -> Result<Truth, Missing> {
        let other = self.value(other);
        let read = self.fresh_reading(signal);
        self.guard(signal, if other.is_err() { Guard::OPEN } else { Guard::SHUT });
        match (read?, other?) {
            (Scalar::Text(text), Known::Text(other)) => Ok(equality(op, text == other)),
            (Scalar::Flag(flag), Known::Flag(other)) => Ok(equality(op, flag == other)),
            _ => Ok(Truth::Unknown),
        }
    }

    /// An instant's local clock time against a clock time.
    fn compare_clock(&mut self, op: CompareOp, left: &Expr, right: &Expr) -> Result<Truth, Missing> {
        if self.all_day(left).is_some() {
            return Err(Missing::AllDay);
        }
        let (instant, clock) = (self.number(left)?, self.number(right)?);
        let zone = self.default_zone();
        let local = zone.local(whole_instant(instant));
        if instant.moves() {
            self.clock_edges(zone, clock);
        }
        self.holds(op, Timed::whole(local.ms_of_day), clock).map(Truth::from)
    }

    /// When the wall clock passes a clock time today, the next midnight, and the day's clock change if any.
    fn clock_edges(&mut self, zone: Zone, clock: Timed) {
        let (date, start, end) = self.facts.today;
        self.edge(end);
        let ms = i64::try_from(clock.now.num().div_euclid(clock.now.den())).unwrap_or(0);
        for turn in zone.resolve(date, ms, Gap::After, Fold::Both).instants() {
            self.edge(turn);
            self.edge(Instant(turn.0.saturating_add(1)));
        }
        if end.0.saturating_sub(start.0) != MS_PER_DAY
            && let Some(change) = zone.next_transition(start)
        {
            self.edge(change.at);
        }
    }

    /// An instant's local date against a date.
    fn compare_date(&mut self, op: CompareOp, left: &Expr, right: &Expr) -> Result<Truth, Missing> {
        let (instant, date) = (self.number(left)?, self.number(right)?);
        if instant.moves() {
            self.edge(self.facts.today.2);
        }
        let Date(local) = self.default_zone().date(whole_instant(instant));
        self.holds(op, Timed::whole(i64::from(local)), date).map(Truth::from)
    }

    /// A comparison of numbers; notes when it turns if they move against each other.
    pub(super) fn holds(&mut self, op: CompareOp, left: Timed, right: Timed) -> Result<bool, Missing> {
        if left.moves() || right.moves() {
            self.note_turn(left, right)?;
        }
        Ok(in_order(op, left.now.cmp(&right.now)))
    }

    /// The difference reaches zero after `-difference / slope` milliseconds, and leaves it one later.
    fn note_turn(&mut self, left: Timed, right: Timed) -> Result<(), Missing> {
        let gap = left.now.checked_sub(right.now).ok_or(Missing::Overflow)?;
        let slope = left.slope.checked_sub(right.slope).ok_or(Missing::Overflow)?;
        if slope.num() == 0 {
            return Ok(());
        }
        if gap.num() == 0 {
            self.edge(Instant(self.facts.now.0.saturating_add(1)));
            return Ok(());
        }
        let wait = gap.checked_neg().and_then(|gap| gap.checked_div(slope)).ok_or(Missing::Overflow)?;
        if wait.num() > 0 {
            let whole =
                wait.num().div_euclid(wait.den()).saturating_add(i128::from(wait.num() % wait.den() != 0));
            let whole = i64::try_from(whole).unwrap_or(i64::MAX);
            self.edge(Instant(self.facts.now.0.saturating_add(whole)));
        }
        Ok(())
    }

    /// Nothing from any of them since the length ago; two-valued.
    fn nothing(&mut self, sources: &[Source], length: i64) -> Truth {
        let last = sources.iter().filter_map(|source| match source {
            Source::Signal(id) => self.signal(*id).and_then(|facts| facts.last_arrival()),
            Source::Stream(id) => self.facts.arrivals.streams.get(id.0 as usize).copied().flatten(),
        });
        let last = last.max().unwrap_or(self.facts.arrivals.since).max(self.facts.arrivals.since);
        let due = Instant(last.0.saturating_add(length));
        self.edge(due);
        (self.facts.now >= due).into()
    }

    fn fired_today(&mut self, rules: &[RuleId]) -> Truth {
        let (_, start, end) = self.facts.today;
        let mut any = false;
        for rule in rules {
            let fired = self.facts.fired.get(rule.index()).copied().flatten();
            if fired.is_some_and(|at| at >= start) {
                any = true;
                self.fired.push(*rule);
            }
        }
        if any {
            self.edge(end);
        }
        any.into()
    }
}

fn whole_instant(number: Timed) -> Instant {
    Instant(i64::try_from(number.now.num().div_euclid(number.now.den())).unwrap_or(i64::MAX))
}

fn equality(op: CompareOp, equal: bool) -> Truth {
    match op {
        CompareOp::Equal => equal.into(),
        CompareOp::NotEqual => (!equal).into(),
        _ => Truth::Unknown,
    }
}

/// Whether a comparison is true of two values in this order.
pub(super) fn in_order(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Less | CompareOp::Before => order.is_lt(),
        CompareOp::LessEq => order.is_le(),
        CompareOp::Greater | CompareOp::After => order.is_gt(),
        CompareOp::GreaterEq => order.is_ge(),
        CompareOp::Equal => order.is_eq(),
        CompareOp::NotEqual => order.is_ne(),
    }
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessEq => CompareOp::GreaterEq,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterEq => CompareOp::LessEq,
        CompareOp::Before => CompareOp::After,
        CompareOp::After => CompareOp::Before,
        CompareOp::Equal | CompareOp::NotEqual => op,
    }
}

/// The whole numbers around `value` for which a comparison with `bound` has the same answer.
fn stands(op: CompareOp, value: i64, bound: Ratio, moves: bool) -> Guard {
    if moves {
        return Guard::SHUT;
    }
    match bound.floor() {
        Some((floor, exact)) => stands_around(op, value, floor, exact),
        None => Guard { low: value, high: value },
    }
}

/// As [`stands`], around a bound that is `floor`, or above it by less than one.
pub(super) fn stands_around(op: CompareOp, value: i64, floor: i64, exact: bool) -> Guard {
    // Below: values < bound are `..= below`; values <= bound are `..= floor`.
    let below = if exact { floor.saturating_sub(1) } else { floor };
    let low_end = match op {
        CompareOp::Less | CompareOp::GreaterEq | CompareOp::Before => below,
        CompareOp::LessEq | CompareOp::Greater | CompareOp::After => floor,
        CompareOp::Equal | CompareOp::NotEqual => return equality_range(value, floor, exact),
    };
    if value <= low_end {
        Guard { low: i64::MIN, high: low_end }
    } else {
        Guard { low: low_end.saturating_add(1), high: i64::MAX }
    }
}

fn equality_range(value: i64, floor: i64, exact: bool) -> Guard {
    if !exact {
        Guard::OPEN
    } else if value < floor {
        Guard { low: i64::MIN, high: floor.saturating_sub(1) }
    } else if value > floor {
        Guard { low: floor.saturating_add(1), high: i64::MAX }
    } else {
        Guard { low: floor, high: floor }
    }
}
