//! The text of recorded days to typed records, and back: section 12 of the contract.
//!
//! A [`Reader`] knows one rule set's names, units and fields, so that what it returns needs no further
//! check of types. Lines of plain readings take a path over bytes that allocates nothing (`scan`); whatever
//! is unusual goes through `serde_json` (`line`), and both give the same. Nothing here opens a file, knows
//! the time or judges a value: readings outside their range or out of the future are the engine's to set
//! aside.
//!
//! INVARIANT: numbers go from digits to steps exactly, no binary float between.
//! INVARIANT: a line that `write` made reads as the record it was made from.

mod decimal;
mod field;
mod form;
mod line;
mod scan;
mod write;

use rustc_hash::FxHashMap;

use self::form::Form;
use self::scan::Plain;
use super::record::{Record, RecordKind, Scalar, SignalId, StreamId};
use super::rule_set::RuleSet;
use super::time::Instant;

pub use self::form::text_of;
pub(crate) use self::line::Line as RecordLine;
pub use self::line::{instant_of, item_id, read_instant};
pub use self::write::{sort, write};

/// Reads lines against one rule set.
#[derive(Debug)]
pub struct Reader<'r> {
    signals: FxHashMap<&'r [u8], Signal<'r>>,
    streams: FxHashMap<&'r str, Stream<'r>>,
    /// The signal of the line before: days of one signal need no look-up.
    last: Option<(&'r [u8], Signal<'r>)>,
}

/// What a reader knows of a signal.
#[derive(Clone, Copy, Debug)]
struct Signal<'r> {
    id: SignalId,
    form: Form<'r>,
    /// `source.NAME`: a read worked, so it is `true` and nothing else.
    builtin: bool,
}

/// What a reader knows of a stream: field names and forms in declaration order.
#[derive(Debug)]
struct Stream<'r> {
    id: StreamId,
    fields: Vec<(&'r str, Form<'r>)>,
}

/// What one line holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    /// A record.
    Record(Record),
    /// A signal or stream that the rule set does not declare; only its time was read.
    Undeclared {
        /// When it was learnt.
        at: Instant,
        /// The name as written.
        name: Box<str>,
    },
    /// Only blanks.
    Empty,
}

/// Why a line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct LineError {
    /// What was found and what was expected.
    pub reason: String,
    /// Place of the offending part in the line, in bytes, from 1.
    pub column: usize,
}

impl<'r> Reader<'r> {
    /// Prepares the names, units and fields of a rule set.
    #[must_use]
    pub fn new(set: &'r RuleSet) -> Self {
        let mut signals = FxHashMap::default();
        for (signal, id) in set.signals.iter().zip(0..) {
            let form = Form::new(signal.ty, set);
            let known = Signal { id: SignalId(id), form, builtin: signal.builtin };
            signals.insert(signal.name.as_bytes(), known);
        }
        let mut streams = FxHashMap::default();
        for (stream, id) in set.streams.iter().zip(0..) {
            let fields = stream.fields.iter().map(|(name, ty)| (&**name, Form::new(*ty, set))).collect();
            streams.insert(&*stream.name, Stream { id: StreamId(id), fields });
        }
        Self { signals, streams, last: None }
    }

    /// Reads one line, with or without its line break.
    ///
    /// # Errors
    /// The line is no JSON object, says nothing or too much, or holds a value of a wrong type or unit.
    pub fn read_line(&mut self, line: &[u8]) -> Result<Read, LineError> {
        match self.read_plain(line) {
            Some(record) => Ok(Read::Record(record)),
            None => self.read_any(line),
        }
    }

    /// A plain reading of a declared signal; `None` for everything else, be it right or wrong.
    #[inline]
    fn read_plain(&mut self, line: &[u8]) -> Option<Record> {
        let reading = scan::reading(line)?;
        let at = line::known_instant(reading.at)?;
        let observed = match reading.observed {
            Some(text) => line::known_instant(text)?,
            None => at,
        };
        let signal = self.signal(reading.signal)?;
        let value = match reading.value {
            value if !signal.builtin => signal.form.plain(value)?,
            Plain::Flag(true) => Scalar::Flag(true),
            // Whatever else stands there is told by the careful way.
            _ => return None,
        };
        Some(Record { at, kind: RecordKind::Reading { signal: signal.id, observed, value } })
    }

    #[inline]
    fn signal(&mut self, name: &[u8]) -> Option<Signal<'r>> {
        if let Some((last, signal)) = self.last
            && last == name
        {
            return Some(signal);
        }
        let (known, signal) = self.signals.get_key_value(name)?;
        self.last = Some((*known, *signal));
        Some(*signal)
    }
}

#[cfg(test)]
mod tests;
