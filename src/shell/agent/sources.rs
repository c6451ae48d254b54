//! When each source is read: at its interval, after a change, and after a failure with growing patience.

use std::collections::BTreeMap;

use super::{Agent, Order};
use crate::connectors::source::Failure;
use crate::engine::time::{Instant, MS_PER_HOUR};
use crate::shell::sources::LiveSource;
use crate::store::StoreError;

/// First wait after a failure, in milliseconds; each further one doubles it.
const PATIENCE_MS: i64 = 30_000;
/// Longest wait after a failure, unless the source is read more rarely anyway.
const PATIENCE_MS_MAX: i64 = MS_PER_HOUR;

/// A source and its next read.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) source: LiveSource,
    /// When it is read next; `None` when only a change starts that.
    next: Option<Instant>,
    /// True while a read is under way.
    reading: bool,
    /// True when something changed during the read.
    again: bool,
}

impl Agent {
    /// Other sources from now on; those that stay the same go on as they were.
    pub(super) fn put_sources(&mut self, now: Instant, sources: Vec<LiveSource>) -> Result<(), StoreError> {
        let mut old = std::mem::take(&mut self.sources);
        let mut runs = BTreeMap::new();
        let mut changed = false;
        for source in sources {
            let name = source.name.clone();
            let run = match old.remove(&name) {
                Some(run) if run.source == source => run,
                known => {
                    changed = true;
                    let reading = known.is_some_and(|run| run.reading);
                    let next = Some(self.first_read(&source, now)?);
                    Run { source, next, reading, again: reading }
                }
            };
            runs.insert(name, run);
        }
        changed |= !old.is_empty();
        self.sources = runs;
        if changed {
            let sources = self.sources.values().map(|run| run.source.clone());
            self.orders.push(Order::Sources(sources.collect()));
        }
        Ok(())
    }

    /// Now, or when the interval since the last good read is over. What lies in files is read at once: nobody
    /// noticed what changed there meanwhile.
    fn first_read(&self, source: &LiveSource, now: Instant) -> Result<Instant, StoreError> {
        if source.watched().next().is_some() || source.listens().is_some() {
            return Ok(now);
        }
        let read_at = self.session.store().source(&source.name)?.read_at;
        let next = read_at.zip(source.every).map(|(at, every)| at.0.saturating_add(every));
        // A clock that was set back must not silence a source.
        let latest = now.0.saturating_add(source.every.unwrap_or_default());
        Ok(Instant(next.unwrap_or(now.0).clamp(now.0, latest)))
    }

    /// True while a source is being read.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        self.sources.values().any(|run| run.reading)
    }

    pub(super) fn next_read(&self) -> Option<Instant> {
        self.sources.values().filter(|run| !run.reading).filter_map(|run| run.next).min()
    }

    /// All are read now.
    pub(super) fn read_all(&mut self, now: Instant) {
        for run in self.sources.values_mut() {
            run.next = Some(now);
            run.again |= run.reading;
        }
    }

    pub(super) fn changed(&mut self, now: Instant, name: &str) {
        if let Some(run) = self.sources.get_mut(name) {
            run.next = Some(now);
            run.again |= run.reading;
        }
    }

    pub(super) fn start_reads(&mut self, now: Instant) -> Result<(), StoreError> {
        let Some(zone) = self.rules().map(crate::engine::rule_set::RuleSet::home) else { return Ok(()) };
        for run in self.sources.values_mut() {
            if run.reading || run.next.is_none_or(|next| next > now) {
                continue;
            }
            (run.reading, run.next) = (true, None);
            let memory = self.session.store().source(&run.source.name)?.memory;
            self.orders.push(Order::Read { source: Box::new(run.source.clone()), memory, zone });
        }
        Ok(())
    }

    /// A read is over: when the next one is due.
    pub(super) fn plan_next(&mut self, now: Instant, name: &str, failed: Option<(&Failure, u32)>) {
        let Some(run) = self.sources.get_mut(name) else { return };
        run.reading = false;
        let wait = match failed {
            None => run.source.every,
            Some((failure, failures)) => Some(patience(name, run.source.every, failure, failures)),
        };
        run.next = wait.map(|wait| Instant(now.0.saturating_add(wait)));
        if std::mem::take(&mut run.again) && failed.is_none() {
            run.next = Some(now);
        }
    }
}

/// How long to wait after a failure: twice as long each time, a fifth more or less so that many do not ask at
/// once, and never sooner than the server asks for.
pub(super) fn patience(name: &str, every: Option<i64>, failure: &Failure, failures: u32) -> i64 {
    let doubled = PATIENCE_MS.saturating_mul(1 << failures.saturating_sub(1).min(16));
    let longest = every.unwrap_or_default().max(PATIENCE_MS_MAX);
    let spread = name
        .bytes()
        .fold(u64::from(failures), |sum, byte| sum.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte));
    let percent = 80 + i64::try_from(spread % 41).unwrap_or_default();
    let wait = doubled.min(longest).saturating_mul(percent) / 100;
    let asked = match failure {
        Failure::Busy { retry_after: Some(seconds), .. } => {
            i64::try_from(*seconds).unwrap_or(i64::MAX).saturating_mul(1000)
        }
        _ => 0,
    };
    // A week is as good as for ever.
    wait.max(asked.min(7 * 24 * MS_PER_HOUR))
}
