//! The one namespace of a set: which names there are, and what each stands for.
//!
//! INVARIANT: definitions of a kind are handed on sorted by name, so that neither the order of files nor
//! of definitions can show in a rule set.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::id;
use super::report::Report;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::functions;
use crate::engine::rule_set::RULES_FIRED_NAME;
use crate::engine::source::{FileId, Span};
use crate::engine::syntax::ast::{self, ItemKind, Name};
use crate::engine::value::{BUILTIN_UNITS, Currency};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Zone,
    Quiet,
    Budget,
    Unit,
    Signal,
    Stream,
    List,
    Schedule,
    Function,
    Rule,
    Table,
    Plan,
}

impl Kind {
    const ALL: [Self; 12] = [
        Self::Zone,
        Self::Quiet,
        Self::Budget,
        Self::Unit,
        Self::Signal,
        Self::Stream,
        Self::List,
        Self::Schedule,
        Self::Function,
        Self::Rule,
        Self::Table,
        Self::Plan,
    ];

    /// The word that begins its definitions.
    fn first_word(self) -> &'static str {
        if self == Self::Quiet { "quiet" } else { self.word() }
    }

    /// The word for messages.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Zone => "zone",
            Self::Quiet => "quiet window",
            Self::Budget => "budget",
            Self::Unit => "unit",
            Self::Signal => "signal",
            Self::Stream => "stream",
            Self::List => "list",
            Self::Schedule => "schedule",
            Self::Function => "function",
            Self::Rule => "rule",
            Self::Table => "table",
            Self::Plan => "plan",
        }
    }
}

/// A known name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// Index in its table; `None` while it is broken, so that its uses are not reported too.
    pub(super) index: Option<u32>,
    /// Place of its name.
    pub(super) span: Span,
}

/// All names of a set.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    map: FxHashMap<&'a str, Entry>,
    /// Names in order, for suggestions.
    sorted: BTreeSet<(Kind, &'a str)>,
}

impl<'a> Names<'a> {
    /// What this name stands for.
    pub(super) fn get(&self, name: &str) -> Option<Entry> {
        self.map.get(name).copied()
    }

    /// Enters a name that is not yet known.
    pub(super) fn insert(&mut self, name: &'a str, entry: Entry) {
        self.map.insert(name, entry);
        self.sorted.insert((entry.kind, name));
    }

    /// Says at which index a definition ended up.
    pub(super) fn set_index(&mut self, name: &str, index: usize) {
        if let Some(entry) = self.map.get_mut(name) {
            entry.index = u32::try_from(index).ok();
        }
    }

    /// Names of one kind, in order.
    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = &'a str> {
        self.sorted.range((kind, "")..).take_while(move |(found, _)| *found == kind).map(|(_, name)| *name)
    }

    /// The index of a name of one kind. Reports a name that is unknown or stands for something else;
    /// says nothing more about a definition that is broken.
    pub(super) fn find(&self, report: &mut Report, name: &Name, kind: Kind) -> Option<u32> {
        match self.get(&name.node) {
            Some(entry) if entry.kind == kind => entry.index,
            Some(entry) => report.fail(
                Diagnostic::error(
                    id::UNKNOWN_NAME,
                    name.span,
                    format!(
                        "`{}` is a {}, and a {} is needed here",
                        name.node,
                        entry.kind.word(),
                        kind.word()
                    ),
                )
                .related(entry.span, "defined here"),
            ),
            None => {
                let error = report.unknown(name.span, kind.word(), &name.node, self.of(kind));
                report.fail(error)
            }
        }
    }
}

/// All definitions by kind, each kind sorted by name and without duplicates.
#[derive(Debug, Default)]
pub(super) struct Items<'a> {
    pub(super) zones: Vec<&'a ast::Zone>,
    pub(super) keep: Option<&'a ast::Keep>,
    pub(super) quiets: Vec<(&'a ast::Quiet, Span)>,
    pub(super) budgets: Vec<&'a ast::Budget>,
    pub(super) units: Vec<&'a ast::UnitDef>,
    pub(super) signals: Vec<(&'a ast::Signal, Span)>,
    pub(super) streams: Vec<(&'a ast::Stream, Span)>,
    pub(super) lists: Vec<&'a ast::List>,
    pub(super) schedules: Vec<(&'a ast::Schedule, Span)>,
    pub(super) functions: Vec<(&'a ast::Function, Span)>,
    /// With their place, and true when a part of them could not be read.
    pub(super) rules: Vec<(&'a ast::Rule, Span, bool)>,
    pub(super) tables: Vec<(&'a ast::Table, Span)>,
    /// Checked-in plans, then those of `rules/local/`.
    pub(super) plans: Vec<&'a ast::Plan>,
    pub(super) local_plans: Vec<&'a ast::Plan>,
    /// True when a line of it could not be read.
    pub(super) tests: Vec<(&'a ast::Test, bool)>,
}

/// What a name is already, if no definition of this kind may take it.
fn builtin(kind: Kind, name: &str) -> Option<&'static str> {
    match (kind, name) {
        (Kind::Function, _) if functions::lookup(name).is_some() => Some("a function"),
        (_, "here") => Some("the zone where the person is"),
        (_, RULES_FIRED_NAME) => Some("the stream of earlier triggers"),
        (_, _) if name.starts_with("source.") => Some("the signals of connectors"),
        (Kind::Unit, _) if Currency::parse(name).is_some() => Some("a currency"),
        (Kind::Unit, _) if BUILTIN_UNITS.iter().any(|unit| unit.word == name) => Some("a unit"),
        (Kind::Unit, _) if super::types::plain_type(name).is_some() => Some("a type"),
        _ => None,
    }
}

/// Sorts definitions by kind and name, enters their names, reports duplicates.
pub(super) fn collect<'a>(
    files: &'a [ast::File],
    local: &BTreeSet<FileId>,
    names: &mut Names<'a>,
    report: &mut Report,
) -> Items<'a> {
    let mut items = Items::default();
    let mut keep: Option<Span> = None;
    let mut local_plans: FxHashMap<&str, Span> = FxHashMap::default();
    let mut all: Vec<&ast::File> = files.iter().collect();
    all.sort_by_key(|file| file.id);
    for file in &all {
        for item in &file.items {
            match &item.kind {
                ItemKind::Test(test) => items.tests.push((test, item.broken)),
                ItemKind::Keep(found) => match keep {
                    Some(first) => report.push(twice("keep", item.span, first)),
                    None => {
                        keep = Some(item.span);
                        items.keep = Some(found);
                    }
                },
                ItemKind::Plan(plan) if local.contains(&file.id) && !item.broken => {
                    match local_plans.insert(&plan.name.node, plan.name.span) {
                        Some(first) => report.push(twice(&plan.name.node, plan.name.span, first)),
                        None => items.local_plans.push(plan),
                    }
                }
                _ => items.enter(item, names, report),
            }
        }
    }
    enter_unread(&all, names);
    for plan in &items.local_plans {
        match names.get(&plan.name.node) {
            None => {
                names.insert(&plan.name.node, Entry { kind: Kind::Plan, index: None, span: plan.name.span })
            }
            Some(entry) if entry.kind != Kind::Plan => {
                report.push(twice(&plan.name.node, plan.name.span, entry.span));
            }
            Some(_) => {}
        }
    }
    items.sort();
    items
}

/// Names of definitions that could not be read, unless another definition has them.
fn enter_unread<'a>(files: &[&'a ast::File], names: &mut Names<'a>) {
    for unread in files.iter().flat_map(|file| &file.unread) {
        let kind = Kind::ALL.into_iter().find(|kind| kind.first_word() == unread.word);
        if let Some(kind) = kind.filter(|_| names.get(&unread.name.node).is_none()) {
            names.insert(&unread.name.node, Entry { kind, index: None, span: unread.name.span });
        }
    }
}

fn twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(id::DUPLICATE_NAME, span, format!("`{name}` is defined twice"))
        .related(first, "first defined here")
        .help("give one of them another name, or remove it")
}

impl<'a> Items<'a> {
    fn enter(&mut self, item: &'a ast::Item, names: &mut Names<'a>, report: &mut Report) {
        let Some((kind, name)) = kind_and_name(item) else { return };
        if let Some(what) = builtin(kind, &name.node) {
            report.push(
                Diagnostic::error(
                    id::DUPLICATE_NAME,
                    name.span,
                    format!("`{}` is built in: {what}", name.node),
                )
                .help("choose another name"),
            );
            return;
        }
        if let Some(first) = names.get(&name.node) {
            report.push(twice(&name.node, name.span, first.span));
            return;
        }
        names.insert(&name.node, Entry { kind, index: None, span: name.span });
        let span = item.span;
        match &item.kind {
            ItemKind::Zone(zone) => self.zones.push(zone),
            ItemKind::Quiet(quiet) => self.quiets.push((quiet, span)),
            ItemKind::Budget(budget) => self.budgets.push(budget),
            ItemKind::Unit(unit) => self.units.push(unit),
            ItemKind::Signal(signal) => self.signals.push((signal, span)),
            ItemKind::Stream(stream) => self.streams.push((stream, span)),
            ItemKind::List(list) => self.lists.push(list),
            ItemKind::Schedule(schedule) => self.schedules.push((schedule, span)),
            ItemKind::Function(function) => self.functions.push((function, span)),
            ItemKind::Rule(rule) => self.rules.push((rule, span, item.broken)),
            // Of a table or plan that could not be read as a whole only the name is known.
            ItemKind::Table(_) | ItemKind::Plan(_) if item.broken => {}
            ItemKind::Table(table) => self.tables.push((table, span)),
            ItemKind::Plan(plan) => self.plans.push(plan),
            ItemKind::Keep(_) | ItemKind::Test(_) => {}
        }
    }

    fn sort(&mut self) {
        self.zones.sort_by_key(|def| &def.name.node);
        self.quiets.sort_by_key(|(def, _)| &def.name.node);
        self.budgets.sort_by_key(|def| &def.name.node);
        self.units.sort_by_key(|def| &def.name.node);
        self.signals.sort_by_key(|(def, _)| &def.name.node);
        self.streams.sort_by_key(|(def, _)| &def.name.node);
        self.lists.sort_by_key(|def| &def.name.node);
        self.schedules.sort_by_key(|(def, _)| &def.name.node);
        self.functions.sort_by_key(|(def, _)| &def.name.node);
        self.rules.sort_by_key(|(def, ..)| &def.name.node);
        self.tables.sort_by_key(|(def, _)| &def.name.node);
        self.plans.sort_by_key(|def| &def.name.node);
        self.local_plans.sort_by_key(|def| &def.name.node);
        self.tests.sort_by_key(|(def, _)| (&def.name.node, def.title.as_ref().map(|title| &title.node)));
    }
}

fn kind_and_name(item: &ast::Item) -> Option<(Kind, &Name)> {
    Some(match &item.kind {
        ItemKind::Zone(def) => (Kind::Zone, &def.name),
        ItemKind::Quiet(def) => (Kind::Quiet, &def.name),
        ItemKind::Budget(def) => (Kind::Budget, &def.name),
        ItemKind::Unit(def) => (Kind::Unit, &def.name),
        ItemKind::Signal(def) => (Kind::Signal, &def.name),
        ItemKind::Stream(def) => (Kind::Stream, &def.name),
        ItemKind::List(def) => (Kind::List, &def.name),
        ItemKind::Schedule(def) => (Kind::Schedule, &def.name),
        ItemKind::Function(def) => (Kind::Function, &def.name),
        ItemKind::Rule(def) => (Kind::Rule, &def.name),
        ItemKind::Table(def) => (Kind::Table, &def.name),
        ItemKind::Plan(def) => (Kind::Plan, &def.name),
        ItemKind::Keep(_) | ItemKind::Test(_) => return None,
    })
}
