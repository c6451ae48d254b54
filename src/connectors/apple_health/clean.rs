//! The bytes of an export on their way to the XML reader.
//!
//! Starts at the root element, so that the document type, which some versions of iOS write malformed, is
//! never parsed; replaces bytes that are no UTF-8, which apps leave in free text; and ends the reading when a
//! single event grows beyond its limit, because the XML reader would buffer it whole.

use std::io::{self, BufRead, Read};

use super::{AppleHealthError, EVENT_BYTES_MAX};

/// The root element's beginning.
const ROOT: &[u8] = b"<HealthData";
/// How far it may be from the start.
const PROLOG_BYTES_MAX: usize = 1 << 20;

/// A reader of valid UTF-8 that starts at the root element.
pub(super) struct Clean<R> {
    input: R,
    ready: Vec<u8>,
    taken: usize,
    /// Bytes of an unfinished character.
    pending: Vec<u8>,
    in_event: usize,
}

impl<R: BufRead> Clean<R> {
    /// Skips to the root element.
    pub(super) fn after_doctype(mut input: R) -> Result<Self, AppleHealthError> {
        let mut matched = 0;
        let mut seen = 0;
        while matched < ROOT.len() {
            let chunk = input.fill_buf()?;
            if chunk.is_empty() || seen > PROLOG_BYTES_MAX {
                return Err(AppleHealthError::NotAnExport);
            }
            let mut used = 0;
            for byte in chunk {
                used += 1;
                // `<` stands only at the beginning of the pattern, so a mismatch restarts there.
                matched = match (ROOT.get(matched) == Some(byte), *byte == b'<') {
                    (true, _) => matched + 1,
                    (false, true) => 1,
                    (false, false) => 0,
                };
                if matched == ROOT.len() {
                    break;
                }
            }
            seen += used;
            input.consume(used);
        }
        Ok(Self { input, ready: ROOT.to_vec(), taken: 0, pending: Vec::new(), in_event: 0 })
    }

    /// The next bytes belong to a new event.
    pub(super) fn begin_event(&mut self) {
        self.in_event = 0;
    }

    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.taken = 0;
        while self.ready.is_empty() {
            let chunk = self.input.fill_buf()?;
            let used = chunk.len();
            if used == 0 {
                // An unfinished character at the very end.
                self.ready.extend(self.pending.drain(..).map(|_| b'?'));
                return Ok(());
            }
            if self.pending.is_empty() {
                keep_valid(chunk, &mut self.ready, &mut self.pending);
            } else {
                let mut joined = std::mem::take(&mut self.pending);
                joined.extend_from_slice(chunk);
                keep_valid(&joined, &mut self.ready, &mut self.pending);
            }
            self.input.consume(used);
        }
        Ok(())
    }
}

/// Appends `bytes` with a `?` for each wrong sequence; what may become a character later goes to `pending`.
fn keep_valid(bytes: &[u8], ready: &mut Vec<u8>, pending: &mut Vec<u8>) {
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        ready.extend_from_slice(chunk.valid().as_bytes());
        let wrong = chunk.invalid();
        if chunks.peek().is_none() && could_grow(wrong) {
            pending.extend_from_slice(wrong);
        } else if !wrong.is_empty() {
            ready.push(b'?');
        }
    }
}

/// True for the beginning of a character that was cut by the end of the chunk.
fn could_grow(wrong: &[u8]) -> bool {
    std::str::from_utf8(wrong).is_err_and(|error| error.error_len().is_none())
}

impl<R: BufRead> Read for Clean<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Clean<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.in_event > EVENT_BYTES_MAX {
            let what = format!("one element or text is longer than {EVENT_BYTES_MAX} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        if self.taken >= self.ready.len() {
            self.refill()?;
        }
        Ok(self.ready.get(self.taken..).unwrap_or_default())
    }

    fn consume(&mut self, bytes: usize) {
        self.taken = self.taken.saturating_add(bytes);
        self.in_event = self.in_event.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(bytes: &[u8], capacity: usize) -> String {
        let reader = io::BufReader::with_capacity(capacity, bytes);
        let mut text = String::new();
        Clean::after_doctype(reader).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn starts_at_the_root_whatever_stands_before() {
        let malformed =
            b"\xef\xbb\xbf<?xml?><!DOCTYPE HealthData [ <!ELEMENT HealthData (a>\n<<Health ]><HealthData x";
        for capacity in [1, 2, 7, 4096] {
            assert_eq!(clean(malformed, capacity), "<HealthData x");
        }
        let other = Clean::after_doctype(&b"<feed/>"[..]);
        assert!(matches!(other, Err(AppleHealthError::NotAnExport)));
    }

    #[test]
    fn wrong_bytes_become_question_marks_and_cut_characters_survive() {
        let bytes = "<HealthData a=\"Zo\u{eb} \u{1f600}".as_bytes();
        let mut wrong = bytes.to_vec();
        wrong.extend_from_slice(b"\xff\xc3(\xf0\x9f");
        for capacity in 1..9 {
            assert_eq!(clean(bytes, capacity), "<HealthData a=\"Zo\u{eb} \u{1f600}");
            assert_eq!(clean(&wrong, capacity), "<HealthData a=\"Zo\u{eb} \u{1f600}??(??");
        }
    }

    #[test]
    fn an_endless_event_ends() {
        let mut clean = Clean::after_doctype(io::BufReader::new(ROOT.chain(io::repeat(b'x')))).unwrap();
        let mut sink = Vec::new();
        clean.begin_event();
        let error = clean.read_to_end(&mut sink).unwrap_err();
        assert!(error.to_string().contains("longer than"), "{error}");
        assert!(sink.len() < 2 * EVENT_BYTES_MAX);
    }
}
