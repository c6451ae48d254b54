//! Orders in which each comes after what it needs: `let`s of a rule, rules by their firings. What needs
//! itself is a cycle and an error.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::id;
use super::report::Report;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::rule_set::{RuleDef, RuleId};
use crate::engine::syntax::ast::{Expr, ExprKind, Name};

/// Indices in an order in which each comes after those it needs, the smallest index first where the order
/// is free; and one cycle for each group that cannot be ordered.
#[derive(Debug, Default)]
struct Ordered {
    order: Vec<usize>,
    cycles: Vec<Vec<usize>>,
}

fn ordered(needs: &[Vec<usize>]) -> Ordered {
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    for (reader, list) in needs.iter().enumerate() {
        for needed in list {
            if let Some(known) = readers.get_mut(*needed) {
                known.push(reader);
            }
        }
    }
    let mut ready: BTreeSet<usize> =
        open.iter().enumerate().filter(|(_, open)| **open == 0).map(|(index, _)| index).collect();
    let mut result = Ordered::default();
    while let Some(next) = ready.pop_first() {
        result.order.push(next);
        for reader in readers.get(next).into_iter().flatten() {
            if let Some(open) = open.get_mut(*reader) {
                *open = open.saturating_sub(1);
                if *open == 0 {
                    ready.insert(*reader);
                }
            }
        }
    }
    result.cycles = cycles(needs, &open);
    result
}

/// Follows needs that are still open until a place repeats; a cycle begins with its smallest index.
fn cycles(needs: &[Vec<usize>], open: &[usize]) -> Vec<Vec<usize>> {
    let is_open = |index: usize| open.get(index).is_some_and(|open| *open > 0);
    let mut walked = vec![false; needs.len()];
    let mut found = Vec::new();
    for start in (0..needs.len()).filter(|index| is_open(*index)) {
        let mut path: Vec<usize> = Vec::new();
        let mut place: FxHashMap<usize, usize> = FxHashMap::default();
        let mut at = Some(start);
        while let Some(here) = at {
            if let Some(first) = place.get(&here) {
                let mut cycle = path.get(*first..).unwrap_or(&[]).to_vec();
                let least = cycle.iter().enumerate().min_by_key(|(_, index)| **index).map_or(0, |(at, _)| at);
                cycle.rotate_left(least);
                found.push(cycle);
                break;
            }
            match walked.get_mut(here) {
                Some(seen) if !*seen => *seen = true,
                _ => break,
            }
            place.insert(here, path.len());
            path.push(here);
            at = needs.get(here).and_then(|list| list.iter().copied().find(|next| is_open(*next)));
        }
    }
    found
}

/// Orders the `let`s of a rule; those that need each other are reported and left out.
pub(super) fn lets(defs: &[(&Name, &Expr)], report: &mut Report) -> Vec<usize> {
    let index: FxHashMap<&str, usize> =
        defs.iter().enumerate().map(|(at, (name, _))| (name.node.as_str(), at)).collect();
    let needs: Vec<Vec<usize>> = defs
        .iter()
        .map(|(_, value)| {
            let mut list = BTreeSet::new();
            value.walk(&mut |part| {
                if let ExprKind::Path(name) = &part.kind {
                    list.extend(index.get(name.as_str()).copied());
                }
            });
            list.into_iter().collect()
        })
        .collect();
    let result = ordered(&needs);
    for cycle in &result.cycles {
        let names: Vec<&Name> = cycle.iter().filter_map(|at| defs.get(*at)).map(|(name, _)| *name).collect();
        let Some((first, others)) = names.split_first() else { continue };
        let words: Vec<&str> = names.iter().map(|name| name.node.as_str()).collect();
        let error = Diagnostic::error(id::CYCLE, first.span, said(&words, "needs", "needs itself"));
        report.push(
            others
                .iter()
                .take(NAMED_MAX - 1)
                .fold(error, |error, name| error.related(name.span, "part of the cycle")),
        );
    }
    result.order
}

/// Rules in an order in which readers of firings come after the fired, ties by name. Rules that wait for
/// each other are reported and come last.
pub(super) fn strata(rules: &[RuleDef], report: &mut Report) -> Vec<RuleId> {
    let needs: Vec<Vec<usize>> =
        rules.iter().map(|rule| rule.reads.fired.iter().map(|fired| fired.index()).collect()).collect();
    let mut result = ordered(&needs);
    for cycle in &result.cycles {
        let members: Vec<&RuleDef> = cycle.iter().filter_map(|at| rules.get(*at)).collect();
        let Some(first) = members.first() else { continue };
        let words: Vec<&str> = members.iter().map(|rule| &*rule.name).collect();
        let message = said(&words, "reads the firing of", "reads whether it fired itself");
        let error = Diagnostic::error(id::CYCLE, first.span, message);
        let error = members
            .iter()
            .take(NAMED_MAX)
            .skip(1)
            .fold(error, |error, rule| error.related(rule.span, "part of the cycle"));
        report.push(error.help("let one of them read the values instead of the firing"));
    }
    let placed: BTreeSet<usize> = result.order.iter().copied().collect();
    result.order.extend((0..rules.len()).filter(|at| !placed.contains(at)));
    result.order.into_iter().filter_map(|at| u32::try_from(at).ok().map(RuleId)).collect()
}

/// Members of a cycle that are named; a set of thousands must not make a message of thousands.
const NAMED_MAX: usize = 8;

fn said(names: &[&str], verb: &str, alone: &str) -> String {
    match names {
        [one] => format!("`{one}` {alone}"),
        _ => {
            let more = names.len().saturating_sub(NAMED_MAX);
            let rest = (more > 0).then(|| format!("… and {more} more"));
            let named = names.iter().take(NAMED_MAX).map(|name| format!("`{name}`"));
            let first = names.first().map(|name| format!("`{name}`"));
            let parts: Vec<String> = named.chain(rest).chain(first).collect();
            format!("a cycle: {}", parts.join(&format!(" {verb} ")))
        }
    }
}
