//! The plain reading, split over bytes: `{"at":"…","signal":"…","value":…}`, keys in any order, `observed`
//! or not.
//!
//! Never decides that a line is bad: whatever is not plain (an escape, another key, a key twice, an exponent)
//! gives `None` and is read again by `line`, which knows all of JSON and says what is wrong.

use std::str;

/// A plain reading's parts, still as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading<'a> {
    pub(super) at: &'a [u8],
    pub(super) observed: Option<&'a [u8]>,
    pub(super) signal: &'a [u8],
    pub(super) value: Plain<'a>,
}

/// A value without escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain<'a> {
    /// Digits, a point, a minus; not yet known to be a number.
    Number(&'a [u8]),
    /// The text between the quotes.
    Text(&'a str),
    /// `true` or `false`.
    Flag(bool),
}

/// Splits a line.
#[inline]
pub(super) fn reading(line: &[u8]) -> Option<Reading<'_>> {
    let (mut at, mut observed, mut signal, mut value) = (None, None, None, None);
    let mut rest = after(line, b'{')?;
    loop {
        rest = skip_blanks(rest);
        if let Some(tail) = rest.strip_prefix(b"\"at\"") {
            set(&mut at, name(tail, &mut rest)?)?;
        } else if let Some(tail) = rest.strip_prefix(b"\"signal\"") {
            set(&mut signal, name(tail, &mut rest)?)?;
        } else if let Some(tail) = rest.strip_prefix(b"\"value\"") {
            rest = after(tail, b':')?;
            set(&mut value, plain(&mut rest)?)?;
        } else if let Some(tail) = rest.strip_prefix(b"\"observed\"") {
            set(&mut observed, name(tail, &mut rest)?)?;
        } else {
            return None;
        }
        match skip_blanks(rest) {
            [b',', tail @ ..] => rest = tail,
            [b'}', tail @ ..] if skip_blanks(tail).is_empty() => break,
            _ => return None,
        }
    }
    Some(Reading { at: at?, observed, signal: signal?, value: value? })
}

/// `None` when the slot is taken.
#[inline]
fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.replace(value).is_none().then_some(())
}

#[inline]
fn skip_blanks(mut rest: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\n' | b'\r', tail @ ..] = rest {
        rest = tail;
    }
    rest
}

#[inline]
fn after(rest: &[u8], mark: u8) -> Option<&[u8]> {
    match skip_blanks(rest).split_first() {
        Some((first, tail)) if *first == mark => Some(tail),
        _ => None,
    }
}

/// The bytes of a string up to its first quote, after a colon. Escapes are left in: they are neither in a
/// time nor in a name, so that what looks them up will find nothing.
#[inline]
fn name<'a>(tail: &'a [u8], rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let inside = after(after(tail, b':')?, b'"')?;
    let (text, tail) = inside.split_at_checked(memchr::memchr(b'"', inside)?)?;
    *rest = tail.strip_prefix(b"\"")?;
    Some(text)
}

/// The bytes of a string without escapes; not yet known to be UTF-8.
#[inline]
fn quoted<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let inside = after(rest, b'"')?;
    let end = inside.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
    let (text, tail) = inside.split_at_checked(end)?;
    *rest = tail.strip_prefix(b"\"")?;
    Some(text)
}

#[inline]
fn plain<'a>(rest: &mut &'a [u8]) -> Option<Plain<'a>> {
    *rest = skip_blanks(rest);
    match rest.first()? {
        b'"' => str::from_utf8(quoted(rest)?).ok().map(Plain::Text),
        b't' => word(rest, b"true").map(|()| Plain::Flag(true)),
        b'f' => word(rest, b"false").map(|()| Plain::Flag(false)),
        _ => {
            let end = rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'.'))?;
            let (digits, tail) = rest.split_at_checked(end)?;
            *rest = tail;
            Some(Plain::Number(digits))
        }
    }
}

#[inline]
fn word(rest: &mut &[u8], word: &[u8]) -> Option<()> {
    *rest = rest.strip_prefix(word)?;
    Some(())
}
