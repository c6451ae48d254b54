//! Values and conditions.

use pest::iterators::Pair;

use super::literal::{calendar, clock, date, duration, instant, int, quantity, text};
use super::{Context, Kids, Made, Rule, name};
use crate::engine::diagnostic::Diagnostic;
use crate::engine::source::{Span, Spanned};
use crate::engine::syntax::ast::{
    ArithOp, CompareOp, Expr, ExprKind, ItemWindow, ItemWindowKind, Join, Name, Quantifier, Stat, StatKind,
    StatWindow,
};

/// Most operands that `+ -` or `* /` may join, since each makes the tree one deeper.
const MAX_CHAIN: usize = 64;

type Node<'t> = Pair<'t, Rule>;

/// Any condition or value.
pub(super) fn or_expr(context: &Context<'_>, pair: Node<'_>) -> Made<Expr> {
    let span = context.place(&pair);
    let mut kids = Kids::of(context, pair);
    let first = not_expr(context, &mut kids)?;
    let Some(joiner) = kids.take(Rule::joiner) else { return Ok(first) };
    let word = joiner.as_str();
    let mut parts = vec![first, not_expr(context, &mut kids)?];
    while let Some(next) = kids.take(Rule::joiner) {
        if next.as_str() != word {
            return Err(mixed(context.place(&next), "`and` and `or`"));
        }
        parts.push(not_expr(context, &mut kids)?);
    }
    let kind = if word == "or" { ExprKind::Or(parts) } else { ExprKind::And(parts) };
    Ok(Expr { span, kind })
}

/// Two kinds of joiner in one group need parentheses; the place is the first joiner that differs.
fn mixed(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("syntax", span, format!("{what} are mixed")).help("put parentheses around one group")
}

/// `not … check`
fn not_expr(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Expr> {
    let mut nots = Vec::new();
    while let Some(word) = kids.take(Rule::k_not) {
        nots.push(context.place(&word));
    }
    let mut inner = check(context, kids.need(Rule::check)?)?;
    let end = inner.span;
    for span in nots.into_iter().rev() {
        inner = Expr { span: span.to(end), kind: ExprKind::Not(Box::new(inner)) };
    }
    Ok(inner)
}

fn check(context: &Context<'_>, pair: Node<'_>) -> Made<Expr> {
    let span = context.place(&pair);
    let mut kids = Kids::of(context, pair);
    let first = kids.next()?;
    let kind = match first.as_rule() {
        Rule::nothing => nothing(context, first)?,
        Rule::any_fired => {
            let list = Kids::of(context, first).need(Rule::names)?;
            ExprKind::Fired(names(context, list))
        }
        Rule::at_least => at_least(context, first)?,
        Rule::join => ExprKind::Join(Box::new(join(context, first)?)),
        _ => {
            let value = sum(context, first)?;
            match kids.next().ok() {
                None => return Ok(value),
                Some(tail) => tailed(context, value, tail, &mut kids)?,
            }
        }
    };
    Ok(Expr { span, kind })
}

/// What follows the first value of a comparison: `form`, for a comparison with its right side still to come.
fn tailed(context: &Context<'_>, left: Expr, form: Node<'_>, rest: &mut Kids<'_>) -> Made<ExprKind> {
    let rule = form.as_rule();
    let place = left.span;
    if rule == Rule::compare_op {
        let right = sum(context, rest.need(Rule::sum)?)?;
        return Ok(ExprKind::Compare(compare_op(form.as_str()), Box::new(left), Box::new(right)));
    }
    let mut kids = Kids::of(context, form);
    let left = Box::new(left);
    Ok(match rule {
        Rule::fired => match left.kind {
            ExprKind::Path(rule) => ExprKind::Fired(vec![Spanned::new(rule, place)]),
            _ => return Err(Diagnostic::error("syntax", place, "expected a rule's name before `fired`")),
        },
        Rule::has => ExprKind::Has(left, Box::new(sum(context, kids.need(Rule::sum)?)?)),
        Rule::within => {
            let low = Box::new(sum(context, kids.need(Rule::sum)?)?);
            match kids.find(Rule::sum) {
                Some(high) => ExprKind::Between(left, low, Box::new(sum(context, high)?)),
                None => ExprKind::In(left, low),
            }
        }
        _ => {
            let negated = kids.find(Rule::k_not).is_some();
            if negated {
                let span = place.to(kids.span);
                ExprKind::Not(Box::new(Expr { span, kind: ExprKind::IsMissing(left) }))
            } else {
                ExprKind::IsMissing(left)
            }
        }
    })
}

fn compare_op(text: &str) -> CompareOp {
    match text {
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessEq,
        ">" => CompareOp::Greater,
        ">=" => CompareOp::GreaterEq,
        "!=" => CompareOp::NotEqual,
        "before" => CompareOp::Before,
        "after" => CompareOp::After,
        _ => CompareOp::Equal,
    }
}

fn nothing(context: &Context<'_>, pair: Node<'_>) -> Made<ExprKind> {
    let mut kids = Kids::of(context, pair);
    let sources = names(context, kids.need(Rule::names)?);
    Ok(ExprKind::Nothing(sources, duration(context, &kids.need(Rule::duration)?)?))
}

/// `a, b`
pub(super) fn names(context: &Context<'_>, pair: Node<'_>) -> Vec<Name> {
    pair.into_inner().filter(|kid| kid.as_rule() == Rule::name).map(|kid| name(context, &kid)).collect()
}

fn at_least(context: &Context<'_>, pair: Node<'_>) -> Made<ExprKind> {
    let mut kids = Kids::of(context, pair);
    let count = int(context, &kids.need(Rule::int)?)?;
    let mut conditions = Vec::new();
    while let Some(kid) = kids.find(Rule::or_expr) {
        conditions.push(or_expr(context, kid)?);
    }
    Ok(ExprKind::AtLeast(count, conditions))
}

fn join(context: &Context<'_>, pair: Node<'_>) -> Made<Join> {
    let mut kids = Kids::of(context, pair);
    let word = kids.need(Rule::quantifier)?;
    let quantifier = match word.as_str() {
        "each" => Quantifier::Each,
        "no" => Quantifier::No,
        "every" => Quantifier::Every,
        _ => Quantifier::Some,
    };
    Ok(Join {
        quantifier: Spanned::new(quantifier, context.place(&word)),
        var: kids.name()?,
        stream: kids.name()?,
        window: window(context, &mut kids)?,
        filter: filter(context, &mut kids)?,
    })
}

/// Which items, if it comes next.
pub(super) fn window(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Option<Spanned<ItemWindow>>> {
    let Some(pair) = kids.take(Rule::item_window) else { return Ok(None) };
    let span = context.place(&pair);
    let mut parts = Kids::of(context, pair);
    let mut words = Kids::of(context, parts.need(Rule::window_kind)?);
    let first = words.next()?.as_rule();
    let kind = match first {
        Rule::k_rest => ItemWindowKind::RestOfToday,
        Rule::k_today => ItemWindowKind::Today,
        Rule::k_now => ItemWindowKind::Now,
        Rule::k_last => ItemWindowKind::LastNight,
        Rule::k_this if words.peek() == Some(Rule::k_week) => ItemWindowKind::ThisWeek,
        Rule::k_this => ItemWindowKind::ThisMonth,
        Rule::k_over => ItemWindowKind::Over(calendar(context, words.need(Rule::cal_span)?)?.node),
        Rule::k_within => {
            let next = words.peek() == Some(Rule::k_next);
            let length = duration(context, &words.need(Rule::duration)?)?.node;
            if next { ItemWindowKind::WithinNext(length) } else { ItemWindowKind::WithinLast(length) }
        }
        _ => ItemWindowKind::Since(words.name()?),
    };
    Ok(Some(Spanned::new(ItemWindow { kind, zone: parts.zone()? }, span)))
}

/// `where …`, if it comes next.
pub(super) fn filter(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Option<Expr>> {
    let Some(pair) = kids.take(Rule::filter) else { return Ok(None) };
    let mut kids = Kids::of(context, pair);
    kids.need(Rule::k_where)?;
    not_expr(context, &mut kids).map(Some)
}

/// A value.
pub(super) fn sum(context: &Context<'_>, pair: Node<'_>) -> Made<Expr> {
    let whole = context.place(&pair);
    let mut kids = Kids::of(context, pair);
    let left = chain(context, &mut kids)?;
    if kids.take(Rule::as_percent).is_none() {
        return Ok(left);
    }
    let right = sum(context, kids.need(Rule::sum)?)?;
    Ok(Expr { span: whole, kind: ExprKind::AsPercentOf(Box::new(left), Box::new(right)) })
}

/// Operands joined by operators of one kind, from the left.
fn chain(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Expr> {
    let mut left = postfix(context, kids)?;
    let mut joined = 1;
    let mut adds: Option<bool> = None;
    while let Some(pair) = kids.take(Rule::sign) {
        let op = match pair.as_str() {
            "+" => ArithOp::Add,
            "-" => ArithOp::Sub,
            "*" => ArithOp::Mul,
            _ => ArithOp::Div,
        };
        let adding = matches!(op, ArithOp::Add | ArithOp::Sub);
        if *adds.get_or_insert(adding) != adding {
            return Err(mixed(context.place(&pair), "`+ -` and `* /`"));
        }
        joined += 1;
        if joined > MAX_CHAIN {
            let place = context.place(&pair);
            return Err(Diagnostic::error("syntax", place, "too many values are joined here")
                .help("name parts of it with `let`"));
        }
        let right = postfix(context, kids)?;
        let span = left.span.to(right.span);
        left = Expr { span, kind: ExprKind::Arith(op, Box::new(left), Box::new(right)) };
    }
    Ok(left)
}

fn postfix(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Expr> {
    let inner = atom(context, kids.need(Rule::atom)?)?;
    Ok(match kids.take(Rule::k_age) {
        Some(word) => {
            Expr { span: inner.span.to(context.place(&word)), kind: ExprKind::Age(Box::new(inner)) }
        }
        None => inner,
    })
}

/// A value without operators around it.
pub(super) fn atom(context: &Context<'_>, pair: Node<'_>) -> Made<Expr> {
    let span = context.place(&pair);
    let inner = Kids::of(context, pair).next()?;
    let kind = match inner.as_rule() {
        Rule::group => {
            let condition = Kids::of(context, inner).need(Rule::or_expr)?;
            ExprKind::Group(Box::new(or_expr(context, condition)?))
        }
        Rule::set => ExprKind::Set(sums(context, &mut Kids::of(context, inner))?),
        Rule::extreme => extreme(context, inner)?,
        Rule::stat => ExprKind::Stat(Box::new(stat(context, inner)?)),
        Rule::moment => moment(context, inner)?,
        Rule::clock => ExprKind::Clock(clock(context, &inner, false)?.node),
        Rule::duration => ExprKind::Duration(duration(context, &inner)?.node),
        Rule::cal_span => ExprKind::Span(calendar(context, inner)?.node),
        Rule::percent => percent(context, inner)?,
        Rule::text => ExprKind::Text(text(context, &inner)?.node),
        Rule::k_now => ExprKind::Now,
        Rule::flag => ExprKind::Flag(inner.as_str() == "true"),
        _ => call(context, inner)?,
    };
    Ok(Expr { span, kind })
}

/// A date, or a date and time.
fn moment(context: &Context<'_>, pair: Node<'_>) -> Made<ExprKind> {
    if pair.clone().into_inner().count() > 1 {
        let time = instant(context, pair)?.node;
        return Ok(ExprKind::Instant(time.date, time.second));
    }
    Ok(ExprKind::Date(date(context, &Kids::of(context, pair).need(Rule::date)?)?.node))
}

/// All values that come.
fn sums(context: &Context<'_>, kids: &mut Kids<'_>) -> Made<Vec<Expr>> {
    let mut values = Vec::new();
    while let Some(kid) = kids.find(Rule::sum) {
        values.push(sum(context, kid)?);
    }
    Ok(values)
}

fn extreme(context: &Context<'_>, pair: Node<'_>) -> Made<ExprKind> {
    let mut kids = Kids::of(context, pair);
    let larger = kids.next()?.as_rule() == Rule::k_larger;
    let left = Box::new(sum(context, kids.need(Rule::sum)?)?);
    let right = Box::new(sum(context, kids.need(Rule::sum)?)?);
    Ok(if larger { ExprKind::Larger(left, right) } else { ExprKind::Smaller(left, right) })
}

fn percent(context: &Context<'_>, pair: Node<'_>) -> Made<ExprKind> {
    let mut kids = Kids::of(context, pair);
    let number = kids.need(Rule::quantity)?;
    let span = context.place(&number);
    let kind = quantity(context, number)?;
    if kids.take(Rule::k_of).is_none() {
        return Ok(kind);
    }
    if !matches!(&kind, ExprKind::Quantity(_, unit) if unit.node == "%") {
        return Err(Diagnostic::error("syntax", span, "expected a percentage before `of`")
            .help("write it as in `80% of usual`"));
    }
    Ok(ExprKind::PercentOf(Box::new(Expr { span, kind }), Box::new(postfix(context, &mut kids)?)))
}

fn call(context: &Context<'_>, pair: Node<'_>) -> Made<ExprKind> {
    let mut kids = Kids::of(context, pair);
    let path = name(context, &kids.need(Rule::path)?);
    if kids.take(Rule::open).is_none() {
        return Ok(ExprKind::Path(path.node));
    }
    Ok(ExprKind::Call(path, sums(context, &mut kids)?))
}

fn stat(context: &Context<'_>, pair: Node<'_>) -> Made<Stat> {
    let mut kids = Kids::of(context, pair);
    let kind = stat_kind(context, kids.need(Rule::stat_kind)?)?;
    let signal = kids.name()?;
    let window = kids.need(Rule::stat_window)?;
    let place = context.place(&window);
    let mut words = Kids::of(context, window);
    let window = if words.take(Rule::k_over).is_some() {
        StatWindow::Over(calendar(context, words.need(Rule::cal_span)?)?.node)
    } else {
        StatWindow::Within(duration(context, &words.need(Rule::duration)?)?.node)
    };
    let window = Spanned::new(window, place);
    let mut stat = Stat { kind, signal, window, with_today: None, needs: None, otherwise: None };
    while let Some(part) = kids.find(Rule::stat_part) {
        let place = context.place(&part);
        let mut words = Kids::of(context, part);
        words.need(Rule::comma)?;
        let twice = match words.next()? {
            word if word.as_rule() == Rule::with_today => {
                stat.with_today.replace(context.place(&word)).is_some()
            }
            word if word.as_rule() == Rule::k_needs => {
                stat.needs.replace(int(context, &words.need(Rule::int)?)?).is_some()
            }
            _ => stat.otherwise.replace(sum(context, words.need(Rule::sum)?)?).is_some(),
        };
        if twice {
            return Err(Diagnostic::error("syntax", place, "this is written twice"));
        }
    }
    Ok(stat)
}

fn stat_kind(context: &Context<'_>, pair: Node<'_>) -> Made<Spanned<StatKind>> {
    let span = context.place(&pair);
    let mut kids = Kids::of(context, pair);
    let word = kids.next()?;
    let kind = match word.as_str() {
        "median" => StatKind::Median,
        "mean" => StatKind::Mean,
        "min" => StatKind::Min,
        "max" => StatKind::Max,
        "sum" => StatKind::Sum,
        "count" => StatKind::Count,
        "sd" => StatKind::Sd,
        "spread" => StatKind::Spread,
        "percentile" => {
            let rank = int(context, &kids.need(Rule::int)?)?;
            match u8::try_from(rank.node).ok().filter(|rank| *rank <= 100) {
                Some(rank) => StatKind::Percentile(rank),
                None => {
                    return Err(Diagnostic::error("syntax", rank.span, "a percentile is 0 to 100"));
                }
            }
        }
        _ => StatKind::Last,
    };
    Ok(Spanned::new(kind, span))
}
