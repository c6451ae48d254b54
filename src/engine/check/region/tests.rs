//! Clashes and witnesses against trying every value.

use proptest::prelude::*;

use super::{Regions, clash, witness};
use crate::engine::record::SignalId;
use crate::engine::rule_set::*;
use crate::engine::source::Span;
use crate::engine::syntax::ast::{ArithOp, Cadence, CompareOp, Level, UnknownPolicy};
use crate::engine::value::{Ratio, Type, UnitId, UnitInfo, Value};

const LARGEST: i64 = 6;
const BPM: Type = Type::Quantity(UnitId(0));

fn expr(ty: Type, kind: ExprKind) -> Expr {
    Expr { span: Span::default(), ty, kind }
}

fn signal(index: u32) -> Expr {
    expr(BPM, ExprKind::Signal(SignalId(index)))
}

fn number(value: i64) -> Expr {
    expr(BPM, ExprKind::Const(Value::Number(Ratio::whole(value))))
}

/// A set with two signals of whole steps from 0 to [`LARGEST`].
fn set() -> RuleSet {
    let signal = |name: &str| SignalDef {
        name: name.into(),
        ty: BPM,
        cadence: Cadence::Daily,
        fresh_ms: Some(1),
        range: Some((0, LARGEST)),
        private: false,
        builtin: false,
        span: Span::default(),
    };
    let unit = UnitInfo { word: "bpm".into(), scale: 0, spaced: false };
    RuleSet { units: vec![unit], signals: vec![signal("a"), signal("b")], ..RuleSet::default() }
}

fn rule() -> RuleDef {
    RuleDef {
        name: "r".into(),
        title: "R".into(),
        span: Span::default(),
        off: false,
        cause: Cause::State,
        slots: Vec::new(),
        lets: Vec::new(),
        when: Vec::new(),
        when_any: false,
        unless: None,
        hold: None,
        clear: None,
        gather: None,
        then: Then { level: Level::Note, within: None, at: None, escalate: None },
        each: None,
        once_per: Vec::new(),
        wait: None,
        expires: None,
        quiet: Vec::new(),
        unknown: UnknownPolicy::Silent,
        say: Say::default(),
        facts: Vec::new(),
        reads: Reads::default(),
        state_hash: "".into(),
    }
}

fn value() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(0..2_u32).prop_map(signal), (-1..=LARGEST + 1).prop_map(number)];
    leaf.prop_recursive(2, 4, 2, |inner| {
        (inner.clone(), inner, any::<bool>()).prop_map(|(a, b, add)| {
            let op = if add { ArithOp::Add } else { ArithOp::Sub };
            expr(BPM, ExprKind::Arith(op, Box::new(a), Box::new(b)))
        })
    })
}

fn condition() -> impl Strategy<Value = Expr> {
    let op = prop_oneof![
        Just(CompareOp::Less),
        Just(CompareOp::LessEq),
        Just(CompareOp::Greater),
        Just(CompareOp::GreaterEq),
        Just(CompareOp::Equal),
        Just(CompareOp::NotEqual)
    ];
    let compare = (op, value(), value())
        .prop_map(|(op, a, b)| expr(Type::Flag, ExprKind::Compare(op, Box::new(a), Box::new(b))));
    let between = (value(), value(), value()).prop_map(|(a, low, high)| {
        expr(Type::Flag, ExprKind::Between(Box::new(a), Box::new(low), Box::new(high)))
    });
    let contained = (value(), prop::collection::vec(value(), 1..4))
        .prop_map(|(a, list)| expr(Type::Flag, ExprKind::In(Box::new(a), list)));
    prop_oneof![6 => compare, 1 => between, 1 => contained].prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            inner.prop_map(|a| expr(Type::Flag, ExprKind::Not(Box::new(a)))),
            list.clone().prop_map(|list| expr(Type::Flag, ExprKind::And(list))),
            list.clone().prop_map(|list| expr(Type::Flag, ExprKind::Or(list))),
            (1..3_u32, list).prop_map(|(least, list)| expr(Type::Flag, ExprKind::AtLeast(least, list))),
        ]
    })
}

fn count(expr: &Expr, at: (i64, i64)) -> i64 {
    match &expr.kind {
        ExprKind::Const(Value::Number(value)) => value.as_whole().unwrap(),
        ExprKind::Signal(SignalId(0)) => at.0,
        ExprKind::Signal(_) => at.1,
        ExprKind::Arith(ArithOp::Add, a, b) => count(a, at) + count(b, at),
        ExprKind::Arith(_, a, b) => count(a, at) - count(b, at),
        other => panic!("{other:?}"),
    }
}

fn holds(expr: &Expr, at: (i64, i64)) -> bool {
    match &expr.kind {
        ExprKind::Compare(op, a, b) => {
            let (a, b) = (count(a, at), count(b, at));
            match op {
                CompareOp::Less | CompareOp::Before => a < b,
                CompareOp::LessEq => a <= b,
                CompareOp::Greater | CompareOp::After => a > b,
                CompareOp::GreaterEq => a >= b,
                CompareOp::Equal => a == b,
                CompareOp::NotEqual => a != b,
            }
        }
        ExprKind::Between(a, low, high) => (count(low, at)..=count(high, at)).contains(&count(a, at)),
        ExprKind::In(a, list) => list.iter().any(|element| count(element, at) == count(a, at)),
        ExprKind::Not(a) => !holds(a, at),
        ExprKind::And(list) => list.iter().all(|a| holds(a, at)),
        ExprKind::Or(list) => list.iter().any(|a| holds(a, at)),
        ExprKind::AtLeast(least, list) => list.iter().filter(|a| holds(a, at)).count() >= *least as usize,
        other => panic!("{other:?}"),
    }
}

fn everywhere() -> impl Iterator<Item = (i64, i64)> {
    (0..=LARGEST).flat_map(|a| (0..=LARGEST).map(move |b| (a, b)))
}

proptest! {
    #[test]
    fn what_is_said_to_clash_never_holds_and_a_witness_shows_that_it_can(condition in condition()) {
        let (set, rule) = (set(), rule());
        let lines = [Line::new(condition.clone(), Span::default(), &[])];
        if let Some(alternatives) = Regions::new(&set, &rule).of_lines(&lines, false) {
            let possible = everywhere().any(|at| holds(&condition, at));
            if alternatives.iter().all(|atoms| clash(atoms).is_some()) {
                prop_assert!(!possible);
            }
            if alternatives.iter().any(|atoms| witness(atoms, &set).is_some()) {
                prop_assert!(possible);
            }
            // Nothing holds where no alternative does.
            prop_assert!(!possible || alternatives.iter().any(|atoms| clash(atoms).is_none()));
        }
    }

    #[test]
    fn limits_on_one_signal_are_decided(
        limits in prop::collection::vec((0..4_usize, -1..=LARGEST + 1), 1..5),
    ) {
        let ops = [CompareOp::Less, CompareOp::LessEq, CompareOp::Greater, CompareOp::GreaterEq];
        let list: Vec<Expr> = limits
            .iter()
            .map(|(op, limit)| {
                expr(Type::Flag, ExprKind::Compare(ops[*op], Box::new(signal(0)), Box::new(number(*limit))))
            })
            .collect();
        let condition = expr(Type::Flag, ExprKind::And(list));
        let possible = everywhere().any(|at| holds(&condition, at));
        let (set, rule) = (set(), rule());
        let line = Line::new(condition, Span::default(), &[]);
        let alternatives = Regions::new(&set, &rule).of_lines(&[line], false).unwrap();
        prop_assert_eq!(alternatives.iter().all(|atoms| clash(atoms).is_some()), !possible);
        prop_assert_eq!(alternatives.iter().any(|atoms| witness(atoms, &set).is_some()), possible);
    }
}
