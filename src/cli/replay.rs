//! Recorded days through the engine, on a virtual clock.

use std::path::PathBuf;

use clap::Args;

use super::Context;
use super::days::{self, Batch, Options};
use crate::engine::decision::Line;
use crate::engine::rule_set::RuleSet;
use crate::engine::state::State;
use crate::engine::step::{Event, Outcome, step_each};
use crate::engine::time::Instant;

/// Which days, and what to do with bad lines.
#[derive(Debug, Args)]
pub(super) struct DaysArgs {
    /// Recorded days: a file, a folder, or `-`
    days: PathBuf,
    /// List bad lines and skip them
    #[arg(long)]
    skip_bad: bool,
}

impl DaysArgs {
    /// Runs the engine over the days, up to an instant if one is given, and hands out each line as it comes.
    ///
    /// # Errors
    /// When the days cannot be read.
    pub(super) fn replay(
        &self,
        rules: &RuleSet,
        until: Option<Instant>,
        context: &mut Context<'_, '_>,
        mut each: impl FnMut(Line) -> anyhow::Result<()>,
    ) -> anyhow::Result<State> {
        let mut days = days::open(&self.days, rules, Options { skip_bad: self.skip_bad })?;
        let mut state = State::new(rules);
        let (mut batch, mut outcome) = (Batch::default(), Outcome::default());
        let mut told = |outcome: &mut Outcome| outcome.lines.drain(..).try_for_each(&mut each);
        let mut over = false;
        while !over {
            match days.next_into(&mut batch) {
                None => break,
                Some(read) => read?,
            }
            over = until.is_some_and(|until| batch.at > until);
            let event = match until {
                Some(until) if over => Event { at: until, records: &[] },
                _ => Event { at: batch.at, records: &batch.records },
            };
            if over && state.since.is_none() {
                break;
            }
            step_each(rules, &mut state, event, &mut outcome, &mut told)?;
        }
        if let (false, Some(until), true) = (over, until, state.since.is_some()) {
            let end = Event { at: until, records: &[] };
            step_each(rules, &mut state, end, &mut outcome, &mut told)?;
        }
        self.tell_summary(&days, context)?;
        Ok(state)
    }

    fn tell_summary(&self, days: &days::Days, context: &mut Context<'_, '_>) -> anyhow::Result<()> {
        let summary = days.summary();
        for line in &summary.skipped_lines {
            context.console.note(format!("skipped {line}"))?;
        }
        for (name, count) in &summary.undeclared {
            context.console.note(format!("{count} records of `{name}`, which no rule file declares"))?;
        }
        Ok(())
    }
}
