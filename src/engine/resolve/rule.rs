//! A rule: its cause, its `let`s, its condition and the rest of its clauses.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::clauses::Clauses;
use super::id;
use super::names::Kind;
use super::scope::{LetName, Scope, Slots};
use super::world::World;
use crate::engine::diagnostic::Diagnostic;
use crate::engine::record::StreamId;
use crate::engine::rule_set::{
    Cause, Gather, Hold, LetDef, LetId, Line, QuietId, RuleDef, ScheduleDefKind, ScheduleId,
};
use crate::engine::source::{SourceFile, Span};
use crate::engine::syntax::ast::{self, ExprKind as Tree, Length, Name, QuietPolicy};
use crate::engine::value::Type;

/// Resolves a rule; `None` when anything in it is wrong, all of which is reported. Of a rule that could not
/// be read as a whole only what cannot follow from the missing part is reported.
pub(super) fn resolve<'a>(
    world: &mut World<'a>,
    (rule, span, broken): (&'a ast::Rule, Span, bool),
) -> Option<RuleDef> {
    let before = world.report.diagnostics.len();
    let clauses = Clauses::sort(rule, &mut world.report);
    let mut scope = Scope::new(world);
    let resolved = scope.rule_def(rule, span, &clauses);
    if broken {
        if let Some(source) = world.sources.get(span.file) {
            let local = may_be_local(source.slice(span));
            world.report.keep_since(before, |finding| stands_alone(finding, &local, source));
        }
        return None;
    }
    let clean = world.report.diagnostics.len() == before;
    resolved.filter(|_| clean)
}

/// True for a finding that no unread clause can explain; `local` are the names that one may have given.
fn stands_alone(finding: &Diagnostic, local: &BTreeSet<&str>, source: &SourceFile) -> bool {
    match finding.id {
        id::MISSING_PART | id::OUT_OF_PLACE | id::UNBOUND_VALUE => false,
        id::UNKNOWN_NAME if finding.message.starts_with("unknown value") => {
            let name = source.slice(finding.span);
            let head = name.split_once('.').map_or(name, |(head, _)| head);
            !local.contains(head)
        }
        _ => true,
    }
}

/// Names that a line of a rule, read or not, may give to a value or an item: `let usual = …`,
/// `on news.item as n`, `some e in …`.
fn may_be_local(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut before = "";
    let mut words =
        text.split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        let named =
            word.contains('=') || words.peek().is_some_and(|next| next.starts_with('=') || *next == "in");
        if named || matches!(before, "let" | "as") {
            names.insert(name);
        }
        before = word;
    }
    names
}

impl<'a> Scope<'_, 'a> {
    fn rule_def(&mut self, rule: &'a ast::Rule, span: Span, clauses: &Clauses<'a>) -> Option<RuleDef> {
        let cause = self.cause(clauses);
        let on_slots = self.bound;
        let declared = self.declare_items(clauses);
        self.resolve_lets(clauses);
        let when = self.when(clauses, cause, rule.name.span);
        let after_when = self.bound;
        for tree in &clauses.spare {
            self.only_names(|scope| scope.value(tree));
        }

        self.bound = on_slots;
        let gather = clauses.gather.map(|(gather, span)| self.gather(gather, cause, span));
        // What a gathering rule says and does at its schedule concerns many items, not one.
        let collects = matches!(gather, Some(Some(Gather::Items { .. })));
        let (single, acting) = if collects { (Slots::NONE, Slots::NONE) } else { (on_slots, after_when) };

        self.bound = single;
        let unless = clauses.unless.map(|(tree, span)| self.line(tree, span));
        let clear = clauses.clear.map(|(tree, span)| {
            self.only_for_state(cause, "clear when", span);
            self.line(tree, span)
        });
        self.bound = acting;
        let hold = clauses.hold.map(|(length, span)| self.hold(length.node, cause, span));
        let then = self.then(clauses.then, rule.name.span);
        let once_per = clauses.once_per.map(|(keys, _)| self.keys(keys));
        let wait = clauses.wait.map(|(length, _)| self.length(length));
        let expires = clauses.expires.map(|(length, _)| self.length(length));
        let quiet = self.quiet(clauses);
        let title: Arc<str> = rule.title.as_ref().unwrap_or(&rule.name).node.as_str().into();
        let text = super::text::Place { title: &title, gather: gather.as_ref().map(Option::as_ref), cause };
        let say = self.say(clauses.say, text);

        let slots = self.slots.iter().map(|slot| Some((Arc::from(slot.name), slot.stream?)));
        let mut def = RuleDef {
            name: rule.name.node.as_str().into(),
            span,
            off: clauses.off.is_some(),
            cause: cause?,
            slots: slots.collect::<Option<Vec<_>>>()?,
            lets: Vec::new(),
            when: when?,
            when_any: clauses.any.is_some(),
            unless: flat(unless)?,
            hold: flat(hold)?,
            clear: flat(clear)?,
            gather: flat(gather)?,
            then: then?,
            each: None,
            once_per: flat(once_per)?.unwrap_or_default(),
            wait: flat(wait)?,
            expires: flat(expires)?,
            quiet: quiet?,
            unknown: clauses.unknown.map(|(policy, _)| policy.node).unwrap_or_default(),
            say: say?,
            facts: Vec::new(),
            reads: crate::engine::rule_set::Reads::default(),
            state_hash: Arc::from(""),
            title,
        };
        def.lets = std::mem::take(&mut self.let_defs);
        def.each = crate::engine::rule_set::each_slot(&def.when);
        def.reads = super::reads::reads(&def, &self.world.set);
        def.state_hash = self.state_hash(&def);
        self.check_dates(&def);
        let shown = |span| self.world.shown(span);
        def.facts = super::facts::facts(&def, &self.let_slots, acting, &shown);
        declared.then_some(def)
    }

    /// What causes the rule to be judged; its item takes slot 0.
    fn cause(&mut self, clauses: &Clauses<'a>) -> Option<Cause> {
        let Some((name, var, span)) = clauses.on else { return Some(Cause::State) };
        if self.world.is_stream(&name.node) {
            let Some(stream) = self.world.find_stream(name) else {
                self.bind_cause(var, None);
                return None;
            };
            if var.is_none() {
                let message = format!("items of `{}` need a name here", name.node);
                return self.world.missing(span, message, "write `as` and a name, such as `as n`");
            }
            self.bind_cause(var, Some(stream));
            return Some(Cause::Item(stream));
        }
        let known = self.world.names.get(&name.node).map(|entry| entry.kind);
        if known.is_none() {
            let names = &self.world.names;
            let known: Vec<&str> = names.of(Kind::Stream).chain(names.of(Kind::Schedule)).collect();
            let error = self.world.report.unknown(name.span, "stream or schedule", &name.node, known);
            self.bind_cause(var, None);
            return self.world.report.fail(error);
        }
        let found = self.world.names.find(&mut self.world.report, name, Kind::Schedule).map(ScheduleId);
        let Some(schedule) = found else {
            self.bind_cause(var, None);
            return None;
        };
        let kind = self.world.set.schedules.get(schedule.index()).map(|found| &found.kind);
        match (kind, var) {
            (Some(ScheduleDefKind::Before(_, stream)), Some(_)) => {
                let stream = *stream;
                self.bind_cause(var, Some(stream));
            }
            (Some(ScheduleDefKind::Before(_, stream)), None) => {
                // The item keeps slot 0 even when no name is given to it.
                self.slots.push(super::scope::SlotName { name: "", span, stream: Some(*stream) });
            }
            (_, Some(var)) => {
                let message = format!("`{}` runs by the calendar and has no item to name", name.node);
                let error = Diagnostic::error(id::OUT_OF_PLACE, var.span, message);
                self.world.report.push(error.help("leave out `as`"));
            }
            (_, None) => {}
        }
        Some(Cause::Schedule(schedule))
    }

    fn bind_cause(&mut self, var: Option<&'a Name>, stream: Option<StreamId>) {
        let Some(var) = var else { return };
        self.declare(var, stream);
        if let Some(slot) = self.slot_names.get(var.node.as_str()) {
            self.bound = self.bound.with(*slot);
        }
    }

    /// Declares the names of all items that questions and `gather` speak of.
    fn declare_items(&mut self, clauses: &Clauses<'a>) -> bool {
        let mut joins: Vec<(&'a Name, &'a Name)> = Vec::new();
        for expr in clauses.expressions() {
            expr.walk(&mut |part| {
                if let Tree::Join(join) = &part.kind {
                    joins.push((&join.var, &join.stream));
                }
            });
        }
        if let Some((ast::Gather::Text { var, stream, .. }, _)) = clauses.gather {
            joins.push((var, stream));
        }
        let mut whole = true;
        for (var, stream) in joins {
            let stream = self.world.find_stream(stream);
            whole &= self.declare(var, stream);
        }
        whole
    }

    /// Resolves `let`s, each after those that it reads.
    fn resolve_lets(&mut self, clauses: &Clauses<'a>) {
        let mut defs: Vec<(&'a Name, &'a ast::Expr)> = Vec::new();
        let mut spare: Vec<&'a ast::Expr> = Vec::new();
        for (name, value) in &clauses.lets {
            if self.is_free(name) {
                self.lets.insert(&name.node, LetName { span: name.span, index: None });
                defs.push((name, value));
            } else {
                spare.push(*value);
            }
        }
        let order = super::order::lets(&defs, &mut self.world.report);
        let ordered: BTreeSet<usize> = order.iter().copied().collect();
        let cyclic = (0..defs.len()).filter(|at| !ordered.contains(at)).filter_map(|at| defs.get(at));
        spare.extend(cyclic.map(|(_, value)| *value));
        for at in order {
            let Some((name, value)) = defs.get(at) else { continue };
            let Some(expr) = self.apart(|scope| scope.value(value)) else { continue };
            let Ok(index) = u16::try_from(self.let_defs.len()) else { continue };
            self.let_slots.push(self.free_slots(&expr));
            self.let_defs.push(LetDef { name: name.node.as_str().into(), expr });
            self.lets.insert(&name.node, LetName { span: name.span, index: Some(LetId(index)) });
        }
        for value in spare {
            self.only_names(|scope| scope.value(value));
        }
    }

    fn when(&mut self, clauses: &Clauses<'a>, cause: Option<Cause>, name: Span) -> Option<Vec<Line>> {
        if clauses.when.is_empty() && cause == Some(Cause::State) {
            let message = "a rule needs a condition";
            return self.world.missing(
                name,
                message,
                "write `when` and a condition, or `on` and a stream or schedule",
            );
        }
        let any = clauses.any.is_some();
        let mut lines = Vec::new();
        let mut whole = true;
        for (tree, span) in &clauses.when {
            let line = if any {
                self.line(tree, *span)
            } else {
                self.each_allowed = true;
                let expr = self.condition(tree);
                self.each_allowed = false;
                expr.map(|expr| Line::new(expr, *span, &self.let_defs))
            };
            match line {
                Some(line) => lines.push(line),
                None => whole = false,
            }
        }
        self.reads_firing = super::reads::asks_for_firing(&lines, &self.let_defs);
        whole.then_some(lines)
    }

    /// A condition whose items are not visible outside.
    fn line(&mut self, tree: &'a ast::Expr, span: Span) -> Option<Line> {
        let expr = self.apart(|scope| scope.condition(tree))?;
        Some(Line::new(expr, span, &self.let_defs))
    }

    fn only_for_state(&mut self, cause: Option<Cause>, clause: &str, span: Span) {
        if matches!(cause, Some(Cause::Item(_) | Cause::Schedule(_))) {
            let message =
                format!("`{clause}` needs a condition that lasts, and this rule is judged at single moments");
            let error = Diagnostic::error(id::OUT_OF_PLACE, span, message);
            self.world.report.push(error.help("leave out `on`, or this clause"));
        }
    }

    fn hold(&mut self, length: Length, cause: Option<Cause>, span: Span) -> Option<(Hold, Span)> {
        self.only_for_state(cause, "for", span);
        let hold = match length {
            Length::Exact(ms) if ms > 0 => Hold::Exact(ms),
            Length::Calendar(dates) if dates.days() > 0 => {
                self.world.report.needs_zone(span);
                Hold::Dates(dates.days())
            }
            _ => return self.world.report.error(id::BAD_VALUE, span, "`for` must be longer than nothing"),
        };
        Some((hold, span))
    }

    /// `for 2 days` counts dates, so everything that the condition reads must have one value a date.
    fn check_dates(&mut self, def: &RuleDef) {
        let Some((Hold::Dates(_), span)) = def.hold else { return };
        let signals = &self.world.set.signals;
        let read = super::reads::of_condition(def, &self.world.set);
        let read = read.iter().filter_map(|signal| signals.get(signal.0 as usize));
        let sampled = read.into_iter().find(|signal| !signal.is_dated());
        let message = match sampled {
            Some(signal) => format!("this counts dates, and `{}` is neither daily nor nightly", signal.name),
            None if def.reads.dated.is_empty() => {
                "this counts dates, and no daily or nightly signal is read".to_owned()
            }
            None => return,
        };
        let error = Diagnostic::error(id::OUT_OF_PLACE, span, message);
        self.world.report.push(error.help("write a duration, such as `for 48h`"));
    }

    fn length(&mut self, length: &crate::engine::source::Spanned<Length>) -> Option<Length> {
        let positive = match length.node {
            Length::Exact(ms) => ms > 0,
            Length::Calendar(dates) => {
                self.world.report.needs_zone(length.span);
                dates.days() > 0
            }
        };
        if positive {
            return Some(length.node);
        }
        self.world.report.error(id::BAD_VALUE, length.span, "this must be longer than nothing")
    }

    fn quiet(&mut self, clauses: &Clauses<'a>) -> Option<Vec<(QuietId, QuietPolicy)>> {
        let mut found: Vec<(QuietId, QuietPolicy)> = Vec::new();
        let mut whole = true;
        for (name, policy) in &clauses.quiet {
            let quiet = self.world.names.find(&mut self.world.report, name, Kind::Quiet).map(QuietId);
            match quiet {
                Some(quiet) if found.iter().any(|(known, _)| *known == quiet) => {
                    let message = format!("`{}` has two policies in this rule", name.node);
                    self.world.report.push(Diagnostic::error(id::OUT_OF_PLACE, name.span, message));
                }
                Some(quiet) => found.push((quiet, policy.node)),
                None => whole = false,
            }
        }
        found.sort_by_key(|(quiet, _)| *quiet);
        whole.then_some(found)
    }

    fn gather(&mut self, gather: &'a ast::Gather, cause: Option<Cause>, span: Span) -> Option<Gather> {
        match gather {
            ast::Gather::Items { at_most, at, newest_first } => {
                let at = self.world.find_calendar_schedule(at, "`gather`");
                if !matches!(cause, Some(Cause::Item(_)) | None) {
                    let message =
                        "`gather … at` collects the items of a stream, and this rule is not `on` one";
                    let error = Diagnostic::error(id::OUT_OF_PLACE, span, message);
                    return self.world.report.fail(error.help("write `on STREAM as x`"));
                }
                if let Some(most) = at_most.as_ref().filter(|most| most.node == 0) {
                    return self.world.report.error(id::BAD_VALUE, most.span, "`at most 0` collects nothing");
                }
                let at_most = at_most.as_ref().map(|most| most.node);
                Some(Gather::Items { at_most, at: at?, newest_first: newest_first.is_some() })
            }
            ast::Gather::Text { var, window, filter, .. } => {
                let slot = self.slot_names.get(var.node.as_str()).copied();
                let window = window.as_ref().map(|window| self.item_window(window));
                let filter = filter.as_ref().map(|tree| {
                    self.apart(|scope| {
                        scope.bound = slot.map_or(scope.bound, |slot| scope.bound.with(slot));
                        scope.condition(tree)
                    })
                });
                if !matches!(cause, Some(Cause::Schedule(_)) | None) {
                    let message =
                        "`gather x in …` collects items for the text of a rule that runs at a schedule";
                    let error = Diagnostic::error(id::OUT_OF_PLACE, span, message);
                    return self.world.report.fail(error.help("write `on SCHEDULE`"));
                }
                let slot = slot?;
                let stream = self.slot(slot)?.stream?;
                Some(Gather::Text { slot, stream, window: flat(window)?, filter: flat(filter)? })
            }
        }
    }

    fn state_hash(&self, def: &RuleDef) -> Arc<str> {
        let read = super::reads::lets_of_state(def, &self.world.set);
        self.world.canonical.state(def.span, &|name| read.contains(name))
    }

    /// True for what may be shown or be part of an identity.
    pub(super) fn is_shown(&self, ty: Type, kind: &crate::engine::rule_set::ExprKind) -> bool {
        use crate::engine::rule_set::ExprKind as Kind;
        ty != Type::Flag || matches!(kind, Kind::Signal(_) | Kind::Field(..) | Kind::Let(_) | Kind::Const(_))
    }
}

/// Something written is resolved, or the whole is `None`.
pub(super) fn flat<T>(found: Option<Option<T>>) -> Option<Option<T>> {
    match found {
        Some(None) => None,
        Some(Some(value)) => Some(Some(value)),
        None => Some(None),
    }
}
