//! How one decision came about, step by step, from the trace of the step that made it.
//!
//! Takes what is there and puts it into words; judges nothing. A decision that was kept has a story in each
//! step that spoke of it.

use serde::Serialize;

use crate::engine::eval::Truth;
use crate::engine::rule_set::{RuleId, RuleSet};
use crate::engine::source::Sources;
use crate::engine::time::{Instant, Zone, format_instant};
use crate::engine::trace::{Event, Trace};

/// One thing that happened to a decision. Key order is field order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoryStep {
    /// When.
    pub at: String,
    /// `judged`, `clause`, `triggered` or the name of a gate.
    pub what: String,
    /// Its verdict: `true`, `false` or `unknown`; of a gate `passed` or `stopped`.
    pub verdict: String,
    /// The clause as written, or why a gate did not let it pass.
    pub detail: Option<String>,
}

/// The story of a decision in one step of the engine, with the judgement that led to it.
#[must_use]
pub fn story(id: &str, trace: &Trace, rules: &RuleSet, sources: &Sources) -> Vec<StoryStep> {
    let zone = rules.home();
    let mut steps = Vec::new();
    let mut at = Instant(0);
    let mut judged: Option<(Instant, RuleId, Truth, u32)> = None;
    let rule = trace.events.iter().find_map(|event| match event {
        Event::Triggered { rule, id: made } if **made == *id => Some(*rule),
        _ => None,
    });
    for event in &trace.events {
        match event {
            Event::At(instant) => at = *instant,
            Event::Judged { rule: of, verdict, lines, .. } if Some(*of) == rule => {
                judged = Some((at, *of, *verdict, *lines));
            }
            Event::Triggered { rule, id: made } if **made == *id => {
                if let Some((judged_at, of, verdict, lines)) = judged.take().filter(|(_, of, ..)| of == rule)
                {
                    steps.push(step(zone, judged_at, "judged", verdict.word(), None));
                    steps.extend(clauses((zone, judged_at), of, trace, lines, (rules, sources)));
                }
                steps.push(step(zone, at, "triggered", "true", None));
            }
            Event::Gate(gate) if *gate.id == *id => {
                let verdict = if gate.stopped.is_some() { "stopped" } else { "passed" };
                steps.push(step(zone, at, gate.gate, verdict, gate.stopped.as_deref()));
            }
            _ => {}
        }
    }
    steps
}

/// The lines of the rule's `when` with their verdicts.
fn clauses(
    (zone, at): (Zone, Instant),
    rule: RuleId,
    trace: &Trace,
    first: u32,
    (rules, sources): (&RuleSet, &Sources),
) -> Vec<StoryStep> {
    let Some(rule) = rules.rules.get(rule.index()) else { return Vec::new() };
    let verdicts = trace.lines.iter().skip(usize::try_from(first).unwrap_or(usize::MAX));
    let of = |(line, verdict): (&crate::engine::rule_set::Line, &Truth)| {
        let text = sources.get(line.span.file).map(|file| file.on_one_line(line.span));
        step(zone, at, "clause", verdict.word(), text.as_deref())
    };
    rule.when.iter().zip(verdicts).map(of).collect()
}

fn step(zone: Zone, at: Instant, what: &str, verdict: &str, detail: Option<&str>) -> StoryStep {
    StoryStep {
        at: format_instant(zone, at),
        what: what.to_owned(),
        verdict: verdict.to_owned(),
        detail: detail.map(str::to_owned),
    }
}

/// The story as lines that a person reads.
#[must_use]
pub fn text(steps: &[StoryStep]) -> String {
    let mut text = String::new();
    for step in steps {
        let detail = step.detail.as_deref().map(|detail| format!("  {detail}")).unwrap_or_default();
        text.push_str(&format!("  {:<15} {:<8}{detail}\n", step.what, step.verdict));
    }
    text
}
