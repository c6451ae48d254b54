//! Single clauses of a rule.

use super::reader::{Node, Reader, take};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    Clause, ClauseKind, Escalate, Expr, Gather, Level, Name, QuietPolicy, Say, Template, Then, UnknownPolicy,
};
use crate::engine::syntax::grammar::Rule;

/// The grammar rule of the clause that a word opens.
pub(super) fn clause_rule(word: &str) -> Option<Rule> {
    Some(match word {
        "off" => Rule::off_clause,
        "let" => Rule::let_clause,
        "on" => Rule::on_clause,
        "when" => Rule::when_clause,
        "and" => Rule::and_clause,
        "or" => Rule::or_clause,
        "unless" => Rule::unless_clause,
        "for" => Rule::for_clause,
        "clear" => Rule::clear_clause,
        "gather" => Rule::gather_clause,
        "then" => Rule::then_clause,
        "once" => Rule::once_clause,
        "wait" => Rule::wait_clause,
        "expires" => Rule::expires_clause,
        "quiet" => Rule::quiet_clause,
        "unknown" => Rule::unknown_clause,
        "say" => Rule::say_clause,
        _ => return None,
    })
}

impl Reader<'_> {
    /// Any clause.
    pub(super) fn clause(&mut self, node: Node<'_>) -> Option<Clause> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let mut parts = node.into_inner().peekable();
        parts.next()?;
        let kind = match rule {
            Rule::off_clause => ClauseKind::Off,
            Rule::let_clause => {
                let name = self.name(&parts.next()?)?;
                take(&mut parts, Rule::equals)?;
                ClauseKind::Let(name, self.condition(parts.next()?)?)
            }
            Rule::on_clause => {
                let source = self.name(&parts.next()?)?;
                let item = match take(&mut parts, Rule::kw_as) {
                    Some(_) => Some(self.name(&parts.next()?)?),
                    None => None,
                };
                ClauseKind::On(source, item)
            }
            Rule::when_clause => ClauseKind::When(self.only_condition(parts)?),
            Rule::and_clause => ClauseKind::And(self.only_condition(parts)?),
            Rule::or_clause => ClauseKind::Or(self.only_condition(parts)?),
            Rule::unless_clause => ClauseKind::Unless(self.only_condition(parts)?),
            Rule::clear_clause => ClauseKind::ClearWhen(self.only_condition(parts)?),
            Rule::for_clause => ClauseKind::For(self.length(parts.next()?)?),
            Rule::wait_clause => ClauseKind::Wait(self.length(parts.next()?)?),
            Rule::expires_clause => ClauseKind::Expires(self.length(parts.next()?)?),
            Rule::gather_clause => ClauseKind::Gather(self.gather(parts.next()?)?),
            Rule::then_clause => ClauseKind::Then(self.then(parts)?),
            Rule::once_clause => {
                let names = parts.filter(|part| part.as_rule() == Rule::dotted);
                ClauseKind::OncePer(names.map(|part| self.name(&part)).collect::<Option<_>>()?)
            }
            Rule::quiet_clause => {
                let window = self.name(&parts.next()?)?;
                take(&mut parts, Rule::colon)?;
                ClauseKind::Quiet(window, self.quiet_policy(parts.next()?)?)
            }
            Rule::unknown_clause => {
                let word = parts.next()?;
                let policy = match word.as_str() {
                    "silent" => UnknownPolicy::Silent,
                    "fire" => UnknownPolicy::Fire,
                    _ => UnknownPolicy::Keep,
                };
                ClauseKind::Unknown(Spanned::new(policy, self.span(&word)))
            }
            Rule::say_clause => ClauseKind::Say(self.say(parts)?),
            _ => return None,
        };
        Some(Clause { span, kind })
    }

    fn only_condition<'t>(&mut self, mut parts: impl Iterator<Item = Node<'t>>) -> Option<Expr> {
        self.condition(parts.find(|part| part.as_rule() == Rule::condition)?)
    }

    fn gather(&mut self, node: Node<'_>) -> Option<Gather> {
        let rule = node.as_rule();
        let mut parts = node.into_inner().peekable();
        if rule == Rule::gather_in {
            let (var, stream, window, filter) = self.items(&mut parts)?;
            return Some(Gather::Text { var, stream, window, filter });
        }
        let (mut at_most, mut at, mut newest_first) = (None, None, None);
        for part in parts {
            match part.as_rule() {
                Rule::integer => at_most = Some(self.count(&part)?),
                Rule::name => at = Some(self.name(&part)?),
                Rule::kw_newest => newest_first = Some(self.span(&part)),
                Rule::kw_first => newest_first = newest_first.map(|start| start.to(self.span(&part))),
                _ => {}
            }
        }
        if let Some(Spanned { node: 0, span }) = at_most {
            return self.refuse(span, "`at most 0` gathers nothing", "write 1 or more");
        }
        Some(Gather::Items { at_most, at: at?, newest_first })
    }

    fn then<'t>(&mut self, parts: impl Iterator<Item = Node<'t>>) -> Option<Then> {
        let mut actions = parts.filter(|part| part.as_rule() == Rule::action);
        let first = self.action(actions.next()?)?;
        let second = actions.next();
        if let Some(after) = first.after {
            let help = "write `then tell, then ring after 2h unless seen`";
            return self.refuse(after.span, "`after` stands in the second half of an escalation", help);
        }
        let escalate = match second {
            None => None,
            Some(node) => Some(self.escalate(node)?),
        };
        Some(Then { level: first.level, within: first.within, at: first.at, escalate })
    }

    fn escalate(&mut self, node: Node<'_>) -> Option<Escalate> {
        let place = self.span(&node);
        let second = self.action(node)?;
        if let Some(at) = second.at {
            return self.refuse(at.span, "an escalation has no schedule", "write `after 2h`");
        }
        let Some(after) = second.after else {
            return self.refuse(place, "it is not said when this escalates", "write `after 2h`");
        };
        Some(Escalate { level: second.level, within: second.within, after, unless_seen: second.unless_seen })
    }

    fn action(&mut self, node: Node<'_>) -> Option<Action> {
        let mut parts = node.into_inner();
        let level = self.level(&parts.next()?)?;
        let mut action = Action { level, within: None, at: None, after: None, unless_seen: false };
        for part in parts {
            let rule = part.as_rule();
            let mut inner = part.into_inner().skip(1);
            let value = inner.next()?;
            match rule {
                Rule::within => action.within = Some(self.name(&value)?),
                Rule::at_schedule => action.at = Some(self.name(&value)?),
                _ => {
                    action.unless_seen = inner.next().is_some();
                    action.after = Some(self.duration(value)?);
                }
            }
        }
        Some(action)
    }

    pub(super) fn level(&mut self, node: &Node<'_>) -> Option<Spanned<Level>> {
        let level = match node.as_str() {
            "digest" => Level::Digest,
            "note" => Level::Note,
            "tell" => Level::Tell,
            "ring" => Level::Ring,
            _ => return None,
        };
        Some(Spanned::new(level, self.span(node)))
    }

    fn quiet_policy(&mut self, node: Node<'_>) -> Option<Spanned<QuietPolicy>> {
        let place = self.span(&node);
        let mut words = node.into_inner();
        let policy = match words.next()?.as_rule() {
            Rule::kw_drop => QuietPolicy::Drop,
            Rule::kw_soften => QuietPolicy::Soften,
            Rule::kw_pass => QuietPolicy::Pass,
            _ if words.any(|word| word.as_rule() == Rule::kw_drop) => QuietPolicy::KeepIfTrue,
            _ => QuietPolicy::Keep,
        };
        Some(Spanned::new(policy, place))
    }

    fn say<'t>(&mut self, parts: impl Iterator<Item = Node<'t>>) -> Option<Say> {
        let mut parts = parts.peekable();
        let main = parts.next()?;
        let text = self.template(&main);
        let (mut each, mut otherwise): (Option<Template>, Option<Template>) = (None, None);
        let mut sound = true;
        while let Some(word) = parts.next() {
            if word.as_rule() == Rule::EOI {
                break;
            }
            let read = self.template(&parts.next()?);
            sound &= read.is_some();
            if word.as_rule() == Rule::kw_each { each = read } else { otherwise = read }
        }
        sound.then_some(Say { text: text?, each, otherwise })
    }
}

/// What stands after one `then`.
struct Action {
    level: Spanned<Level>,
    within: Option<Name>,
    at: Option<Name>,
    after: Option<Spanned<i64>>,
    unless_seen: bool,
}
