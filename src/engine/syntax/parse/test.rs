//! `test` blocks: given and expected lines.

use super::reader::{Node, Nodes, Reader, take};
use super::{Chunk, Session, word_at};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{Expect, Expr, ItemKind, LocalTime, Outcome, Test, TestLine, TestLineKind};
use crate::engine::syntax::grammar::Rule;

/// Values that one line of a test may stand for.
const REPEATS_MAX: u32 = 100_000;

impl Session<'_> {
    /// A test; broken lines are left out.
    pub(super) fn test(&mut self, head: &Chunk, body: &[Chunk]) -> Option<ItemKind> {
        let named = self.chunk(head, Rule::test_head, "test", |reader, node| reader.head(node));
        let mut lines = Vec::with_capacity(body.len());
        for chunk in body {
            let rule = match word_at(self.text, chunk.start) {
                "zone" => Rule::test_zone,
                "given" => Rule::given_line,
                _ => Rule::expect_line,
            };
            if let Some(line) = self.chunk(chunk, rule, "line", |reader, node| reader.test_line(node)) {
                lines.push(line);
            }
        }
        let (name, title) = named?;
        Some(ItemKind::Test(Test { name, title, lines }))
    }
}

impl Reader<'_> {
    fn test_line(&mut self, node: Node<'_>) -> Option<TestLine> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let mut parts = node.into_inner().peekable();
        parts.next()?;
        let kind = match rule {
            Rule::test_zone => TestLineKind::Zone(self.text(&parts.next()?)?),
            Rule::given_line => self.given(parts)?,
            _ => {
                let line = parts.next()?;
                match line.as_rule() {
                    Rule::nothing_else => TestLineKind::NothingElse,
                    _ => TestLineKind::Expect(Box::new(self.expectation(line)?)),
                }
            }
        };
        Some(TestLine { span, kind })
    }

    fn given(&mut self, mut parts: Nodes<'_>) -> Option<TestLineKind> {
        let first = parts.next()?;
        let Some(second) = parts.next().filter(|_| first.as_rule() == Rule::dotted) else {
            return self.incident(first);
        };
        let subject = self.name(&first)?;
        let rule = second.as_rule();
        let inner = second.into_inner().peekable();
        match rule {
            Rule::item => self.item(subject, inner),
            Rule::series => self.series(subject, inner),
            _ => self.reading(subject, inner),
        }
    }

    /// What happens to the machine or is done by the person.
    fn incident(&mut self, node: Node<'_>) -> Option<TestLineKind> {
        let rule = node.as_rule();
        let (mut name, mut text, mut times) = (None, None, Vec::new());
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(&part)?),
                Rule::text => text = Some(self.text(&part)?),
                Rule::moment => times.push(self.local_time(part)?),
                _ => {}
            }
        }
        let mut times = times.into_iter();
        let at = times.next()?;
        Some(match rule {
            Rule::travel => TestLineKind::Travel(text?, at),
            Rule::down => TestLineKind::Down(at, times.next()?),
            Rule::restart => TestLineKind::Restart(at),
            Rule::seen => TestLineKind::Seen(name?, at),
            Rule::handover => TestLineKind::HandoverFailed(name?, at),
            Rule::rejected => TestLineKind::Rejected(name?, at),
            Rule::snooze => TestLineKind::Snooze(name.filter(|name| name.node != "all"), at, times.next()?),
            Rule::quieted => TestLineKind::Quiet(at, times.next()?),
            _ => return None,
        })
    }

    fn item(&mut self, stream: crate::engine::syntax::ast::Name, parts: Nodes<'_>) -> Option<TestLineKind> {
        let (mut id, mut fields, mut at, mut removed) = (None, Vec::new(), None, false);
        for part in parts {
            match part.as_rule() {
                Rule::text => id = Some(self.text(&part)?),
                Rule::kw_removed => removed = true,
                Rule::moment => at = Some(self.local_time(part)?),
                Rule::item_field => {
                    let mut field = part.into_inner();
                    let name = self.name(&field.next()?)?;
                    fields.push((name, self.literal(field.next()?)?));
                }
                _ => {}
            }
        }
        Some(TestLineKind::Item { stream, id: id?, fields, at, removed })
    }

    fn series(&mut self, signal: crate::engine::syntax::ast::Name, parts: Nodes<'_>) -> Option<TestLineKind> {
        let (mut cadence, mut at, mut from, mut values) = (None, None, None, Vec::new());
        for part in parts {
            match part.as_rule() {
                Rule::cadence => cadence = Some(self.cadence(part)?),
                Rule::clock => at = Some(self.clock(&part, false)?),
                Rule::date => from = Some(self.date(&part)?),
                Rule::series_value => values.push(self.series_value(part)?),
                _ => {}
            }
        }
        Some(TestLineKind::Series { signal, cadence: cadence?, at, from: from?, values })
    }

    /// A value, or `missing`, and how often it comes.
    fn series_value(&mut self, node: Node<'_>) -> Option<(Option<Expr>, u32)> {
        let mut parts = node.into_inner().peekable();
        let value = match take(&mut parts, Rule::kw_missing) {
            Some(_) => None,
            None => Some(self.literal(parts.next()?)?),
        };
        let Some(repeat) = parts.next() else { return Some((value, 1)) };
        match repeat.as_str().get(1..)?.parse() {
            Ok(count @ 1..=REPEATS_MAX) => Some((value, count)),
            _ => {
                let message = format!("`{}` repeats too often or never", repeat.as_str());
                self.refuse(self.span(&repeat), message, "write `x1` to `x100000`")
            }
        }
    }

    fn reading(
        &mut self,
        signal: crate::engine::syntax::ast::Name,
        mut parts: Nodes<'_>,
    ) -> Option<TestLineKind> {
        let value = self.literal(parts.next()?)?;
        let mut times = parts.filter(|part| part.as_rule() == Rule::moment);
        let at = self.local_time(times.next()?)?;
        let observed = match times.next() {
            Some(time) => Some(self.local_time(time)?),
            None => None,
        };
        Some(TestLineKind::Reading { signal, value, at, observed })
    }

    fn expectation(&mut self, node: Node<'_>) -> Option<Expect> {
        let span = self.span(&node);
        let mut at: Option<Spanned<LocalTime>> = None;
        let (mut rule, mut level, mut outcome) = (None, None, None);
        let (mut gate, mut per, mut says) = (None, Vec::new(), None);
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::moment => at = Some(self.local_time(part)?),
                Rule::name => rule = Some(self.name(&part)?),
                Rule::level => level = Some(self.level(&part)?),
                Rule::outcome => outcome = Some(Spanned::new(outcome_of(part.as_str())?, self.span(&part))),
                Rule::expect_option => {
                    let place = self.span(&part);
                    let mut words = part.into_inner();
                    let word = words.next()?;
                    let known = match word.as_rule() {
                        Rule::kw_by => gate.replace(self.name(&words.next()?)?).is_some(),
                        Rule::kw_says => says.replace(self.text(&words.next()?)?).is_some(),
                        _ => {
                            let known = !per.is_empty();
                            per = words.map(|text| self.text(&text)).collect::<Option<_>>()?;
                            known
                        }
                    };
                    if known {
                        return self.refuse(place, format!("`{}` is written twice", word.as_str()), "");
                    }
                }
                _ => {}
            }
        }
        Some(Expect { at: at?, rule: rule?, level, outcome: outcome?, gate, per, says, span })
    }
}

fn outcome_of(word: &str) -> Option<Outcome> {
    Some(match word {
        "delivered" => Outcome::Delivered,
        "kept" => Outcome::Kept,
        "suppressed" => Outcome::Suppressed,
        "expired" => Outcome::Expired,
        "digested" => Outcome::Digested,
        _ => return None,
    })
}
