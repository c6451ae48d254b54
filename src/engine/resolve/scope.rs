//! Names that are local to a rule: items and `let`s, and where an item is bound.
//!
//! INVARIANT: an expression that is handed back reads only items that were bound at its place, so its
//! evaluation cannot meet an item that does not exist on that path.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::id;
use super::world::World;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::record::StreamId;
use crate::engine::rule_set::{Expr, ExprKind, LetDef, LetId, Slot};
use crate::engine::source::Span;
use crate::engine::syntax::ast::Name;
use crate::engine::value::Type;

/// Most item names in one rule.
pub(super) const SLOTS_MAX: usize = 64;

/// A set of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots(u64);

impl Slots {
    /// No slot.
    pub(super) const NONE: Self = Self(0);

    /// The set with one slot more.
    #[must_use]
    pub(super) fn with(self, slot: Slot) -> Self {
        Self(self.0 | 1_u64.checked_shl(u32::from(slot.0)).unwrap_or(0))
    }

    /// The set without a slot.
    #[must_use]
    pub(super) fn without(self, slot: Slot) -> Self {
        Self(self.0 & !Self::NONE.with(slot).0)
    }

    /// What is in either.
    #[must_use]
    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is here and not there.
    #[must_use]
    pub(super) fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The first slot of the set.
    pub(super) fn first(self) -> Option<Slot> {
        if self.0 == 0 { None } else { u8::try_from(self.0.trailing_zeros()).ok().map(Slot) }
    }
}

/// An item name.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotName<'a> {
    pub(super) name: &'a str,
    /// Place of its declaration.
    pub(super) span: Span,
    /// `None` when the stream is unknown, which has been reported.
    pub(super) stream: Option<StreamId>,
}

/// A `let` by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct LetName {
    pub(super) span: Span,
    /// `None` while it is broken.
    pub(super) index: Option<LetId>,
}

/// Names that are local to a rule, and what is bound at the present place.
#[derive(Debug)]
pub(super) struct Scope<'w, 'a> {
    pub(super) world: &'w mut World<'a>,
    pub(super) slots: Vec<SlotName<'a>>,
    pub(super) slot_names: BTreeMap<&'a str, Slot>,
    pub(super) lets: FxHashMap<&'a str, LetName>,
    pub(super) let_defs: Vec<LetDef>,
    /// For each of `let_defs`, the items that it reads and does not bind itself.
    pub(super) let_slots: Vec<Slots>,
    /// Items bound at the present place.
    pub(super) bound: Slots,
    /// True where `each` may stand.
    pub(super) each_allowed: bool,
    /// Place of the rule's `each`.
    pub(super) each_at: Option<Span>,
    /// True when `when` asks whether rules fired.
    pub(super) reads_firing: bool,
}

impl<'w, 'a> Scope<'w, 'a> {
    pub(super) fn new(world: &'w mut World<'a>) -> Self {
        Self {
            world,
            slots: Vec::new(),
            slot_names: BTreeMap::new(),
            lets: FxHashMap::default(),
            let_defs: Vec::new(),
            let_slots: Vec::new(),
            reads_firing: false,
            bound: Slots::NONE,
            each_allowed: false,
            each_at: None,
        }
    }

    /// Declares an item name. Its place is taken even when the stream is unknown.
    pub(super) fn declare(&mut self, name: &'a Name, stream: Option<StreamId>) -> bool {
        if !self.is_free(name) {
            return false;
        }
        if self.slots.len() >= SLOTS_MAX {
            let message = format!("a rule may have at most {SLOTS_MAX} item names");
            self.world.report.push(Diagnostic::error(id::BAD_VALUE, name.span, message));
            return false;
        }
        let slot = Slot(u8::try_from(self.slots.len()).unwrap_or(u8::MAX));
        self.slots.push(SlotName { name: &name.node, span: name.span, stream });
        self.slot_names.insert(&name.node, slot);
        stream.is_some()
    }

    /// Reports a local name that is taken: by a definition or another local name.
    pub(super) fn is_free(&mut self, name: &Name) -> bool {
        let word = name.node.as_str();
        let local = self.slot_names.get(word).and_then(|slot| self.slot(*slot)).map(|slot| slot.span);
        let taken = local.or_else(|| self.lets.get(word).map(|found| found.span));
        let definition = self.world.names.get(word);
        let error = |message: String| Diagnostic::error(id::DUPLICATE_NAME, name.span, message);
        let error = if let Some(first) = taken {
            error(format!("`{word}` is used twice in this rule")).related(first, "first used here")
        } else if let Some(entry) = definition {
            error(format!("`{word}` is already the name of a {}", entry.kind.word()))
                .related(entry.span, "defined here")
                .help("choose another name inside the rule")
        } else {
            return true;
        };
        self.world.report.push(error);
        false
    }

    /// What is known of a slot.
    pub(super) fn slot(&self, slot: Slot) -> Option<SlotName<'a>> {
        self.slots.get(usize::from(slot.0)).copied()
    }

    /// Reports items that are not bound here.
    pub(super) fn need_bound(&mut self, needed: Slots, span: Span) -> Option<()> {
        let Some(slot) = needed.minus(self.bound).first() else { return Some(()) };
        let SlotName { name, span: declared, .. } = self.slot(slot)?;
        let error = Diagnostic::error(id::UNBOUND_VALUE, span, format!("`{name}` has no item here"))
            .related(declared, "it stands for an item here")
            .help("only `some` and `each` that hold on every path of `when` bind an item for later lines");
        self.world.report.fail(error)
    }

    /// An undotted or dotted name where a value is needed.
    pub(super) fn path(&mut self, name: &'a str, span: Span) -> Option<Expr> {
        if let Some(found) = self.lets.get(name).copied() {
            return self.let_value(found, span);
        }
        if let Some(slot) = self.slot_names.get(name).copied() {
            let fields = self.field_names(slot);
            let error =
                Diagnostic::error(id::OUT_OF_PLACE, span, format!("`{name}` is an item, not a value"));
            return self.world.report.fail(error.help(format!("name one of its fields: {fields}")));
        }
        if let Some((head, field)) = name.split_once('.')
            && let Some(slot) = self.slot_names.get(head).copied()
        {
            return self.field(slot, field, span);
        }
        if self.world.is_signal(name) {
            let signal = self.world.signal(name, span)?;
            let ty = self.world.set.signals.get(signal.0 as usize)?.ty;
            return Some(Expr { span, ty, kind: ExprKind::Signal(signal) });
        }
        self.unknown_value(name, span)
    }

    fn let_value(&mut self, found: LetName, span: Span) -> Option<Expr> {
        let index = found.index?;
        let slots = self.let_slots.get(usize::from(index.0)).copied().unwrap_or_default();
        self.need_bound(slots, span)?;
        let ty = self.let_defs.get(usize::from(index.0))?.expr.ty;
        Some(Expr { span, ty, kind: ExprKind::Let(index) })
    }

    fn field(&mut self, slot: Slot, field: &str, span: Span) -> Option<Expr> {
        let SlotName { name, stream, .. } = self.slot(slot)?;
        let stream = self.world.set.streams.get(stream?.0 as usize)?;
        let found = stream.fields.iter().position(|(known, _)| &**known == field);
        match found.and_then(|index| Some((u16::try_from(index).ok()?, stream.fields.get(index)?.1))) {
            Some((index, ty)) => {
                self.need_bound(Slots::NONE.with(slot), span)?;
                Some(Expr { span, ty, kind: ExprKind::Field(slot, index) })
            }
            None => {
                let known = stream.fields.iter().map(|(known, _)| &**known);
                let what = format!("field of `{name}`:");
                let error = self.world.report.unknown(span, &what, field, known);
                self.world.report.fail(error)
            }
        }
    }

    fn field_names(&self, slot: Slot) -> String {
        let stream = self.slot(slot).and_then(|slot| slot.stream);
        let stream = stream.and_then(|stream| self.world.set.streams.get(stream.0 as usize));
        let fields = stream.iter().flat_map(|stream| &stream.fields);
        let names: Vec<String> = fields.map(|(name, _)| format!("`{name}`")).collect();
        names.join(", ")
    }

    fn unknown_value(&mut self, name: &str, span: Span) -> Option<Expr> {
        if let Some(entry) = self.world.names.get(name) {
            let message = format!("`{name}` is a {}, and a value is needed here", entry.kind.word());
            let error = Diagnostic::error(id::UNKNOWN_NAME, span, message);
            return self.world.report.fail(error.related(entry.span, "defined here"));
        }
        let world = &mut *self.world;
        let mut known: Vec<&str> = self.lets.keys().copied().collect();
        known.sort_unstable();
        known.extend(world.names.of(super::names::Kind::Signal));
        let error = world.report.unknown(span, "value", name, known);
        let error = match name.split_once('-') {
            Some((a, b))
                if self.lets.contains_key(a) && (self.lets.contains_key(b) || world.is_signal(b)) =>
            {
                error.help(format!("to subtract, put blanks around the sign: `{a} - {b}`"))
            }
            _ => error,
        };
        world.report.fail(error)
    }

    /// Runs for what is unknown in a part that is broken for another reason; nothing else is said about it.
    pub(super) fn only_names<T>(&mut self, run: impl FnOnce(&mut Self) -> T) {
        let before = self.world.report.diagnostics.len();
        self.apart(run);
        self.world.report.keep_since(before, |finding| finding.id == id::UNKNOWN_NAME);
    }

    /// True for a word that names nothing, so that it may be a literal.
    pub(super) fn is_bare_word(&self, name: &str) -> bool {
        !name.contains('.')
            && !self.lets.contains_key(name)
            && !self.slot_names.contains_key(name)
            && !self.world.is_signal(name)
    }

    /// Items that an expression reads and does not bind itself.
    pub(super) fn free_slots(&self, expr: &Expr) -> Slots {
        free_slots(expr, &self.let_slots)
    }

    /// The type in words.
    pub(super) fn describe(&self, ty: Type) -> String {
        self.world.describe(ty)
    }
}

/// Items that an expression reads and does not bind itself, those of its `let`s included.
pub(super) fn free_slots(expr: &Expr, lets: &[Slots]) -> Slots {
    let mut free = match &expr.kind {
        ExprKind::Field(slot, _) | ExprKind::ItemAge(slot) => Slots::NONE.with(*slot),
        ExprKind::Let(index) => lets.get(usize::from(index.0)).copied().unwrap_or_default(),
        _ => Slots::NONE,
    };
    expr.each_part(&mut |part| free = free.union(free_slots(part, lets)));
    match &expr.kind {
        ExprKind::Join(join) => free.without(join.slot),
        // `some e …` binds `e` for the conditions after it.
        ExprKind::And(list) => list.iter().filter_map(joined).fold(free, Slots::without),
        _ => free,
    }
}

fn joined(expr: &Expr) -> Option<Slot> {
    match &expr.kind {
        ExprKind::Join(join) => Some(join.slot),
        _ => None,
    }
}
