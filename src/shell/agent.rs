//! The watch without waiting: an event at an instant in, orders out. Holds the journal and the engine.
//!
//! Everything that the engine is told goes through here, one event at a time. The clock that is handed in
//! may stand still, jump or run back; what the engine is told never does:
//! - an input's instant is later than every one before it. A clock that was set back makes time stand until
//!   it is past the newest row again.
//! - if the clock is further on than [`GAP_MS`] after the last sign of life, nobody watched
//!   meanwhile (the process was down, the machine asleep, the clock wrong): the engine is told `down` at that
//!   sign and `restart` now, and schedules follow their `late` clause.
//!
//! Never waits, reads a file or a clock, prints or connects: those are orders to `watch`.

mod reading;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use self::sources::Run;
use super::sources::LiveSource;
use crate::connectors::source::{Failure, Memory, Reading};
use crate::engine::record::{Record, RecordKind};
use crate::engine::records::{Read, Reader};
use crate::engine::rule_set::RuleSet;
use crate::engine::time::{Instant, MS_PER_MINUTE, Zone, format_instant};
use crate::store::{Beside, Heartbeat, Message, RuleFiles, Session, StoreError};

/// Time between two signs of life, in milliseconds.
pub const BEAT_MS: i64 = MS_PER_MINUTE;
/// A silence longer than this was downtime, in milliseconds: three beats.
pub const GAP_MS: i64 = 3 * BEAT_MS;
/// Time between two looks at what grew old, in milliseconds: a day.
const TIDY_MS: i64 = 24 * 60 * MS_PER_MINUTE;

/// All that can happen to a watch.
#[derive(Debug)]
pub enum Incoming {
    /// Time passed.
    Wake,
    /// The owner's files were read anew.
    Loaded(Result<Box<Loaded>, String>),
    /// A source was read.
    Read {
        /// Its name.
        name: String,
        /// What it gave.
        result: Result<Reading, Failure>,
    },
    /// Something changed where a source reads.
    Changed(String),
    /// A command wrote to the inbox.
    Posted,
    /// A message was shown, or could not be.
    Handed {
        /// Its key.
        message: String,
        /// Why not.
        result: Result<(), String>,
    },
    /// The owner or the system wants the watch to end.
    Stop,
}

/// What the owner's files say.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The rule set.
    pub rules: RuleFiles,
    /// Sources.
    pub sources: Vec<LiveSource>,
    /// Milliseconds between two pings of the dead-man switch, where there is one.
    pub ping_ms: Option<i64>,
}

/// What is to be done outside.
#[derive(Debug)]
pub enum Order {
    /// Read a source, and come back with [`Incoming::Read`].
    Read {
        /// The source.
        source: Box<LiveSource>,
        /// What its last read left.
        memory: Memory,
        /// The owner's zone.
        zone: Zone,
    },
    /// Show a message, and come back with [`Incoming::Handed`].
    HandOver(Message),
    /// Tell the owner something about the watch itself.
    Say(String),
    /// Other sources are watched from now on.
    Sources(Vec<LiveSource>),
    /// Ping the dead-man switch.
    Ping,
    /// What was sent to this source's listener is in the journal.
    Received(String),
    /// End.
    End,
}

/// A watch.
#[derive(Debug)]
pub struct Agent {
    session: Session,
    beat: Heartbeat,
    /// The last sign of life: of an earlier watch until the first event.
    alive: Option<Instant>,
    sources: BTreeMap<String, Run>,
    handing: BTreeSet<String>,
    /// True when messages may wait that nobody was told of: at first, and after each that was made.
    waiting: bool,
    /// What was said about files that cannot be used, so that it is said once.
    complaint: Option<String>,
    ping_ms: Option<i64>,
    ping_at: Option<Instant>,
    tidy_at: Instant,
    orders: Vec<Order>,
}

impl Agent {
    /// Goes on where the journal ends; `pid` is only told to others.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn new(session: Session, now: Instant, pid: u32) -> Result<Self, StoreError> {
        let alive = session.store().heartbeat()?.map(|beat| beat.at);
        let version = env!("CARGO_PKG_VERSION").to_owned();
        // The first event is a beat.
        let beat = Heartbeat { at: Instant(0), started: now, pid, version, ended: false };
        Ok(Self {
            session,
            beat,
            alive,
            sources: BTreeMap::new(),
            handing: BTreeSet::new(),
            waiting: true,
            complaint: None,
            ping_ms: None,
            ping_at: None,
            tidy_at: now,
            orders: Vec::new(),
        })
    }

    /// The rule set in force.
    #[must_use]
    pub fn rules(&self) -> Option<&RuleSet> {
        self.session.rules()
    }

    /// The journal and the engine.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Takes one event in.
    ///
    /// # Errors
    /// When the journal cannot take it; then the watch has to begin anew.
    pub fn handle(&mut self, now: Instant, incoming: Incoming) -> Result<Vec<Order>, StoreError> {
        self.awake(now)?;
        self.run_due(now)?;
        match incoming {
            Incoming::Wake => {}
            Incoming::Loaded(Ok(loaded)) => self.load(now, *loaded)?,
            Incoming::Loaded(Err(complaint)) => self.complain(complaint),
            Incoming::Read { name, result } => self.read(now, &name, result)?,
            Incoming::Changed(name) => self.changed(now, &name),
            Incoming::Posted => self.posted(now)?,
            Incoming::Handed { message, result } => self.handed(now, &message, result)?,
            Incoming::Stop => {
                self.beat.ended = true;
                self.beat(now)?;
                return Ok(vec![Order::End]);
            }
        }
        self.run_due(now)?;
        self.start_reads(now)?;
        self.hand_over()?;
        if now.0.saturating_sub(self.beat.at.0) >= BEAT_MS || self.beat.at > now {
            self.beat(now)?;
        }
        self.ping(now);
        if now >= self.tidy_at {
            self.tidy_at = Instant(now.0.saturating_add(TIDY_MS));
            self.session.retain(now)?;
        }
        self.alive = Some(now);
        Ok(std::mem::take(&mut self.orders))
    }

    /// When something has to happen even if nothing comes in.
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let due = self.session.state().and_then(|state| state.next_due());
        let beat = Instant(self.beat.at.0.saturating_add(BEAT_MS));
        let times = [due, self.next_read(), self.ping_at];
        times.into_iter().flatten().fold(beat, Instant::min)
    }

    /// The instant of an input: now, but later than everything in the journal.
    fn at(&self, now: Instant) -> Result<Instant, StoreError> {
        let newest = self.session.store().newest()?.map_or(i64::MIN, |newest| newest.0);
        Ok(Instant(now.0.max(newest.saturating_add(1))))
    }

    /// Whether nobody watched for a while, and what the engine is told then.
    fn awake(&mut self, now: Instant) -> Result<(), StoreError> {
        let Some(state) = self.session.state().filter(|state| state.since.is_some()) else { return Ok(()) };
        if state.down.is_some() {
            // The process died between the two.
            return self.take(now, &mut [bare(RecordKind::Restart)]);
        }
        let alive = self.alive.map_or(state.clock, |alive| alive.max(state.clock));
        if now.0.saturating_sub(alive.0) > GAP_MS {
            self.take(alive, &mut [bare(RecordKind::Down)])?;
            self.take(now, &mut [bare(RecordKind::Restart)])?;
        }
        Ok(())
    }

    /// What is due by time, each at its own instant.
    fn run_due(&mut self, now: Instant) -> Result<(), StoreError> {
        while let Some(due) = self.session.state().and_then(|state| state.next_due()) {
            if due > now {
                break;
            }
            self.take(due, &mut [])?;
        }
        Ok(())
    }

    /// Takes records in that were learnt now.
    fn take(&mut self, now: Instant, records: &mut [Record]) -> Result<(), StoreError> {
        self.take_beside(now, records, Beside::default())
    }

    fn take_beside(
        &mut self,
        now: Instant,
        records: &mut [Record],
        beside: Beside<'_>,
    ) -> Result<(), StoreError> {
        let at = self.at(now)?;
        for record in records.iter_mut() {
            if let RecordKind::Reading { observed, .. } = &mut record.kind
                && *observed == record.at
            {
                *observed = at;
            }
            record.at = at;
        }
        self.waiting |= !self.session.take_with(at, records, beside)?.effects.is_empty();
        Ok(())
    }

    /// Puts the owner's files in force.
    fn load(&mut self, now: Instant, loaded: Loaded) -> Result<(), StoreError> {
        let (before, names) = (self.rules().map(|rules| rules.hash.clone()), self.names());
        let at = self.at(now)?;
        if let Err(error) = self.session.load(at, &loaded.rules) {
            match error {
                StoreError::Rules(reason) => {
                    self.complain(format!("the rules have errors: {reason}"));
                    return Ok(());
                }
                error => return Err(error),
            }
        }
        if self.complaint.take().is_some() {
            self.orders.push(Order::Say("the files are in order again".to_owned()));
        }
        let Some(rules) = self.session.rules() else { return Ok(()) };
        let (hash, count) = (rules.hash.clone(), rules.rules.len());
        if before.as_ref() != Some(&hash) {
            let short = hash.get(..8).unwrap_or(&hash);
            self.orders.push(Order::Say(format!("{count} rules in force (set {short})")));
            if before.is_some() && self.names() != names {
                // What nobody had a name for was passed over: now it may be news.
                self.session.store().forget_memories()?;
                self.read_all(now);
            }
            self.take(now, &mut [])?;
        }
        self.ping_ms = loaded.ping_ms;
        self.ping_at = self.ping_ms.map(|_| now);
        self.put_sources(now, loaded.sources)
    }

    /// Declared signals and streams.
    fn names(&self) -> BTreeSet<String> {
        let Some(rules) = self.rules() else { return BTreeSet::new() };
        let signals = rules.signals.iter().map(|signal| signal.name.to_string());
        signals.chain(rules.streams.iter().map(|stream| stream.name.to_string())).collect()
    }

    /// Says once that files cannot be used.
    fn complain(&mut self, complaint: String) {
        if self.complaint.as_ref() != Some(&complaint) {
            let kept = if self.rules().is_some() { "\nthe last good rule set stays in force" } else { "" };
            self.orders.push(Order::Say(format!("{}{kept}", complaint.trim_end())));
            self.complaint = Some(complaint);
        }
    }

    /// What commands wrote: each line is a record, learnt now.
    fn posted(&mut self, now: Instant) -> Result<(), StoreError> {
        let posted = self.session.store().posted()?;
        let (Some(rules), false) = (self.session.rules(), posted.is_empty()) else { return Ok(()) };
        let (at, zone) = (self.at(now)?, rules.home());
        let (mut records, mut ids) = (Vec::new(), Vec::new());
        let mut reader = Reader::new(rules);
        for (id, line) in &posted {
            ids.push(*id);
            let Some(rest) = line.strip_prefix('{') else { continue };
            let line = format!("{{\"at\":\"{}\",{rest}", format_instant(zone, at));
            match reader.read_line(line.as_bytes()) {
                Ok(Read::Record(record)) => records.push(record),
                _ => self.orders.push(Order::Say(format!("a record cannot be read: {line}"))),
            }
        }
        if records.is_empty() {
            return self.session.drop_posted(&ids);
        }
        self.take_beside(now, &mut records, Beside { source: None, inbox: &ids })
    }

    /// Orders what waits to be shown.
    fn hand_over(&mut self) -> Result<(), StoreError> {
        if !std::mem::take(&mut self.waiting) {
            return Ok(());
        }
        for message in self.session.store().waiting()? {
            if self.handing.insert(message.message.clone()) {
                self.session.store().sending(&message.message)?;
                self.orders.push(Order::HandOver(message));
            }
        }
        Ok(())
    }

    fn handed(&mut self, now: Instant, message: &str, result: Result<(), String>) -> Result<(), StoreError> {
        self.handing.remove(message);
        match result {
            Ok(()) => self.session.store().sent(message, now),
            Err(reason) => {
                // It stays where it is and is shown at the next start: nobody can be told.
                self.orders.push(Order::Say(format!("a message cannot be shown: {reason}")));
                self.handing.insert(message.to_owned());
                Ok(())
            }
        }
    }

    fn beat(&mut self, now: Instant) -> Result<(), StoreError> {
        self.beat.at = now;
        self.session.store().beat(&self.beat)
    }

    fn ping(&mut self, now: Instant) {
        if let (Some(every), Some(at)) = (self.ping_ms, self.ping_at)
            && at <= now
        {
            self.orders.push(Order::Ping);
            self.ping_at = Some(Instant(now.0.saturating_add(every)));
        }
    }
}

/// A record whose instant is set when it is taken in.
fn bare(kind: RecordKind) -> Record {
    Record { at: Instant(0), kind }
}
