//! Definitions of one line.

use super::reader::{Node, Reader, take};
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    Budget, Cadence, Fold, Function, Gap, ItemKind, Keep, Late, List, Name, Period, Quiet, QuietWindow,
    Schedule, ScheduleKind, Signal, Stream, Timed, UnitDef, Weekday, Zone,
};
use crate::engine::syntax::grammar::Rule;

impl Reader<'_> {
    /// Any definition of one line.
    pub(super) fn definition(&mut self, node: Node<'_>) -> Option<ItemKind> {
        Some(match node.as_rule() {
            Rule::zone => ItemKind::Zone(self.zone(node)?),
            Rule::keep => {
                let amount = node.into_inner().find(|part| part.as_rule() == Rule::amount)?;
                ItemKind::Keep(Keep { history: self.calendar_span(amount)? })
            }
            Rule::quiet => ItemKind::Quiet(self.quiet(node)?),
            Rule::budget => ItemKind::Budget(self.budget(node)?),
            Rule::unit_line => {
                let mut parts = node.into_inner().skip(1);
                let name = self.word(&parts.next()?);
                let scale = self.count(&parts.nth(1)?)?;
                if scale.node > 6 {
                    return self.refuse(
                        scale.span,
                        format!("`{}` decimals are too many", scale.node),
                        "write 0 to 6",
                    );
                }
                ItemKind::Unit(UnitDef { name, scale })
            }
            Rule::signal => ItemKind::Signal(self.signal(node)?),
            Rule::stream => ItemKind::Stream(self.stream(node)?),
            Rule::list => ItemKind::List(self.list(node)?),
            Rule::schedule => ItemKind::Schedule(self.schedule(node)?),
            Rule::function => ItemKind::Function(self.function(node)?),
            _ => return None,
        })
    }

    fn zone(&mut self, node: Node<'_>) -> Option<Zone> {
        let mut parts = node.into_inner().skip(1).filter(|part| part.as_rule() != Rule::equals);
        let name = self.name(&parts.next()?)?;
        let iana = self.text(&parts.next()?)?;
        let mut zone = Zone { name, iana, default: None, gap: None, fold: None };
        for part in parts.filter(|part| part.as_rule() == Rule::zone_option) {
            let mut words = part.into_inner();
            let word = words.next()?;
            let place = self.span(&word);
            let known = match (word.as_rule(), words.next()) {
                (Rule::kw_gap, Some(choice)) => {
                    let gap = if choice.as_str() == "skip" { Gap::Skip } else { Gap::After };
                    zone.gap.replace(Spanned::new(gap, self.span(&choice))).is_some()
                }
                (Rule::kw_fold, Some(choice)) => {
                    let fold = match choice.as_str() {
                        "first" => Fold::First,
                        "second" => Fold::Second,
                        _ => Fold::Both,
                    };
                    zone.fold.replace(Spanned::new(fold, self.span(&choice))).is_some()
                }
                _ => zone.default.replace(place).is_some(),
            };
            if known {
                return self.refuse(place, format!("`{}` is written twice", word.as_str()), "");
            }
        }
        Some(zone)
    }

    fn quiet(&mut self, node: Node<'_>) -> Option<Quiet> {
        let (mut name, mut windows, mut zone) = (None, Vec::new(), None);
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(&part)?),
                Rule::window | Rule::day_window => windows.push(self.window(part)?),
                Rule::in_zone => zone = self.zone_of(Some(part))?,
                _ => {}
            }
        }
        Some(Quiet { name: name?, windows, zone })
    }

    fn window(&mut self, node: Node<'_>) -> Option<QuietWindow> {
        let (mut days, mut from, mut to) = (Vec::new(), None, None);
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::weekday => days.push(self.weekday(&part)?),
                Rule::clock if from.is_none() => from = Some(self.clock(&part, false)?),
                Rule::clock => to = Some(self.clock(&part, true)?),
                _ => {}
            }
        }
        Some(QuietWindow { days, from: from?, to: to? })
    }

    fn weekday(&mut self, node: &Node<'_>) -> Option<Spanned<Weekday>> {
        let day = match node.as_str() {
            "Mon" => Weekday::Mon,
            "Tue" => Weekday::Tue,
            "Wed" => Weekday::Wed,
            "Thu" => Weekday::Thu,
            "Fri" => Weekday::Fri,
            "Sat" => Weekday::Sat,
            "Sun" => Weekday::Sun,
            _ => return None,
        };
        Some(Spanned::new(day, self.span(node)))
    }

    fn budget(&mut self, node: Node<'_>) -> Option<Budget> {
        let (mut name, mut count, mut per, mut zone) = (None, None, None, None);
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(&part)?),
                Rule::integer => count = Some(self.count(&part)?),
                Rule::period => per = period(part.as_str()),
                Rule::in_zone => zone = self.zone_of(Some(part))?,
                _ => {}
            }
        }
        Some(Budget { name: name?, count: count?, per: per?, zone })
    }

    fn signal(&mut self, node: Node<'_>) -> Option<Signal> {
        let mut parts = node.into_inner().skip(1);
        let name = self.name(&parts.next()?)?;
        let unit = self.word(&parts.next()?);
        if matches!(
            unit.node.as_str(),
            "sampled" | "hourly" | "daily" | "nightly" | "every" | "fresh" | "range"
        ) {
            let message = format!("expected a unit, found `{}`", unit.node);
            return self.refuse(
                unit.span,
                message,
                "write the unit after the name, such as `bpm` or `duration`",
            );
        }
        let mut signal = Signal { name, unit, cadence: None, fresh: None, range: None, private: None };
        for part in parts {
            let place = self.span(&part);
            let rule = part.as_rule();
            let known = match rule {
                Rule::cadence => signal.cadence.replace(self.cadence(part)?).is_some(),
                Rule::fresh => signal.fresh.replace(self.duration(part.into_inner().last()?)?).is_some(),
                Rule::range => {
                    let mut bounds = part
                        .into_inner()
                        .filter(|bound| !matches!(bound.as_rule(), Rule::kw_range | Rule::kw_to));
                    let low = self.literal(bounds.next()?)?;
                    let high = self.literal(bounds.next()?)?;
                    signal.range.replace((low, high)).is_some()
                }
                Rule::kw_private => signal.private.replace(place).is_some(),
                _ => false,
            };
            if known {
                return self.refuse(place, "this is written twice for one signal", "delete one of the two");
            }
        }
        Some(signal)
    }

    pub(super) fn cadence(&mut self, node: Node<'_>) -> Option<Spanned<Cadence>> {
        let place = self.span(&node);
        let mut parts = node.into_inner();
        let cadence = match parts.next()?.as_rule() {
            Rule::kw_sampled => Cadence::Sampled,
            Rule::kw_hourly => Cadence::Hourly,
            Rule::kw_daily => Cadence::Daily,
            Rule::kw_nightly => Cadence::Nightly,
            _ => Cadence::Every(self.duration(parts.next()?)?.node),
        };
        Some(Spanned::new(cadence, place))
    }

    fn stream(&mut self, node: Node<'_>) -> Option<Stream> {
        let (mut name, mut fields, mut timed, mut private) = (None, Vec::new(), None, None);
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::dotted => name = Some(self.name(&part)?),
                Rule::field => fields.push(self.field(part)?),
                Rule::timed => {
                    let mut names = self.names(part)?.into_iter();
                    timed = Some(Timed { start: names.next()?, end: names.next() });
                }
                Rule::kw_private => private = Some(self.span(&part)),
                _ => {}
            }
        }
        Some(Stream { name: name?, fields, timed, private })
    }

    /// A name and its type word.
    fn field(&mut self, node: Node<'_>) -> Option<(Name, Name)> {
        let mut parts = node.into_inner();
        Some((self.name(&parts.next()?)?, self.word(&parts.next()?)))
    }

    fn list(&mut self, node: Node<'_>) -> Option<List> {
        let (mut name, mut entries) = (None, Vec::new());
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(&part)?),
                Rule::text => entries.push(self.text(&part)?),
                _ => {}
            }
        }
        Some(List { name: name?, entries })
    }

    fn schedule(&mut self, node: Node<'_>) -> Option<Schedule> {
        let (mut name, mut kind, mut zone, mut late) = (None, None, None, None);
        for part in node.into_inner() {
            let place = self.span(&part);
            match part.as_rule() {
                Rule::name => name = Some(self.name(&part)?),
                Rule::schedule_kind => kind = Some(Spanned::new(self.schedule_kind(part)?, place)),
                Rule::in_zone => zone = self.zone_of(Some(part))?,
                Rule::late => {
                    let mut parts = part.into_inner();
                    let word = parts.next()?;
                    let choice = parts.last()?;
                    let node = match choice.as_rule() {
                        Rule::clock => Late::Until(self.clock(&choice, false)?.node),
                        Rule::kw_skip => Late::Skip,
                        _ => Late::Within(self.duration(choice)?.node),
                    };
                    late = Some(Spanned::new(node, self.span(&word).to(place)));
                }
                _ => {}
            }
        }
        Some(Schedule { name: name?, kind: kind?, zone, late })
    }

    fn schedule_kind(&mut self, node: Node<'_>) -> Option<ScheduleKind> {
        let mut parts = node.into_inner().peekable();
        if let Some(amount) = take(&mut parts, Rule::amount) {
            let ahead = self.duration(amount)?;
            return Some(ScheduleKind::Before(ahead, self.name(&parts.last()?)?));
        }
        let word = parts.next()?.as_rule();
        let (mut days, mut number, mut clocks) = (Vec::new(), None, Vec::new());
        for part in parts {
            match part.as_rule() {
                Rule::weekday => days.push(self.weekday(&part)?),
                Rule::integer => number = Some(self.count(&part)?),
                Rule::clock => clocks.push(self.clock(&part, false)?),
                Rule::amount => return Some(ScheduleKind::Every(self.duration(part)?)),
                _ => {}
            }
        }
        match (word, number) {
            (Rule::kw_daily, _) => Some(ScheduleKind::Daily(clocks)),
            (Rule::kw_on, _) => Some(ScheduleKind::Weekly(days, clocks)),
            (_, Some(day)) if (1..=31).contains(&day.node) => Some(ScheduleKind::Monthly(day, clocks)),
            (_, Some(day)) => {
                self.refuse(day.span, format!("`{}` is not a day of a month", day.node), "write 1 to 31")
            }
            _ => None,
        }
    }

    fn function(&mut self, node: Node<'_>) -> Option<Function> {
        let (mut name, mut params, mut returns, mut from) = (None, Vec::new(), None, None);
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(&part)?),
                Rule::field => params.push(self.field(part)?),
                Rule::unit => returns = Some(self.word(&part)),
                Rule::text => from = Some(self.text(&part)?),
                _ => {}
            }
        }
        Some(Function { name: name?, params, returns: returns?, from: from? })
    }
}

/// A period by its word.
pub(super) fn period(word: &str) -> Option<Period> {
    Some(match word {
        "hour" => Period::Hour,
        "day" => Period::Day,
        "week" => Period::Week,
        "month" => Period::Month,
        _ => return None,
    })
}
