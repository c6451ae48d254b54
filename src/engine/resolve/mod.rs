//! Trees to a rule set: names become indices, units and types are checked, every rule says what it reads.
//!
//! Never opens a file: whoever calls hands over trees, sources and scripts. Never gives up: what is broken
//! is reported and left out, and the rest is resolved; a set with an error must not be run.
//!
//! INVARIANT: neither the order of files, nor of definitions in them, nor comments or formatting can be
//! seen in the result, places apart.

mod clauses;
mod condition;
mod definitions;
mod delivery;
mod facts;
mod hash;
pub(crate) mod id;
mod names;
mod order;
mod plan;
mod reads;
mod report;
mod rule;
mod scope;
mod signals;
mod table;
mod test_block;
mod text;
mod time;
pub(crate) mod types;
mod value;
mod without;
mod world;

#[cfg(test)]
mod tests;

pub(crate) use report::unknown;

use std::collections::{BTreeMap, BTreeSet};

use super::diagnostic::Diagnostic;
use super::rule_set::{Index, RuleSet};
use super::source::{FileId, Sources};
use super::syntax::ast;

/// What resolving needs besides the trees.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Texts of scripts by the path that a `function` names.
    pub scripts: BTreeMap<String, String>,
    /// Files under `rules/local/`: their plans override others field by field.
    pub local: BTreeSet<FileId>,
}

/// A rule set and all that is wrong with it.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The set; without what is broken.
    pub rules: RuleSet,
    /// Findings, in no particular order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Resolves the trees of all files of one set.
pub fn resolve(files: &[ast::File], sources: &Sources, inputs: &Inputs) -> Resolved {
    let mut world = world::World::new(sources, inputs);
    world.canonical = hash::Canonical::new(files, sources, inputs);
    let items = names::collect(files, &inputs.local, &mut world.names, &mut world.report);
    world.zones(&items);
    world.keep(&items);
    world.units(&items);
    world.streams(&items);
    world.signals(&items);
    world.lists(&items);
    world.schedules(&items);
    world.quiets(&items);
    world.budgets(&items);
    world.functions(&items);
    rules(&mut world, &items);
    world.tables(&items);
    world.plans(&items);
    world.tests(&items);
    world.check_zone(&items);
    world.set.hash = world.canonical.hash;
    world.set.index = Index::of(&world.set);
    Resolved { rules: world.set, diagnostics: world.report.diagnostics }
}

fn rules<'a>(world: &mut world::World<'a>, items: &names::Items<'a>) {
    world.number_rules(items);
    let mut found = without::Whole::default();
    for rule in &items.rules {
        found.push(rule::resolve(world, *rule));
    }
    world.set.rules = found.rules();
    world.set.strata = order::strata(&world.set.rules, &mut world.report);
}
