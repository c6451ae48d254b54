//! `given` lines to records.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Answer, Scenario};
use crate::engine::record::{Field, Record, RecordKind};
use crate::engine::rule_set::RuleSet;
use crate::engine::source::Spanned;
use crate::engine::syntax::ast::{
    Cadence, Clock, DateLit, Expr, Fold, Gap, LocalTime, Name, Test, TestLineKind,
};
use crate::engine::time::{Date, Instant, MS_PER_DAY, MS_PER_HOUR, Zone, clock_ms};
use crate::engine::value::Type;

/// Records of a test before they are put in order.
pub(super) struct Givens {
    records: Vec<Record>,
    /// Items without `at`: known from the start.
    from_start: Vec<RecordKind>,
    pub(super) answers: Vec<Answer>,
    zone: Zone,
    latest: Option<Instant>,
    earliest: Option<Instant>,
}

/// A local time in a zone: after a gap the first instant, of two the first.
pub(super) fn instant(zone: Zone, local: LocalTime) -> Instant {
    on_wall(zone, date(local.date), i64::from(local.second).saturating_mul(1000))
}

fn on_wall(zone: Zone, date: Date, ms_of_day: i64) -> Instant {
    zone.resolve(date, ms_of_day, Gap::After, Fold::First).first().unwrap_or(Instant(0))
}

fn date(date: DateLit) -> Date {
    Date::of_literal(date).unwrap_or(Date(0))
}

impl Givens {
    pub(super) fn read(rules: &RuleSet, test: &Test) -> Self {
        let written = test.lines.iter().find_map(|line| match &line.kind {
            TestLineKind::Zone(name) => Zone::parse(&name.node),
            _ => None,
        });
        let default = rules.home();
        let mut givens = Self {
            records: Vec::new(),
            from_start: Vec::new(),
            answers: Vec::new(),
            zone: written.unwrap_or(default),
            latest: None,
            earliest: None,
        };
        for line in &test.lines {
            givens.read_line(rules, &line.kind);
        }
        givens
    }

    fn read_line(&mut self, rules: &RuleSet, line: &TestLineKind) {
        match line {
            TestLineKind::Zone(_) | TestLineKind::NothingElse => {}
            TestLineKind::Series { signal, cadence, at, from, values } => {
                let clock = at.as_ref().map_or(Clock(0), |clock| clock.node);
                self.series(rules, signal, (cadence.node, clock, date(from.node)), values);
            }
            TestLineKind::Reading { signal, value, at, observed } => {
                let at = self.moment(at);
                let observed = observed.as_ref().map_or(at, |local| instant(self.zone, local.node));
                self.reading(rules, signal, value, (at, observed));
            }
            TestLineKind::Item { stream, id, fields, at, removed } => {
                let kind = item(rules, self.zone, (stream, id), fields, *removed);
                match (kind, at) {
                    (Some(kind), Some(at)) => self.record(at, kind),
                    (Some(kind), None) => self.from_start.push(kind),
                    (None, _) => {}
                }
            }
            TestLineKind::Travel(zone, at) => {
                if let Some(zone) = Zone::parse(&zone.node) {
                    self.record(at, RecordKind::Zone(zone));
                }
            }
            TestLineKind::Down(from, to) => {
                self.record(from, RecordKind::Down);
                self.record(to, RecordKind::Restart);
            }
            TestLineKind::Restart(at) => self.record(at, RecordKind::Restart),
            TestLineKind::Seen(rule, at) => self.answer(rule, at, RecordKind::Seen),
            TestLineKind::HandoverFailed(rule, at) => self.answer(rule, at, RecordKind::HandoverFailed),
            TestLineKind::Rejected(rule, at) => self.answer(rule, at, RecordKind::Rejected),
            TestLineKind::Snooze(rule, at, until) => {
                let until = instant(self.zone, until.node);
                let rule = rule.as_ref().map(|rule| rule.node.as_str().into());
                self.record(at, RecordKind::Snooze { rule, until });
            }
            TestLineKind::Quiet(at, until) => {
                let until = instant(self.zone, until.node);
                self.record(at, RecordKind::Quiet { until });
            }
            TestLineKind::Expect(expect) => {
                let at = instant(self.zone, expect.at.node);
                self.span(at);
            }
        }
    }

    fn span(&mut self, at: Instant) {
        self.latest = self.latest.max(Some(at));
        self.earliest = Some(self.earliest.map_or(at, |earliest| earliest.min(at)));
    }

    fn moment(&mut self, at: &Spanned<LocalTime>) -> Instant {
        let at = instant(self.zone, at.node);
        self.span(at);
        at
    }

    fn record(&mut self, at: &Spanned<LocalTime>, kind: RecordKind) {
        let at = self.moment(at);
        self.records.push(Record { at, kind });
    }

    fn answer(&mut self, rule: &Name, at: &Spanned<LocalTime>, make: fn(Arc<str>) -> RecordKind) {
        let at = self.moment(at);
        self.answers.push(Answer { at, rule: rule.node.as_str().into(), make });
    }

    fn reading(&mut self, rules: &RuleSet, signal: &Name, value: &Expr, (at, observed): (Instant, Instant)) {
        let Some(id) = rules.signal_named(&signal.node) else { return };
        let Some(def) = rules.signals.get(id.0 as usize) else { return };
        if let Some(value) = super::literal::scalar(value, def.ty, rules, self.zone) {
            self.records.push(Record { at, kind: RecordKind::Reading { signal: id, observed, value } });
        }
    }

    /// One value a step, from the first date on at the clock time; `missing` makes no record.
    fn series(
        &mut self,
        rules: &RuleSet,
        signal: &Name,
        (cadence, clock, from): (Cadence, Clock, Date),
        values: &[(Option<Expr>, u32)],
    ) {
        let mut place = 0_i64;
        for (value, repeat) in values {
            for _ in 0..*repeat {
                let at = self.series_instant(cadence, clock, from, place);
                self.span(at);
                if let Some(value) = value {
                    self.reading(rules, signal, value, (at, at));
                }
                place = place.saturating_add(1);
            }
        }
    }

    fn series_instant(&self, cadence: Cadence, clock: Clock, from: Date, place: i64) -> Instant {
        let on = |date| on_wall(self.zone, date, clock_ms(clock));
        let step = match cadence {
            Cadence::Sampled | Cadence::Daily | Cadence::Nightly => {
                return on(Date(from.0.saturating_add(i32::try_from(place).unwrap_or(i32::MAX))));
            }
            Cadence::Hourly => MS_PER_HOUR,
            Cadence::Every(ms) => ms,
        };
        Instant(on(from).0.saturating_add(step.saturating_mul(place)))
    }

    pub(super) fn into_scenario(self) -> Scenario {
        let start = self.earliest.unwrap_or(Instant(0));
        // Half-open like every window: what runs daily does not run once more at the end.
        let end = Instant(self.latest.unwrap_or(start).0.saturating_add(MS_PER_DAY).saturating_sub(1));
        let mut batches: BTreeMap<Instant, Vec<Record>> = BTreeMap::new();
        let first = batches.entry(start).or_default();
        first.extend(self.from_start.into_iter().map(|kind| Record { at: start, kind }));
        for record in self.records {
            batches.entry(record.at).or_default().push(record);
        }
        Scenario { batches: batches.into_iter().collect(), end, zone: self.zone }
    }
}

fn item(
    rules: &RuleSet,
    zone: Zone,
    (stream, id): (&Name, &Spanned<String>),
    fields: &[(Name, Expr)],
    removed: bool,
) -> Option<RecordKind> {
    let of = rules.stream_named(&stream.node)?;
    let id: Arc<str> = id.node.as_str().into();
    if removed {
        return Some(RecordKind::Removed { stream: of, id });
    }
    let def = rules.streams.get(of.0 as usize)?;
    let value = |(name, ty): &(Arc<str>, Type)| -> Option<Field> {
        let (_, expr) = fields.iter().find(|(field, _)| *field.node == **name)?;
        super::literal::value(expr, *ty, rules, zone)
    };
    let fields: Vec<Option<Field>> = def.fields.iter().map(value).collect();
    Some(RecordKind::Item { stream: of, id, observed: None, fields: fields.into() })
}
