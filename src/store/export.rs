//! The journal as recorded days, so that a dry-run works on one's own past.
//!
//! INVARIANT: with one rule set in force, a dry-run over the lines says what the journal says: the first and
//! the last row are there as ticks even when nothing was learnt at them, since that is when the engine began
//! and how far it came.

use super::Store;
use super::error::StoreError;
use super::rows::{self, EntryBody};
use crate::engine::records::instant_of;
use crate::engine::time::{Instant, Zone, format_instant};

impl Store {
    /// Hands out the lines of all records that are still there, in the order in which they were taken in,
    /// with the instant of each. A row's lines are learnt at its instant.
    ///
    /// # Errors
    /// When the journal cannot be read, or the first one of `each`.
    pub fn export<E: From<StoreError>>(
        &self,
        zone: Zone,
        mut each: impl FnMut(Instant, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let tick = |at| format!("{{\"at\":\"{}\",\"tick\":true}}", format_instant(zone, at));
        let (mut first, mut last) = (true, None);
        rows::each_from(&self.db, i64::MIN, |entry| -> Result<(), E> {
            let Some(EntryBody::Records(lines)) = &entry.body else { return Ok(()) };
            if std::mem::take(&mut first) && lines.is_empty() {
                each(entry.at, &tick(entry.at))?;
            }
            for line in lines.lines() {
                let at = instant_of(line.as_bytes()).unwrap_or(entry.at);
                each(at, line)?;
            }
            last = Some((entry.at, lines.is_empty()));
            Ok(())
        })?;
        match last {
            Some((at, true)) => each(at, &tick(at)),
            _ => Ok(()),
        }
    }
}
