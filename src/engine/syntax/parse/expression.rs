//! Values and conditions: tokens of the grammar to [`Expr`].
//!
//! The grammar accepts mixes that no reader could be sure of (`and` with `or`, `+` with `*`, arithmetic
//! after `larger of`); they are refused here, with the place and the cure.

use super::reader::{Node, Nodes, Reader, take};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    ArithOp, CompareOp, Expr, ExprKind, ItemWindow, ItemWindowKind, Join, Name, Quantifier, Stat, StatKind,
    StatWindow,
};
use crate::engine::syntax::grammar::Rule;

const GROUP: &str = "put parentheses around one group";

impl Reader<'_> {
    /// A condition or value.
    pub(in crate::engine::syntax) fn condition(&mut self, node: Node<'_>) -> Option<Expr> {
        let mut nodes = node.into_inner().peekable();
        let first = self.negated(&mut nodes)?;
        let Some(joiner) = nodes.peek().map(Node::as_rule) else { return Some(first) };
        let mut parts = vec![first];
        while let Some(word) = nodes.next() {
            if word.as_rule() != joiner {
                return self.refuse(self.span(&word), "`and` and `or` are mixed", GROUP);
            }
            parts.push(self.negated(&mut nodes)?);
        }
        let span = parts.first()?.span.to(parts.last()?.span);
        let kind = if joiner == Rule::kw_and { ExprKind::And(parts) } else { ExprKind::Or(parts) };
        Some(Expr { span, kind })
    }

    /// Any number of `not` and a comparison.
    fn negated(&mut self, nodes: &mut Nodes<'_>) -> Option<Expr> {
        let mut places = Vec::new();
        while let Some(word) = take(nodes, Rule::kw_not) {
            places.push(self.span(&word));
        }
        let mut inner = self.comparison(nodes.next()?)?;
        for place in places.into_iter().rev() {
            inner = Expr { span: place.to(inner.span), kind: ExprKind::Not(Box::new(inner)) };
        }
        Some(inner)
    }

    fn comparison(&mut self, node: Node<'_>) -> Option<Expr> {
        let mut nodes = node.into_inner().peekable();
        let left = self.sum(&mut nodes)?;
        let Some(word) = nodes.next() else { return Some(left) };
        let start = left.span;
        match word.as_rule() {
            Rule::compare_op => {
                let operator = compare_op(word.as_str())?;
                let right = self.sum(&mut nodes)?;
                Some(pair(left, right, |left, right| ExprKind::Compare(operator, left, right)))
            }
            Rule::kw_has => {
                let right = self.sum(&mut nodes)?;
                Some(pair(left, right, ExprKind::Has))
            }
            Rule::kw_in => {
                let low = self.sum(&mut nodes)?;
                if take(&mut nodes, Rule::kw_to).is_none() {
                    return Some(pair(left, low, ExprKind::In));
                }
                let high = self.sum(&mut nodes)?;
                let span = start.to(high.span);
                Some(Expr { span, kind: ExprKind::Between(Box::new(left), Box::new(low), Box::new(high)) })
            }
            Rule::kw_is => {
                let negated = take(&mut nodes, Rule::kw_not).is_some();
                let span = start.to(self.span(&nodes.next()?));
                let missing = Expr { span, kind: ExprKind::IsMissing(Box::new(left)) };
                if !negated {
                    return Some(missing);
                }
                Some(Expr { span, kind: ExprKind::Not(Box::new(missing)) })
            }
            Rule::kw_fired => {
                let span = start.to(self.span(&nodes.next()?));
                match left.kind {
                    ExprKind::Path(name) => {
                        Some(Expr { span, kind: ExprKind::Fired(vec![Name::new(name, left.span)]) })
                    }
                    _ => self.refuse(left.span, "`fired today` stands after the name of a rule", ""),
                }
            }
            _ => None,
        }
    }

    /// Terms joined by arithmetic of one kind.
    fn sum(&mut self, nodes: &mut Nodes<'_>) -> Option<Expr> {
        let mut left = self.term(nodes)?;
        let mut kind = None;
        while let Some(word) = take(nodes, Rule::arith_op) {
            let place = self.span(&word);
            let (operator, additive) = match word.as_str() {
                "+" => (ArithOp::Add, true),
                "-" => (ArithOp::Sub, true),
                "*" => (ArithOp::Mul, false),
                _ => (ArithOp::Div, false),
            };
            if *kind.get_or_insert(additive) != additive {
                return self.refuse(place, "`+ -` and `* /` are mixed", GROUP);
            }
            if is_open_ended(&left) {
                let message = "it is not clear where the value before this sign ends";
                return self.refuse(place, message, "put parentheses around it");
            }
            let right = self.term(nodes)?;
            left = pair(left, right, |left, right| ExprKind::Arith(operator, left, right));
        }
        Some(left)
    }

    /// One value with what may follow it.
    fn term(&mut self, nodes: &mut Nodes<'_>) -> Option<Expr> {
        let value = self.primary(nodes)?;
        if let Some(word) = take(nodes, Rule::kw_age) {
            let span = value.span.to(self.span(&word));
            return Some(Expr { span, kind: ExprKind::Age(Box::new(value)) });
        }
        if let Some(tail) = take(nodes, Rule::as_percent) {
            let mut parts = tail.into_inner().peekable();
            while take(&mut parts, Rule::kw_as).is_some()
                || take(&mut parts, Rule::percent_sign).is_some()
                || take(&mut parts, Rule::kw_of).is_some()
            {}
            let base = self.primary(&mut parts)?;
            return Some(pair(value, base, ExprKind::AsPercentOf));
        }
        Some(value)
    }

    fn primary(&mut self, nodes: &mut Nodes<'_>) -> Option<Expr> {
        let node = nodes.next()?;
        let span = self.span(&node);
        let kind = match node.as_rule() {
            Rule::amount => {
                let amount = self.amount(node)?;
                if take(nodes, Rule::kw_of).is_none() {
                    return Some(amount);
                }
                if !matches!(&amount.kind, ExprKind::Quantity(_, unit) if unit.node == "%") {
                    return self.refuse(amount.span, "`of` stands after a percentage", "write `80% of …`");
                }
                let whole = self.primary(nodes)?;
                return Some(pair(amount, whole, ExprKind::PercentOf));
            }
            Rule::group => {
                let inner = node.into_inner().find(|part| part.as_rule() == Rule::condition)?;
                ExprKind::Group(Box::new(self.condition(inner)?))
            }
            Rule::clock => ExprKind::Clock(self.clock(&node, false)?.node),
            Rule::kw_now => ExprKind::Now,
            Rule::reference => return self.reference(node),
            Rule::larger => return self.larger(node),
            Rule::at_least => return self.at_least(node),
            Rule::any_fired => ExprKind::Fired(self.names(node)?),
            Rule::nothing => {
                let length = node.clone().into_inner().last()?;
                ExprKind::Nothing(self.names(node)?, self.duration(length)?)
            }
            Rule::stat => ExprKind::Stat(Box::new(self.stat(node)?)),
            Rule::join => ExprKind::Join(Box::new(self.join(node)?)),
            _ => return self.literal(node),
        };
        Some(Expr { span, kind })
    }

    /// A name, or a call when arguments follow.
    fn reference(&mut self, node: Node<'_>) -> Option<Expr> {
        let span = self.span(&node);
        let mut parts = node.into_inner();
        let name = self.name(&parts.next()?)?;
        if parts.next().is_none() {
            return Some(Expr { span, kind: ExprKind::Path(name.node) });
        }
        let arguments = parts.filter(|part| part.as_rule() == Rule::condition);
        let arguments = arguments.map(|part| self.condition(part)).collect::<Option<Vec<_>>>()?;
        Some(Expr { span, kind: ExprKind::Call(name, arguments) })
    }

    fn operand(&mut self, node: Node<'_>) -> Option<Expr> {
        self.term(&mut node.into_inner().peekable())
    }

    fn larger(&mut self, node: Node<'_>) -> Option<Expr> {
        let start = self.span(&node);
        let mut parts = node.into_inner();
        let larger = parts.next()?.as_rule() == Rule::kw_larger;
        let mut operands = parts.filter(|part| part.as_rule() == Rule::operand);
        let left = Box::new(self.operand(operands.next()?)?);
        let right = Box::new(self.operand(operands.next()?)?);
        let span = start.to(right.span);
        let kind = if larger { ExprKind::Larger(left, right) } else { ExprKind::Smaller(left, right) };
        Some(Expr { span, kind })
    }

    fn at_least(&mut self, node: Node<'_>) -> Option<Expr> {
        let span = self.span(&node);
        let (mut count, mut conditions) = (None, Vec::new());
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::integer => count = Some(self.count(&part)?),
                Rule::condition => conditions.push(self.condition(part)?),
                _ => {}
            }
        }
        Some(Expr { span, kind: ExprKind::AtLeast(count?, conditions) })
    }

    fn stat(&mut self, node: Node<'_>) -> Option<Stat> {
        let (mut kind, mut signal, mut window) = (None, None, None);
        let (mut with_today, mut needs, mut otherwise) = (None, None, None);
        for part in node.into_inner() {
            let place = self.span(&part);
            match part.as_rule() {
                Rule::stat_kind => kind = Some(Spanned::new(self.stat_kind(part)?, place)),
                Rule::dotted => signal = Some(self.name(&part)?),
                Rule::stat_window => window = Some(Spanned::new(self.stat_window(part)?, place)),
                Rule::stat_option => {
                    let mut words = part.into_inner();
                    let word = words.next()?;
                    let known = match word.as_rule() {
                        Rule::kw_with => with_today.replace(self.span(&word).to(place)).is_some(),
                        Rule::kw_needs => needs.replace(self.count(&words.next()?)?).is_some(),
                        _ => otherwise.replace(self.operand(words.next()?)?).is_some(),
                    };
                    if known {
                        return self.refuse(place, format!("`{}` is written twice", word.as_str()), "");
                    }
                }
                _ => {}
            }
        }
        Some(Stat { kind: kind?, signal: signal?, window: window?, with_today, needs, otherwise })
    }

    fn stat_kind(&mut self, node: Node<'_>) -> Option<StatKind> {
        let mut parts = node.into_inner();
        Some(match parts.next()?.as_str() {
            "median" => StatKind::Median,
            "mean" => StatKind::Mean,
            "min" => StatKind::Min,
            "max" => StatKind::Max,
            "sum" => StatKind::Sum,
            "count" => StatKind::Count,
            "last" => StatKind::Last,
            "sd" => StatKind::Sd,
            "spread" => StatKind::Spread,
            _ => {
                let rank = self.count(&parts.next()?)?;
                match u8::try_from(rank.node) {
                    Ok(percent @ 0..=100) => StatKind::Percentile(percent),
                    _ => {
                        return self.refuse(
                            rank.span,
                            format!("`{}` is above 100", rank.node),
                            "write 0 to 100",
                        );
                    }
                }
            }
        })
    }

    fn stat_window(&mut self, node: Node<'_>) -> Option<StatWindow> {
        let mut parts = node.into_inner();
        let dates = parts.next()?.as_rule() == Rule::kw_over;
        let amount = parts.last()?;
        if dates {
            return Some(StatWindow::Over(self.calendar_span(amount)?.node));
        }
        Some(StatWindow::Within(self.duration(amount)?.node))
    }

    fn join(&mut self, node: Node<'_>) -> Option<Join> {
        let mut parts = node.into_inner().peekable();
        let word = parts.next()?;
        let quantifier = match word.as_rule() {
            Rule::kw_some => Quantifier::Some,
            Rule::kw_each => Quantifier::Each,
            Rule::kw_no => Quantifier::No,
            _ => Quantifier::Every,
        };
        let quantifier = Spanned::new(quantifier, self.span(&word));
        let (var, stream, window, filter) = self.items(&mut parts)?;
        Some(Join { quantifier, var, stream, window, filter })
    }

    /// `x in STREAM [WINDOW] [where …]`, for questions and for `gather`.
    pub(super) fn items(&mut self, parts: &mut Nodes<'_>) -> Option<Items> {
        let var = self.name(&parts.next()?)?;
        take(parts, Rule::kw_in)?;
        let stream = self.name(&parts.next()?)?;
        let window = match take(parts, Rule::item_window) {
            Some(node) => Some(self.item_window(node)?),
            None => None,
        };
        let filter = match take(parts, Rule::where_part) {
            Some(node) => {
                let mut inner = node.into_inner().peekable();
                take(&mut inner, Rule::kw_where)?;
                Some(self.negated(&mut inner)?)
            }
            None => None,
        };
        Some((var, stream, window, filter))
    }

    fn item_window(&mut self, node: Node<'_>) -> Option<Spanned<ItemWindow>> {
        let place = self.span(&node);
        let mut parts = node.into_inner().peekable();
        let first = parts.next()?;
        let kind = match first.as_rule() {
            Rule::kw_today => ItemWindowKind::Today,
            Rule::kw_now => ItemWindowKind::Now,
            Rule::kw_rest => {
                take(&mut parts, Rule::kw_of)?;
                take(&mut parts, Rule::kw_today)?;
                ItemWindowKind::RestOfToday
            }
            Rule::kw_last => {
                take(&mut parts, Rule::kw_night);
                ItemWindowKind::LastNight
            }
            Rule::kw_this if parts.next()?.as_rule() == Rule::kw_week => ItemWindowKind::ThisWeek,
            Rule::kw_this => ItemWindowKind::ThisMonth,
            Rule::kw_over => ItemWindowKind::Over(self.calendar_span(parts.next()?)?.node),
            Rule::kw_within => {
                let past = parts.next()?.as_rule() == Rule::kw_last;
                let length = self.duration(parts.next()?)?.node;
                if past { ItemWindowKind::WithinLast(length) } else { ItemWindowKind::WithinNext(length) }
            }
            _ => ItemWindowKind::Since(self.name(&parts.next()?)?),
        };
        let zone = self.zone_of(parts.next())?;
        Some(Spanned::new(ItemWindow { kind, zone }, place))
    }

    /// `in ZONE`, when it is there. The outer `None` means that it was refused.
    #[expect(clippy::option_option, reason = "absent and refused are two things")]
    pub(super) fn zone_of(&mut self, node: Option<Node<'_>>) -> Option<Option<Name>> {
        match node {
            None => Some(None),
            Some(node) => Some(Some(self.name(&node.into_inner().last()?)?)),
        }
    }
}

/// What a question about items is made of: name, stream, window, filter.
pub(super) type Items = (Name, Name, Option<Spanned<ItemWindow>>, Option<Expr>);

fn pair(left: Expr, right: Expr, make: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind) -> Expr {
    let span = left.span.to(right.span);
    Expr { span, kind: make(Box::new(left), Box::new(right)) }
}

fn compare_op(text: &str) -> Option<CompareOp> {
    Some(match text {
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessEq,
        ">" => CompareOp::Greater,
        ">=" => CompareOp::GreaterEq,
        "=" => CompareOp::Equal,
        "!=" => CompareOp::NotEqual,
        "before" => CompareOp::Before,
        "after" => CompareOp::After,
        _ => return None,
    })
}

/// True for a value whose last part could be read as reaching further.
fn is_open_ended(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Larger(..) | ExprKind::Smaller(..) | ExprKind::Stat(_) => true,
        ExprKind::PercentOf(_, last) | ExprKind::AsPercentOf(_, last) | ExprKind::Arith(_, _, last) => {
            is_open_ended(last)
        }
        _ => false,
    }
}
