//! Who reads what: derived once from a rule set, so that a record touches only the rules it can change.
//!
//! Rules are named by rank here: their position in `strata`, so that going up in rank is judging in order.

use super::{Cause, Expr, ExprKind, Gather, RuleId, RuleSet, Source, WindowId, WindowSpan};
use crate::engine::facts::{SignalFacts, SignalWindow};
use crate::engine::record::StreamId;

/// Position of a rule in the order of judging.
pub type Rank = u32;

/// Readers by what they read.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The rule at each rank.
    pub order: Vec<RuleId>,
    /// The rank of each rule.
    pub rank: Vec<Rank>,
    /// By signal: readers of its current value.
    pub current: Vec<Vec<Rank>>,
    /// By rule: of each signal of its `reads.current`, the place of the rule among that signal's readers.
    pub guard_places: Vec<Vec<usize>>,
    /// By signal: readers of its windows or dates.
    pub history: Vec<Vec<Rank>>,
    /// By signal: readers of its silence.
    pub silence: Vec<Vec<Rank>>,
    /// By stream: readers of its items.
    pub streams: Vec<Vec<Rank>>,
    /// By stream: rules judged once a new item.
    pub items: Vec<Vec<RuleId>>,
    /// By schedule: rules that it causes to be judged.
    pub scheduled: Vec<Vec<RuleId>>,
    /// By schedule: rules that gather at it.
    pub gathering: Vec<Vec<RuleId>>,
    /// By rule: ranks of those that read its firing.
    pub fired: Vec<Vec<Rank>>,
    /// By stream: schedules that run before its items.
    pub before: Vec<Vec<usize>>,
    /// By window: its position among the windows of its signal.
    slots: Vec<usize>,
    /// By signal: its windows, in order.
    windows: Vec<Vec<SignalWindow>>,
    /// By signal: true when some window changes with each reading.
    pub moving: Vec<bool>,
}

impl Index {
    /// Derives the index of a rule set.
    #[must_use]
    pub fn of(rules: &RuleSet) -> Self {
        let mut index = Self {
            order: rules.strata.clone(),
            rank: vec![0; rules.rules.len()],
            current: vec![Vec::new(); rules.signals.len()],
            guard_places: vec![Vec::new(); rules.rules.len()],
            history: vec![Vec::new(); rules.signals.len()],
            silence: vec![Vec::new(); rules.signals.len()],
            streams: vec![Vec::new(); rules.streams.len()],
            items: vec![Vec::new(); rules.streams.len()],
            scheduled: vec![Vec::new(); rules.schedules.len()],
            gathering: vec![Vec::new(); rules.schedules.len()],
            fired: vec![Vec::new(); rules.rules.len()],
            before: vec![Vec::new(); rules.streams.len()],
            slots: Vec::with_capacity(rules.windows.len()),
            windows: vec![Vec::new(); rules.signals.len()],
            moving: vec![false; rules.signals.len()],
        };
        index.add_windows(rules, &most_needed(rules));
        index.add_schedules(rules);
        for (rank, rule) in rules.strata.iter().enumerate() {
            index.add_rule(rules, *rule, Rank::try_from(rank).unwrap_or(Rank::MAX));
        }
        index
    }

    fn add_windows(&mut self, rules: &RuleSet, needs: &[u32]) {
        for (window, needs) in rules.windows.iter().zip(needs) {
            let signal = window.signal.0 as usize;
            let place = self.windows.get(signal).map_or(0, Vec::len);
            self.slots.push(place);
            let scale = rules.signals.get(signal).map_or(0, |def| rules.decimals(def.ty));
            if let Some(windows) = self.windows.get_mut(signal) {
                windows.push(SignalWindow { kind: window.kind, span: window.span, scale, needs: *needs });
            }
            let moves = !matches!(window.span, WindowSpan::Days { with_today: false, .. });
            if let Some(moving) = self.moving.get_mut(signal) {
                *moving |= moves;
            }
        }
    }

    fn add_schedules(&mut self, rules: &RuleSet) {
        for (place, schedule) in rules.schedules.iter().enumerate() {
            if let super::ScheduleDefKind::Before(_, stream) = &schedule.kind
                && let Some(before) = self.before.get_mut(stream.0 as usize)
            {
                before.push(place);
            }
        }
    }

    fn add_rule(&mut self, rules: &RuleSet, id: RuleId, rank: Rank) {
        let Some(rule) = rules.rules.get(id.index()) else { return };
        if let Some(place) = self.rank.get_mut(id.index()) {
            *place = rank;
        }
        if rule.off {
            return;
        }
        match rule.cause {
            Cause::State => self.add_state_rule(rule, id, rank),
            Cause::Item(stream) => push(&mut self.items, stream.0 as usize, id),
            Cause::Schedule(schedule) => push(&mut self.scheduled, schedule.index(), id),
        }
        if let Some(Gather::Items { at, .. }) = &rule.gather {
            push(&mut self.gathering, at.index(), id);
        }
    }

    fn add_state_rule(&mut self, rule: &super::RuleDef, id: RuleId, rank: Rank) {
        let reads = &rule.reads;
        for signal in &reads.current {
            let place = self.current.get(signal.0 as usize).map_or(0, Vec::len);
            push(&mut self.guard_places, id.index(), place);
            push(&mut self.current, signal.0 as usize, rank);
        }
        for signal in reads.history.iter().chain(&reads.dated) {
            push_once(&mut self.history, signal.0 as usize, rank);
        }
        for stream in &reads.streams {
            push_once(&mut self.streams, stream.0 as usize, rank);
        }
        for source in &reads.silence {
            match source {
                Source::Signal(signal) => push_once(&mut self.silence, signal.0 as usize, rank),
                Source::Stream(stream) => push_once(&mut self.streams, stream.0 as usize, rank),
            }
        }
        for fired in &reads.fired {
            push_once(&mut self.fired, fired.index(), rank);
        }
    }

    /// Position of a window among those of its signal.
    #[must_use]
    pub fn window_slot(&self, window: WindowId) -> usize {
        self.slots.get(window.index()).copied().unwrap_or(usize::MAX)
    }

    /// Empty memories for the signals of a set.
    #[must_use]
    pub fn empty_signals(&self, rules: &RuleSet) -> Vec<SignalFacts> {
        self.windows.iter().map(|windows| SignalFacts::new(rules.history_days, windows)).collect()
    }

    /// Rules that a stream's new items cause to be judged.
    pub fn item_rules(&self, stream: StreamId) -> &[RuleId] {
        self.items.get(stream.0 as usize).map_or(&[], Vec::as_slice)
    }
}

/// By window: the most values that any expression needs of it.
fn most_needed(rules: &RuleSet) -> Vec<u32> {
    fn look(expr: &Expr, most: &mut Vec<u32>) {
        if let ExprKind::Window { window, needs, .. } = &expr.kind
            && let Some(known) = most.get_mut(window.index())
        {
            *known = (*known).max(*needs);
        }
        expr.each_part(&mut |part| look(part, most));
    }
    let mut most = vec![0; rules.windows.len()];
    for rule in &rules.rules {
        let lines = rule.when.iter().chain(&rule.unless).chain(&rule.clear).map(|line| &line.expr);
        for expr in lines.chain(rule.lets.iter().map(|definition| &definition.expr)) {
            look(expr, &mut most);
        }
    }
    most
}

fn push<T>(lists: &mut [Vec<T>], place: usize, item: T) {
    if let Some(list) = lists.get_mut(place) {
        list.push(item);
    }
}

/// Ranks come in order, so that only the last may be the same.
fn push_once(lists: &mut [Vec<Rank>], place: usize, item: Rank) {
    if let Some(list) = lists.get_mut(place)
        && list.last() != Some(&item)
    {
        list.push(item);
    }
}
