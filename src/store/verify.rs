//! Recomputes everything that the journal says, and names the first difference.
//!
//! Where retention or `forget` took something out, recomputing begins at the snapshot behind it; of the rows
//! before it only the chain is looked at. What another engine or other zone data decided is not compared.

use super::Store;
use super::chain;
use super::error::StoreError;
use super::rows::{self, Entry, EntryBody, StoredDecision};
use super::session::{Engine, engine_at, take_in};
use crate::engine::ENGINE;
use crate::engine::time::zone_data_version;

/// What was looked at when nothing differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Rows of the journal.
    pub rows: u64,
    /// Lines that were computed anew and are the same.
    pub decisions: u64,
    /// Rows of which only the chain was looked at, since what led to them was taken out.
    pub old_rows: u64,
    /// Lines that another engine or other zone data said, and that are not compared.
    pub other_lines: u64,
}

/// The first thing that is not as the journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A number is left out, or comes before its turn.
    Hole {
        /// The number that should have come.
        expected: i64,
        /// The one that came.
        found: i64,
    },
    /// The row was changed after it was written, or one before it was.
    Chain {
        /// The row.
        seq: i64,
    },
    /// The engine says the same in another way.
    Trace {
        /// The row.
        seq: i64,
    },
    /// The engine says something else.
    Decision {
        /// The row.
        seq: i64,
        /// The stored line, if there is one at this place.
        stored: Option<String>,
        /// The line as it is computed, if there is one at this place.
        computed: Option<String>,
    },
}

/// Ends the walk.
enum End {
    Differs(Difference),
    Failed(StoreError),
}

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl Store {
    /// Walks the chain and computes every stored decision again, by the rule sets that were in force. Writes
    /// nothing.
    ///
    /// # Errors
    /// When the journal cannot be read, or a row cannot be taken in again.
    pub fn verify(&self) -> Result<Result<Verified, Difference>, StoreError> {
        let mut walk = Walk {
            store: self,
            base: rows::base(&self.db)?,
            engine: None,
            before: chain::START,
            next: 1,
            sum: Verified::default(),
        };
        match rows::each_from(&self.db, i64::MIN, |entry| walk.row(&entry)) {
            Ok(()) => Ok(Ok(walk.sum)),
            Err(End::Differs(difference)) => Ok(Err(difference)),
            Err(End::Failed(error)) => Err(error),
        }
    }
}

struct Walk<'s> {
    store: &'s Store,
    base: Option<(i64, String)>,
    engine: Option<Engine>,
    before: chain::Hash,
    next: i64,
    sum: Verified,
}

impl Walk<'_> {
    fn row(&mut self, entry: &Entry) -> Result<(), End> {
        if entry.seq != self.next {
            return Err(End::Differs(Difference::Hole { expected: self.next, found: entry.seq }));
        }
        let whole =
            entry.edited || entry.body.as_ref().is_none_or(|body| chain::digest(body.text()) == entry.digest);
        let hash = chain::hash(&self.before, entry.seq, entry.at.0, &entry.kind, &entry.digest);
        if !whole || hash != entry.hash {
            return Err(End::Differs(Difference::Chain { seq: entry.seq }));
        }
        match &self.base {
            Some((base, _)) if entry.seq < *base => self.sum.old_rows = self.sum.old_rows.saturating_add(1),
            Some((base, state)) if entry.seq == *base => {
                self.engine = Some(engine_at(&self.store.db, *base, state)?);
                self.sum.old_rows = self.sum.old_rows.saturating_add(1);
            }
            _ => self.compute(entry)?,
        }
        self.before = entry.hash;
        self.next = self.next.saturating_add(1);
        self.sum.rows = self.sum.rows.saturating_add(1);
        Ok(())
    }

    fn compute(&mut self, entry: &Entry) -> Result<(), End> {
        take_in(&self.store.db, &mut self.engine, entry)?;
        let is_input = matches!(entry.body, Some(EntryBody::Records(_)));
        let engine = self.engine.as_ref().filter(|_| is_input);
        let stored = rows::decisions(&self.store.db, entry.seq)?;
        let ours = entry
            .program
            .as_ref()
            .is_none_or(|(engine, zones)| *engine == ENGINE && zones == zone_data_version());
        let lines = stored.len() as u64;
        if !ours {
            self.sum.other_lines = self.sum.other_lines.saturating_add(lines);
            return Ok(());
        }
        let computed = engine.map(|engine| engine.said(entry.seq)).unwrap_or_default();
        compare(entry.seq, &stored, &computed).map_err(End::Differs)?;
        if rows::trace(&self.store.db, entry.seq)? != engine.and_then(Engine::trace) {
            return Err(End::Differs(Difference::Trace { seq: entry.seq }));
        }
        self.sum.decisions = self.sum.decisions.saturating_add(lines);
        Ok(())
    }
}

fn compare(seq: i64, stored: &[StoredDecision], computed: &[StoredDecision]) -> Result<(), Difference> {
    for place in 0..stored.len().max(computed.len()) {
        let (was, is) = (stored.get(place), computed.get(place));
        if was != is {
            let line = |said: Option<&StoredDecision>| said.map(|said| said.line.clone());
            return Err(Difference::Decision { seq, stored: line(was), computed: line(is) });
        }
    }
    Ok(())
}
