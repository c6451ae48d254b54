//! Instants, dates, clock times and durations as text, both ways.
//!
//! Reading is strict and works on bytes, since a replay reads millions of instants. Writing comes in two
//! kinds: exact forms that can be read again without loss, and short forms for people.
//!
//! Never here: local times without a date or zone, month and day names, relative words.

use std::fmt::Write as _;

use super::calendar::clock_of_ms;
use super::{Date, Instant, MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE, Zone};
use crate::engine::syntax::ast::Clock;
use crate::engine::value::decimal::half_even;

/// Characters of the input that an error shows.
const SHOWN_BOUND: usize = 60;
const SECOND_MS: u64 = 1_000;
const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 3_600_000;

/// Why a text is not the time that it should be. The text is the input, cut if it is long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeTextError {
    /// Not of the form of RFC 3339.
    #[error("`{0}` is not an instant; expected a form such as `2026-09-26T07:00:00-04:00`")]
    NotAnInstant(String),
    /// No `Z` and no `-04:00` at the end.
    #[error("`{0}` has no offset; expected `Z` or one such as `-04:00` at its end")]
    MissingOffset(String),
    /// An offset beyond 23:59, or one that is not written as hours and minutes.
    #[error("`{0}` has no valid offset; expected `Z` or one such as `-04:00` at its end")]
    BadOffset(String),
    /// A date that is not in the calendar.
    #[error("`{0}` has a date that does not exist")]
    BadDate(String),
    /// A time of day that no clock shows.
    #[error("`{0}` has a time that does not exist; expected `00:00:00` to `23:59:59`")]
    BadTime(String),
    /// Second 60.
    #[error("`{0}` is in a leap second, which is not supported; expected seconds `00` to `59`")]
    LeapSecond(String),
    /// Not of the form of a date.
    #[error("`{0}` is not a date; expected a form such as `2026-09-26`")]
    NotADate(String),
    /// Not a time of day.
    #[error("`{0}` is not a clock time; expected `00:00` to `24:00`")]
    NotAClock(String),
    /// Not a duration.
    #[error("`{0}` is not a duration; expected a form such as `5h10m`, `90min` or `45s`")]
    NotADuration(String),
    /// More milliseconds than can be counted.
    #[error("`{0}` is too long a duration")]
    DurationTooLong(String),
}

type Fault = fn(String) -> TimeTextError;

fn shown(text: &str) -> String {
    let mut cut: String = text.chars().take(SHOWN_BOUND).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// Reads an RFC 3339 instant. The offset is required; digits beyond the millisecond are dropped.
///
/// # Errors
/// Anything else, second 60, and dates and times that do not exist.
pub fn parse_instant(text: &str) -> Result<Instant, TimeTextError> {
    scan_instant(text.as_bytes()).map_err(|fault| fault(shown(text)))
}

fn scan_instant(bytes: &[u8]) -> Result<Instant, Fault> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T' | b't', rest @ ..] = bytes else {
        return Err(TimeTextError::NotAnInstant);
    };
    let [h1, h2, b':', n1, n2, b':', s1, s2, tail @ ..] = rest else {
        return Err(TimeTextError::NotAnInstant);
    };
    let shape: Fault = TimeTextError::NotAnInstant;
    let year = two(*y1, *y2).ok_or(shape)? * 100 + two(*y3, *y4).ok_or(shape)?;
    let month = two(*m1, *m2).ok_or(shape)?;
    let day = two(*d1, *d2).ok_or(shape)?;
    let hour = two(*h1, *h2).ok_or(shape)?;
    let minute = two(*n1, *n2).ok_or(shape)?;
    let second = two(*s1, *s2).ok_or(shape)?;
    let days = date_of(year, month, day).ok_or(TimeTextError::BadDate as Fault)?.0;
    if second == 60 {
        return Err(TimeTextError::LeapSecond);
    }
    if hour > 23 || minute > 59 || second > 59 {
        return Err(TimeTextError::BadTime);
    }
    let (fraction_ms, tail) = scan_fraction(tail)?;
    let offset_min = scan_offset(tail)?;
    let minutes =
        i64::from(days) * i64::from(MINUTES_PER_DAY) + i64::from(hour * 60 + minute) - i64::from(offset_min);
    Ok(Instant(minutes * 60_000 + i64::from(second) * 1_000 + i64::from(fraction_ms)))
}

/// `.250` and what follows; the fraction in milliseconds.
fn scan_fraction(tail: &[u8]) -> Result<(i32, &[u8]), Fault> {
    let [b'.', digits @ ..] = tail else {
        return Ok((0, tail));
    };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (fraction, rest) = digits.split_at(count);
    if fraction.is_empty() {
        return Err(TimeTextError::NotAnInstant);
    }
    let thousandths = fraction.iter().chain(b"00").take(3);
    Ok((thousandths.fold(0, |sum, byte| sum * 10 + i32::from(byte - b'0')), rest))
}

/// Minutes ahead of UTC.
fn scan_offset(tail: &[u8]) -> Result<i32, Fault> {
    match tail {
        [b'Z' | b'z'] => Ok(0),
        [] => Err(TimeTextError::MissingOffset),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let bad: Fault = TimeTextError::BadOffset;
            let hours = two(*h1, *h2).ok_or(bad)?;
            let minutes = two(*m1, *m2).ok_or(bad)?;
            if hours > 23 || minutes > 59 {
                return Err(bad);
            }
            let ahead = hours * 60 + minutes;
            Ok(if *sign == b'-' { -ahead } else { ahead })
        }
        [b'+' | b'-', ..] => Err(TimeTextError::BadOffset),
        _ => Err(TimeTextError::NotAnInstant),
    }
}

#[inline]
fn two(tens: u8, ones: u8) -> Option<i32> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then_some(i32::from(tens) * 10 + i32::from(ones))
}

fn date_of(year: i32, month: i32, day: i32) -> Option<Date> {
    Date::from_ymd(year, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
}

/// Reads a date, `2026-09-26`.
///
/// # Errors
/// Another form, or a date that does not exist.
pub fn parse_date(text: &str) -> Result<Date, TimeTextError> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else {
        return Err(TimeTextError::NotADate(shown(text)));
    };
    let parts = || Some((two(*y1, *y2)? * 100 + two(*y3, *y4)?, two(*m1, *m2)?, two(*d1, *d2)?));
    let (year, month, day) = parts().ok_or_else(|| TimeTextError::NotADate(shown(text)))?;
    date_of(year, month, day).ok_or_else(|| TimeTextError::BadDate(shown(text)))
}

/// Reads a clock time, `00:00` to `24:00`; whether 24:00 may stand is for the caller.
///
/// # Errors
/// Anything but two digits, a colon, two digits, within the day.
pub fn parse_clock(text: &str) -> Result<Clock, TimeTextError> {
    let scan = || {
        let [h1, h2, b':', m1, m2] = text.as_bytes() else {
            return None;
        };
        let (hour, minute) = (two(*h1, *h2)?, two(*m1, *m2)?);
        let minutes = u16::try_from(hour * 60 + minute).ok()?;
        (minute <= 59 && minutes <= MINUTES_PER_DAY).then_some(Clock(minutes))
    };
    scan().ok_or_else(|| TimeTextError::NotAClock(shown(text)))
}

/// Reads a duration in milliseconds: hours `h`, minutes `min` or `m`, seconds `s`, from the largest to the
/// smallest, each at most once, with nothing between. Below the first, minutes and seconds stay under 60.
/// Seconds may have up to three decimals and a `-` may stand in front, so that every duration can be written.
///
/// # Errors
/// Anything else, or more than an `i64` holds.
pub fn parse_duration(text: &str) -> Result<i64, TimeTextError> {
    scan_duration(text).map_err(|fault| fault(shown(text)))
}

fn scan_duration(text: &str) -> Result<i64, Fault> {
    let bad: Fault = TimeTextError::NotADuration;
    let too_long: Fault = TimeTextError::DurationTooLong;
    let (negative, mut rest) = text.strip_prefix('-').map_or((false, text), |positive| (true, positive));
    let mut total: i128 = 0;
    let mut smallest = u64::MAX;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or(bad)?;
        let (number, after) = rest.split_at_checked(end).ok_or(bad)?;
        let (unit_ms, after) = scan_unit(after).ok_or(bad)?;
        if unit_ms >= smallest {
            return Err(bad);
        }
        let ms = scan_count(number, unit_ms).ok_or(bad)??;
        // A larger unit stands before: `1h90m` is more likely a slip than a duration.
        if smallest != u64::MAX && ms >= i128::from(unit_ms) * 60 {
            return Err(bad);
        }
        total = total.checked_add(ms).ok_or(too_long)?;
        smallest = unit_ms;
        rest = after;
    }
    if smallest == u64::MAX {
        return Err(bad);
    }
    i64::try_from(if negative { -total } else { total }).map_err(|_| too_long)
}

fn scan_unit(text: &str) -> Option<(u64, &str)> {
    let units = [("h", HOUR_MS), ("min", MINUTE_MS), ("m", MINUTE_MS), ("s", SECOND_MS)];
    units.into_iter().find_map(|(word, ms)| text.strip_prefix(word).map(|rest| (ms, rest)))
}

/// Milliseconds of so many units; `None` when it is no number, or a fraction of something else than seconds.
fn scan_count(number: &str, unit_ms: u64) -> Option<Result<i128, Fault>> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "000"));
    let fractional = whole.len() < number.len();
    if whole.is_empty() || fraction.is_empty() || fraction.len() > 3 || fraction.contains('.') {
        return None;
    }
    if fractional && unit_ms != SECOND_MS {
        return None;
    }
    let Ok(count) = whole.parse::<u64>() else {
        return Some(Err(TimeTextError::DurationTooLong));
    };
    let part = fraction.bytes().chain(*b"00").take(3).fold(0, |sum, byte| sum * 10 + i128::from(byte - b'0'));
    Some(Ok(i128::from(count) * i128::from(unit_ms) + part))
}

/// Writes an instant with the offset of a zone, `2026-09-26T07:00:00-04:00`; milliseconds only when there are
/// any. UTC is `+00:00`. The offset is cut to the minute where a zone once kept seconds, and the local time
/// with it, so the instant stays exact. Can be read again for the years 0 to 9999.
#[must_use]
pub fn format_instant(zone: Zone, at: Instant) -> String {
    let offset_min = i64::from(zone.offset_s(at)).div_euclid(60);
    let local_ms = i128::from(at.0) + i128::from(offset_min) * 60_000;
    let day_ms = i128::from(MS_PER_DAY);
    let date = Date(i32::try_from(local_ms.div_euclid(day_ms)).unwrap_or(if at.0 < 0 {
        i32::MIN
    } else {
        i32::MAX
    }));
    let of_day = local_ms.rem_euclid(day_ms);
    let (seconds, ms) = (of_day / 1_000, of_day % 1_000);
    let mut out = String::with_capacity(29);
    // Writing to a String cannot fail.
    let _ = write!(out, "{date}T{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if ms != 0 {
        let _ = write!(out, ".{ms:03}");
    }
    let sign = if offset_min < 0 { '-' } else { '+' };
    let ahead = offset_min.abs();
    let _ = write!(out, "{sign}{:02}:{:02}", ahead / 60, ahead % 60);
    out
}

/// Writes a clock time, `07:30`.
#[must_use]
pub fn format_clock(clock: Clock) -> String {
    format!("{:02}:{:02}", clock.0 / 60, clock.0 % 60)
}

/// For people: the wall clock at an instant, `14:00`; seconds are dropped.
#[must_use]
pub fn show_clock(zone: Zone, at: Instant) -> String {
    format_clock(clock_of_ms(zone.local(at).ms_of_day))
}

/// For people: `14:00` when the wall calendar shows `today`, else `2026-09-26 14:00`.
#[must_use]
pub fn show_instant(zone: Zone, at: Instant, today: Date) -> String {
    let date = zone.local(at).date;
    let clock = show_clock(zone, at);
    if date == today { clock } else { format!("{date} {clock}") }
}

/// For people: whole minutes, rounded half-even: `5h10m`, `7h`, `35min`. Below one minute whole seconds:
/// `45s`.
#[must_use]
pub fn show_duration(ms: i64) -> String {
    let seconds = half_even(ms, 1_000).unsigned_abs();
    if ms != 0 && seconds < 60 {
        let sign = if ms < 0 && seconds > 0 { "-" } else { "" };
        return format!("{sign}{seconds}s");
    }
    let minutes = half_even(ms, MS_PER_MINUTE).unsigned_abs().max(seconds.min(1));
    let sign = if ms < 0 { "-" } else { "" };
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{sign}{minutes}min"),
        (hours, 0) => format!("{sign}{hours}h"),
        (hours, minutes) => format!("{sign}{hours}h{minutes}m"),
    }
}

/// Exact: what [`parse_duration`] reads back as the same milliseconds: `5h10m30s`, `35min`, `1m0.25s`, `0s`.
#[must_use]
pub fn format_duration(ms: i64) -> String {
    let length = ms.unsigned_abs();
    let (hours, minutes) = (length / HOUR_MS, length / MINUTE_MS % 60);
    let (seconds, rest) = (length / SECOND_MS % 60, length % SECOND_MS);
    let mut out = String::from(if ms < 0 { "-" } else { "" });
    // Writing to a String cannot fail.
    if hours > 0 {
        let _ = write!(out, "{hours}h");
    }
    if minutes > 0 {
        let alone = hours == 0 && seconds == 0 && rest == 0;
        let _ = write!(out, "{minutes}{}", if alone { "min" } else { "m" });
    }
    if rest > 0 {
        let fraction = format!("{rest:03}");
        let _ = write!(out, "{seconds}.{}s", fraction.trim_end_matches('0'));
    } else if seconds > 0 || length == 0 {
        let _ = write!(out, "{seconds}s");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read() {
        let ms = |text| parse_instant(text).unwrap().0;
        assert_eq!(ms("1970-01-01T00:00:00Z"), 0);
        assert_eq!(ms("2026-09-26T07:00:00-04:00"), 1_790_420_400_000);
        assert_eq!(ms("2026-09-26t11:00:00z"), 1_790_420_400_000);
        assert_eq!(ms("2026-09-26T11:00:00.5Z"), 1_790_420_400_500);
        assert_eq!(ms("2026-09-26T11:00:00.123999999Z"), 1_790_420_400_123);
        assert_eq!(ms("1969-12-31T23:59:59.999+00:00"), -1);
        assert_eq!(ms("2026-09-26T16:45:00+05:45"), 1_790_420_400_000);
    }

    #[test]
    fn each_fault_has_its_reason() {
        use TimeTextError as E;
        let cases: &[(&str, Fault)] = &[
            ("2026-09-26T07:00:00", E::MissingOffset),
            ("2026-09-26T07:00:00.25", E::MissingOffset),
            ("2026-02-29T07:00:00Z", E::BadDate),
            ("2026-00-10T07:00:00Z", E::BadDate),
            ("2026-09-26T24:00:00Z", E::BadTime),
            ("2026-09-26T07:60:00Z", E::BadTime),
            ("2016-12-31T23:59:60Z", E::LeapSecond),
            ("2026-09-26T07:00:00-0400", E::BadOffset),
            ("2026-09-26T07:00:00+24:00", E::BadOffset),
            ("2026-09-26T07:00:00+01:60", E::BadOffset),
            ("2026-09-26T07:00:00.Z", E::NotAnInstant),
            ("2026-09-26T07:00:00Z ", E::NotAnInstant),
            ("2026-09-26 07:00:00Z", E::NotAnInstant),
            ("2026-09-26T07:00Z", E::NotAnInstant),
            ("２026-09-26T07:00:00Z", E::NotAnInstant),
            ("", E::NotAnInstant),
        ];
        for (text, fault) in cases {
            assert_eq!(parse_instant(text), Err(fault((*text).to_owned())), "{text}");
        }
        let long = parse_instant(&"é".repeat(5_000)).unwrap_err().to_string();
        assert!(long.chars().count() < 200, "{long}");
        let said = parse_instant("2026-09-26T07:00:00").unwrap_err().to_string();
        assert_eq!(
            said,
            "`2026-09-26T07:00:00` has no offset; expected `Z` or one such as `-04:00` at its end"
        );
    }

    #[test]
    fn instants_are_written_in_a_zone() {
        let toronto = Zone::parse("America/Toronto").unwrap();
        let at = Instant(1_790_420_400_000);
        assert_eq!(format_instant(toronto, at), "2026-09-26T07:00:00-04:00");
        assert_eq!(format_instant(Zone(chrono_tz::UTC), at.plus_ms(20)), "2026-09-26T11:00:00.020+00:00");
        assert_eq!(format_instant(Zone::parse("Asia/Kathmandu").unwrap(), at), "2026-09-26T16:45:00+05:45");
        // Local mean time, 5 h 17 min 32 s behind: the instant is what must stay.
        let old = Instant(-3_000_000_000_000);
        assert_eq!(parse_instant(&format_instant(toronto, old)), Ok(old));
        assert!(format_instant(toronto, Instant(i64::MAX)).starts_with('+'));
        assert!(format_instant(toronto, Instant(i64::MIN)).starts_with('-'));
    }

    #[test]
    fn short_forms_leave_out_today() {
        let toronto = Zone::parse("America/Toronto").unwrap();
        let at = Instant(1_790_420_459_999);
        assert_eq!(show_clock(toronto, at), "07:00");
        assert_eq!(show_instant(toronto, at, parse_date("2026-09-26").unwrap()), "07:00");
        assert_eq!(show_instant(toronto, at, parse_date("2026-09-25").unwrap()), "2026-09-26 07:00");
    }

    #[test]
    fn clocks_end_at_24() {
        assert_eq!(parse_clock("07:30"), Ok(Clock(450)));
        assert_eq!(parse_clock("24:00"), Ok(Clock(1_440)));
        for text in ["24:01", "7:30", "12:60", "-1:00", "12:3", "12:300", "noon"] {
            assert_eq!(parse_clock(text), Err(TimeTextError::NotAClock(text.to_owned())));
        }
        assert_eq!(format_clock(Clock(450)), "07:30");
        assert_eq!(format_clock(Clock(1_440)), "24:00");
    }

    #[test]
    fn dates_must_exist() {
        assert_eq!(parse_date("2026-02-30"), Err(TimeTextError::BadDate("2026-02-30".to_owned())));
        assert_eq!(parse_date("2026-2-3"), Err(TimeTextError::NotADate("2026-2-3".to_owned())));
    }

    #[test]
    fn durations_are_read() {
        let cases = [
            ("5h10m", 18_600_000),
            ("90min", 5_400_000),
            ("1h30m", 5_400_000),
            ("1h30min", 5_400_000),
            ("45s", 45_000),
            ("5h10m30s", 18_630_000),
            ("72h", 259_200_000),
            ("0min", 0),
            ("1h5s", 3_605_000),
            ("0.25s", 250),
            ("-30min", -1_800_000),
        ];
        for (text, ms) in cases {
            assert_eq!(parse_duration(text), Ok(ms), "{text}");
        }
        let wrong = [
            "", "-", "5", "h", "5x", "1.5h", "5m10h", "1h1h", "1h 30m", "1h90m", "10ms", ".5s", "5.s",
            "1.2345s", "1..2s", "+5s", "五h",
        ];
        for text in wrong {
            assert_eq!(parse_duration(text), Err(TimeTextError::NotADuration(text.to_owned())), "{text}");
        }
        for text in ["9999999999999h", "99999999999999999999999s"] {
            assert_eq!(parse_duration(text), Err(TimeTextError::DurationTooLong(text.to_owned())));
        }
    }

    #[test]
    fn durations_are_shown_in_whole_minutes() {
        let cases = [
            (18_600_000, "5h10m"),
            (25_200_000, "7h"),
            (2_100_000, "35min"),
            (0, "0min"),
            (45_000, "45s"),
            (400, "0s"),
            (-400, "0s"),
            (59_700, "1min"),
            (90_000, "2min"),
            (150_000, "2min"),
            (150_001, "3min"),
            (3_599_999, "1h"),
            (-18_600_000, "-5h10m"),
        ];
        for (ms, text) in cases {
            assert_eq!(show_duration(ms), text);
        }
    }

    #[test]
    fn exact_durations_lose_nothing() {
        let cases = [
            (0, "0s"),
            (18_630_000, "5h10m30s"),
            (18_600_000, "5h10m"),
            (2_100_000, "35min"),
            (90_000, "1m30s"),
            (60_250, "1m0.25s"),
            (1, "0.001s"),
            (-5_000, "-5s"),
        ];
        for (ms, text) in cases {
            assert_eq!(format_duration(ms), text);
        }
        for ms in [i64::MIN, i64::MAX] {
            assert_eq!(parse_duration(&format_duration(ms)), Ok(ms));
        }
    }
}
