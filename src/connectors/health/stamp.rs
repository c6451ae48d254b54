//! Time stamps of health exports: `2024-01-01 00:55:28 +0200`, and near relatives of it.

use std::fmt;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime};

/// An instant with the offset that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Milliseconds since 1970.
    pub ms: i64,
    /// The offset as written; of the phone at export, not of the place.
    pub offset: FixedOffset,
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let utc = DateTime::from_timestamp_millis(self.ms).unwrap_or_default();
        write!(f, "{}", utc.with_timezone(&self.offset).format("%Y-%m-%d %H:%M:%S %z"))
    }
}

/// Reads `2024-01-01 00:55:28 +0200`, the same with `AM` or `PM`, and RFC 3339; years 1970 to 2105.
#[must_use]
pub fn parse_stamp(text: &str) -> Option<Stamp> {
    let stamp = common(text.as_bytes()).or_else(|| other(text))?;
    (0..=i64::from(u32::MAX) * 1000).contains(&stamp.ms).then_some(stamp)
}

/// The common form by position, because there are millions of them.
fn common(bytes: &[u8]) -> Option<Stamp> {
    if bytes.len() != 25 {
        return None;
    }
    let is = |index: usize, wanted: u8| bytes.get(index) == Some(&wanted);
    let blanks = is(10, b' ') && is(19, b' ');
    if !(blanks && is(4, b'-') && is(7, b'-') && is(13, b':') && is(16, b':')) {
        return None;
    }
    let number = |from: usize, to: usize| {
        bytes
            .get(from..to)?
            .iter()
            .try_fold(0_u32, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
    };
    let sign = match bytes.get(20)? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let date = NaiveDate::from_ymd_opt(i32::try_from(number(0, 4)?).ok()?, number(5, 7)?, number(8, 10)?)?;
    let wall = date.and_hms_opt(number(11, 13)?, number(14, 16)?, number(17, 19)?)?;
    let east = i32::try_from(number(21, 23)? * 3600 + number(23, 25)? * 60).ok()?;
    stamp(wall, FixedOffset::east_opt(sign * east)?)
}

fn other(text: &str) -> Option<Stamp> {
    if let Ok(at) = DateTime::parse_from_rfc3339(text.trim()) {
        return Some(Stamp { ms: at.timestamp_millis(), offset: *at.offset() });
    }
    // Phones set to a 12-hour clock write `8:39:12 AM`, with a narrow no-break space.
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = DateTime::parse_from_str(&plain, "%Y-%m-%d %I:%M:%S %p %z").ok()?;
    stamp(at.naive_local(), *at.offset())
}

fn stamp(wall: NaiveDateTime, offset: FixedOffset) -> Option<Stamp> {
    let ms = wall.and_utc().timestamp_millis() - i64::from(offset.local_minus_utc()) * 1000;
    Some(Stamp { ms, offset })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_forms_that_occur() {
        for (text, rfc3339) in [
            ("2024-01-01 00:55:28 +0200", "2024-01-01T00:55:28+02:00"),
            ("2016-04-18 08:25:32 -0730", "2016-04-18T08:25:32-07:30"),
            ("2023-01-31 8:39:12 AM +0800", "2023-01-31T08:39:12+08:00"),
            ("2023-01-31 8:39:12\u{202f}PM +0800", "2023-01-31T20:39:12+08:00"),
            ("2024-01-01T00:55:28Z", "2024-01-01T00:55:28+00:00"),
        ] {
            let right = DateTime::parse_from_rfc3339(rfc3339).unwrap();
            let got = parse_stamp(text).unwrap();
            assert_eq!((got.ms, got.offset), (right.timestamp_millis(), *right.offset()), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "",
            "2024-02-30 00:00:00 +0000",
            "2024-01-01 24:00:00 +0000",
            "2024-01-01 00:00:00",
            "2024-01-01 00:00:00 +9900",
            "1969-12-31 23:59:59 +0000",
            "0001-01-01 00:00:00 +0000",
            "2024-01-01 00:00:00 x0000",
            "\u{7b2c}2024-01-01 00:00:00 +00",
        ] {
            assert_eq!(parse_stamp(text), None, "{text}");
        }
    }
}
